//! Scans (cumulative reductions) along an axis.

use super::lane_operation::{LaneKernel, LaneOperation};
use crate::dtype::NumberKind;
use crate::kernel::scan::{ScanKind, scan};
use crate::op::operand::Target;
use crate::trace::{Call, Param};
use crate::view::{AnyViewMut, Source, Written};
use crate::{DType, Error, Tensor};

/// Options of [`Tensor::cumulative_sum_with`] and [`Tensor::cumulative_prod_with`].
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::ScanOptions;
///
/// let x = tensor![1, 2, 3];
/// let options = ScanOptions { include_initial: true, ..ScanOptions::default() };
/// assert_eq!(x.cumulative_sum_with(0, options)?.to_vec::<i64>()?, [0, 1, 3, 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScanOptions {
    /// The dtype that elements are cast to first, and that the result has. `None` chooses the dtype of
    /// [`Tensor::sum`].
    pub dtype: Option<DType>,
    /// Whether the result starts with the value for zero elements (0 for sums, 1 for products), which makes
    /// it longer by one.
    pub include_initial: bool,
}

/// A scan: its name, the kernel, and the rule for the dtype of its result.
#[derive(Clone, Copy)]
struct ScanOperation {
    name: &'static str,
    running: ScanKind,
    /// Returns the dtype of the result for elements of a dtype, or `None` if that is not supported.
    result_dtype: fn(DType) -> Option<DType>,
}

const CUMULATIVE_SUM: ScanOperation =
    ScanOperation { name: "cumulative_sum", running: ScanKind::Sum, result_dtype: sum_dtype };
const CUMULATIVE_PROD: ScanOperation =
    ScanOperation { name: "cumulative_prod", running: ScanKind::Product, result_dtype: sum_dtype };
const CUMMAX: ScanOperation =
    ScanOperation { name: "cummax", running: ScanKind::Max, result_dtype: real_dtype };
const CUMMIN: ScanOperation =
    ScanOperation { name: "cummin", running: ScanKind::Min, result_dtype: real_dtype };
const LOGCUMSUMEXP: ScanOperation =
    ScanOperation { name: "logcumsumexp", running: ScanKind::LogSumExp, result_dtype: float_dtype };

/// Returns the 64-bit integer dtype for integers and `bool`, and the dtype itself otherwise.
fn sum_dtype(dtype: DType) -> Option<DType> {
    Some(match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) => DType::Int64,
        NumberKind::Unsigned(_) => DType::UInt64,
        _ => dtype,
    })
}

/// Returns the dtype itself if it is ordered, that is, not complex.
fn real_dtype(dtype: DType) -> Option<DType> {
    (!dtype.is_complex()).then_some(dtype)
}

/// Returns the dtype itself for floats, `float64` for integers, and `None` for complex numbers.
fn float_dtype(dtype: DType) -> Option<DType> {
    match dtype {
        _ if dtype.is_complex() => None,
        _ if dtype.is_floating() => Some(dtype),
        _ => Some(DType::Float64),
    }
}

/// The kernel of a scan along an axis.
struct ScanKernel {
    running: ScanKind,
    axis: usize,
}

impl LaneKernel for ScanKernel {
    fn write<'x>(&self, out: AnyViewMut<'x>, source: &Source<'_>) -> Written<'x> {
        scan(self.running, out, source, self.axis)
    }
}

impl ScanOperation {
    /// Checks the arguments and finds the shape and the dtype of the result.
    fn prepare(
        self,
        x: &Tensor,
        axis: isize,
        options: ScanOptions,
    ) -> Result<LaneOperation<ScanKernel>, Error> {
        let ScanOperation { name, running, result_dtype } = self;
        let axis = x.layout().resolve_axis(axis)?;
        let unsupported = |dtype| Error::Unsupported { op: name, dtype };
        let dtype = match options.dtype {
            Some(dtype) if dtype.is_bool() => return Err(unsupported(dtype)),
            Some(to) if x.dtype().is_complex() && !to.is_complex() => {
                return Err(Error::Cast { from: x.dtype(), to });
            }
            Some(to) => to,
            None => result_dtype(x.dtype()).ok_or_else(|| unsupported(x.dtype()))?,
        };
        let mut shape = x.shape();
        shape[axis] += usize::from(options.include_initial);
        Ok(LaneOperation { name, shape, dtype, kernel: ScanKernel { running, axis } })
    }

