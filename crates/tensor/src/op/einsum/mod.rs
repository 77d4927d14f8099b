//! Einstein summation.
//!
//! `parse.rs` parses the subscripts, `spec.rs` matches them with the shapes of the operands, `order.rs` chooses the
//! contraction order, and `run.rs` evaluates it with views, sums and matrix products.

mod error;
mod order;
mod parse;
mod run;
mod spec;

pub use error::{EinsumError, EinsumProblem};
pub use order::{EinsumPath, EinsumStep};

use crate::op::operand::{Operand, Target};
use crate::trace::{Call, composite, composite_into};
use crate::{Error, Shape, Tensor, assign_into};
use spec::Spec;
use std::borrow::Borrow;

/// Evaluates the Einstein summation convention on the operands.
///
/// Each operand has one letter for each axis, and operands are separated by commas. Axes with the same letter are
/// multiplied elementwise, and letters that are missing after `->` are summed over. Without `->` the result has the
/// letters that occur once, in alphabetical order. `...` means the axes without a letter, which are broadcast, and
/// a letter twice in one operand its diagonal. The notation is NumPy's, and axes of length 1 are broadcast as in NumPy.
///
/// The result has the common dtype of the operands; integers wrap, and a sum of `bool` is true if any product is.
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
/// // The diagonal is a view, and can be written to.
/// einsum("ii->i", &[&a])?.fill(0)?;
/// assert_eq!(a.to_vec::<i32>()?, [0, 2, 3, 0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the subscripts are invalid or do not match the operands: the message has a caret under the position. If a copy
/// is needed and forbidden, or there is not enough memory.
///
/// # Memory
/// With one operand and nothing to sum, the result is a view that **shares its memory**. Otherwise it is a new
/// tensor, and operands are read in place, unless they are of another dtype, or axes have to be merged for a matrix product
/// that have no view: then they are copied. Products with windows (`ijkl,kl->ij`) and batches of dot products
/// (`ij,ij->i`) are no matrix products, and copy nothing.
#[track_caller]
pub fn einsum<T: Borrow<Tensor>>(subscripts: &str, operands: &[T]) -> Result<Tensor, Error> {
    evaluate(Call::new("einsum"), subscripts, &borrowed(operands))
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
/// As for [`einsum`]; and if `out` has another shape, the result cannot be cast to its dtype, or it is read-only.
///
/// # Memory
/// As for [`einsum`]. The result is computed first and then copied to `out`.
#[track_caller]
pub fn einsum_into<'a, T: Borrow<Tensor>>(
    subscripts: &str,
    operands: &[T],
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    evaluate_into(Call::new("einsum"), subscripts, &borrowed(operands), out.into())
}

/// Returns the contraction order that [`einsum`] uses.
///
/// For up to eight operands it is the order with the fewest multiplications; for more, the cheapest pair comes first.
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
/// If the subscripts are invalid or do not match the operands.
pub fn einsum_path<T: Borrow<Tensor>>(
    subscripts: &str,
    operands: &[T],
) -> Result<EinsumPath, Error> {
    Ok(EinsumPath::new(&Spec::new(subscripts, &shapes(&borrowed(operands)))?))
}

/// Evaluates subscripts into a new tensor, or a view.
fn evaluate(call: Call<'_>, subscripts: &str, operands: &[&Tensor]) -> Result<Tensor, Error> {
    let params = [("subscripts", subscripts.into())];
    let call = call.with(&params);
    composite(call, &inputs(operands), || {
        let spec = Spec::new(subscripts, &shapes(operands))?;
        run::run(&spec, operands, call)
    })
}

/// Evaluates subscripts and writes the result to `out`.
fn evaluate_into(
    call: Call<'_>,
    subscripts: &str,
    operands: &[&Tensor],
    out: Target<'_>,
) -> Result<(), Error> {
    let params = [("subscripts", subscripts.into())];
    let call = call.with(&params);
    composite_into(call, &inputs(operands), out, |out| {
        let spec = Spec::new(subscripts, &shapes(operands))?;
        out.check_shape(call.op, &spec.shape())?;
        assign_into(&run::run(&spec, operands, call)?, out)
    })
}

fn inputs<'a>(operands: &[&'a Tensor]) -> Vec<Operand<'a>> {
    operands.iter().map(|&x| x.into()).collect()
}

fn borrowed<T: Borrow<Tensor>>(operands: &[T]) -> Vec<&Tensor> {
    operands.iter().map(Borrow::borrow).collect()
}

fn shapes(operands: &[&Tensor]) -> Vec<Shape> {
    operands.iter().map(|x| x.shape()).collect()
}
