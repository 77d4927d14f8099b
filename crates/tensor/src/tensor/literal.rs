//! Tensors as they are written down.

use super::Tensor;
use crate::{Error, Value};

/// A tensor of the values that are written in it, nested as deep as you like.
///
/// The type is that of the values: `int32` and `float64` for plain literals.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// assert_eq!(x.shape(), [2, 3]);
/// assert_eq!(tensor![1u8, 2].dtype(), DType::UInt8);
/// assert_eq!(tensor![7].shape(), [1]);
/// ```
///
/// Rows of different lengths do not compile:
///
/// ```compile_fail
/// use belvedere::prelude::*;
///
/// let x = tensor![[1, 2], [3]];
/// ```
#[macro_export]
macro_rules! tensor {
    ($($item:expr),* $(,)?) => {
        $crate::Tensor::from_nested([$($item),*])
    };
}

/// Values, or arrays of them: what [`tensor!`](crate::tensor) is written with.
pub trait Nested {
    /// What the innermost values are stored as.
    #[doc(hidden)]
    type Value: Value;

    #[doc(hidden)]
    fn shape(shape: &mut Vec<usize>);

    #[doc(hidden)]
    fn flatten(self, values: &mut Vec<Self::Value>);
}

impl<N: Nested, const LEN: usize> Nested for [N; LEN] {
    type Value = N::Value;

    fn shape(shape: &mut Vec<usize>) {
        shape.push(LEN);
        N::shape(shape);
    }

    fn flatten(self, values: &mut Vec<N::Value>) {
        for item in self {
            item.flatten(values);
        }
    }
}

/// Numbers are stored as they are.
macro_rules! nested {
    ($($type:ty)*) => {$(
        impl Nested for $type {
            type Value = $type;

            fn shape(_: &mut Vec<usize>) {}

            fn flatten(self, values: &mut Vec<$type>) {
                values.push(self);
            }
        }
    )*};
}

nested!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
nested!(crate::f16 crate::bf16 crate::Complex<f32> crate::Complex<f64>);

impl Tensor {
    /// The values of nested arrays.
    #[doc(hidden)]
    pub fn from_nested<N: Nested>(nested: N) -> Tensor {
        let (mut shape, mut values) = (Vec::new(), Vec::new());
        N::shape(&mut shape);
        nested.flatten(&mut values);
        let tensor: Result<Tensor, Error> = Tensor::from_vec(values, &shape);
        tensor.expect("an array has as many values as its lengths say")
    }
}
