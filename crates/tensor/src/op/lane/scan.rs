//! Running totals along an axis, and the differences that undo them.

use super::along::{Lanes, Write};
use crate::dtype::Kind;
use crate::kernel::scan::{Running, scan};
use crate::op::operand::Target;
use crate::view::{AnyViewMut, Source, Written};
use crate::{DType, Error, Tensor};
use std::panic::Location;

/// How running totals are made by [`Tensor::cumulative_sum_with`] and its kin.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::Scan;
///
/// let x = tensor![1, 2, 3];
/// let from_zero = x.cumulative_sum_with(0, Scan { include_initial: true, ..Scan::default() })?;
/// assert_eq!(from_zero.to_vec::<i64>()?, [0, 1, 3, 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The type that elements are converted to first, which the result has, too. If there is none, it
    /// is that of [`Tensor::sum`].
    pub dtype: Option<DType>,
    /// Whether the result begins with the total of nothing, and is longer by that.
    pub include_initial: bool,
}

/// A running total, by its name.
#[derive(Clone, Copy)]
struct Entry {
    name: &'static str,
    running: Running,
    /// The type of the result, if it exists for elements of a type.
    dtype: fn(DType) -> Option<DType>,
}

const CUMULATIVE_SUM: Entry =
    Entry { name: "cumulative_sum", running: Running::Sum, dtype: type_of_sum };
const CUMULATIVE_PROD: Entry =
    Entry { name: "cumulative_prod", running: Running::Product, dtype: type_of_sum };
const CUMMAX: Entry = Entry { name: "cummax", running: Running::Greatest, dtype: type_of_extreme };
const CUMMIN: Entry = Entry { name: "cummin", running: Running::Least, dtype: type_of_extreme };
const LOGCUMSUMEXP: Entry =
    Entry { name: "logcumsumexp", running: Running::LogSumExp, dtype: type_of_log };

/// 64-bit for integers, the type itself for floats.
fn type_of_sum(dtype: DType) -> Option<DType> {
    Some(match dtype.kind() {
        Kind::Bool | Kind::Signed(_) => DType::Int64,
        Kind::Unsigned(_) => DType::UInt64,
        _ => dtype,
    })
}

fn type_of_extreme(dtype: DType) -> Option<DType> {
    (!dtype.is_complex()).then_some(dtype)
}

fn type_of_log(dtype: DType) -> Option<DType> {
    match dtype {
        _ if dtype.is_complex() => None,
        _ if dtype.is_floating() => Some(dtype),
        _ => Some(DType::Float64),
    }
}

/// Writes running totals along an axis.
struct Totals {
    running: Running,
    axis: usize,
}

impl Write for Totals {
    fn write<'x>(&self, out: AnyViewMut<'x>, source: &Source<'_>) -> Written<'x> {
        scan(self.running, out, source, self.axis)
    }
}

impl Entry {
    /// What is to be done for a tensor.
    fn along(self, x: &Tensor, axis: isize, how: Scan) -> Result<Lanes<Totals>, Error> {
        let Entry { name, running, dtype } = self;
        let axis = x.layout().resolve_axis(axis)?;
        let unsupported = |dtype| Error::Unsupported { op: name, dtype };
        let dtype = match how.dtype {
            Some(dtype) if dtype.is_bool() => return Err(unsupported(dtype)),
            Some(to) if x.dtype().is_complex() && !to.is_complex() => {
                return Err(Error::Cast { from: x.dtype(), to });
            }
            Some(to) => to,
            None => dtype(x.dtype()).ok_or_else(|| unsupported(x.dtype()))?,
        };
        let mut shape = x.shape();
        if how.include_initial {
            let lens: Vec<usize> =
                shape.iter().enumerate().map(|(k, &len)| len + usize::from(k == axis)).collect();
            shape = lens[..].into();
        }
        let kernel = Totals { running, axis };
        Ok(Lanes { name, shape, dtype, kernel })
    }

    fn of(self, x: &Tensor, axis: isize, how: Scan) -> Result<Tensor, Error> {
        self.along(x, axis, how)?.of(x)
    }

