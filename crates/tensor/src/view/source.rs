//! What kernels that can work in place read, and the proof that they have written.

use super::{AnyView, AnyViewMut};
use crate::sync_ptr::SyncPtr;
use std::marker::PhantomData;

/// An input of a kernel that can work in place.
pub(crate) enum Source<'a> {
    /// Memory that shares no element with the output.
    View(AnyView<'a>),
    /// The output itself: each element is read before it is written.
    Output,
    /// Memory that has the output's strides and shares some of its elements.
    Shifted(Shift),
}

/// An input that has the layout of the output except for its start, and shares elements with it.
///
/// Invariant: the input is borrowed for reading while the kernel runs that it is handed to, and the axes
/// of the output, in the order of their strides, lead to its elements in the order of their addresses.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    ptr: SyncPtr<u8>,
    is_backwards: bool,
}

impl Shift {
    /// # Safety
    /// The invariant of `Shift` must hold for the output that it is handed to a kernel with. `ptr` must be
    /// where offset 0 of the output's layout is in the input, derived from the input's pointer, and
    /// `is_backwards` must be true if the input starts at a lower address than the output.
    pub(crate) unsafe fn new(ptr: *mut u8, is_backwards: bool) -> Shift {
        Shift { ptr: SyncPtr::new(ptr), is_backwards }
    }

    /// Returns where offset 0 of the output's layout is in the input.
    pub(crate) fn ptr(self) -> *mut u8 {
        self.ptr.get()
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
