//! Operators: `+`, `-`, `<`, `@` and the others.
//!
//! The other operand is an array, a Python scalar, or an array of another library. If it is none of these, or implements
//! the operator, the slot returns `NotImplemented` and Python asks it. In-place operators write to the array's memory, except to
//! that of values ([`InPlaceArray`]).

// The expansion of `pymethods` inside of a macro counts as code of this crate.
#![allow(unsafe_op_in_unsafe_fn)]

use super::element_arithmetic::{Arithmetic, ElementPair};
use super::{Array, ArrayObject, KeptObject, new_object};
use crate::arguments::{
    ArrayArgument, Number, OperandArgument, compared_operator_operand, operator_operand,
};
use crate::attach::{run, run_to_object_or_else, try_run};
use crate::chapter::elementwise::{Binary, unary};
use crate::chapter::product::multiply_matrices;
use crate::error::{raise, raise_for_shapes};
use belvedere::{DType, Error, Operand, Shape, Tensor, assign_into, copies};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::cmp::Ordering;

/// An operation with an array on the left. Its operands are passed by reference, so that neither is moved.
type LeftOperation = for<'a> fn(&'a Tensor, &'a OperandArgument) -> Result<Tensor, Error>;

/// An operation that writes to an array.
type InPlaceOperation = for<'a> fn(&Tensor, Operand<'a>) -> Result<(), Error>;

impl ArrayObject {
    /// Computes an operator with the array on the left.
    #[inline]
    fn operate_left<'py>(
        &self,
        py: Python<'py>,
        other: PyResult<OperandArgument>,
        operation: LeftOperation,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let (x, y) = (&self.tensor, &other?);
        let len = x.len().max(y.len());
        let raise = |error| Err(raise_for_shapes(error, &[&x.shape(), &shape(y)]));
        run_to_object_or_else(
            py,
            len,
            || operation(x, y),
            |error| match casts_bools(&error) {
                true => run_to_object_or_else(py, len, || operation(&as_int8(x)?, y), raise),
                false => raise(error),
            },
        )
    }

    /// Computes an operator with the array on the right.
    fn operate_right<'py>(
        &self,
        py: Python<'py>,
        other: PyResult<OperandArgument>,
        operation: Binary,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let (x, y) = (&other?, &self.tensor);
        let len = y.len().max(x.len());
        let raise = |error| Err(raise_for_shapes(error, &[&shape(x), &y.shape()]));
        let operate = || operation(x.into(), y.into());
        let of_integers = || operation(x.into(), (&as_int8(y)?).into());
        run_to_object_or_else(py, len, operate, |error| match casts_bools(&error) {
            true => run_to_object_or_else(py, len, of_integers, raise),
            false => raise(error),
        })
    }

    /// Computes an in-place operator.
    fn operate_in_place(
        &self,
        py: Python<'_>,
        other: PyResult<OperandArgument>,
        operation: InPlaceOperation,
    ) -> PyResult<()> {
        let (x, y) = (&self.tensor, &other?);
        try_run(py, x.len().max(y.len()), || operation(x, y.into()))
            .map_err(|error| raise_for_shapes(error, &[&x.shape(), &shape(y)]))
    }
}

/// Whether an error is that of an operation which has no bools, and casts them to `int8` in NumPy.
fn casts_bools(error: &Error) -> bool {
    const CASTING: [&str; 5] =
        ["pow", "floor_divide", "remainder", "bitwise_left_shift", "bitwise_right_shift"];
    matches!(error, Error::Unsupported { op, dtype: DType::Bool } if CASTING.contains(op))
}

/// Casts bools to integers. It is not recorded as a copy, because no user sees the temporary.
fn as_int8(x: &Tensor) -> Result<Tensor, Error> {
    copies::allow(|| x.astype(DType::Int8))
}

/// The shape of an operand; a number has no axes.
fn shape(operand: &OperandArgument) -> Shape {
    match operand {
        OperandArgument::Array(array) => array.get().tensor().shape(),
        OperandArgument::Number(_) => Shape::default(),
    }
}

/// The array of an in-place operator.
///
/// A 0-d array that owns its memory alone is not one: it is a value, as NumPy's scalars are. The slot then returns
/// `NotImplemented`, and Python computes the operator without an output, so that ``total += x`` gives `total` a new value and
/// leaves other names of the old one alone.
struct InPlaceArray<'a>(&'a ArrayObject);

impl<'a> TryFrom<&'a Bound<'_, ArrayObject>> for InPlaceArray<'a> {
    type Error = PyErr;

    #[inline]
    fn try_from(array: &'a Bound<'_, ArrayObject>) -> PyResult<InPlaceArray<'a>> {
        let array = array.get();
        match array.is_value() {
            true => Err(PyTypeError::new_err("a 0-d array that owns its memory is a value")),
            false => Ok(InPlaceArray(array)),
        }
    }
}

impl ArrayObject {
    /// Whether it is a 0-d array that owns its memory alone: a result, not a view of an element or of foreign memory.
    fn is_value(&self) -> bool {
        let (x, storage) = (&self.tensor, self.tensor.storage());
        x.rank() == 0
            && storage.len() == x.dtype().size()
            && storage.n_shares() == 1
            && !storage.is_foreign()
    }
}

