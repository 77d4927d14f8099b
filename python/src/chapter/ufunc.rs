//! What the elementwise functions share with NumPy's ufuncs: `out`, `where`, `casting` and `dtype`.
//!
//! A call without them takes the fast path of [`unary`] and [`binary`]. With `out` alone the result is written by the
//! function of the core that computes into an existing tensor, without a temporary.

use super::elementwise::{Binary, Unary, binary, unary, with_shapes};
use super::output::{assign, check_shape};
use crate::arguments::{ArrayArgument, Casting, Number, OperandArgument, OutArgument};
use crate::array::{Array, ArrayObject};
use crate::attach::run;
use crate::dtype::DTypeArgument;
use crate::error::raise;
use belvedere::{DType, Error, Operand, Shape, Tensor, broadcast_shapes};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// The arguments `where`, `casting` and `dtype` that were given.
pub(crate) type Keywords<'py> = [Option<Bound<'py, PyAny>>; 3];

/// A function of one array that writes to an existing one.
pub(crate) type UnaryInto = fn(&Tensor, &Tensor) -> Result<(), Error>;

/// A function of two operands that writes to an existing array.
pub(crate) type BinaryInto = for<'a> fn(Operand<'a>, Operand<'a>, &'a Tensor) -> Result<(), Error>;

/// Computes a function of one array as NumPy's ufuncs do.
#[inline]
pub(crate) fn unary_ufunc<'py>(
    py: Python<'py>,
    x: &ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
    keywords: Keywords<'py>,
    function: Unary,
    into: UnaryInto,
) -> PyResult<Bound<'py, ArrayObject>> {
    if out.is_none() && keywords.iter().all(Option::is_none) {
        return unary(py, x.tensor(), function);
    }
    unary_with(x, out, keywords, function, into)
}

/// Computes a function of one array with an output or keywords.
#[cold]
#[inline(never)]
fn unary_with<'py>(
    x: &ArrayArgument<'py>,
    out: Option<OutArgument<'py>>,
    keywords: Keywords<'py>,
    function: Unary,
    into: UnaryInto,
) -> PyResult<Bound<'py, ArrayObject>> {
    let py = x.0.py();
    let call = UfuncCall {
        new: &|operands| unary(py, only_tensor(operands), function),
        into: &|operands, out| into(only_tensor(operands), out),
    };
    call.run(py, vec![OperandArgument::Array(x.0.clone().unbind())], out, keywords)
}

/// The only operand of a function of one array.
fn only_tensor(operands: &[OperandArgument]) -> &Tensor {
    match operands {
        [OperandArgument::Array(array)] => array.get().tensor(),
        _ => unreachable!("the only operand is an array"),
    }
}

/// Computes a function of two operands as NumPy's ufuncs do.
#[inline]
pub(crate) fn binary_ufunc<'py>(
    py: Python<'py>,
    (x, y): (&OperandArgument, &OperandArgument),
    out: Option<OutArgument<'py>>,
    keywords: Keywords<'py>,
    function: Binary,
    into: BinaryInto,
) -> PyResult<Bound<'py, ArrayObject>> {
    if out.is_none() && keywords.iter().all(Option::is_none) {
        return binary(py, x, y, function);
    }
    binary_with(py, (x, y), out, keywords, function, into)
}

/// Computes a function of two operands with an output or keywords.
#[cold]
#[inline(never)]
fn binary_with<'py>(
    py: Python<'py>,
    (x, y): (&OperandArgument, &OperandArgument),
    out: Option<OutArgument<'py>>,
    keywords: Keywords<'py>,
    function: Binary,
    into: BinaryInto,
) -> PyResult<Bound<'py, ArrayObject>> {
    let call = UfuncCall {
        new: &|operands| binary(py, &operands[0], &operands[1], function),
        into: &|operands, out| into((&operands[0]).into(), (&operands[1]).into(), out),
    };
    call.run(py, vec![x.clone_ref(py), y.clone_ref(py)], out, keywords)
}

/// The keywords of ufuncs besides `out`.
struct UfuncKeywords<'py> {
    /// Elements where it is false keep the value that `out` has.
    mask: Option<ArrayArgument<'py>>,
    casting: Casting,
    dtype: Option<DType>,
}

impl<'py> UfuncKeywords<'py> {
    fn read(keywords: Keywords<'py>) -> PyResult<UfuncKeywords<'py>> {
        let [mask, casting, dtype] = keywords;
        let dtype = dtype.map(|it| it.extract::<DTypeArgument>()).transpose()?;
        Ok(UfuncKeywords {
            mask: mask.map_or(Ok(None), |it| read_mask(&it))?,
            casting: casting.map_or(Ok(Casting::default()), |it| it.extract())?,
            dtype: dtype.map(|it| it.0),
        })
    }
}

/// Reads the argument `where`; `True` selects all elements.
pub(crate) fn read_mask<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<ArrayArgument<'py>>> {
    if object.is_none() || object.is(PyBool::new(object.py(), true)) {
        return Ok(None);
    }
    let mask: ArrayArgument<'_> = object.extract()?;
    match mask.tensor().dtype() {
        DType::Bool => Ok(Some(mask)),
        other => Err(PyTypeError::new_err(format!("where must be an array of bool, got {other}"))),
    }
}

/// A function of operands that returns a new array.
type ComputeNew<'a, 'py> = &'a dyn Fn(&[OperandArgument]) -> PyResult<Bound<'py, ArrayObject>>;

