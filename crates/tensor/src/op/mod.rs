//! Checked public operations.
//!
//! An operation checks its arguments, finds the type and the shape of its result, borrows what it
//! reads and writes, and calls a kernel. None of them has a loop over elements. Each exists as a
//! method that makes a tensor, and nearly all as a function `…_into` that writes to a tensor or a typed
//! view; the output of an elementwise operation may be one of the inputs.

mod activation;
mod activation_with;
mod arithmetic;
mod assign;
mod axes;
mod close;
mod compare;
mod elementwise;
mod family;
pub mod fft;
mod lens;
mod linalg;
mod map;
mod math;
pub mod nn;
mod operand;
mod operators;
pub mod random;
mod reduce;
mod select;
mod softmax;

pub use activation::*;
pub use activation_with::*;
pub use arithmetic::*;
pub use assign::*;
pub use axes::{Axes, keep};
pub use close::{Comparison, Difference};
pub use compare::*;
pub use linalg::*;
pub use math::*;
pub use operand::{Operand, Target};
pub use reduce::*;
pub use select::*;
pub use softmax::softmax_into;
