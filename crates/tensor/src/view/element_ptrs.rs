//! Pointers to the elements of a layout in row-major order: what `Iter`, `IterMut` and `Runs` are made of.
//!
//! The plain solution is an offset per element, computed from its index. Instead the layout is coalesced, and the
//! elements of its innermost axis form a run: consecutive pointers with one stride. An iterator consists of
//! the rest of a run at the front, the runs that neither end has reached, and the rest of a run at the back.
//! Folds have an inner loop per run, which vectorises if the run is contiguous; single steps take a
//! comparison and an addition. A layout of one run, as every contiguous one, allocates nothing and is moved
//! as a few words; others allocate the state of the walk over their runs once.

use super::OffsetWalk;
use crate::Layout;
use crate::sync_ptr::{SyncNonNull, SyncPtr};
use belvedere_layout::Axis;
use std::ptr::NonNull;

/// Elements that are one stride apart.
///
/// Invariant: they are in the memory that the run was made for.
pub(super) struct ElementRun<T> {
    /// The first element, if there is one.
    ptr: SyncPtr<T>,
    stride: isize,
    len: usize,
}

impl<T> Clone for ElementRun<T> {
    #[inline]
    fn clone(&self) -> ElementRun<T> {
        *self
    }
}

impl<T> Copy for ElementRun<T> {}

impl<T> ElementRun<T> {
    /// Returns the elements at `offset`, `offset + stride` and so on, relative to `base`.
    ///
    /// # Safety
    /// - They must be in bounds of the memory of `base`.
    #[inline]
    unsafe fn new(base: NonNull<T>, offset: usize, axis: Axis) -> ElementRun<T> {
        // SAFETY: the first element is in bounds; without elements the offset may be anything in bounds.
        let ptr = unsafe { base.add(offset) };
        ElementRun { ptr: SyncPtr::new(ptr.as_ptr()), stride: axis.stride, len: axis.len }
    }

    #[inline]
    fn empty() -> ElementRun<T> {
        ElementRun { ptr: SyncPtr::new(NonNull::dangling().as_ptr()), stride: 0, len: 0 }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the pointer to the first element, or one that is aligned and not null if there is none.
    #[inline]
    pub(super) fn first(&self) -> *mut T {
        if self.len == 0 { NonNull::dangling().as_ptr() } else { self.ptr.get() }
    }

    #[inline]
    pub(super) fn stride(&self) -> isize {
        self.stride
    }

    /// Returns the pointer to element `i`, which must be less than `len`, else it may be out of bounds.
    #[inline]
    fn at(&self, i: usize) -> *mut T {
        self.ptr.element(i as isize * self.stride)
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<*mut T> {
        self.len = self.len.checked_sub(1)?;
        let first = self.ptr.get();
        // Out of bounds after the last element, but not used then.
        self.ptr = SyncPtr::new(first.wrapping_offset(self.stride));
        Some(first)
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<*mut T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.at(self.len))
    }

    /// Removes the first `n` elements; `n` is at most `len`.
    #[inline]
    fn skip(&mut self, n: usize) {
        self.len -= n;
        if self.len > 0 {
            self.ptr = SyncPtr::new(self.at(n));
        }
    }

    /// Removes the last `n` elements; `n` is at most `len`.
    #[inline]
    fn skip_back(&mut self, n: usize) {
        self.len -= n;
    }

    #[inline]
    pub(super) fn fold<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let (ptr, mut total) = (self.ptr.get(), first);
        if self.stride == 1 {
            for i in 0..self.len {
                // SAFETY: element `i` of the run is in bounds.
                total = f(total, unsafe { ptr.add(i) });
            }
        } else {
            for i in 0..self.len {
                // SAFETY: as above.
                total = f(total, unsafe { ptr.offset(i as isize * self.stride) });
            }
        }
        total
    }

    #[inline]
    fn rfold<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let (ptr, mut total) = (self.ptr.get(), first);
        for i in (0..self.len).rev() {
            // SAFETY: element `i` of the run is in bounds.
            total = f(total, unsafe { ptr.offset(i as isize * self.stride) });
        }
        total
    }
}

/// The runs of a layout, in row-major order.
pub(super) struct ElementRuns<T> {
    base: SyncNonNull<T>,
    /// The offsets of the first elements.
    starts: OffsetWalk,
    inner: Axis,
}

impl<T> Clone for ElementRuns<T> {
    fn clone(&self) -> ElementRuns<T> {
        ElementRuns { base: self.base, starts: self.starts.clone(), inner: self.inner }
    }
}

