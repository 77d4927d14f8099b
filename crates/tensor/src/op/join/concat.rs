//! `concat`, `stack` and `unstack`, and NumPy's `vstack`, `hstack`, `dstack`, `column_stack`.

use super::meshgrid::{layout_of_rank, layout_of_rank_3};
use super::{copy_cast, operands_of};
use crate::op::execute::{
    compute_from_slice, compute_into_from_slice, try_concat, try_concat_rows,
};
use crate::op::operand::Target;
use crate::plan::output_layout;
use crate::tensor::{reserve, try_collect};
use crate::trace::{Call, composite, is_listening};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Error, Layout, LayoutError, Shape, Tensor, result_type_of};
use std::borrow::Borrow;

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
#[track_caller]
pub fn concat<T: Borrow<Tensor>>(
    tensors: &[T],
    axis: impl Into<Option<isize>>,
) -> Result<Tensor, Error> {
    let axis: Option<isize> = axis.into();
    if !is_listening() {
        let joined = match axis {
            None | Some(0 | -1) => try_concat(tensors, axis.is_none()),
            _ => None,
        };
        if let Some(joined) = joined.or_else(|| try_concat_rows(tensors, axis?)) {
            return Ok(joined);
        }
    }
    let params = [("axis", axis.into())];
    let call = Call::new("concat").with(&params);
    Concatenation::new(call.op, tensors, axis)?.compute(call, tensors)
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
    let axis: Option<isize> = axis.into();
    let params = [("axis", axis.into())];
    let call = Call::new("concat").with(&params);
    Concatenation::new(call.op, tensors, axis)?.compute_into(call, tensors, out.into())
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
#[track_caller]
pub fn stack<T: Borrow<Tensor>>(tensors: &[T], axis: isize) -> Result<Tensor, Error> {
    let params = [("axis", axis.into())];
    let call = Call::new("stack").with(&params);
    let aligned = unsqueeze_each(tensors, axis)?;
    Concatenation::new(call.op, &aligned, Some(axis))?.compute(call, tensors)
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
    let params = [("axis", axis.into())];
    let call = Call::new("stack").with(&params);
    let aligned = unsqueeze_each(tensors, axis)?;
    Concatenation::new(call.op, &aligned, Some(axis))?.compute_into(call, tensors, out.into())
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
#[track_caller]
pub fn vstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let call = Call::new("vstack");
    let aligned = align_each(tensors, |layout| layout_of_rank(layout, 2))?;
    Concatenation::new(call.op, &aligned, Some(0))?.compute(call, tensors)
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
#[track_caller]
pub fn hstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let call = Call::new("hstack");
    let aligned = align_each(tensors, |layout| layout_of_rank(layout, 1))?;
    let is_flat = aligned.first().is_none_or(|it| it.rank() == 1);
    let axis = if is_flat { 0 } else { 1 };
    Concatenation::new(call.op, &aligned, Some(axis))?.compute(call, tensors)
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
#[track_caller]
pub fn dstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let call = Call::new("dstack");
    let aligned = align_each(tensors, layout_of_rank_3)?;
    Concatenation::new(call.op, &aligned, Some(2))?.compute(call, tensors)
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
#[track_caller]
pub fn column_stack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let call = Call::new("column_stack");
    let aligned = align_each(tensors, |layout| match layout.rank() {
        0 => layout.view([1, 1]),
        1 => layout.unsqueeze(1),
        _ => Ok(layout.clone()),
    })?;
    Concatenation::new(call.op, &aligned, Some(1))?.compute(call, tensors)
}

/// Returns each tensor with the layout that `align` returns, which has further axes of length 1.
fn align_each<T: Borrow<Tensor>>(
    tensors: &[T],
    align: impl Fn(&Layout) -> Result<Layout, LayoutError>,
) -> Result<Vec<Tensor>, Error> {
    let mut aligned = reserve(tensors.len())?;
    for tensor in tensors {
        let tensor: &Tensor = tensor.borrow();
        aligned.push(tensor.with_layout(align(tensor.layout())?));
    }
    Ok(aligned)
}

/// Checks that all tensors have the same shape, and inserts a new axis into each.
fn unsqueeze_each<T: Borrow<Tensor>>(tensors: &[T], axis: isize) -> Result<Vec<Tensor>, Error> {
    let Some(first) = tensors.first() else { return Err(no_tensors("stack")) };
    let shape = first.borrow().shape();
    for tensor in tensors {
        let given = tensor.borrow().shape();
        if given != shape {
            let (needed, given) = (shape.into(), given.into());
            return Err(Error::ShapeMismatch { op: "stack", needed, given });
        }
    }
    align_each(tensors, |layout| layout.unsqueeze(axis))
}

/// Returns the error for an empty list of tensors.
fn no_tensors(op: &'static str) -> Error {
    Error::Argument { op, needs: "at least one tensor", given: 0.into() }
}

/// A concatenation with checked arguments.
struct Concatenation {
    op: &'static str,
    /// The axis, or `None` to concatenate the flattened tensors.
    axis: Option<usize>,
    shape: Shape,
    dtype: DType,
    /// The layout of a new result, which has the order of the tensors' axes.
    layout: Layout,
    /// The length of each tensor along the axis.
    lens: Vec<usize>,
}

impl Concatenation {
    fn new<T: Borrow<Tensor>>(
        op: &'static str,
        tensors: &[T],
        axis: Option<isize>,
    ) -> Result<Concatenation, Error> {
        let tensors: Vec<&Tensor> = try_collect(tensors.iter().map(Borrow::borrow))?;
        let dtype = result_type_of(tensors.iter().map(|it| it.dtype()));
        let (Some(first), Some(dtype)) = (tensors.first(), dtype) else {
            return Err(no_tensors(op));
        };
        let k = axis.map(|axis| first.layout().resolve_axis(axis)).transpose()?;
        let lens: Vec<usize> = match k {
            None => try_collect(tensors.iter().map(|it| it.len()))?,
            Some(k) => {
                for tensor in &tensors {
                    check_other_axes(op, first, tensor, k)?;
                }
                try_collect(tensors.iter().map(|it| it.shape()[k]))?
            }
        };
        let total = lens.iter().try_fold(0usize, |sum, &len| sum.checked_add(len));
        let mut shape = if k.is_some() { first.shape() } else { Shape::from([0]) };
        let total =
            total.ok_or_else(|| LayoutError::TooManyElements { shape: shape.clone().into() })?;
        shape[k.unwrap_or(0)] = total;
        let layouts: Vec<&Layout> = try_collect(tensors.iter().map(|it| it.layout()))?;
        let layout = output_layout(&shape, &layouts)?;
        Ok(Concatenation { op, axis: k, shape, dtype, layout, lens })
    }

    /// Concatenates the tensors into a new one. They may lack axes of length 1.
    fn compute<T: Borrow<Tensor>>(&self, call: Call<'_>, tensors: &[T]) -> Result<Tensor, Error> {
        let layout = self.layout.clone();
        compute_from_slice(call, layout, self.dtype, &operands_of(tensors)?, |out, views| {
            self.copy_parts(out, views)
        })
    }

    /// Concatenates the tensors into `out`. They may lack axes of length 1.
    fn compute_into<T: Borrow<Tensor>>(
        &self,
        call: Call<'_>,
        tensors: &[T],
        out: Target<'_>,
    ) -> Result<(), Error> {
        out.check(self.op, &self.shape, self.dtype)?;
        compute_into_from_slice(call, &out, &operands_of(tensors)?, |out, views| {
            self.copy_parts(out, views);
        })
    }

    /// Copies each view to its part of `out`.
    fn copy_parts<'x>(&self, out: AnyViewMut<'x>, views: &[AnyView<'_>]) -> Written<'x> {
        out.write_in_parts(self.axis.unwrap_or(0), &self.lens, &mut |n, part| {
            let view = &views[n];
            match self.axis {
                Some(_) if part.layout().rank() == view.layout().rank() => copy_cast(part, view),
                Some(_) => copy_cast(part.with_axes_of(&view.layout().shape()), view),
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
    #[track_caller]
    pub fn unstack(&self, axis: isize) -> Result<Vec<Tensor>, Error> {
        let params = [("axis", axis.into())];
        composite(Call::new("unstack").with(&params), &[self.into()], || {
            let k = self.layout().resolve_axis(axis)?;
            let n = self.shape()[k];
            let mut parts = reserve(n)?;
            for i in 0..n {
                parts.push(self.with_layout(self.layout().select(k as isize, i as isize)?));
            }
            Ok(parts)
        })
    }
}
