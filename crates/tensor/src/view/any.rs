//! Type-erased views, which kernels take: a dtype in place of the element type.
//!
//! Also the proof that a kernel has written its output ([`Written`]), and a single element of any dtype ([`Cell`]).

use super::{View, ViewMut};
use crate::sync_ptr::{SyncNonNull, SyncPtr};
use crate::{DType, Element, Error, Index, Layout};
use belvedere_layout::Bytes;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A [`View`] of elements of a dtype.
#[derive(Clone)]
pub(crate) struct AnyView<'a> {
    /// Invariant: that of `View` for elements of `dtype`.
    ptr: SyncNonNull<u8>,
    layout: Layout,
    dtype: DType,
    memory: PhantomData<&'a u8>,
}

/// A [`ViewMut`] of elements of a dtype, which may be uninitialised.
///
/// It is for kernels, which write every element and read none, except where the output is also an input
/// ([`Source`]).
pub(crate) struct AnyViewMut<'a> {
    /// Invariant: that of `ViewMut` for elements of `dtype`, initialised or not.
    ptr: SyncNonNull<u8>,
    layout: Layout,
    dtype: DType,
    memory: PhantomData<&'a mut u8>,
}

// A view of each operand is made for every call of a kernel.
const _: () = assert!(size_of::<AnyView<'_>>() <= 144);

impl<'a> AnyView<'a> {
    /// Returns a view of memory.
    ///
    /// # Safety
    /// - The invariant of `AnyView::ptr` must hold for the pointer, the layout and the dtype.
    #[inline]
    pub(crate) unsafe fn from_parts(ptr: NonNull<u8>, layout: Layout, dtype: DType) -> AnyView<'a> {
        AnyView { ptr: SyncNonNull::new(ptr), layout, dtype, memory: PhantomData }
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
        self.ptr.get()
    }

    /// Broadcasts the view to a shape.
    ///
    /// # Errors
    /// If the view's shape does not broadcast to `shape`.
    pub(crate) fn broadcast_to(mut self, shape: &[usize]) -> Result<AnyView<'a>, Error> {
        self.broadcast(shape)?;
        Ok(self)
    }

    /// Broadcasts the view to a shape in place. After an error it is unchanged.
    pub(crate) fn broadcast(&mut self, shape: &[usize]) -> Result<(), Error> {
        if !self.layout.axes().iter().map(|axis| axis.len).eq(shape.iter().copied()) {
            self.layout = self.layout.broadcast_to(shape)?;
        }
        Ok(())
    }

    /// Reshapes the view without a copy.
    ///
    /// # Errors
    /// If no strides describe the shape.
    pub(crate) fn view(&self, shape: &[usize]) -> Result<AnyView<'a>, Error> {
        let layout = self.layout.view(shape)?;
        Ok(AnyView { ptr: self.ptr, layout, dtype: self.dtype, memory: PhantomData })
    }

    /// Transposes the last two axes.
    pub(crate) fn mt(self) -> Result<AnyView<'a>, Error> {
        Ok(AnyView { layout: self.layout.mt()?, ..self })
    }

    /// Inserts an axis of length 1.
    pub(crate) fn unsqueeze(self, axis: isize) -> Result<AnyView<'a>, Error> {
        Ok(AnyView { layout: self.layout.unsqueeze(axis)?, ..self })
    }

    /// Permutes the axes.
    pub(crate) fn permute(self, order: &[isize]) -> Result<AnyView<'a>, Error> {
        Ok(AnyView { layout: self.layout.permute(order)?, ..self })
    }

    /// Slices the view.
    pub(crate) fn slice(&self, index: &[Index]) -> Result<AnyView<'a>, Error> {
        let layout = self.layout.slice(index)?;
        Ok(AnyView { ptr: self.ptr, layout, dtype: self.dtype, memory: PhantomData })
    }

    /// Returns the view with an element type.
    ///
    /// # Errors
    /// If the elements are of another type.
    pub(crate) fn typed<T: Element>(&self) -> Result<View<'a, T>, Error> {
        if self.dtype != T::DTYPE {
            return Err(Error::WrongDType { asked: T::DTYPE, found: self.dtype });
        }
        // SAFETY: the invariants are the same, and the dtype is that of `T`.
        Ok(unsafe { View::from_parts(self.ptr.get().cast(), self.layout.clone()) })
    }
}

impl AnyViewMut<'_> {
    /// Returns the bytes that the elements occupy.
    pub(crate) fn bytes(&self) -> Bytes<'_> {
        let (address, size) = (self.ptr.get().as_ptr().addr(), self.dtype.size());
        Bytes { address, layout: &self.layout, size }
    }
}

