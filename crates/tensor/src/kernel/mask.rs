//! Boolean masks: counting and finding true elements.
//!
//! Elements of another dtype than `bool` are true if they are not zero.
//!
//! Positions are found in row-major order by several threads: each counts the true elements of its part first,
//! so that all of them know how many come before their own. Within a part it goes by blocks of 64 elements, which
//! become the bits of an integer: the work of a block is proportional to its true elements.
//!
//! A mask may be in memory that foreign code writes to concurrently. The positions that are found are then
//! unspecified, but there are exactly as many as were counted, and each is a valid position of the mask: the
//! room that was allocated for them is filled, and not exceeded.

use super::copy::copy;
use super::strided_slice::StridedSlice;
use crate::cancel::scratch_of;
use crate::dtype::{AnyTask, Scalar};
use crate::plan::{Loop, LoopNest, piece_of, pieces_for, row_major_steps};
use crate::pool;
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Element, Layout};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that are tested together: one for each bit of a `u64`.
const MASK_BLOCK_ELEMENTS: usize = 64;

/// Elements that are counted together, by bytes: fewer than 256.
const COUNT_BLOCK_ELEMENTS: usize = 128;

/// A mask whose true elements have been counted.
pub(crate) struct CountedMask<'a> {
    elements: MaskElements<'a>,
    layout: Layout,
    reader: MaskReader,
    parts: Vec<MaskPart>,
    n: usize,
}

enum MaskElements<'a> {
    /// Those of a view, which is borrowed; from element zero of its layout.
    OfView(NonNull<u8>, PhantomData<&'a ()>),
    /// Those of a transposed view of `bool`s, copied to row-major order: a byte from each row is a cache line for each
    /// element.
    Packed(Vec<u8>),
}

// SAFETY: the elements are only read.
unsafe impl Sync for MaskElements<'_> {}

impl MaskElements<'_> {
    /// Returns the address of element zero.
    fn zero(&self) -> *const u8 {
        match self {
            MaskElements::OfView(zero, _) => zero.as_ptr(),
            MaskElements::Packed(bytes) => bytes.as_ptr(),
        }
    }
}

/// Returns the elements of a mask in a layout that is fast to read in row-major order.
fn readable<'a>(mask: &'a AnyView<'_>) -> (MaskElements<'a>, Layout) {
    let layout = mask.layout();
    let distances = || layout.axes().iter().map(|it| it.stride.unsigned_abs());
    let is_transposed = match distances().next_back() {
        Some(inner) => distances().any(|it| it < inner) && distances().all(|it| it > 0),
        None => false,
    };
    if mask.dtype() != DType::Bool || !is_transposed {
        return (MaskElements::OfView(mask.ptr(), PhantomData), layout.clone());
    }
    let packed = Layout::row_major(&layout.shape()).expect("the shape of a layout");
    let mut bytes = scratch_of(0u8, packed.len());
    let zero = NonNull::new(bytes.as_mut_ptr()).expect("a vector has an address");
    // SAFETY: the vector has a byte for each element of the layout, which nothing else refers to.
    let out = unsafe { AnyViewMut::from_parts(zero, packed.clone(), DType::Bool) };
    copy(out, mask);
    (MaskElements::Packed(bytes), packed)
}

/// A range of positions, in row-major order.
struct MaskPart {
    positions: Range<usize>,
    /// The numbers of the true elements among them.
    trues: Range<usize>,
}

/// The true elements of a block of a mask, in row-major order.
pub(crate) struct TrueElements {
    /// How many true elements come before them.
    before: usize,
    /// The offset of the first element of the block, true or not, by the strides that `find` was given, and the step.
    at: isize,
    step: isize,
    /// Which elements of the block are true, the first one in the lowest bit.
    bits: u64,
}

/// A block with more runs of true elements is walked element by element: the length of a run of two or three is a
/// mispredicted branch, which takes as long as ten elements.
const MAX_RUNS: u32 = 4;

impl TrueElements {
    /// Returns whether the true elements are in few runs.
    #[inline(always)]
    fn has_few_runs(&self) -> bool {
        let starts = self.bits & !(self.bits << 1);
        // Fewer instructions than a count of the ones where the processor has no instruction for it.
        let mut rest = starts;
        for _ in 0..MAX_RUNS {
            rest &= rest.wrapping_sub(1);
        }
        rest == 0
    }

