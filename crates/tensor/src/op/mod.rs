//! Checked public operations.
//!
//! An operation checks its arguments, finds the dtype and the shape of its result, and runs a kernel
//! (`execute/`). None has a loop over elements. Each returns a new tensor. Elementwise operations, reductions,
//! cumulative sums, softmax, sorts, quantiles, indexing, joins, matrix products, `einsum` and random numbers
//! also exist as a function `…_into` that writes to a tensor or a typed view, which may be one of the inputs.
//! The others do not: sets and masks have data-dependent shapes, factorizations return several tensors, and
//! for transforms and convolutions the cost of allocating the result does not matter.

#[macro_use]
mod entry_doc;
#[macro_use]
mod entry;

mod assign;
mod axes;
mod convert;
mod einsum;
mod element;
mod elementwise;
#[allow(unsafe_code)]
pub(crate) mod execute;
pub mod fft;
mod index;
mod join;
mod lazy;
mod lens;
pub(crate) mod linalg;
pub mod nn;
mod number;
mod operand;
mod operators;
mod option_names;
pub mod random;
mod reduce;
mod reuse;
mod scan;
mod sorting;
mod zip;

pub use assign::*;
pub use axes::{Axes, keep};
pub use einsum::{
    EinsumError, EinsumPath, EinsumProblem, EinsumStep, einsum, einsum_into, einsum_path,
};
pub use element::*;
pub use index::{
    AtList, TensorIndex, index_into, masked_select_into, take_along_axis_into, take_into,
};
pub use join::*;
pub use lazy::{Lazy, lazy};
pub use linalg::{Pairs, Product, matmul_add_into, matmul_into, matmul_with};
pub use number::result_type_with;
pub(crate) use operand::initialize_statics;
pub use operand::{Operand, Target};
pub use reduce::*;
pub use scan::*;
pub use sorting::*;
pub use zip::{ClosureResult, Targets, Zip, zip};