impl<'a> AnyViewMut<'a> {
    /// Returns a view of memory.
    ///
    /// # Safety
    /// - The invariant of `AnyViewMut::ptr` must hold for the pointer, the layout and the dtype.
    #[inline]
    pub(crate) unsafe fn from_parts(
        ptr: NonNull<u8>,
        layout: Layout,
        dtype: DType,
    ) -> AnyViewMut<'a> {
        AnyViewMut { ptr: SyncNonNull::new(ptr), layout, dtype, memory: PhantomData }
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
        self.ptr.get()
    }

    /// Borrows the view for a shorter time.
    pub(crate) fn reborrow(&mut self) -> AnyViewMut<'_> {
        AnyViewMut {
            ptr: self.ptr,
            layout: self.layout.clone(),
            dtype: self.dtype,
            memory: PhantomData,
        }
    }

    /// Reshapes the view without a copy.
    ///
    /// # Errors
    /// If no strides describe the shape.
    pub(crate) fn view(self, shape: &[usize]) -> Result<AnyViewMut<'a>, Error> {
        let layout = self.layout.view(shape)?;
        Ok(AnyViewMut { layout, ..self })
    }

    /// Reshapes the view to a shape that differs by axes of length 1 only.
    ///
    /// # Panics
    /// If the shape differs otherwise.
    pub(crate) fn with_axes_of(self, shape: &[usize]) -> AnyViewMut<'a> {
        let layout = self.layout.view(shape).expect("axes of length 1 are always a view");
        AnyViewMut { ptr: self.ptr, layout, dtype: self.dtype, memory: PhantomData }
    }

    /// Permutes the axes.
    pub(crate) fn permute(self, order: &[isize]) -> Result<AnyViewMut<'a>, Error> {
        Ok(AnyViewMut { layout: self.layout.permute(order)?, ..self })
    }

    /// Inserts an axis of length 1.
    pub(crate) fn unsqueeze(self, axis: isize) -> Result<AnyViewMut<'a>, Error> {
        Ok(AnyViewMut { layout: self.layout.unsqueeze(axis)?, ..self })
    }
}

/// An input of a kernel that can work in place.
pub(crate) enum Source<'a> {
    /// Memory that shares no element with an output.
    View(AnyView<'a>),
    /// The output with this number itself: each element is read before it is written.
    Output(usize),
    /// Memory that has the strides of an output and shares some of its elements.
    Shifted(Shift),
}

/// An input that has the layout of an output except for its start, and shares elements with it, but with no other output.
///
/// Invariant: the input is borrowed for reading while the kernel that takes it runs; and a walk over the
/// output with its axes sorted by stride visits elements in the order of their addresses.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    ptr: SyncPtr<u8>,
    output: usize,
    is_backwards: bool,
}

impl Shift {
    /// # Safety
    /// - The invariant of `Shift` must hold for output `output` of the kernel that takes it.
    /// - `ptr` must be derived from the input's pointer, and the offsets of the output's layout, relative to
    ///   it, must be those of the input's elements.
    /// - `is_backwards` must be true if the input starts at a lower address than the output.
    pub(crate) unsafe fn new(ptr: *mut u8, output: usize, is_backwards: bool) -> Shift {
        Shift { ptr: SyncPtr::new(ptr), output, is_backwards }
    }

    /// Returns the pointer to the input that the offsets of the output's layout are relative to.
    pub(crate) fn ptr(self) -> *mut u8 {
        self.ptr.get()
    }

    /// Returns the number of the output.
    pub(crate) fn output(self) -> usize {
        self.output
    }

    /// Whether elements have to be visited from the highest address to the lowest, so that none is
    /// overwritten before it is read.
    pub(crate) fn is_backwards(self) -> bool {
        self.is_backwards
    }
}

/// The proof that a kernel has written every element of the view with this lifetime.
///
/// The lifetime is a brand: it is invariant, so that a proof for one view is no proof for another.
pub(crate) struct Written<'x>(PhantomData<fn(&'x ()) -> &'x ()>);

impl<'x> Written<'x> {
    /// # Safety
    /// Every element of the view with the lifetime `'x` must be initialised.
    #[inline]
    pub(super) unsafe fn new() -> Written<'x> {
        Written(PhantomData)
    }
}

