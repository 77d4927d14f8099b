//! The native module of the Python package: thin bindings of the core.
//!
//! A binding converts its arguments (`arguments/`), calls one function of `belvedere`, detached from the interpreter
//! where that pays (`attach.rs`), and converts an error to the exception that NumPy would raise (`error.rs`). Nothing
//! is computed here. Functions are registered, and the elementwise ones written, by `cargo xtask gen` (`generated/`).

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod allocation;
mod arguments;
mod array;
mod attach;
mod chapter;
mod copies;
mod differentiated;
mod dtype;
mod error;
mod exchange;
mod explain;
mod generated;
mod held;
#[allow(unsafe_code)]
mod interrupt;
mod lens;
mod tape;
mod trace;
mod ufunc;

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    array::prepare(module.py())?;
    interrupt::prepare(module.py())?;
    module.add_class::<array::ArrayObject>()?;
    module.add_class::<lens::LensObject>()?;
    module.add_class::<ufunc::UfuncObject>()?;
    dtype::register(module)?;
    exchange::register(module)?;
    trace::register(module)?;
    tape::register(module)?;
    held::register(module)?;
    differentiated::register(module)?;
    chapter::register(module)
}
