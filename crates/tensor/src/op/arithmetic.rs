//! Addition and its kin.

use super::elementwise::{Binary, Unary};
use super::family::*;
use super::operand::{Operand, Target};
use crate::dtype::{Comparable, Field, Number};
use crate::{Error, Tensor};
use std::panic::Location;

const ADD: Binary = Binary::new("add", Add::body);

struct Add;

impl NumberBinary for Add {
    #[inline(always)]
    fn apply<T: Number>(x: T, y: T) -> T {
        x.plus(y)
    }
}

impl Tensor {
    /// The sum, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// assert_eq!(x.add(&tensor![10, 20, 30])?.to_vec::<i32>()?, [11, 22, 33]);
    /// assert_eq!(x.add(1)?.to_vec::<i32>()?, [2, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is `bool`.
    pub fn add<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        ADD.of([self.into(), other.into()])
    }

    /// Adds to every element. `other` is read as it was before the call, also if the two share memory.
    ///
    /// # Errors
    /// As for [`Tensor::add`]; and if it would change the shape or the kind of type, or cannot be
    /// written to.
    #[track_caller]
    pub fn add_assign<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(), Error> {
        ADD.write([self.into(), other.into()], self.into(), Location::caller())
    }
}

/// Writes [`Tensor::add`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn add_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    ADD.write([x.into(), y.into()], out.into(), Location::caller())
}

const SUB: Binary = Binary::new("sub", Sub::body);

struct Sub;

impl NumberBinary for Sub {
    #[inline(always)]
    fn apply<T: Number>(x: T, y: T) -> T {
        x.minus(y)
    }
}

impl Tensor {
    /// The difference, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// assert_eq!(x.sub(&tensor![10, 20, 30])?.to_vec::<i32>()?, [-9, -18, -27]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is `bool`.
    pub fn sub<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        SUB.of([self.into(), other.into()])
    }

    /// Subtracts from every element. `other` is read as it was before the call, also if the two share memory.
    ///
    /// # Errors
    /// As for [`Tensor::sub`]; and if it would change the shape or the kind of type, or cannot be
    /// written to.
    #[track_caller]
    pub fn sub_assign<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(), Error> {
        SUB.write([self.into(), other.into()], self.into(), Location::caller())
    }
}

/// Writes [`Tensor::sub`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn sub_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SUB.write([x.into(), y.into()], out.into(), Location::caller())
}

const MUL: Binary = Binary::new("mul", Mul::body);

struct Mul;

impl NumberBinary for Mul {
    #[inline(always)]
    fn apply<T: Number>(x: T, y: T) -> T {
        x.times(y)
    }
}

impl Tensor {
    /// The product, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.5, 2.0];
    /// assert_eq!(x.mul(2)?.to_vec::<f64>()?, [3.0, 4.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is `bool`.
    pub fn mul<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        MUL.of([self.into(), other.into()])
    }

    /// Multiplies every element. `other` is read as it was before the call, also if the two share memory.
    ///
    /// # Errors
    /// As for [`Tensor::mul`]; and if it would change the shape or the kind of type, or cannot be
    /// written to.
    #[track_caller]
    pub fn mul_assign<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(), Error> {
        MUL.write([self.into(), other.into()], self.into(), Location::caller())
    }
}

/// Writes [`Tensor::mul`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn mul_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    MUL.write([x.into(), y.into()], out.into(), Location::caller())
}

const DIV: Binary = Binary::new("div", Div::body).in_floats();

struct Div;

impl FieldBinary for Div {
    #[inline(always)]
    fn apply<T: Field>(x: T, y: T) -> T {
        x.over(y)
    }
}

impl Tensor {
    /// The quotient, element by element, in floating-point numbers; integers become `float64`.
    ///
    /// A division by zero gives an infinity or a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 0];
    /// assert_eq!(x.div(&tensor![2, 0, 1])?.to_vec::<f64>()?, [0.5, f64::INFINITY, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast.
    pub fn div<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        DIV.of([self.into(), other.into()])
    }

    /// Divides every element. `other` is read as it was before the call, also if the two share memory.
    ///
    /// # Errors
    /// As for [`Tensor::div`]; and if it would change the shape or the kind of type, or cannot be
    /// written to.
    #[track_caller]
    pub fn div_assign<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(), Error> {
        DIV.write([self.into(), other.into()], self.into(), Location::caller())
    }
}

/// Writes [`Tensor::div`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn div_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    DIV.write([x.into(), y.into()], out.into(), Location::caller())
}

const MINIMUM: Binary = Binary::new("minimum", Minimum::body);

struct Minimum;

impl OrderedBinary for Minimum {
    #[inline(always)]
    fn apply<T: Comparable>(x: T, y: T) -> T {
        x.smaller(y)
    }
}

impl Tensor {
    /// The smaller of two elements; a NaN if one of them is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 5, 3];
    /// assert_eq!(x.minimum(3)?.to_vec::<i32>()?, [1, 3, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn minimum<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        MINIMUM.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::minimum`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn minimum_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    MINIMUM.write([x.into(), y.into()], out.into(), Location::caller())
}

const MAXIMUM: Binary = Binary::new("maximum", Maximum::body);

struct Maximum;

impl OrderedBinary for Maximum {
    #[inline(always)]
    fn apply<T: Comparable>(x: T, y: T) -> T {
        x.greater(y)
    }
}

impl Tensor {
    /// The greater of two elements; a NaN if one of them is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 5, 3];
    /// assert_eq!(x.maximum(3)?.to_vec::<i32>()?, [3, 5, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn maximum<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        MAXIMUM.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::maximum`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn maximum_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    MAXIMUM.write([x.into(), y.into()], out.into(), Location::caller())
}

const NEGATIVE: Unary = Unary::new("negative", Negative::body);

struct Negative;

impl NumberUnary for Negative {
    #[inline(always)]
    fn apply<T: Number>(x: T) -> T {
        x.negative()
    }
}

impl Tensor {
    /// The negative, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, -2].negative()?.to_vec::<i32>()?, [-1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the type is `bool`.
    pub fn negative(&self) -> Result<Tensor, Error> {
        NEGATIVE.of([self.into()])
    }
}

/// Writes [`Tensor::negative`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn negative_into<'a>(
    x: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    NEGATIVE.write([x.into()], out.into(), Location::caller())
}

/// The sum of two operands of any kind.
pub(super) fn sum_of(operands: [Operand<'_>; 2]) -> Result<Tensor, Error> {
    ADD.of(operands)
}

/// The difference of two operands of any kind.
pub(super) fn difference_of(operands: [Operand<'_>; 2]) -> Result<Tensor, Error> {
    SUB.of(operands)
}

/// The product of two operands of any kind.
pub(super) fn product_of(operands: [Operand<'_>; 2]) -> Result<Tensor, Error> {
    MUL.of(operands)
}

/// The quotient of two operands of any kind.
pub(super) fn quotient_of(operands: [Operand<'_>; 2]) -> Result<Tensor, Error> {
    DIV.of(operands)
}
