//! Python functions that a tape records as one entry: checkpoints, and functions with a rule of their own.
//!
//! They are called attached to the interpreter, from operations that run detached. An exception passes through them as the
//! reason of an error (`error.rs`).

use crate::arguments::ArrayArgument;
use crate::array::{Array, ArrayObject};
use crate::attach::run_detached;
use crate::chapter::random::replay;
use crate::held::{FunctionReference, HeldFunction};
use crate::tape::tensors_of;
use belvedere::{Error, ErrorKind, Tensor};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::OnceLock;

/// Returns an exception as an error.
fn exception(error: PyErr) -> Error {
    Error::Refused { kind: ErrorKind::Value, reason: Box::new(error) }
}

fn objects<'py>(py: Python<'py>, tensors: &[Tensor]) -> PyResult<Bound<'py, PyList>> {
    let objects = tensors.iter().map(|it| Array::from(it.clone()).into_pyobject(py));
    PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
}

/// Calls a Python function with lists of arrays. It returns a list of arrays and ``None``.
fn call(function: &FunctionReference, lists: &[&[Tensor]]) -> Result<Vec<Option<Tensor>>, Error> {
    let run = |py: Python<'_>| {
        let lists = lists.iter().map(|it| objects(py, it)).collect::<PyResult<Vec<_>>>()?;
        let function = function.get(py)?;
        let found = match &lists[..] {
            [one] => function.call1((one,))?,
            [one, two] => function.call1((one, two))?,
            _ => function.call0()?,
        };
        let found: Vec<Option<Bound<'_, ArrayObject>>> = found.extract()?;
        Ok(found.into_iter().map(|it| Some(it?.get().tensor().clone())).collect())
    };
    Python::attach(run).map_err(exception)
}

/// Calls a Python function that returns a list of arrays.
fn compute(function: &FunctionReference, arguments: &[Tensor]) -> Result<Vec<Tensor>, Error> {
    Ok(call(function, &[arguments])?.into_iter().flatten().collect())
}

/// Calls a function of a list of arrays; the gradient calls it again.
#[pyfunction]
fn _checkpoint(
    py: Python<'_>,
    function: Py<PyAny>,
    arrays: Vec<ArrayArgument<'_>>,
) -> PyResult<Vec<Array>> {
    let tensors = tensors_of(&arrays);
    let function = FunctionReference::new(py, function)?;
    let drawn: OnceLock<replay::GeneratorStates> = OnceLock::new();
    let repeat = move |arguments: &[Tensor]| match drawn.get() {
        Some(states) => replay::replayed(states.clone(), || compute(&function, arguments)),
        None => {
            let (results, states) = replay::logged(|| compute(&function, arguments));
            let _ = drawn.set(states);
            results
        }
    };
    let results = run_detached(py, || {
        belvedere_grad::checkpoint::<Vec<Tensor>>(&tensors.iter().collect::<Vec<_>>(), repeat)
    })?;
    Ok(results.into_iter().map(Array::from).collect())
}

/// Calls a function of a list of arrays, whose gradient another function computes from the gradients of the results and
/// from the arrays.
#[pyfunction]
fn _custom_rule(
    py: Python<'_>,
    function: Py<PyAny>,
    pullback: Py<PyAny>,
    arrays: Vec<ArrayArgument<'_>>,
) -> PyResult<Vec<Array>> {
    let tensors = tensors_of(&arrays);
    let function = FunctionReference::Strong(HeldFunction::new(py, function)?.unbind());
    let pullback = FunctionReference::new(py, pullback)?;
    let results = run_detached(py, || {
        belvedere_grad::custom_rule::<Vec<Tensor>>(
            &tensors.iter().collect::<Vec<_>>(),
            |arguments| compute(&function, arguments),
            move |gradients, arguments| call(&pullback, &[gradients, arguments]),
        )
    })?;
    Ok(results.into_iter().map(Array::from).collect())
}

/// Returns those of some arrays that share elements with earlier ones or with others, as copies, with their positions.
#[pyfunction]
fn _separate(
    py: Python<'_>,
    arrays: Vec<ArrayArgument<'_>>,
    others: Vec<ArrayArgument<'_>>,
) -> PyResult<Vec<(usize, Array)>> {
    let (arrays, others) = (tensors_of(&arrays), tensors_of(&others));
    let separate = run_detached(py, || {
        let (arrays, others): (Vec<_>, Vec<_>) = (arrays.iter().collect(), others.iter().collect());
        belvedere_grad::separate_arguments(&arrays, &others)
    })?;
    let is_copy = |(n, it): &(usize, Tensor)| !it.storage().is_same(arrays[*n].storage());
    let copies = separate.into_iter().enumerate().filter(is_copy);
    Ok(copies.map(|(n, it)| (n, Array::from(it))).collect())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_checkpoint, module)?)?;
    module.add_function(wrap_pyfunction!(_custom_rule, module)?)?;
    module.add_function(wrap_pyfunction!(_separate, module)?)
}
