//! Numbers in lists of lists.

use super::foreign;
use crate::arguments::Number;
use crate::error::raise;
use belvedere::{Complex, DType, Error, Tensor, copies, iinfo, stack};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The most axes that lists may be nested to: as many as NumPy's arrays have. A list that contains
/// itself has more.
const DEEPEST: usize = 64;

/// Whether an object is taken for a list of numbers.
pub fn is_list(object: &Bound<'_, PyAny>) -> bool {
    is_plain_list(object)
        || (object.cast::<pyo3::types::PySequence>().is_ok()
            && !object.is_instance_of::<PyString>())
}

/// Whether an object is one of Python's own lists, which have no memory to share.
fn is_plain_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()
}

/// Whether an object is one of Python's own numbers or lists.
pub fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    is_plain_list(object)
        || object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyComplex>()
}

/// A number, or the elements of nested lists, of a type or of the least one that holds them.
pub fn tensor(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
    let mut numbers = Numbers { dtype, ..Numbers::default() };
    match numbers.gather(object)? {
        Met::Numbers => numbers.tensor(),
        Met::Array => {
            let tensor = stacked(object, 0)?;
            match dtype {
                Some(dtype) => quietly(|| tensor.astype(dtype)),
                None => Ok(tensor),
            }
        }
    }
}

/// Makes a tensor of another one that nobody else has seen: no copy that anybody could mean.
fn quietly(make: impl FnOnce() -> Result<Tensor, Error>) -> PyResult<Tensor> {
    copies::allow(make).map_err(raise)
}

/// What lists were found to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Numbers,
    /// Arrays among them.
    Array,
}

/// The numbers of nested lists, in order.
#[derive(Default)]
struct Numbers {
    dtype: Option<DType>,
    found: Vec<Number>,
    shape: Vec<usize>,
    /// Whether the first number was found, so that no axis can be added.
    is_settled: bool,
    /// Where we are.
    place: Vec<usize>,
}

impl Numbers {
    fn gather(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Met> {
        if let Some(number) = self.number(object)? {
            if self.place.len() != self.shape.len() {
                return Err(self.ragged("a number"));
            }
            self.is_settled = true;
            self.found.push(number);
            return Ok(Met::Numbers);
        }
        if !is_plain_list(object) && foreign(object, None)?.is_some() {
            return Ok(Met::Array);
        }
        if !is_list(object) {
            let name = object.get_type().name()?;
            let place = &self.place;
            return Err(PyTypeError::new_err(format!("no number but {name} at {place:?}")));
        }
        self.gather_list(object)
    }

    fn gather_list(&mut self, list: &Bound<'_, PyAny>) -> PyResult<Met> {
        let (depth, len) = (self.place.len(), list.len()?);
        if depth == DEEPEST {
            return Err(PyValueError::new_err(format!("lists are nested deeper than {DEEPEST}")));
        }
        match self.shape.get(depth) {
            None if !self.is_settled => self.shape.push(len),
            Some(&known) if known == len => {}
            _ => return Err(self.ragged(&format!("a list of {len}"))),
        }
        self.is_settled |= len == 0;
        // A list may be longer than any memory: a range of a quintillion numbers is one.
        self.found.try_reserve(len).map_err(|_| no_room::<Number>(len))?;
        for i in 0..len {
            self.place.push(i);
            let met = self.gather(&list.get_item(i)?)?;
            self.place.pop();
            if met == Met::Array {
                return Ok(met);
            }
        }
        Ok(Met::Numbers)
    }

    /// A number, Python's or one that is derived of those. One that is too large for an integer may be
    /// a float, if that is asked for.
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

    fn ragged(&self, found: &str) -> PyErr {
        let needed = match self.shape.get(self.place.len()) {
            Some(len) => format!("a list of {len}"),
            None => "a number".to_string(),
        };
        PyValueError::new_err(format!(
            "the lists are ragged: there is {found} at {:?}, where {needed} is needed",
            self.place
        ))
    }

    fn tensor(self) -> PyResult<Tensor> {
        let dtype = self.dtype.unwrap_or_else(|| self.least_type());
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
        quietly(|| wide.astype(dtype))
    }

    fn each<T>(&self, of: impl Fn(Number) -> PyResult<T>) -> PyResult<Vec<T>> {
        let mut values = Vec::new();
        let len = self.found.len();
        values.try_reserve_exact(len).map_err(|_| no_room::<T>(len))?;
        for &number in &self.found {
            values.push(of(number)?);
        }
        Ok(values)
    }

    /// The type that NumPy finds: the greatest kind, and unsigned only if that is needed.
    fn least_type(&self) -> DType {
        let mut dtype = if self.found.is_empty() { DType::Float64 } else { DType::Bool };
        let (mut is_negative, mut is_beyond) = (false, false);
        for number in &self.found {
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
            dtype = belvedere::result_type(dtype, own);
        }
        match (dtype, is_beyond, is_negative) {
            (DType::Int64, true, false) => DType::UInt64,
            (DType::Int64, true, true) => DType::Float64,
            _ => dtype,
        }
    }
}

fn no_room<T>(len: usize) -> PyErr {
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

/// An integer that the type can hold; a float loses what is behind the point.
fn to_integer(number: Number, dtype: DType) -> PyResult<i128> {
    let value = match number {
        Number::Bool(value) => i128::from(value),
        Number::Int(value) => value,
        Number::Float(value) if value.is_nan() => {
            return Err(PyValueError::new_err(format!("NaN is no {dtype}")));
        }
        Number::Float(value) => value as i128,
        Number::Complex(value) => {
            return Err(PyTypeError::new_err(format!("{value} is complex, and {dtype} is not")));
        }
    };
    let limits = iinfo(dtype).map_err(raise)?;
    if !(i128::from(limits.min)..=i128::from(limits.max)).contains(&value) {
        return Err(PyOverflowError::new_err(format!("{value} is beyond the numbers of {dtype}")));
    }
    Ok(value)
}

fn to_float(number: Number) -> PyResult<f64> {
    match number {
        Number::Bool(value) => Ok(f64::from(u8::from(value))),
        Number::Int(value) => Ok(value as f64),
        Number::Float(value) => Ok(value),
        Number::Complex(value) => {
            Err(PyTypeError::new_err(format!("{value} is complex, and the type is not")))
        }
    }
}

fn to_complex(number: Number) -> PyResult<Complex<f64>> {
    match number {
        Number::Complex(value) => Ok(value),
        real => to_float(real).map(|it| Complex::new(it, 0.0)),
    }
}

/// Lists that hold arrays: each is one part of the result along its first axis.
fn stacked(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Tensor> {
    if !is_plain_list(object)
        && let Some(tensor) = foreign(object, None)?
    {
        return Ok(tensor);
    }
    if depth == DEEPEST {
        return Err(PyValueError::new_err(format!("lists are nested deeper than {DEEPEST}")));
    }
    let mut numbers = Numbers::default();
    if numbers.gather(object)? == Met::Numbers {
        return numbers.tensor();
    }
    let parts = object.try_iter()?.map(|part| stacked(&part?, depth + 1));
    let parts = parts.collect::<PyResult<Vec<Tensor>>>()?;
    quietly(|| stack(&parts, 0))
}
