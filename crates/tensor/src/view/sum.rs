//! The sum of elements in the order of memory, with several accumulators.

use super::Elements;
use super::fixed_axes::FixedAxes;
use crate::Layout;
use belvedere_layout::{Axis, InlineVec};
use std::hint::black_box;
use std::ops::Add;

/// The number of accumulators of a contiguous lane: additions to different ones overlap, and are vectorised.
const N_TOTALS: usize = 16;

/// The number of elements from which a slice is added to `N_TOTALS` accumulators.
const LONG_ELEMENTS: usize = 64;

/// The number of accumulators of a lane with another stride, whose additions are not vectorised.
const N_STRIDED_TOTALS: usize = 4;

/// What can be summed.
pub(super) trait Summand: Copy + Default + Add<Output = Self> {}

impl<T: Copy + Default + Add<Output = T>> Summand for T {}

impl<T: Copy> Elements<T> {
    /// Returns the sum of the elements, added in the order of memory.
    ///
    /// Contiguous elements are added to 16 totals in turns, others to 4. For floats this is several times as fast as
    /// `iter().sum()`, which has to add one after another, and the rounding errors are smaller.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    /// let rows: Vec<f64> = x.read::<f64>()?.rows().map(|row| row.sum()).collect();
    /// assert_eq!(rows, [3.0, 7.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[inline]
    pub fn sum(&self) -> T
    where
        T: Default + Add<Output = T>,
    {
        let layout = self.layout();
        // SAFETY: the offsets of the layout are in bounds, by the invariant. An empty layout starts at 0.
        let first = unsafe { self.ptr().add(layout.start()) }.as_ptr();
        match layout.axes_array() {
            // SAFETY: the elements of the lane are those of the layout, and are readable.
            Some(&[lane]) => unsafe { sum_lane(first, lane) },
            // SAFETY: the elements of the axes are those of the layout, and are readable.
            None => unsafe { sum_layout(first, layout.clone()) },
        }
    }
}

/// Returns the sum of the elements of a layout, from the first one on.
///
/// It takes the layout by value: a function that takes the address of a view keeps the compiler from holding it in registers.
///
/// # Safety
/// - The elements must be initialised and readable.
#[inline(never)]
unsafe fn sum_layout<T: Summand>(first: *mut T, layout: Layout) -> T {
    // SAFETY: forwarded: same contract as this function.
    unsafe { sum_axes(first, &mut InlineVec::from(layout.axes())) }
}

impl<T: Summand, const N: usize> FixedAxes<T, N> {
    /// Returns the sum of the elements.
    ///
    /// # Safety
    /// - The elements must be readable.
    #[inline(always)]
    pub(super) unsafe fn sum(&self) -> T {
        let mut axes: [Axis; N] = std::array::from_fn(|k| Axis::new(self.dims[k], self.strides[k]));
        // SAFETY: the elements of the axes are in bounds, by the invariant, and readable, by the contract.
        unsafe {
            match axes[..] {
                [] => self.ptr.get().read(),
                [lane] => sum_lane(self.ptr.get(), lane),
                [outer, inner] if inner.stride == 1 => sum_rows(self.ptr.get(), outer, inner.len),
                _ => sum_axes(self.ptr.get(), &mut axes),
            }
        }
    }
}

/// Returns the sum of the elements of axes, from the first one on. Reorders the axes.
///
/// # Safety
/// - The elements must be initialised and readable.
unsafe fn sum_axes<T: Summand>(mut first: *mut T, axes: &mut [Axis]) -> T {
    if axes.iter().any(|axis| axis.len == 0) {
        return T::default();
    }
    // Neither the order of the axes nor their directions have an effect on a sum: from the longest stride to the shortest,
    // and forwards.
    axes.sort_unstable_by_key(|axis| std::cmp::Reverse(axis.stride.unsigned_abs()));
    let mut n_axes = 0;
    for k in 0..axes.len() {
        let mut axis = axes[k];
        if axis.len == 1 {
            continue;
        }
        if axis.stride < 0 {
            // SAFETY: the last element of the axis is in bounds.
            first = unsafe { first.offset((axis.len - 1) as isize * axis.stride) };
            axis.stride = -axis.stride;
        }
        let outer = axes[n_axes.max(1) - 1];
        if n_axes > 0 && axis.stride.checked_mul(axis.len as isize) == Some(outer.stride) {
            axes[n_axes - 1] = Axis::new(outer.len * axis.len, axis.stride);
        } else {
            axes[n_axes] = axis;
            n_axes += 1;
        }
    }
    // SAFETY: the axes lead to the same elements, each from the first one in memory on.
    unsafe { sum_sorted(first, &axes[..n_axes]) }
}

/// Returns the sum of the elements of axes, the longest stride first.
///
/// # Safety
/// - The elements must be initialised and readable.
unsafe fn sum_sorted<T: Summand>(first: *mut T, axes: &[Axis]) -> T {
    // SAFETY: the positions of the axes are in bounds and readable, by the contract.
    unsafe {
        match *axes {
            [] => first.read(),
            [lane] => sum_lane(first, lane),
            [outer, inner] if inner.stride == 1 => sum_rows(first, outer, inner.len),
            [outer, ref inner @ ..] => (0..outer.len).fold(T::default(), |total, i| {
                total + sum_sorted(first.offset(i as isize * outer.stride), inner)
            }),
        }
    }
}

