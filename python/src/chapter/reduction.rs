//! The form of functions that go over axes.

/// Functions of an array and axes. An entry is its documentation, the name in Python and the method of
/// `Tensor`; `axis` may be several axes, or all.
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident => $method:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /, *, axis=None, keepdims=false))]
            fn $name(
                py: Python<'_>,
                x: $crate::arguments::ArrayArgument<'_>,
                axis: Option<$crate::arguments::AxesArgument>,
                keepdims: bool,
            ) -> PyResult<$crate::array::Array> {
                let axes = $crate::arguments::AxesArgument::or_all(axis, keepdims);
                let x = x.tensor();
                $crate::lock::run(py, x.len(), || x.$method(axes.clone()))
                    .map($crate::array::Array::from)
            }
        )+

        fn register_reductions(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}