impl<'x> AnyViewMut<'x> {
    /// Returns the proof that every element was written.
    ///
    /// # Safety
    /// Every element of the view must be initialised.
    #[inline]
    pub(crate) unsafe fn written(self) -> Written<'x> {
        // SAFETY: forwarded: same contract as this function.
        unsafe { Written::new() }
    }

    /// Returns the proof that every element was written, because there is none.
    ///
    /// # Panics
    /// If the view has elements.
    pub(crate) fn written_empty(self) -> Written<'x> {
        assert!(self.layout().is_empty(), "a view without elements");
        // SAFETY: the view has no elements.
        unsafe { self.written() }
    }

    /// Writes the elements in parts: consecutive ranges of an axis of the lengths `lens`, which together
    /// are the whole axis. `write` is called with the number of each part and must return the proof for
    /// that part.
    ///
    /// # Panics
    /// If the lengths do not add up to the length of the axis.
    pub(crate) fn write_in_parts(
        self,
        axis: usize,
        lens: &[usize],
        write: &mut dyn for<'y> FnMut(usize, AnyViewMut<'y>) -> Written<'y>,
    ) -> Written<'x> {
        let mut start = 0usize;
        for (n, &len) in lens.iter().enumerate() {
            let part = self.layout().narrow(axis as isize, start, len);
            let part = part.expect("parts are consecutive ranges of the axis");
            // SAFETY: the part reaches elements of this view only, which is borrowed here and not
            // used meanwhile; the previous part is gone, as its lifetime was that of its call.
            let part = unsafe { AnyViewMut::from_parts(self.ptr(), part, self.dtype()) };
            let Written(_) = write(n, part);
            start += len;
        }
        assert_eq!(start, self.layout().axes()[axis].len, "the parts are all of the axis");
        // SAFETY: every position of the axis is in one of the parts, and there is a proof for each
        // part that it was written.
        unsafe { self.written() }
    }
}

/// One element of any dtype, stored inline.
///
/// The bytes come first (`repr(C)`), so that they are aligned as the struct is: for every dtype.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct Cell {
    bytes: [u8; 16],
    dtype: DType,
}

impl Cell {
    /// Stores an element.
    pub(crate) fn new<T: Element>(value: T) -> Cell {
        let mut bytes = [0; 16];
        // SAFETY: no element has more than 16 bytes, so the write is in bounds; it may be unaligned, and
        // every bit pattern is a valid array of bytes.
        unsafe { bytes.as_mut_ptr().cast::<T>().write_unaligned(value) };
        Cell { bytes, dtype: T::DTYPE }
    }

    /// Copies the element of a view of rank 0.
    ///
    /// # Panics
    /// If the rank is not 0.
    pub(crate) fn from_view(view: &AnyView<'_>) -> Cell {
        assert_eq!(view.layout().rank(), 0, "one element");
        let mut cell = Cell::zero(view.dtype());
        let (at, size) = (view.layout().start(), view.dtype().size());
        // SAFETY: a view of rank 0 has one element, at its start, of `size` bytes, which is at most 16;
        // the cell is new, so the two do not overlap.
        unsafe {
            let from = view.ptr().as_ptr().add(at * size);
            cell.bytes.as_mut_ptr().copy_from_nonoverlapping(from, size);
        }
        cell
    }

    /// Stores zero, whose bits are all zero in every dtype.
    pub(crate) fn zero(dtype: DType) -> Cell {
        Cell { bytes: [0; 16], dtype }
    }

    /// Returns the dtype of the element.
    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns a pointer to the element, aligned for every dtype.
    pub(crate) fn ptr(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    /// Returns a pointer to the element, aligned for every dtype, through which an element of the same dtype may be written.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr()
    }

    /// Returns the element.
    ///
    /// # Errors
    /// If it is of another type.
    pub(crate) fn get<T: Element>(&self) -> Result<T, Error> {
        self.view().typed::<T>()?.get(&[])
    }

    /// Returns a view of rank 0 of the element.
    pub(crate) fn view(&self) -> AnyView<'_> {
        let layout = Layout::scalar(0).expect("offset 0 is a layout");
        AnyView {
            ptr: SyncNonNull::new(NonNull::from(&self.bytes).cast()),
            layout,
            dtype: self.dtype,
            memory: PhantomData,
        }
    }
}

impl<'a, T: Element> From<&View<'a, T>> for AnyView<'a> {
    fn from(view: &View<'a, T>) -> AnyView<'a> {
        let layout = view.layout().clone();
        AnyView {
            ptr: SyncNonNull::new(view.ptr().cast()),
            layout,
            dtype: T::DTYPE,
            memory: PhantomData,
        }
    }
}

impl<'a, T: Element> From<ViewMut<'a, T>> for AnyViewMut<'a> {
    fn from(view: ViewMut<'a, T>) -> AnyViewMut<'a> {
        let layout = view.layout().clone();
        AnyViewMut {
            ptr: SyncNonNull::new(view.ptr().cast()),
            layout,
            dtype: T::DTYPE,
            memory: PhantomData,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_aligned_for_every_dtype() {
        let cells = [1u8; 3].map(Cell::new);
        for cell in &cells {
            assert!(cell.view().ptr().as_ptr().addr().is_multiple_of(16));
        }
    }
}
