//! Views whose element type is a run-time tag: what operations pass around before the type is known.

use super::{View, ViewMut};
use crate::{DType, Element, Error, Index, Layout};
use belvedere_layout::Bytes;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A [`View`] of elements whose type is a tag.
#[derive(Clone)]
pub(crate) struct AnyView<'a> {
    /// Invariant: that of `View` for elements of `dtype`.
    ptr: NonNull<u8>,
    layout: Layout,
    dtype: DType,
    memory: PhantomData<&'a u8>,
}

/// A [`ViewMut`] of elements whose type is a tag.
///
/// Unlike there, the elements may be uninitialised: it is for kernels, which write all of them and
/// read only what the operation says is there to be read.
pub(crate) struct AnyViewMut<'a> {
    /// Invariant: that of `ViewMut` for elements of `dtype`, initialised or not.
    ptr: NonNull<u8>,
    layout: Layout,
    dtype: DType,
    memory: PhantomData<&'a mut u8>,
}

// Views are made for every call of a kernel.
const _: () = assert!(size_of::<AnyView<'_>>() <= 144);

// SAFETY: elements can be sent and shared between threads, and so can borrows of them.
unsafe impl Send for AnyView<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyView<'_> {}
// SAFETY: as above.
unsafe impl Send for AnyViewMut<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyViewMut<'_> {}

impl<'a> AnyView<'a> {
    /// Sees memory through a layout.
    ///
    /// # Safety
    /// The invariant of `View` must hold for the pointer, the layout and the type.
    #[inline]
    pub(crate) unsafe fn from_parts(ptr: NonNull<u8>, layout: Layout, dtype: DType) -> AnyView<'a> {
        AnyView { ptr, layout, dtype, memory: PhantomData }
    }

    #[inline]
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    #[inline]
    pub(crate) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    /// The same elements, repeated where a shape is larger.
    ///
    /// # Errors
    /// If the shape does not fit. It must reach no element that this view does not reach; view
    /// operations never do.
    pub(crate) fn broadcast_to(mut self, shape: &[usize]) -> Result<AnyView<'a>, Error> {
        self.broadcast(shape)?;
        Ok(self)
    }

    /// Becomes that. After an error it is what it was.
    pub(crate) fn broadcast(&mut self, shape: &[usize]) -> Result<(), Error> {
        if !self.layout.axes().iter().map(|axis| axis.len).eq(shape.iter().copied()) {
            self.layout = self.layout.broadcast_to(shape)?;
        }
        Ok(())
    }

    /// The same elements in another shape.
    ///
    /// # Errors
    /// If it has no strides.
    pub(crate) fn view(&self, shape: &[usize]) -> Result<AnyView<'a>, Error> {
        let layout = self.layout.view(shape)?;
        Ok(AnyView { ptr: self.ptr, layout, dtype: self.dtype, memory: PhantomData })
    }

    /// The same elements with the last two axes exchanged.
    pub(crate) fn mt(self) -> Result<AnyView<'a>, Error> {
        Ok(AnyView { layout: self.layout.mt()?, ..self })
    }

    /// The same elements with one more axis, of length 1.
    pub(crate) fn unsqueeze(self, axis: isize) -> Result<AnyView<'a>, Error> {
        Ok(AnyView { layout: self.layout.unsqueeze(axis)?, ..self })
    }

    /// The same elements with their axes in another order.
    pub(crate) fn permute(self, order: &[isize]) -> Result<AnyView<'a>, Error> {
        Ok(AnyView { layout: self.layout.permute(order)?, ..self })
    }

    /// Some of the elements.
    pub(crate) fn slice(&self, index: &[Index]) -> Result<AnyView<'a>, Error> {
        let layout = self.layout.slice(index)?;
        Ok(AnyView { ptr: self.ptr, layout, dtype: self.dtype, memory: PhantomData })
    }

    /// The same elements, typed.
    ///
    /// # Errors
    /// If they are of another type.
    pub(crate) fn typed<T: Element>(&self) -> Result<View<'a, T>, Error> {
        if self.dtype != T::DTYPE {
            return Err(Error::WrongDType { asked: T::DTYPE, found: self.dtype });
        }
        // SAFETY: the invariant is the same, and the type was compared.
        Ok(unsafe { View::from_parts(self.ptr.cast(), self.layout.clone()) })
    }
}

impl AnyViewMut<'_> {
    /// The bytes that the elements are at.
    pub(crate) fn bytes(&self) -> Bytes<'_> {
        let (address, size) = (self.ptr.as_ptr().addr(), self.dtype.size());
        Bytes { address, layout: &self.layout, size }
    }
}

