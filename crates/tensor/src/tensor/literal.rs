//! The `tensor!` macro: tensors from nested array literals.

use super::Tensor;
use crate::Value;
use crate::trace::{Call, composite};

/// Creates a tensor from nested array literals of any depth.
///
/// The dtype is that of the values: `int32` and `float64` for unsuffixed literals.
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

/// A value or a nested array of values, for [`tensor!`](crate::tensor).
pub trait Nested {
    /// The type of the innermost values.
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

/// The innermost values.
impl<T: Value> Nested for T {
    type Value = T;

    fn shape(_: &mut Vec<usize>) {}

    fn flatten(self, values: &mut Vec<T>) {
        values.push(self);
    }
}

impl Tensor {
    /// Creates a tensor from nested arrays.
    #[doc(hidden)]
    #[track_caller]
    pub fn from_nested<N: Nested>(nested: N) -> Tensor {
        let (mut shape, mut values) = (Vec::new(), Vec::new());
        N::shape(&mut shape);
        nested.flatten(&mut values);
        let tensor = composite(Call::new("tensor"), &[], || Tensor::from_vec(values, &shape));
        tensor.expect("nested arrays have as many values as the product of their lengths")
    }
}
