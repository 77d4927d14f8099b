//! Several tensors made one, and one made several.

use super::transfer;
use crate::op::operand::Target;
use crate::tensor::reserve;
use crate::view::{AnyView, AnyViewMut, Call, Input, Written, fresh_of, into_of};
use crate::{DType, Error, Layout, LayoutError, Shape, Tensor, result_type_of};
use std::borrow::Borrow;
use std::panic::Location;

/// The tensors one behind the other along an axis, or one behind the other as flat lists if there is
/// none. They become the type in which they meet.
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
/// If there is no tensor, they differ in another axis or have no such axis, or there is not enough
/// memory.
///
/// # Memory
/// The result is new.
pub fn concat<T: Borrow<Tensor>>(
    tensors: &[T],
    axis: impl Into<Option<isize>>,
) -> Result<Tensor, Error> {
    let tensors: Vec<&Tensor> = tensors.iter().map(Borrow::borrow).collect();
    Join::new("concat", &tensors, axis.into())?.of(&tensors)
}

/// Writes [`concat()`] to `out`, which may share memory with the tensors.
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
/// As for the other; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies the tensors first that share elements with `out`.
#[track_caller]
pub fn concat_into<'a, T: Borrow<Tensor>>(
    tensors: &[T],
    axis: impl Into<Option<isize>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call { op: "concat", caller: Location::caller() };
    let tensors: Vec<&Tensor> = tensors.iter().map(Borrow::borrow).collect();
    Join::new(call.op, &tensors, axis.into())?.write(call, &tensors, out.into())
}

/// The tensors, all of one shape, side by side along a new axis.
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
/// If there is no tensor, their shapes differ, there can be no such axis, or not enough memory.
///
/// # Memory
/// The result is new.
pub fn stack<T: Borrow<Tensor>>(tensors: &[T], axis: isize) -> Result<Tensor, Error> {
    let (tensors, axis) = side_by_side(tensors, axis)?;
    let tensors: Vec<&Tensor> = tensors.iter().collect();
    Join::new("stack", &tensors, Some(axis))?.of(&tensors)
}

/// Writes [`stack`] to `out`, which may share memory with the tensors.
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
/// As for the other; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies the tensors first that share elements with `out`.
#[track_caller]
pub fn stack_into<'a, T: Borrow<Tensor>>(
    tensors: &[T],
    axis: isize,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let call = Call { op: "stack", caller: Location::caller() };
    let (tensors, axis) = side_by_side(tensors, axis)?;
    let tensors: Vec<&Tensor> = tensors.iter().collect();
    Join::new(call.op, &tensors, Some(axis))?.write(call, &tensors, out.into())
}

/// The tensors one below the other: along axis 0, with vectors as rows.
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
/// The result is new.
pub fn vstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    concat(&each(tensors, Tensor::atleast_2d)?, 0)
}

/// The tensors next to each other: along axis 1, and vectors along their only axis.
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
/// The result is new.
pub fn hstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let tensors = each(tensors, Tensor::atleast_1d)?;
    let is_flat = tensors.first().is_none_or(|it| it.rank() == 1);
    concat(&tensors, if is_flat { 0 } else { 1 })
}

/// The tensors one behind the other: along axis 2, with the axes that [`Tensor::atleast_3d`] adds.
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
/// The result is new.
pub fn dstack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    concat(&each(tensors, Tensor::atleast_3d)?, 2)
}

/// Vectors and matrices next to each other along axis 1, with vectors as columns.
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
/// The result is new.
pub fn column_stack<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Tensor, Error> {
    let column = |x: &Tensor| match x.rank() {
        0 => x.view([1, 1]),
        1 => x.unsqueeze(1),
        _ => Ok(x.clone()),
    };
    concat(&each(tensors, column)?, 1)
}