impl<'a> AnyViewMut<'a> {
    /// Sees memory through a layout.
    ///
    /// # Safety
    /// The invariant of `AnyViewMut` must hold for the pointer, the layout and the type.
    #[inline]
    pub(crate) unsafe fn from_parts(
        ptr: NonNull<u8>,
        layout: Layout,
        dtype: DType,
    ) -> AnyViewMut<'a> {
        AnyViewMut { ptr, layout, dtype, memory: PhantomData }
    }

    #[inline]
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    #[inline]
    pub(crate) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    /// The same elements in another shape.
    ///
    /// # Errors
    /// If it has no strides.
    pub(crate) fn view(self, shape: &[usize]) -> Result<AnyViewMut<'a>, Error> {
        let layout = self.layout.view(shape)?;
        Ok(AnyViewMut { layout, ..self })
    }

    /// The same elements in a shape that differs only by axes of length 1. If it differs otherwise,
    /// this panics.
    pub(crate) fn with_axes_of(self, shape: &[usize]) -> AnyViewMut<'a> {
        let layout = self.layout.view(shape).expect("axes of length 1 are always a view");
        AnyViewMut { ptr: self.ptr, layout, dtype: self.dtype, memory: PhantomData }
    }

    /// The same elements with their axes in another order.
    pub(crate) fn permute(self, order: &[isize]) -> Result<AnyViewMut<'a>, Error> {
        Ok(AnyViewMut { layout: self.layout.permute(order)?, ..self })
    }

    /// The same elements with one more axis, of length 1.
    pub(crate) fn unsqueeze(self, axis: isize) -> Result<AnyViewMut<'a>, Error> {
        Ok(AnyViewMut { layout: self.layout.unsqueeze(axis)?, ..self })
    }
}

/// One element of any type, in memory of its own.
///
/// The bytes come first (`C`), so that they are aligned as the whole is.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct Cell {
    bytes: [u8; 16],
    dtype: DType,
}

impl Cell {
    /// A cell that holds an element.
    pub(crate) fn new<T: Element>(value: T) -> Cell {
        let mut bytes = [0; 16];
        // SAFETY: no element has more than sixteen bytes or a greater alignment, and every bit
        // pattern of bytes is allowed.
        unsafe { bytes.as_mut_ptr().cast::<T>().write_unaligned(value) };
        Cell { bytes, dtype: T::DTYPE }
    }

    /// The only element of a view without axes; if it has some, this panics.
    pub(crate) fn of(view: &AnyView<'_>) -> Cell {
        assert_eq!(view.layout().rank(), 0, "one element");
        let mut cell = Cell::zero(view.dtype());
        let (at, size) = (view.layout().start(), view.dtype().size());
        // SAFETY: a view without axes has one element, at its start, of so many bytes, which is no
        // more than sixteen.
        unsafe {
            let from = view.ptr().as_ptr().add(at * size);
            cell.bytes.as_mut_ptr().copy_from_nonoverlapping(from, size);
        }
        cell
    }

    /// Zero, which is a row of zero bits in every type.
    pub(crate) fn zero(dtype: DType) -> Cell {
        Cell { bytes: [0; 16], dtype }
    }

    /// The type of the element.
    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where the element is, aligned for any type.
    pub(crate) fn ptr(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    /// The element.
    ///
    /// # Errors
    /// If it is of another type.
    pub(crate) fn get<T: Element>(&self) -> Result<T, Error> {
        self.view().typed::<T>()?.get(&[])
    }

    /// The element as a view of rank 0.
    pub(crate) fn view(&self) -> AnyView<'_> {
        let layout = Layout::scalar(0).expect("offset 0 is a layout");
        AnyView {
            ptr: NonNull::from(&self.bytes).cast(),
            layout,
            dtype: self.dtype,
            memory: PhantomData,
        }
    }
}

impl<'a, T: Element> From<&View<'a, T>> for AnyView<'a> {
    fn from(view: &View<'a, T>) -> AnyView<'a> {
        let layout = view.layout().clone();
        AnyView { ptr: view.ptr().cast(), layout, dtype: T::DTYPE, memory: PhantomData }
    }
}

impl<'a, T: Element> From<ViewMut<'a, T>> for AnyViewMut<'a> {
    fn from(view: ViewMut<'a, T>) -> AnyViewMut<'a> {
        let layout = view.layout().clone();
        AnyViewMut { ptr: view.ptr().cast(), layout, dtype: T::DTYPE, memory: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_memory_is_aligned_for_its_type() {
        let cells = [1u8; 3].map(Cell::new);
        for cell in &cells {
            assert!(cell.view().ptr().as_ptr().addr().is_multiple_of(16));
        }
    }
}
