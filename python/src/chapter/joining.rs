//! Arrays cut, joined and framed in more ways than the standard has.

use super::result::tuple;
use crate::arguments::{ArrayArgument, ArraysArgument, Count, Integers, OperandArgument, items};
use crate::array::Array;
use crate::error::raise;
use crate::lock::{release, run};
use belvedere::PadMode;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Functions that join arrays.
macro_rules! joins {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (arrays, /))]
            fn $name(py: Python<'_>, arrays: ArraysArgument) -> PyResult<Array> {
                run(py, arrays.len(), || belvedere::$name(&arrays.0)).map(Array::from)
            }
        )+

        fn register_joins(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

joins! {
    /// Vectors as the columns of a matrix; matrices side by side.
    ///
    /// >>> bv.column_stack([bv.asarray([1, 2]), bv.asarray([3, 4])])
    /// array([[1, 3],
    ///        [2, 4]])
    column_stack;

    /// The arrays one after another along their third axis.
    ///
    /// >>> bv.dstack([bv.asarray([1, 2]), bv.asarray([3, 4])])
    /// array([[[1, 3],
    ///         [2, 4]]])
    dstack;

    /// The arrays side by side: along their second axis, and vectors along their only one.
    ///
    /// >>> bv.hstack([bv.asarray([1, 2]), bv.asarray([3])])
    /// array([1, 2, 3])
    hstack;

    /// The arrays one above the other: along their first axis, with vectors as rows.
    ///
    /// >>> bv.vstack([bv.asarray([1, 2]), bv.asarray([3, 4])])
    /// array([[1, 2],
    ///        [3, 4]])
    vstack;
}

/// Functions that put axes in where there are too few.
macro_rules! at_least {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /))]
            fn $name(x: ArrayArgument<'_>) -> PyResult<Array> {
                x.tensor().$name().map(Array::from).map_err(raise)
            }
        )+

        fn register_at_least(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)+
            Ok(())
        }
    };
}

at_least! {
    /// The array with one axis at least: a view.
    ///
    /// >>> bv.atleast_1d(bv.asarray(5))
    /// array([5])
    atleast_1d;

    /// The array with two axes at least, a vector as a row: a view.
    ///
    /// >>> bv.atleast_2d(bv.asarray([1, 2]))
    /// array([[1, 2]])
    atleast_2d;

    /// The array with three axes at least, a matrix with one more axis at its end: a view.
    ///
    /// >>> bv.atleast_3d(bv.asarray([1, 2])).shape
    /// (1, 2, 1)
    atleast_3d;
}

/// Parts of a length along an axis, the last one perhaps shorter: views.
///
/// >>> bv.split(bv.asarray([1, 2, 3]), 2)
/// (array([1, 2]), array([3]))
#[pyfunction]
#[pyo3(signature = (x, size, /, *, axis=0))]
fn split<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    size: Count,
    axis: isize,
) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, x.tensor().split(axis, size.0).map_err(raise)?)
}

/// So many parts along an axis, as far as possible of one length: views.
///
/// >>> bv.chunk(bv.asarray([1, 2, 3, 4]), 2)
/// (array([1, 2]), array([3, 4]))
#[pyfunction]
#[pyo3(signature = (x, n, /, *, axis=0))]
fn chunk<'py>(
    py: Python<'py>,
    x: ArrayArgument<'_>,
    n: Count,
    axis: isize,
) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, x.tensor().chunk(axis, n.0).map_err(raise)?)
}

/// The array with a frame.
///
/// Its width is a number for all sides, a pair (before, after) for all axes, or a pair for each. What is
/// in it: ``"constant"``, ``"edge"``, ``"reflect"``, ``"symmetric"`` or ``"wrap"``.
///
/// >>> bv.pad(bv.asarray([1, 2]), (1, 2), constant_values=7)
/// array([7, 1, 2, 7, 7])
/// >>> bv.pad(bv.asarray([1, 2, 3]), 2, mode="reflect")
/// array([3, 2, 1, 2, 3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, pad_width, /, mode="constant", *, constant_values=None),
       text_signature = "(x, pad_width, /, mode='constant', *, constant_values=0)")]
fn pad(
    py: Python<'_>,
    x: ArrayArgument<'_>,
    pad_width: WidthsArgument,
    mode: &str,
    constant_values: Option<OperandArgument<'_>>,
) -> PyResult<Array> {
    let (x, widths) = (x.tensor(), pad_width.widths(x.tensor().rank()));
    let mode = match mode {
        "constant" => {
            let value = constant_values.as_ref().map(OperandArgument::given);
            let operation = || match value {
                // Zero is a value of every type, be it none that an integer becomes.
                None => x.pad(&widths),
                Some(value) => x.pad_with(&widths, value),
            };
            return release(py, operation).map(Array::from);
        }
        "edge" => PadMode::Edge,
        "reflect" => PadMode::Reflect,
        "symmetric" => PadMode::Symmetric,
        "wrap" => PadMode::Wrap,
        _ => {
            let known = "constant, edge, reflect, symmetric or wrap";
            return Err(PyValueError::new_err(format!("mode is {known}, not {mode:?}")));
        }
    };
    release(py, || x.pad_mode(&widths, mode)).map(Array::from)
}

/// How wide a frame is: a pair for each axis, or one for all.
struct WidthsArgument(Vec<(usize, usize)>);

impl WidthsArgument {
    fn widths(&self, rank: usize) -> Vec<(usize, usize)> {
        match &self.0[..] {
            [pair] => vec![*pair; rank],
            pairs => pairs.to_vec(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for WidthsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(numbers) = object.extract::<Integers>() {
            return Ok(WidthsArgument(vec![pair(&numbers)?]));
        }
        let pairs = items(&object)?.map(|item| pair(&item?.extract()?));
        pairs.collect::<PyResult<_>>().map(WidthsArgument)
    }
}

/// Two widths, of which one may stand for both.
fn pair(numbers: &Integers) -> PyResult<(usize, usize)> {
    match Count::list(numbers)?[..] {
        [both] => Ok((both, both)),
        [before, after] => Ok((before, after)),
        ref other => {
            let message = format!("a width is before and after an axis, and not {other:?}");
            Err(PyValueError::new_err(message))
        }
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_joins(module)?;
    register_at_least(module)?;
    module.add_function(wrap_pyfunction!(chunk, module)?)?;
    module.add_function(wrap_pyfunction!(pad, module)?)?;
    module.add_function(wrap_pyfunction!(split, module)?)
}