/// Defines the three slots of operators: array on the left, on the right, and in place; and how two elements are computed, for
/// the operators that do so without the core.
macro_rules! operators {
    ($($left:ident $right:ident $in_place:ident => $method:ident $assign:ident $($element:ident)?;)+) => {
        #[pymethods]
        impl ArrayObject {
            $(
                fn $left<'py>(
                    &self,
                    py: Python<'py>,
                    #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
                ) -> PyResult<Bound<'py, ArrayObject>> {
                    $(
                        if let Ok(y) = &other
                            && let Some(pair) = ElementPair::read(&self.tensor, y)
                        {
                            return Arithmetic::$element.compute(py, pair);
                        }
                    )?
                    self.operate_left(py, other, |x, y| x.$method(y))
                }

                fn $right<'py>(
                    &self,
                    py: Python<'py>,
                    #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
                ) -> PyResult<Bound<'py, ArrayObject>> {
                    $(
                        if let Ok(x) = &other
                            && let Some(pair) = ElementPair::read(&self.tensor, x)
                        {
                            return Arithmetic::$element.compute(py, pair.swapped());
                        }
                    )?
                    self.operate_right(py, other, |x, y| x.$method(y))
                }

                fn $in_place(
                    slf: InPlaceArray<'_>,
                    py: Python<'_>,
                    #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
                ) -> PyResult<()> {
                    slf.0.operate_in_place(py, other, |x, y| x.$assign(y))
                }
            )+
        }
    };
}

operators! {
    __add__ __radd__ __iadd__ => add add_assign Add;
    __sub__ __rsub__ __isub__ => sub sub_assign Sub;
    __mul__ __rmul__ __imul__ => mul mul_assign Mul;
    __truediv__ __rtruediv__ __itruediv__ => div div_assign Div;
    __floordiv__ __rfloordiv__ __ifloordiv__ => floor_divide floor_divide_assign;
    __mod__ __rmod__ __imod__ => remainder remainder_assign;
    __and__ __rand__ __iand__ => bitwise_and bitwise_and_assign;
    __or__ __ror__ __ior__ => bitwise_or bitwise_or_assign;
    __xor__ __rxor__ __ixor__ => bitwise_xor bitwise_xor_assign;
    __lshift__ __rlshift__ __ilshift__ => bitwise_left_shift bitwise_left_shift_assign;
    __rshift__ __rrshift__ __irshift__ => bitwise_right_shift bitwise_right_shift_assign;
}

#[pymethods]
impl ArrayObject {
    fn __pow__<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        refuse_modulo(modulo)?;
        self.operate_left(py, other, |x, y| x.pow(y))
    }

    fn __rpow__<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        refuse_modulo(modulo)?;
        self.operate_right(py, other, |x, y| x.pow(y))
    }

    fn __ipow__(
        slf: InPlaceArray<'_>,
        py: Python<'_>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        refuse_modulo(modulo)?;
        slf.0.operate_in_place(py, other, |x, y| x.pow_assign(y))
    }
}

/// Refuses the third argument of Python's `pow(x, y, modulo)`.
fn refuse_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo {
        None => Ok(()),
        Some(_) => Err(PyValueError::new_err("pow() with a modulus is not supported for arrays")),
    }
}

#[pymethods]
impl ArrayObject {
    fn __divmod__(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
    ) -> PyResult<(Array, Array)> {
        let (x, y) = (&self.tensor, &other?);
        let both = |x: &Tensor| Ok((x.floor_divide(y)?, x.remainder(y)?));
        let operate = || match both(x) {
            Err(error) if casts_bools(&error) => both(&as_int8(x)?),
            result => result,
        };
        let (quotient, remainder) = run(py, x.len().max(y.len()), operate)?;
        Ok((quotient.into(), remainder.into()))
    }

    fn __rdivmod__(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
    ) -> PyResult<(Array, Array)> {
        let (x, y) = (&other?, &self.tensor);
        let both = || Ok((Operand::from(x).floor_divide(y)?, Operand::from(x).remainder(y)?));
        let (quotient, remainder) = run(py, y.len().max(x.len()), both)?;
        Ok((quotient.into(), remainder.into()))
    }
}

#[pymethods]
impl ArrayObject {
    fn __matmul__(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
    ) -> PyResult<Array> {
        let other = ArrayArgument::from_operand(py, other?)?;
        multiply_matrices(py, &self.tensor, other.tensor())
    }

    fn __rmatmul__(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
    ) -> PyResult<Array> {
        let other = ArrayArgument::from_operand(py, other?)?;
        multiply_matrices(py, other.tensor(), &self.tensor)
    }

    fn __imatmul__(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = operator_operand)] other: PyResult<OperandArgument>,
    ) -> PyResult<()> {
        let other = ArrayArgument::from_operand(py, other?)?;
        let product = multiply_matrices(py, &self.tensor, other.tensor())?;
        let (x, product) = (&self.tensor, &product.tensor);
        if product.shape() != x.shape() {
            let (op, needed, given) = ("matmul", product.shape().into(), x.shape().into());
            return Err(raise(Error::ShapeMismatch { op, needed, given }));
        }
        run(py, x.len(), || assign_into(product, x))
    }
}

