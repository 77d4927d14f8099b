//! `histogram` and `bincount`.

use crate::kernel::histogram::{self, count, weigh};
use crate::op::execute::read_operands;
use crate::tensor::reserve;
use crate::trace::{Call, Param, composite, is_listening};
use crate::{DType, Error, Operand, Tensor};

/// The most values that are counted by one thread in one pass, without tensors for their minimum and maximum.
const MAX_FEW: usize = 1 << 13;

/// The result of [`Tensor::histogram`]: counts and bin edges.
#[derive(Clone, Debug)]
pub struct Histogram {
    /// The number of elements in each bin as `int64`, or their sum of weights or density as `float64`.
    pub counts: Tensor,
    /// The bin edges: one more than there are bins.
    pub edges: Tensor,
}

/// The bins of a [`Tensor::histogram`], and what is accumulated in them.
///
/// `impl Into<Bins>` accepts a number of bins or a tensor of edges: `x.histogram(10)`,
/// `x.histogram(&edges)`.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::Bins;
///
/// let x = tensor![1.0, 2.0, 9.0];
/// let bins = Bins::new(2).range(0.0, 4.0).weights(&tensor![0.5, 0.25, 7.0]);
/// assert_eq!(x.histogram(bins)?.counts.to_vec::<f64>()?, [0.5, 0.25]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bins {
    edges: Edges,
    weights: Option<Tensor>,
    is_density: bool,
}

/// How the bin edges are given.
#[derive(Clone, Debug)]
enum Edges {
    Uniform { n: usize, range: Option<(f64, f64)> },
    Given(Tensor),
}

impl Bins {
    /// Returns `n` bins of equal width, from the least element to the greatest.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// use belvedere::Bins;
    ///
    /// let x = tensor![0.0, 1.0, 4.0];
    /// assert_eq!(x.histogram(Bins::new(2))?.counts.to_vec::<i64>()?, [2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn new(n: usize) -> Bins {
        Bins { edges: Edges::Uniform { n, range: None }, weights: None, is_density: false }
    }

    /// Sets the range of bins of equal width; elements outside of it are not counted. Explicit
    /// edges are not changed.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// use belvedere::Bins;
    ///
    /// let x = tensor![0.5, 1.5, 9.0];
    /// assert_eq!(x.histogram(Bins::new(2).range(0.0, 2.0))?.counts.to_vec::<i64>()?, [1, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn range(mut self, from: f64, to: f64) -> Bins {
        if let Edges::Uniform { range, .. } = &mut self.edges {
            *range = Some((from, to));
        }
        self
    }

    /// Sets the weights of the elements, which have the same shape: a bin holds the sum of weights.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// use belvedere::Bins;
    ///
    /// let x = tensor![0.0, 1.0, 2.0];
    /// let bins = Bins::new(2).weights(&tensor![0.5, 2.0, 3.0]);
    /// assert_eq!(x.histogram(bins)?.counts.to_vec::<f64>()?, [0.5, 5.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn weights(self, weights: &Tensor) -> Bins {
        Bins { weights: Some(weights.clone()), ..self }
    }

    /// Normalizes the counts to a probability density: the integral over the range is 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// use belvedere::Bins;
    ///
    /// let x = tensor![0.0, 1.0, 2.0, 4.0];
    /// assert_eq!(x.histogram(Bins::new(2).density())?.counts.to_vec::<f64>()?, [0.25, 0.25]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn density(self) -> Bins {
        Bins { is_density: true, ..self }
    }

    /// Returns the parameters of an event. Edges and weights are inputs instead.
    fn params(&self) -> [(&'static str, Param<'static>); 4] {
        let (n, range) = match self.edges {
            Edges::Uniform { n, range } => (Some(n), range),
            Edges::Given(_) => (None, None),
        };
        let (from, to) = range.unzip();
        [
            ("bins", n.into()),
            ("min", from.into()),
            ("max", to.into()),
            ("density", self.is_density.into()),
        ]
    }
}

impl From<usize> for Bins {
    fn from(n: usize) -> Bins {
        Bins::new(n)
    }
}

impl From<&Tensor> for Bins {
    fn from(edges: &Tensor) -> Bins {
        Bins { edges: Edges::Given(edges.clone()), ..Bins::new(0) }
    }
}

