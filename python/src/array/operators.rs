//! `+`, `-`, `<`, `@` and the others.
//!
//! What stands beside an array is an array, a number, or what shares its memory with others. If it is
//! nothing of the kind, or wants to do it itself, Python is told so and asks it: `NotImplemented`.
//! An operator that assigns writes to the memory of the array.

// What `pymethods` makes of the methods has this in it, and inside of a macro of ours it counts as ours.
#![allow(unsafe_op_in_unsafe_fn)]

use super::{Array, ArrayObject};
use crate::arguments::{ArrayArgument, Beside, BesideCompared, Given, OperandArgument};
use crate::chapter::elementwise::{Binary, Unary, unary};
use crate::error::raise;
use crate::lock::{made, run};
use belvedere::{Error, Operand, Tensor, assign_into};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

impl ArrayObject {
    /// The result of an operator with the array on the left.
    fn before<'py>(
        &self,
        py: Python<'py>,
        other: OperandArgument<'py>,
        function: Left,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let (x, y) = (&self.tensor, other.given());
        made(py, x.len().max(other.len()), || function(x, y))
    }

    /// The result of an operator with the array on the right.
    fn behind<'py>(
        &self,
        py: Python<'py>,
        other: Beside<'py>,
        function: Binary,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let other = other.operand()?;
        let (x, y) = (other.given(), &self.tensor);
        made(py, y.len().max(other.len()), || function(x.into(), y.into()))
    }

    /// Writes the result of an operator to the array.
    fn assign(&self, py: Python<'_>, other: Beside<'_>, function: Assign) -> PyResult<()> {
        let other = other.operand()?;
        let (x, y) = (&self.tensor, other.given());
        run(py, x.len().max(other.len()), || function(x, y.into()))
    }

    fn alone<'py>(&self, py: Python<'py>, function: Unary) -> PyResult<Bound<'py, ArrayObject>> {
        unary(py, &self.tensor, function)
    }
}

/// An operation with an array on the left. Neither of the two is moved to where it is done.
type Left = for<'a> fn(&'a Tensor, Given<'a>) -> Result<Tensor, Error>;

/// An operation that changes an array.
type Assign = for<'a> fn(&Tensor, Operand<'a>) -> Result<(), Error>;

/// The three forms of an operator: from the left, from the right, and assigning.
macro_rules! operators {
    ($($left:ident $right:ident $in_place:ident => $method:ident $assign:ident;)+) => {
        #[pymethods]
        impl ArrayObject {
            $(
                fn $left<'py>(
                    &self,
                    py: Python<'py>,
                    other: Beside<'py>,
                ) -> PyResult<Bound<'py, ArrayObject>> {
                    self.before(py, other.operand()?, |x, y| x.$method(y))
                }

                fn $right<'py>(
                    &self,
                    py: Python<'py>,
                    other: Beside<'py>,
                ) -> PyResult<Bound<'py, ArrayObject>> {
                    self.behind(py, other, |x, y| x.$method(y))
                }

                fn $in_place(&self, py: Python<'_>, other: Beside<'_>) -> PyResult<()> {
                    self.assign(py, other, |x, y| x.$assign(y))
                }
            )+
        }
    };
}

operators! {
    __add__ __radd__ __iadd__ => add add_assign;
    __sub__ __rsub__ __isub__ => sub sub_assign;
    __mul__ __rmul__ __imul__ => mul mul_assign;
    __truediv__ __rtruediv__ __itruediv__ => div div_assign;
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
        other: Beside<'py>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        refuse_modulo(modulo)?;
        self.before(py, other.operand()?, |x, y| x.pow(y))
    }

    fn __rpow__<'py>(
        &self,
        py: Python<'py>,
        other: Beside<'py>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        refuse_modulo(modulo)?;
        self.behind(py, other, |x, y| x.pow(y))
    }

    fn __ipow__(
        &self,
        py: Python<'_>,
        other: Beside<'_>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        refuse_modulo(modulo)?;
        self.assign(py, other, |x, y| x.pow_assign(y))
    }
}

/// Python's `pow(x, y, modulo)` is for its own integers.
fn refuse_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo {
        None => Ok(()),
        Some(_) => Err(PyValueError::new_err("arrays have no powers with a modulus")),
    }
}

#[pymethods]
impl ArrayObject {
    fn __divmod__(&self, py: Python<'_>, other: Beside<'_>) -> PyResult<(Array, Array)> {
        let other = other.operand()?;
        let (x, y) = (&self.tensor, other.given());
        let both = || Ok((x.floor_divide(y)?, x.remainder(y)?));
        let (quotient, rest) = run(py, x.len().max(other.len()), both)?;
        Ok((quotient.into(), rest.into()))
    }

    fn __rdivmod__(&self, py: Python<'_>, other: Beside<'_>) -> PyResult<(Array, Array)> {
        let other = other.operand()?;
        let (x, y) = (other.given(), &self.tensor);
        let x = || Operand::from(x);
        let both = || Ok((x().floor_divide(y)?, x().remainder(y)?));
        let (quotient, rest) = run(py, y.len().max(other.len()), both)?;
        Ok((quotient.into(), rest.into()))
    }
}

#[pymethods]
impl ArrayObject {
    fn __matmul__(&self, py: Python<'_>, other: Beside<'_>) -> PyResult<Array> {
        let other = ArrayArgument::of(py, other.operand()?)?;
        product(py, &self.tensor, other.tensor())
    }

    fn __rmatmul__(&self, py: Python<'_>, other: Beside<'_>) -> PyResult<Array> {
        let other = ArrayArgument::of(py, other.operand()?)?;
        product(py, other.tensor(), &self.tensor)
    }

    fn __imatmul__(&self, py: Python<'_>, other: Beside<'_>) -> PyResult<()> {
        let other = ArrayArgument::of(py, other.operand()?)?;
        let product = product(py, &self.tensor, other.tensor())?;
        let (x, product) = (&self.tensor, &product.tensor);
        if product.shape() != x.shape() {
            let (op, needed, given) = ("matmul", product.shape().into(), x.shape().into());
            return Err(raise(Error::ShapeMismatch { op, needed, given }));
        }
        run(py, x.len(), || assign_into(product, x))
    }
}

/// The matrix product. It takes longer than its elements are many.
fn product(py: Python<'_>, x: &Tensor, y: &Tensor) -> PyResult<Array> {
    let inner = x.layout().axes().last().map_or(1, |axis| axis.len);
    let work = y.len().max(inner).saturating_mul(x.len() / inner.max(1));
    run(py, work, || x.matmul(y)).map(Array::from)
}

#[pymethods]
impl ArrayObject {
    fn __richcmp__<'py>(
        &self,
        py: Python<'py>,
        other: BesideCompared<'py>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, ArrayObject>> {
        let function: Left = match op {
            CompareOp::Lt => |x, y| x.less(y),
            CompareOp::Le => |x, y| x.less_equal(y),
            CompareOp::Eq => |x, y| x.equal(y),
            CompareOp::Ne => |x, y| x.not_equal(y),
            CompareOp::Gt => |x, y| x.greater(y),
            CompareOp::Ge => |x, y| x.greater_equal(y),
        };
        self.before(py, other.operand()?, function)
    }

    fn __abs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.alone(py, |x| x.abs())
    }

    fn __invert__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.alone(py, |x| x.bitwise_invert())
    }

    fn __neg__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.alone(py, |x| x.negative())
    }

    fn __pos__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ArrayObject>> {
        self.alone(py, |x| x.positive())
    }
}
