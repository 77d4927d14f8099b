//! Boolean masks: counting and finding true elements.
//!
//! Elements of another dtype than `bool` are true if they are not zero.
//!
//! Positions are found in row-major order by several threads: each counts the true elements of its part first,
//! so that all of them know how many come before their own. Within a part it goes by small blocks, without a
//! branch for each element.
//!
//! A mask may be in memory that foreign code writes to concurrently. The positions that are found are then
//! unspecified, but there are exactly as many as were counted, and each is a valid position of the mask: the
//! room that was allocated for them is filled, and not exceeded.

use super::strided_slice::StridedSlice;
use crate::dtype::{AnyTask, Scalar};
use crate::plan::{Loop, LoopNest, piece_of, pieces_for, row_major_steps};
use crate::pool;
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Element};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that are tested together.
const MASK_BLOCK_ELEMENTS: usize = 64;

/// A mask whose true elements have been counted.
pub(crate) struct CountedMask<'a, 'v> {
    mask: &'a AnyView<'v>,
    reader: MaskReader,
    parts: Vec<MaskPart>,
    n: usize,
}

/// A range of positions, in row-major order.
struct MaskPart {
    positions: Range<usize>,
    /// The numbers of the true elements among them.
    trues: Range<usize>,
}

/// Consecutive true elements of a mask, in row-major order.
pub(crate) struct TrueElements<'h> {
    /// How many true elements come before them.
    pub before: usize,
    /// The offset at which the run begins that they are in, by the strides that `find` was given, and its step.
    at: isize,
    step: isize,
    /// Their positions in the run, counted from `first`.
    positions: &'h [u16],
    first: usize,
}

impl TrueElements<'_> {
    /// Returns their offsets, by the strides that `find` was given.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = isize> {
        let from = self.at + self.first as isize * self.step;
        self.positions.iter().map(move |&i| from + i as isize * self.step)
    }
}

impl<'a, 'v> CountedMask<'a, 'v> {
    /// Counts the true elements of a mask.
    pub(crate) fn count(mask: &'a AnyView<'v>) -> CountedMask<'a, 'v> {
        let reader = mask.dtype().with_any(ReaderTask);
        let len = mask.layout().len();
        let n = pieces_for(len, usize::MAX);
        let counts: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
        let range = |i: usize| piece_of(len, MASK_BLOCK_ELEMENTS, i, n);
        let nest = nest(mask, 0, &vec![0; mask.layout().rank()]);
        pool::run(n, &|i| {
            let mut count = 0;
            nest.runs_in(range(i), &mut |[at, _], run| {
                // SAFETY: the nest was made from the layout of the mask, which is borrowed for
                // reading, and the functions were chosen by its type.
                count += unsafe { (reader.count)(mask.ptr().as_ptr(), at, run) };
            });
            counts[i].store(count, Ordering::Relaxed);
        });
        let mut before = 0;
        let parts = counts.iter().enumerate().map(|(i, count)| {
            let first = before;
            before += count.load(Ordering::Relaxed);
            MaskPart { positions: range(i), trues: first..before }
        });
        let parts = parts.collect();
        CountedMask { mask, reader, parts, n: before }
    }

