//! `concat`, `stack` and `unstack`, and NumPy's `vstack`, `hstack`, `dstack`, `column_stack`.

use super::copy_cast;
use crate::op::execute::{Call, compute_from_slice, compute_into_from_slice};
use crate::op::operand::{Operand, Target};
use crate::tensor::reserve;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Error, Layout, LayoutError, Shape, Tensor, result_type_of};
use std::borrow::Borrow;
use std::panic::Location;

/// Returns the tensors concatenated along `axis`, or flattened and concatenated if `axis` is
/// `None`.
///
/// All tensors are cast to their common dtype.
///
/// ```
/// use belvedere::{concat, prelude::*};
///
/// let (x, y) = (tensor![[1, 2]], tensor![[3, 4], [5, 6]]);
/// assert_eq!(concat(&[&x, &y], 0)?.shape(), [3, 2]);
/// assert_eq!(concat(&[&x.t()?, &y], 1)?.to_vec::<i32>()?, [1, 3, 4, 2, 5, 6]);
/// assert_eq!(concat(&[&x, &y.astype(DType::Float64)?], None)?.to_vec::<f64>()?, [1., 2., 3., 4., 5., 6.]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Fails if there are no tensors, `axis` is out of range, the shapes differ in another axis, or
/// memory cannot be allocated.
///
/// # Memory
/// The result is a new tensor.
pub fn concat<T: Borrow<Tensor>>(
    tensors: &[T],
    axis: impl Into<Option<isize>>,
) -> Result<Tensor, Error> {
    let tensors: Vec<&Tensor> = tensors.iter().map(Borrow::borrow).collect();
    Concatenation::new("concat", &tensors, axis.into())?.compute(&tensors)
}

/// Writes [`concat()`] of the tensors to `out`, which may share memory with them.
///
/// ```
/// use belvedere::{concat_into, prelude::*};
///
/// let x = tensor![1, 2, 3, 4];
/// let (left, right) = x.split_at(0, 2)?;
/// concat_into(&[&right, &left], 0, &x)?;
/// assert_eq!(x.to_vec::<i32>()?, [3, 4, 1, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`concat()`]. Also fails if `out` has another shape than the result, its dtype cannot
/// hold the result, or it cannot be written to.
///
/// # Memory
/// Copies the tensors that share elements with `out` first.
#[track_caller]
pub fn concat_into<'a, T: Borrow<Tensor>>(
    tensors: &[T],
    axis: impl Into<Option<isize>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call { op: "concat", caller: Location::caller() };
    let tensors: Vec<&Tensor> = tensors.iter().map(Borrow::borrow).collect();
    Concatenation::new(call.op, &tensors, axis.into())?.compute_into(call, &tensors, out.into())
}

/// Returns the tensors, all of the same shape, stacked along a new axis.
///
/// ```
/// use belvedere::{prelude::*, stack};
///
/// let (x, y) = (tensor![1, 2], tensor![3, 4]);
/// assert_eq!(stack(&[&x, &y], 0)?.to_vec::<i32>()?, [1, 2, 3, 4]);
/// assert_eq!(stack(&[&x, &y], -1)?.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Fails if there are no tensors, their shapes differ, `axis` is out of range, or memory cannot be
/// allocated.
///
/// # Memory
/// The result is a new tensor.
pub fn stack<T: Borrow<Tensor>>(tensors: &[T], axis: isize) -> Result<Tensor, Error> {
    let (tensors, axis) = unsqueeze_each(tensors, axis)?;
    let tensors: Vec<&Tensor> = tensors.iter().collect();
    Concatenation::new("stack", &tensors, Some(axis))?.compute(&tensors)
}

