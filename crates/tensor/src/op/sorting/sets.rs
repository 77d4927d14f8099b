//! Unique elements and set operations.

use super::sort::{argsort_dtype, check_key_memory};
use crate::kernel::unique::{self, SetOperation, Uniques};
use crate::op::execute::{compute_new, read_operands};
use crate::op::number::common_type;
use crate::op::operand::Operand;
use crate::plan::output_layout;
use crate::trace::{Call, composite};
use crate::{DType, Error, Tensor};

/// The result of [`Tensor::unique_all`]: unique elements, indices, inverse indices and counts.
#[derive(Clone, Debug)]
pub struct UniqueAll {
    /// The unique elements, in ascending order.
    pub values: Tensor,
    /// The row-major index of the first occurrence of each value.
    pub indices: Tensor,
    /// For each element of the tensor, in the same shape, its index among the values.
    pub inverse_indices: Tensor,
    /// The number of occurrences of each value.
    pub counts: Tensor,
}

/// The result of [`Tensor::unique_counts`]: unique elements and counts.
#[derive(Clone, Debug)]
pub struct UniqueCounts {
    /// The unique elements, in ascending order.
    pub values: Tensor,
    /// The number of occurrences of each value.
    pub counts: Tensor,
}

/// The result of [`Tensor::unique_inverse`]: unique elements and inverse indices.
#[derive(Clone, Debug)]
pub struct UniqueInverse {
    /// The unique elements, in ascending order.
    pub values: Tensor,
    /// For each element of the tensor, in the same shape, its index among the values.
    pub inverse_indices: Tensor,
}

impl Tensor {
    /// Returns the unique elements in ascending order, as a 1-D tensor.
    ///
    /// Every NaN is unique. Zeros of either sign are equal; the result has the positive one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![[3, 1], [1, 2]].unique_values()?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn unique_values(&self) -> Result<Tensor, Error> {
        let call = Call::new("unique_values");
        composite(call, &[self.into()], || {
            read_operands(call.part(), &[self.into()], |[view]| unique::values(&view))?
        })
    }

    /// Returns the unique elements, as [`Tensor::unique_values`] does, and the number of
    /// occurrences of each.
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
    /// Fails if memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates new tensors.
    #[track_caller]
    pub fn unique_counts(&self) -> Result<UniqueCounts, Error> {
        let call = Call::new("unique_counts");
        let [values, counts] = composite(call, &[self.into()], || {
            read_operands(call.part(), &[self.into()], |[view]| unique::counts(&view))?
        })?;
        Ok(UniqueCounts { values, counts })
    }

    /// Returns the unique elements, as [`Tensor::unique_values`] does, and for each element of this
    /// tensor its index among them.
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
    /// Fails if memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates new tensors.
    #[track_caller]
    pub fn unique_inverse(&self) -> Result<UniqueInverse, Error> {
        let call = Call::new("unique_inverse");
        let (values, inverse_indices) = composite(call, &[self.into()], || {
            let [values, _, inverse_indices, _] = self.uniques(call)?;
            Ok((values, inverse_indices))
        })?;
        Ok(UniqueInverse { values, inverse_indices })
    }

    /// Returns the unique elements, as [`Tensor::unique_values`] does, the index of the first
    /// occurrence of each, for each element of this tensor its index among them, and the number of
    /// occurrences.
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
    /// Fails if memory cannot be allocated.
    ///
    /// # Memory
    /// Always allocates new tensors.
    #[track_caller]
    pub fn unique_all(&self) -> Result<UniqueAll, Error> {
        let call = Call::new("unique_all");
        let [values, indices, inverse_indices, counts] =
            composite(call, &[self.into()], || self.uniques(call))?;
        Ok(UniqueAll { values, indices, inverse_indices, counts })
    }

    /// Returns the unique elements, indices, inverse indices and counts.
    fn uniques(&self, call: Call<'_>) -> Result<[Tensor; 4], Error> {
        let x = Operand::from(self).into_dtype(argsort_dtype(self.dtype(), self.len()), call)?;
        let x = std::array::from_ref(&x);
        let found = read_operands(call.part(), x, |[view]| unique::uniques(&view))??;
        let Uniques { values, indices, inverse, counts } = found;
        let values = values.astype(self.dtype())?;
        let inverse = inverse.with_layout(inverse.layout().view(&*self.shape())?);
        Ok([values, indices, inverse, counts])
    }
}