    /// Returns the number of true elements.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Finds the true elements, and calls `f` with the offsets to which `strides` lead from `start` at their
    /// positions. `f` is called from several threads, once for each number in `0..self.len()`, even if the mask
    /// has changed since it was counted.
    pub(crate) fn find(
        &self,
        start: isize,
        strides: &[isize],
        f: &(dyn Fn(TrueElements<'_>) + Sync),
    ) {
        let nest = nest(self.mask, start, strides);
        pool::run(self.parts.len(), &|i| {
            let MaskPart { positions, trues } = &self.parts[i];
            let (mut before, end) = (trues.start, trues.end);
            nest.runs_in(positions.clone(), &mut |[at, offset], run| {
                let mut positions = [0; MASK_BLOCK_ELEMENTS];
                for first in (0..run.len).step_by(MASK_BLOCK_ELEMENTS) {
                    let len = MASK_BLOCK_ELEMENTS.min(run.len - first);
                    let from = at + first as isize * run.steps[0];
                    // SAFETY: as in `count`.
                    let n = unsafe {
                        let at_zero = self.mask.ptr().as_ptr();
                        (self.reader.find)(at_zero, from, run.steps[0], len, &mut positions)
                    };
                    let n = n.min(end - before);
                    if n > 0 {
                        let positions = &positions[..n];
                        f(TrueElements {
                            before,
                            at: offset,
                            step: run.steps[1],
                            positions,
                            first,
                        });
                        before += n;
                    }
                }
            });
            // If fewer elements are true than were counted, the first position is passed for the rest.
            let first = positions.start..positions.end.min(positions.start + 1);
            nest.runs_in(first, &mut |[_, at], _| {
                for before in before..end {
                    f(TrueElements { before, at, step: 0, positions: &[0], first: 0 });
                }
            });
        });
    }

    /// Writes the coordinates of the true elements: a row for each axis.
    ///
    /// # Panics
    /// If `out` is not of shape `[rank, n]` and type `int64`.
    pub(crate) fn coordinates<'x>(&self, out: AnyViewMut<'x>) -> Written<'x> {
        let shape = self.mask.layout().shape();
        assert_eq!(out.layout().shape(), [shape.len(), self.n], "a row for each axis");
        assert_eq!(out.dtype(), DType::Int64, "coordinates are int64");
        let [start, row, col] = match out.layout().axes() {
            [rows, cols] => [out.layout().start() as isize, rows.stride, cols.stride],
            _ => unreachable!("two axes"),
        };
        let to = SyncPtr::new(out.ptr().as_ptr());
        self.find(0, &row_major_steps(&shape), &|hits| {
            for (i, flat) in hits.offsets().enumerate() {
                let mut rest = flat as usize;
                let first = start + (hits.before + i) as isize * col;
                for k in (0..shape.len()).rev() {
                    // SAFETY: the view has a row for each axis and a column for each true element, and no
                    // other call of this closure has this column.
                    unsafe {
                        to.element::<i64>(first + k as isize * row).write((rest % shape[k]) as i64);
                    }
                    rest /= shape[k];
                }
            }
        });
        // SAFETY: the column of each true element has just been written.
        unsafe { out.written() }
    }

    /// Writes the elements of `source` at which the mask is true to `out`, in row-major order.
    ///
    /// # Panics
    /// If `source` is not of the shape of the mask, or `out` has not one axis, the length of the number of true
    /// elements, and the type of `source`.
    pub(crate) fn compress<'x>(&self, out: AnyViewMut<'x>, source: &AnyView<'_>) -> Written<'x> {
        assert_eq!(out.dtype(), source.dtype(), "elements are not converted");
        assert_eq!(source.layout().shape(), self.mask.layout().shape(), "a mask of this shape");
        assert_eq!(out.layout().shape(), [self.n], "as many as are true");
        let job = CompressJob {
            to: SyncPtr::new(out.ptr().as_ptr()),
            from: SyncPtr::new(source.ptr().as_ptr()),
        };
        let to = (out.layout().start() as isize, out.layout().axes()[0].stride);
        let is_unaligned =
            [out.ptr(), source.ptr()].iter().any(|it| !it.addr().get().is_multiple_of(8));
        // SAFETY: both views are borrowed while this runs and hold elements of that size and alignment; all of
        // the output is written.
        unsafe {
            match out.dtype().size() {
                1 => job.run::<u8>(self, to, source),
                2 => job.run::<u16>(self, to, source),
                4 => job.run::<u32>(self, to, source),
                // A complex number of two floats of four bytes is aligned to four.
                8 if is_unaligned => job.run::<[u32; 2]>(self, to, source),
                8 => job.run::<u64>(self, to, source),
                16 => job.run::<[u64; 2]>(self, to, source),
                _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
            }
            out.written()
        }
    }
}

/// The memory of the output and of the source of `compress`.
struct CompressJob {
    to: SyncPtr<u8>,
    from: SyncPtr<u8>,
}

impl CompressJob {
    /// # Safety
    /// Both must be elements of the size of `E`, and aligned as `E` is: in `to` writable ones from offset `start`
    /// on, `step` apart, as many as the mask has true elements, which no other thread accesses; in `from`
    /// those of `source`.
    unsafe fn run<E: Copy>(
        &self,
        trues: &CountedMask<'_, '_>,
        (start, step): (isize, isize),
        source: &AnyView<'_>,
    ) {
        trues.find(source.layout().start() as isize, &source.layout().strides(), &|hits| {
            for (i, offset) in hits.offsets().enumerate() {
                let to = start + (hits.before + i) as isize * step;
                // SAFETY: the caller guarantees both elements, and each number is passed once.
                unsafe { self.to.element::<E>(to).write(self.from.element::<E>(offset).read()) };
            }
        });
    }
}

/// Returns loops over a mask, and over offsets at other strides, in row-major order.
fn nest(mask: &AnyView<'_>, start: isize, strides: &[isize]) -> LoopNest<2> {
    let axes = mask.layout().axes().iter().zip(strides);
    let loops = axes.map(|(axis, &stride)| Loop { len: axis.len, steps: [axis.stride, stride] });
    LoopNest::new([mask.layout().start() as isize, start], loops).in_order()
}

