//! The integration tests of the crate, in one program.

mod documents;
mod huge;
mod svg;
mod text;
