//! Functions of data types.

use crate::arguments::{
    ArrayArgument, Casting, DeviceArgument, Number, OperandArgument, Order, reserve,
};
use crate::array::ArrayObject;
use crate::attach::run_to_object;
use crate::dtype::{self, DTypeArgument, DTypeObject, kind_of_name};
use crate::error::raise;
use crate::exchange::create::on_device;
use belvedere::{DType, FloatInfo, IntegerInfo, Operand, result_type_with};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A dtype, or the dtype of an object that has one.
pub(crate) struct TypeOf(DType);

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

/// Casts an array to another dtype.
///
/// With ``copy=False``, an array that already has the dtype is returned as it is. Complex arrays
/// are not cast to real dtypes: use ``real`` first.
///
/// >>> bv.astype(bv.asarray([1.7, -1.7]), bv.int32)
/// array([ 1, -1], dtype=int32)
#[pyfunction]
#[pyo3(signature = (x, /, dtype, *, copy = true, device = None))]
pub(crate) fn astype<'py>(
    x: ArrayArgument<'py>,
    dtype: DTypeArgument,
    copy: bool,
    device: Option<DeviceArgument>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let array = cast(&x.0, dtype, copy)?;
    match device {
        Some(DeviceArgument(device)) => on_device(array, device),
        None => Ok(array),
    }
}

/// Casts an array; without `copy`, an array that has the dtype is returned as it is.
pub(crate) fn cast<'py>(
    x: &Bound<'py, ArrayObject>,
    dtype: DTypeArgument,
    copy: bool,
) -> PyResult<Bound<'py, ArrayObject>> {
    let (tensor, DTypeArgument(dtype)) = (x.get().tensor(), dtype);
    let is_same = tensor.dtype() == dtype;
    if is_same && !copy {
        return Ok(x.clone());
    }
    match is_same {
        true => Order::Keep.copy(x.py(), tensor),
        false => run_to_object(x.py(), tensor.len(), || tensor.astype(dtype)),
    }
}

/// Tests whether a dtype, or the dtype of an array, can be cast to another: without loss, or as ``casting`` allows.
///
/// >>> bv.can_cast(bv.int32, bv.float64), bv.can_cast(bv.int64, bv.float32)
/// (True, False)
#[pyfunction]
#[pyo3(signature = (from_, /, to, casting = Casting::Safe),
       text_signature = "(from_, /, to, casting='safe')")]
pub(crate) fn can_cast(from_: TypeOf, to: DTypeArgument, casting: Casting) -> bool {
    casting.check(from_.0, to.0).is_ok()
}

/// Tests whether a dtype is another dtype, of a kind, or one of several.
///
/// The kinds are ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``, ``"real
/// floating"``, ``"complex floating"`` and ``"numeric"``.
///
/// >>> bv.isdtype(bv.float32, "real floating")
/// True
/// >>> bv.isdtype(bv.float32, (bv.int32, "integral"))
/// False
#[pyfunction]
#[pyo3(signature = (dtype, kind))]
pub(crate) fn isdtype(dtype: DTypeArgument, kind: &Bound<'_, PyAny>) -> PyResult<bool> {
    let DTypeArgument(dtype) = dtype;
    if let Ok(kinds) = kind.cast::<PyTuple>() {
        let mut found = false;
        for kind in kinds.iter() {
            found |= is_of_kind(dtype, &kind)?;
        }
        return Ok(found);
    }
    is_of_kind(dtype, kind)
}

fn is_of_kind(dtype: DType, kind: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(name) = kind.cast::<PyString>() {
        return Ok(belvedere::isdtype(dtype, kind_of_name(name.to_str()?)?));
    }
    kind.extract().map(|DTypeArgument(other)| other == dtype)
}

