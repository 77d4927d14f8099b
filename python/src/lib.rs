//! The native half of the Python package: thin bindings, cut by the chapters of the Array API
//! standard.
//!
//! A binding reads its arguments (`arguments/`), calls one function of `belvedere` with the interpreter
//! released where that pays (`lock.rs`), and turns an error into the exception that a NumPy user
//! expects (`error.rs`). Nothing is calculated here.

#![deny(unsafe_code)]

mod arguments;
mod array;
mod chapter;
mod copies;
mod dtype;
mod error;
mod exchange;
mod explain;
mod lens;
mod lock;

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    array::prepare(module.py())?;
    module.add_class::<array::ArrayObject>()?;
    module.add_class::<lens::LensObject>()?;
    copies::register(module)?;
    dtype::register(module)?;
    explain::register(module)?;
    exchange::register(module)?;
    chapter::register(module)
}
