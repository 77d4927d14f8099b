//! Constants, and the version of the standard.

use pyo3::prelude::*;
use std::f64::consts::{E, PI};

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("e", E)?;
    module.add("inf", f64::INFINITY)?;
    module.add("nan", f64::NAN)?;
    module.add("newaxis", module.py().None())?;
    module.add("pi", PI)?;
    module.add("__array_api_version__", "2025.12")?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
