//! Checked public operations.
//!
//! An operation checks its arguments, finds the type and the shape of its result, borrows what it
//! reads and writes, and calls a kernel. None of them has a loop over elements. Each makes a
//! tensor. Those on elements, reductions, running totals, softmax, sorts, quantiles, selections, joins,
//! matrix products, `einsum` and random numbers also exist as a function `…_into` that writes to a tensor
//! or a typed view, which may be one of the inputs. The others do not: sets and masks know their
//! shape only afterwards, factors of matrices are several tensors, and beside the work for a
//! transform or a convolution it does not matter that its result is new.

#[macro_use]
mod entry;

mod activation;
mod activation_with;
mod along;
mod arithmetic;
mod assign;
mod axes;
mod bits;
mod close;
mod compare;
mod complex;
mod diff;
mod einsum;
mod elementwise;
mod exponential;
mod extrema;
pub mod fft;
mod fused;
mod histogram;
mod hyperbolic;
mod index;
mod join;
mod lazy;
mod lens;
pub(crate) mod linalg;
mod logic;
mod map;
pub mod nn;
mod number;
mod operand;
mod operators;
mod power;
mod quantile;
pub mod random;
mod reduce;
mod reuse;
mod rounding;
mod scan;
mod search;
mod select;
mod set;
mod settled;
mod sign;
mod softmax;
mod sort;
mod special;
mod trigonometry;

pub use activation::*;
pub use activation_with::*;
pub use arithmetic::*;
pub use assign::*;
pub use axes::{Axes, keep};
pub use bits::*;
pub use close::{Comparison, Difference, isclose_into};
pub use compare::*;
pub use complex::*;
pub use einsum::{
    EinsumError, EinsumPath, EinsumProblem, EinsumStep, einsum, einsum_into, einsum_path,
};
pub use exponential::*;
pub use extrema::*;
pub use fused::*;
pub use histogram::{Bins, Histogram};
pub use hyperbolic::*;
pub use index::{At, Listed, index_into, masked_select_into, take_along_axis_into, take_into};
pub use join::*;
pub use lazy::{Lazy, lazy};
pub use linalg::{Pairs, Product, matmul_add_into, matmul_into, matmul_with};
pub use logic::*;
pub use number::result_type_with;
pub use operand::{Operand, Target};
pub use power::*;
pub use quantile::{Interpolation, median_into, quantile_into};
pub use reduce::*;
pub use rounding::*;
pub use scan::*;
pub use search::Side;
pub use select::*;
pub use set::*;
pub use sign::*;
pub use softmax::{log_softmax_into, softmax_into};
pub use sort::*;
pub use special::*;
pub use trigonometry::*;