/// Writes [`stack`] of the tensors to `out`, which may share memory with them.
///
/// ```
/// use belvedere::{prelude::*, stack_into};
///
/// let x = tensor![[1, 2], [3, 4]];
/// let columns = x.unstack(1)?;
/// stack_into(&columns, 0, &x)?;
/// assert_eq!(x.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`stack`]. Also fails if `out` has another shape than the result, its dtype cannot hold
/// the result, or it cannot be written to.
///
/// # Memory
/// Copies the tensors that share elements with `out` first.
#[track_caller]
pub fn stack_into<'a, T: Borrow<Tensor>>(
    tensors: &[T],
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call { op: "stack", caller: Location::caller() };
    let (tensors, axis) = unsqueeze_each(tensors, axis)?;
    let tensors: Vec<&Tensor> = tensors.iter().collect();
    Concatenation::new(call.op, &tensors, Some(axis))?.compute_into(call, &tensors, out.into())
}

/// Returns the tensors stacked vertically: concatenated along axis 0, with 1-D tensors as rows.
///
/// ```
/// use belvedere::{prelude::*, vstack};
///
/// assert_eq!(vstack(&[tensor![1, 2], tensor![3, 4]])?.shape(), [2, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`concat()`].
///
/// # Memory
/// The result is a new tensor.
pub fn vstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    concat(&map_each(tensors, Tensor::atleast_2d)?, 0)
}

/// Returns the tensors stacked horizontally: concatenated along axis 1, and 1-D tensors along axis
/// 0.
///
/// ```
/// use belvedere::{hstack, prelude::*};
///
/// assert_eq!(hstack(&[tensor![1, 2], tensor![3, 4]])?.to_vec::<i32>()?, [1, 2, 3, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`concat()`].
///
/// # Memory
/// The result is a new tensor.
pub fn hstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let tensors = map_each(tensors, Tensor::atleast_1d)?;
    let is_flat = tensors.first().is_none_or(|it| it.rank() == 1);
    concat(&tensors, if is_flat { 0 } else { 1 })
}

/// Returns the tensors stacked in depth: concatenated along axis 2, after [`Tensor::atleast_3d`].
///
/// ```
/// use belvedere::{dstack, prelude::*};
///
/// assert_eq!(dstack(&[tensor![1, 2], tensor![3, 4]])?.shape(), [1, 2, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`concat()`].
///
/// # Memory
/// The result is a new tensor.
pub fn dstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    concat(&map_each(tensors, Tensor::atleast_3d)?, 2)
}

/// Returns the tensors concatenated along axis 1, with 1-D tensors as columns.
///
/// ```
/// use belvedere::{column_stack, prelude::*};
///
/// assert_eq!(column_stack(&[tensor![1, 2], tensor![3, 4]])?.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`concat()`].
///
/// # Memory
/// The result is a new tensor.
pub fn column_stack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let column = |x: &Tensor| match x.rank() {
        0 => x.view([1, 1]),
        1 => x.unsqueeze(1),
        _ => Ok(x.clone()),
    };
    concat(&map_each(tensors, column)?, 1)
}

/// Applies `make` to each tensor.
fn map_each<T: Borrow<Tensor>>(
    tensors: &[T],
    make: impl Fn(&Tensor) -> Result<Tensor, Error>,
) -> Result<Vec<Tensor>, Error> {
    tensors.iter().map(|it| make(it.borrow())).collect()
}

/// Checks that all tensors have the same shape, and inserts a new axis into each.
fn unsqueeze_each<T: Borrow<Tensor>>(
    tensors: &[T],
    axis: isize,
) -> Result<(Vec<Tensor>, isize), Error> {
    let Some(first) = tensors.first() else { return Err(no_tensors("stack")) };
    let shape = first.borrow().shape();
    for tensor in tensors {
        let given = tensor.borrow().shape();
        if given != shape {
            let (needed, given) = (shape.into(), given.into());
            return Err(Error::ShapeMismatch { op: "stack", needed, given });
        }
    }
    Ok((map_each(tensors, |it| it.unsqueeze(axis))?, axis))
}

/// Returns the error for an empty list of tensors.
fn no_tensors(op: &'static str) -> Error {
    Error::Argument { op, needs: "at least one tensor", given: 0.0 }
}

