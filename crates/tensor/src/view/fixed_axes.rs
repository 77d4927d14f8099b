//! Pointer, lengths and strides in arrays of constant length, and positions of as many coordinates.

use super::element_index::sealed::IndexSealed;
use super::element_index::{position_error, refuse};
use super::{ElementPtrs, Elements};
use crate::sync_ptr::SyncPtr;
use crate::{Error, Layout};
use belvedere_layout::{Axis, LayoutError};
use std::hint::black_box;
use std::ptr::NonNull;

/// A position in a view of `N` axes: an array, a tuple, or for one axis a `usize`.
///
/// ```
/// use belvedere::{FixedView, View};
///
/// let x: FixedView<i32, 1> = View::from(&[1, 2, 3][..]).fixed()?;
/// assert_eq!([x[2], x[[2]], x[(2,)]], [3; 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub trait FixedIndex<const N: usize>: IndexSealed {
    /// Returns the position as an array.
    #[doc(hidden)]
    fn coordinates(self) -> [usize; N];
}

impl<const N: usize> FixedIndex<N> for [usize; N] {
    #[inline(always)]
    fn coordinates(self) -> [usize; N] {
        self
    }
}

macro_rules! fixed_indices {
    ($($n:literal $tuple:ty { $pattern:pat => $array:expr })*) => {$(
        impl FixedIndex<$n> for $tuple {
            #[inline(always)]
            fn coordinates(self) -> [usize; $n] {
                let $pattern = self;
                $array
            }
        }
    )*};
}

fixed_indices!(
    1 usize { i => [i] }
    0 () { () => [] }
    1 (usize,) { (i,) => [i] }
    2 (usize, usize) { (i, j) => [i, j] }
    3 (usize, usize, usize) { (i, j, k) => [i, j, k] }
    4 (usize, usize, usize, usize) { (i, j, k, l) => [i, j, k, l] }
    5 (usize, usize, usize, usize, usize) { (i, j, k, l, m) => [i, j, k, l, m] }
    6 (usize, usize, usize, usize, usize, usize) { (i, j, k, l, m, n) => [i, j, k, l, m, n] }
);

/// A pointer to the first element, and the lengths and strides of `N` axes.
///
/// Invariant: the elements that they lead to are in bounds of the memory that the pointer was made for. `Layout::new`
/// accepts the axes.
pub(super) struct FixedAxes<T, const N: usize> {
    pub(super) ptr: SyncPtr<T>,
    pub(super) dims: [usize; N],
    pub(super) strides: [isize; N],
}

impl<T, const N: usize> Clone for FixedAxes<T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for FixedAxes<T, N> {}

impl<T: Copy, const N: usize> FixedAxes<T, N> {
    /// Returns the axes of elements.
    ///
    /// # Errors
    /// If there are not `N` of them.
    pub(super) fn new(
        elements: &Elements<T>,
        operation: &'static str,
    ) -> Result<FixedAxes<T, N>, Error> {
        let layout = elements.layout();
        let Some(axes) = layout.axes_array::<N>() else {
            let rank = layout.rank();
            return Err(LayoutError::WrongRank { operation, least: N, most: N, rank }.into());
        };
        let ptr = SyncPtr::new(elements.ptr().as_ptr().wrapping_add(layout.start()));
        Ok(FixedAxes { ptr, dims: axes.map(|it| it.len), strides: axes.map(|it| it.stride) })
    }

    /// Returns the pointer to the element at a position.
    ///
    /// # Safety
    /// - The position must be in bounds.
    #[inline(always)]
    pub(super) unsafe fn at(&self, index: [usize; N]) -> *mut T {
        let mut offset = 0;
        for (i, stride) in index.into_iter().zip(self.strides) {
            offset += i as isize * stride;
        }
        // SAFETY: the position is in bounds, and so the element, by the invariant.
        unsafe { self.ptr.get().offset(offset) }
    }

    /// Returns the pointer to the element at a position, which is in bounds.
    ///
    /// # Panics
    /// If the position is out of bounds.
    #[inline(always)]
    #[track_caller]
    pub(super) fn checked_at(&self, index: [usize; N]) -> *mut T {
        match self.get(index) {
            Some(element) => element,
            // Opaque, so that the compiler does not rearrange the loop for the sake of its error, which keeps it from being
            // vectorised.
            None => refuse_position(black_box(index), self.dims),
        }
    }

