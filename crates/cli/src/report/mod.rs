//! Steps as people and programs read them: a table, explanations, JSON and pictures.

pub mod json;

pub use belvedere_explain::report::*;
