//! Views through a chain, whose element type is a run-time tag.

use super::{AnyView, Cell};
use crate::{Chain, DType, Element, Error, Lens};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Elements that are borrowed for reading, seen through a chain, and the padding between them.
pub(crate) struct AnyLens<'a> {
    /// Invariant: every offset of `chain` from here is an initialised element of the padding's type,
    /// valid for reads for `'a`, during which nobody writes to it.
    ptr: NonNull<u8>,
    chain: Cow<'a, Chain>,
    padding: Cell,
    memory: PhantomData<&'a u8>,
}

// SAFETY: elements can be sent and shared between threads, and so can borrows of them.
unsafe impl Send for AnyLens<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyLens<'_> {}

impl<'a> AnyLens<'a> {
    /// Sees what a lens reaches, or a row-major copy of it, as the lens does.
    ///
    /// If the view is of something else, this panics.
    pub(crate) fn new(view: &AnyView<'a>, lens: &'a Lens) -> AnyLens<'a> {
        let is_copy = lens.chain().base().is_some_and(|base| base != view.layout());
        let chain = match is_copy {
            true => Cow::Owned(lens.chain().of_copy()),
            false => Cow::Borrowed(lens.chain()),
        };
        // A chain reaches elements of its base only. This is what the invariant rests on.
        let is_fit = chain.base().is_none_or(|base| base == view.layout());
        assert!(is_fit, "the view is of what the lens reaches, or of a copy");
        assert_eq!(view.dtype(), lens.dtype(), "a view of the lens's own elements");
        let padding = *lens.padding();
        AnyLens { ptr: view.ptr(), chain, padding, memory: PhantomData }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) fn dtype(&self) -> DType {
        self.padding.dtype()
    }

    /// Where offset 0 is.
    pub(crate) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    /// What padding is.
    pub(crate) fn padding(&self) -> &Cell {
        &self.padding
    }

    /// The same elements in a larger shape.
    ///
    /// # Errors
    /// If the shape is not reached that way.
    pub(crate) fn broadcast_to(mut self, shape: &[usize]) -> Result<AnyLens<'a>, Error> {
        if self.chain.shape() != shape {
            // Movements reach no element that the chain did not reach before.
            self.chain = Cow::Owned(self.chain.broadcast_to(shape)?);
        }
        Ok(self)
    }

    /// The same elements in another order of axes.
    ///
    /// # Errors
    /// If the list does not name each axis once.
    pub(crate) fn permute(mut self, order: &[isize]) -> Result<AnyLens<'a>, Error> {
        if !order.is_sorted() {
            // As above.
            self.chain = Cow::Owned(self.chain.permute(order)?);
        }
        Ok(self)
    }

    /// The same elements in the same order as a view, in a shape of its own, if strides do that.
    pub(crate) fn walk(&self) -> Option<AnyView<'a>> {
        let layout = self.chain.as_layout_up_to_reshape()?;
        // SAFETY: the layout reaches what the chain reaches, which is readable for `'a`.
        Some(unsafe { AnyView::from_parts(self.ptr, layout, self.dtype()) })
    }

    /// The element at an index, or the padding.
    ///
    /// # Errors
    /// If there is none, or it is of another type.
    pub(crate) fn get<T: Element>(&self, index: &[usize]) -> Result<T, Error> {
        let offset = self.chain.index(index)?;
        if self.dtype() != T::DTYPE {
            return Err(Error::WrongDType { asked: T::DTYPE, found: self.dtype() });
        }
        match offset {
            // SAFETY: the offset is one of the chain's, each of which is readable; the type was
            // compared.
            Some(offset) => Ok(unsafe { self.ptr.cast::<T>().add(offset).read() }),
            None => self.padding.get(),
        }
    }
}