/// Returns the dtype that results from type promotion of the arguments.
///
/// Python scalars are weakly typed: they take the dtype of the other arguments unless their kind is
/// higher.
///
/// >>> bv.result_type(bv.int32, bv.float32)
/// belvedere.float64
/// >>> bv.result_type(bv.asarray([1, 2], dtype=bv.int8), 100)
/// belvedere.int8
#[pyfunction]
#[pyo3(signature = (*arrays_and_dtypes))]
pub(crate) fn result_type<'py>(
    arrays_and_dtypes: &Bound<'py, PyTuple>,
) -> PyResult<&'py Py<DTypeObject>> {
    let mut types = Vec::new();
    let mut numbers: Vec<Operand<'_>> = vec![];
    // All of them may be arrays, or all numbers.
    reserve(&mut types, arrays_and_dtypes.len())?;
    reserve(&mut numbers, arrays_and_dtypes.len())?;
    for given in arrays_and_dtypes.iter() {
        match given.extract() {
            Ok(TypeOf(dtype)) => types.push(dtype),
            Err(_) => match given.extract::<OperandArgument>()? {
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

/// Returns the machine limits of a floating-point dtype.
///
/// >>> bv.finfo(bv.float32).eps
/// 1.1920928955078125e-07
#[pyfunction]
#[pyo3(signature = (r#type, /))]
pub(crate) fn finfo(r#type: TypeOf) -> PyResult<FloatInfoObject> {
    belvedere::finfo(r#type.0).map(FloatInfoObject).map_err(raise)
}

/// Returns the machine limits of an integer dtype.
///
/// >>> bv.iinfo(bv.int8).min, bv.iinfo(bv.int8).max
/// (-128, 127)
#[pyfunction]
#[pyo3(signature = (r#type, /))]
pub(crate) fn iinfo(r#type: TypeOf) -> PyResult<IntegerInfoObject> {
    belvedere::iinfo(r#type.0).map(IntegerInfoObject).map_err(raise)
}

/// The machine limits of a floating-point dtype; for a complex dtype, those of its parts.
#[pyclass(frozen, name = "finfo_object", module = "belvedere")]
pub(crate) struct FloatInfoObject(FloatInfo);

#[pymethods]
impl FloatInfoObject {
    /// The number of bits.
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits
    }

    /// The distance from 1 to the next larger number.
    #[getter]
    fn eps(&self) -> f64 {
        self.0.eps
    }

    /// The largest finite number.
    #[getter]
    fn max(&self) -> f64 {
        self.0.max
    }

    /// The smallest finite number.
    #[getter]
    fn min(&self) -> f64 {
        self.0.min
    }

    /// The smallest positive normal number.
    #[getter]
    fn smallest_normal(&self) -> f64 {
        self.0.smallest_normal
    }

    /// NumPy's other name of the smallest positive normal number.
    #[getter]
    fn tiny(&self) -> f64 {
        self.0.smallest_normal
    }

    /// The smallest positive number.
    #[getter]
    fn smallest_subnormal(&self) -> f64 {
        self.0.smallest_normal * self.0.eps
    }

    /// The number of bits of the mantissa, without the leading one.
    #[getter]
    fn nmant(&self) -> i32 {
        -self.0.eps.log2() as i32
    }

    /// The number of decimal digits that are kept exactly.
    #[getter]
    fn precision(&self) -> i32 {
        -self.0.eps.log10() as i32
    }

    /// The distance of decimal numbers near 1 that stay different: ``10**-precision``.
    #[getter]
    fn resolution(&self) -> f64 {
        10f64.powi(-self.precision())
    }

    /// The real dtype.
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

/// The machine limits of an integer dtype.
#[pyclass(frozen, name = "iinfo_object", module = "belvedere")]
pub(crate) struct IntegerInfoObject(IntegerInfo);

#[pymethods]
impl IntegerInfoObject {
    /// The number of bits.
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits
    }

    /// The largest number.
    #[getter]
    fn max(&self) -> u64 {
        self.0.max
    }

    /// The smallest number.
    #[getter]
    fn min(&self) -> i64 {
        self.0.min
    }

    /// The dtype.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> &'py Py<DTypeObject> {
        dtype::object(py, self.0.dtype)
    }

    fn __repr__(&self) -> String {
        let IntegerInfo { bits, max, min, dtype, .. } = self.0;
        format!("iinfo_object(bits={bits}, max={max}, min={min}, dtype={dtype})")
    }
}
