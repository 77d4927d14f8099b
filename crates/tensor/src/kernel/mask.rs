//! Where a mask is true: a mask of `bool`, or elements of another type, which are true if they are not zero.
//!
//! Positions are found in the order of the indices, by several threads: each counts its share first, so
//! that every one of them knows how many come before its own. Within a share it goes by small blocks,
//! without a branch for each element.
//!
//! Masks may lie in memory that others write to without asking us. What is found then is of no use,
//! but it is as many as were counted, and each is a position of the mask: nobody writes beside the
//! room that was made for them, or leaves a part of it as it was.

use super::nest::{Nest, n_threads_for};
use crate::dtype::{AnyTask, Scalar};
use crate::plan::Loop;
use crate::pool;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Element};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that are looked at together.
const TOGETHER: usize = 64;

/// The true elements of a mask, counted.
pub(crate) struct Trues<'a, 'v> {
    mask: &'a AnyView<'v>,
    look: Look,
    shares: Vec<Share>,
    n: usize,
}

/// Some positions in the order of the indices.
struct Share {
    positions: Range<usize>,
    /// Which of the true ones are among them.
    trues: Range<usize>,
}

/// Some true elements, one behind the other in logical order.
pub(crate) struct Hits<'h> {
    /// How many true elements come before them.
    pub before: usize,
    /// The offset beside the mask where the stretch begins that they lie in, and its step.
    at: isize,
    step: isize,
    /// Where they are in the stretch.
    positions: &'h [u16],
    /// Where `positions` count from.
    first: usize,
}

impl Hits<'_> {
    /// The offsets beside the mask.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = isize> {
        let from = self.at + self.first as isize * self.step;
        self.positions.iter().map(move |&i| from + i as isize * self.step)
    }
}

