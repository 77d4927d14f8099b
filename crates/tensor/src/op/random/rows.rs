//! Distributions of rows: several numbers, along the last axis of the result, that depend on each other.

use super::Generator;
use super::arguments::check;
use super::family::real_parameters;
use crate::feature::Feature;
use crate::kernel::random::{RowFamily, draw_rows, stream_len_of_rows};
use crate::op::convert::as_type;
use crate::op::execute::compute_new;
use crate::storage::creates_meta;
use crate::tensor::reserve;
use crate::trace::{Call, composite};
use crate::{DType, Error, Integers, Layout, Operand, Shape, Tensor};

impl Generator {
    /// Draws Dirichlet rows: proportions that sum to 1, with concentrations along the last axis of `alpha`.
    ///
    /// The result has the shape `shape` and a last axis as long as that of `alpha`, which broadcasts to it.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).dirichlet(&tensor![1.0, 2.0, 7.0], [1000])?;
    /// assert_eq!(x.shape(), [1000, 3]);
    /// assert!((x.mean(0)?.get::<f64>(&[2])? - 0.7).abs() < 0.05);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `alpha` is 0-d, is not real, does not broadcast or has numbers that are negative or not finite, or there is not
    /// enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn dirichlet(&mut self, alpha: &Tensor, shape: impl Integers) -> Result<Tensor, Error> {
        let call = Call::new("dirichlet");
        let (layout, n) = row_layout(call.op, alpha, shape)?;
        self.draw_new_rows(call, [alpha.into()], layout, n, RowFamily::Dirichlet, |[alpha]| {
            for &a in &alpha {
                check(
                    call.op,
                    "finite concentrations of at least 0",
                    a,
                    a >= 0.0 && a.is_finite(),
                )?;
            }
            Ok(())
        })
    }

    /// Draws multinomial rows: how often each outcome occurs in `n` trials, as `int64`.
    ///
    /// The outcomes have probabilities along the last axis of `chances`; the last one has what is left to 1. The result
    /// has the shape `shape`, which `n` broadcasts to, and a last axis for the outcomes.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).multinomial(100, &tensor![0.25, 0.0, 0.75], [20])?;
    /// assert_eq!(x.sum(-1)?.to_vec::<i64>()?, [100; 20]);
    /// assert_eq!(x.sum(0)?.get::<i64>(&[1])?, 0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `n` is not an integer from 0 to 2⁵³, a probability is not in `[0, 1]`, all but the last of a row sum to more
    /// than 1, `chances` is 0-d, something does not broadcast, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn multinomial<'a>(
        &mut self,
        n: impl Into<Operand<'a>>,
        chances: &'a Tensor,
        shape: impl Integers,
    ) -> Result<Tensor, Error> {
        let n = n.into();
        let params = [("n", n.to_param())];
        let call = Call::new("multinomial").with(&params);
        let (layout, len) = row_layout(call.op, chances, shape)?;
        let parameters = [n, chances.into()];
        self.draw_new_rows(call, parameters, layout, len, RowFamily::Multinomial, |[n, chances]| {
            check_counts(call.op, &n)?;
            for row in chances.chunks(len.max(1)) {
                for &p in row {
                    check(call.op, "probabilities from 0 to 1", p, (0.0..=1.0).contains(&p))?;
                }
                let sum = row[..row.len() - 1].iter().sum::<f64>();
                let needs = "probabilities that sum to at most 1 without the last";
                check(call.op, needs, sum, sum <= 1.0 + 1e-12)?;
            }
            Ok(())
        })
    }

    /// Draws rows of the multivariate hypergeometric distribution: how many items of each colour are among `n` items taken
    /// without replacement, as `int64`.
    ///
    /// `colors` has the numbers of items along its last axis. The result has the shape `shape`, which `n` broadcasts to,
    /// and a last axis for the colours.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).multivariate_hypergeometric(&tensor![3, 4, 5], 10, [20])?;
    /// assert_eq!(x.sum(-1)?.to_vec::<i64>()?, [10; 20]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is not an integer from 0 to 2⁵³, more items are taken than there are, `colors` is 0-d, something
    /// does not broadcast, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn multivariate_hypergeometric<'a>(
        &mut self,
        colors: &'a Tensor,
        n: impl Into<Operand<'a>>,
        shape: impl Integers,
    ) -> Result<Tensor, Error> {
        let n = n.into();
        let params = [("nsample", n.to_param())];
        let call = Call::new("multivariate_hypergeometric").with(&params);
        let (layout, len) = row_layout(call.op, colors, shape)?;
        let family = RowFamily::MultivariateHypergeometric;
        self.draw_new_rows(call, [n, colors.into()], layout, len, family, |[n, colors]| {
            check_counts(call.op, &n)?;
            check_counts(call.op, &colors)?;
            let most = n.iter().copied().fold(0.0, f64::max);
            for row in colors.chunks(len.max(1)) {
                let total = row.iter().sum::<f64>();
                check_counts(call.op, &[total])?;
                check(call.op, "at most as many draws as items", most, most <= total)?;
            }
            Ok(())
        })
    }

    /// Draws multivariate normal rows with a mean, 1-D, and a covariance matrix.
    ///
    /// Rows are `mean + A z` with standard normal `z` and a factor `A` of the covariance, `A Aᵀ`, from the Cholesky
    /// factorization with pivoting. The covariance may be singular. Only its lower triangle is read.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let covariance = tensor![[2.0, 1.0], [1.0, 2.0]];
    /// let x = Generator::new(1).multivariate_normal(&tensor![5.0, 0.0], &covariance, [1000])?;
    /// assert_eq!(x.shape(), [1000, 2]);
    /// assert!((x.mean(0)?.get::<f64>(&[0])? - 5.0).abs() < 0.2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `mean` is not 1-D or `covariance` not a matrix with as many rows and columns, a number is not finite, the
    /// covariance has an eigenvalue that is clearly negative, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn multivariate_normal(
        &mut self,
        mean: &Tensor,
        covariance: &Tensor,
        shape: impl Integers,
    ) -> Result<Tensor, Error> {
        let call = Call::new("multivariate_normal");
        let n = mean.shape().last().copied().unwrap_or(1);
        let (needed, given) = (Shape::from([n, n]), covariance.shape());
        check(call.op, "a mean of rank 1", mean.rank(), mean.rank() == 1)?;
        if *given != *needed {
            let (needed, given) = (needed.into(), given.into());
            return Err(Error::ShapeMismatch { op: call.op, needed, given });
        }
        let (layout, _) = row_layout(call.op, mean, shape)?;
        Feature::RANDOM.require(call.op)?;
        let stream = self.next;
        let result = composite(call, &[mean.into(), covariance.into()], || {
            if creates_meta() || mean.storage().is_meta() || covariance.storage().is_meta() {
                return Tensor::meta_in(layout, DType::Float64);
            }
            let mean = as_type(mean, DType::Float64, call)?.to_vec::<f64>()?;
            let matrix = as_type(covariance, DType::Float64, call)?.to_vec::<f64>()?;
            let columns = factor_columns(call.op, matrix, n)?;
            let family = RowFamily::MultivariateNormal { mean: &mean, columns: &columns };
            compute_new(call, layout, DType::Float64, &[], |out, []| {
                draw_rows(out, stream, family, n, [])
            })
        })?;
        self.advance(stream_len_of_rows(result.len(), n));
        Ok(result)
    }

    /// Returns a tensor with every 1-D slice along an axis shuffled by itself; without an axis, all elements.
    ///
    /// [`Generator::permutation_of`] moves the slices as a whole.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// let y = Generator::new(1).permuted(&x, Some(1))?;
    /// assert_eq!(y.sort(1)?.to_vec::<i32>()?, [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor, and temporary positions.
    #[track_caller]
    pub fn permuted(&mut self, x: &Tensor, axis: Option<isize>) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("permuted").with(&params);
        Feature::RANDOM.require(call.op)?;
        let (n, axis) = match axis {
            Some(axis) => {
                let axis = x.layout().resolve_axis(axis)?;
                (x.shape()[axis], Some(axis))
            }
            None => (x.len(), None),
        };
        let stream = self.next;
        let result = composite(call, &[x.into()], || {
            let Some(axis) = axis else {
                let flat = x.reshape([x.len()])?;
                let order = draw_orders(call, stream, &[x.len()])?;
                return flat.take_along_axis(&order, 0)?.reshape(&*x.shape());
            };
            let lanes = x.moveaxis(axis as isize, -1)?;
            let order = draw_orders(call, stream, &lanes.shape())?;
            lanes.take_along_axis(&order, -1)?.moveaxis(-1, axis as isize)?.contiguous()
        })?;
        self.advance(stream_len_of_rows(x.len(), n));
        Ok(result)
    }

    /// Draws rows into a new tensor of this layout, after a check of the values of the parameters.
    #[track_caller]
    fn draw_new_rows<const N: usize>(
        &mut self,
        call: Call<'_>,
        parameters: [Operand<'_>; N],
        layout: Layout,
        row_len: usize,
        family: RowFamily<'_>,
        check: impl FnOnce([Vec<f64>; N]) -> Result<(), Error>,
    ) -> Result<Tensor, Error> {
        Feature::RANDOM.require(call.op)?;
        let (stream, shape) = (self.next, layout.shape());
        let dtype = match family {
            RowFamily::Dirichlet => DType::Float64,
            _ => DType::Int64,
        };
        let result = composite(call, &parameters, || {
            let rows = &shape[..shape.len() - 1];
            let mut parameters = parameters.clone();
            // A number of each row: it stays the same along the row.
            if let [number, _] = &mut parameters[..] {
                let [real] = real_parameters(call, std::array::from_ref(number), rows)?;
                *number = real_tensor(real)?.unsqueeze(-1)?.into();
            }
            let parameters = real_parameters(call, &parameters, &shape)?;
            if !parameters.iter().any(Operand::is_meta) {
                let values = parameters.each_ref().map(|it| real_tensor(it.clone()));
                let mut read = [const { Vec::new() }; N];
                for (read, tensor) in read.iter_mut().zip(values) {
                    *read = tensor?.to_vec::<f64>()?;
                }
                check(read)?;
            }
            compute_new(call, layout, dtype, &parameters, |out, views| {
                let why = "the parameters were broadcast";
                let views = views.map(|it| it.broadcast_to(&shape).expect(why));
                draw_rows(out, stream, family, row_len, views)
            })
        })?;
        self.advance(stream_len_of_rows(result.len(), row_len));
        Ok(result)
    }
}

