//! Conversion of elements to Python scalars.

use super::ArrayObject;
use crate::arguments::{Integers, Number};
use crate::attach::{run, run_to_object};
use crate::error::raise;
use belvedere::{Complex, DType, Error, Tensor, Value, assign_into};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

#[pymethods]
impl ArrayObject {
    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.number_for_type(py)? {
            Number::Bool(value) => i64::from(value).into_bound_py_any(py),
            number @ Number::Int(_) => number.into_pyobject(py),
            // Python truncates towards zero, and raises for infinities and NaN.
            Number::Float(value) => value.into_bound_py_any(py)?.call_method0("__int__"),
            Number::Complex(_) => Err(self.cannot_convert("int")),
        }
    }

    fn __complex__(&self, py: Python<'_>) -> PyResult<Complex<f64>> {
        match self.number_for_type(py)? {
            Number::Complex(value) => Ok(value),
            _ => self.float(py).map(Complex::from),
        }
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.tensor.dtype().is_integer() && self.tensor.rank() == 0 {
            true => self.number(py)?.into_pyobject(py),
            false => Err(self.cannot_convert("index")),
        }
    }

    /// Truncates the only element towards zero.
    fn __trunc__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.__int__(py)
    }

    /// Rounds the only element down.
    fn __floor__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.by_python(py, "__floor__", "floor")
    }

    /// Rounds the only element up.
    fn __ceil__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.by_python(py, "__ceil__", "ceil")
    }

    /// Rounds to a number of digits; without it, a 0-d array is rounded to a Python integer.
    #[pyo3(signature = (ndigits=None, /))]
    fn __round__<'py>(&self, py: Python<'py>, ndigits: Option<i32>) -> PyResult<Bound<'py, PyAny>> {
        match ndigits {
            None if self.tensor.rank() == 0 => self.by_python(py, "__round__", "round"),
            decimals => {
                let (x, decimals) = (&self.tensor, decimals.unwrap_or(0));
                run_to_object(py, x.len(), || x.round_decimals(decimals)).map(Bound::into_any)
            }
        }
    }

    /// Formats a 0-d array as its Python scalar; other arrays have no format but ``str``.
    fn __format__<'py>(slf: &Bound<'py, Self>, format_spec: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, tensor) = (slf.py(), &slf.get().tensor);
        if format_spec.is_empty() {
            return Ok(slf.str()?.into_any());
        }
        if tensor.rank() > 0 {
            return Err(PyTypeError::new_err(format!(
                "the format {format_spec:?} needs a 0-d array, got shape {:?}: format its elements, \
                 or convert them by tolist()",
                &tensor.shape()[..]
            )));
        }
        slf.get().number(py)?.into_pyobject(py)?.call_method1("__format__", (format_spec,))
    }

    /// Returns the only element, or the element at an index, as a Python scalar.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).item(1, 0)
    /// 3
    #[pyo3(signature = (*args))]
    fn item<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Number> {
        if args.is_empty() {
            return self.number(py);
        }
        let at = Integers::of_arguments(args)?.0;
        let part = self.part_at(&at)?;
        run(py, 1, || number(&part))
    }

    /// Returns the elements as nested lists of Python scalars.
    ///
    /// >>> bv.asarray([[1, 2], [3, 4]]).tolist()
    /// [[1, 2], [3, 4]]
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.tensor.shape();
        check_memory_for_objects(self.tensor.len())?;
        match Values::read(py, &self.tensor)? {
            Values::Bool(values) => nested(py, &shape, &mut values.into_iter()),
            Values::Int(values) => nested(py, &shape, &mut values.into_iter()),
            Values::UInt(values) => nested(py, &shape, &mut values.into_iter()),
            Values::Float(values) => nested(py, &shape, &mut values.into_iter()),
            Values::Complex(values) => nested(py, &shape, &mut values.into_iter()),
        }
    }
}

/// What the slots of `slots.rs` compute.
impl ArrayObject {
    /// Returns whether the only element is not zero.
    pub(super) fn truth(&self, py: Python<'_>) -> PyResult<bool> {
        if self.tensor.len() != 1 {
            return Err(PyValueError::new_err(match self.tensor.is_empty() {
                true => "the truth value of an array without elements is ambiguous: use size > 0",
                false => {
                    "the truth value of an array with more than one element is ambiguous: \
                     use any() or all()"
                }
            }));
        }
        self.number(py).map(is_true)
    }

    /// Computes the same if the element can be read at once.
    #[inline]
    pub(super) fn try_truth(&self) -> Option<bool> {
        match self.tensor.dtype() {
            DType::Bool => self.tensor.try_item(),
            _ => try_number(&self.tensor).map(is_true),
        }
    }

    /// `float(x)`: returns the only element as a float.
    pub(super) fn float(&self, py: Python<'_>) -> PyResult<f64> {
        match self.number_for_type(py)? {
            Number::Bool(value) => Ok(f64::from(u8::from(value))),
            Number::Int(value) => Ok(value as f64),
            Number::Float(value) => Ok(value),
            Number::Complex(_) => Err(self.cannot_convert("float")),
        }
    }