fn each<T: Borrow<Tensor>>(
    tensors: &[T],
    make: impl Fn(&Tensor) -> Result<Tensor, Error>,
) -> Result<Vec<Tensor>, Error> {
    tensors.iter().map(|it| make(it.borrow())).collect()
}

/// Tensors of one shape with one more axis, and where it is.
fn side_by_side<T: Borrow<Tensor>>(
    tensors: &[T],
    axis: isize,
) -> Result<(Vec<Tensor>, isize), Error> {
    let Some(first) = tensors.first() else { return Err(nothing("stack")) };
    let shape = first.borrow().shape();
    for tensor in tensors {
        let given = tensor.borrow().shape();
        if given != shape {
            let (needed, given) = (shape.into(), given.into());
            return Err(Error::ShapeMismatch { op: "stack", needed, given });
        }
    }
    Ok((each(tensors, |it| it.unsqueeze(axis))?, axis))
}

fn nothing(op: &'static str) -> Error {
    Error::Argument { op, needs: "at least one tensor", given: 0.0 }
}

/// Tensors that are to be joined.
struct Join {
    op: &'static str,
    /// Along which axis, or as flat lists.
    axis: Option<usize>,
    shape: Shape,
    dtype: DType,
    /// Positions of the axis that each takes.
    lens: Vec<usize>,
}

impl Join {
    fn new(op: &'static str, tensors: &[&Tensor], axis: Option<isize>) -> Result<Join, Error> {
        let dtype = result_type_of(tensors.iter().map(|it| it.dtype()));
        let (Some(first), Some(dtype)) = (tensors.first(), dtype) else { return Err(nothing(op)) };
        let k = axis.map(|axis| first.layout().resolve_axis(axis)).transpose()?;
        let lens: Vec<usize> = match k {
            None => tensors.iter().map(|it| it.len()).collect(),
            Some(k) => {
                for tensor in tensors {
                    check_beside(op, first, tensor, k)?;
                }
                tensors.iter().map(|it| it.shape()[k]).collect()
            }
        };
        let total = lens.iter().try_fold(0usize, |sum, &len| sum.checked_add(len));
        let mut shape = if k.is_some() { first.shape() } else { Shape::from([0]) };
        let total =
            total.ok_or_else(|| LayoutError::TooManyElements { shape: shape.clone().into() })?;
        shape[k.unwrap_or(0)] = total;
        Ok(Join { op, axis: k, shape, dtype, lens })
    }

    /// Makes a tensor of them.
    fn of(&self, tensors: &[&Tensor]) -> Result<Tensor, Error> {
        let inputs: Vec<Input<'_>> = tensors.iter().map(|it| Input::Tensor(it)).collect();
        let layout = Layout::row_major(&self.shape)?;
        fresh_of(layout, self.dtype, &inputs, |out, views| self.join(out, views))
    }

    /// Writes them to something that exists.
    fn write(&self, call: Call, tensors: &[&Tensor], out: Target<'_>) -> Result<(), Error> {
        out.check(self.op, &self.shape, self.dtype)?;
        let inputs: Vec<Input<'_>> = tensors.iter().map(|it| Input::Tensor(it)).collect();
        into_of(call, &out.output(), &inputs, |out, views| {
            self.join(out, views);
        })
    }

    fn join<'x>(&self, out: AnyViewMut<'x>, views: &[AnyView<'_>]) -> Written<'x> {
        out.in_parts(self.axis.unwrap_or(0), &self.lens, &mut |n, part| {
            let view = &views[n];
            match self.axis {
                Some(_) => transfer(part, view),
                // A stretch of one axis has every shape.
                None => transfer(part.view(&view.layout().shape()).expect("one axis"), view),
            }
        })
    }
}

/// Whether a tensor has the lengths of another in all axes but one.
fn check_beside(op: &'static str, first: &Tensor, tensor: &Tensor, k: usize) -> Result<(), Error> {
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
    /// The parts at each position of an axis, without it: what [`stack`] puts together.
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
    /// If there is no such axis.
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
