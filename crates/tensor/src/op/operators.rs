//! Operators of tensors: `&a + &b`, `&a + 1`, `2.0 * &a`, `-&a`, `&a & 7`, `a += &b`.
//!
//! They call the method of the operation, and panic with its message if it returns an error. `%` is
//! [`Tensor::remainder`], which has the sign of the divisor as in Python; for Rust's integers and floats it has
//! that of the dividend, as [`Tensor::fmod`].

use super::element::{ADD, BITWISE_AND, BITWISE_OR, BITWISE_XOR, DIV, MUL, REMAINDER, SUB};
use super::operand::Operand;
use crate::{Complex, Error, Lens, Tensor};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

/// Implements operators: of a tensor and any operand (`tensor`), in place (`assign`), of a lens and any operand
/// (`lens`), and of a number and a tensor (`number`).
macro_rules! operators {
    (tensor $($trait:ident $operator:ident $method:ident),+) => {$(
        impl<'a, T: Into<Operand<'a>>> $trait<T> for &Tensor {
            type Output = Tensor;

            #[doc = concat!("# Panics\nIf [`Tensor::", stringify!($method), "`] returns an error.")]
            #[track_caller]
            fn $operator(self, other: T) -> Tensor {
                expect(Tensor::$method(self, other))
            }
        }

        impl<'a, T: Into<Operand<'a>>> $trait<T> for Tensor {
            type Output = Tensor;

            #[doc = concat!("# Panics\nIf [`Tensor::", stringify!($method), "`] returns an error.")]
            #[track_caller]
            fn $operator(self, other: T) -> Tensor {
                expect(Tensor::$method(&self, other))
            }
        }
    )+};
    // Only the elements change, so tensors that share them see the result.
    (assign $($trait:ident $operator:ident $method:ident),+) => {$(
        impl<'a, T: Into<Operand<'a>>> $trait<T> for Tensor {
            #[doc = concat!("# Panics\nIf [`Tensor::", stringify!($method), "`] returns an error.")]
            #[track_caller]
            fn $operator(&mut self, other: T) {
                expect(Tensor::$method(self, other));
            }
        }
    )+};
    (lens $($trait:ident $method:ident),+) => {$(
        impl<'a, T: Into<Operand<'a>>> $trait<T> for &Lens {
            type Output = Tensor;

            #[doc = concat!("# Panics\nIf [`Lens::", stringify!($method), "`] returns an error.")]
            #[track_caller]
            fn $method(self, other: T) -> Tensor {
                expect(Lens::$method(self, other))
            }
        }
    )+};
    (number $trait:ident $operator:ident $op:ident: $($number:ty),+) => {$(
        impl $trait<&Tensor> for $number {
            type Output = Tensor;

            /// # Panics
            /// If the operation returns an error.
            #[track_caller]
            fn $operator(self, other: &Tensor) -> Tensor {
                expect($op.compute_two([self.into(), other.into()]))
            }
        }

        impl $trait<Tensor> for $number {
            type Output = Tensor;

            /// # Panics
            /// If the operation returns an error.
            #[track_caller]
            fn $operator(self, other: Tensor) -> Tensor {
                expect($op.compute_two([self.into(), other.into()]))
            }
        }
    )+};
}

operators! { lens Add add, Sub sub, Mul mul, Div div }

operators! {
    tensor
    Add add add,
    Sub sub sub,
    Mul mul mul,
    Div div div,
    Rem rem remainder,
    BitAnd bitand bitwise_and,
    BitOr bitor bitwise_or,
    BitXor bitxor bitwise_xor,
    Shl shl bitwise_left_shift,
    Shr shr bitwise_right_shift
}

operators! {
    assign
    AddAssign add_assign add_assign,
    SubAssign sub_assign sub_assign,
    MulAssign mul_assign mul_assign,
    DivAssign div_assign div_assign,
    RemAssign rem_assign remainder_assign,
    BitAndAssign bitand_assign bitwise_and_assign,
    BitOrAssign bitor_assign bitwise_or_assign,
    BitXorAssign bitxor_assign bitwise_xor_assign,
    ShlAssign shl_assign bitwise_left_shift_assign,
    ShrAssign shr_assign bitwise_right_shift_assign
}

operators! { number Add add ADD: i32, i64, f32, f64, Complex<f32>, Complex<f64> }
operators! { number Sub sub SUB: i32, i64, f32, f64, Complex<f32>, Complex<f64> }
operators! { number Mul mul MUL: i32, i64, f32, f64, Complex<f32>, Complex<f64> }
operators! { number Div div DIV: i32, i64, f32, f64, Complex<f32>, Complex<f64> }
operators! { number Rem rem REMAINDER: i32, i64, f32, f64 }
operators! { number BitAnd bitand BITWISE_AND: i32, i64, bool }
operators! { number BitOr bitor BITWISE_OR: i32, i64, bool }
operators! { number BitXor bitxor BITWISE_XOR: i32, i64, bool }

impl Not for &Tensor {
    type Output = Tensor;

    /// # Panics
    /// If [`Tensor::bitwise_invert`] returns an error.
    #[track_caller]
    fn not(self) -> Tensor {
        expect(self.bitwise_invert())
    }
}

impl Not for Tensor {
    type Output = Tensor;

    /// # Panics
    /// If [`Tensor::bitwise_invert`] returns an error.
    #[track_caller]
    fn not(self) -> Tensor {
        expect(self.bitwise_invert())
    }
}

impl Neg for &Tensor {
    type Output = Tensor;

    /// # Panics
    /// If [`Tensor::negative`] returns an error.
    #[track_caller]
    fn neg(self) -> Tensor {
        expect(self.negative())
    }
}

impl Neg for Tensor {
    type Output = Tensor;

    /// # Panics
    /// If [`Tensor::negative`] returns an error.
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
