//! The functions of the namespace, one file a chapter of the standard.

#[macro_use]
mod reduction;

mod activation;
mod constant;
mod creation;
mod data_type;
mod distribution;
mod einsum;
pub mod elementwise;
mod fft;
mod indexing;
mod inspection;
mod joining;
mod linalg;
mod manipulation;
mod memory;
mod nn;
mod numbers;
mod product;
mod random;
mod result;
mod searching;
mod set;
mod sorting;
mod statistical;
mod utility;

use belvedere::Tensor;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Puts all functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    activation::register(module)?;
    constant::register(module)?;
    creation::register(module)?;
    data_type::register(module)?;
    distribution::register(module)?;
    einsum::register(module)?;
    elementwise::register(module)?;
    indexing::register(module)?;
    inspection::register(module)?;
    joining::register(module)?;
    manipulation::register(module)?;
    memory::register(module)?;
    numbers::register(module)?;
    product::register(module)?;
    product::register_more(module)?;
    searching::register(module)?;
    set::register(module)?;
    sorting::register(module)?;
    statistical::register(module)?;
    utility::register(module)?;
    namespace(module, "fft", fft::register)?;
    namespace(module, "linalg", linalg::register)?;
    namespace(module, "nn", nn::register)?;
    namespace(module, "random", random::register)
}

/// Puts a namespace of its own into the module, so that `import belvedere._native.linalg` finds it.
fn namespace(
    parent: &Bound<'_, PyModule>,
    name: &str,
    register: impl FnOnce(&Bound<'_, PyModule>) -> PyResult<()>,
) -> PyResult<()> {
    let module = PyModule::new(parent.py(), &format!("{}.{name}", parent.name()?))?;
    register(&module)?;
    let modules = parent.py().import("sys")?.getattr("modules")?;
    modules.cast::<PyDict>()?.set_item(module.name()?, &module)?;
    // Not among the names that `import *` brings: there is a file for each, which can be imported.
    parent.setattr(name, &module)
}

/// The work that a product or a factorisation of matrices is, in elements.
fn work(x: &Tensor) -> usize {
    match x.shape()[..] {
        [.., _, len] => x.len().saturating_mul(len),
        _ => x.len(),
    }
}
