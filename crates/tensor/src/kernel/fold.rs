//! Many values made one, in blocks.
//!
//! A fold has two kinds of accumulators. A *lane* takes up single elements: there are many of them
//! side by side, so that the compiler can keep them in vector registers, and few elements go into
//! each, so that rounding errors stay small. A *total* takes up lanes: it may be wider, and is what
//! blocks are joined by. Which element goes into which lane, and the order in which lanes are
//! joined, depend on the position alone: never on the number of threads.
//!
//! Most folds see each element once ([`Fold`]). Some see each block twice ([`Twice`]): first they
//! find what its elements are measured from, its mean or its greatest element, then they sum up what
//! they measure. The block is in the cache the second time, so memory is read once.

use crate::Element;
use crate::dtype::MulAdd;
use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

/// What a fold is told besides its elements: an order or a correction, and a choice between two
/// results. Each fold says what it makes of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub number: f64,
    pub choice: bool,
}

impl Setting {
    pub(crate) const NONE: Setting = Setting { number: 0.0, choice: false };
}

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

    /// Takes up an element.
    fn step(lane: Self::Lane, x: Self::In) -> Self::Lane;
    /// Joins two lanes.
    fn join(a: Self::Lane, b: Self::Lane) -> Self::Lane;
    /// Takes up a lane.
    fn add(total: Self::Total, lane: Self::Lane) -> Self::Total;
    /// Joins two totals.
    fn merge(a: Self::Total, b: Self::Total) -> Self::Total;
    /// The result of a total that has taken up so many elements.
    fn finish(total: Self::Total, count: usize, setting: Setting) -> Self::Out;
}

/// A fold that sees each block twice: what it finds first is what elements are measured from.
pub(crate) trait Twice: 'static {
    /// What is folded.
    type In: Element;
    /// What is found first.
    type Base: Copy;
    /// What takes up what elements measure.
    type Sum: Copy;
    /// What blocks are joined by.
    type Total: Copy;
    /// The result.
    type Out: Element;

    /// What is found in nothing.
    const BASE: Self::Base;
    /// The sum of nothing.
    const SUM: Self::Sum;
    /// The total that has taken up nothing.
    const TOTAL: Self::Total;

    /// Takes up an element at first sight.
    fn look(base: Self::Base, x: Self::In, setting: Setting) -> Self::Base;
    /// Joins what was found in two parts of a block.
    fn join(a: Self::Base, b: Self::Base, setting: Setting) -> Self::Base;
    /// What the elements of a block are measured from.
    fn base(found: Self::Base, count: usize, setting: Setting) -> Self::Base;
    /// Adds what an element measures.
    fn step<M: MulAdd>(
        sum: Self::Sum,
        x: Self::In,
        base: Self::Base,
        setting: Setting,
    ) -> Self::Sum;
    /// Joins the sums of two parts of a block.
    fn plus(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// The total of a block.
    fn total(base: Self::Base, sum: Self::Sum) -> Self::Total;
    /// Joins two totals.
    fn merge(a: Self::Total, b: Self::Total, setting: Setting) -> Self::Total;
    /// The result of a total.
    fn finish(total: Self::Total, setting: Setting) -> Self::Out;
}

/// A way to take blocks up into totals: what both kinds of folds are to the walk.
pub(super) trait Blocks: 'static {
    type In: Element;
    type Total: Copy;
    type Out: Element;

    const TOTAL: Self::Total;

    /// Takes up a run.
    ///
    /// # Safety
    /// It must be readable elements of the input type.
    unsafe fn run<M: MulAdd>(run: Run, total: Self::Total, setting: Setting) -> Self::Total;

    /// Takes each column of a block up into a total of its own.
    ///
    /// # Safety
    /// That of `Reducer::vertical`.
    unsafe fn rows<M: MulAdd>(block: Block, totals: *mut u8, setting: Setting);

    fn merge(a: Self::Total, b: Self::Total, setting: Setting) -> Self::Total;

    fn finish(total: Self::Total, count: usize, setting: Setting) -> Self::Out;
}

/// The blocks of a [`Fold`].
pub(super) struct Once<F>(PhantomData<F>);

impl<F: Fold> Blocks for Once<F> {
    type In = F::In;
    type Total = F::Total;
    type Out = F::Out;

    const TOTAL: F::Total = F::TOTAL;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(run: Run, total: F::Total, _: Setting) -> F::Total {
        // SAFETY: the caller's promise.
        let lane = unsafe { fold_run::<F::In, _>(run, F::LANE, F::step, F::join) };
        F::add(total, lane)
    }

    #[inline(always)]
    unsafe fn rows<M: MulAdd>(block: Block, totals: *mut u8, _: Setting) {
        let mut lanes = Columns::<_, COLS>::new();
        let lanes = lanes.filled(F::LANE, block.cols);
        let nothing = &[(); COLS][..block.cols];
        // SAFETY: the caller's promise.
        unsafe {
            fold_rows::<F::In, _, ()>(block, lanes, nothing, |lane, x, ()| F::step(lane, x));
        }
        for (c, &lane) in lanes.iter().enumerate() {
            // SAFETY: the caller gives a started slot for each column.
            unsafe { update::<Self>(totals, c, |total| F::add(total, lane)) };
        }
    }

