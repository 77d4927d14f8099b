#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// `lex` turns source text into tokens, `parse` turns tokens into statements, and `eval` calls the operations of the
// library on them: on tensors of at most 4096 elements, and on tensors without memory if they are larger. The events
// of the library become the steps of the report.
mod eval;
mod lex;
mod parse;
mod plan;
pub mod report;
mod statements;
pub mod step;
mod suggest;
pub mod traced;
mod tree;

pub use eval::dialect::Dialect;
pub use eval::table::spellings;
pub use eval::{MAX_DEPTH, MAX_SOURCE, MAX_STEPS, explain};
pub use parse::MAX_NESTING;
pub use step::{
    Failure, Kind, Report, Scalar, SeamCrossing, SourceLine, Step, TensorSnapshot, Values,
};
pub use suggest::closest;