impl<'a, 'v> Trues<'a, 'v> {
    /// Counts the true elements of a mask.
    pub(crate) fn count(mask: &'a AnyView<'v>) -> Trues<'a, 'v> {
        let look = mask.dtype().with_any(Looks);
        let len = mask.layout().len();
        let n = n_threads_for(len);
        let counts: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
        let range = |i: usize| share(len, i, n);
        let nest = nest(mask, 0, &vec![0; mask.layout().rank()]);
        pool::run(n, &|i| {
            let mut count = 0;
            nest.stretches(range(i), &mut |[at, _], run| {
                // SAFETY: the nest was made from the layout of the mask, which is borrowed for
                // reading, and the functions were chosen by its type.
                count += unsafe { (look.count)(mask.ptr().as_ptr(), at, run) };
            });
            counts[i].store(count, Ordering::Relaxed);
        });
        let mut before = 0;
        let shares = counts.iter().enumerate().map(|(i, count)| {
            let first = before;
            before += count.load(Ordering::Relaxed);
            Share { positions: range(i), trues: first..before }
        });
        let shares = shares.collect();
        Trues { mask, look, shares, n: before }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Finds them, and offsets beside them: those that strides lead to from a start. `f` is called
    /// from several threads, once for each of them: for as many as were counted, whatever has become
    /// of the mask since.
    pub(crate) fn find(&self, start: isize, strides: &[isize], f: &(dyn Fn(Hits<'_>) + Sync)) {
        let nest = nest(self.mask, start, strides);
        pool::run(self.shares.len(), &|i| {
            let Share { positions, trues } = &self.shares[i];
            let (mut before, end) = (trues.start, trues.end);
            nest.stretches(positions.clone(), &mut |[at, beside], run| {
                let mut positions = [0; TOGETHER];
                for first in (0..run.len).step_by(TOGETHER) {
                    let len = TOGETHER.min(run.len - first);
                    let from = at + first as isize * run.steps[0];
                    // SAFETY: as in `count`.
                    let n = unsafe {
                        let at_zero = self.mask.ptr().as_ptr();
                        (self.look.find)(at_zero, from, run.steps[0], len, &mut positions)
                    };
                    let n = n.min(end - before);
                    if n > 0 {
                        let positions = &positions[..n];
                        f(Hits { before, at: beside, step: run.steps[1], positions, first });
                        before += n;
                    }
                }
            });
            // Some were true when they were counted: any position stands for them.
            let first = positions.start..positions.end.min(positions.start + 1);
            nest.stretches(first, &mut |[_, at], _| {
                for before in before..end {
                    f(Hits { before, at, step: 0, positions: &[0], first: 0 });
                }
            });
        });
    }

    /// The coordinates of the true elements: a row for each axis, in `out` of shape `[rank, n]` and type
    /// `int64`. If it is another, this panics.
    pub(crate) fn coordinates<'x>(&self, out: AnyViewMut<'x>) -> Written<'x> {
        let shape = self.mask.layout().shape();
        assert_eq!(out.layout().shape(), [shape.len(), self.n], "a row for each axis");
        assert_eq!(out.dtype(), DType::Int64, "coordinates are int64");
        let mut strides = vec![1isize; shape.len()];
        for k in (1..shape.len()).rev() {
            strides[k - 1] = strides[k].wrapping_mul(shape[k] as isize);
        }
        let [start, row, col] = match out.layout().axes() {
            [rows, cols] => [out.layout().start() as isize, rows.stride, cols.stride],
            _ => unreachable!("two axes"),
        };
        let to = Place(out.ptr().as_ptr());
        self.find(0, &strides, &|hits| {
            for (i, flat) in hits.offsets().enumerate() {
                let mut rest = flat as usize;
                let first = start + (hits.before + i) as isize * col;
                for k in (0..shape.len()).rev() {
                    // SAFETY: the view has such a row and, as there are so many true elements, such
                    // a column, which belongs to this one alone.
                    unsafe {
                        to.at::<i64>(first + k as isize * row).write((rest % shape[k]) as i64);
                    }
                    rest /= shape[k];
                }
            }
        });
        // SAFETY: each true element has just had its column written.
        unsafe { out.written() }
    }

    /// The elements of a view of the same shape at which the mask is true, one behind the other in `out`. It
    /// has one axis, as long as there are true ones, and the same type; if not, this panics.
    pub(crate) fn compress<'x>(&self, out: AnyViewMut<'x>, source: &AnyView<'_>) -> Written<'x> {
        assert_eq!(out.dtype(), source.dtype(), "elements are not converted");
        assert_eq!(source.layout().shape(), self.mask.layout().shape(), "a mask of this shape");
        assert_eq!(out.layout().shape(), [self.n], "as many as are true");
        let job = Compress { to: Place(out.ptr().as_ptr()), from: Place(source.ptr().as_ptr()) };
        let to = (out.layout().start() as isize, out.layout().axes()[0].stride);
        let is_apart =
            [out.ptr(), source.ptr()].iter().any(|it| !it.addr().get().is_multiple_of(8));
        // SAFETY: both views are borrowed while this runs and hold elements of such a size; offsets
        // are found by the strides of the source, and each has a place of its own in the output.
        unsafe {
            match out.dtype().size() {
                1 => job.run::<u8>(self, to, source),
                2 => job.run::<u16>(self, to, source),
                4 => job.run::<u32>(self, to, source),
                // Complex numbers of eight bytes are aligned to four.
                8 if is_apart => job.run::<[u32; 2]>(self, to, source),
                8 => job.run::<u64>(self, to, source),
                16 => job.run::<[u64; 2]>(self, to, source),
                _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
            }
            out.written()
        }
    }
}

/// The memory of two views.
struct Compress {
    to: Place,
    from: Place,
}

impl Compress {
    /// # Safety
    /// `E` must have the size of the elements, and their alignment or less.
    unsafe fn run<E: Copy>(
        &self,
        trues: &Trues<'_, '_>,
        (start, step): (isize, isize),
        source: &AnyView<'_>,
    ) {
        trues.find(source.layout().start() as isize, &source.layout().strides(), &|hits| {
            for (i, offset) in hits.offsets().enumerate() {
                let to = start + (hits.before + i) as isize * step;
                // SAFETY: both are offsets of their views, as the caller says.
                unsafe { self.to.at::<E>(to).write(self.from.at::<E>(offset).read()) };
            }
        });
    }
}

/// Where offset 0 is, for several threads.
#[derive(Clone, Copy)]
struct Place(*mut u8);

// SAFETY: whoever uses it says why nobody else writes to the same element.
unsafe impl Sync for Place {}

impl Place {
    /// # Safety
    /// There must be such an element.
    unsafe fn at<E>(&self, offset: isize) -> *mut E {
        // SAFETY: the caller's promise.
        unsafe { self.0.cast::<E>().offset(offset) }
    }
}

/// Share `i` of `n` of so many positions.
fn share(len: usize, i: usize, n: usize) -> Range<usize> {
    let cut = |i: usize| (len.div_ceil(TOGETHER) * i / n * TOGETHER).min(len);
    cut(i)..cut(i + 1)
}

/// Loops over a mask, and others beside it, in the order of the indices.
fn nest(mask: &AnyView<'_>, start: isize, strides: &[isize]) -> Nest<2> {
    let axes = mask.layout().axes().iter().zip(strides);
    let loops = axes.map(|(axis, &beside)| Loop { len: axis.len, steps: [axis.stride, beside] });
    Nest::new([mask.layout().start() as isize, start], loops)
}

/// How elements of a type are looked at.
#[derive(Clone, Copy)]
struct Look {
    count: unsafe fn(*const u8, isize, &Loop<2>) -> usize,
    find: unsafe fn(*const u8, isize, isize, usize, &mut [u16; TOGETHER]) -> usize,
}

struct Looks;

impl AnyTask for Looks {
    type Output = Look;

