//! [`Target`]: the output of an operation that exists.

use super::Operand;
use crate::view::AnyViewMut;
use crate::{DType, Element, Error, Layout, Tensor, ViewMut, can_assign};
use belvedere_layout::{Answer, Bytes};

/// The output of an operation: a tensor, or a typed view.
///
/// Functions that write to an existing output take `impl Into<Target>`:
///
/// ```
/// use belvedere::{ViewMut, add_into, prelude::*};
///
/// let mut sums = [0; 3];
/// add_into(&tensor![1, 2, 3], 10, ViewMut::from(&mut sums[..]))?;
/// assert_eq!(sums, [11, 12, 13]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Target<'a>(pub(in crate::op) TargetRepr<'a>);

/// What a [`Target`] is.
pub(in crate::op) enum TargetRepr<'a> {
    /// A tensor, which has to be borrowed.
    Tensor(&'a Tensor),
    /// Memory that is borrowed already.
    View(AnyViewMut<'a>),
}

impl<'a> Target<'a> {
    /// Returns the tensor, if it is one, as an observer sees it.
    pub(crate) fn tensor_to_observe(&self) -> Option<&'a Tensor> {
        self.tensor()
    }

    pub(in crate::op) fn layout(&self) -> &Layout {
        match &self.0 {
            TargetRepr::Tensor(tensor) => tensor.layout(),
            TargetRepr::View(view) => view.layout(),
        }
    }

    /// Returns the tensor, if it is one.
    #[inline]
    pub(in crate::op) fn tensor(&self) -> Option<&'a Tensor> {
        match self.0 {
            TargetRepr::Tensor(tensor) => Some(tensor),
            TargetRepr::View(_) => None,
        }
    }

    pub(in crate::op) fn dtype(&self) -> DType {
        match &self.0 {
            TargetRepr::Tensor(tensor) => tensor.dtype(),
            TargetRepr::View(view) => view.dtype(),
        }
    }

    /// Checks that a result of `shape` can be written here.
    ///
    /// # Errors
    /// If the shapes differ.
    pub(in crate::op) fn check_shape(
        &self,
        op: &'static str,
        shape: &[usize],
    ) -> Result<(), Error> {
        let own = self.layout().shape();
        if own == *shape {
            return Ok(());
        }
        Err(Error::ShapeMismatch { op, needed: shape.into(), given: own.into() })
    }

    /// Checks that a result of `shape` and `dtype` can be written here.
    ///
    /// # Errors
    /// If the shapes differ, or the dtype is not one that may be assigned to this one.
    pub(in crate::op) fn check(
        &self,
        op: &'static str,
        shape: &[usize],
        dtype: DType,
    ) -> Result<(), Error> {
        self.check_shape(op, shape)?;
        if !can_assign(dtype, self.dtype()) {
            return Err(Error::Cast { from: dtype, to: self.dtype() });
        }
        Ok(())
    }

    /// Returns the bytes that the elements are at.
    pub(in crate::op) fn bytes(&self) -> Bytes<'_> {
        match &self.0 {
            TargetRepr::Tensor(tensor) => tensor.bytes(),
            TargetRepr::View(view) => view.bytes(),
        }
    }

    /// Returns whether it shares elements with an operand, or that could not be decided.
    pub(in crate::op) fn may_share(&self, operand: &Operand<'_>) -> bool {
        self.may_share_storage(operand) && self.bytes().overlaps(operand.bytes()) != Answer::No
    }

    /// Returns whether it shares elements with another output, or that could not be decided.
    pub(in crate::op) fn may_share_target(&self, other: &Target<'_>) -> bool {
        let may_share_storage = match (self.tensor(), other.tensor()) {
            (Some(one), Some(two)) => one.storage().may_share(two.storage()),
            _ => true,
        };
        may_share_storage && self.bytes().overlaps(other.bytes()) != Answer::No
    }

    /// Returns whether its storage may be that of an operand, as far as both are known.
    pub(in crate::op) fn may_share_storage(&self, operand: &Operand<'_>) -> bool {
        match (self.tensor(), operand.to_borrow()) {
            (Some(out), Some(x)) => out.storage().may_share(x.storage()),
            _ => true,
        }
    }
}

impl<'a> From<&'a Tensor> for Target<'a> {
    fn from(tensor: &'a Tensor) -> Target<'a> {
        Target(TargetRepr::Tensor(tensor))
    }
}

impl<'a, T: Element> From<ViewMut<'a, T>> for Target<'a> {
    fn from(view: ViewMut<'a, T>) -> Target<'a> {
        Target(TargetRepr::View(view.into()))
    }
}

impl<'a, T: Element> From<&'a mut ViewMut<'_, T>> for Target<'a> {
    fn from(view: &'a mut ViewMut<'_, T>) -> Target<'a> {
        Target(TargetRepr::View(view.reborrow().into()))
    }
}
