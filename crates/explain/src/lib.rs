#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// `lex` turns source text into tokens, `parse` turns tokens into statements, and `eval` executes the
// statements on layouts and records a `Step` for every call. No tensor is allocated: a step holds the
// dtype, the layout and the number of a memory; values are computed for at most 4096 elements.
mod eval;
mod lex;
mod parse;
pub mod report;
pub mod step;
mod suggest;
pub mod traced;
mod tree;

pub use eval::dialect::Dialect;
pub use eval::names::spellings;
pub use eval::{MAX_DEPTH, MAX_SOURCE, MAX_STEPS, explain};
pub use parse::MAX_NESTING;
pub use step::{Failure, Kind, Report, Scalar, SeamCrossing, Step, TensorSnapshot, Values};
pub use suggest::closest;
