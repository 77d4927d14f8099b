//! Whether two views of one shape hold equal elements: the loop of `==`.
//!
//! The plan of an elementwise operation walks both operands in the order that suits their memory. Rows that are
//! contiguous are compared in place, block by block; tiles of an operand with other rows are packed, as for a map. The
//! comparison ends after the first block that differs, in all threads. Elements are compared by value: NaN differs from
//! itself, and -0 equals 0.

use super::copy::{Steps, copy_tile};
use super::cpu::{BlockLoop, Compiled, compiled};
use super::map::Buffer;
use super::raw_slice::RawSlice;
use crate::dtype::{AnyTask, MulAdd, NumberKind};
use crate::plan::{Access, BLOCK_ELEMENTS, Loop, Plan, Tile};
use crate::pool;
use crate::sync_ptr::SyncPtr;
use crate::view::AnyView;
use crate::{DType, Element};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns whether the elements of two views are equal, index by index.
///
/// # Panics
/// If the shapes or the dtypes differ.
pub(crate) fn equal(a: &AnyView<'_>, b: &AnyView<'_>) -> bool {
    let dtype = a.dtype();
    assert_eq!(dtype, b.dtype(), "operands of one dtype");
    let size = dtype.size();
    let plan = Plan::elementwise([a.layout(), b.layout()], [size; 2]);
    let plan = plan.expect("operands of one shape");
    let (parts, n_parts) = parts_of(dtype);
    let job = EqualJob {
        memory: [a, b].map(|it| SyncPtr::new(it.ptr().as_ptr())),
        size,
        compare: parts.with_any(MakeComparison),
        n_parts,
        differs: AtomicBool::new(false),
    };
    let n = plan.n_pieces();
    // SAFETY: the plan was made from the layouts of the views, which are borrowed for reading while this runs.
    pool::run(n, &|i| unsafe { job.walk(&plan.piece(i, n)) });
    !job.differs.into_inner()
}

/// Returns the dtype whose elements are compared, and how many of them an element is: integers are equal if their bits
/// are, and complex numbers if both parts are.
const fn parts_of(dtype: DType) -> (DType, usize) {
    match dtype.kind() {
        NumberKind::Signed(_) => (dtype.bits(), 1),
        NumberKind::Complex(8) => (DType::Float32, 2),
        NumberKind::Complex(_) => (DType::Float64, 2),
        _ => (dtype, 1),
    }
}

/// Two blocks of contiguous elements, and whether they differ.
struct BlockPair<'a> {
    blocks: [*const u8; 2],
    len: usize,
    differs: &'a mut bool,
}

/// The loop over two blocks of elements of type `T`.
struct CompareBlocks<T>(PhantomData<T>);

impl<T: Element> BlockLoop for CompareBlocks<T> {
    type Args<'a> = BlockPair<'a>;

    /// # Safety
    /// Both blocks must be `len` readable elements of type `T`, aligned for it.
    #[inline(always)]
    unsafe fn run<M: MulAdd>(BlockPair { blocks: [a, b], len, differs }: BlockPair<'_>) {
        // SAFETY: forwarded: same contract as this function.
        let (a, b) =
            unsafe { (RawSlice::new(a.cast::<T>(), len), RawSlice::new(b.cast::<T>(), len)) };
        // Without an exit inside of the block, so that the loop is vectorized.
        *differs = a.iter().zip(b.iter()).fold(false, |any, (x, y)| any | (x.widen() != y.widen()));
    }
}

/// Returns the loop for a dtype.
struct MakeComparison;

impl AnyTask for MakeComparison {
    type Output = Compiled<CompareBlocks<u8>>;

    fn run<T: Element>(self) -> Self::Output {
        if const { parts_of(T::DTYPE).0 as u8 != T::DTYPE as u8 } {
            unreachable!("another dtype has the loop of this one");
        }
        compiled::<CompareBlocks<T>>()
    }
}

/// A comparison, shared by its threads.
struct EqualJob {
    /// The pointers that the offsets of each operand are relative to.
    memory: [SyncPtr<u8>; 2],
    /// The size of an element in bytes.
    size: usize,
    compare: Compiled<CompareBlocks<u8>>,
    /// How many elements of the loop's type an element is.
    n_parts: usize,
    /// Whether a difference was found.
    differs: AtomicBool,
}

/// A part of the two innermost loops: where it begins in both operands, the steps in bytes, and the numbers of rows and
/// columns.
struct PlaneTile {
    at: [*const u8; 2],
    steps: [Steps; 2],
    counts: [usize; 2],
    /// Which operands are packed.
    is_packed: [bool; 2],
    /// Whether all rows are one block; otherwise each row is one.
    is_one_block: bool,
}