/// Counts and finds true elements of one type.
#[derive(Clone, Copy)]
struct MaskReader {
    count: unsafe fn(*const u8, isize, &Loop<2>) -> usize,
    find: unsafe fn(*const u8, isize, isize, usize, &mut [u16; MASK_BLOCK_ELEMENTS]) -> usize,
}

struct ReaderTask;

impl AnyTask for ReaderTask {
    type Output = MaskReader;

    fn run<T: Element>(self) -> MaskReader {
        MaskReader { count: count_row::<T>, find: find_in_block::<T> }
    }
}

#[inline(always)]
fn truth<T: Element>(x: T) -> u8 {
    u8::from(x.widen().is_true())
}

/// Returns how many elements of a row are true, the first of which is `at` elements from `ptr`.
///
/// # Safety
/// All elements of the row, along operand 0 of the loop, must be readable and of this type.
unsafe fn count_row<T: Element>(ptr: *const u8, at: isize, run: &Loop<2>) -> usize {
    let first = ptr.cast::<T>().wrapping_offset(at);
    // SAFETY: the elements of the row are readable and of this type (contract).
    let row = unsafe { StridedSlice::new(first, run.steps[0], run.len) };
    // Sums of bytes vectorize best; 255 of them do not overflow.
    let sum = |block: &[T]| block.iter().map(|&it| truth(it)).sum::<u8>() as usize;
    match row.as_slice() {
        Some(row) => row.chunks(255).map(sum).sum(),
        None => (0..row.len()).map(|i| usize::from(truth(row.get(i)))).sum(),
    }
}

/// Lists the true elements of a block of at most `MASK_BLOCK_ELEMENTS` elements, the first of which is `at` elements
/// from `ptr`.
///
/// # Safety
/// All elements of the block must be readable and of this type.
unsafe fn find_in_block<T: Element>(
    ptr: *const u8,
    at: isize,
    step: isize,
    len: usize,
    positions: &mut [u16; MASK_BLOCK_ELEMENTS],
) -> usize {
    let mut block = [0u8; MASK_BLOCK_ELEMENTS];
    let first = ptr.cast::<T>().wrapping_offset(at);
    // SAFETY: the elements of the block are readable and of this type (contract).
    let row = unsafe { StridedSlice::new(first, step, len) };
    if let Some(row) = row.as_slice() {
        for (it, &x) in block.iter_mut().zip(row) {
            *it = truth(x);
        }
        if block.iter().fold(0, |all, &it| all | it) == 0 {
            return 0;
        }
    } else {
        for (i, it) in block.iter_mut().enumerate().take(row.len()) {
            *it = truth(row.get(i));
        }
    }
    let mut n = 0;
    for (i, &it) in block.iter().enumerate() {
        // `n` is at most `i`; the remainder lets the compiler drop the bounds check.
        positions[n % MASK_BLOCK_ELEMENTS] = i as u16;
        n += usize::from(it != 0);
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::execute::read_operands;
    use crate::trace::Call;
    use crate::{Tensor, with_num_threads};
    use std::num::NonZeroUsize;
    use std::sync::Mutex;

    /// Returns the offsets that are found in a mask that was changed after it was counted.
    fn found_after(before: u8, after: u8, len: usize) -> (usize, Vec<(usize, isize)>) {
        let mask = Tensor::full([len], before).unwrap();
        let ptr = mask.storage().ptr();
        read_operands(Call::new("found_after"), &[(&mask).into()], |[view]| {
            let trues = CountedMask::count(&view);
            // SAFETY: the storage has as many bytes, and no other thread reads them now.
            unsafe { ptr.as_ptr().write_bytes(after, len) };
            let found = Mutex::new(Vec::new());
            trues.find(0, &[1], &|hits| {
                let mut found = found.lock().unwrap();
                found.extend(hits.offsets().enumerate().map(|(i, at)| (hits.before + i, at)));
            });
            let mut found = found.into_inner().unwrap();
            found.sort_unstable();
            (trues.len(), found)
        })
        .unwrap()
    }

    #[test]
    fn as_many_are_found_as_were_counted_even_if_the_mask_changes() {
        for (n_threads, len) in [(1, 0), (1, 1), (1, 200), (4, 100_000)] {
            with_num_threads(NonZeroUsize::new(n_threads).unwrap(), || {
                assert_eq!(found_after(0, 1, len), (0, vec![]), "new ones are left out");
                let (n, found) = found_after(1, 0, len);
                assert_eq!((n, found.len()), (len, len));
                assert!(found.iter().enumerate().all(|(i, it)| it.0 == i), "each number once");
                assert!(found.iter().all(|it| (0..len as isize).contains(&it.1)));
                let (n, found) = found_after(1, 1, len);
                assert!(n == len && found.iter().all(|it| it.0 as isize == it.1));
            });
        }
    }
}