/// A concatenation with checked arguments.
struct Concatenation {
    op: &'static str,
    /// The axis, or `None` to concatenate the flattened tensors.
    axis: Option<usize>,
    shape: Shape,
    dtype: DType,
    /// The length of each tensor along the axis.
    lens: Vec<usize>,
}

impl Concatenation {
    fn new(
        op: &'static str,
        tensors: &[&Tensor],
        axis: Option<isize>,
    ) -> Result<Concatenation, Error> {
        let dtype = result_type_of(tensors.iter().map(|it| it.dtype()));
        let (Some(first), Some(dtype)) = (tensors.first(), dtype) else {
            return Err(no_tensors(op));
        };
        let k = axis.map(|axis| first.layout().resolve_axis(axis)).transpose()?;
        let lens: Vec<usize> = match k {
            None => tensors.iter().map(|it| it.len()).collect(),
            Some(k) => {
                for tensor in tensors {
                    check_other_axes(op, first, tensor, k)?;
                }
                tensors.iter().map(|it| it.shape()[k]).collect()
            }
        };
        let total = lens.iter().try_fold(0usize, |sum, &len| sum.checked_add(len));
        let mut shape = if k.is_some() { first.shape() } else { Shape::from([0]) };
        let total =
            total.ok_or_else(|| LayoutError::TooManyElements { shape: shape.clone().into() })?;
        shape[k.unwrap_or(0)] = total;
        Ok(Concatenation { op, axis: k, shape, dtype, lens })
    }

    /// Concatenates the tensors into a new one.
    fn compute(&self, tensors: &[&Tensor]) -> Result<Tensor, Error> {
        let inputs: Vec<Operand<'_>> = tensors.iter().map(|it| Operand::from(*it)).collect();
        let layout = Layout::row_major(&self.shape)?;
        compute_from_slice(layout, self.dtype, &inputs, |out, views| self.copy_parts(out, views))
    }

    /// Concatenates the tensors into `out`.
    fn compute_into(&self, call: Call, tensors: &[&Tensor], out: Target<'_>) -> Result<(), Error> {
        out.check(self.op, &self.shape, self.dtype)?;
        let inputs: Vec<Operand<'_>> = tensors.iter().map(|it| Operand::from(*it)).collect();
        compute_into_from_slice(call, &out, &inputs, |out, views| {
            self.copy_parts(out, views);
        })
    }

    /// Copies each view to its part of `out`.
    fn copy_parts<'x>(&self, out: AnyViewMut<'x>, views: &[AnyView<'_>]) -> Written<'x> {
        out.write_in_parts(self.axis.unwrap_or(0), &self.lens, &mut |n, part| {
            let view = &views[n];
            match self.axis {
                Some(_) => copy_cast(part, view),
                // A contiguous part of a 1-D output can be viewed in any shape.
                None => copy_cast(part.view(&view.layout().shape()).expect("one axis"), view),
            }
        })
    }
}

/// Checks that `tensor` has the shape of `first` in all axes but `k`.
pub(in crate::op) fn check_other_axes(
    op: &'static str,
    first: &Tensor,
    tensor: &Tensor,
    k: usize,
) -> Result<(), Error> {
    let mut needed = first.shape();
    let given = tensor.shape();
    if given.len() == needed.len() {
        needed[k] = given[k];
    }
    if given != needed {
        return Err(Error::ShapeMismatch { op, needed: needed.into(), given: given.into() });
    }
    Ok(())
}

impl Tensor {
    /// Returns a view of each position along `axis`, without this axis: the inverse of [`stack`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let columns = tensor![[1, 2], [3, 4]].unstack(1)?;
    /// assert_eq!(columns[1].to_vec::<i32>()?, [2, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range.
    ///
    /// # Memory
    /// Never copies.
    pub fn unstack(&self, axis: isize) -> Result<Vec<Tensor>, Error> {
        let k = self.layout().resolve_axis(axis)?;
        let n = self.shape()[k];
        let mut parts = reserve(n)?;
        for i in 0..n {
            parts.push(self.select(k as isize, i as isize)?);
        }
        Ok(parts)
    }
}
