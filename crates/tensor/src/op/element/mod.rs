//! Elementwise operations, each in the file of its family. `op/entry.rs` explains how to add one, and
//! `op/elementwise.rs` how they run.

mod activation;
mod arithmetic;
mod assert_close;
mod bits;
mod close;
mod compare;
mod complex;
mod exponential;
mod extrema;
mod fused;
mod hyperbolic;
mod logic;
mod map;
mod power;
mod rounding;
mod select;
mod sign;
mod special;
mod trigonometry;

pub use activation::*;
pub use arithmetic::*;
pub use assert_close::{CloseOperand, Closeness};
pub use bits::*;
pub use close::{Comparison, Difference, isclose_into};
pub use compare::*;
pub use complex::*;
pub use exponential::*;
pub use extrema::*;
pub use fused::*;
pub use hyperbolic::*;
pub use logic::*;
pub use power::*;
pub use rounding::*;
pub use select::*;
pub use sign::*;
pub use special::*;
pub use trigonometry::*;
