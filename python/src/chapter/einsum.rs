//! Einstein summation.

use super::output::compute_to;
use crate::arguments::{ArrayArgument, ArraysArgument, Casting, Order, OutArgument, items};
use crate::array::ArrayObject;
use crate::attach::run;
use crate::dtype::DTypeArgument;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyList, PyString, PyTuple};

/// Evaluates the Einstein summation of the operands.
///
/// Each axis of each operand has a letter; the letters behind ``->`` are the axes of the result.
/// Without an arrow these are the letters that occur once, in alphabetical order. The result is a
/// view where one exists, as for ``"ij->ji"``.
///
/// >>> x = bv.asarray([[1, 2], [3, 4]])
/// >>> bv.einsum("ij,jk->ik", x, x)
/// array([[ 7, 10],
///        [15, 22]])
/// >>> bv.einsum("ii", x)
/// array(5)
/// >>> bv.einsum(x, [0, 1], [1, 0])
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (subscripts, /, *arrays, out=None, dtype=None, order=Order::Keep, casting=Casting::SameKind, optimize=None),
       text_signature = "(subscripts, /, *arrays, out=None, dtype=None, order='K', casting='same_kind', optimize=False)")]
#[expect(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn einsum<'py>(
    py: Python<'py>,
    subscripts: &Bound<'py, PyAny>,
    arrays: &Bound<'py, PyTuple>,
    out: Option<OutArgument<'py>>,
    dtype: Option<DTypeArgument>,
    #[expect(unused_variables, reason = "the order follows the operands")] order: Order,
    casting: Casting,
    #[expect(unused_variables, reason = "the contraction order is always optimized")]
    optimize: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, ArrayObject>> {
    let (subscripts, arrays) = read_operands(subscripts, arrays)?;
    let arrays = arrays.cast(py, dtype, casting)?;
    let len = arrays.0.iter().fold(1, |len: usize, it| len.saturating_mul(it.len()));
    compute_to(
        py,
        len,
        out,
        || belvedere::einsum(&subscripts, &arrays.0),
        |out| belvedere::einsum_into(&subscripts, &arrays.0, out),
    )
}

/// Reads the subscripts and the operands. Subscripts are a string before all operands, or a list of integers behind each
/// operand, and one for the result.
fn read_operands(
    first: &Bound<'_, PyAny>,
    rest: &Bound<'_, PyTuple>,
) -> PyResult<(String, ArraysArgument)> {
    if let Ok(text) = first.cast::<PyString>() {
        return Ok((text.to_str()?.to_string(), rest.extract()?));
    }
    let (mut arrays, mut inputs) = (Vec::new(), Vec::new());
    let mut items = std::iter::once(first.clone()).chain(rest.iter());
    let mut output = None;
    while let Some(item) = items.next() {
        match items.next() {
            Some(labels) => {
                arrays.push(item.extract::<ArrayArgument<'_>>()?.tensor().clone());
                inputs.push(letters(&labels)?);
            }
            None if arrays.is_empty() => {
                return Err(PyTypeError::new_err("einsum requires subscripts and operands"));
            }
            None => output = Some(letters(&item)?),
        }
    }
    let mut subscripts = inputs.join(",");
    if let Some(output) = output {
        subscripts = format!("{subscripts}->{output}");
    }
    Ok((subscripts, ArraysArgument(arrays)))
}

/// Converts a list of labels to letters, in the same order: 26 upper-case ones, then lower-case ones.
fn letters(labels: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut letters = String::new();
    for label in items(labels)? {
        let label = label?;
        if label.is(PyEllipsis::get(labels.py())) {
            letters += "...";
            continue;
        }
        match label.extract::<u8>() {
            Ok(n @ 0..26) => letters.push((b'A' + n) as char),
            Ok(n @ 26..52) => letters.push((b'a' + n - 26) as char),
            _ => {
                let message =
                    format!("a subscript must be from 0 to 51 or an ellipsis, got {label}");
                return Err(PyValueError::new_err(message));
            }
        }
    }
    Ok(letters)
}

/// Describes the contraction order that ``einsum`` chooses: the pairs of operands, and a text.
///
/// The operands of a pair are removed from the list of operands, and their product is appended to it. The list of pairs
/// begins with the word ``"einsum_path"``, as NumPy's.
///
/// >>> x = bv.zeros((2, 90)), bv.zeros((90, 90)), bv.zeros((90, 3))
/// >>> path, text = bv.einsum_path("ij,jk,kl->il", *x)
/// >>> path
/// ['einsum_path', (0, 1), (0, 1)]
/// >>> print(text)
/// ij,jk,kl->il in 2 steps, 16740 multiplications
///   0 and 1: ij,jk->ik (16200)
///   0 and 1: kl,ik->il (540)
#[pyfunction]
#[pyo3(signature = (subscripts, /, *arrays, optimize=None),
       text_signature = "(subscripts, /, *arrays, optimize=False)")]
pub(crate) fn einsum_path<'py>(
    py: Python<'py>,
    subscripts: &str,
    arrays: ArraysArgument,
    #[expect(unused_variables, reason = "the contraction order is always optimized")]
    optimize: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, String)> {
    let path = run(py, 0, || belvedere::einsum_path(subscripts, &arrays.0))?;
    let list = PyList::new(py, ["einsum_path"])?;
    match path.steps() {
        // One operand is contracted alone.
        [] => list.append(PyTuple::new(py, 0..arrays.0.len())?)?,
        steps => steps.iter().try_for_each(|it| list.append(it.operands))?,
    }
    Ok((list, path.to_string()))
}
