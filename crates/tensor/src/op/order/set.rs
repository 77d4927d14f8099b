//! Distinct elements, and sets of them.

use super::sort::{check_room, wide_enough};
use crate::kernel::unique::{self, Combination, Uniques};
use crate::op::number::common_type;
use crate::op::operand::Operand;
use crate::op::settled::Settled;
use crate::plan::output_layout;
use crate::view::{Call, Input, fresh, read};
use crate::{DType, Error, Tensor};
use std::panic::Location;

/// The distinct elements of a tensor and where they are, by [`Tensor::unique_all`].
#[derive(Clone, Debug)]
pub struct UniqueAll {
    /// The distinct elements, ascending.
    pub values: Tensor,
    /// Where each is for the first time, counted in logical order.
    pub indices: Tensor,
    /// For each element of the tensor, in its shape, which of the values it is.
    pub inverse_indices: Tensor,
    /// How often each value is there.
    pub counts: Tensor,
}

/// The distinct elements of a tensor and their numbers, by [`Tensor::unique_counts`].
#[derive(Clone, Debug)]
pub struct UniqueCounts {
    /// The distinct elements, ascending.
    pub values: Tensor,
    /// How often each value is there.
    pub counts: Tensor,
}

/// The distinct elements of a tensor and the way back, by [`Tensor::unique_inverse`].
#[derive(Clone, Debug)]
pub struct UniqueInverse {
    /// The distinct elements, ascending.
    pub values: Tensor,
    /// For each element of the tensor, in its shape, which of the values it is.
    pub inverse_indices: Tensor,
}

impl Tensor {
    /// The distinct elements, ascending. Each NaN is distinct from all others; zeros of either sign are
    /// one, which is positive here.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[3, 1], [1, 2]].unique_values()?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always makes a new tensor.
    pub fn unique_values(&self) -> Result<Tensor, Error> {
        read([Input::Tensor(self)], |[view]| unique::values(&view))?
    }

    /// The distinct elements, as [`Tensor::unique_values`] has them, and how often each is there.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let unique = tensor![3, 1, 3].unique_counts()?;
    /// assert_eq!(unique.values.to_vec::<i32>()?, [1, 3]);
    /// assert_eq!(unique.counts.to_vec::<i64>()?, [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always makes new tensors.
    pub fn unique_counts(&self) -> Result<UniqueCounts, Error> {
        let [values, counts] = read([Input::Tensor(self)], |[view]| unique::counts(&view))??;
        Ok(UniqueCounts { values, counts })
    }

    /// The distinct elements, as [`Tensor::unique_values`] has them, and for each element which of them it
    /// is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let unique = tensor![[30, 10], [30, 20]].unique_inverse()?;
    /// assert_eq!(unique.values.to_vec::<i32>()?, [10, 20, 30]);
    /// assert_eq!(unique.inverse_indices.shape(), [2, 2]);
    /// assert_eq!(unique.inverse_indices.to_vec::<i64>()?, [2, 0, 2, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always makes new tensors.
    #[track_caller]
    pub fn unique_inverse(&self) -> Result<UniqueInverse, Error> {
        let UniqueAll { values, inverse_indices, .. } = self.unique_all()?;
        Ok(UniqueInverse { values, inverse_indices })
    }

    /// The distinct elements, as [`Tensor::unique_values`] has them, where each is for the first time,
    /// for each element which of them it is, and how often each is there.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let unique = tensor![3, 1, 3].unique_all()?;
    /// assert_eq!(unique.values.to_vec::<i32>()?, [1, 3]);
    /// assert_eq!(unique.indices.to_vec::<i64>()?, [1, 0]);
    /// assert_eq!(unique.inverse_indices.to_vec::<i64>()?, [1, 0, 1]);
    /// assert_eq!(unique.counts.to_vec::<i64>()?, [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always makes new tensors.
    #[track_caller]
    pub fn unique_all(&self) -> Result<UniqueAll, Error> {
        let call = Call { op: "unique_all", caller: Location::caller() };
        let x = Settled::of_type(self.into(), wide_enough(self.dtype(), self.len()), call)?;
        let found = read([x.input()], |[view]| unique::uniques(&view))??;
        let Uniques { values, indices, inverse, counts } = found;
        let values = values.astype(self.dtype())?;
        let inverse_indices = inverse.view(&*self.shape())?;
        Ok(UniqueAll { values, indices, inverse_indices, counts })
    }
}

