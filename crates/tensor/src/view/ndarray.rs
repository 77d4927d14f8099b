//! Views of `ndarray`: those of its arrays as ours, and ours as its own, without a copy for any strides.

use super::{View, ViewMut};
use crate::interop::ndarray::{can_be_written, check_rank};
use crate::{Error, Layout};
use ndarray::{
    ArrayBase, ArrayView, ArrayViewMut, Axis, Data, DataMut, Dimension, IxDyn, ShapeBuilder,
    StrideShape,
};
use std::ptr::NonNull;

/// Views the elements of an array of `ndarray`, with its strides.
///
/// ```
/// use belvedere::View;
/// use ndarray::{array, s};
///
/// let a = array![[1, 2, 3], [4, 5, 6]];
/// let flipped = View::from(a.slice(s![.., ..;-1]).reversed_axes());
/// assert_eq!(flipped.strides(), [-1, 3]);
/// assert_eq!(flipped.to_vec()?, [3, 6, 2, 5, 1, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Panics
/// If there are more than 64 axes.
impl<'a, T: Copy, D: Dimension> From<ArrayView<'a, T, D>> for View<'a, T> {
    fn from(array: ArrayView<'a, T, D>) -> View<'a, T> {
        let layout = layout_of(array.shape(), array.strides());
        let first = NonNull::new(array.as_ptr().cast_mut()).expect("an array has a pointer");
        // SAFETY: `first` is the first of the elements, which are initialised and borrowed for reading for `'a`; the
        // lowest is `layout.start()` before it, and the offsets from there are those of the array's indices.
        unsafe { View::from_parts(first.sub(layout.start()), layout) }
    }
}

/// Views the elements of an array of `ndarray`, with its strides.
///
/// ```
/// use belvedere::prelude::*;
/// use ndarray::Array2;
///
/// let a = Array2::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as f32);
/// assert_eq!(tensor![1.0f32, 1.0, 1.0].add(View::from(&a))?.get::<f32>(&[1, 2])?, 13.0);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Panics
/// If there are more than 64 axes.
impl<'a, T: Copy, S: Data<Elem = T>, D: Dimension> From<&'a ArrayBase<S, D>> for View<'a, T> {
    fn from(array: &'a ArrayBase<S, D>) -> View<'a, T> {
        array.view().into()
    }
}

/// Views the elements of an array of `ndarray` for writing, with its strides.
///
/// ```
/// use belvedere::ViewMut;
/// use ndarray::{array, s};
///
/// let mut a = array![1, 2, 3, 4];
/// ViewMut::from(a.slice_mut(s![..;-2])).fill(0);
/// assert_eq!(a, array![1, 0, 3, 0]);
/// ```
///
/// # Panics
/// If there are more than 64 axes.
impl<'a, T: Copy, D: Dimension> From<ArrayViewMut<'a, T, D>> for ViewMut<'a, T> {
    fn from(mut array: ArrayViewMut<'a, T, D>) -> ViewMut<'a, T> {
        let layout = layout_of(array.shape(), array.strides());
        let first = NonNull::new(array.as_mut_ptr()).expect("an array has a pointer");
        // SAFETY: as for a view for reading; the array is consumed, so that no other code accesses its elements for
        // `'a`, and no element of an array for writing has two indices.
        unsafe { ViewMut::from_parts(first.sub(layout.start()), layout) }
    }
}

