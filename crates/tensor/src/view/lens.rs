//! Views through a chain of layouts with padding, for kernels.

use super::{AnyView, Cell};
use crate::sync_ptr::SyncNonNull;
use crate::{Chain, DType, Element, Error, Lens};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Elements of a dtype that are borrowed for reading, seen through a chain, and the padding between them.
pub(crate) struct AnyLens<'a> {
    /// Invariant: every offset of `chain` from here is an initialised element of the padding's dtype,
    /// valid for reads for `'a`, during which it is not written.
    ptr: SyncNonNull<u8>,
    chain: Cow<'a, Chain>,
    padding: Cell,
    memory: PhantomData<&'a u8>,
}

impl<'a> AnyLens<'a> {
    /// Returns the elements and the padding of a lens. `view` is the base of its chain, or a row-major copy
    /// of that.
    ///
    /// # Panics
    /// If the view is of other elements.
    pub(crate) fn new(view: &AnyView<'a>, lens: &'a Lens) -> AnyLens<'a> {
        let is_copy = lens.chain().base().is_some_and(|base| base != view.layout());
        let chain = match is_copy {
            true => Cow::Owned(lens.chain().of_copy()),
            false => Cow::Borrowed(lens.chain()),
        };
        // A chain reaches elements of its base only, and so of the view: this establishes the invariant.
        let is_fit = chain.base().is_none_or(|base| base == view.layout());
        assert!(is_fit, "the view is of what the lens reaches, or of a copy");
        assert_eq!(view.dtype(), lens.dtype(), "a view of the lens's own elements");
        let padding = *lens.padding();
        AnyLens { ptr: SyncNonNull::new(view.ptr()), chain, padding, memory: PhantomData }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) fn dtype(&self) -> DType {
        self.padding.dtype()
    }

    /// Returns the pointer that the offsets of the chain are relative to.
    pub(crate) fn ptr(&self) -> NonNull<u8> {
        self.ptr.get()
    }

    /// Returns the value of padding.
    pub(crate) fn padding(&self) -> &Cell {
        &self.padding
    }

    /// Broadcasts to a shape.
    ///
    /// # Errors
    /// If the lens's shape does not broadcast to `shape`.
    pub(crate) fn broadcast_to(mut self, shape: &[usize]) -> Result<AnyLens<'a>, Error> {
        if self.chain.shape() != shape {
            // Movements reach no element that the chain did not reach before.
            self.chain = Cow::Owned(self.chain.broadcast_to(shape)?);
        }
        Ok(self)
    }

    /// Permutes the axes.
    ///
    /// # Errors
    /// If `order` is not a permutation of the axes.
    pub(crate) fn permute(mut self, order: &[isize]) -> Result<AnyLens<'a>, Error> {
        if !order.is_sorted() {
            // Movements reach no element that the chain did not reach before.
            self.chain = Cow::Owned(self.chain.permute(order)?);
        }
        Ok(self)
    }

    /// Returns a strided view of the same elements in the same row-major order, if there is one; its shape
    /// may be another.
    pub(crate) fn as_strided_view(&self) -> Option<AnyView<'a>> {
        let layout = self.chain.as_layout_up_to_reshape()?;
        // SAFETY: the layout reaches the elements that the chain reaches, which are initialised and readable
        // for `'a`.
        Some(unsafe { AnyView::from_parts(self.ptr.get(), layout, self.dtype()) })
    }

    /// Returns the element at an index, or the padding.
    ///
    /// # Errors
    /// If the index is out of bounds, or the elements are of another type.
    pub(crate) fn get<T: Element>(&self, index: &[usize]) -> Result<T, Error> {
        let offset = self.chain.index(index)?;
        if self.dtype() != T::DTYPE {
            return Err(Error::WrongDType { asked: T::DTYPE, found: self.dtype() });
        }
        match offset {
            // SAFETY: it is an offset of the chain, which is readable, and the dtype was compared.
            Some(offset) => Ok(unsafe { self.ptr.get().cast::<T>().add(offset).read() }),
            None => self.padding.get(),
        }
    }
}