impl Tensor {
    /// Returns the histogram of all elements.
    ///
    /// A bin contains its lower edge; the last bin contains both edges. NaNs and elements outside
    /// of the edges are not counted. See [`Bins`] for ranges, weights and densities. Edges of bins
    /// of equal width have the dtype of the elements, or `float64` for integers. Elements and edges
    /// are compared as `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [2, 5]];
    /// let even = x.histogram(4)?;
    /// assert_eq!(even.counts.to_vec::<i64>()?, [1, 2, 0, 1]);
    /// assert_eq!(even.edges.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0, 5.0]);
    /// assert_eq!(x.histogram(&tensor![0, 2, 5])?.counts.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there are no bins, the range is not finite or decreasing, the edges are not 1-D or
    /// not ascending, the weights have another shape, or a dtype is complex.
    ///
    /// # Memory
    /// The results are new tensors. Weights of another dtype than `float64` are copied to cast
    /// them.
    #[track_caller]
    pub fn histogram(&self, bins: impl Into<Bins>) -> Result<Histogram, Error> {
        let bins = bins.into();
        let params = bins.params();
        let call = Call::new("histogram").with(&params);
        let edges = match &bins.edges {
            Edges::Uniform { .. } => None,
            Edges::Given(edges) => Some(edges),
        };
        let tensors = [Some(self), edges, bins.weights.as_ref()];
        let inputs: Vec<Operand<'_>> = tensors.into_iter().flatten().map(Operand::from).collect();
        let (counts, edges) = composite(call, &inputs, || self.counts_and_edges(&bins, call))?;
        Ok(Histogram { counts, edges })
    }

    /// Computes the counts and the edges of a histogram.
    fn counts_and_edges(&self, bins: &Bins, call: Call<'_>) -> Result<(Tensor, Tensor), Error> {
        refuse_complex(self, call)?;
        let edges = match &bins.edges {
            Edges::Uniform { n, range } => uniform_edges(self, *n, *range, call)?,
            Edges::Given(edges) => edges.clone(),
        };
        refuse_complex(&edges, call)?;
        // The kernel compares as `float64`, so the edges are rounded to that here, too.
        let numbers = edges.astype(DType::Float64)?.to_vec::<f64>()?;
        check_edges(&edges, &numbers, call)?;
        let kind = match &bins.edges {
            Edges::Uniform { .. } => histogram::BinEdges::Even(&numbers),
            Edges::Given(_) => histogram::BinEdges::Edges(&numbers),
        };
        let counts = self.count_bins(&kind, bins.weights.as_ref(), call)?;
        let counts = match bins.is_density {
            true => density(&counts, &numbers)?,
            false => counts,
        };
        Ok((counts, edges))
    }

    /// Returns the number of occurrences of each value 0, 1, 2, … up to the maximum; with
    /// `weights`, the sum of the weights of each value.
    ///
    /// The result has at least `minlength` elements.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 3, 1];
    /// assert_eq!(x.bincount(None, 0)?.to_vec::<i64>()?, [0, 2, 0, 1]);
    /// let weights = tensor![0.5, 1.0, 0.25];
    /// assert_eq!(x.bincount(Some(&weights), 5)?.to_vec::<f64>()?, [0.0, 0.75, 0.0, 1.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the dtype is not an integer dtype or `bool`, an element is negative, the weights
    /// have another shape or are complex, or memory cannot be allocated.
    ///
    /// # Memory
    /// The result is a new tensor. Weights of another dtype than `float64` are copied to cast them.
    #[track_caller]
    pub fn bincount(&self, weights: Option<&Tensor>, minlength: usize) -> Result<Tensor, Error> {
        let params = [("minlength", minlength.into())];
        let call = Call::new("bincount").with(&params);
        let tensors = [Some(self), weights];
        let inputs: Vec<Operand<'_>> = tensors.into_iter().flatten().map(Operand::from).collect();
        composite(call, &inputs, || self.count_values(weights, minlength, call))
    }

    /// Counts the occurrences of each value, or sums their weights.
    fn count_values(
        &self,
        weights: Option<&Tensor>,
        minlength: usize,
        call: Call<'_>,
    ) -> Result<Tensor, Error> {
        if !self.dtype().is_integer() && !self.dtype().is_bool() {
            return Err(Error::Unsupported { op: call.op, dtype: self.dtype() });
        }
        let negative = |least: f64| {
            let needs = "non-negative integers";
            Err(Error::Argument { op: call.op, needs, given: least.into() })
        };
        // Values above 2^63 need the range as floats.
        let is_few = self.len() <= MAX_FEW && self.dtype() != DType::UInt64;
        if is_few && weights.is_none() && !is_listening() {
            let counts = read_operands(call.part(), &[self.into()], |[view]| {
                histogram::count_values(&view, minlength)
            })?;
            return counts.map_or_else(|least| negative(least as f64), |it| Ok(it.into()));
        }
        let mut n = minlength;
        if let Some((least, greatest)) = self.value_range()? {
            if least < 0.0 {
                return negative(least);
            }
            // A maximum above 2^53 may have been rounded, but memory for that many counts cannot be
            // allocated anyway.
            n = n.max((greatest as usize).saturating_add(1));
        }
        reserve::<f64>(n).map(drop)?;
        self.count_bins(&histogram::BinEdges::Whole(n), weights, call)
    }