/// Whether each element of `x` is among the elements of `among`. A NaN never is.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1, 2], [3, 4]];
/// let found = belvedere::isin(&x, &tensor![4, 1, 9])?;
/// assert_eq!(found.to_vec::<bool>()?, [true, false, false, true]);
/// assert_eq!(belvedere::isin(&x, 2)?.to_vec::<bool>()?, [false, true, false, false]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If a number does not fit the type of the other operand, or there is not enough memory.
///
/// # Memory
/// The result is new. `among` is copied if it has to be converted to meet the type of `x`.
#[track_caller]
pub fn isin<'a>(x: impl Into<Operand<'a>>, among: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
    look_up(x.into(), among.into(), false, Location::caller())
}

/// Whether each element of `x` is not among the elements of `among`: [`isin`] with the opposite answer.
///
/// ```
/// use belvedere::prelude::*;
///
/// let found = belvedere::notin(&tensor![1.0, f64::NAN], &tensor![1.0, f64::NAN])?;
/// assert_eq!(found.to_vec::<bool>()?, [false, true]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for that.
///
/// # Memory
/// As for that.
#[track_caller]
pub fn notin<'a>(
    x: impl Into<Operand<'a>>,
    among: impl Into<Operand<'a>>,
) -> Result<Tensor, Error> {
    look_up(x.into(), among.into(), true, Location::caller())
}

fn look_up(
    x: Operand<'_>,
    among: Operand<'_>,
    invert: bool,
    caller: &'static Location<'static>,
) -> Result<Tensor, Error> {
    let call = Call { op: "isin", caller };
    let dtype = common_type(&[&x, &among]);
    let among = Settled::of_type(among, dtype, call)?;
    let x = Settled::as_it_is(x, dtype, call)?;
    check_room(among.input().layout().len())?;
    let layout = output_layout(&x.shape(), &[x.input().layout()])?;
    fresh(layout, DType::Bool, [x.input(), among.input()], |out, [x, among]| {
        unique::is_in(out, x, &among, invert)
    })
}

/// The distinct elements of both, ascending.
///
/// ```
/// use belvedere::prelude::*;
///
/// let all = belvedere::union1d(&tensor![3, 1], &tensor![2, 3])?;
/// assert_eq!(all.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there is not enough memory.
///
/// # Memory
/// The result is new. An operand is copied if it has to be converted to meet the other's type.
#[track_caller]
pub fn union1d<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
    combine("union1d", a.into(), b.into(), Combination::Union, Location::caller())
}

/// The distinct elements that are in both, ascending.
///
/// ```
/// use belvedere::prelude::*;
///
/// let common = belvedere::intersect1d(&tensor![3, 1, 2], &tensor![2, 3, 4])?;
/// assert_eq!(common.to_vec::<i32>()?, [2, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`union1d`].
///
/// # Memory
/// As there.
#[track_caller]
pub fn intersect1d<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Result<Tensor, Error> {
    combine("intersect1d", a.into(), b.into(), Combination::Intersection, Location::caller())
}

/// The distinct elements of `a` that are not in `b`, ascending.
///
/// ```
/// use belvedere::prelude::*;
///
/// let rest = belvedere::setdiff1d(&tensor![3, 1, 2], &tensor![2])?;
/// assert_eq!(rest.to_vec::<i32>()?, [1, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`union1d`].
///
/// # Memory
/// As there.
#[track_caller]
pub fn setdiff1d<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Result<Tensor, Error> {
    combine("setdiff1d", a.into(), b.into(), Combination::Difference, Location::caller())
}

/// The distinct elements that are in one of the two only, ascending.
///
/// ```
/// use belvedere::prelude::*;
///
/// let either = belvedere::setxor1d(&tensor![3, 1], &tensor![2, 3])?;
/// assert_eq!(either.to_vec::<i32>()?, [1, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`union1d`].
///
/// # Memory
/// As there.
#[track_caller]
pub fn setxor1d<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
    combine("setxor1d", a.into(), b.into(), Combination::Either, Location::caller())
}

fn combine(
    op: &'static str,
    a: Operand<'_>,
    b: Operand<'_>,
    how: Combination,
    caller: &'static Location<'static>,
) -> Result<Tensor, Error> {
    let (call, dtype) = (Call { op, caller }, common_type(&[&a, &b]));
    let (a, b) = (Settled::of_type(a, dtype, call)?, Settled::of_type(b, dtype, call)?);
    read([a.input(), b.input()], |[a, b]| unique::combine(&a, &b, how))?
}
