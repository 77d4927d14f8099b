//! Equality of whole tensors: `==`.

use super::Tensor;
use crate::kernel::equal::equal;
use crate::op::execute::read_operands;
use crate::trace::Call;

/// Tensors are equal if their dtypes, their shapes and all of their elements are.
///
/// Strides and memory do not matter. NaN differs from itself, so a tensor that holds one differs from itself as well:
/// there is no `Eq`. [`Tensor::equal`] compares elementwise and broadcasts; [`assert_close!`](crate::assert_close)
/// allows a tolerance.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1, 2], [3, 4]];
/// assert_eq!(x.t()?, tensor![[1, 3], [2, 4]]);
/// assert_ne!(x, tensor![1, 2, 3, 4]);
/// assert_ne!(x, x.astype(DType::Int64)?);
/// assert_ne!(tensor![f64::NAN], tensor![f64::NAN]);
/// # Ok::<(), belvedere::Error>(())
/// ```
impl PartialEq for Tensor {
    /// # Panics
    /// If a guard holds an element for writing, or an operand has no values
    /// ([`Device::Meta`](crate::Device::Meta)); unless the dtypes or the shapes differ.
    ///
    /// # Memory
    /// Never copies; tiles of strided operands are packed in buffers of 1024 elements. Ends at the first block
    /// that differs.
    #[track_caller]
    fn eq(&self, other: &Tensor) -> bool {
        if self.dtype != other.dtype || self.shape() != other.shape() {
            return false;
        }
        let operands = [self.into(), other.into()];
        match read_operands(Call::new("eq"), &operands, |[a, b]| equal(&a, &b)) {
            Ok(is_equal) => is_equal,
            Err(error) => panic!("{error}"),
        }
    }
}