/// Returns for each element of `x` whether it is equal to an element of `among`. A NaN is equal to
/// none.
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
/// Fails if a scalar does not fit the dtype of the other operand, or memory cannot be allocated.
///
/// # Memory
/// The result is a new tensor. `among` is copied if it has to be cast to the common dtype.
#[track_caller]
pub fn isin<'a>(x: impl Into<Operand<'a>>, among: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
    isin_or_not(Call::new("isin"), x.into(), among.into(), false)
}

/// Returns for each element of `x` whether it is equal to no element of `among`: the negation of
/// [`isin`].
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
/// As for [`isin`].
///
/// # Memory
/// As for [`isin`].
#[track_caller]
pub fn notin<'a>(
    x: impl Into<Operand<'a>>,
    among: impl Into<Operand<'a>>,
) -> Result<Tensor, Error> {
    isin_or_not(Call::new("isin"), x.into(), among.into(), true)
}

/// Computes [`isin`], negated if `invert`.
fn isin_or_not(
    call: Call<'_>,
    x: Operand<'_>,
    among: Operand<'_>,
    invert: bool,
) -> Result<Tensor, Error> {
    let params = [("invert", invert.into())];
    let call = call.with(&params);
    let dtype = common_type(&[&x, &among]);
    let among = among.into_dtype(dtype, call)?;
    let x = x.into_strided(dtype, call)?;
    if !among.is_meta() {
        check_key_memory(among.memory_layout().len())?;
    }
    let layout = output_layout(&x.shape(), &[x.memory_layout()])?;
    compute_new(call, layout, DType::Bool, &[x, among], |out, [x, among]| {
        unique::is_in(out, x, &among, invert)
    })
}

/// Returns the sorted set union of two tensors: the unique elements of both, in ascending order.
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
/// Fails if memory cannot be allocated.
///
/// # Memory
/// The result is a new tensor. An operand is copied if it has to be cast to the common dtype.
#[track_caller]
pub fn union1d<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
    combine(Call::new("union1d"), a.into(), b.into(), SetOperation::Union)
}

/// Returns the sorted set intersection of two tensors: the unique elements that are in both.
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
/// As for [`union1d`].
#[track_caller]
pub fn intersect1d<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Result<Tensor, Error> {
    combine(Call::new("intersect1d"), a.into(), b.into(), SetOperation::Intersection)
}

/// Returns the sorted set difference of two tensors: the unique elements of `a` that are not in
/// `b`.
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
/// As for [`union1d`].
#[track_caller]
pub fn setdiff1d<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Result<Tensor, Error> {
    combine(Call::new("setdiff1d"), a.into(), b.into(), SetOperation::Difference)
}

/// Returns the sorted symmetric difference of two tensors: the unique elements that are in exactly
/// one of them.
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
/// As for [`union1d`].
#[track_caller]
pub fn setxor1d<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
    combine(Call::new("setxor1d"), a.into(), b.into(), SetOperation::Either)
}

/// Computes a set operation on the unique elements of two operands.
fn combine(
    call: Call<'_>,
    a: Operand<'_>,
    b: Operand<'_>,
    how: SetOperation,
) -> Result<Tensor, Error> {
    composite(call, &[a.clone(), b.clone()], || {
        let dtype = common_type(&[&a, &b]);
        let (a, b) = (a.into_dtype(dtype, call)?, b.into_dtype(dtype, call)?);
        read_operands(call.part(), &[a, b], |[a, b]| unique::combine(&a, &b, how))?
    })
}
