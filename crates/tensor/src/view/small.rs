//! Borrowed operands of rank ≤ 2, for kernels that need no plan.
//!
//! Small operands are mostly walked by one or two loops. Their views hold a pointer, two lengths and two
//! strides instead of a layout, so that they stay in registers and cost nothing to make. A contiguous
//! operand of any rank is one row.

use super::Written;
use crate::DType;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::null_mut;

/// Rows and columns of elements in memory: plain numbers, no proof that the memory may be accessed.
#[derive(Clone, Copy)]
pub(crate) struct Strided2 {
    /// The first element.
    pub ptr: *mut u8,
    /// The numbers of rows and columns.
    pub lens: [usize; 2],
    /// The distances between rows and between columns, in elements. 0 for a broadcast operand.
    pub strides: [isize; 2],
    pub dtype: DType,
}

/// A borrowed operand of rank ≤ 2 that is read.
///
/// Invariant: it has at least one element. All elements that `lens` and `strides` lead to from `ptr` are of
/// type `dtype`, aligned, initialised and readable during `'x`, and are written meanwhile by nothing but the
/// kernel that has the [`SmallViewMut`] with this lifetime. They are the elements of that view, index by
/// index, or share no byte with them. The lifetime is a brand: it is invariant.
#[derive(Clone, Copy)]
pub(crate) struct SmallView<'x> {
    parts: Strided2,
    brand: PhantomData<fn(&'x ()) -> &'x ()>,
}

/// A borrowed output of rank ≤ 2.
///
/// Invariant: as for [`SmallView`], but the elements are writable, each has one index, and they may be
/// uninitialised. No other code accesses them during `'x`.
pub(crate) struct SmallViewMut<'x>(SmallView<'x>);

// A view for each operand of a small operation is made per call.
const _: () = assert!(size_of::<SmallView<'_>>() <= 48);

impl Strided2 {
    /// A placeholder without elements.
    pub(crate) const NONE: Strided2 =
        Strided2 { ptr: null_mut(), lens: [0, 0], strides: [0, 0], dtype: DType::Bool };

    /// Returns the rows and columns that lengths and strides lead to from offset `start`, which is relative to
    /// `base`.
    #[inline(always)]
    pub(crate) fn new(
        base: *mut u8,
        start: usize,
        dtype: DType,
        lens: [usize; 2],
        strides: [isize; 2],
    ) -> Strided2 {
        // The elements are in memory, so no distance between two of them overflows an `isize`.
        let ptr = base.wrapping_add(start * dtype.size());
        Strided2 { ptr, lens, strides, dtype }
    }

    /// Returns the number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.lens[0] * self.lens[1]
    }

    /// Returns the distances between rows and between columns in bytes.
    #[inline]
    pub(crate) fn steps(&self) -> [isize; 2] {
        let size = self.dtype.size() as isize;
        [self.strides[0] * size, self.strides[1] * size]
    }

    /// Returns the same elements with the columns in reverse order.
    #[inline]
    pub(crate) fn with_columns_reversed(self) -> Strided2 {
        let last = (self.lens[1] as isize - 1) * self.steps()[1];
        let strides = [self.strides[0], -self.strides[1]];
        Strided2 { ptr: self.ptr.wrapping_offset(last), strides, ..self }
    }

    /// Returns the address of the first byte of all elements, and the one after the last.
    #[inline]
    fn span(&self) -> (usize, usize) {
        let [row, col] = self.steps();
        let (rows, cols) = (row * (self.lens[0] as isize - 1), col * (self.lens[1] as isize - 1));
        let first = self.ptr.addr().wrapping_add_signed(rows.min(0) + cols.min(0));
        let last = self.ptr.addr().wrapping_add_signed(rows.max(0) + cols.max(0));
        (first, last + self.dtype.size())
    }

    /// Whether `other` has the same elements, index by index, or shares no byte with this one. Conservative:
    /// false also if the spans overlap and the elements do not, as those of interleaved columns.
    #[inline]
    pub(crate) fn is_same_or_disjoint(&self, other: &Strided2) -> bool {
        let is_same =
            self.ptr == other.ptr && self.strides == other.strides && self.dtype == other.dtype;
        let ((first, end), (other_first, other_end)) = (self.span(), other.span());
        is_same || end <= other_first || other_end <= first
    }

    /// Whether each element has one index. Conservative: false also if columns are farther apart
    /// than rows, as in a column-major matrix.
    #[inline]
    pub(crate) fn is_injective(&self) -> bool {
        let [rows, cols] = self.lens;
        let [row, col] = self.strides.map(isize::unsigned_abs);
        (cols == 1 || col != 0) && (rows == 1 || row > col * (cols - 1))
    }
}

impl<'x> SmallViewMut<'x> {
    /// Returns an output and the inputs of the kernel that writes it.
    ///
    /// # Safety
    /// The invariant of `SmallViewMut` must hold for the output, and that of `SmallView` for the inputs.
    #[inline(always)]
    pub(crate) unsafe fn with_inputs<const M: usize>(
        out: Strided2,
        inputs: [Strided2; M],
    ) -> (SmallViewMut<'x>, [SmallView<'x>; M]) {
        let view = |parts: Strided2| SmallView { parts, brand: PhantomData };
        (SmallViewMut(view(out)), inputs.map(view))
    }

    /// Returns the proof that every element was written.
    ///
    /// # Safety
    /// Every element of the view must be initialised.
    #[inline]
    pub(crate) unsafe fn written(self) -> Written<'x> {
        // SAFETY: forwarded: same contract as this function.
        unsafe { Written::new() }
    }
}

impl Deref for SmallView<'_> {
    type Target = Strided2;

    #[inline]
    fn deref(&self) -> &Strided2 {
        &self.parts
    }
}

impl Deref for SmallViewMut<'_> {
    type Target = Strided2;

    #[inline]
    fn deref(&self) -> &Strided2 {
        &self.0.parts
    }
}