    fn merge(a: F::Total, b: F::Total, _: Setting) -> F::Total {
        F::merge(a, b)
    }

    fn finish(total: F::Total, count: usize, setting: Setting) -> F::Out {
        F::finish(total, count, setting)
    }
}

/// The blocks of a fold that sees them [`Twice`].
pub(super) struct Again<F>(PhantomData<F>);

impl<F: Twice> Blocks for Again<F> {
    type In = F::In;
    type Total = F::Total;
    type Out = F::Out;

    const TOTAL: F::Total = F::TOTAL;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(run: Run, total: F::Total, setting: Setting) -> F::Total {
        // SAFETY: the caller's promise.
        let found = unsafe {
            let look = |base, x| F::look(base, x, setting);
            fold_run::<F::In, _>(run, F::BASE, look, |a, b| F::join(a, b, setting))
        };
        let base = F::base(found, run.len, setting);
        // SAFETY: as above.
        let sum = unsafe {
            let step = |sum, x| F::step::<M>(sum, x, base, setting);
            fold_run::<F::In, _>(run, F::SUM, step, F::plus)
        };
        F::merge(total, F::total(base, sum), setting)
    }

    #[inline(always)]
    unsafe fn rows<M: MulAdd>(block: Block, totals: *mut u8, setting: Setting) {
        let (mut bases, mut sums) =
            (Columns::<_, TWICE_COLS>::new(), Columns::<_, TWICE_COLS>::new());
        for from in (0..block.cols).step_by(TWICE_COLS) {
            let cols = TWICE_COLS.min(block.cols - from);
            let at = block.at.wrapping_add(from * size_of::<F::In>());
            let block = Block { at, cols, ..block };
            let (bases, sums) = (bases.filled(F::BASE, cols), sums.filled(F::SUM, cols));
            let nothing = &[(); TWICE_COLS][..cols];
            // SAFETY: the caller's promise, for some of the columns.
            unsafe {
                let look = |base, x, ()| F::look(base, x, setting);
                fold_rows::<F::In, _, ()>(block, bases, nothing, look);
            }
            for base in &mut *bases {
                *base = F::base(*base, block.rows, setting);
            }
            // SAFETY: as above.
            unsafe {
                let step = |sum, x, base| F::step::<M>(sum, x, base, setting);
                fold_rows::<F::In, _, F::Base>(block, sums, bases, step);
            }
            for (c, (&base, &sum)) in bases.iter().zip(&*sums).enumerate() {
                let block = F::total(base, sum);
                // SAFETY: the caller gives a started slot for each column.
                unsafe {
                    update::<Self>(totals, from + c, |total| F::merge(total, block, setting));
                }
            }
        }
    }

    fn merge(a: F::Total, b: F::Total, setting: Setting) -> F::Total {
        F::merge(a, b, setting)
    }

    fn finish(total: F::Total, _: usize, setting: Setting) -> F::Out {
        F::finish(total, setting)
    }
}

/// The most bytes of a total, which is aligned to at most as many.
pub(super) const TOTAL_SIZE: usize = 32;

/// The most elements that a horizontal block has, so that each lane takes up few.
pub(super) const RUN: usize = 4096;

/// The most rows that a vertical block has, for the same reason.
pub(super) const ROWS: usize = 128;

/// The most columns of a vertical block. The more there are, the longer memory is read from one end to
/// the other, which it is fastest at.
pub(super) const COLS: usize = 4096;

/// The most columns of a block that is seen twice: all of it has to stay in the second-level cache.
const TWICE_COLS: usize = 512;

/// Rows of a vertical block that are read side by side.
pub(super) const STREAMS: usize = 8;

/// Columns whose lanes are in registers while they take up elements of several rows.
pub(super) const CHUNK: usize = 16;

/// Lanes of a horizontal block: enough to keep four vector registers of eight busy.
pub(super) const LANES: usize = 32;

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

impl Block {
    /// So many rows of it, from one on, and each `every` rows below the one before.
    #[inline(always)]
    pub(super) fn part(self, first: usize, rows: usize, every: usize) -> Block {
        let every = every as isize;
        Block {
            at: self.at.wrapping_offset(first as isize * self.row_step),
            row_step: every * self.row_step,
            rows,
            cols: self.cols,
            position: self.position + first as isize * self.stride,
            stride: every * self.stride,
        }
    }
}

/// Room for something of each column of a block.
pub(super) struct Columns<L, const N: usize>([MaybeUninit<L>; N]);

impl<L: Copy, const N: usize> Columns<L, N> {
    #[inline(always)]
    pub(super) fn new() -> Columns<L, N> {
        Columns([const { MaybeUninit::uninit() }; N])
    }

