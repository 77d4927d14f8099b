//! Numbers beside tensors: what type they have there.

use super::operand::{Operand, common_type, with_numbers};
use crate::{DType, Error, Tensor, result_type_of};

/// The type in which values of several types meet with numbers, which have none: they take that of the
/// others, or the least of their own kind that those can become. None if there is nothing.
///
/// ```
/// use belvedere::DType::*;
/// use belvedere::result_type_with;
///
/// assert_eq!(result_type_with(&[Int8, Int16], &[7.into()]), Some(Int16));
/// assert_eq!(result_type_with(&[Float32], &[0.5.into(), true.into()]), Some(Float32));
/// assert_eq!(result_type_with(&[Int8], &[0.5.into()]), Some(Float64));
/// assert_eq!(result_type_with(&[], &[1.into()]), Some(Int64));
/// ```
pub fn result_type_with(types: &[DType], operands: &[Operand<'_>]) -> Option<DType> {
    let own = operands.iter().filter_map(Operand::dtype);
    with_numbers(result_type_of(types.iter().copied().chain(own)), operands.iter())
}

impl Tensor {
    /// A number as a tensor without axes, of the type in which the two meet: what stands on the left
    /// of an operation between a number and a tensor.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1i8, 2, 3];
    /// assert_eq!(x.scalar_like(2)?.pow(&x)?.to_vec::<i8>()?, [2, 4, 8]);
    /// assert_eq!(x.scalar_like(0.5)?.sub(&x)?.to_vec::<f64>()?, [-0.5, -1.5, -2.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is no number, or the type cannot hold it.
    ///
    /// # Memory
    /// Always makes a new tensor.
    pub fn scalar_like<'a>(&self, value: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        let value = value.into();
        if value.dtype().is_some() {
            let given = value.shape().into();
            return Err(Error::Form { op: "scalar_like", needs: "a number", given });
        }
        Tensor::full_as([0usize; 0], value.clone(), common_type(&[&self.into(), &value]))
    }
}
