//! The expression language: from text to steps.

pub mod step;
