//! Dtype objects and dtype arguments.

use crate::array::ArrayObject;
use crate::exchange::create::asarray;
use belvedere::DType;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyString, PyTuple, PyType};
use std::ffi::c_long;

/// The dtype of an array's elements. There is one object for each: ``x.dtype is bv.float32``.
///
/// It compares equal to NumPy's and PyTorch's dtype of the same name, and ``numpy.dtype`` accepts it. Its hash is that of
/// NumPy's dtype, for NumPy 2: it is computed from the same parts, also if NumPy is not imported. PyTorch's dtypes have
/// other hashes.
///
/// ``bv.dtype`` is this class. It returns the object of a name, a code, a Python or NumPy type, or an array:
/// ``bv.dtype("f4") is bv.float32``. A dtype is a function that converts to it.
///
/// >>> bv.float32([1, 2])
/// array([1., 2.], dtype=float32)
/// >>> bv.dtype("i4"), bv.dtype(float)
/// (belvedere.int32, belvedere.float64)
#[pyclass(frozen, name = "DType", module = "belvedere", weakref)]
pub struct DTypeObject {
    dtype: DType,
    hash: isize,
}

#[pymethods]
impl DTypeObject {
    #[new]
    #[pyo3(signature = (dtype=None, align=false, copy=false))]
    #[expect(unused_variables, reason = "parameters of numpy.dtype that change nothing here")]
    fn new(
        py: Python<'_>,
        dtype: Option<&Bound<'_, PyAny>>,
        align: bool,
        copy: bool,
    ) -> PyResult<Py<DTypeObject>> {
        let Some(given) = dtype else { return Ok(object(py, DType::Float64).clone_ref(py)) };
        let found = match given.cast::<ArrayObject>() {
            Ok(array) => array.get().tensor().dtype(),
            Err(_) => given.extract::<DTypeArgument>()?.0,
        };
        Ok(object(py, found).clone_ref(py))
    }

    /// Converts a number, nested sequences or an array to a new array of the dtype; without a value, zero.
    #[pyo3(signature = (value=None, /))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let dtype = Some(DTypeArgument(self.dtype));
        match value {
            Some(value) => asarray(value, dtype, None, None, Some(true)),
            None => asarray(&0_i64.into_bound_py_any(py)?, dtype, None, None, None),
        }
    }

    /// Returns the name, as in the standard.
    #[getter]
    fn name(&self) -> &'static str {
        self.dtype.name()
    }

    /// Returns the name: in NumPy ``float64`` is a class.
    #[getter]
    fn __name__(&self) -> &'static str {
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

    /// Returns NumPy's class of the same dtype once NumPy is imported, so that ``isinstance(x.dtype, numpy.dtype)`` is true.
    ///
    /// xarray and other libraries test it before they use a dtype's attributes. ``type(x.dtype)`` is ``DType``.
    #[getter]
    fn __class__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let is_imported = py.import("sys")?.getattr("modules")?.contains("numpy")?;
        if !is_imported || slf.get().dtype == DType::BFloat16 {
            return Ok(slf.get_type().into_any());
        }
        Ok(slf.get().__numpy_dtype__(py)?.get_type().into_any())
    }

    fn __repr__(&self) -> String {
        format!("belvedere.{}", self.dtype)
    }

    fn __str__(&self) -> &'static str {
        self.dtype.name()
    }

    fn __hash__(&self) -> isize {
        self.hash
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        of_object(other) == Some(self.dtype)
    }

    fn __reduce__(&self) -> &'static str {
        self.dtype.name()
    }
}

/// NumPy's attributes of dtypes.
#[pymethods]
impl DTypeObject {
    /// Returns NumPy's byte order: ``"="``, the native one, or ``"|"`` for single bytes.
    #[getter]
    fn byteorder(&self) -> char {
        byte_order(self.dtype)
    }

    /// Returns NumPy's letter for the dtype, such as ``"d"`` for ``float64``.
    #[getter(char)]
    fn letter(&self) -> char {
        LETTERS.into_iter().find(|it| it.2 == self.dtype).map_or('E', |it| it.0)
    }

    /// Returns NumPy's number of the dtype; there is none for ``bfloat16``.
    #[getter]
    fn num(&self) -> PyResult<u8> {
        let number = LETTERS.into_iter().find(|it| it.2 == self.dtype).map(|it| it.1);
        number.ok_or_else(|| PyAttributeError::new_err("NumPy has no number for bfloat16"))
    }

