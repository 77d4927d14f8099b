//! The namespace `linalg`.

mod factor;
mod norm;
mod simple;
mod solve;

pub use norm::vector_norm;

use pyo3::prelude::*;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::product::register(module)?;
    factor::register(module)?;
    norm::register(module)?;
    simple::register(module)?;
    solve::register(module)
}