    /// Calls `f` for each run of true elements: with the number of the first one, counted over the whole mask, with its
    /// offset, and with the length of the run.
    #[inline(always)]
    fn for_each_run(&self, mut f: impl FnMut(usize, isize, usize)) {
        let (mut number, mut at, mut bits) = (self.before, self.at, self.bits);
        while bits != 0 {
            let n_false = bits.trailing_zeros();
            let len = (bits >> n_false).trailing_ones();
            at += n_false as isize * self.step;
            f(number, at, len as usize);
            at += len as isize * self.step;
            number += len as usize;
            // In two steps: a shift by 64 is not defined.
            bits = bits >> n_false >> (len - 1) >> 1;
        }
    }

    /// Calls `f` with the number of each true element, counted over the whole mask, and with its offset.
    #[inline(always)]
    pub(crate) fn for_each(&self, mut f: impl FnMut(usize, isize)) {
        if self.has_few_runs() {
            // The inner loop can be vectorized.
            self.for_each_run(|number, at, len| {
                for i in 0..len {
                    f(number + i, at + i as isize * self.step);
                }
            });
            return;
        }
        let (mut number, mut bits) = (self.before, self.bits);
        while bits != 0 {
            f(number, self.at + bits.trailing_zeros() as isize * self.step);
            bits &= bits - 1;
            number += 1;
        }
    }
}

