//! The operators `+ - * / %` and unary `-` for lazy expressions.

use super::super::element::{ADD, DIV, MUL, NEGATIVE, REMAINDER, SUB};
use super::{Lazy, Operation};
use crate::Complex;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// Implements an operator between an expression and everything that converts to one, and between a scalar
/// and an expression.
macro_rules! operator {
    ($trait:ident, $method:ident, $name:ident) => {
        impl<'a, T: Into<Lazy<'a>>> $trait<T> for Lazy<'a> {
            type Output = Lazy<'a>;

            fn $method(self, other: T) -> Lazy<'a> {
                Lazy::call(Operation::Two(&$name), vec![self, other.into()])
            }
        }

        impl<'a, T: Into<Lazy<'a>>> $trait<T> for &Lazy<'a> {
            type Output = Lazy<'a>;

            fn $method(self, other: T) -> Lazy<'a> {
                Lazy::call(Operation::Two(&$name), vec![self.clone(), other.into()])
            }
        }

        operator!(@left $trait, $method, $name, f64 f32 i32 i64 Complex<f64>);
    };
    (@left $trait:ident, $method:ident, $name:ident, $($number:ty)*) => {$(
        impl<'a> $trait<Lazy<'a>> for $number {
            type Output = Lazy<'a>;

            fn $method(self, other: Lazy<'a>) -> Lazy<'a> {
                Lazy::call(Operation::Two(&$name), vec![self.into(), other])
            }
        }

        impl<'a> $trait<&Lazy<'a>> for $number {
            type Output = Lazy<'a>;

            fn $method(self, other: &Lazy<'a>) -> Lazy<'a> {
                Lazy::call(Operation::Two(&$name), vec![self.into(), other.clone()])
            }
        }
    )*};
}

operator!(Add, add, ADD);
operator!(Sub, sub, SUB);
operator!(Mul, mul, MUL);
operator!(Div, div, DIV);
operator!(Rem, rem, REMAINDER);

impl<'a> Neg for Lazy<'a> {
    type Output = Lazy<'a>;

    fn neg(self) -> Lazy<'a> {
        Lazy::call(Operation::One(&NEGATIVE), vec![self])
    }
}

impl<'a> Neg for &Lazy<'a> {
    type Output = Lazy<'a>;

    fn neg(self) -> Lazy<'a> {
        -self.clone()
    }
}