    /// Returns NumPy's code with the byte order: ``"<f8"``.
    #[getter(str)]
    pub(crate) fn code(&self) -> String {
        let order = match byte_order(self.dtype) {
            '=' => NATIVE,
            other => other,
        };
        format!("{order}{}{}", kind(self.dtype), self.dtype.size())
    }

    /// Returns True: elements are in native byte order.
    #[getter]
    fn isnative(&self) -> bool {
        true
    }

    /// Returns 1, as NumPy does for its own dtypes.
    #[getter]
    fn isbuiltin(&self) -> u8 {
        1
    }

    /// Returns False: elements are numbers, not Python objects.
    #[getter]
    fn hasobject(&self) -> bool {
        false
    }

    /// Returns the dtype itself: it has no parts.
    #[getter]
    fn base(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Returns an empty tuple: an element has no axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        PyTuple::empty(py)
    }

    /// Returns 0: an element has no axes.
    #[getter]
    fn ndim(&self) -> usize {
        0
    }

    /// Returns None: an element has no fields.
    #[getter]
    fn names(&self) -> Option<u8> {
        None
    }

    /// Returns None: an element has no fields.
    #[getter]
    fn fields(&self) -> Option<u8> {
        None
    }

    /// Returns None: an element has no parts.
    #[getter]
    fn subdtype(&self) -> Option<u8> {
        None
    }

    /// Returns the description of ``__array_interface__``: ``[("", "<f8")]``.
    #[getter]
    pub(crate) fn descr(&self) -> Vec<(&'static str, String)> {
        vec![("", self.code())]
    }

    /// Returns the dtype in another byte order, which must be the native one.
    ///
    /// >>> bv.float32.newbyteorder("=") is bv.float32
    /// True
    #[pyo3(signature = (new_order="S", /))]
    fn newbyteorder(slf: Py<Self>, new_order: &str) -> PyResult<Py<Self>> {
        let first = new_order.chars().next().map(|it| it.to_ascii_lowercase());
        let native = if NATIVE == '<' { ['<', 'l'] } else { ['>', 'b'] };
        match first {
            Some('=' | 'n' | '|' | 'i') => Ok(slf),
            Some(order) if native.contains(&order) || slf.get().dtype.size() == 1 => Ok(slf),
            _ => Err(PyTypeError::new_err(format!(
                "unsupported byte order {new_order:?}: elements are in native byte order"
            ))),
        }
    }
}

/// The object of a dtype.
pub(crate) fn object(py: Python<'_>, dtype: DType) -> &Py<DTypeObject> {
    static OBJECTS: PyOnceLock<Vec<Py<DTypeObject>>> = PyOnceLock::new();
    let objects = OBJECTS.get_or_init(py, || {
        let new = |dtype| {
            let hash = numpy_hash(py, dtype).expect("tuples of bytes and integers have a hash");
            Py::new(py, DTypeObject { dtype, hash }).expect("there is memory for an object")
        };
        DType::ALL.into_iter().map(new).collect()
    });
    &objects[dtype as usize]
}

/// Returns the hash of NumPy's dtype: that of the tuple `(kind, byteorder, flags, itemsize, alignment)`, where the first two
/// are bytes.
fn numpy_hash(py: Python<'_>, dtype: DType) -> PyResult<isize> {
    let kind = if dtype == DType::BFloat16 { 'V' } else { kind(dtype) };
    let order = match byte_order(dtype) {
        '=' => NATIVE,
        other => other,
    };
    let letter = |it: char| PyBytes::new(py, &[it as u8]);
    (letter(kind), letter(order), 0, dtype.size(), dtype.align()).into_pyobject(py)?.hash()
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
        Err(unknown_dtype(&object))
    }
}

/// The exception for an object that denotes no dtype of this package.
#[cold]
pub(crate) fn unknown_dtype(object: &Bound<'_, PyAny>) -> PyErr {
    let given = match object.repr() {
        Ok(given) => given,
        Err(error) => return error,
    };
    PyTypeError::new_err(match names_other_dtype(object) {
        true => format!("unsupported dtype {given}: only numbers and bools in native byte order"),
        false => format!("unknown dtype {given}"),
    })
}

