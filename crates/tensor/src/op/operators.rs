//! `&a + &b`, `&a + 1`, `-&a`: the methods without their `?`.
//!
//! They panic where the method returns an error, with its message.

use super::operand::Operand;
use crate::{Error, Tensor};
use std::ops::{Add, Div, Mul, Neg, Sub};

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

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

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
fn expect(result: Result<Tensor, Error>) -> Tensor {
    match result {
        Ok(tensor) => tensor,
        Err(error) => panic!("{error}"),
    }
}
