//! The functions of the namespace, one file a chapter of the standard.

mod constant;
mod creation;
mod data_type;
pub mod elementwise;
mod inspection;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Puts all functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    constant::register(module)?;
    creation::register(module)?;
    data_type::register(module)?;
    elementwise::register(module)?;
    inspection::register(module)
}

/// Puts a namespace of its own into the module, so that `import belvedere._native.linalg` finds it.
#[expect(dead_code, reason = "for linalg, fft and random")]
fn namespace(
    parent: &Bound<'_, PyModule>,
    name: &str,
    register: impl FnOnce(&Bound<'_, PyModule>) -> PyResult<()>,
) -> PyResult<()> {
    let module = PyModule::new(parent.py(), &format!("{}.{name}", parent.name()?))?;
    register(&module)?;
    let modules = parent.py().import("sys")?.getattr("modules")?;
    modules.cast::<PyDict>()?.set_item(module.name()?, &module)?;
    parent.add(name, &module)
}
