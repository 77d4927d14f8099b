//! Report formats: the table, explanations and pictures of `belvedere-explain`, and JSON.

pub mod json;

pub use belvedere_explain::report::*;
