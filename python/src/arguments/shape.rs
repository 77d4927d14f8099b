//! Lists of integers: shapes, strides, repetitions.

use belvedere::Strides;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyIterator, PyString, PyTuple};

/// A shape: one length, or any sequence of them; `-1` stands for a length that follows from the others.
pub struct ShapeArgument(pub Numbers);

/// A few signed integers, for which nothing is allocated: the core's list of strides is one.
pub type Numbers = Strides;

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
    /// The shape of `x.view(2, 3)` or `x.view((2, 3))`.
    pub fn of_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<ShapeArgument> {
        match arguments.len() {
            1 => arguments.get_item(0)?.extract(),
            _ => ShapeArgument::of_tuple(arguments),
        }
    }

    fn of_tuple(tuple: &Bound<'_, PyTuple>) -> PyResult<ShapeArgument> {
        integers(tuple).map(ShapeArgument)
    }
}

/// How many integers are read the short way.
pub const FEW: usize = 6;

/// Reads the few integers of `x.permute(1, 0)` or `x.permute((1, 0))`, by far the most common, to where they are
/// needed: how many there are. None if there is anything else.
#[inline]
pub fn read_few(arguments: &Bound<'_, PyTuple>, numbers: &mut [isize; FEW]) -> Option<usize> {
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
    // There is one such number, and to know it by that is quicker than to read it: what is read as -1 may be
    // an error, which is looked for.
    static OPEN: PyOnceLock<Py<PyInt>> = PyOnceLock::new();
    let open = OPEN.get_or_init(tuple.py(), || PyInt::new(tuple.py(), -1).unbind());
    let n = tuple.len();
    for (item, number) in tuple.iter_borrowed().zip(numbers.get_mut(..n)?) {
        if !item.is_exact_instance_of::<PyInt>() {
            return None;
        }
        *number = if item.is(open) { -1 } else { item.extract().ok()? };
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
                items(&object)?.map(|it| integer(&it?)).collect::<PyResult<_>>().map(Integers)
            }
            one => one.map(Integers::one_of),
        }
    }
}

/// More items than any call has a use for. Ranges and broadcast arrays may have any number of them, and
/// nobody should wait for a list of these.
const MOST_ITEMS: usize = 1 << 20;

/// The items of a sequence, if it is not absurdly long.
pub fn items<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    match object.len()? {
        n if n > MOST_ITEMS => Err(PyValueError::new_err(format!(
            "{n} items are more than the {MOST_ITEMS} that are read"
        ))),
        _ => object.try_iter(),
    }
}

/// Whether it has items in an order, as lists have, and ranges and arrays.
fn is_sequence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>() {
        return Ok(false);
    }
    Ok(object.hasattr("__len__")? && object.hasattr("__getitem__")?)
}

impl Integers {
    /// One integer, as a default.
    pub fn one_of(value: isize) -> Integers {
        Integers(Numbers::from([value]))
    }

    /// The integers of `x.permute(1, 0)` or `x.permute((1, 0))`.
    pub fn of_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<Integers> {
        match arguments.len() {
            1 => arguments.get_item(0)?.extract(),
            _ => arguments.extract(),
        }
    }
}

/// How many: an integer that is not negative.
#[derive(Clone, Copy)]
pub struct Count(pub usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Count::of(integer(&object)?)
    }
}

impl Count {
    fn of(value: isize) -> PyResult<Count> {
        let count = usize::try_from(value).map(Count);
        count.map_err(|_| PyValueError::new_err(format!("{value} is negative, and a count is not")))
    }

    /// One count, or any sequence of them.
    pub fn list(integers: &Integers) -> PyResult<Vec<usize>> {
        integers.0.iter().map(|&it| Ok(Count::of(it)?.0)).collect()
    }
}

/// Which diagonal: an integer of any size, since beyond the corners all diagonals are alike.
#[derive(Clone, Copy)]
pub struct Diagonal(pub isize);

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
    tuple.iter_borrowed().map(|it| integer(&it)).collect()
}

/// An integer, by `__index__`: no float becomes one silently.
fn integer(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    object.extract::<isize>().map_err(|error| {
        let py = object.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            return PyValueError::new_err(format!("{object} is beyond what 64 bits can hold"));
        }
        PyTypeError::new_err(match object.get_type().name() {
            Ok(name) => format!("an integer is needed here, not {name}"),
            Err(_) => "an integer is needed here".to_string(),
        })
    })
}
