//! Arrays from nested sequences of numbers.

use super::import_foreign;
use crate::arguments::{Number, OperandArgument, collect};
use crate::array::{Array, ArrayObject};
use crate::error::raise;
use belvedere::{Complex, DType, Device, Error, Tensor, Value, copies, iinfo, result_type, stack};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyRange, PyString, PyTuple};

/// The maximum depth of nested lists, which is NumPy's maximum rank. It also bounds a list that contains itself.
const MAX_DEPTH: usize = 64;

/// Whether an object is read as a list of numbers.
pub(super) fn is_list(object: &Bound<'_, PyAny>) -> bool {
    is_plain_list(object)
        || (object.cast::<pyo3::types::PySequence>().is_ok()
            && !object.is_instance_of::<PyString>())
}

/// Whether an object is a Python list or tuple, which exports no memory.
fn is_plain_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()
}

/// Whether an object is a Python scalar, list or tuple.
pub(super) fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    is_plain_list(object)
        || object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyComplex>()
}

/// Converts a number or nested lists to a tensor of a dtype, or of the default dtype for their values.
pub(super) fn tensor(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
    if let Some(tensor) = flat_list(object, dtype)? {
        return Ok(tensor);
    }
    let mut numbers = NestedNumbers { dtype, ..NestedNumbers::default() };
    match numbers.gather(object)? {
        Contents::Numbers => numbers.tensor(),
        Contents::Arrays => {
            let tensor = stack_items(object, 0)?;
            match dtype {
                Some(dtype) => unrecorded(|| tensor.astype(dtype)),
                None => Ok(tensor),
            }
        }
    }
}

/// The largest lists whose elements are copied once more, so that they are in the header of their storage.
const MAX_COPIED: usize = 96;

/// Converts a list that begins with a float and has floats and integers, or that has only integers: Python scalars, or 0-d
/// arrays of the same dtype. The fast path of most lists; `None` for all others, and for a dtype that needs a cast.
fn flat_list(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Option<Tensor>> {
    let Some(first) = first_item(object) else { return Ok(None) };
    let own = match first.cast_exact::<ArrayObject>() {
        Ok(array) => array.get().tensor().dtype(),
        Err(_) if first.is_exact_instance_of::<PyFloat>() => DType::Float64,
        Err(_) => DType::Int64,
    };
    match own {
        _ if dtype.is_some_and(|it| it != own) => Ok(None),
        DType::Float64 => read_flat(object, read_float),
        DType::Int64 => read_flat(object, read_int),
        _ => Ok(None),
    }
}

/// Returns the first item of a list or a tuple; `None` for empty ones and other objects.
fn first_item<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    match object.cast_exact::<PyList>() {
        Ok(list) => list.get_item(0).ok(),
        Err(_) => object.cast_exact::<PyTuple>().ok()?.get_item(0).ok(),
    }
}