    fn write(
        self,
        x: &Tensor,
        axis: isize,
        out: Target<'_>,
        caller: &'static Location<'static>,
    ) -> Result<(), Error> {
        self.along(x, axis, Scan::default())?.write(x, out, caller)
    }
}

/// A running total: the method, and the function that writes to an output.
macro_rules! running {
    ($(#[$doc:meta])* $entry:ident, $method:ident, $into:ident) => {
        impl Tensor {
            $(#[$doc])*
            ///
            /// # Memory
            /// Copies nothing; the result is new.
            pub fn $method(&self, axis: isize) -> Result<Tensor, Error> {
                $entry.of(self, axis, Scan::default())
            }
        }

        #[doc = concat!("Writes [`Tensor::", stringify!($method), "`] of `x` to `out`, which may be")]
        /// `x` itself.
        ///
        /// # Errors
        /// As for the method; and if `out` has another shape, cannot hold the type, or cannot be
        /// written to.
        ///
        /// # Memory
        /// Copies `x` first if the two share elements, unless they are the same. Into another type than
        /// the method's the results are made apart, and then written.
        #[track_caller]
        pub fn $into<'a>(
            x: &Tensor,
            axis: isize,
            out: impl Into<Target<'a>>,
        ) -> Result<(), Error> {
            $entry.write(x, axis, out.into(), Location::caller())
        }
    };
}

running! {
    /// The sums of all elements up to each along an axis, itself included. Types are those of
    /// [`Tensor::sum`].
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
    /// If there is no such axis.
    CUMULATIVE_SUM, cumulative_sum, cumulative_sum_into
}

running! {
    /// The products of all elements up to each along an axis, itself included. Types are those of
    /// [`Tensor::prod`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3, 4].cumulative_prod(0)?.to_vec::<i64>()?, [1, 2, 6, 24]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    CUMULATIVE_PROD, cumulative_prod, cumulative_prod_into
}

running! {
    /// The greatest of all elements up to each along an axis; a NaN from the first one on.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 3, 2, 4].cummax(0)?.to_vec::<i32>()?, [1, 3, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the type is complex.
    CUMMAX, cummax, cummax_into
}

running! {
    /// The least of all elements up to each along an axis; a NaN from the first one on.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3, 4, 1, 2].cummin(0)?.to_vec::<i32>()?, [3, 3, 1, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the type is complex.
    CUMMIN, cummin, cummin_into
}

running! {
    /// The logarithms of the sums of the exponentials of all elements up to each along an axis, without
    /// the overflow on the way. Integers become `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1000.0, 1000.0];
    /// let expected = tensor![1000.0, 1000.0 + 2.0f64.ln()];
    /// assert!(x.logcumsumexp(0)?.allclose(&expected, 1e-15, 0.0)?.holds());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the type is complex.
    LOGCUMSUMEXP, logcumsumexp, logcumsumexp_into
}

impl Tensor {
    /// [`Tensor::cumulative_sum`] in another type, or from 0 on.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::Scan;
    ///
    /// let x = tensor![[0.5f32, 1.5]];
    /// let how = Scan { dtype: Some(DType::Float64), include_initial: true };
    /// assert_eq!(x.cumulative_sum_with(1, how)?.to_vec::<f64>()?, [0.0, 0.5, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, complex numbers should become real, or the type is `bool`.
    ///
    /// # Memory
    /// Copies nothing: elements are converted a few lanes at a time. The result is new.
    pub fn cumulative_sum_with(&self, axis: isize, how: Scan) -> Result<Tensor, Error> {
        CUMULATIVE_SUM.of(self, axis, how)
    }

    /// [`Tensor::cumulative_prod`] in another type, or from 1 on.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::Scan;
    ///
    /// let how = Scan { include_initial: true, ..Scan::default() };
    /// assert_eq!(tensor![2, 3].cumulative_prod_with(0, how)?.to_vec::<i64>()?, [1, 2, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, complex numbers should become real, or the type is `bool`.
    ///
    /// # Memory
    /// Copies nothing: elements are converted a few lanes at a time. The result is new.
    pub fn cumulative_prod_with(&self, axis: isize, how: Scan) -> Result<Tensor, Error> {
        CUMULATIVE_PROD.of(self, axis, how)
    }
}
