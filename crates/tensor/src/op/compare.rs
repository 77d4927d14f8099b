//! Comparison and logic: results are `bool`.

use super::elementwise::{Binary, Unary};
use super::family::*;
use super::operand::{Operand, Target};
use crate::dtype::{Comparable, Scalar};
use crate::{Error, Tensor};
use std::panic::Location;

const LESS: Binary = Binary::new("less", Less::body);

struct Less;

impl OrderedRelation for Less {
    #[inline(always)]
    fn apply<T: Comparable>(x: T, y: T) -> bool {
        x < y
    }
}

impl Tensor {
    /// Whether each element is less than the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].less(2)?.to_vec::<bool>()?, [true, false, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn less<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        LESS.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::less`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn less_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LESS.write([x.into(), y.into()], out.into(), Location::caller())
}

const LESS_EQUAL: Binary = Binary::new("less_equal", LessEqual::body);

struct LessEqual;

impl OrderedRelation for LessEqual {
    #[inline(always)]
    fn apply<T: Comparable>(x: T, y: T) -> bool {
        x <= y
    }
}

impl Tensor {
    /// Whether each element is at most the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].less_equal(2)?.to_vec::<bool>()?, [true, true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn less_equal<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        LESS_EQUAL.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::less_equal`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn less_equal_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LESS_EQUAL.write([x.into(), y.into()], out.into(), Location::caller())
}

const GREATER: Binary = Binary::new("greater", Greater::body);

struct Greater;

impl OrderedRelation for Greater {
    #[inline(always)]
    fn apply<T: Comparable>(x: T, y: T) -> bool {
        x > y
    }
}

impl Tensor {
    /// Whether each element is greater than the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].greater(2)?.to_vec::<bool>()?, [false, false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn greater<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        GREATER.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::greater`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn greater_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    GREATER.write([x.into(), y.into()], out.into(), Location::caller())
}

const GREATER_EQUAL: Binary = Binary::new("greater_equal", GreaterEqual::body);

struct GreaterEqual;

impl OrderedRelation for GreaterEqual {
    #[inline(always)]
    fn apply<T: Comparable>(x: T, y: T) -> bool {
        x >= y
    }
}

impl Tensor {
    /// Whether each element is at least the other; never if one of them is a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].greater_equal(2)?.to_vec::<bool>()?, [false, true, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn greater_equal<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        GREATER_EQUAL.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::greater_equal`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn greater_equal_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    GREATER_EQUAL.write([x.into(), y.into()], out.into(), Location::caller())
}

const EQUAL: Binary = Binary::new("equal", Equal::body);

struct Equal;

impl Relation for Equal {
    #[inline(always)]
    fn apply<T: Scalar>(x: T, y: T) -> bool {
        x == y
    }
}

impl Tensor {
    /// Whether each element equals the other; a NaN equals nothing.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].equal(2)?.to_vec::<bool>()?, [false, true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast.
    pub fn equal<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        EQUAL.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::equal`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn equal_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    EQUAL.write([x.into(), y.into()], out.into(), Location::caller())
}

const NOT_EQUAL: Binary = Binary::new("not_equal", NotEqual::body);

struct NotEqual;

impl Relation for NotEqual {
    #[inline(always)]
    fn apply<T: Scalar>(x: T, y: T) -> bool {
        x != y
    }
}

impl Tensor {
    /// Whether each element differs from the other; a NaN differs from everything.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].not_equal(2)?.to_vec::<bool>()?, [true, false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast.
    pub fn not_equal<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        NOT_EQUAL.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::not_equal`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn not_equal_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    NOT_EQUAL.write([x.into(), y.into()], out.into(), Location::caller())
}

const LOGICAL_AND: Binary = Binary::new("logical_and", LogicalAnd::body);

struct LogicalAnd;

impl Relation for LogicalAnd {
    #[inline(always)]
    fn apply<T: Scalar>(x: T, y: T) -> bool {
        x.is_true() && y.is_true()
    }
}

impl Tensor {
    /// Whether both elements are true. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, y) = (tensor![false, false, true], tensor![false, true, true]);
    /// assert_eq!(x.logical_and(&y)?.to_vec::<bool>()?, [false, false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast.
    pub fn logical_and<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        LOGICAL_AND.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::logical_and`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn logical_and_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LOGICAL_AND.write([x.into(), y.into()], out.into(), Location::caller())
}

const LOGICAL_OR: Binary = Binary::new("logical_or", LogicalOr::body);

struct LogicalOr;

impl Relation for LogicalOr {
    #[inline(always)]
    fn apply<T: Scalar>(x: T, y: T) -> bool {
        x.is_true() || y.is_true()
    }
}

impl Tensor {
    /// Whether one of two elements is true. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, y) = (tensor![false, false, true], tensor![false, true, true]);
    /// assert_eq!(x.logical_or(&y)?.to_vec::<bool>()?, [false, true, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast.
    pub fn logical_or<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        LOGICAL_OR.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::logical_or`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn logical_or_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LOGICAL_OR.write([x.into(), y.into()], out.into(), Location::caller())
}

const LOGICAL_XOR: Binary = Binary::new("logical_xor", LogicalXor::body);

struct LogicalXor;

impl Relation for LogicalXor {
    #[inline(always)]
    fn apply<T: Scalar>(x: T, y: T) -> bool {
        x.is_true() != y.is_true()
    }
}

impl Tensor {
    /// Whether exactly one of two elements is true. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, y) = (tensor![false, false, true], tensor![false, true, true]);
    /// assert_eq!(x.logical_xor(&y)?.to_vec::<bool>()?, [false, true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast.
    pub fn logical_xor<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        LOGICAL_XOR.of([self.into(), other.into()])
    }
}

/// Writes [`Tensor::logical_xor`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn logical_xor_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LOGICAL_XOR.write([x.into(), y.into()], out.into(), Location::caller())
}

const LOGICAL_NOT: Unary = Unary::new("logical_not", LogicalNot::body);

struct LogicalNot;

impl Question for LogicalNot {
    #[inline(always)]
    fn apply<T: Scalar>(x: T) -> bool {
        !x.is_true()
    }
}

impl Tensor {
    /// Whether each element is false. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0, 3].logical_not()?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn logical_not(&self) -> Result<Tensor, Error> {
        LOGICAL_NOT.of([self.into()])
    }
}

/// Writes [`Tensor::logical_not`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn logical_not_into<'a>(
    x: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LOGICAL_NOT.write([x.into()], out.into(), Location::caller())
}