impl<T> ElementRuns<T> {
    /// Returns the longest runs of a layout.
    ///
    /// # Safety
    /// - Every offset of the layout must be in bounds of the memory of `base`.
    pub(super) unsafe fn new(base: NonNull<T>, layout: &Layout) -> ElementRuns<T> {
        let base = SyncNonNull::new(base);
        let mut starts = layout.coalesced();
        let mut inner = Axis::new(1, 0);
        if let Some(&last) = starts.axes().last() {
            inner = last;
            if last.len > 0 {
                starts = starts.select(-1, 0).expect("the last axis has a first position");
            }
        }
        ElementRuns { base, starts: OffsetWalk::new(starts), inner }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    #[inline]
    fn run_at(&self, start: usize) -> ElementRun<T> {
        // SAFETY: `new` was promised that all elements of the layout are in bounds, and `start` is the offset of
        // the first element of one of its runs.
        unsafe { ElementRun::new(self.base.get(), start, self.inner) }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<ElementRun<T>> {
        let start = self.starts.next()?;
        Some(self.run_at(start))
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<ElementRun<T>> {
        let start = self.starts.next_back()?;
        Some(self.run_at(start))
    }
}

/// Pointers to the elements of a layout in row-major order, from both ends.
///
/// Every pointer is in bounds of the memory that the iterator was made for, and each element is returned once.
pub(super) struct ElementPtrs<T> {
    front: ElementRun<T>,
    /// The runs between the front and the back; `None` if there is only one.
    middle: Option<Box<ElementRuns<T>>>,
    back: ElementRun<T>,
}

impl<T> Clone for ElementPtrs<T> {
    fn clone(&self) -> ElementPtrs<T> {
        ElementPtrs { front: self.front, middle: self.middle.clone(), back: self.back }
    }
}

impl<T> ElementPtrs<T> {
    /// Returns pointers to all elements of a layout.
    ///
    /// # Safety
    /// - Every offset of the layout must be in bounds of the memory of `base`.
    #[inline]
    pub(super) unsafe fn new(base: NonNull<T>, layout: &Layout) -> ElementPtrs<T> {
        let run = match *layout.axes() {
            [axis] => axis,
            _ if layout.is_contiguous() => Axis::new(layout.len(), 1),
            // SAFETY: forwarded: same contract as this function.
            _ => return unsafe { ElementPtrs::from_runs(base, layout) },
        };
        // SAFETY: the elements of the run are those of the layout.
        let front = unsafe { ElementRun::new(base, layout.start(), run) };
        ElementPtrs { front, middle: None, back: ElementRun::empty() }
    }

    /// # Safety
    /// As for `new`.
    unsafe fn from_runs(base: NonNull<T>, layout: &Layout) -> ElementPtrs<T> {
        // SAFETY: forwarded: same contract as this function.
        let mut runs = unsafe { ElementRuns::new(base, layout) };
        let front = runs.next().unwrap_or(ElementRun::empty());
        let middle = (runs.len() > 0).then(|| Box::new(runs));
        ElementPtrs { front, middle, back: ElementRun::empty() }
    }

    /// Returns the number of elements in the runs between the front and the back.
    #[inline]
    fn middle_len(&self) -> usize {
        self.middle.as_ref().map_or(0, |runs| runs.len() * runs.inner.len)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.front.len + self.middle_len() + self.back.len
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<*mut T> {
        if self.front.len == 0 {
            self.refill_front();
        }
        self.front.next()
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<*mut T> {
        if self.back.len == 0 {
            self.refill_back();
        }
        self.back.next_back()
    }

    /// Continues an empty front with the next run, or with the rest of the back.
    fn refill_front(&mut self) {
        let run = self.middle.as_mut().and_then(|runs| runs.next());
        self.front = run.unwrap_or_else(|| std::mem::replace(&mut self.back, ElementRun::empty()));
    }

    /// Continues an empty back with the last run, or with the rest of the front.
    fn refill_back(&mut self) {
        let run = self.middle.as_mut().and_then(|runs| runs.next_back());
        self.back = run.unwrap_or_else(|| std::mem::replace(&mut self.front, ElementRun::empty()));
    }

    /// Skips `n` elements at the front, or all that are left.
    pub(super) fn skip(&mut self, mut n: usize) {
        if n > self.front.len {
            n -= self.front.len;
            self.front = ElementRun::empty();
            if let Some(runs) = &mut self.middle {
                let n_runs = (n / runs.inner.len).min(runs.len());
                runs.starts.skip(n_runs);
                n -= n_runs * runs.inner.len;
            }
            self.refill_front();
        }
        self.front.skip(n.min(self.front.len));
    }

    /// Skips `n` elements at the back, or all that are left.
    pub(super) fn skip_back(&mut self, mut n: usize) {
        if n > self.back.len {
            n -= self.back.len;
            self.back = ElementRun::empty();
            if let Some(runs) = &mut self.middle {
                let n_runs = (n / runs.inner.len).min(runs.len());
                runs.starts.skip_back(n_runs);
                n -= n_runs * runs.inner.len;
            }
            self.refill_back();
        }
        self.back.skip_back(n.min(self.back.len));
    }

    /// Splits into the first `n` elements and the others.
    ///
    /// # Panics
    /// If there are fewer than `n`.
    #[track_caller]
    pub(super) fn split_at(self, n: usize) -> (ElementPtrs<T>, ElementPtrs<T>) {
        let len = self.len();
        assert!(n <= len, "cannot split an iterator over {len} elements at {n}");
        let (mut left, mut right) = (self.clone(), self);
        left.skip_back(len - n);
        right.skip(n);
        (left, right)
    }

    #[inline]
    pub(super) fn fold<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let mut total = self.front.fold(first, &mut f);
        if let Some(mut runs) = self.middle {
            while let Some(run) = runs.next() {
                total = run.fold(total, &mut f);
            }
        }
        self.back.fold(total, f)
    }

    #[inline]
    pub(super) fn rfold<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let mut total = self.back.rfold(first, &mut f);
        if let Some(mut runs) = self.middle {
            while let Some(run) = runs.next_back() {
                total = run.rfold(total, &mut f);
            }
        }
        self.front.rfold(total, f)
    }
}
