//! Pointers to the elements of a layout in row-major order: what `Iter`, `IterMut` and `Runs` are made of.
//!
//! The plain solution is an offset per element, computed from its index. Instead the layout is coalesced, and the
//! elements of its innermost axis form a run: consecutive pointers with one stride. An iterator consists of
//! the rest of a run at the front, the runs that neither end has reached, and the rest of a run at the back.
//! Folds have an inner loop per run, which vectorises if the run is contiguous; single steps take a
//! comparison and an addition. Runs that are themselves one stride apart, as the rows of a matrix, are held as
//! a run of their first elements; more axes than that allocate the state of the walk over them.

use super::OffsetWalk;
use super::element_run::ElementRun;
use crate::Layout;
use crate::sync_ptr::{SyncNonNull, SyncPtr};
use belvedere_layout::Axis;
use std::ptr::NonNull;

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
        ElementRuns { base, starts: OffsetWalk::new(&starts), inner }
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

/// Runs of one length and stride whose first elements are one stride apart.
struct RunRows<T> {
    /// The first elements.
    starts: ElementRun<T>,
    run_len: usize,
}

impl<T> RunRows<T> {
    /// Returns one run.
    #[inline(always)]
    fn of_run(run: ElementRun<T>) -> RunRows<T> {
        let starts = ElementRun { ptr: run.ptr, stride: 0, len: 1 };
        RunRows { starts, run_len: run.len }
    }
}

/// The runs of an iterator that neither end has reached.
enum MiddleRuns<T> {
    /// Runs whose first elements are one stride apart, or none.
    Rows { starts: ElementRun<T>, inner: Axis },
    /// Runs of a layout with more axes.
    Walk(Box<ElementRuns<T>>),
}

impl<T> Clone for MiddleRuns<T> {
    fn clone(&self) -> MiddleRuns<T> {
        match self {
            MiddleRuns::Rows { starts, inner } => {
                MiddleRuns::Rows { starts: *starts, inner: *inner }
            }
            MiddleRuns::Walk(runs) => MiddleRuns::Walk(runs.clone()),
        }
    }
}

impl<T> MiddleRuns<T> {
    #[inline]
    fn n_runs(&self) -> usize {
        match self {
            MiddleRuns::Rows { starts, .. } => starts.len,
            MiddleRuns::Walk(runs) => runs.len(),
        }
    }

    /// Returns the stride of each run.
    #[inline]
    fn stride(&self) -> isize {
        match self {
            MiddleRuns::Rows { inner, .. } => inner.stride,
            MiddleRuns::Walk(runs) => runs.inner.stride,
        }
    }

    /// Returns the length of each run.
    #[inline]
    fn run_len(&self) -> usize {
        match self {
            MiddleRuns::Rows { inner, .. } => inner.len,
            MiddleRuns::Walk(runs) => runs.inner.len,
        }
    }

    #[inline]
    fn next(&mut self) -> Option<ElementRun<T>> {
        match self {
            MiddleRuns::Rows { starts, inner } => {
                starts.next().map(|ptr| ElementRun::from_first(ptr, *inner))
            }
            MiddleRuns::Walk(runs) => runs.next(),
        }
    }

    #[inline]
    fn next_back(&mut self) -> Option<ElementRun<T>> {
        match self {
            MiddleRuns::Rows { starts, inner } => {
                starts.next_back().map(|ptr| ElementRun::from_first(ptr, *inner))
            }
            MiddleRuns::Walk(runs) => runs.next_back(),
        }
    }

    /// Returns the run at the front; together with the rows in the middle if it is whole, as in a new iterator.
    #[inline(always)]
    fn whole_rows_from(&mut self, front: ElementRun<T>) -> RunRows<T> {
        match self {
            MiddleRuns::Rows { starts, inner } if starts.len > 0 && front.len == inner.len => {
                let len = starts.len + 1;
                starts.len = 0;
                // The run before the first one of the middle is one stride before it.
                let starts = ElementRun { ptr: front.ptr, stride: starts.stride, len };
                RunRows { starts, run_len: inner.len }
            }
            _ => RunRows::of_run(front),
        }
    }