    /// Returns the minimum and the maximum as `f64`, or `None` if there are no elements.
    fn value_range(&self) -> Result<Option<(f64, f64)>, Error> {
        if self.is_empty() {
            return Ok(None);
        }
        let number = |x: Tensor| x.astype(DType::Float64)?.item::<f64>();
        Ok(Some((number(self.min(())?)?, number(self.max(())?)?)))
    }

    /// Counts the elements in each bin, or sums their weights.
    fn count_bins(
        &self,
        bins: &histogram::BinEdges<'_>,
        weights: Option<&Tensor>,
        call: Call<'_>,
    ) -> Result<Tensor, Error> {
        let Some(weights) = weights else {
            let counts = read_operands(call.part(), &[self.into()], |[view]| count(&view, bins));
            return Ok(counts?.into());
        };
        refuse_complex(weights, call)?;
        if weights.shape() != self.shape() {
            let (needed, given) = (self.shape().into(), weights.shape().into());
            return Err(Error::ShapeMismatch { op: call.op, needed, given });
        }
        let weights = Operand::from(weights).into_dtype(DType::Float64, call)?;
        let inputs = [self.into(), weights];
        let sums =
            read_operands(call.part(), &inputs, |[view, weights]| weigh(&view, &weights, bins));
        Ok(sums?.into())
    }
}

/// Returns an error if `x` is complex.
fn refuse_complex(x: &Tensor, call: Call<'_>) -> Result<(), Error> {
    match x.dtype().is_complex() {
        true => Err(Error::Unsupported { op: call.op, dtype: x.dtype() }),
        false => Ok(()),
    }
}

/// Returns the edges of `n` bins of equal width.
fn uniform_edges(
    x: &Tensor,
    n: usize,
    range: Option<(f64, f64)>,
    call: Call<'_>,
) -> Result<Tensor, Error> {
    let argument =
        |needs, given: f64| Err(Error::Argument { op: call.op, needs, given: given.into() });
    if n == 0 {
        return argument("at least one bin", 0.0);
    }
    let (mut from, mut to) = match range {
        Some(range) => range,
        None => x.value_range()?.unwrap_or((0.0, 1.0)),
    };
    if let Some(&given) = [from, to].iter().find(|it| !it.is_finite()) {
        return argument("a finite range", given);
    }
    if from > to {
        return argument("a range whose upper end is not below its lower end", to - from);
    }
    if from == to {
        (from, to) = (from - 0.5, to + 0.5);
    }
    let mut edges = reserve(n.saturating_add(1))?;
    let step = (to - from) / n as f64;
    edges.extend((0..n).map(|i| match step.is_finite() {
        true => from + i as f64 * step,
        // The width of the range overflows: interpolate between its ends instead.
        false => from * (1.0 - i as f64 / n as f64) + to * (i as f64 / n as f64),
    }));
    edges.push(to);
    let edges = Tensor::from(edges);
    if x.dtype().is_floating() { edges.astype(x.dtype()) } else { Ok(edges) }
}

/// Checks that `edges` are 1-D, not empty and ascending.
fn check_edges(edges: &Tensor, numbers: &[f64], call: Call<'_>) -> Result<(), Error> {
    super::searchsorted::check_1d(edges, call.op)?;
    if numbers.is_empty() {
        return Err(Error::Argument { op: call.op, needs: "at least one edge", given: 0.into() });
    }
    let descends = numbers.windows(2).find(|pair| pair[0] > pair[1]).map(|pair| pair[1]);
    let descends = descends.or(numbers.iter().copied().find(|it| it.is_nan()));
    match descends {
        Some(given) => {
            Err(Error::Argument { op: call.op, needs: "ascending edges", given: given.into() })
        }
        None => Ok(()),
    }
}

/// Returns counts divided by their sum and by the bin widths.
fn density(counts: &Tensor, edges: &[f64]) -> Result<Tensor, Error> {
    let mut widths = reserve(edges.len())?;
    widths.extend(edges.windows(2).map(|pair| pair[1] - pair[0]));
    counts.div(Tensor::from(widths))?.div(&counts.sum(())?)
}
