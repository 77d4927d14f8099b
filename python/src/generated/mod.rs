//! Code that `cargo xtask gen` writes from the table in `operations/`, and the macro that it uses.

pub(crate) mod elementwise;
pub(crate) mod reduction;
pub(crate) mod registration;

/// Defines a function that adds functions to a module: its name, then for each Rust module the names in it.
macro_rules! register_functions {
    ($namespace:ident $($($module:ident)::+: $($name:ident)+;)+) => {
        pub(crate) fn $namespace(
            module: &pyo3::Bound<'_, pyo3::types::PyModule>,
        ) -> pyo3::PyResult<()> {
            use pyo3::types::PyModuleMethods as _;
            $({
                use crate::$($module)::+ as functions;
                $(module.add_function(pyo3::wrap_pyfunction!(functions::$name, module)?)?;)+
            })+
            Ok(())
        }
    };
}

use register_functions;