/// Returns the sum of the elements of a lane.
///
/// # Safety
/// - The elements must be initialised and readable.
#[inline]
unsafe fn sum_lane<T: Summand>(first: *mut T, lane: Axis) -> T {
    if lane.stride == 1 && lane.len > 0 {
        // SAFETY: the elements are contiguous and readable.
        return sum_slice(unsafe { std::slice::from_raw_parts(first, lane.len) });
    }
    // SAFETY: the elements are readable.
    let at = |i: usize| unsafe { first.offset(i as isize * lane.stride).read() };
    let mut totals = [T::default(); N_STRIDED_TOTALS];
    let n_blocks = lane.len / N_STRIDED_TOTALS;
    for block in 0..n_blocks {
        for (k, total) in totals.iter_mut().enumerate() {
            *total = *total + at(block * N_STRIDED_TOTALS + k);
        }
    }
    for i in n_blocks * N_STRIDED_TOTALS..lane.len {
        totals[0] = totals[0] + at(i);
    }
    let [a, b, c, d] = totals;
    (a + c) + (b + d)
}

/// Returns the sum of contiguous rows of `len` elements, whose first elements are those of an axis.
///
/// # Safety
/// - The elements must be initialised and readable.
#[inline(always)]
unsafe fn sum_rows<T: Summand>(first: *mut T, rows: Axis, len: usize) -> T {
    if len >= N_TOTALS {
        // SAFETY: forwarded: same contract as this function.
        return unsafe { sum_long_rows(first, rows, len) };
    }
    let mut totals = ShortTotals::default();
    // Without columns, the rows may begin out of bounds.
    let n_rows = if len == 0 { 0 } else { rows.len };
    for i in 0..n_rows {
        // SAFETY: the elements of the row are contiguous and readable.
        totals.add(unsafe { row(first, rows, i, len) });
    }
    totals.total()
}

/// As `sum_rows`, for rows of at least `N_TOTALS` elements.
///
/// # Safety
/// - The elements must be initialised and readable.
#[inline(never)]
unsafe fn sum_long_rows<T: Summand>(first: *mut T, rows: Axis, len: usize) -> T {
    let (mut totals, mut rests) = ([T::default(); N_TOTALS], ShortTotals::default());
    for i in 0..rows.len {
        // SAFETY: the elements of the row are contiguous and readable.
        rests.add(add_blocks(&mut totals, unsafe { row(first, rows, i, len) }));
    }
    tree(totals) + rests.total()
}

/// Returns a row.
///
/// # Safety
/// - Its elements must be initialised, readable, and not written for `'a`.
#[inline(always)]
unsafe fn row<'a, T>(first: *mut T, rows: Axis, i: usize, len: usize) -> &'a [T] {
    // SAFETY: forwarded: same contract as this function.
    unsafe { std::slice::from_raw_parts(first.offset(i as isize * rows.stride), len) }
}

/// Returns the sum of a slice, with several accumulators.
#[inline(always)]
fn sum_slice<T: Summand>(slice: &[T]) -> T {
    if slice.len() >= LONG_ELEMENTS {
        return sum_long_slice(slice);
    }
    let mut totals = ShortTotals::default();
    totals.add(slice);
    match slice.len() % 4 {
        0 => totals.total_of_fours(),
        _ => totals.total(),
    }
}

/// As `sum_slice`, for at least `LONG_ELEMENTS` elements.
#[inline(never)]
fn sum_long_slice<T: Summand>(slice: &[T]) -> T {
    let (mut totals, mut rest) = ([T::default(); N_TOTALS], ShortTotals::default());
    rest.add(add_blocks(&mut totals, slice));
    tree(totals) + rest.total()
}

/// Adds the elements of a slice to totals in turns; returns those that are left.
#[inline(always)]
fn add_blocks<'a, T: Summand>(totals: &mut [T; N_TOTALS], slice: &'a [T]) -> &'a [T] {
    let (blocks, rest) = slice.as_chunks::<N_TOTALS>();
    for block in blocks {
        for k in 0..N_TOTALS {
            totals[k] = totals[k] + block[k];
        }
    }
    rest
}

/// Returns the sum of totals, added pairwise: 4 additions after one another, not 15.
#[inline(always)]
fn tree<T: Summand>(totals: [T; N_TOTALS]) -> T {
    // Opaque, so that the loop before adds vectors of neighbours. The compiler would choose those that suit these additions.
    let totals = black_box(totals);
    let halves: [T; 8] = std::array::from_fn(|k| totals[k] + totals[k + 8]);
    let [a, b, c, d]: [T; 4] = std::array::from_fn(|k| halves[k] + halves[k + 4]);
    ((a + b) + c) + d
}

/// The totals of short slices. Those of several slices are added to the same totals.
#[derive(Default)]
struct ShortTotals<T> {
    /// Of four elements at a time.
    fours: [T; 4],
    /// Of the up to three others.
    others: [T; 3],
}

impl<T: Summand> ShortTotals<T> {
    #[inline(always)]
    fn add(&mut self, slice: &[T]) {
        let (fours, others) = slice.as_chunks::<4>();
        let totals = &mut self.fours;
        for block in fours {
            for k in 0..4 {
                totals[k] = totals[k] + block[k];
            }
        }
        let [a, b, c] = &mut self.others;
        match *others {
            [] => {}
            [x] => *a = *a + x,
            [x, y] => (*a, *b) = (*a + x, *b + y),
            [x, y, z, ..] => (*a, *b, *c) = (*a + x, *b + y, *c + z),
        }
    }

    #[inline(always)]
    fn total(self) -> T {
        let [x, y, z] = self.others;
        self.total_of_fours() + ((x + y) + z)
    }

    #[inline(always)]
    fn total_of_fours(&self) -> T {
        let [a, b, c, d] = self.fours;
        ((a + b) + c) + d
    }
}
