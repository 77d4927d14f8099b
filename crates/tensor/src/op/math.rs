//! Functions of one number, and powers.

use super::elementwise::{Binary, Unary};
use super::family::*;
use super::operand::{Operand, Target, common_type};
use super::reduce::least_integer;
use crate::dtype::{Comparable, Field, Number};
use crate::kernel::body::Body;
use crate::{DType, Error, Tensor};
use num_complex::Complex;
use std::panic::Location;

const SQRT: Unary = Unary::new("sqrt", Sqrt::body).in_floats();

struct Sqrt;

impl FieldUnary for Sqrt {
    #[inline(always)]
    fn apply<T: Field>(x: T) -> T {
        x.sqrt()
    }
}

impl Tensor {
    /// The square root, element by element; a NaN for negative real numbers. Integers become `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![4.0, 9.0].sqrt()?.to_vec::<f64>()?, [2.0, 3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn sqrt(&self) -> Result<Tensor, Error> {
        SQRT.of([self.into()])
    }
}

/// Writes [`Tensor::sqrt`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn sqrt_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    SQRT.write([x.into()], out.into(), Location::caller())
}

const EXP: Unary = Unary::new("exp", Exp::body).in_floats();

struct Exp;

impl FieldUnary for Exp {
    #[inline(always)]
    fn apply<T: Field>(x: T) -> T {
        x.exp()
    }
}

impl Tensor {
    /// The exponential, element by element. Integers become `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].exp()?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn exp(&self) -> Result<Tensor, Error> {
        EXP.of([self.into()])
    }
}

/// Writes [`Tensor::exp`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn exp_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    EXP.write([x.into()], out.into(), Location::caller())
}

const LOG: Unary = Unary::new("log", Log::body).in_floats();

struct Log;

impl FieldUnary for Log {
    #[inline(always)]
    fn apply<T: Field>(x: T) -> T {
        x.ln()
    }
}

impl Tensor {
    /// The natural logarithm, element by element; a NaN for negative real numbers. Integers become `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0].log()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn log(&self) -> Result<Tensor, Error> {
        LOG.of([self.into()])
    }
}

/// Writes [`Tensor::log`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn log_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    LOG.write([x.into()], out.into(), Location::caller())
}

const TANH: Unary = Unary::new("tanh", Tanh::body).in_floats();

struct Tanh;

impl FieldUnary for Tanh {
    #[inline(always)]
    fn apply<T: Field>(x: T) -> T {
        x.tanh()
    }
}

impl Tensor {
    /// The hyperbolic tangent, element by element. Integers become `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].tanh()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn tanh(&self) -> Result<Tensor, Error> {
        TANH.of([self.into()])
    }
}

/// Writes [`Tensor::tanh`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn tanh_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    TANH.write([x.into()], out.into(), Location::caller())
}

const ABS: Unary = Unary::new("abs", abs_body);

struct Abs;

impl OrderedUnary for Abs {
    #[inline(always)]
    fn apply<T: Comparable>(x: T) -> T {
        x.magnitude()
    }
}

/// The magnitude of a complex number is real, so it has bodies of its own.
fn abs_body(dtype: DType) -> Option<Body<'static, 2>> {
    match dtype {
        DType::Bool => None,
        DType::Complex64 => Some(Body::unary(|x: Complex<f32>| x.norm())),
        DType::Complex128 => Some(Body::unary(|x: Complex<f64>| x.norm())),
        real => Abs::body(real),
    }
}

impl Tensor {
    /// The distance from zero, element by element; that of complex numbers is real. The least
    /// signed integer has none, and stays as it is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![-3, 4].abs()?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the type is `bool`.
    pub fn abs(&self) -> Result<Tensor, Error> {
        ABS.of([self.into()])
    }
}

/// Writes [`Tensor::abs`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn abs_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    ABS.write([x.into()], out.into(), Location::caller())
}

const POW: Binary = Binary::new("pow", Pow::body);

struct Pow;

impl NumberBinary for Pow {
    #[inline(always)]
    fn apply<T: Number>(x: T, y: T) -> T {
        x.power(y)
    }
}

impl Tensor {
    /// Each element to the power of the other; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![2, 3].pow(3)?.to_vec::<i32>()?, [8, 27]);
    /// assert_eq!(tensor![4.0].pow(0.5)?.to_vec::<f64>()?, [2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, the type is `bool`, or integers have a negative exponent.
    pub fn pow<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        let operands = [self.into(), other.into()];
        check_exponents(&operands)?;
        POW.of(operands)
    }

    /// Raises every element to a power.
    ///
    /// # Errors
    /// As for [`Tensor::pow`]; and if it would change the shape or the kind of type, or cannot be
    /// written to.
    #[track_caller]
    pub fn pow_assign<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(), Error> {
        let other: Operand<'_> = other.into();
        pow_into(self, other, self)
    }
}

/// Writes [`Tensor::pow`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn pow_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let operands = [x.into(), y.into()];
    check_exponents(&operands)?;
    POW.write(operands, out.into(), Location::caller())
}

/// Refuses negative exponents among integers. Exponents that turn negative on another thread, after
/// they were looked at, give 0.
fn check_exponents(operands: &[Operand<'_>; 2]) -> Result<(), Error> {
    let [x, y] = operands;
    if !common_type(&[x, y]).is_integer() {
        return Ok(());
    }
    match least_integer(y)? {
        Some(exponent) if exponent < 0 => Err(Error::NegativePower { exponent }),
        _ => Ok(()),
    }
}
