//! Sums of products in Einstein's notation.
//!
//! `parse.rs` reads the subscripts, `spec.rs` fits them to the shapes of the operands, `order.rs` chooses
//! which two operands are multiplied first, and `run.rs` does it: by views, sums and products of matrices.

mod error;
mod order;
mod parse;
mod run;
mod spec;

pub use error::{EinsumError, EinsumProblem};
pub use order::{EinsumPath, EinsumStep};

use crate::op::operand::Target;
use crate::view::Call;
use crate::{Error, Shape, Tensor, assign_into};
use spec::Spec;
use std::borrow::Borrow;
use std::panic::Location;

/// The sum of products that subscripts describe.
///
/// Each operand has one letter for each axis, and operands are separated by commas: letters that are
/// the same go along together, and those that are missing behind `->` are summed over. Without `->` the
/// result has the letters that occur once, in alphabetical order. `...` stands for all axes without a
/// letter, which are broadcast, and a letter twice in one operand for its diagonal. This is NumPy's
/// notation; an axis of length 1 goes along with any length, as it does there.
///
/// The result has the type that the operands meet in; integers wrap around, and a sum of `bool` tells
/// whether any product is true.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::einsum;
///
/// let a = tensor![[1, 2], [3, 4]];
/// let b = tensor![[5, 6], [7, 8]];
/// assert_eq!(einsum("ij,jk->ik", &[&a, &b])?.to_vec::<i32>()?, [19, 22, 43, 50]);
/// assert_eq!(einsum("ij->j", &[&a])?.to_vec::<i32>()?, [4, 6]);
///
/// // What moves nothing is a view: the diagonal can be written to.
/// einsum("ii->i", &[&a])?.fill(0)?;
/// assert_eq!(a.to_vec::<i32>()?, [0, 2, 3, 0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the subscripts cannot be read or do not fit to the operands: the message has a caret under the
/// place. If a copy is needed and forbidden, or there is not enough memory.
///
/// # Memory
/// With one operand and nothing to sum, the result is a view that **shares its memory**. Otherwise it is
/// new, and operands are multiplied where they are, unless their axes have to be joined and no view does
/// that, or they are of another type: then they are copied.
#[track_caller]
pub fn einsum<T: Borrow<Tensor>>(subscripts: &str, operands: &[T]) -> Result<Tensor, Error> {
    let operands = &borrowed(operands)[..];
    let call = Call { op: "einsum", caller: Location::caller() };
    let spec = Spec::new(subscripts, &shapes(operands))?;
    run::run(&spec, operands, call)
}

/// Writes [`einsum`] of some operands to `out`, which may share memory with them.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1, 2], [3, 4]];
/// belvedere::einsum_into("ij->ji", &[&x], &x)?;
/// assert_eq!(x.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for that; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// As there. The result is made first and then written to `out`.
#[track_caller]
pub fn einsum_into<'a, T: Borrow<Tensor>>(
    subscripts: &str,
    operands: &[T],
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let (operands, out) = (&borrowed(operands)[..], out.into());
    let call = Call { op: "einsum", caller: Location::caller() };
    let spec = Spec::new(subscripts, &shapes(operands))?;
    out.check_shape(call.op, &spec.shape())?;
    assign_into(&run::run(&spec, operands, call)?, out)
}

/// The order in which [`einsum`] multiplies operands, two at a time.
///
/// Up to eight operands it is the one with the fewest multiplications. Beyond, the cheapest pair comes first.
///
/// ```
/// use belvedere::prelude::*;
///
/// let [a, b, c] = [[2, 90], [90, 90], [90, 3]].map(|shape| Tensor::zeros(shape, DType::Float64));
/// let path = belvedere::einsum_path("ij,jk,kl->il", &[a?, b?, c?])?;
/// assert_eq!(path.to_string(), "\
/// ij,jk,kl->il in 2 steps, 16740 multiplications
///   0 and 1: ij,jk->ik (16200)
///   0 and 1: kl,ik->il (540)");
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the subscripts cannot be read or do not fit to the operands.
pub fn einsum_path<T: Borrow<Tensor>>(
    subscripts: &str,
    operands: &[T],
) -> Result<EinsumPath, Error> {
    Ok(EinsumPath::new(&Spec::new(subscripts, &shapes(&borrowed(operands)))?))
}

fn borrowed<T: Borrow<Tensor>>(operands: &[T]) -> Vec<&Tensor> {
    operands.iter().map(Borrow::borrow).collect()
}

fn shapes(operands: &[&Tensor]) -> Vec<Shape> {
    operands.iter().map(|x| x.shape()).collect()
}
