//! Chains of operations in one pass over memory.
//!
//! An expression is written down first, as a graph of operations, and calculated when it is asked for:
//! `compile.rs` turns the graph into a program, which the kernels run block by block.

mod compile;
mod operators;

use super::elementwise::{Binary, Quaternary, Ternary, Unary};
use super::operand::{Operand, Target};
use crate::{Error, Tensor};
use std::panic::Location;
use std::sync::Arc;

/// An expression of elements that is calculated when it is asked for, in one pass over memory.
///
/// [`lazy`] begins one. It has the operations on elements that tensors have, by the same names and
/// with the same results; and operators. [`Lazy::eval`] makes a tensor of it, [`Lazy::eval_into`]
/// writes it to one. What is between the steps is never stored: a block of elements goes through
/// all of them while it is in the cache.
///
/// A part that is used twice is calculated once, if it is the same value: `let t = …`, then `&t`.
/// A part of a smaller shape than the whole is calculated first, by itself, so that nothing is done
/// again for each row it is broadcast to; and so is a part of an expression of more than
/// four tensors.
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
/// assert!(y.allclose(&a.sigmoid()?, 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone)]
pub struct Lazy<'a>(Arc<Node<'a>>);

enum Node<'a> {
    Operand(Operand<'a>),
    Call { operation: Operation, operands: Vec<Lazy<'a>> },
}

/// An operation on any number of operands.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    One(&'static Unary),
    Two(&'static Binary),
    Three(&'static Ternary),
    Four(&'static Quaternary),
}

impl From<&'static Ternary> for Operation {
    fn from(operation: &'static Ternary) -> Operation {
        Operation::Three(operation)
    }
}

impl From<&'static Quaternary> for Operation {
    fn from(operation: &'static Quaternary) -> Operation {
        Operation::Four(operation)
    }
}

/// Begins an expression that is calculated in one pass over memory.
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
    /// Calculates the expression, as a new tensor.
    ///
    /// # Errors
    /// Those of the operations in it.
    ///
    /// # Memory
    /// The result is new; operands are read once. Parts of a smaller shape are new tensors meanwhile, and
    /// so is an operand that is broadcast if it would be packed again and again.
    #[track_caller]
    pub fn eval(&self) -> Result<Tensor, Error> {
        compile::eval(self, Location::caller())
    }

    /// Calculates the expression and writes it to `out`, which may be one of its operands.
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
    /// Those of the operations in it; and if `out` has another shape, cannot hold the type, or cannot
    /// be written to.
    ///
    /// # Memory
    /// Copies an operand first if it shares elements with `out`, and the two do not lie by the same
    /// strides.
    #[track_caller]
    pub fn eval_into<'b>(&self, out: impl Into<Target<'b>>) -> Result<(), Error> {
        compile::eval_into(self, out.into(), Location::caller())
    }

    /// An expression of an operation.
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
    /// Takes a chain apart link by link: the plain way needs a stack as deep as the chain is long.
    fn drop(&mut self) {
        let Some(Node::Call { operands, .. }) = Arc::get_mut(&mut self.0) else { return };
        let mut left = std::mem::take(operands);
        while let Some(mut it) = left.pop() {
            if let Some(Node::Call { operands, .. }) = Arc::get_mut(&mut it.0) {
                left.append(operands);
            }
        }
    }
}
