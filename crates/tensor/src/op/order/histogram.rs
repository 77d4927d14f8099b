//! How many elements there are of each size.

use crate::kernel::histogram::{self, count, weigh};
use crate::op::settled::Settled;
use crate::tensor::reserve;
use crate::view::{Call, Input, read};
use crate::{DType, Error, Tensor};
use std::panic::Location;

/// Elements counted by bins, by [`Tensor::histogram`].
#[derive(Clone, Debug)]
pub struct Histogram {
    /// For each bin the number of elements as `int64`; the sum of their weights, or their density, as
    /// `float64`.
    pub counts: Tensor,
    /// The edges of the bins: one more than there are bins.
    pub edges: Tensor,
}

/// Which bins a [`Tensor::histogram`] has, and what is added up in them.
///
/// A number of bins, or their edges, will do: `x.histogram(10)`, `x.histogram(&edges)`.
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

#[derive(Clone, Debug)]
enum Edges {
    Even { n: usize, range: Option<(f64, f64)> },
    Given(Tensor),
}

impl Bins {
    /// So many bins of the same width, from the least element to the greatest.
    pub fn new(n: usize) -> Bins {
        Bins { edges: Edges::Even { n, range: None }, weights: None, is_density: false }
    }

    /// The same from one number to another; what is beyond is not counted. Given edges stay as they are.
    pub fn range(mut self, from: f64, to: f64) -> Bins {
        if let Edges::Even { range, .. } = &mut self.edges {
            *range = Some((from, to));
        }
        self
    }

    /// Each element counts as much as its weight says. Weights have the shape of the elements.
    pub fn weights(self, weights: &Tensor) -> Bins {
        Bins { weights: Some(weights.clone()), ..self }
    }

