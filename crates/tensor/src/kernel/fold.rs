//! Many values made one, in blocks.
//!
//! A fold has two kinds of accumulators. A *lane* takes up single elements: there are many of them
//! side by side, so that the compiler can keep them in vector registers, and few elements go into
//! each, so that rounding errors stay small. A *total* takes up lanes: it may be wider, and is what
//! blocks are joined by. Which element goes into which lane, and the order in which lanes are
//! joined, depend on the position alone: never on the number of threads.

use super::cpu::{self, Level};
use crate::{DType, Element, Value};
use std::marker::PhantomData;

/// A way to make one value of many.
pub(crate) trait Fold: 'static {
    /// What is folded.
    type In: Element;
    /// What takes up elements.
    type Lane: Copy;
    /// What takes up lanes.
    type Total: Copy;
    /// The result.
    type Out: Element;

    /// The lane that has taken up nothing.
    const LANE: Self::Lane;
    /// The total that has taken up nothing.
    const TOTAL: Self::Total;

    /// Takes up an element, which is at a position among those that are folded.
    fn step(lane: Self::Lane, x: Self::In, position: isize) -> Self::Lane;
    /// Joins two lanes.
    fn join(a: Self::Lane, b: Self::Lane) -> Self::Lane;
    /// Takes up a lane.
    fn add(total: Self::Total, lane: Self::Lane) -> Self::Total;
    /// Joins two totals.
    fn merge(a: Self::Total, b: Self::Total) -> Self::Total;
    /// The result of a total that has taken up so many elements.
    fn finish(total: Self::Total, count: usize) -> Self::Out;
}

/// The most bytes of a total, which is aligned to at most as many.
pub(super) const TOTAL_SIZE: usize = 32;

/// The most elements that a horizontal block has, so that each lane takes up few.
pub(super) const RUN: usize = 4096;

/// The most rows that a vertical block has, for the same reason.
pub(super) const ROWS: usize = 128;

/// The most columns of a vertical block: their lanes stay in the first-level cache.
pub(super) const COLS: usize = 512;

/// Lanes of a horizontal block: enough to keep four vector registers of eight busy.
const LANES: usize = 32;

/// A fold with its types erased. Totals are in slots of [`TOTAL_SIZE`] bytes.
#[derive(Clone, Copy)]
pub(crate) struct Reducer {
    input: DType,
    output: DType,
    start: unsafe fn(*mut u8, usize),
    horizontal: unsafe fn(Run, *mut u8),
    vertical: unsafe fn(Block, *mut u8),
    merge: unsafe fn(*mut u8, *const u8, usize),
    finish: unsafe fn(*const u8, usize, *mut u8),
}

/// Elements one behind the other, the position of the first among those that are folded, and the
/// distance between their positions.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub at: *const u8,
    pub len: usize,
    pub position: isize,
    pub stride: isize,
}

/// Rows of elements one behind the other, all of a column folded into one total. `row_step` is in
/// bytes; positions are those of the rows.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub at: *const u8,
    pub row_step: isize,
    pub rows: usize,
    pub cols: usize,
    pub position: isize,
    pub stride: isize,
}

impl Reducer {
    pub(crate) fn of<F: Fold>() -> Reducer {
        const {
            assert!(size_of::<F::Total>() <= TOTAL_SIZE && align_of::<F::Total>() <= TOTAL_SIZE);
        }
        let (horizontal, vertical) = match cpu::level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => (
                horizontal_avx2::<F> as unsafe fn(Run, *mut u8),
                vertical_avx2::<F> as unsafe fn(Block, *mut u8),
            ),
            Level::Plain => (
                horizontal_plain::<F> as unsafe fn(Run, *mut u8),
                vertical_plain::<F> as unsafe fn(Block, *mut u8),
            ),
        };
        let erased = Erased::<F>(PhantomData);
        Reducer {
            input: F::In::DTYPE,
            output: F::Out::DTYPE,
            start: erased.start(),
            horizontal,
            vertical,
            merge: erased.merge(),
            finish: erased.finish(),
        }
    }

    /// The type of what is folded.
    pub(crate) fn input(&self) -> DType {
        self.input
    }

    /// The type of the result.
    pub(crate) fn output(&self) -> DType {
        self.output
    }

    /// Makes totals that have taken up nothing.
    ///
    /// # Safety
    /// There must be room for `n` slots, aligned to their size.
    pub(super) unsafe fn start(&self, totals: *mut u8, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { (self.start)(totals, n) }
    }

    /// Takes a run up into a total.
    ///
    /// # Safety
    /// The run must be readable elements of the input type, and the total started.
    pub(super) unsafe fn horizontal(&self, run: Run, total: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.horizontal)(run, total) }
    }

    /// Takes each column of a block up into a total of its own.
    ///
    /// # Safety
    /// The rows must be readable elements of the input type, there must be as many totals as
    /// columns, all started, and at most [`COLS`] of them.
    pub(super) unsafe fn vertical(&self, block: Block, totals: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.vertical)(block, totals) }
    }

    /// Joins totals with others.
    ///
    /// # Safety
    /// Both must be `n` slots that were started.
    pub(super) unsafe fn merge(&self, totals: *mut u8, others: *const u8, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { (self.merge)(totals, others, n) }
    }

    /// Writes the result of a total that has taken up `count` elements.
    ///
    /// # Safety
    /// The total must have been started, and `out` be writable for an element of the output type.
    pub(super) unsafe fn finish(&self, total: *const u8, count: usize, out: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.finish)(total, count, out) }
    }
}

