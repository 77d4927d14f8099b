//! `&a + &b`, `&a + 1`, `2.0 * &a`, `-&a`, `&a & 7`, `a += &b`: the methods without their `?`.
//!
//! They panic where the method returns an error, with its message. `%` is [`Tensor::remainder`], which
//! has the sign of the divisor as in Python; Rust's own has that of the dividend, as [`Tensor::fmod`].

use super::element::{ADD, BITWISE_AND, BITWISE_OR, BITWISE_XOR, DIV, MUL, REMAINDER, SUB};
use super::operand::Operand;
use crate::{Complex, Error, Lens, Tensor};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

/// Implements an operator between tensors, and between a tensor and whatever becomes an operand.
macro_rules! operator {
    ($trait:ident, $operator:ident, $method:ident) => {
        impl<'a, T: Into<Operand<'a>>> $trait<T> for &Tensor {
            type Output = Tensor;

            #[doc = concat!("# Panics\nWhere [`Tensor::", stringify!($method), "`] returns an error.")]
            #[track_caller]
            fn $operator(self, other: T) -> Tensor {
                expect(Tensor::$method(self, other))
            }
        }

        impl<'a, T: Into<Operand<'a>>> $trait<T> for Tensor {
            type Output = Tensor;

            #[doc = concat!("# Panics\nWhere [`Tensor::", stringify!($method), "`] returns an error.")]
            #[track_caller]
            fn $operator(self, other: T) -> Tensor {
                expect(Tensor::$method(&self, other))
            }
        }
    };
}

/// Implements an operator with a lens on its left side.
macro_rules! lens_operator {
    ($trait:ident, $method:ident) => {
        impl<'a, T: Into<Operand<'a>>> $trait<T> for &Lens {
            type Output = Tensor;

            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(self, other: T) -> Tensor {
                expect(Lens::$method(self, other))
            }
        }
    };
}

lens_operator!(Add, add);
lens_operator!(Sub, sub);
lens_operator!(Mul, mul);
lens_operator!(Div, div);

operator!(Add, add, add);
operator!(Sub, sub, sub);
operator!(Mul, mul, mul);
operator!(Div, div, div);
operator!(Rem, rem, remainder);
operator!(BitAnd, bitand, bitwise_and);
operator!(BitOr, bitor, bitwise_or);
operator!(BitXor, bitxor, bitwise_xor);
operator!(Shl, shl, bitwise_left_shift);
operator!(Shr, shr, bitwise_right_shift);

/// Implements an operator that changes its left side. Nothing but the elements changes, so a tensor
/// that shares them sees it.
macro_rules! assigning_operator {
    ($trait:ident, $operator:ident, $method:ident) => {
        impl<'a, T: Into<Operand<'a>>> $trait<T> for Tensor {
            #[doc = concat!("# Panics\nWhere [`Tensor::", stringify!($method), "`] returns an error.")]
            #[track_caller]
            fn $operator(&mut self, other: T) {
                expect(Tensor::$method(self, other));
            }
        }
    };
}

assigning_operator!(AddAssign, add_assign, add_assign);
assigning_operator!(SubAssign, sub_assign, sub_assign);
assigning_operator!(MulAssign, mul_assign, mul_assign);
assigning_operator!(DivAssign, div_assign, div_assign);
assigning_operator!(RemAssign, rem_assign, remainder_assign);
assigning_operator!(BitAndAssign, bitand_assign, bitwise_and_assign);
assigning_operator!(BitOrAssign, bitor_assign, bitwise_or_assign);
assigning_operator!(BitXorAssign, bitxor_assign, bitwise_xor_assign);
assigning_operator!(ShlAssign, shl_assign, bitwise_left_shift_assign);
assigning_operator!(ShrAssign, shr_assign, bitwise_right_shift_assign);

/// Implements an operator with a number on its left side.
macro_rules! number_operator {
    ($trait:ident, $method:ident, $op:ident: $($number:ty)*) => {$(
        impl $trait<&Tensor> for $number {
            type Output = Tensor;

            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(self, other: &Tensor) -> Tensor {
                expect($op.compute_two([self.into(), other.into()]))
            }
        }

        impl $trait<Tensor> for $number {
            type Output = Tensor;

            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(self, other: Tensor) -> Tensor {
                expect($op.compute_two([self.into(), (&other).into()]))
            }
        }
    )*};
}

number_operator!(Add, add, ADD: i32 i64 f32 f64 Complex<f32> Complex<f64>);
number_operator!(Sub, sub, SUB: i32 i64 f32 f64 Complex<f32> Complex<f64>);
number_operator!(Mul, mul, MUL: i32 i64 f32 f64 Complex<f32> Complex<f64>);
number_operator!(Div, div, DIV: i32 i64 f32 f64 Complex<f32> Complex<f64>);
number_operator!(Rem, rem, REMAINDER: i32 i64 f32 f64);
number_operator!(BitAnd, bitand, BITWISE_AND: i32 i64 bool);
number_operator!(BitOr, bitor, BITWISE_OR: i32 i64 bool);
number_operator!(BitXor, bitxor, BITWISE_XOR: i32 i64 bool);

impl Not for &Tensor {
    type Output = Tensor;

    /// # Panics
    /// Where [`Tensor::bitwise_invert`] returns an error.
    #[track_caller]
    fn not(self) -> Tensor {
        expect(self.bitwise_invert())
    }
}

impl Not for Tensor {
    type Output = Tensor;

    /// # Panics
    /// Where [`Tensor::bitwise_invert`] returns an error.
    #[track_caller]
    fn not(self) -> Tensor {
        expect(self.bitwise_invert())
    }
}

impl Neg for &Tensor {
    type Output = Tensor;

    /// # Panics
    /// Where [`Tensor::negative`] returns an error.
    #[track_caller]
    fn neg(self) -> Tensor {
        expect(self.negative())
    }
}

impl Neg for Tensor {
    type Output = Tensor;

    /// # Panics
    /// Where [`Tensor::negative`] returns an error.
    #[track_caller]
    fn neg(self) -> Tensor {
        expect(self.negative())
    }
}

#[track_caller]
fn expect<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
