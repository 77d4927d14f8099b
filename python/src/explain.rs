//! `bv.explain`: descriptions of arrays and of expressions.

use crate::arguments::ShapeArgument;
use crate::array::ArrayObject;
use crate::error::raise;
use crate::lens::LensObject;
use belvedere::{Device, Reshape, Tensor, explain_view};
use belvedere_draw::{Picture, TextOptions, View};
use belvedere_explain::{Dialect, explain as explain_text, report};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Describes the memory layout of an array, whether a shape is a view of it, or what an expression does.
///
/// An expression is a string in Python syntax: statements on one or several lines, assignments,
/// indexing, operators and writes in place, and the operations of this package under its names and
/// those of NumPy and PyTorch (``np.``, ``torch.``). Values are computed for arrays of up to 4096
/// elements; larger ones have no memory, so an expression may refer to any amount of it.
/// ``draw=True`` adds pictures; ``dialect="numpy"`` or ``"torch"`` reports where that library
/// behaves differently.
///
/// The operations of an expression are not those of the program: ``trace`` and ``copies`` do not
/// record them, and ``no_copies`` does not forbid their copies. Inside an expression,
/// ``with no_copies():`` does.
///
/// >>> print(bv.explain(bv.zeros((2, 3)).T, view=(6,)))  # doctest: +ELLIPSIS
/// float64, shape [3, 2], strides [1, 3], offset 0: 6 elements, 48 bytes
///   not contiguous: axis 1 has stride 3 where 1 is needed; dense in column-major order ...
/// >>> print(bv.explain("zeros(2, 3).T.view(6)"))  # doctest: +ELLIPSIS
/// #  step         shape   strides ...
#[pyfunction]
#[pyo3(signature = (subject, /, *, view=None, dialect=None, draw=false))]
pub(crate) fn explain(
    py: Python<'_>,
    subject: &Bound<'_, PyAny>,
    view: Option<ShapeArgument>,
    dialect: Option<&str>,
    draw: bool,
) -> PyResult<String> {
    if let Ok(array) = subject.cast::<ArrayObject>() {
        return explain_array(py, array.get().tensor(), view, draw);
    }
    if let Ok(lens) = subject.cast::<LensObject>() {
        let lens = lens.get().lens();
        let (shape, depth) = (lens.shape(), lens.depth());
        let tensor = explain_array(py, lens.tensor(), view, draw)?;
        return Ok(format!("a lens of shape {shape:?}, {depth} layouts deep, on\n{tensor}"));
    }
    let Ok(text) = subject.cast::<PyString>() else {
        let name = subject.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "expected an array or an expression, got {name}"
        )));
    };
    let dialect = match dialect {
        None => None,
        Some("numpy") => Some(Dialect::NumPy),
        Some("torch") => Some(Dialect::PyTorch),
        Some(other) => {
            let message = format!("unknown dialect {other}; the dialects are numpy and torch");
            return Err(PyValueError::new_err(message));
        }
    };
    let text = text.to_str()?;
    let parts = report::ReportOptions { draw: draw.then(TextOptions::plain), plan: false };
    Ok(py.detach(|| report::plain(&explain_text(text, dialect), parts)))
}

fn explain_array(
    py: Python<'_>,
    x: &Tensor,
    view: Option<ShapeArgument>,
    draw: bool,
) -> PyResult<String> {
    let mut text = x.explain();
    if let Some(ShapeArgument(shape)) = view {
        let explained = explain_view(x.layout(), &shape).map_err(|error| raise(error.into()))?;
        text += &format!("\n{explained}");
        if matches!(explained.outcome, Reshape::Copy { .. }) {
            text += &format!("\n  reshape{shape:?} copies {} bytes", x.n_bytes());
        }
    }
    if draw {
        let drawn = py.detach(|| picture(x).to_text(TextOptions::plain()));
        text += &format!("\n\n{drawn}");
    }
    Ok(text)
}

/// A picture of a tensor's memory and layout.
pub(crate) fn picture(x: &Tensor) -> Picture {
    let no_values = if x.device() == Device::Meta { "no values (device meta), " } else { "" };
    let (dtype, shape, strides) = (x.dtype(), x.shape(), x.strides());
    let note = format!("{no_values}{dtype}, shape {shape:?}, strides {strides:?}");
    let memory = Picture::new(x.storage().len() / x.dtype().size());
    memory.view(View::new(x.layout().clone()).title("array").note(note))
}