    fn run<T: Element>(self) -> Look {
        Look { count: count_row::<T>, find: find_in_block::<T> }
    }
}

#[inline(always)]
fn truth<T: Element>(x: T) -> u8 {
    u8::from(x.widen().is_true())
}

/// How many elements of a row are true, whose first is `at` elements from the one at `ptr`.
///
/// # Safety
/// The row must be readable along the loop, as elements of this type.
unsafe fn count_row<T: Element>(ptr: *const u8, at: isize, run: &Loop<2>) -> usize {
    // SAFETY: the caller's promise.
    let row = unsafe { ptr.cast::<T>().offset(at) };
    if run.steps[0] == 1 {
        // SAFETY: the caller's promise; whatever the bytes are, they are an element.
        let row = unsafe { std::slice::from_raw_parts(row, run.len) };
        // Sums of bytes, so that many are added at once; they must not run over.
        let sum = |block: &[T]| block.iter().map(|&it| truth(it)).sum::<u8>() as usize;
        return row.chunks(255).map(sum).sum();
    }
    // SAFETY: the caller's promise.
    let at = |i: usize| unsafe { row.offset(i as isize * run.steps[0]).read() };
    (0..run.len).map(|i| usize::from(truth(at(i)))).sum()
}

/// Lists where a block of at most `TOGETHER` elements is true, whose first is `at` elements from the one
/// at `ptr`.
///
/// # Safety
/// The block must be readable, as elements of this type.
unsafe fn find_in_block<T: Element>(
    ptr: *const u8,
    at: isize,
    step: isize,
    len: usize,
    positions: &mut [u16; TOGETHER],
) -> usize {
    let mut block = [0u8; TOGETHER];
    // SAFETY: the caller's promise.
    let row = unsafe { ptr.cast::<T>().offset(at) };
    if step == 1 {
        // SAFETY: the caller's promise; whatever the bytes are, they are an element.
        let row = unsafe { std::slice::from_raw_parts(row, len) };
        for (it, &x) in block.iter_mut().zip(row) {
            *it = truth(x);
        }
        if block.iter().fold(0, |all, &it| all | it) == 0 {
            return 0;
        }
    } else {
        for (i, it) in block[..len].iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *it = truth(unsafe { row.offset(i as isize * step).read() });
        }
    }
    let mut n = 0;
    for (i, &it) in block.iter().enumerate() {
        // There are never more than were looked at.
        positions[n % TOGETHER] = i as u16;
        n += usize::from(it != 0);
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Input, read};
    use crate::{Tensor, with_num_threads};
    use std::num::NonZeroUsize;
    use std::sync::Mutex;

    /// The offsets that are found in a mask that somebody has changed since it was counted.
    fn found_after(before: u8, after: u8, len: usize) -> (usize, Vec<(usize, isize)>) {
        let mask = Tensor::full([len], before).unwrap();
        let ptr = mask.storage().ptr();
        read([Input::Tensor(&mask)], |[view]| {
            let trues = Trues::count(&view);
            // SAFETY: the storage has as many bytes, and nobody reads them just now.
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
    fn as_many_are_found_as_were_counted_whatever_others_write_meanwhile() {
        for (n_threads, len) in [(1, 0), (1, 1), (1, 200), (4, 100_000)] {
            with_num_threads(NonZeroUsize::new(n_threads).unwrap(), || {
                assert_eq!(found_after(0, 1, len), (0, vec![]), "those that came are left out");
                let (n, found) = found_after(1, 0, len);
                assert_eq!((n, found.len()), (len, len));
                assert!(found.iter().enumerate().all(|(i, it)| it.0 == i), "each has a place");
                assert!(found.iter().all(|it| (0..len as isize).contains(&it.1)));
                let (n, found) = found_after(1, 1, len);
                assert!(n == len && found.iter().all(|it| it.0 as isize == it.1));
            });
        }
    }
}