impl EqualJob {
    /// Compares all elements of a plan, until a difference is found.
    ///
    /// # Safety
    /// The offsets of the plan must be readable elements of both operands.
    unsafe fn walk(&self, plan: &Plan<2>) {
        plan.nest().walk(&mut |at, [rows, cols]| {
            // SAFETY: the offsets begin a plane of the plan, whose elements are readable.
            unsafe {
                let size = self.size as isize;
                let at = [0, 1].map(|n| self.memory[n].get().cast_const().offset(at[n] * size));
                self.plane(rows, cols, plan.tile(), at);
            }
        });
    }

    /// Compares the elements of the two innermost loops.
    ///
    /// # Safety
    /// The loops must lead from `at` to readable elements of both operands.
    unsafe fn plane(&self, rows: &Loop<2>, cols: &Loop<2>, tile: Tile, at: [*const u8; 2]) {
        let size = self.size as isize;
        let steps =
            [0, 1].map(|n| Steps { rows: rows.steps[n] * size, cols: cols.steps[n] * size });
        let counts = [rows.len, cols.len];
        let is_packed = [0, 1].map(|n| {
            let steps = [rows.steps[n], cols.steps[n]];
            Access::from_steps(steps, counts) != Access::Contiguous
        });
        // Several short rows are one block, of operands that are packed or in which the rows are adjacent.
        let is_short = Access::has_short_rows(counts);
        let tile = match is_packed {
            _ if is_short => Tile { rows: BLOCK_ELEMENTS / cols.len, cols: cols.len },
            [false, false] => Tile { rows: 1, cols: BLOCK_ELEMENTS },
            _ => tile,
        };
        let is_one_block = is_short || is_packed == [true, true];
        let mut buffers = [Buffer::new(), Buffer::new()];
        for r in (0..rows.len).step_by(tile.rows) {
            for c in (0..cols.len).step_by(tile.cols) {
                if self.differs.load(Relaxed) {
                    return;
                }
                let counts = [tile.rows.min(rows.len - r), tile.cols.min(cols.len - c)];
                let (r, c) = (r as isize, c as isize);
                // SAFETY: the tile is inside of the plane, and has at most `BLOCK_ELEMENTS` elements. An operand that is
                // not packed has contiguous rows, and adjacent ones if they are short.
                unsafe {
                    let at = [0, 1].map(|n| at[n].offset(r * steps[n].rows + c * steps[n].cols));
                    let tile = PlaneTile { at, steps, counts, is_packed, is_one_block };
                    self.tile(&tile, &mut buffers);
                }
            }
        }
    }

    /// Compares a tile, as one block or row by row.
    ///
    /// # Safety
    /// - The steps must lead from `at` to readable elements of both operands, at most `BLOCK_ELEMENTS` of each.
    /// - The rows of an operand that is not packed must be contiguous, and adjacent if the tile is one block.
    unsafe fn tile(&self, tile: &PlaneTile, buffers: &mut [Buffer; 2]) {
        let [rows, cols] = tile.counts;
        let dense = Steps { rows: (cols * self.size) as isize, cols: self.size as isize };
        for n in (0..2).filter(|&n| tile.is_packed[n]) {
            let (at, steps) = (tile.at[n], tile.steps[n]);
            // SAFETY: a buffer has room for `BLOCK_ELEMENTS` elements of any dtype and is aligned for all of them; the
            // tile is readable, and no buffer is a part of it.
            unsafe { copy_tile(self.size, buffers[n].ptr(), dense, at, steps, tile.counts) };
        }
        let (n_blocks, len) = if tile.is_one_block { (1, rows * cols) } else { (rows, cols) };
        for r in 0..n_blocks {
            // SAFETY: rows of a buffer are adjacent; the others are where the steps lead to. Both have `len` contiguous
            // elements there.
            unsafe {
                let blocks = [0, 1].map(|n| match tile.is_packed[n] {
                    true => buffers[n].as_ptr().add(r * len * self.size),
                    false => tile.at[n].offset(r as isize * tile.steps[n].rows),
                });
                self.compare(blocks, len);
            }
        }
    }

    /// Compares two blocks.
    ///
    /// # Safety
    /// Both must be `len` contiguous readable elements, aligned for their dtype.
    unsafe fn compare(&self, blocks: [*const u8; 2], len: usize) {
        let mut differs = false;
        let pair = BlockPair { blocks, len: len * self.n_parts, differs: &mut differs };
        // SAFETY: forwarded; an element is `n_parts` elements of the loop's type, whose alignment is not greater.
        unsafe { (self.compare)(pair) };
        if differs {
            self.differs.store(true, Relaxed);
        }
    }
}