    /// Each number is divided by the width of its bin and by all numbers together: the area is 1.
    pub fn density(self) -> Bins {
        Bins { is_density: true, ..self }
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
    /// How many elements are in each of some bins. A bin holds its lower edge, and the last one both;
    /// NaNs and what is beyond the edges are not counted. See [`Bins`] for ranges, weights and densities.
    /// Edges of even bins are of the type of the elements, or `float64` for integers. Elements and edges are
    /// compared as `float64`.
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
    /// If there are no bins, the range is not finite or falls, the edges do not have one axis or do not
    /// ascend, the weights have another shape, or something is complex.
    ///
    /// # Memory
    /// The results are new. Weights that are not `float64` are copied to convert them.
    #[track_caller]
    pub fn histogram(&self, bins: impl Into<Bins>) -> Result<Histogram, Error> {
        let call = Call { op: "histogram", caller: Location::caller() };
        let bins = bins.into();
        refuse_complex(self, call)?;
        let edges = match &bins.edges {
            Edges::Even { n, range } => even_edges(self, *n, *range, call)?,
            Edges::Given(edges) => edges.clone(),
        };
        refuse_complex(&edges, call)?;
        // Reading them as `float64` rounds as comparing does.
        let numbers = edges.astype(DType::Float64)?.to_vec::<f64>()?;
        check_edges(&edges, &numbers, call)?;
        let kind = match &bins.edges {
            Edges::Even { .. } => histogram::Bins::Even(&numbers),
            Edges::Given(_) => histogram::Bins::Edges(&numbers),
        };
        let counts = self.tally(&kind, bins.weights.as_ref(), call)?;
        let counts = match bins.is_density {
            true => density(&counts, &numbers)?,
            false => counts,
        };
        Ok(Histogram { counts, edges })
    }

    /// How often each of the numbers 0, 1, 2 … is there, up to the greatest; or, with weights, the sum of the
    /// weights where it is. There are at least `minlength` results.
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
    /// If the elements are not integers or one is negative, the weights have another shape or are
    /// complex, or there is not enough memory.
    ///
    /// # Memory
    /// The result is new. Weights that are not `float64` are copied to convert them.
    #[track_caller]
    pub fn bincount(&self, weights: Option<&Tensor>, minlength: usize) -> Result<Tensor, Error> {
        let call = Call { op: "bincount", caller: Location::caller() };
        if !self.dtype().is_integer() && !self.dtype().is_bool() {
            return Err(Error::Unsupported { op: call.op, dtype: self.dtype() });
        }
        let mut n = minlength;
        if let Some((least, greatest)) = self.ends()? {
            if least < 0.0 {
                let needs = "integers of at least 0";
                return Err(Error::Argument { op: call.op, needs, given: least });
            }
            // One beyond 2^53 may have been rounded; there is no memory for so many anyway.
            n = n.max((greatest as usize).saturating_add(1));
        }
        reserve::<f64>(n).map(drop)?;
        self.tally(&histogram::Bins::Whole(n), weights, call)
    }

    /// The least and the greatest element, if there are any.
    fn ends(&self) -> Result<Option<(f64, f64)>, Error> {
        if self.is_empty() {
            return Ok(None);
        }
        let number = |x: Tensor| x.astype(DType::Float64)?.item::<f64>();
        Ok(Some((number(self.min(())?)?, number(self.max(())?)?)))
    }

    /// What there is in each bin.
    fn tally(
        &self,
        bins: &histogram::Bins<'_>,
        weights: Option<&Tensor>,
        call: Call,
    ) -> Result<Tensor, Error> {
        let Some(weights) = weights else {
            return read([Input::Tensor(self)], |[view]| count(&view, bins))?.try_into();
        };
        refuse_complex(weights, call)?;
        if weights.shape() != self.shape() {
            let (needed, given) = (self.shape().into(), weights.shape().into());
            return Err(Error::ShapeMismatch { op: call.op, needed, given });
        }
        let weights = Settled::of_type(weights.into(), DType::Float64, call)?;
        let inputs = [Input::Tensor(self), weights.input()];
        read(inputs, |[view, weights]| weigh(&view, &weights, bins))?.try_into()
    }
}

fn refuse_complex(x: &Tensor, call: Call) -> Result<(), Error> {
    match x.dtype().is_complex() {
        true => Err(Error::Unsupported { op: call.op, dtype: x.dtype() }),
        false => Ok(()),
    }
}

/// The edges of bins of the same width.
fn even_edges(
    x: &Tensor,
    n: usize,
    range: Option<(f64, f64)>,
    call: Call,
) -> Result<Tensor, Error> {
    let argument =
        |needs: &'static str, given: f64| Err(Error::Argument { op: call.op, needs, given });
    if n == 0 {
        return argument("at least one bin", 0.0);
    }
    let (mut from, mut to) = match range {
        Some(range) => range,
        None => x.ends()?.unwrap_or((0.0, 1.0)),
    };
    if let Some(&given) = [from, to].iter().find(|it| !it.is_finite()) {
        return argument("a finite range", given);
    }
    if from > to {
        return argument("a range that does not fall", to - from);
    }
    if from == to {
        (from, to) = (from - 0.5, to + 0.5);
    }
    let mut edges = reserve(n.saturating_add(1))?;
    let step = (to - from) / n as f64;
    edges.extend((0..n).map(|i| match step.is_finite() {
        true => from + i as f64 * step,
        // Further apart than there are numbers.
        false => from * (1.0 - i as f64 / n as f64) + to * (i as f64 / n as f64),
    }));
    edges.push(to);
    let edges = Tensor::try_from(edges)?;
    if x.dtype().is_floating() { edges.astype(x.dtype()) } else { Ok(edges) }
}

/// Refuses edges that are no list, or do not ascend.
fn check_edges(edges: &Tensor, numbers: &[f64], call: Call) -> Result<(), Error> {
    super::search::check_list(edges, call.op)?;
    if numbers.is_empty() {
        return Err(Error::Argument { op: call.op, needs: "at least one edge", given: 0.0 });
    }
    let falls = numbers.windows(2).find(|pair| pair[0] > pair[1]).map(|pair| pair[1]);
    let falls = falls.or(numbers.iter().copied().find(|it| it.is_nan()));
    match falls {
        Some(given) => Err(Error::Argument { op: call.op, needs: "edges that ascend", given }),
        None => Ok(()),
    }
}

/// Numbers of elements as shares of all of them, for each unit of the width of a bin.
fn density(counts: &Tensor, edges: &[f64]) -> Result<Tensor, Error> {
    let widths: Vec<f64> = edges.windows(2).map(|pair| pair[1] - pair[0]).collect();
    counts.div(&Tensor::try_from(widths)?)?.div(&counts.sum(())?)
}
