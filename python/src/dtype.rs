//! Data types as Python objects, and everything that names one.

use belvedere::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyType};

/// The type of an array's elements. There is one object for each: ``x.dtype is bv.float32``.
#[pyclass(frozen, name = "DType", module = "belvedere", weakref)]
pub struct DTypeObject {
    dtype: DType,
}

/// All types, in the order of the standard, with the two halves where they belong.
pub const ALL: [DType; 15] = [
    DType::Bool,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Float16,
    DType::BFloat16,
    DType::Float32,
    DType::Float64,
    DType::Complex64,
    DType::Complex128,
];

#[pymethods]
impl DTypeObject {
    /// The name, as in the standard.
    #[getter]
    fn name(&self) -> String {
        self.dtype.to_string()
    }

    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    fn __repr__(&self) -> String {
        format!("belvedere.{}", self.dtype)
    }

    fn __str__(&self) -> String {
        self.dtype.to_string()
    }

    fn __hash__(&self) -> u64 {
        self.dtype as u64
    }

    /// Equal to itself, and to NumPy's type of that name.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        of_object(other).is_some_and(|dtype| dtype == self.dtype)
    }

    fn __reduce__(&self) -> String {
        self.dtype.to_string()
    }
}

impl DTypeObject {
    /// The type that it stands for.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
}

/// The object for a type.
pub fn object(py: Python<'_>, dtype: DType) -> &Py<DTypeObject> {
    static OBJECTS: PyOnceLock<Vec<Py<DTypeObject>>> = PyOnceLock::new();
    let objects = OBJECTS.get_or_init(py, || {
        let new =
            |dtype| Py::new(py, DTypeObject { dtype }).expect("there is memory for an object");
        ALL.into_iter().map(new).collect()
    });
    let place = ALL.iter().position(|&it| it == dtype).expect("all types are in the list");
    &objects[place]
}

/// A type as an argument: one of ours, NumPy's or PyTorch's, a name, or one of Python's own types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DTypeArgument(pub DType);

impl<'a, 'py> FromPyObject<'a, 'py> for DTypeArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(dtype) = of_object(&object).or_else(|| of_python(&object)) {
            return Ok(DTypeArgument(dtype));
        }
        let given = object.repr()?;
        Err(PyTypeError::new_err(format!("{given} is no data type that Belvedere has")))
    }
}

/// The type that one of our objects is, or a foreign one of the same name.
fn of_object(object: &Bound<'_, PyAny>) -> Option<DType> {
    if let Ok(own) = object.cast::<DTypeObject>() {
        return Some(own.get().dtype);
    }
    if let Ok(name) = object.extract::<&str>() {
        return of_name(name);
    }
    // NumPy's types have a name, if their byte order is the machine's; PyTorch's have a text.
    if let Ok(name) = object.getattr("name") {
        let is_native = object.getattr("isnative").map_or(Ok(true), |it| it.extract());
        return match is_native {
            Ok(true) => of_name(name.extract::<&str>().ok()?),
            _ => None,
        };
    }
    let text = object.str().ok()?;
    of_name(text.to_str().ok()?.strip_prefix("torch.")?)
}

/// What the numbers of a Python type become.
fn of_python(object: &Bound<'_, PyAny>) -> Option<DType> {
    let py = object.py();
    let class = object.cast::<PyType>().ok()?;
    let of = |it: Bound<'_, PyType>| class.is(&it);
    if of(py.get_type::<PyBool>()) {
        return Some(DType::Bool);
    }
    if of(py.get_type::<PyInt>()) {
        return Some(DType::Int64);
    }
    if of(py.get_type::<PyFloat>()) {
        return Some(DType::Float64);
    }
    if of(py.get_type::<PyComplex>()) {
        return Some(DType::Complex128);
    }
    // NumPy's scalar types: `np.float32`.
    of_name(class.name().ok()?.to_str().ok()?)
}

fn of_name(name: &str) -> Option<DType> {
    ALL.into_iter().find(|it| it.to_string() == name)
}

/// Puts the class and the types into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DTypeObject>()?;
    for dtype in ALL {
        module.add(dtype.to_string().as_str(), object(module.py(), dtype))?;
    }
    Ok(())
}