    /// Returns the parameters for events.
    fn params(
        self,
        axis: isize,
        options: ScanOptions,
    ) -> ([(&'static str, Param<'static>); 3], usize) {
        let ScanOptions { dtype, include_initial } = options;
        let has_options = matches!(self.running, ScanKind::Sum | ScanKind::Product);
        let params = [
            ("axis", axis.into()),
            ("dtype", dtype.into()),
            ("include_initial", include_initial.into()),
        ];
        (params, if has_options { 3 } else { 1 })
    }

    /// Computes the scan into a new tensor.
    #[track_caller]
    fn compute(self, x: &Tensor, axis: isize, options: ScanOptions) -> Result<Tensor, Error> {
        let (params, n_params) = self.params(axis, options);
        let call = Call::new(self.name).with(&params[..n_params]);
        self.prepare(x, axis, options)?.compute(call, x)
    }

    /// Computes the scan and writes it to `out`.
    #[track_caller]
    fn compute_into(self, x: &Tensor, axis: isize, out: Target<'_>) -> Result<(), Error> {
        let options = ScanOptions::default();
        let (params, n_params) = self.params(axis, options);
        let call = Call::new(self.name).with(&params[..n_params]);
        self.prepare(x, axis, options)?.compute_into(call, x, out)
    }
}

impl Tensor {
    /// Returns the cumulative sum along `axis`.
    ///
    /// Element `i` of the result is the sum of elements `0..=i`. The dtype is that of [`Tensor::sum`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.cumulative_sum(1)?.to_vec::<i64>()?, [1, 3, 6, 4, 9, 15]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn cumulative_sum(&self, axis: isize) -> Result<Tensor, Error> {
        CUMULATIVE_SUM.compute(self, axis, ScanOptions::default())
    }

    /// Returns [`Tensor::cumulative_sum`] with another dtype, or starting with 0.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::ScanOptions;
    ///
    /// let x = tensor![[0.5f32, 1.5]];
    /// let options = ScanOptions { dtype: Some(DType::Float64), include_initial: true };
    /// assert_eq!(x.cumulative_sum_with(1, options)?.to_vec::<f64>()?, [0.0, 0.5, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range, the requested dtype is `bool`, or the elements are complex and the
    /// requested dtype is not.
    ///
    /// # Memory
    /// Copies nothing: elements are cast a few lanes at a time. The result is a new tensor.
    #[track_caller]
    pub fn cumulative_sum_with(&self, axis: isize, options: ScanOptions) -> Result<Tensor, Error> {
        CUMULATIVE_SUM.compute(self, axis, options)
    }

    /// Returns the cumulative product along `axis`.
    ///
    /// Element `i` of the result is the product of elements `0..=i`. The dtype is that of [`Tensor::prod`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3, 4].cumulative_prod(0)?.to_vec::<i64>()?, [1, 2, 6, 24]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn cumulative_prod(&self, axis: isize) -> Result<Tensor, Error> {
        CUMULATIVE_PROD.compute(self, axis, ScanOptions::default())
    }

    /// Returns [`Tensor::cumulative_prod`] with another dtype, or starting with 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::ScanOptions;
    ///
    /// let options = ScanOptions { include_initial: true, ..ScanOptions::default() };
    /// assert_eq!(tensor![2, 3].cumulative_prod_with(0, options)?.to_vec::<i64>()?, [1, 2, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::cumulative_sum_with`].
    ///
    /// # Memory
    /// Copies nothing: elements are cast a few lanes at a time. The result is a new tensor.
    #[track_caller]
    pub fn cumulative_prod_with(&self, axis: isize, options: ScanOptions) -> Result<Tensor, Error> {
        CUMULATIVE_PROD.compute(self, axis, options)
    }

    /// Returns the cumulative maximum along `axis`.
    ///
    /// Element `i` of the result is the maximum of elements `0..=i`, and NaN if one of them is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 3, 2, 4].cummax(0)?.to_vec::<i32>()?, [1, 3, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range, or the dtype is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn cummax(&self, axis: isize) -> Result<Tensor, Error> {
        CUMMAX.compute(self, axis, ScanOptions::default())
    }

    /// Returns the cumulative minimum along `axis`.
    ///
    /// Element `i` of the result is the minimum of elements `0..=i`, and NaN if one of them is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3, 4, 1, 2].cummin(0)?.to_vec::<i32>()?, [3, 3, 1, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range, or the dtype is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn cummin(&self, axis: isize) -> Result<Tensor, Error> {
        CUMMIN.compute(self, axis, ScanOptions::default())
    }

    /// Returns the logarithm of the cumulative sum of exponentials along `axis`, computed without overflow.
    ///
    /// Element `i` of the result is `log(Σ exp(x))` of elements `0..=i`. Integers are cast to `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1000.0, 1000.0];
    /// let expected = tensor![1000.0, 1000.0 + 2.0f64.ln()];
    /// assert!(x.logcumsumexp(0)?.allclose_with(&expected, 1e-15, 0.0)?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range, or the dtype is complex.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn logcumsumexp(&self, axis: isize) -> Result<Tensor, Error> {
        LOGCUMSUMEXP.compute(self, axis, ScanOptions::default())
    }
}