    /// Returns the next rows, or what is left of the run at the other end, `back`; they are empty at the end.
    #[inline(always)]
    fn next_rows_or(&mut self, back: &mut ElementRun<T>) -> RunRows<T> {
        match self {
            MiddleRuns::Rows { starts, inner } if starts.len > 0 => {
                let rows = RunRows { starts: *starts, run_len: inner.len };
                starts.len = 0;
                rows
            }
            MiddleRuns::Rows { .. } => {
                RunRows::of_run(std::mem::replace(back, ElementRun::empty()))
            }
            MiddleRuns::Walk(runs) => {
                let run = runs.next();
                RunRows::of_run(run.unwrap_or_else(|| std::mem::replace(back, ElementRun::empty())))
            }
        }
    }

    /// Skips `n` elements at the front, in whole runs; returns how many are to be skipped in the next run.
    fn skip(&mut self, n: usize) -> usize {
        let n_runs = (n / self.run_len().max(1)).min(self.n_runs());
        match self {
            MiddleRuns::Rows { starts, .. } => starts.skip(n_runs),
            MiddleRuns::Walk(runs) => runs.starts.skip(n_runs),
        }
        n - n_runs * self.run_len()
    }

    /// Skips `n` elements at the back, in whole runs; returns how many are to be skipped in the run before.
    fn skip_back(&mut self, n: usize) -> usize {
        let n_runs = (n / self.run_len().max(1)).min(self.n_runs());
        match self {
            MiddleRuns::Rows { starts, .. } => starts.skip_back(n_runs),
            MiddleRuns::Walk(runs) => runs.starts.skip_back(n_runs),
        }
        n - n_runs * self.run_len()
    }

    /// Returns the next run, or what is left of the run at the other end, `back`; it is empty at the end.
    ///
    /// Inlined, also into single steps: around a call in a loop, floats would be kept in memory.
    #[inline]
    fn next_or(&mut self, back: &mut ElementRun<T>) -> ElementRun<T> {
        self.next().unwrap_or_else(|| std::mem::replace(back, ElementRun::empty()))
    }

    /// Returns the last run, or what is left of the run at the other end, `front`; it is empty at the end.
    #[inline]
    fn next_back_or(&mut self, front: &mut ElementRun<T>) -> ElementRun<T> {
        self.next_back().unwrap_or_else(|| std::mem::replace(front, ElementRun::empty()))
    }
}

/// Returns the innermost two axes of a layout with elements after coalescing: outer and inner. `None` if there are more.
#[inline]
fn coalesced_rows(layout: &Layout) -> Option<[Axis; 2]> {
    // Innermost first; the length is 0 before there is one.
    let mut runs = [Axis::new(0, 0); 2];
    let mut n_runs = 0;
    for &axis in layout.axes().iter().rev() {
        if axis.len == 1 {
            continue;
        }
        let run = runs[n_runs.max(1) - 1];
        if n_runs > 0 && run.stride.checked_mul(run.len as isize) == Some(axis.stride) {
            runs[n_runs - 1].len *= axis.len;
        } else if n_runs < 2 {
            runs[n_runs] = axis;
            n_runs += 1;
        } else {
            return None;
        }
    }
    let one = Axis::new(1, 0);
    Some(match n_runs {
        0 => [one, one],
        1 => [one, runs[0]],
        _ => [runs[1], runs[0]],
    })
}