/// The functions of a fold that are not worth a copy for each instruction set.
struct Erased<F>(PhantomData<F>);

impl<F: Fold> Erased<F> {
    fn start(&self) -> unsafe fn(*mut u8, usize) {
        |totals, n| {
            for i in 0..n {
                // SAFETY: `Reducer::start` asks for room for `n` slots.
                unsafe { slot::<F>(totals, i).write(F::TOTAL) };
            }
        }
    }

    fn merge(&self) -> unsafe fn(*mut u8, *const u8, usize) {
        |totals, others, n| {
            for i in 0..n {
                // SAFETY: `Reducer::merge` asks for `n` started slots on both sides.
                unsafe {
                    let total = slot::<F>(totals, i);
                    total.write(F::merge(total.read(), slot::<F>(others.cast_mut(), i).read()));
                }
            }
        }
    }

    fn finish(&self) -> unsafe fn(*const u8, usize, *mut u8) {
        |total, count, out| {
            // SAFETY: `Reducer::finish` asks for a started slot and an element to write.
            unsafe {
                let total = slot::<F>(total.cast_mut(), 0).read();
                out.cast::<F::Out>().write(F::finish(total, count));
            }
        }
    }
}

/// Slot `i` of some totals.
///
/// # Safety
/// It must lie in the memory of the totals.
#[inline(always)]
unsafe fn slot<F: Fold>(totals: *mut u8, i: usize) -> *mut F::Total {
    // SAFETY: the caller's promise; slots are as large and as aligned as any total.
    unsafe { totals.add(i * TOTAL_SIZE).cast() }
}

/// # Safety
/// That of `Reducer::horizontal`.
unsafe fn horizontal_plain<F: Fold>(run: Run, total: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { horizontal::<F>(run, total) }
}

/// # Safety
/// That of `Reducer::horizontal`, on a processor with these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn horizontal_avx2<F: Fold>(run: Run, total: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { horizontal::<F>(run, total) }
}

/// # Safety
/// That of `Reducer::horizontal`.
#[inline(always)]
unsafe fn horizontal<F: Fold>(run: Run, total: *mut u8) {
    let Run { at, len, position, stride } = run;
    let at = at.cast::<F::In>();
    let mut lanes = [F::LANE; LANES];
    let whole = len - len % LANES;
    for i in (0..whole).step_by(LANES) {
        for (k, lane) in lanes.iter_mut().enumerate() {
            // SAFETY: `i + k` is less than the length.
            let x = unsafe { at.add(i + k).read() };
            *lane = F::step(*lane, x, position + (i + k) as isize * stride);
        }
    }
    for i in whole..len {
        // SAFETY: `i` is less than the length.
        let x = unsafe { at.add(i).read() };
        lanes[i - whole] = F::step(lanes[i - whole], x, position + i as isize * stride);
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for k in 0..width {
            lanes[k] = F::join(lanes[k], lanes[k + width]);
        }
    }
    // SAFETY: the caller gives a started slot.
    unsafe {
        let total = slot::<F>(total, 0);
        total.write(F::add(total.read(), lanes[0]));
    }
}

/// # Safety
/// That of `Reducer::vertical`.
unsafe fn vertical_plain<F: Fold>(block: Block, totals: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { vertical::<F>(block, totals) }
}

/// # Safety
/// That of `Reducer::vertical`, on a processor with these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
unsafe fn vertical_avx2<F: Fold>(block: Block, totals: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { vertical::<F>(block, totals) }
}

/// # Safety
/// That of `Reducer::vertical`.
#[inline(always)]
unsafe fn vertical<F: Fold>(block: Block, totals: *mut u8) {
    let Block { at, row_step, rows, cols, position, stride } = block;
    let mut lanes = [F::LANE; COLS];
    let lanes = &mut lanes[..cols];
    let whole = rows - rows % 4;
    for r in (0..whole).step_by(4) {
        let position = position + r as isize * stride;
        // Four rows at a time: a lane is loaded and stored once for all of them.
        for (c, lane) in lanes.iter_mut().enumerate() {
            for k in 0..4 {
                // SAFETY: row `r + k` and column `c` are in the block.
                let x =
                    unsafe { at.offset((r + k) as isize * row_step).cast::<F::In>().add(c).read() };
                *lane = F::step(*lane, x, position + k as isize * stride);
            }
        }
    }
    for r in whole..rows {
        let position = position + r as isize * stride;
        for (c, lane) in lanes.iter_mut().enumerate() {
            // SAFETY: row `r` and column `c` are in the block.
            let x = unsafe { at.offset(r as isize * row_step).cast::<F::In>().add(c).read() };
            *lane = F::step(*lane, x, position);
        }
    }
    for (c, &lane) in lanes.iter().enumerate() {
        // SAFETY: the caller gives a started slot for each column.
        unsafe {
            let total = slot::<F>(totals, c);
            total.write(F::add(total.read(), lane));
        }
    }
}