    /// Does the same if that can be done at once, for floating-point dtypes; otherwise, [`float`](ArrayObject::float) decides.
    pub(super) fn try_float(&self) -> Option<f64> {
        match self.tensor.dtype() {
            DType::Float64 => self.tensor.try_item(),
            DType::Float32 => self.tensor.try_item().map(|it: f32| it.into()),
            _ => None,
        }
    }

    /// Returns the hash of the only element of a 0-d array, which is that of the Python scalar.
    pub(super) fn hash(&self, py: Python<'_>) -> PyResult<isize> {
        if self.tensor.rank() > 0 {
            return Err(PyTypeError::new_err(format!(
                "only 0-d arrays are hashable, got shape {:?}: use tuple(x.tolist())",
                &self.tensor.shape()[..]
            )));
        }
        match self.number(py)? {
            Number::Bool(value) => Ok(value.into()),
            Number::Int(value) => Ok(hash_of_integer(value)),
            // As for Python's floats: NaN is equal to no key but itself.
            Number::Float(value) if value.is_nan() => Ok(hash_of_address(self)),
            number => number.into_pyobject(py)?.hash(),
        }
    }

    /// Computes the same for an integer that can be read at once.
    #[inline]
    pub(super) fn try_hash(&self) -> Option<isize> {
        match self.tensor.rank() == 0 && self.tensor.dtype() == DType::Int64 {
            true => self.tensor.try_item::<i64>().map(|it| hash_of_integer(it.into())),
            false => None,
        }
    }
}

/// Whether a number is not zero.
fn is_true(number: Number) -> bool {
    match number {
        Number::Bool(value) => value,
        Number::Int(value) => value != 0,
        Number::Float(value) => value != 0.0,
        Number::Complex(value) => value.re != 0.0 || value.im != 0.0,
    }
}

impl ArrayObject {
    /// Reads the only element.
    #[inline]
    pub fn number(&self, py: Python<'_>) -> PyResult<Number> {
        read_number(py, &self.tensor)
    }

    /// Reads the only element for a conversion; a `TypeError` if there is not exactly one.
    fn number_for_type(&self, py: Python<'_>) -> PyResult<Number> {
        if self.tensor.len() != 1 {
            let error = Error::NotOneElement { shape: self.tensor.shape().into() };
            return Err(PyTypeError::new_err(error.to_string()));
        }
        self.number(py)
    }

    /// Computes a special method of Python's scalars, which is called by `name`, for the only element.
    fn by_python<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.number_for_type(py)? {
            Number::Complex(_) => Err(self.cannot_convert(name)),
            Number::Bool(value) => i128::from(value).into_bound_py_any(py),
            number => number.into_pyobject(py)?.call_method0(method),
        }
    }

    /// The 0-d view of the element at an index on all axes, or in the flattened array.
    fn part_at(&self, at: &[isize]) -> PyResult<Tensor> {
        let x = &self.tensor;
        if at.len() == x.rank() {
            let index: Vec<_> = at.iter().map(|&at| belvedere::Index::At(at)).collect();
            return x.slice(&index).map_err(raise);
        }
        let &[at] = at else {
            let (given, rank) = (at.len(), x.rank());
            let message =
                format!("expected 1 or {rank} indices for an array with {rank} axes, got {given}");
            return Err(PyValueError::new_err(message));
        };
        let len = x.len() as isize;
        let position = if at < 0 { at.saturating_add(len) } else { at };
        if position < 0 || position >= len {
            let message = format!("index {at} is out of range for an array of {len} elements");
            return Err(PyIndexError::new_err(message));
        }
        let mut rest = position as usize;
        let mut index = Vec::with_capacity(x.rank());
        for len in x.shape().iter().rev() {
            index.push(belvedere::Index::At((rest % len) as isize));
            rest /= len;
        }
        index.reverse();
        x.slice(&index).map_err(raise)
    }

    fn cannot_convert(&self, name: &str) -> PyErr {
        let (dtype, shape) = (self.tensor.dtype(), self.tensor.shape());
        PyTypeError::new_err(format!(
            "cannot convert an array of {dtype} with shape {shape:?} to {name}"
        ))
    }
}

/// Computes the hash of a Python integer: its remainder by a Mersenne prime, with its sign. -1 is an error code.
#[inline]
fn hash_of_integer(value: i128) -> isize {
    const MODULUS: u64 = if size_of::<isize>() == 8 { (1 << 61) - 1 } else { (1 << 31) - 1 };
    // A number of an array has at most 64 bits.
    let magnitude = (value.unsigned_abs() as u64 % MODULUS) as isize;
    match if value < 0 { -magnitude } else { magnitude } {
        -1 => -2,
        hash => hash,
    }
}

/// Computes a hash of an array's identity.
fn hash_of_address(array: &ArrayObject) -> isize {
    // The lowest bits of addresses are the same; the shift leaves no -1.
    (std::ptr::from_ref(array).addr() >> 4) as isize
}