/// A function of operands that writes to an existing tensor.
type ComputeInto<'a> = &'a (dyn Fn(&[OperandArgument], &Tensor) -> Result<(), Error> + Sync);

/// The two functions of an elementwise operation.
struct UfuncCall<'a, 'py> {
    new: ComputeNew<'a, 'py>,
    into: ComputeInto<'a>,
}

impl<'py> UfuncCall<'_, 'py> {
    fn run(
        &self,
        py: Python<'py>,
        mut operands: Vec<OperandArgument>,
        out: Option<OutArgument<'py>>,
        keywords: Keywords<'py>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let UfuncKeywords { mask, casting, dtype } = UfuncKeywords::read(keywords)?;
        if let Some(dtype) = dtype.filter(|it| *it != DType::Bool) {
            cast_operands(py, &mut operands, dtype, casting)?;
        }
        let len = operands.iter().map(OperandArgument::len).max().unwrap_or(1);
        if let (Some(out), None, None, Casting::SameKind) = (&out, &mask, dtype, casting) {
            let target = out.tensor();
            broadcast_operands(py, &mut operands, target)?;
            match run(py, len.max(target.len()), || (self.into)(&operands, target)) {
                Ok(()) => return Ok(out.0.clone()),
                // The core does not have every function for bools; `new` has NumPy's.
                Err(_) if operands.iter().all(OperandArgument::is_bool) => {}
                Err(error) => {
                    return Err(with_shapes(error, &operands.iter().collect::<Vec<_>>()));
                }
            }
        }
        let computed = (self.new)(&operands)?;
        let result = computed.get().tensor();
        if let Some(dtype) = dtype
            && result.dtype() != dtype
        {
            let message = format!("the result has dtype {}, not {dtype}", result.dtype());
            return Err(PyTypeError::new_err(message));
        }
        match (out, mask) {
            (None, None) => Ok(computed),
            (Some(out), None) => {
                let result = result.broadcast_to(out.tensor().shape()).map_err(|_| {
                    check_shape(&result.shape(), out.tensor()).expect_err("no broadcast exists")
                })?;
                assign(py, &result, out.tensor(), casting)?;
                Ok(out.0)
            }
            (out, Some(mask)) => assign_where(py, result, mask.tensor(), out, casting),
        }
    }
}

/// Casts the operands to the dtype that is computed in.
fn cast_operands(
    py: Python<'_>,
    operands: &mut [OperandArgument],
    dtype: DType,
    casting: Casting,
) -> PyResult<()> {
    for operand in operands {
        let tensor = match operand {
            OperandArgument::Array(array) => {
                let tensor = array.get().tensor();
                if tensor.dtype() == dtype {
                    continue;
                }
                casting.check(tensor.dtype(), dtype).map_err(raise)?;
                run(py, tensor.len(), || tensor.astype(dtype))?
            }
            OperandArgument::Number(number) => of_number(*number, dtype)?,
        };
        *operand = OperandArgument::Array(Array::from(tensor).object(py)?.unbind());
    }
    Ok(())
}

/// Makes a 0-d tensor of a number.
fn of_number(number: Number, dtype: DType) -> PyResult<Tensor> {
    let none: [usize; 0] = [];
    Tensor::full_as(none, number, dtype).map_err(raise)
}

/// Broadcasts the operands to the shape of the output, which may have more axes than they have.
fn broadcast_operands(
    py: Python<'_>,
    operands: &mut [OperandArgument],
    out: &Tensor,
) -> PyResult<()> {
    let shapes: Vec<Shape> = operands.iter().map(|it| Operand::from(it).shape()).collect();
    let shapes: Vec<&[usize]> = shapes.iter().map(|it| &it[..]).collect();
    let Ok(shape) = broadcast_shapes(&shapes) else { return Ok(()) };
    if shape == out.shape() {
        return Ok(());
    }
    let tensor = match &operands[0] {
        OperandArgument::Array(array) => array.get().tensor().clone(),
        OperandArgument::Number(number) => of_number(*number, number.dtype())?,
    };
    match broadcast_shapes(&[&shape[..], &out.shape()[..]]) {
        Ok(common) if common == out.shape() => {}
        _ => return check_shape(&shape, out),
    }
    // One operand of this shape is enough: the others broadcast to it.
    let wide = tensor.broadcast_to(out.shape()).map_err(raise)?;
    operands[0] = OperandArgument::Array(Array::from(wide).object(py)?.unbind());
    Ok(())
}

/// Writes a result where a mask is true: to `out`, or to zeros.
fn assign_where<'py>(
    py: Python<'py>,
    result: &Tensor,
    mask: &Tensor,
    out: Option<OutArgument<'py>>,
    casting: Casting,
) -> PyResult<Bound<'py, ArrayObject>> {
    let shape = broadcast_shapes(&[&result.shape()[..], &mask.shape()[..]])
        .map_err(|error| raise(error.into()))?;
    let out = match out {
        Some(out) => out.0,
        None => {
            let zeros = run(py, result.len(), || Tensor::zeros(&shape[..], result.dtype()))?;
            Array::from(zeros).object(py)?
        }
    };
    let target = out.get().tensor();
    if broadcast_shapes(&[&shape[..], &target.shape()[..]]).ok() != Some(target.shape()) {
        check_shape(&shape, target)?;
    }
    casting.check(result.dtype(), target.dtype()).map_err(raise)?;
    run(py, target.len(), || {
        let result = result.astype(target.dtype())?;
        belvedere::where_into(mask, &result, target, target)
    })?;
    Ok(out)
}
