//! `bv.explain`: what an array is, and what an expression does to memory.

use crate::arguments::ShapeArgument;
use crate::array::ArrayObject;
use crate::error::raise;
use crate::lens::LensObject;
use belvedere::{Reshape, Tensor, explain_view};
use belvedere_draw::{Picture, Text, View};
use belvedere_explain::{Dialect, explain as explain_text, report};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Says in words where the elements of an array lie, and whether a shape is a view of it; or what an
/// expression does to memory, step by step.
///
/// An expression is a text in Python's syntax. It is carried out on shapes and strides alone, so that it
/// may be about any amount of memory. With ``draw=True`` there are pictures, and ``dialect="numpy"`` or
/// ``"torch"`` tells where these would do something else.
///
/// >>> print(bv.explain(bv.zeros((2, 3)).T, view=(6,)))  # doctest: +ELLIPSIS
/// float64, shape [3, 2], strides [1, 3], offset 0: 6 elements, 48 bytes
///   not contiguous: axis 1 has stride 3 where 1 is needed; the elements lie ...
/// >>> print(bv.explain("zeros(2, 3).T.view(6)"))  # doctest: +ELLIPSIS
/// #  step         shape   strides ...
#[pyfunction]
#[pyo3(signature = (subject, /, *, view=None, dialect=None, draw=false))]
fn explain(
    py: Python<'_>,
    subject: &Bound<'_, PyAny>,
    view: Option<ShapeArgument>,
    dialect: Option<&str>,
    draw: bool,
) -> PyResult<String> {
    if let Ok(array) = subject.cast::<ArrayObject>() {
        return explain_array(array.get().tensor(), view, draw);
    }
    if let Ok(lens) = subject.cast::<LensObject>() {
        let lens = lens.get().lens();
        let (shape, depth) = (lens.shape(), lens.depth());
        let tensor = explain_array(lens.tensor(), view, draw)?;
        return Ok(format!("a lens of shape {shape:?}, {depth} layouts deep, on\n{tensor}"));
    }
    let Ok(text) = subject.cast::<PyString>() else {
        let name = subject.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "an array or an expression is explained, not {name}"
        )));
    };
    let dialect = match dialect {
        None => None,
        Some("numpy") => Some(Dialect::NumPy),
        Some("torch") => Some(Dialect::PyTorch),
        Some(other) => {
            let message = format!("there are the dialects numpy and torch, and not {other}");
            return Err(PyValueError::new_err(message));
        }
    };
    let text = text.to_str()?;
    let parts = report::Parts { draw: draw.then(Text::plain), plan: false };
    Ok(py.detach(|| report::plain(&explain_text(text, dialect), parts)))
}

fn explain_array(x: &Tensor, view: Option<ShapeArgument>, draw: bool) -> PyResult<String> {
    let mut text = x.explain();
    if let Some(ShapeArgument(shape)) = view {
        let told = explain_view(x.layout(), &shape).map_err(|error| raise(error.into()))?;
        text += &format!("\n{told}");
        if matches!(told.outcome, Reshape::Copy { .. }) {
            text += &format!("\n  reshape{shape:?} copies {} bytes", x.n_bytes());
        }
    }
    if draw {
        text += &format!("\n\n{}", picture(x).to_text(Text::plain()));
    }
    Ok(text)
}

/// The memory of a tensor, and the grid that looks at it.
pub fn picture(x: &Tensor) -> Picture {
    let note = format!("{}, shape {:?}, strides {:?}", x.dtype(), x.shape(), x.strides());
    let memory = Picture::new(x.storage().len() / x.dtype().size());
    memory.view(View::new(x.layout().clone()).title("array").note(note))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(explain, module)?)
}