/// Reads all items of a list or a tuple; `None` if one is not a `T`.
fn read_flat<T: Value>(
    object: &Bound<'_, PyAny>,
    read: impl Fn(&Bound<'_, PyAny>) -> Option<T>,
) -> PyResult<Option<Tensor>> {
    let mut values = Vec::new();
    let len = object.len()?;
    values.try_reserve_exact(len).map_err(|_| out_of_memory::<T>(len))?;
    match object.cast_exact::<PyList>() {
        Ok(list) => values.extend(list.iter().map_while(|it| read(&it))),
        Err(_) => {
            values.extend(object.cast::<PyTuple>()?.iter().map_while(|it| read(&it)));
        }
    }
    if values.len() != len {
        return Ok(None);
    }
    match len <= MAX_COPIED {
        true => unrecorded(|| Tensor::from_slice(&values, [len])).map(Some),
        false => Tensor::from_vec(values, [len]).map(Some).map_err(raise),
    }
}

/// Reads a float or an integer, or a 0-d array of floats.
fn read_float(item: &Bound<'_, PyAny>) -> Option<f64> {
    if item.is_exact_instance_of::<PyFloat>() {
        return item.extract().ok();
    }
    match item.cast_exact::<ArrayObject>() {
        Ok(array) => zero_d(array.get().tensor())?.try_item(),
        Err(_) => read_int(item).map(|it| it as f64),
    }
}

/// Reads an integer of 64 bits, or a 0-d array of them.
fn read_int(item: &Bound<'_, PyAny>) -> Option<i64> {
    match item.cast_exact::<ArrayObject>() {
        Ok(array) => zero_d(array.get().tensor())?.try_item(),
        Err(_) if item.is_exact_instance_of::<PyInt>() => item.extract().ok(),
        Err(_) => None,
    }
}

/// Returns a tensor if it has no axes.
fn zero_d(tensor: &Tensor) -> Option<&Tensor> {
    (tensor.rank() == 0).then_some(tensor)
}

/// Reads the right-hand side of an assignment to an array of a dtype. Numbers and lists are converted to it, as Python
/// converts them by `bool`, `int` and `float`; arrays keep their dtype.
pub(crate) fn assigned(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<OperandArgument> {
    if let Ok(array) = value.cast_exact::<ArrayObject>() {
        return Ok(OperandArgument::Array(array.clone().unbind()));
    }
    let numbers = NestedNumbers { dtype: Some(dtype), ..NestedNumbers::default() };
    let has_exact_type = value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyComplex>();
    if has_exact_type && let Some(number) = numbers.number(value)? {
        return converted(number, dtype).map(OperandArgument::Number);
    }
    if is_plain_list(value) || value.is_instance_of::<PyRange>() {
        let array = Array::from(tensor(value, Some(dtype))?).object(value.py())?;
        return Ok(OperandArgument::Array(array.unbind()));
    }
    match value.extract()? {
        OperandArgument::Number(number) => converted(number, dtype).map(OperandArgument::Number),
        array => Ok(array),
    }
}

/// Converts a number to the kind of a dtype, as Python converts it.
fn converted(number: Number, dtype: DType) -> PyResult<Number> {
    Ok(match (number, dtype) {
        (_, DType::Bool) => Number::Bool(to_bool(number)?),
        (Number::Float(_) | Number::Complex(_), _) if dtype.is_integer() => {
            Number::Int(to_integer(number, dtype)?)
        }
        (Number::Complex(_), _) if dtype.is_floating() => Number::Float(to_float(number)?),
        _ => number,
    })
}

/// Casts a temporary tensor. It is not recorded as a copy, because no user has seen the temporary.
fn unrecorded(make: impl FnOnce() -> Result<Tensor, Error>) -> PyResult<Tensor> {
    copies::allow(make).map_err(raise)
}

/// What nested lists hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    Numbers,
    /// There are arrays among the items.
    Arrays,
}

/// The numbers of nested lists, in row-major order.
#[derive(Default)]
struct NestedNumbers {
    dtype: Option<DType>,
    found: Vec<Number>,
    shape: Vec<usize>,
    /// Whether the first number was read, which fixes the rank.
    is_settled: bool,
    /// The current index.
    place: Vec<usize>,
    /// The common dtype of what was read, if 0-d arrays are among it: they keep their dtypes.
    promoted: Option<DType>,
}

impl NestedNumbers {
    fn gather(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Contents> {
        let number = match self.number(object)? {
            Some(number) => {
                let own = self.promoted.map(|it| result_type(it, least_type(&[number])));
                self.promoted = own;
                Some(number)
            }
            None => self.element(object)?,
        };
        if let Some(number) = number {
            if self.place.len() != self.shape.len() {
                return Err(self.ragged("a number"));
            }
            self.is_settled = true;
            self.found.push(number);
            return Ok(Contents::Numbers);
        }
        if !is_plain_list(object) && import_foreign(object, None)?.is_some() {
            return Ok(Contents::Arrays);
        }
        if !is_list(object) {
            let name = object.get_type().name()?;
            let place = &self.place;
            return Err(PyTypeError::new_err(format!(
                "expected a number, got {name} at index {place:?}"
            )));
        }
        self.gather_list(object)
    }

    fn gather_list(&mut self, list: &Bound<'_, PyAny>) -> PyResult<Contents> {
        let (depth, len) = (self.place.len(), list.len()?);
        if depth == MAX_DEPTH {
            return Err(PyValueError::new_err(format!(
                "lists are nested deeper than {MAX_DEPTH} levels"
            )));
        }
        match self.shape.get(depth) {
            None if !self.is_settled => self.shape.push(len),
            Some(&known) if known == len => {}
            _ => return Err(self.ragged(&format!("a list of {len}"))),
        }
        self.is_settled |= len == 0;
        // A sequence may be longer than memory: a range, for example.
        self.found.try_reserve(len).map_err(|_| out_of_memory::<Number>(len))?;
        for i in 0..len {
            self.place.push(i);
            let contents = self.gather(&list.get_item(i)?)?;
            self.place.pop();
            if contents == Contents::Arrays {
                return Ok(contents);
            }
        }
        Ok(Contents::Numbers)
    }

    /// Reads a Python scalar or one of a subclass. An integer that does not fit in 64 bits is read as a float if the dtype is
    /// a float.
    fn number(&self, object: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
        let found = match Number::exact(object) {
            Ok(None) => Number::derived(object),
            other => other,
        };
        let to_float = self.dtype.is_some_and(|it| it.is_floating() || it.is_complex());
        match found {
            Err(_) if to_float && object.is_instance_of::<PyInt>() => {
                object.extract().map(Number::Float).map(Some)
            }
            other => other,
        }
    }

    /// Reads a 0-d array, whose dtype takes part in promotion. `None` if there is a given dtype, to which it would be cast as
    /// arrays are, and for any other object.
    fn element(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
        let Ok(array) = object.cast_exact::<ArrayObject>() else { return Ok(None) };
        let tensor = array.get().tensor();
        if tensor.rank() != 0 || self.dtype.is_some() || tensor.device() == Device::Meta {
            return Ok(None);
        }
        let numbers = self.found.iter().map(|it| least_type(&[*it]));
        let before = self.promoted.or_else(|| numbers.reduce(result_type));
        let dtype = before.map_or(tensor.dtype(), |it| result_type(it, tensor.dtype()));
        self.promoted = Some(dtype);
        array.get().number(object.py()).map(Some)
    }

    fn ragged(&self, found: &str) -> PyErr {
        let needed = match self.shape.get(self.place.len()) {
            Some(len) => format!("a list of {len}"),
            None => "a number".to_string(),
        };
        PyValueError::new_err(format!(
            "ragged nested lists: expected {needed} at index {:?}, got {found}",
            self.place
        ))
    }

    fn tensor(self) -> PyResult<Tensor> {
        let dtype = self.dtype.or(self.promoted).unwrap_or_else(|| least_type(&self.found));
        let shape = &self.shape;
        let find = || -> PyResult<Result<Tensor, Error>> {
            Ok(match dtype {
                DType::Bool => Tensor::from_vec(self.each(to_bool)?, shape),
                DType::UInt64 => {
                    let values = self.each(|it| to_integer(it, dtype).map(|it| it as u64))?;
                    Tensor::from_vec(values, shape)
                }
                _ if dtype.is_integer() => {
                    let values = self.each(|it| to_integer(it, dtype).map(|it| it as i64))?;
                    Tensor::from_vec(values, shape)
                }
                _ if dtype.is_complex() => Tensor::from_vec(self.each(to_complex)?, shape),
                _ => Tensor::from_vec(self.each(to_float)?, shape),
            })
        };
        let wide = find()?.map_err(raise)?;
        if wide.dtype() == dtype { Ok(wide) } else { unrecorded(|| wide.astype(dtype)) }
    }

    fn each<T>(&self, convert: impl Fn(Number) -> PyResult<T>) -> PyResult<Vec<T>> {
        let mut values = Vec::new();
        let len = self.found.len();
        values.try_reserve_exact(len).map_err(|_| out_of_memory::<T>(len))?;
        for &number in &self.found {
            values.push(convert(number)?);
        }
        Ok(values)
    }
}

/// The dtype that NumPy would choose for numbers: that of the highest kind, and unsigned only if needed.
fn least_type(numbers: &[Number]) -> DType {
    let mut dtype = if numbers.is_empty() { DType::Float64 } else { DType::Bool };
    let (mut is_negative, mut is_beyond) = (false, false);
    for number in numbers {
        let own = match number {
            Number::Bool(_) => DType::Bool,
            Number::Int(value) => {
                is_negative |= *value < 0;
                is_beyond |= *value > i128::from(i64::MAX);
                DType::Int64
            }
            Number::Float(_) => DType::Float64,
            Number::Complex(_) => DType::Complex128,
        };
        dtype = result_type(dtype, own);
    }
    match (dtype, is_beyond, is_negative) {
        (DType::Int64, true, false) => DType::UInt64,
        (DType::Int64, true, true) => DType::Float64,
        _ => dtype,
    }
}

fn out_of_memory<T>(len: usize) -> PyErr {
    raise(Error::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()) })
}

