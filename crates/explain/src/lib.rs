#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// `lex` cuts a text into words, `parse` makes statements of them, `eval` carries these out on layouts
// and records a `Step` for every call. No tensor is allocated: a step knows shapes, strides and which
// memory it lies in; elements are calculated when they are few.
mod eval;
mod lex;
mod parse;
pub mod report;
pub mod step;
mod suggest;
mod tree;

pub use eval::dialect::Dialect;
pub use eval::names::spellings;
pub use eval::{MAX_DEPTH, MAX_SOURCE, MAX_STEPS, explain};
pub use parse::MAX_NESTING;
pub use step::{Failure, Kind, Report, Scalar, Seen, Step, Values, Why};
pub use suggest::closest;