/// Pointers to the elements of a layout in row-major order, from both ends.
///
/// Every pointer is in bounds of the memory that the iterator was made for, and each element is returned once.
///
/// Invariant: `front` and `back` are parts of runs such as those of `middle`, with their stride, or have no elements.
pub(super) struct ElementPtrs<T> {
    front: ElementRun<T>,
    middle: MiddleRuns<T>,
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
        let [outer, inner] = match layout.axes_array() {
            Some(&[axis]) => [Axis::new(1, 0), axis],
            None if layout.is_empty() => [Axis::new(0, 0); 2],
            None => match coalesced_rows(layout) {
                Some(axes) => axes,
                // SAFETY: forwarded: same contract as this function.
                None => return unsafe { ElementPtrs::from_runs(base, layout) },
            },
        };
        // SAFETY: the first element of the layout is in bounds; an empty layout starts at 0. The first elements of
        // the runs are elements of the layout.
        let starts = unsafe { ElementRun::new(base, layout.start(), outer) };
        ElementPtrs::from_rows(starts, inner)
    }

    /// Returns pointers to the elements of an axis from the first one on.
    ///
    /// # Safety
    /// - The elements must be in bounds of the memory of `first`.
    #[inline(always)]
    pub(super) unsafe fn from_lane(first: *mut T, axis: Axis) -> ElementPtrs<T> {
        let middle = MiddleRuns::Rows { starts: ElementRun::empty(), inner: axis };
        ElementPtrs {
            front: ElementRun::from_first(first, axis),
            middle,
            back: ElementRun::empty(),
        }
    }

    /// Returns pointers to the elements of two axes from the first one on.
    ///
    /// # Safety
    /// - The elements must be in bounds of the memory of `first`.
    #[inline(always)]
    pub(super) unsafe fn from_matrix(first: *mut T, [outer, inner]: [Axis; 2]) -> ElementPtrs<T> {
        if inner.len == 1 {
            // SAFETY: the elements of the outer axis are those of the two.
            return unsafe { ElementPtrs::from_lane(first, outer) };
        }
        if inner.stride.checked_mul(inner.len as isize) == Some(outer.stride) {
            let run = Axis::new(outer.len * inner.len, inner.stride);
            // SAFETY: the elements of the run are those of the two axes.
            return unsafe { ElementPtrs::from_lane(first, run) };
        }
        // Without columns there are no rows to continue with.
        let outer = Axis::new(if inner.len == 0 { 0 } else { outer.len }, outer.stride);
        ElementPtrs::from_rows(ElementRun::from_first(first, outer), inner)
    }

    /// Returns pointers to the elements of runs whose first elements are given.
    #[inline(always)]
    fn from_rows(mut starts: ElementRun<T>, inner: Axis) -> ElementPtrs<T> {
        let first = starts.next();
        let front = first.map_or(ElementRun::empty(), |ptr| ElementRun::from_first(ptr, inner));
        let middle = MiddleRuns::Rows { starts, inner };
        ElementPtrs { front, middle, back: ElementRun::empty() }
    }

    /// # Safety
    /// As for `new`.
    #[inline(never)]
    unsafe fn from_runs(base: NonNull<T>, layout: &Layout) -> ElementPtrs<T> {
        // SAFETY: forwarded: same contract as this function.
        let runs = unsafe { ElementRuns::new(base, layout) };
        let mut middle = MiddleRuns::Walk(Box::new(runs));
        let front = middle.next().unwrap_or(ElementRun::empty());
        ElementPtrs { front, middle, back: ElementRun::empty() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.front.len + self.middle.n_runs() * self.middle.run_len() + self.back.len
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<*mut T> {
        if self.front.len == 0 {
            self.front = self.middle.next_or(&mut self.back);
        }
        self.front.next()
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<*mut T> {
        if self.back.len == 0 {
            self.back = self.middle.next_back_or(&mut self.front);
        }
        self.back.next_back()
    }

    /// Skips `n` elements at the front, or all that are left.
    pub(super) fn skip(&mut self, mut n: usize) {
        if n > self.front.len {
            n = self.middle.skip(n - self.front.len);
            self.front = self.middle.next_or(&mut self.back);
        }
        self.front.skip(n.min(self.front.len));
    }

    /// Skips `n` elements at the back, or all that are left.
    pub(super) fn skip_back(&mut self, mut n: usize) {
        if n > self.back.len {
            n = self.middle.skip_back(n - self.back.len);
            self.back = self.middle.next_back_or(&mut self.front);
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

    /// Folds the elements, with a loop over the rows of a matrix around one over the elements of a row: their length is
    /// constant there, so that what depends on it is computed once. (Rows of 16 elements took 1.5 times as long before.)
    #[inline(always)]
    pub(super) fn fold<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let ElementPtrs { front, mut middle, mut back } = self;
        let mut total = first;
        // The stride is that of all runs, so it is compared once: for short runs that counts.
        let stride = middle.stride();
        let is_contiguous = stride == 1;
        let mut rows = middle.whole_rows_from(front);
        loop {
            for i in 0..rows.starts.len {
                let run =
                    ElementRun { ptr: SyncPtr::new(rows.starts.at(i)), stride, len: rows.run_len };
                total = match is_contiguous {
                    // SAFETY: runs with elements have the stride of those in the middle, by the invariant.
                    true => unsafe { run.fold_contiguous(total, &mut f) },
                    false => run.fold_strided(total, &mut f),
                };
            }
            rows = middle.next_rows_or(&mut back);
            if rows.run_len == 0 {
                return total;
            }
        }
    }

    #[inline(always)]
    pub(super) fn rfold<A>(self, first: A, mut f: impl FnMut(A, *mut T) -> A) -> A {
        let ElementPtrs { mut front, mut middle, mut back } = self;
        let mut total = first;
        loop {
            total = back.rfold(total, &mut f);
            back = middle.next_back_or(&mut front);
            if back.len == 0 {
                return total;
            }
        }
    }
}
