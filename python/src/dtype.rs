//! Dtype objects and dtype arguments.

use belvedere::DType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType};

/// The dtype of an array's elements. There is one object for each: ``x.dtype is bv.float32``.
///
/// It compares equal to NumPy's and PyTorch's dtype of the same name, and ``numpy.dtype`` accepts it.
#[pyclass(frozen, name = "DType", module = "belvedere", weakref)]
pub struct DTypeObject {
    dtype: DType,
}

#[pymethods]
impl DTypeObject {
    /// Returns the name, as in the standard.
    #[getter]
    fn name(&self) -> &'static str {
        self.dtype.name()
    }

    /// Returns the bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    /// Returns the alignment of an element in bytes.
    #[getter]
    fn alignment(&self) -> usize {
        self.dtype.align()
    }

    /// Returns NumPy's letter for the kind: ``"b"``, ``"i"``, ``"u"``, ``"f"`` or ``"c"``.
    #[getter]
    fn kind(&self) -> char {
        kind(self.dtype)
    }

    /// Tests whether it is a real floating-point dtype.
    #[getter]
    fn is_floating_point(&self) -> bool {
        self.dtype.is_floating()
    }

    /// Tests whether it is a complex dtype.
    #[getter]
    fn is_complex(&self) -> bool {
        self.dtype.is_complex()
    }

    /// Tests whether it has negative numbers.
    #[getter]
    fn is_signed(&self) -> bool {
        !self.dtype.is_unsigned() && !self.dtype.is_bool()
    }

    /// Returns NumPy's dtype of the same name; there is none for ``bfloat16``.
    #[getter]
    fn __numpy_dtype__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.dtype == DType::BFloat16 {
            return Err(PyTypeError::new_err("NumPy has no bfloat16: cast to float32 first"));
        }
        static NUMPY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        NUMPY.import(py, "numpy", "dtype")?.call1((self.dtype.name(),))
    }

    fn __repr__(&self) -> String {
        format!("belvedere.{}", self.dtype)
    }

    fn __str__(&self) -> &'static str {
        self.dtype.name()
    }

    fn __hash__(&self) -> u64 {
        self.dtype as u64
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        of_object(other) == Some(self.dtype)
    }

    fn __reduce__(&self) -> &'static str {
        self.dtype.name()
    }
}

/// The object of a dtype.
pub(crate) fn object(py: Python<'_>, dtype: DType) -> &Py<DTypeObject> {
    static OBJECTS: PyOnceLock<Vec<Py<DTypeObject>>> = PyOnceLock::new();
    let objects = OBJECTS.get_or_init(py, || {
        let new =
            |dtype| Py::new(py, DTypeObject { dtype }).expect("there is memory for an object");
        DType::ALL.into_iter().map(new).collect()
    });
    &objects[dtype as usize]
}

/// A dtype argument: an object of this package, of NumPy or PyTorch, a name, or a Python type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct DTypeArgument(pub DType);

impl<'a, 'py> FromPyObject<'a, 'py> for DTypeArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(dtype) = of_object(&object) {
            return Ok(DTypeArgument(dtype));
        }
        let given = object.repr()?;
        Err(PyTypeError::new_err(format!("unknown dtype {given}")))
    }
}

/// The dtype that an object denotes.
pub(crate) fn of_object(object: &Bound<'_, PyAny>) -> Option<DType> {
    if let Ok(own) = object.cast_exact::<DTypeObject>() {
        return Some(own.get().dtype);
    }
    if let Ok(name) = object.cast::<PyString>() {
        return of_text(name.to_str().ok()?);
    }
    if let Ok(class) = object.cast::<PyType>() {
        return of_class(class);
    }
    // NumPy's dtypes have a name, if their byte order is native; PyTorch's are known by their text.
    if let Ok(name) = object.getattr("name") {
        let is_native = object.getattr("isnative").map_or(Ok(true), |it| it.extract());
        return match is_native {
            Ok(true) => DType::from_name(name.cast::<PyString>().ok()?.to_str().ok()?),
            _ => None,
        };
    }
    // An array is not converted to text: that may be long.
    if object.get_type().name().ok()? != "dtype" {
        return None;
    }
    let text = object.str().ok()?;
    DType::from_name(text.to_str().ok()?.strip_prefix("torch.")?)
}

/// The dtype of a scalar type: one of Python's, or of NumPy's such as `np.float32`.
fn of_class(class: &Bound<'_, PyType>) -> Option<DType> {
    let py = class.py();
    let is = |it: Bound<'_, PyType>| class.is(&it);
    if is(py.get_type::<PyBool>()) {
        return Some(DType::Bool);
    }
    if is(py.get_type::<PyInt>()) {
        return Some(DType::Int64);
    }
    if is(py.get_type::<PyFloat>()) {
        return Some(DType::Float64);
    }
    if is(py.get_type::<PyComplex>()) {
        return Some(DType::Complex128);
    }
    DType::from_name(class.name().ok()?.to_str().ok()?)
}

/// The dtype of a name, or of one of NumPy's codes: `"float32"`, `"f4"`, `"<f4"`.
fn of_text(text: &str) -> Option<DType> {
    DType::from_name(text).or_else(|| {
        let native = if cfg!(target_endian = "little") { '<' } else { '>' };
        let code = text.strip_prefix([native, '=', '|']).unwrap_or(text);
        let (letter, size) = code.split_at_checked(1)?;
        let size: usize = size.parse().ok()?;
        let is_coded = |it: &DType| letter.starts_with(kind(*it)) && it.size() == size;
        DType::ALL.into_iter().filter(|&it| it != DType::BFloat16).find(is_coded)
    })
}

fn kind(dtype: DType) -> char {
    match dtype {
        _ if dtype.is_bool() => 'b',
        _ if dtype.is_unsigned() => 'u',
        _ if dtype.is_integer() => 'i',
        _ if dtype.is_complex() => 'c',
        _ => 'f',
    }
}

/// The dtype kind that the standard calls by a name such as ``"integral"``.
pub(crate) fn kind_of_name(name: &str) -> PyResult<belvedere::DTypeKind> {
    belvedere::DTypeKind::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("unknown dtype kind {name:?}")))
}

/// Adds the class and the dtypes to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DTypeObject>()?;
    for dtype in DType::ALL {
        module.add(dtype.name(), object(module.py(), dtype))?;
    }
    Ok(())
}