fn to_bool(number: Number) -> PyResult<bool> {
    Ok(match number {
        Number::Bool(value) => value,
        Number::Int(value) => value != 0,
        Number::Float(value) => value != 0.0,
        Number::Complex(value) => value != Complex::new(0.0, 0.0),
    })
}

/// Converts to an integer in the range of the dtype; floats are truncated.
fn to_integer(number: Number, dtype: DType) -> PyResult<i128> {
    let value = match number {
        Number::Bool(value) => i128::from(value),
        Number::Int(value) => value,
        Number::Float(value) if value.is_nan() => {
            return Err(PyValueError::new_err(format!("cannot convert NaN to {dtype}")));
        }
        Number::Float(value) => value as i128,
        Number::Complex(value) => {
            return Err(PyTypeError::new_err(format!(
                "cannot convert the complex number {value} to {dtype}"
            )));
        }
    };
    let limits = iinfo(dtype).map_err(raise)?;
    if !(i128::from(limits.min)..=i128::from(limits.max)).contains(&value) {
        return Err(PyOverflowError::new_err(format!("{value} is out of range for {dtype}")));
    }
    Ok(value)
}

fn to_float(number: Number) -> PyResult<f64> {
    match number {
        Number::Bool(value) => Ok(f64::from(u8::from(value))),
        Number::Int(value) => Ok(value as f64),
        Number::Float(value) => Ok(value),
        Number::Complex(value) => Err(PyTypeError::new_err(format!(
            "cannot convert the complex number {value} to a real dtype"
        ))),
    }
}

fn to_complex(number: Number) -> PyResult<Complex<f64>> {
    match number {
        Number::Complex(value) => Ok(value),
        real => to_float(real).map(|it| Complex::new(it, 0.0)),
    }
}

/// Converts lists that hold arrays: each item is one part of the result along its first axis.
fn stack_items(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Tensor> {
    if !is_plain_list(object)
        && let Some(tensor) = import_foreign(object, None)?
    {
        return Ok(tensor);
    }
    if depth == MAX_DEPTH {
        return Err(PyValueError::new_err(format!(
            "lists are nested deeper than {MAX_DEPTH} levels"
        )));
    }
    let mut numbers = NestedNumbers::default();
    if numbers.gather(object)? == Contents::Numbers {
        return numbers.tensor();
    }
    let parts = object.try_iter()?.map(|part| stack_items(&part?, depth + 1));
    let parts = collect(parts)?;
    unrecorded(|| stack(&parts, 0))
}
