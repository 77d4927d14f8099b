//! Integer arguments: shapes, strides, counts.

use super::list::{collect, items};
use belvedere::Strides;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyString, PyTuple};

/// A shape: one length, or any sequence of them; `-1` is inferred from the others.
pub(crate) struct ShapeArgument(pub Numbers);

/// A list of integers with inline storage: the core's list of strides.
pub(crate) type Numbers = Strides;

impl<'a, 'py> FromPyObject<'a, 'py> for ShapeArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return ShapeArgument::of_tuple(&tuple);
        }
        Ok(ShapeArgument(Integers::extract(object)?.0))
    }
}

impl ShapeArgument {
    /// Reads the shape of `x.view(2, 3)` or `x.view((2, 3))`.
    pub(crate) fn of_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<ShapeArgument> {
        match arguments.len() {
            1 => arguments.get_item(0)?.extract(),
            _ => ShapeArgument::of_tuple(arguments),
        }
    }

    fn of_tuple(tuple: &Bound<'_, PyTuple>) -> PyResult<ShapeArgument> {
        integers(tuple).map(ShapeArgument)
    }
}

/// The number of integers that [`read_few`] reads.
pub(crate) const FEW: usize = 6;

/// Reads up to [`FEW`] exact Python integers of `x.permute(1, 0)` or `x.permute((1, 0))` into `numbers`, and returns
/// their number: the fast path. None for anything else.
#[inline]
pub(crate) fn read_few(
    arguments: &Bound<'_, PyTuple>,
    numbers: &mut [isize; FEW],
) -> Option<usize> {
    if arguments.len() == 1
        && let Ok(only) = arguments.get_borrowed_item(0)
        && let Ok(tuple) = only.cast_exact::<PyTuple>()
    {
        return read_each(&tuple, numbers);
    }
    read_each(arguments, numbers)
}

#[inline(always)]
fn read_each(tuple: &Bound<'_, PyTuple>, numbers: &mut [isize; FEW]) -> Option<usize> {
    // -1 is a cached object, so identity recognizes it. Reading it is slower: -1 is also the error value of the C API,
    // which then has to be checked.
    static MINUS_ONE: PyOnceLock<Py<PyInt>> = PyOnceLock::new();
    let minus_one = MINUS_ONE.get_or_init(tuple.py(), || PyInt::new(tuple.py(), -1).unbind());
    let n = tuple.len();
    for (item, number) in tuple.iter_borrowed().zip(numbers.get_mut(..n)?) {
        if !item.is_exact_instance_of::<PyInt>() {
            return None;
        }
        *number = if item.is(minus_one) { -1 } else { item.extract().ok()? };
    }
    Some(n)
}

/// One integer, or any sequence of them.
pub struct Integers(pub Numbers);

impl<'a, 'py> FromPyObject<'a, 'py> for Integers {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return integers(&tuple).map(Integers);
        }
        if object.is_instance_of::<PyInt>() {
            return Ok(Integers::one_of(integer(&object)?));
        }
        match integer(&object) {
            Err(_) if is_sequence(&object)? => {
                let n = object.len()?;
                numbers(n, items(&object)?.map(|it| integer(&it?))).map(Integers)
            }
            one => one.map(Integers::one_of),
        }
    }
}

/// Whether an object is a sequence: a list, a range, an array.
fn is_sequence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>() {
        return Ok(false);
    }
    Ok(object.hasattr("__len__")? && object.hasattr("__getitem__")?)
}

impl Integers {
    /// A list of one integer, as a default value.
    pub fn one_of(value: isize) -> Integers {
        Integers(Numbers::from([value]))
    }

    /// Reads the integers of `x.permute(1, 0)` or `x.permute((1, 0))`.
    pub fn of_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<Integers> {
        match arguments.len() {
            1 => arguments.get_item(0)?.extract(),
            _ => arguments.extract(),
        }
    }
}

/// A non-negative integer.
#[derive(Clone, Copy)]
pub(crate) struct Count(pub usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Count::from_isize(integer(&object)?)
    }
}

impl Count {
    fn from_isize(value: isize) -> PyResult<Count> {
        let count = usize::try_from(value).map(Count);
        count.map_err(|_| {
            PyValueError::new_err(format!("expected a non-negative integer, got {value}"))
        })
    }

    /// Converts integers to counts.
    pub(crate) fn list(integers: &Integers) -> PyResult<Vec<usize>> {
        collect(integers.0.iter().map(|&it| Ok(Count::from_isize(it)?.0)))
    }
}

/// The offset of a diagonal. It may be of any size: beyond the corners all diagonals are empty.
#[derive(Clone, Copy)]
pub(crate) struct Diagonal(pub isize);

impl<'a, 'py> FromPyObject<'a, 'py> for Diagonal {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<isize>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                Ok(Diagonal(if object.lt(0)? { isize::MIN } else { isize::MAX }))
            }
            _ => integer(&object).map(Diagonal),
        }
    }
}

fn integers(tuple: &Bound<'_, PyTuple>) -> PyResult<Numbers> {
    numbers(tuple.len(), tuple.iter_borrowed().map(|it| integer(&it)))
}

/// Collects integers, of which there are probably `n`.
#[inline]
fn numbers(n: usize, integers: impl Iterator<Item = PyResult<isize>>) -> PyResult<Numbers> {
    match n <= FEW {
        true => integers.collect(),
        false => collect(integers).map(Numbers::from),
    }
}

/// Reads an integer through `__index__`: floats are not accepted.
fn integer(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    object.extract::<isize>().map_err(|error| {
        let py = object.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            return PyValueError::new_err(format!("{object} does not fit in 64 bits"));
        }
        PyTypeError::new_err(match object.get_type().name() {
            Ok(name) => format!("expected an integer, got {name}"),
            Err(_) => "expected an integer".to_string(),
        })
    })
}