/// Views the elements of an array of `ndarray` for writing, with its strides.
///
/// ```
/// use belvedere::ViewMut;
/// use ndarray::array;
///
/// let mut a = array![[1, 2], [3, 4]];
/// ViewMut::from(&mut a).map(|it| 10 * it);
/// assert_eq!(a, array![[10, 20], [30, 40]]);
/// ```
///
/// # Panics
/// If there are more than 64 axes.
impl<'a, T: Copy, S: DataMut<Elem = T>, D: Dimension> From<&'a mut ArrayBase<S, D>>
    for ViewMut<'a, T>
{
    fn from(array: &'a mut ArrayBase<S, D>) -> ViewMut<'a, T> {
        array.view_mut().into()
    }
}

/// Views the elements as an array of `ndarray`, with the same strides; those of a tensor by a guard.
///
/// ```
/// use belvedere::prelude::*;
/// use ndarray::{ArrayView2, array};
///
/// let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].flip(&[0])?.t()?;
/// let guard = x.read::<f64>()?;
/// let a = ArrayView2::try_from(guard.view())?;
/// assert_eq!(a, array![[4.0, 1.0], [5.0, 2.0], [6.0, 3.0]]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the array's type has another number of axes; `ArrayViewD` takes any.
impl<'a, T: Copy, D: Dimension> TryFrom<View<'a, T>> for ArrayView<'a, T, D> {
    type Error = Error;

    fn try_from(view: View<'a, T>) -> Result<ArrayView<'a, T, D>, Error> {
        let layout = view.layout();
        let shape = shape_of::<D>("ArrayView::try_from", layout)?;
        // SAFETY: the strides are not negative, and lead from the lowest element to all of the view's, which are
        // initialised and borrowed for reading for `'a`. Invariants 1 and 2 of `Layout` are the limits of `ndarray`.
        let mut array = unsafe {
            let lowest = view.ptr().add(layout.span().start);
            ArrayView::from_shape_ptr(shape, lowest.as_ptr())
        };
        flipped_axes(layout).for_each(|k| array.invert_axis(Axis(k)));
        Ok(array)
    }
}

/// Views the elements as an array of `ndarray` for writing, with the same strides.
///
/// ```
/// use belvedere::prelude::*;
/// use ndarray::{ArrayViewMut1, array};
///
/// let x = Tensor::zeros([2, 3], DType::Int32)?;
/// let column = x.select(1, 2)?;
/// ArrayViewMut1::try_from(column.write::<i32>()?.view_mut())?.assign(&array![7, 8]);
/// assert_eq!(x, tensor![[0, 0, 7], [0, 0, 8]]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the array's type has another number of axes (`ArrayViewMutD` takes any), or a stride does not exceed the extent of
/// all smaller ones: `ndarray` takes elements of such arrays to have two indices, although they need not.
impl<'a, T: Copy, D: Dimension> TryFrom<ViewMut<'a, T>> for ArrayViewMut<'a, T, D> {
    type Error = Error;

    fn try_from(view: ViewMut<'a, T>) -> Result<ArrayViewMut<'a, T, D>, Error> {
        let layout = view.layout();
        let op = "ArrayViewMut::try_from";
        let shape = shape_of::<D>(op, layout)?;
        if !can_be_written(&shape, layout.span().len()) {
            let needs = "strides that exceed the extent of all smaller ones";
            return Err(Error::Form { op, needs, given: layout.shape().into() });
        }
        // SAFETY: as for a view for reading; the view is consumed, so that no other code accesses its elements for
        // `'a`, and its layout is injective.
        let mut array = unsafe {
            let lowest = view.ptr().add(layout.span().start);
            ArrayViewMut::from_shape_ptr(shape, lowest.as_ptr())
        };
        flipped_axes(layout).for_each(|k| array.invert_axis(Axis(k)));
        Ok(array)
    }
}

/// Returns the layout of an array, relative to its lowest element.
fn layout_of(shape: &[usize], strides: &[isize]) -> Layout {
    let is_empty = shape.contains(&0);
    let reaches = shape.iter().zip(strides).map(|(&len, &stride)| match is_empty {
        true => 0,
        // The elements are in one allocation, so that distances fit.
        false => stride.min(0).unsigned_abs() * (len - 1),
    });
    let layout = Layout::from_strides(reaches.sum(), shape, strides);
    layout.expect("an array in memory of at most 64 axes has a layout")
}

/// Returns the shape and the magnitudes of the strides as those of an array with dimension type `D`.
///
/// # Errors
/// If the number of axes differs.
fn shape_of<D: Dimension>(op: &'static str, layout: &Layout) -> Result<StrideShape<D>, Error> {
    check_rank::<D>(op, layout)?;
    let axes = layout.axes();
    let shape: Vec<usize> = axes.iter().map(|axis| axis.len).collect();
    let strides: Vec<usize> = axes.iter().map(|axis| axis.stride.unsigned_abs()).collect();
    let dimension = |lens: Vec<usize>| D::from_dimension(&IxDyn(&lens));
    let shape = dimension(shape).expect("the rank was checked");
    if layout.is_empty() {
        // Its strides are 0, which `ndarray` takes for overlap.
        return Ok(shape.into());
    }
    Ok(shape.strides(dimension(strides).expect("the rank was checked")))
}

/// Returns the axes with negative strides.
fn flipped_axes(layout: &Layout) -> impl Iterator<Item = usize> {
    (0..layout.rank()).filter(|&k| layout.axes()[k].stride < 0)
}