/// Reads the only element of a tensor.
#[inline]
pub(super) fn read_number(py: Python<'_>, x: &Tensor) -> PyResult<Number> {
    match try_number(x) {
        Some(number) => Ok(number),
        None => run(py, 1, || number(x)),
    }
}

/// Reads the only element of a tensor, if that can be done at once.
#[inline]
fn try_number(x: &Tensor) -> Option<Number> {
    Some(match x.dtype() {
        DType::Bool => Number::Bool(x.try_item()?),
        DType::Int32 => Number::Int(x.try_item::<i32>()?.into()),
        DType::Int64 => Number::Int(x.try_item::<i64>()?.into()),
        DType::UInt8 => Number::Int(x.try_item::<u8>()?.into()),
        DType::Float32 => Number::Float(x.try_item::<f32>()?.into()),
        DType::Float64 => Number::Float(x.try_item()?),
        _ => return None,
    })
}

/// Reads the only element of a tensor, and waits for operations of other threads.
fn number(x: &Tensor) -> Result<Number, Error> {
    Ok(match x.dtype() {
        DType::Bool => Number::Bool(x.item()?),
        DType::Int64 => Number::Int(x.item::<i64>()?.into()),
        DType::UInt64 => Number::Int(x.item::<u64>()?.into()),
        DType::Float32 => Number::Float(x.item::<f32>()?.into()),
        DType::Float64 => Number::Float(x.item()?),
        DType::Complex128 => Number::Complex(x.item()?),
        _ => return number(&widened(x)?),
    })
}

/// Casts to the widest dtype of the same kind.
fn widened(x: &Tensor) -> Result<Tensor, Error> {
    let dtype = match x.dtype() {
        dtype if dtype.is_unsigned() => DType::UInt64,
        dtype if dtype.is_integer() => DType::Int64,
        dtype if dtype.is_complex() => DType::Complex128,
        _ => DType::Float64,
    };
    let wide = Tensor::zeros(&*x.shape(), dtype)?;
    assign_into(x, &wide)?;
    Ok(wide)
}

/// All elements as Python scalars.
enum Values {
    Bool(Vec<bool>),
    Int(Vec<i64>),
    UInt(Vec<u64>),
    Float(Vec<f64>),
    Complex(Vec<Complex<f64>>),
}

impl Values {
    fn read(py: Python<'_>, x: &Tensor) -> PyResult<Values> {
        fn list<T: Value + Send>(py: Python<'_>, x: &Tensor) -> PyResult<Vec<T>> {
            run(py, x.len(), || x.to_vec::<T>())
        }
        Ok(match x.dtype() {
            DType::Bool => Values::Bool(list(py, x)?),
            DType::Int64 => Values::Int(list(py, x)?),
            DType::UInt64 => Values::UInt(list(py, x)?),
            DType::Float64 => Values::Float(list(py, x)?),
            DType::Complex128 => Values::Complex(list(py, x)?),
            _ => return Values::read(py, &run(py, x.len(), || widened(x))?),
        })
    }
}

/// Checks that there is memory for `n` Python scalars in a list, because PyO3 panics where Python would raise a
/// `MemoryError`. A list of few scalars is not checked.
fn check_memory_for_objects(n: usize) -> PyResult<()> {
    /// The size of a complex number, and of its entry in the list.
    const OBJECT_BYTES: usize = 40;
    if n < 1024 {
        return Ok(());
    }
    let mut memory = Vec::<[u8; OBJECT_BYTES]>::new();
    let bytes = n.saturating_mul(OBJECT_BYTES);
    memory.try_reserve_exact(n).map_err(|_| raise(Error::OutOfMemory { bytes }))?;
    // The compiler may remove an allocation that is not used.
    std::hint::black_box(memory.as_mut_ptr());
    Ok(())
}

/// Collects the next values in nested lists.
fn nested<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    shape: &[usize],
    values: &mut impl ExactSizeIterator<Item = T>,
) -> PyResult<Bound<'py, PyAny>> {
    match shape {
        [] => {
            let value = values.next().expect("there is a value for each element");
            value.into_bound_py_any(py)
        }
        // A list of a known length is filled without growing.
        [len] => PyList::new(py, values.take(*len)).map(Bound::into_any),
        [len, rest @ ..] => {
            let list = PyList::empty(py);
            for _ in 0..*len {
                list.append(nested(py, rest, values)?)?;
            }
            Ok(list.into_any())
        }
    }
}

impl<'py> IntoPyObject<'py> for Number {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Number::Bool(value) => value.into_bound_py_any(py),
            // An integer of 128 bits is converted through its bytes.
            Number::Int(value) => match i64::try_from(value) {
                Ok(value) => value.into_bound_py_any(py),
                Err(_) => value.into_bound_py_any(py),
            },
            Number::Float(value) => value.into_bound_py_any(py),
            Number::Complex(value) => value.into_bound_py_any(py),
        }
    }
}