    /// Returns the pointer to the element at a position; `None` if it is out of bounds.
    #[inline(always)]
    pub(super) fn get(&self, index: [usize; N]) -> Option<*mut T> {
        let step = |k: usize| index[k] as isize * self.strides[k];
        let is_in = |k: usize| index[k] < self.dims[k];
        // Not a loop over the axes: it is unrolled too late for the comparisons to be moved out of the caller's loop.
        let offset = match N {
            1 if is_in(0) => step(0),
            2 if is_in(0) && is_in(1) => step(0) + step(1),
            3 if is_in(0) && is_in(1) && is_in(2) => step(0) + step(1) + step(2),
            1..=3 => return None,
            _ if (0..N).all(is_in) => (0..N).map(step).sum(),
            _ => return None,
        };
        // SAFETY: the position was compared with the lengths, so it is in bounds, and so the element, by the invariant.
        Some(unsafe { self.ptr.get().offset(offset) })
    }

    pub(super) fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// Returns pointers to the elements in logical order.
    #[inline(always)]
    pub(super) fn ptrs(&self) -> ElementPtrs<T> {
        let axis = |k: usize| Axis::new(self.dims[k], self.strides[k]);
        let first = self.ptr.get();
        // SAFETY: all elements are in bounds, by the invariant.
        unsafe {
            match N {
                0 => ElementPtrs::from_lane(first, Axis::new(1, 0)),
                1 => ElementPtrs::from_lane(first, axis(0)),
                2 => ElementPtrs::from_matrix(first, [axis(0), axis(1)]),
                _ => {
                    let (base, layout) = self.with_layout();
                    ElementPtrs::new(base, &layout)
                }
            }
        }
    }

    /// Returns a pointer, and the layout relative to it.
    pub(super) fn with_layout(&self) -> (NonNull<T>, Layout) {
        let axes: [Axis; N] = std::array::from_fn(|k| Axis::new(self.dims[k], self.strides[k]));
        let reach = |axis: &Axis| axis.len.saturating_sub(1) as isize * axis.stride;
        let below: isize = match self.len() {
            0 => 0,
            _ => axes.iter().map(|axis| reach(axis).min(0)).sum(),
        };
        let layout =
            Layout::new(below.unsigned_abs(), &axes).expect("the axes are those of a layout");
        let ptr = NonNull::new(self.ptr.element(below));
        (ptr.expect("the lowest element is in memory"), layout)
    }

    /// Restricts an axis to `count` positions from `start` on.
    pub(super) fn narrow(mut self, axis: isize, start: usize, count: usize) -> Result<Self, Error> {
        let (_, layout) = self.with_layout();
        let k = layout.resolve_axis(axis)?;
        if !layout.narrow(axis, start, count)?.is_empty() {
            self.ptr = SyncPtr::new(self.ptr.element(start as isize * self.strides[k]));
        }
        self.dims[k] = count;
        Ok(self)
    }

    /// Selects position `i` of an axis: `M` is `N - 1`.
    ///
    /// # Panics
    /// If there is no such axis or position.
    #[inline(always)]
    #[track_caller]
    pub(super) fn select<const M: usize>(&self, axis: usize, i: usize) -> FixedAxes<T, M> {
        const { assert!(M + 1 == N, "one axis is removed") };
        assert!(axis < N, "axis {axis} is out of range for a view of rank {N}");
        let len = self.dims[axis];
        assert!(i < len, "index {i} is out of range for axis {axis} of length {len}");
        let mut part = FixedAxes { ptr: self.ptr, dims: [0; M], strides: [0; M] };
        part.ptr = SyncPtr::new(self.ptr.element(i as isize * self.strides[axis]));
        for k in 0..M {
            let from = if k < axis { k } else { k + 1 };
            part.dims[k] = self.dims[from];
            part.strides[k] = self.strides[from];
        }
        part
    }

    /// Whether the elements are contiguous in logical order.
    #[inline]
    pub(super) fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for k in (0..N).rev() {
            if self.dims[k] != 1 && self.strides[k] != expected {
                return self.len() == 0;
            }
            expected *= self.dims[k] as isize;
        }
        true
    }
}

/// Panics with the error of a position that is out of bounds.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse_position<const N: usize>(index: [usize; N], dims: [usize; N]) -> ! {
    refuse(&position_error(index, dims))
}