/// Returns an operand of `float64` as a tensor: a number becomes a 0-d tensor.
fn real_tensor(operand: Operand<'_>) -> Result<Tensor, Error> {
    match operand.tensor() {
        Some(tensor) => Ok(tensor.clone()),
        None => operand.add(0.0),
    }
}

/// Draws a permutation of the positions of each row, the last axis of `shape`.
fn draw_orders(
    call: Call<'_>,
    stream: crate::kernel::random::RandomStream,
    shape: &[usize],
) -> Result<Tensor, Error> {
    let n = shape.last().copied().unwrap_or(1);
    let layout = Layout::row_major(shape)?;
    compute_new(call.part(), layout, DType::Int64, &[], |out, []| {
        draw_rows(out, stream, RowFamily::Order, n, [])
    })
}

/// Returns the layout of a result, and the length of its rows: that of the last axis of a parameter.
fn row_layout(
    op: &'static str,
    parameter: &Tensor,
    shape: impl Integers,
) -> Result<(Layout, usize), Error> {
    let own = parameter.shape();
    let Some(&n) = own.last() else {
        return Err(Error::Argument { op, needs: "parameters of rank 1 or more", given: 0.into() });
    };
    let mut shape = Layout::row_major(shape)?.shape().to_vec();
    shape.push(n);
    Ok((Layout::row_major(&shape)?, n))
}