impl ArrayObject {
    /// Computes a comparison operator, for all operands.
    pub(super) fn compare<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(answer) = self.compare_element(other, op) {
            return bool_object(py, answer).map(Bound::into_any);
        }
        let Ok(operand) = compared_operator_operand(other) else {
            return self.compare_with_other(other, op);
        };
        let operation: LeftOperation = match op {
            CompareOp::Lt => |x, y| x.less(y),
            CompareOp::Le => |x, y| x.less_equal(y),
            CompareOp::Eq => |x, y| x.equal(y),
            CompareOp::Ne => |x, y| x.not_equal(y),
            CompareOp::Gt => |x, y| x.greater(y),
            CompareOp::Ge => |x, y| x.greater_equal(y),
        };
        self.operate_left(py, operand, operation).map(Bound::into_any)
    }
}

#[pymethods]
impl ArrayObject {
    fn __abs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, |x| if x.dtype().is_bool() { x.copy() } else { x.abs() })
    }

    fn __invert__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, |x| x.bitwise_invert())
    }

    fn __neg__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, |x| x.negative())
    }

    fn __pos__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, |x| x.positive())
    }
}

/// Whether a comparison is true for an ordering. NaN has none: it is unequal to every number.
#[inline]
fn is_matched(op: CompareOp, ordering: Option<Ordering>) -> bool {
    ordering.map_or(matches!(op, CompareOp::Ne), |it| op.matches(it))
}

/// The last results of comparisons of elements, which most programs have dropped before the next comparison.
static ANSWERS: [KeptObject; 2] = [const { KeptObject::empty() }; 2];

/// Returns a bool as a 0-d array.
#[inline]
pub(super) fn bool_object(py: Python<'_>, value: bool) -> PyResult<Bound<'_, ArrayObject>> {
    match ANSWERS[usize::from(value)].renew(py, |answer| answer.is_sole_element()) {
        Some(answer) => Ok(answer),
        None => new_bool_object(py, value),
    }
}

/// Creates a bool as a 0-d array, and keeps it.
#[cold]
#[inline(never)]
fn new_bool_object(py: Python<'_>, value: bool) -> PyResult<Bound<'_, ArrayObject>> {
    let tensor = Tensor::of_element(value).expect("one byte");
    let answer = new_object(py, |slot| Ok(slot.write(tensor)))?;
    ANSWERS[usize::from(value)].keep(&answer);
    Ok(answer)
}

impl ArrayObject {
    /// Compares a 0-d array with another one of the same dtype, or with a Python scalar of its kind. `None` for all other
    /// operands, and if an element cannot be read at once.
    #[inline]
    fn compare_element(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> Option<bool> {
        let x = &self.tensor;
        if x.rank() != 0 {
            return None;
        }
        let ordering = match other.cast_exact::<ArrayObject>() {
            Ok(other) => return self.compare_elements(other.get(), op),
            Err(_) => match (x.dtype(), Number::exact(other).ok()??) {
                (DType::Int64, Number::Int(y)) => Some(i128::from(x.try_item::<i64>()?).cmp(&y)),
                (DType::Float64, Number::Float(y)) => x.try_item::<f64>()?.partial_cmp(&y),
                // Integers up to 2⁵³ are exact as floats.
                (DType::Float64, Number::Int(y))
                    if y.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS =>
                {
                    x.try_item::<f64>()?.partial_cmp(&(y as f64))
                }
                _ => return None,
            },
        };
        Some(is_matched(op, ordering))
    }

    /// Compares two 0-d arrays of one dtype, as [`ArrayObject::compare_element`] does.
    #[inline]
    pub(super) fn compare_elements(&self, other: &ArrayObject, op: CompareOp) -> Option<bool> {
        let (x, y) = (&self.tensor, &other.tensor);
        if x.rank() != 0 || y.rank() != 0 || x.dtype() != y.dtype() {
            return None;
        }
        let ordering = match x.dtype() {
            DType::Int64 => Some(x.try_item::<i64>()?.cmp(&y.try_item()?)),
            DType::Float64 => x.try_item::<f64>()?.partial_cmp(&y.try_item()?),
            _ => return None,
        };
        Some(is_matched(op, ordering))
    }

    /// Compares with an object that is no operand: no element equals None or a string. Python asks any other object.
    #[cold]
    fn compare_with_other<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, x) = (other.py(), &self.tensor);
        let is_text = other.is_instance_of::<PyString>();
        if (other.is_none() || is_text) && matches!(op, CompareOp::Eq | CompareOp::Ne) {
            let differs = matches!(op, CompareOp::Ne);
            let answer = run(py, x.len(), || Tensor::full(&*x.shape(), differs))?;
            return Ok(Array::from(answer).object(py)?.into_any());
        }
        Ok(py.NotImplemented().into_bound(py))
    }
}