/// Writes [`Tensor::cumulative_sum`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![1.0, 2.0, 3.0];
/// belvedere::cumulative_sum_into(&x, 0, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 3.0, 6.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::cumulative_sum`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// Copies `x` first if it shares elements with `out`, unless both are the same view. If `out` has another
/// dtype than the result, the result is computed into a temporary tensor first.
#[track_caller]
pub fn cumulative_sum_into<'a>(
    x: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    CUMULATIVE_SUM.compute_into(x, axis, out.into())
}

/// Writes [`Tensor::cumulative_prod`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![2.0, 3.0, 4.0];
/// belvedere::cumulative_prod_into(&x, 0, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [2.0, 6.0, 24.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::cumulative_prod`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// As for [`cumulative_sum_into`].
#[track_caller]
pub fn cumulative_prod_into<'a>(
    x: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    CUMULATIVE_PROD.compute_into(x, axis, out.into())
}

/// Writes [`Tensor::cummax`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![1.0, 3.0, 2.0];
/// belvedere::cummax_into(&x, 0, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 3.0, 3.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::cummax`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// As for [`cumulative_sum_into`].
#[track_caller]
pub fn cummax_into<'a>(x: &Tensor, axis: isize, out: impl Into<Target<'a>>) -> Result<(), Error> {
    CUMMAX.compute_into(x, axis, out.into())
}

/// Writes [`Tensor::cummin`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![3.0, 4.0, 1.0];
/// belvedere::cummin_into(&x, 0, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [3.0, 3.0, 1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::cummin`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// As for [`cumulative_sum_into`].
#[track_caller]
pub fn cummin_into<'a>(x: &Tensor, axis: isize, out: impl Into<Target<'a>>) -> Result<(), Error> {
    CUMMIN.compute_into(x, axis, out.into())
}

/// Writes [`Tensor::logcumsumexp`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![1.0, f64::NEG_INFINITY];
/// belvedere::logcumsumexp_into(&x, 0, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`Tensor::logcumsumexp`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// As for [`cumulative_sum_into`].
#[track_caller]
pub fn logcumsumexp_into<'a>(
    x: &Tensor,
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LOGCUMSUMEXP.compute_into(x, axis, out.into())
}