fn check_counts(op: &'static str, numbers: &[f64]) -> Result<(), Error> {
    for &n in numbers {
        let is_count = (0.0..=(1u64 << 53) as f64).contains(&n) && n.trunc() == n;
        check(op, "integers from 0 to 2^53", n, is_count)?;
    }
    Ok(())
}

/// Returns the columns of a matrix `A` with `A Aᵀ = covariance`, one after the other: the Cholesky factorization, with the
/// greatest remaining variance as the pivot. It stops where the rest is rounding error, so that there are as many columns as
/// the rank.
///
/// Plain loops: results must not depend on the instruction set.
///
/// # Errors
/// If a number is not finite, or a remaining variance is clearly negative.
fn factor_columns(op: &'static str, mut rest: Vec<f64>, n: usize) -> Result<Vec<f64>, Error> {
    for &x in &rest {
        check(op, "a finite covariance", x, x.is_finite())?;
    }
    let greatest = (0..n).map(|i| rest[i * n + i].abs()).fold(0.0, f64::max);
    let tolerance = greatest * n as f64 * 1e-13;
    let mut columns = reserve(n.saturating_mul(n))?;
    let mut column = reserve(n)?;
    for _ in 0..n {
        let variance = |i: usize| rest[i * n + i];
        let pivot = (0..n).reduce(|a, b| if variance(b) > variance(a) { b } else { a });
        let Some(pivot) = pivot.filter(|&i| variance(i) > tolerance) else { break };
        let root = variance(pivot).sqrt();
        // Symmetric, from the lower triangle.
        column.clear();
        column.extend((0..n).map(|i| rest[i.max(pivot) * n + i.min(pivot)] / root));
        for i in 0..n {
            for j in 0..=i {
                rest[i * n + j] -= column[i] * column[j];
            }
        }
        columns.extend_from_slice(&column);
    }
    for i in 0..n {
        for j in 0..=i {
            let left = rest[i * n + j];
            let needs = "a positive semidefinite covariance";
            check(op, needs, left, left.abs() <= 1e-8 * greatest.max(f64::MIN_POSITIVE))?;
        }
    }
    Ok(columns)
}
