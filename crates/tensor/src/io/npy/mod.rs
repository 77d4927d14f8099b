//! NumPy's file format.

mod error;
mod header;

pub use error::NpyError;
