//! Functions of data types.

use crate::arguments::{ArrayArgument, DeviceArgument, Number, OperandArgument};
use crate::array::ArrayObject;
use crate::dtype::{self, DTypeArgument, DTypeObject, kind_of_name};
use crate::error::raise;
use crate::lock::made;
use belvedere::{DType, FloatInfo, IntegerInfo, Operand, result_type_with};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A data type, or what has one.
struct TypeOf(DType);

impl<'a, 'py> FromPyObject<'a, 'py> for TypeOf {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast_exact::<ArrayObject>() {
            return Ok(TypeOf(array.get().tensor().dtype()));
        }
        if let Some(dtype) = dtype::of_object(&object) {
            return Ok(TypeOf(dtype));
        }
        match object.getattr("dtype") {
            Ok(dtype) => dtype.extract().map(|DTypeArgument(dtype)| TypeOf(dtype)),
            Err(_) => object.extract().map(|DTypeArgument(dtype)| TypeOf(dtype)),
        }
    }
}

/// The array with its elements as those of another type.
///
/// Without ``copy`` an array that has the type already is given back as it is. Complex numbers do not
/// become real ones: take ``real`` first.
///
/// >>> bv.astype(bv.asarray([1.7, -1.7]), bv.int32)
/// array([ 1, -1], dtype=int32)
#[pyfunction]
#[pyo3(signature = (x, dtype, /, *, copy = true, device = None))]
fn astype<'py>(
    py: Python<'py>,
    x: ArrayArgument<'py>,
    dtype: DTypeArgument,
    copy: bool,
    device: Option<DeviceArgument>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let _ = device;
    let (tensor, DTypeArgument(dtype)) = (x.tensor(), dtype);
    let is_same = tensor.dtype() == dtype;
    if is_same && !copy {
        return Ok(x.0.clone());
    }
    let cast = || if is_same { tensor.copy() } else { tensor.astype(dtype) };
    made(py, tensor.len(), cast)
}

/// Whether all values of a type, or an array's, are also values of another.
///
/// >>> bv.can_cast(bv.int32, bv.float64), bv.can_cast(bv.int64, bv.float32)
/// (True, False)
#[pyfunction]
#[pyo3(signature = (from_, to, /))]
fn can_cast(from_: TypeOf, to: DTypeArgument) -> bool {
    belvedere::can_cast(from_.0, to.0)
}

/// Whether a type is another, or of a kind, or among several: ``"bool"``, ``"signed integer"``,
/// ``"unsigned integer"``, ``"integral"``, ``"real floating"``, ``"complex floating"``, ``"numeric"``.
///
/// >>> bv.isdtype(bv.float32, "real floating")
/// True
/// >>> bv.isdtype(bv.float32, (bv.int32, "integral"))
/// False
#[pyfunction]
#[pyo3(signature = (dtype, kind))]
fn isdtype(dtype: DTypeArgument, kind: &Bound<'_, PyAny>) -> PyResult<bool> {
    let DTypeArgument(dtype) = dtype;
    if let Ok(kinds) = kind.cast::<PyTuple>() {
        let mut found = false;
        for kind in kinds.iter() {
            found |= is_of(dtype, &kind)?;
        }
        return Ok(found);
    }
    is_of(dtype, kind)
}

fn is_of(dtype: DType, kind: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(name) = kind.cast::<PyString>() {
        return Ok(belvedere::isdtype(dtype, kind_of_name(name.to_str()?)?));
    }
    kind.extract().map(|DTypeArgument(other)| other == dtype)
}