    /// As many as there are columns, all the same.
    #[inline(always)]
    pub(super) fn filled(&mut self, value: L, cols: usize) -> &mut [L] {
        let room = &mut self.0[..cols];
        for place in &mut *room {
            place.write(value);
        }
        // SAFETY: all of them have just been written.
        unsafe { room.assume_init_mut() }
    }
}

/// Slot `i` of some totals.
///
/// # Safety
/// It must lie in the memory of the totals.
#[inline(always)]
pub(super) unsafe fn slot<B: Blocks>(totals: *mut u8, i: usize) -> *mut B::Total {
    // SAFETY: the caller's promise; slots are as large and as aligned as any total.
    unsafe { totals.add(i * TOTAL_SIZE).cast() }
}

/// Changes the total in slot `i`.
///
/// # Safety
/// The slot must be one of the totals, and started.
#[inline(always)]
pub(super) unsafe fn update<B: Blocks>(
    totals: *mut u8,
    i: usize,
    change: impl FnOnce(B::Total) -> B::Total,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let total = slot::<B>(totals, i);
        total.write(change(total.read()));
    }
}

/// Takes the elements of a run up into lanes, and joins them.
///
/// # Safety
/// The run must be readable elements of this type.
#[inline(always)]
unsafe fn fold_run<T: Copy, L: Copy>(
    run: Run,
    start: L,
    step: impl Fn(L, T) -> L,
    join: impl Fn(L, L) -> L,
) -> L {
    // SAFETY: the caller's promise.
    fold_slice(unsafe { slice::from_raw_parts(run.at.cast::<T>(), run.len) }, start, step, join)
}

/// The same for elements that are known to be there.
#[inline(always)]
pub(super) fn fold_slice<T: Copy, L: Copy>(
    elements: &[T],
    start: L,
    step: impl Fn(L, T) -> L,
    join: impl Fn(L, L) -> L,
) -> L {
    let (chunks, rest) = elements.as_chunks::<LANES>();
    let mut lanes = [start; LANES];
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = step(*lane, x);
        }
    }
    // What comes now asks for lanes by their numbers, which registers have not. If the compiler knew that
    // these are the same lanes, it would keep all of them in memory, also in the loop above: that was
    // measured to take three times as long.
    let mut lanes = black_box(lanes);
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = step(*lane, x);
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for k in 0..width {
            lanes[k] = join(lanes[k], lanes[k + width]);
        }
    }
    lanes[0]
}

/// Takes each column of a block up into a lane of its own. Each column has a base besides.
///
/// A block is read in streams, each of which goes through rows that follow one another: memory is
/// fetched ahead for whoever reads it in order, also if the rows are short and there is nothing between them.
///
/// # Safety
/// The rows must be readable elements of this type, with no fewer columns than there are lanes.
#[inline(always)]
unsafe fn fold_rows<T, L: Copy, B: Copy>(
    block: Block,
    lanes: &mut [L],
    bases: &[B],
    step: impl Fn(L, T, B) -> L,
) {
    let in_stream = (block.rows / STREAMS).max(1);
    let streams = block.rows / in_stream;
    for r in 0..=in_stream {
        // After the streams, the rows that were left over.
        let part = match r < in_stream {
            true => block.part(r, streams, in_stream),
            false => block.part(streams * r, block.rows - streams * r, 1),
        };
        // SAFETY: all of these are rows of the block.
        unsafe { fold_streams(part, lanes, bases, &step) };
    }
}

/// The same for few rows, which are read side by side: a lane is loaded and stored once for all of them.
///
/// # Safety
/// That of `fold_rows`.
#[inline(always)]
unsafe fn fold_streams<T, L: Copy, B: Copy>(
    block: Block,
    lanes: &mut [L],
    bases: &[B],
    step: &impl Fn(L, T, B) -> L,
) {
    let Block { at, row_step, rows, .. } = block;
    let row = |r: usize| at.wrapping_offset(r as isize * row_step).cast::<T>();
    let (chunks, rest) = lanes.as_chunks_mut::<CHUNK>();
    let (base_chunks, base_rest) = bases.as_chunks::<CHUNK>();
    let first_of_rest = chunks.len() * CHUNK;
    for (i, (chunk, bases)) in chunks.iter_mut().zip(base_chunks).enumerate() {
        let mut lanes = *chunk;
        for r in 0..rows {
            let row = row(r);
            for (k, lane) in lanes.iter_mut().enumerate() {
                // SAFETY: row `r` and the columns of the chunk are in the block.
                let x = unsafe { row.add(i * CHUNK + k).read() };
                *lane = step(*lane, x, bases[k]);
            }
        }
        *chunk = lanes;
    }
    for (k, (place, &base)) in rest.iter_mut().zip(base_rest).enumerate() {
        let mut lane = *place;
        for r in 0..rows {
            // SAFETY: as above, for the columns after the last chunk.
            let x = unsafe { row(r).add(first_of_rest + k).read() };
            lane = step(lane, x, base);
        }
        *place = lane;
    }
}