/// Whether an object denotes a dtype of NumPy that this package does not have.
fn names_other_dtype(object: &Bound<'_, PyAny>) -> bool {
    const NAMES: [&str; 12] = [
        "object",
        "O",
        "str",
        "U",
        "S",
        "V",
        "bytes",
        "datetime64",
        "timedelta64",
        "longdouble",
        "g",
        "clongdouble",
    ];
    match object.extract::<&str>() {
        Ok(text) => NAMES.contains(&text) || text.starts_with(['<', '>', 'M', 'm', 'U', 'S', 'V']),
        Err(_) => object.hasattr("isnative").unwrap_or(false),
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
    of_text(class.name().ok()?.to_str().ok()?)
}

/// NumPy's names of the types of C and Python, with our dtypes: a type of C may have another size on another system.
const NUMPY_NAMES: [(&str, DType); 20] = [
    ("bool_", DType::Bool),
    ("byte", DType::Int8),
    ("ubyte", DType::UInt8),
    ("short", DType::Int16),
    ("ushort", DType::UInt16),
    ("intc", DType::Int32),
    ("uintc", DType::UInt32),
    ("int_", DType::Int64),
    ("uint", DType::UInt64),
    ("intp", DType::Int64),
    ("uintp", DType::UInt64),
    ("long", LONG),
    ("ulong", ULONG),
    ("longlong", DType::Int64),
    ("ulonglong", DType::UInt64),
    ("half", DType::Float16),
    ("single", DType::Float32),
    ("double", DType::Float64),
    ("csingle", DType::Complex64),
    ("cdouble", DType::Complex128),
];

/// The type `long` of C, which has 32 bits on Windows.
const LONG: DType = if size_of::<c_long>() == 8 { DType::Int64 } else { DType::Int32 };
const ULONG: DType = if size_of::<c_long>() == 8 { DType::UInt64 } else { DType::UInt32 };

/// NumPy's letters and numbers of our dtypes. Of two letters for one dtype, the first is NumPy's own.
const LETTERS: [(char, u8, DType); 20] = [
    ('?', 0, DType::Bool),
    ('b', 1, DType::Int8),
    ('B', 2, DType::UInt8),
    ('h', 3, DType::Int16),
    ('H', 4, DType::UInt16),
    ('i', 5, DType::Int32),
    ('I', 6, DType::UInt32),
    ('l', 7, LONG),
    ('L', 8, ULONG),
    ('q', 9, DType::Int64),
    ('Q', 10, DType::UInt64),
    ('f', 11, DType::Float32),
    ('d', 12, DType::Float64),
    ('F', 14, DType::Complex64),
    ('D', 15, DType::Complex128),
    ('e', 23, DType::Float16),
    ('p', 7, DType::Int64),
    ('P', 8, DType::UInt64),
    ('n', 7, DType::Int64),
    ('N', 8, DType::UInt64),
];

/// The byte order of the processor, as NumPy writes it.
const NATIVE: char = if cfg!(target_endian = "little") { '<' } else { '>' };

/// The byte order as NumPy writes it: `=` for the native one, `|` for single bytes.
fn byte_order(dtype: DType) -> char {
    if dtype.size() == 1 { '|' } else { '=' }
}

/// The dtype of a name, or of one of NumPy's codes: `"float32"`, `"double"`, `"f4"`, `"<f4"`, `"f"`.
pub(crate) fn of_text(text: &str) -> Option<DType> {
    if let Some(dtype) = DType::from_name(text) {
        return Some(dtype);
    }
    if let Some((_, dtype)) = NUMPY_NAMES.into_iter().find(|it| it.0 == text) {
        return Some(dtype);
    }
    match text {
        "int" => return Some(DType::Int64),
        "float" => return Some(DType::Float64),
        "complex" => return Some(DType::Complex128),
        _ => {}
    }
    let code = text.strip_prefix([NATIVE, '=', '|']).unwrap_or(text);
    let is_letter = |it: &(char, u8, DType)| code.strip_prefix(it.0) == Some("");
    LETTERS.into_iter().find(is_letter).map(|it| it.2).or_else(|| {
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
    module.add("dtype", module.py().get_type::<DTypeObject>())?;
    for (name, dtype) in NUMPY_NAMES {
        module.add(name, object(module.py(), dtype))?;
    }
    for dtype in DType::ALL {
        module.add(dtype.name(), object(module.py(), dtype))?;
    }
    Ok(())
}
