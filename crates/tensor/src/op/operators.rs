//! `&a + &b`, `&a + 1`, `2.0 * &a`, `-&a`, `a += &b`: the methods without their `?`.
//!
//! They panic where the method returns an error, with its message.

use super::arithmetic::{difference_of, product_of, quotient_of, sum_of};
use super::operand::Operand;
use crate::{Complex, Error, Lens, Tensor};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// Implements an operator between tensors, and between a tensor and whatever becomes an operand.
macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<'a, T: Into<Operand<'a>>> $trait<T> for &Tensor {
            type Output = Tensor;

            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(self, other: T) -> Tensor {
                expect(Tensor::$method(self, other))
            }
        }

        impl<'a, T: Into<Operand<'a>>> $trait<T> for Tensor {
            type Output = Tensor;

            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(self, other: T) -> Tensor {
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

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

/// Implements an operator that changes its left side. Nothing but the elements changes, so a tensor
/// that shares them sees it.
macro_rules! assigning_operator {
    ($trait:ident, $method:ident) => {
        impl<'a, T: Into<Operand<'a>>> $trait<T> for Tensor {
            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(&mut self, other: T) {
                expect(Tensor::$method(self, other));
            }
        }
    };
}

assigning_operator!(AddAssign, add_assign);
assigning_operator!(SubAssign, sub_assign);
assigning_operator!(MulAssign, mul_assign);
assigning_operator!(DivAssign, div_assign);

/// Implements an operator with a number on its left side.
macro_rules! number_operator {
    ($trait:ident, $method:ident, $into:ident: $($number:ty)*) => {$(
        impl $trait<&Tensor> for $number {
            type Output = Tensor;

            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(self, other: &Tensor) -> Tensor {
                expect($into([self.into(), other.into()]))
            }
        }

        impl $trait<Tensor> for $number {
            type Output = Tensor;

            /// # Panics
            /// Where the method of the same name returns an error.
            #[track_caller]
            fn $method(self, other: Tensor) -> Tensor {
                expect($into([self.into(), (&other).into()]))
            }
        }
    )*};
}

number_operator!(Add, add, sum_of: i32 i64 f32 f64 Complex<f32> Complex<f64>);
number_operator!(Sub, sub, difference_of: i32 i64 f32 f64 Complex<f32> Complex<f64>);
number_operator!(Mul, mul, product_of: i32 i64 f32 f64 Complex<f32> Complex<f64>);
number_operator!(Div, div, quotient_of: i32 i64 f32 f64 Complex<f32> Complex<f64>);

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
