//! Lazy expressions: chains of elementwise operations fused into one pass over memory.
//!
//! An expression is recorded as a graph of operations. On evaluation `compile.rs` compiles the graph to a
//! program, which the kernels run block by block.

mod compile;
mod operators;

use super::elementwise::{BinaryOp, QuaternaryOp, TernaryOp, UnaryOp};
use super::operand::{Operand, Target};
use crate::trace::Call;
use crate::{Error, Tensor};
use std::sync::Arc;

/// An elementwise expression that is evaluated on request, in one fused pass over memory.
///
/// [`lazy`] starts an expression. It has the elementwise operations of tensors, with the same names
/// and the same results, and operators. [`Lazy::eval`] computes it into a new tensor,
/// [`Lazy::eval_into`] into an existing one. Intermediate results are never stored: each block of
/// elements goes through all operations while it is in the cache.
///
/// A subexpression that is used twice is computed once if it is the same value: `let t = …`, then
/// `&t`. A subexpression of a smaller shape than the whole is evaluated first, so that it is not
/// recomputed for each row that it is broadcast to; so are parts of an expression of more than four
/// tensors.
///
/// ```
/// use belvedere::{lazy, prelude::*};
///
/// let (a, b, c) = (tensor![1.0, -2.0], tensor![3.0, 4.0], tensor![0.5, 1.0]);
/// let y = (lazy(&a) * &b + &c).relu().eval()?;
/// assert_eq!(y.to_vec::<f64>()?, [3.5, 0.0]);
///
/// let t = lazy(&a).exp();
/// let y = (&t / (&t + 1.0)).eval()?;
/// assert!(y.allclose_with(&a.sigmoid()?, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone)]
pub struct Lazy<'a>(Arc<Node<'a>>);

/// A node of the expression graph.
enum Node<'a> {
    Operand(Operand<'a>),
    Call { operation: Operation, operands: Vec<Lazy<'a>> },
}

/// An elementwise operation on one to four operands.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    One(&'static UnaryOp),
    Two(&'static BinaryOp),
    Three(&'static TernaryOp),
    Four(&'static QuaternaryOp),
}

impl From<&'static BinaryOp> for Operation {
    fn from(operation: &'static BinaryOp) -> Operation {
        Operation::Two(operation)
    }
}

impl From<&'static TernaryOp> for Operation {
    fn from(operation: &'static TernaryOp) -> Operation {
        Operation::Three(operation)
    }
}

impl From<&'static QuaternaryOp> for Operation {
    fn from(operation: &'static QuaternaryOp) -> Operation {
        Operation::Four(operation)
    }
}

/// Starts an expression that is evaluated in one fused pass over memory.
///
/// ```
/// use belvedere::{lazy, prelude::*};
///
/// let x = tensor![1, 2, 3];
/// assert_eq!((lazy(&x) * &x + 1).eval()?.to_vec::<i32>()?, [2, 5, 10]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn lazy<'a>(x: impl Into<Operand<'a>>) -> Lazy<'a> {
    Lazy(Arc::new(Node::Operand(x.into())))
}

impl<'a> Lazy<'a> {
    /// Evaluates the expression into a new tensor.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// use belvedere::lazy;
    ///
    /// let x = tensor![1.0, 4.0];
    /// assert_eq!((lazy(&x).sqrt() + 1).eval()?.to_vec::<f64>()?, [2.0, 3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if one of its operations fails.
    ///
    /// # Memory
    /// The result is a new tensor; operands are read once. Allocates temporary tensors for
    /// subexpressions of a smaller shape, and for a broadcast operand that would have to be packed
    /// more than once.
    #[track_caller]
    pub fn eval(&self) -> Result<Tensor, Error> {
        compile::eval(self, Call::new("eval"))
    }

    /// Evaluates the expression and writes it to `out`, which may be one of its operands.
    ///
    /// ```
    /// use belvedere::{lazy, prelude::*};
    ///
    /// let x = tensor![1.0, 2.0];
    /// (lazy(&x) * 3 - 1).eval_into(&x)?;
    /// assert_eq!(x.to_vec::<f64>()?, [2.0, 5.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if one of its operations fails, `out` has another shape than the result, its dtype
    /// cannot hold the result, or it cannot be written to.
    ///
    /// # Memory
    /// Copies an operand first if it shares elements with `out`, unless both have the same strides.
    #[track_caller]
    pub fn eval_into<'b>(&self, out: impl Into<Target<'b>>) -> Result<(), Error> {
        compile::eval_into(self, out.into(), Call::new("eval_into"))
    }

    /// Returns the expression that applies `operation` to `operands`.
    pub(super) fn call(operation: Operation, operands: Vec<Lazy<'a>>) -> Lazy<'a> {
        Lazy(Arc::new(Node::Call { operation, operands }))
    }
}

impl<'a, T: Into<Operand<'a>>> From<T> for Lazy<'a> {
    fn from(x: T) -> Lazy<'a> {
        lazy(x)
    }
}

impl<'a> From<&Lazy<'a>> for Lazy<'a> {
    fn from(x: &Lazy<'a>) -> Lazy<'a> {
        x.clone()
    }
}

impl Drop for Lazy<'_> {
    /// Drops nodes iteratively: the recursion of the default drop would be as deep as the chain is long
    /// and could overflow the stack.
    fn drop(&mut self) {
        let Some(Node::Call { operands, .. }) = Arc::get_mut(&mut self.0) else { return };
        let mut pending = std::mem::take(operands);
        while let Some(mut it) = pending.pop() {
            if let Some(Node::Call { operands, .. }) = Arc::get_mut(&mut it.0) {
                pending.append(operands);
            }
        }
    }
}