impl<'a> CountedMask<'a> {
    /// Counts the true elements of a mask.
    pub(crate) fn count(mask: &'a AnyView<'_>) -> CountedMask<'a> {
        let reader = mask.dtype().with_any(ReaderTask);
        let (elements, layout) = readable(mask);
        let len = layout.len();
        let n = pieces_for(len, usize::MAX);
        let counts: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
        let range = |i: usize| piece_of(len, MASK_BLOCK_ELEMENTS, i, n);
        let nest = nest(&layout, 0, &vec![0; layout.rank()]);
        pool::run(n, &|i| {
            let mut count = 0;
            nest.runs_in(range(i), &mut |[at, _], run| {
                // SAFETY: the nest was made from the layout of the elements, which are borrowed for
                // reading or a copy, and the functions were chosen by their type.
                count += unsafe { (reader.count)(elements.zero(), at, run) };
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
        CountedMask { elements, layout, reader, parts, n: before }
    }

    /// Returns the number of true elements.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Finds the true elements, and calls `f` with the offsets to which `strides` lead from `start` at their
    /// positions. `f` is called from several threads, once for each number in `0..self.len()`, even if the mask
    /// has changed since it was counted.
    pub(crate) fn find(&self, start: isize, strides: &[isize], f: &(dyn Fn(TrueElements) + Sync)) {
        let nest = nest(&self.layout, start, strides);
        pool::run(self.parts.len(), &|i| {
            let MaskPart { positions, trues } = &self.parts[i];
            let (mut before, end) = (trues.start, trues.end);
            nest.runs_in(positions.clone(), &mut |[from, at], run| {
                let [mask_step, step] = run.steps;
                for first in (0..run.len).step_by(MASK_BLOCK_ELEMENTS) {
                    let len = MASK_BLOCK_ELEMENTS.min(run.len - first);
                    let first = first as isize;
                    // SAFETY: as in `count`.
                    let bits = unsafe {
                        let at_zero = self.elements.zero();
                        (self.reader.find)(at_zero, from + first * mask_step, mask_step, len)
                    };
                    let (bits, n) = lowest_ones(bits, end - before);
                    if n > 0 {
                        f(TrueElements { before, at: at + first * step, step, bits });
                        before += n;
                    }
                }
            });
            // If fewer elements are true than were counted, the first position is passed for the rest.
            let first = positions.start..positions.end.min(positions.start + 1);
            nest.runs_in(first, &mut |[_, at], _| {
                for before in before..end {
                    f(TrueElements { before, at, step: 0, bits: 1 });
                }
            });
        });
    }

    /// Writes the coordinates of the true elements: a row for each axis.
    ///
    /// # Panics
    /// If `out` is not of shape `[rank, n]` and type `int64`.
    pub(crate) fn coordinates<'x>(&self, out: AnyViewMut<'x>) -> Written<'x> {
        let shape = self.layout.shape();
        assert_eq!(out.layout().shape(), [shape.len(), self.n], "a row for each axis");
        assert_eq!(out.dtype(), DType::Int64, "coordinates are int64");
        let [start, row, col] = match out.layout().axes() {
            [rows, cols] => [out.layout().start() as isize, rows.stride, cols.stride],
            _ => unreachable!("two axes"),
        };
        let to = SyncPtr::new(out.ptr().as_ptr());
        self.find(0, &row_major_steps(&shape), &|trues| {
            let Some((&len, outer)) = shape.split_last() else { return };
            if outer.is_empty() {
                trues.for_each(|number, at| {
                    // SAFETY: the only row has a column for each true element, and no other call has this one.
                    unsafe {
                        to.element::<i64>(start + number as isize * col).write(at as i64);
                    }
                });
                return;
            }
            // The flat positions of the row that the last element was in, and its coordinates along the other axes.
            let (mut columns, mut coordinates) = (0..0, shape.clone());
            trues.for_each(|number, flat| {
                let flat = flat as usize;
                if !columns.contains(&flat) {
                    let mut rest = flat / len;
                    columns = rest * len..(rest + 1) * len;
                    for (at, len) in coordinates.iter_mut().zip(outer).rev() {
                        (*at, rest) = (rest % len, rest / len);
                    }
                }
                let first = start + number as isize * col;
                for k in 0..=outer.len() {
                    let at = if k < outer.len() { coordinates[k] } else { flat - columns.start };
                    // SAFETY: the view has a row for each axis and a column for each true element, and no
                    // other call of this closure has this column.
                    unsafe { to.element::<i64>(first + k as isize * row).write(at as i64) };
                }
            });
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
        assert_eq!(out.layout().shape(), [self.n], "as many as are true");
        let (dense, masked) = (out.ptr().as_ptr(), source.ptr().as_ptr());
        let job = MaskJob::new(dense, out.layout(), masked, source.layout(), self.n);
        // SAFETY: both views are borrowed while this runs and hold elements of that type; those of the output are written
        // here only, and all of them are.
        unsafe {
            job.run::<true>(self, out.dtype());
            out.written()
        }
    }

    /// Writes `values`, which has one axis, to the elements of `out` at which the mask is true, in row-major order. If
    /// there are fewer values, the last true elements are left as they are.
    ///
    /// # Panics
    /// If `out` is not of the shape of the mask, or `values` has not one axis and the type of `out`.
    pub(crate) fn expand(&self, out: AnyViewMut<'_>, values: &AnyView<'_>) {
        assert_eq!(out.dtype(), values.dtype(), "elements are not converted");
        let n = values.layout().axes()[0].len;
        let (dense, masked) = (values.ptr().as_ptr(), out.ptr().as_ptr());
        let job = MaskJob::new(dense, values.layout(), masked, out.layout(), n);
        // SAFETY: both views are borrowed while this runs, hold elements of that type and share none; those of the output
        // are written here only, and it is injective.
        unsafe { job.run::<false>(self, out.dtype()) };
    }
}

/// A copy between elements of one axis (dense) and those of the shape of a mask at which it is true (masked).
struct MaskJob<'a> {
    dense: SyncPtr<u8>,
    masked: SyncPtr<u8>,
    /// The offset of the first dense element, and the stride of the others.
    dense_start: isize,
    dense_step: isize,
    /// The number of dense elements.
    n: usize,
    layout: &'a Layout,
}

impl<'a> MaskJob<'a> {
    fn new(
        dense: *mut u8,
        of_dense: &Layout,
        masked: *mut u8,
        layout: &'a Layout,
        n: usize,
    ) -> MaskJob<'a> {
        let &[axis] = of_dense.axes() else { panic!("one axis") };
        MaskJob {
            dense: SyncPtr::new(dense),
            masked: SyncPtr::new(masked),
            dense_start: of_dense.start() as isize,
            dense_step: axis.stride,
            n,
            layout,
        }
    }

    /// Copies the elements, to the dense ones or to the masked ones.
    ///
    /// # Safety
    /// Both must be elements of this dtype, as many as their layouts have: those that are read readable, those that are
    /// written writable and different from each other, and no other thread may access them.
    ///
    /// # Panics
    /// If the masked elements have not the shape of the mask.
    unsafe fn run<const TO_DENSE: bool>(&self, mask: &CountedMask<'_>, dtype: DType) {
        assert_eq!(self.layout.shape(), mask.layout.shape(), "a mask of this shape");
        let is_aligned = (self.dense.get().addr() | self.masked.get().addr()).is_multiple_of(8);
        // SAFETY: forwarded: same contract as this function, for elements of that size and alignment.
        unsafe {
            match dtype.size() {
                1 => self.run_as::<u8, TO_DENSE>(mask),
                2 => self.run_as::<u16, TO_DENSE>(mask),
                4 => self.run_as::<u32, TO_DENSE>(mask),
                8 if is_aligned => self.run_as::<u64, TO_DENSE>(mask),
                // A complex number of two floats of four bytes is aligned to four.
                8 => self.run_as::<[u32; 2], TO_DENSE>(mask),
                16 => self.run_as::<[u64; 2], TO_DENSE>(mask),
                _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
            }
        }
    }

    /// # Safety
    /// That of `run`, for elements of the size and alignment of `E`.
    unsafe fn run_as<E: Copy + Sync, const TO_DENSE: bool>(&self, mask: &CountedMask<'_>) {
        // Local copies stay in registers: stores to the elements cannot alias them.
        let (dense, masked) = (self.dense, self.masked);
        let (start, step, n) = (self.dense_start, self.dense_step, self.n);
        // One value for all masked elements.
        let fill = match !TO_DENSE && step == 0 && n > 0 {
            // SAFETY: there is a dense element, which is readable.
            true => Some(unsafe { dense.element::<E>(start).read() }),
            false => None,
        };
        mask.find(self.layout.start() as isize, &self.layout.strides(), &|trues| {
            let is_contiguous = trues.step == 1 && (step == 1 || fill.is_some());
            if is_contiguous && trues.has_few_runs() {
                trues.for_each_run(|number, offset, len| {
                    let len = if TO_DENSE { len } else { len.min(n.saturating_sub(number)) };
                    if len == 0 {
                        return;
                    }
                    // SAFETY: as below, for `len` contiguous elements.
                    unsafe {
                        let masked = masked.element::<E>(offset);
                        if let Some(value) = fill {
                            (0..len).for_each(|i| masked.add(i).write(value));
                            return;
                        }
                        let dense = dense.element::<E>(start + number as isize);
                        match TO_DENSE {
                            true => dense.copy_from_nonoverlapping(masked, len),
                            false => masked.copy_from_nonoverlapping(dense, len),
                        }
                    }
                });
                return;
            }
            trues.for_each(|number, offset| {
                if !TO_DENSE && number >= n {
                    return;
                }
                // SAFETY: `number` is that of a dense element (checked above; `compress` has as many as are true), and the
                // offset is one of the layout; each number is passed once.
                unsafe {
                    let dense = dense.element::<E>(start + number as isize * step);
                    let masked = masked.element::<E>(offset);
                    match TO_DENSE {
                        true => dense.write(masked.read()),
                        false => masked.write(dense.read()),
                    }
                }
            });
        });
    }
}

/// Returns the lowest ones of some bits, at most `most`, and their number.
#[inline(always)]
fn lowest_ones(mut bits: u64, most: usize) -> (u64, usize) {
    // Without an instruction that counts ones, the two most frequent blocks are worth a branch.
    match bits {
        0 => return (0, 0),
        u64::MAX if most >= MASK_BLOCK_ELEMENTS => return (bits, MASK_BLOCK_ELEMENTS),
        _ => {}
    }
    let n = bits.count_ones() as usize;
    for _ in most..n {
        bits &= !(1 << (63 - bits.leading_zeros()));
    }
    (bits, n.min(most))
}

/// Returns loops over a mask, and over offsets at other strides, in row-major order.
fn nest(mask: &Layout, start: isize, strides: &[isize]) -> LoopNest<2> {
    let axes = mask.axes().iter().zip(strides);
    let loops = axes.map(|(axis, &stride)| Loop { len: axis.len, steps: [axis.stride, stride] });
    LoopNest::new([mask.start() as isize, start], loops).in_order()
}

/// Counts and finds true elements of one type.
#[derive(Clone, Copy)]
struct MaskReader {
    count: unsafe fn(*const u8, isize, &Loop<2>) -> usize,
    find: unsafe fn(*const u8, isize, isize, usize) -> u64,
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
    match row.contiguous() {
        Some(row) => {
            let blocks = row.chunks::<COUNT_BLOCK_ELEMENTS>();
            let rest = row.part(blocks.len() * COUNT_BLOCK_ELEMENTS, COUNT_BLOCK_ELEMENTS);
            blocks.iter().map(|block| count_block(block.into_iter())).sum::<usize>()
                + count_block(rest.iter())
        }
        None => (0..row.len()).map(|i| usize::from(truth(row.get(i)))).sum(),
    }
}

/// Returns how many of at most `COUNT_BLOCK_ELEMENTS` elements are true. Sums of bytes vectorize best.
#[inline(always)]
fn count_block<T: Element>(block: impl Iterator<Item = T>) -> usize {
    block.map(truth).sum::<u8>() as usize
}

/// Returns which elements of a block of at most `MASK_BLOCK_ELEMENTS` elements are true, the first of which is `at` elements
/// from `ptr`, and has the lowest bit.
///
/// # Safety
/// All elements of the block must be readable and of this type.
unsafe fn find_in_block<T: Element>(ptr: *const u8, at: isize, step: isize, len: usize) -> u64 {
    let first = ptr.cast::<T>().wrapping_offset(at);
    // SAFETY: the elements of the block are readable and of this type (contract).
    let row = unsafe { StridedSlice::new(first, step, len) };
    let mut block = [0u8; MASK_BLOCK_ELEMENTS];
    match row.contiguous() {
        // A constant length vectorizes without a remainder.
        Some(row) if row.len() == MASK_BLOCK_ELEMENTS => {
            (0..MASK_BLOCK_ELEMENTS).for_each(|i| block[i] = truth(row.get(i)));
        }
        _ => (0..row.len()).for_each(|i| block[i] = truth(row.get(i))),
    }
    pack_block(&block)
}

/// Returns the lowest bits of bytes that are 0 or 1, in their order.
#[inline(always)]
fn pack_block(block: &[u8; MASK_BLOCK_ELEMENTS]) -> u64 {
    /// Eight bytes that are 1.
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (bytes, _) = block.as_chunks::<8>();
    let words = || bytes.iter().map(|&word| u64::from_le_bytes(word));
    // Most blocks are all false or all true.
    let (any, all) = words().fold((0, ONES), |(any, all), word| (any | word, all & word));
    match (any, all) {
        (0, _) => 0,
        (_, ONES) => u64::MAX,
        _ => words().enumerate().fold(0, |bits, (i, word)| bits | pack_bits(word) << (8 * i)),
    }
}

/// Returns the lowest bits of eight bytes that are 0 or 1 as one byte, in their order.
#[inline(always)]
fn pack_bits(word: u64) -> u64 {
    // Byte `k` is bit `8k`; the factor has a bit at `56 - 7k` for each `k`, and no two products have a bit in common.
    word.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::execute::read_operands;
    use crate::trace::Call;
    use crate::{Tensor, with_num_threads};
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
            trues.find(0, &[1], &|trues| {
                let mut found = found.lock().unwrap();
                trues.for_each(|number, at| found.push((number, at)));
            });
            let mut found = found.into_inner().unwrap();
            found.sort_unstable();
            (trues.len(), found)
        })
        .unwrap()
    }

    #[test]
    fn bytes_are_packed_in_their_order() {
        for bits in 0..=255u64 {
            let bytes = std::array::from_fn(|k| (bits >> k & 1) as u8);
            assert_eq!(pack_bits(u64::from_le_bytes(bytes)), bits);
        }
        for shift in 0..64 {
            for bits in [0, !0, 1, 0b1011, !1].map(|bits: u64| bits.rotate_left(shift)) {
                let block = std::array::from_fn(|k| (bits >> k & 1) as u8);
                assert_eq!(pack_block(&block), bits);
            }
        }
    }

    #[test]
    fn true_elements_are_the_ones_in_order() {
        let patterns = [0, !0, 1, 0b1011, 0b101_0101, 0b1_0101_0101, !1, 0xffff, 0x5555_5555];
        for bits in patterns.into_iter().flat_map(|it: u64| (0..64).map(move |n| it.rotate_left(n)))
        {
            let trues = TrueElements { before: 7, at: 100, step: -3, bits };
            let positions = (0..64).filter(|k| bits >> k & 1 == 1);
            let expected: Vec<_> = positions.map(|k| 100 - 3 * k).enumerate().collect();
            let mut found = Vec::new();
            trues.for_each(|number, at| found.push((number - 7, at)));
            assert_eq!(found, expected, "{bits:b}");
            let (mut by_runs, mut n_runs) = (Vec::new(), 0);
            trues.for_each_run(|number, at, len| {
                n_runs += 1;
                by_runs.extend((0..len).map(|i| (number - 7 + i, at - 3 * i as isize)));
            });
            assert_eq!(by_runs, expected, "{bits:b}");
            assert_eq!(trues.has_few_runs(), n_runs <= MAX_RUNS, "{bits:b}");
        }
    }

    #[test]
    fn ones_are_counted_and_limited() {
        assert_eq!(lowest_ones(0b1011_0100, 2), (0b0001_0100, 2));
        assert_eq!(lowest_ones(0b1011_0100, 64), (0b1011_0100, 4));
        for most in [0, 1, 63, 64, 65] {
            assert_eq!(lowest_ones(0, most), (0, 0));
            let n = most.min(64);
            assert_eq!(lowest_ones(!0, most), ((1u128 << n).wrapping_sub(1) as u64, n));
        }
    }

    #[test]
    fn as_many_are_found_as_were_counted_even_if_the_mask_changes() {
        for (n_threads, len) in [(1, 0), (1, 1), (1, 200), (4, 100_000)] {
            with_num_threads(n_threads, || {
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