/// The type in which arrays, types and numbers meet.
///
/// Numbers of Python have no type of their own: they become what the others are, unless they are of a
/// greater kind.
///
/// >>> bv.result_type(bv.int32, bv.float32)
/// belvedere.float64
/// >>> bv.result_type(bv.asarray([1, 2], dtype=bv.int8), 100)
/// belvedere.int8
#[pyfunction]
#[pyo3(signature = (*arrays_and_dtypes))]
fn result_type<'py>(arrays_and_dtypes: &Bound<'py, PyTuple>) -> PyResult<&'py Py<DTypeObject>> {
    let mut types = Vec::with_capacity(arrays_and_dtypes.len());
    let mut numbers: Vec<Operand<'_>> = vec![];
    for given in arrays_and_dtypes.iter() {
        match given.extract() {
            Ok(TypeOf(dtype)) => types.push(dtype),
            Err(_) => match given.extract::<OperandArgument<'_>>()? {
                OperandArgument::Array(array) => types.push(array.get().tensor().dtype()),
                OperandArgument::Number(number) => numbers.push(Number::into(number)),
            },
        }
    }
    match result_type_with(&types, &numbers) {
        Some(dtype) => Ok(dtype::object(arrays_and_dtypes.py(), dtype)),
        None => Err(PyValueError::new_err("result_type needs at least one array or data type")),
    }
}

/// The limits of a type of numbers with fractions, or of an array's.
///
/// >>> bv.finfo(bv.float32).eps
/// 1.1920928955078125e-07
#[pyfunction]
#[pyo3(signature = (r#type, /))]
fn finfo(r#type: TypeOf) -> PyResult<FloatInfoObject> {
    belvedere::finfo(r#type.0).map(FloatInfoObject).map_err(raise)
}

/// The limits of a type of integers, or of an array's.
///
/// >>> bv.iinfo(bv.int8).min, bv.iinfo(bv.int8).max
/// (-128, 127)
#[pyfunction]
#[pyo3(signature = (r#type, /))]
fn iinfo(r#type: TypeOf) -> PyResult<IntegerInfoObject> {
    belvedere::iinfo(r#type.0).map(IntegerInfoObject).map_err(raise)
}

/// What ``finfo`` says. Of a complex type it says it of the parts.
#[pyclass(frozen, name = "finfo_object", module = "belvedere")]
struct FloatInfoObject(FloatInfo);

#[pymethods]
impl FloatInfoObject {
    /// Bits of a number.
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits
    }

    /// The distance from 1 to the next number.
    #[getter]
    fn eps(&self) -> f64 {
        self.0.eps
    }

    /// The greatest finite number.
    #[getter]
    fn max(&self) -> f64 {
        self.0.max
    }

    /// The smallest finite number.
    #[getter]
    fn min(&self) -> f64 {
        self.0.min
    }

    /// The smallest positive number that has all its digits.
    #[getter]
    fn smallest_normal(&self) -> f64 {
        self.0.smallest_normal
    }

    /// The real type.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> &'py Py<DTypeObject> {
        dtype::object(py, self.0.dtype)
    }

    fn __repr__(&self) -> String {
        let FloatInfo { bits, eps, max, min, smallest_normal, dtype, .. } = self.0;
        format!(
            "finfo_object(bits={bits}, eps={eps:e}, max={max:e}, min={min:e}, \
             smallest_normal={smallest_normal:e}, dtype={dtype})"
        )
    }
}

/// What ``iinfo`` says.
#[pyclass(frozen, name = "iinfo_object", module = "belvedere")]
struct IntegerInfoObject(IntegerInfo);

#[pymethods]
impl IntegerInfoObject {
    /// Bits of a number.
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits
    }

    /// The greatest number.
    #[getter]
    fn max(&self) -> u64 {
        self.0.max
    }

    /// The smallest number.
    #[getter]
    fn min(&self) -> i64 {
        self.0.min
    }

    /// The type.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> &'py Py<DTypeObject> {
        dtype::object(py, self.0.dtype)
    }

    fn __repr__(&self) -> String {
        let IntegerInfo { bits, max, min, dtype, .. } = self.0;
        format!("iinfo_object(bits={bits}, max={max}, min={min}, dtype={dtype})")
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(astype, module)?)?;
    module.add_function(wrap_pyfunction!(can_cast, module)?)?;
    module.add_function(wrap_pyfunction!(finfo, module)?)?;
    module.add_function(wrap_pyfunction!(iinfo, module)?)?;
    module.add_function(wrap_pyfunction!(isdtype, module)?)?;
    module.add_function(wrap_pyfunction!(result_type, module)?)
}
