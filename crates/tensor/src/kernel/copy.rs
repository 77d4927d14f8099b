//! Copies between any two layouts: packing, unpacking and filling.
//!
//! A copy depends on the size of its elements, not on their type, so there are five kinds of it. The unit of
//! work is a tile of the two innermost loops: rows that are contiguous on both sides go by `memcpy`, a tile
//! that is contiguous along the rows on one side and along the columns on the other is transposed in
//! registers, and everything else is a loop with two strides.

use super::staged_copy::StagedCopy;
use super::streaming_store::{STREAMING_MIN_BYTES, copy_bytes};
use super::strided_copy::strided_row_copy;
use super::transpose::transpose;
use crate::plan::{Loop, Plan, Tile};
use crate::pool;
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, Written};

/// Bytes that no cache holds. Copies without a transpose use streaming stores only from this size on: the
/// output of a smaller one is still in the cache when it is read next, and strided rows need no buffer.
const UNCACHED_BYTES: usize = 32 << 20;

/// Steps along the rows and along the columns of a tile, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub rows: isize,
    pub cols: isize,
}

/// Copies elements of the same type between views of one shape.
///
/// # Panics
/// If the types or shapes differ: the caller has compared them.
pub(crate) fn copy<'x>(out: AnyViewMut<'x>, source: &AnyView<'_>) -> Written<'x> {
    assert_eq!(out.dtype(), source.dtype(), "a copy does not convert");
    let size = out.dtype().size();
    let plan = Plan::elementwise([out.layout(), source.layout()], [size, size])
        .expect("a copy is between views of one shape");
    if !plan.is_empty() {
        let job = CopyJob {
            size,
            out: SyncPtr::new(out.ptr().as_ptr()),
            source: SyncPtr::new(source.ptr().as_ptr()),
        };
        // SAFETY: the plan was made from the layouts of the two views, one for writing and one for reading,
        // which are borrowed while this runs and share no element.
        unsafe { job.run(&plan) };
    }
    // SAFETY: every element has just been written, if there are any.
    unsafe { out.written() }
}

/// The memory of a copy, shared by several threads.
struct CopyJob {
    size: usize,
    /// Offset 0 of both sides.
    out: SyncPtr<u8>,
    source: SyncPtr<u8>,
}

impl CopyJob {
    /// Runs the copy, on several threads if it is large enough.
    ///
    /// # Safety
    /// The offsets of the plan must be elements of `size` bytes: those of operand 0 writable at `out`, those
    /// of operand 1 readable at `source`. The two sides must share no element, and no other thread may access
    /// the output.
    unsafe fn run(&self, plan: &Plan<2>) {
        if let Some(staged) = self.staged(plan) {
            let n = staged.n_pieces();
            // SAFETY: the caller's contract, for a part of the plan; tiles share no element of the output.
            pool::run(n, &|i| unsafe { staged.run(staged.piece(i, n)) });
        } else {
            let n = plan.n_pieces();
            // SAFETY: the caller's contract, for a part of the plan; pieces share no element of the output.
            pool::run(n, &|i| unsafe { self.run_piece(&plan.piece(i, n)) });
        }
    }

    /// Returns the copy in staged tiles, if it is large enough for that.
    fn staged(&self, plan: &Plan<2>) -> Option<StagedCopy> {
        let bytes = plan.len() * self.size;
        if bytes < STREAMING_MIN_BYTES {
            return None;
        }
        let tiles = plan.tiled_copy(self.size)?;
        let is_worth_it = !tiles.is_along_rows() || bytes >= UNCACHED_BYTES;
        is_worth_it.then(|| StagedCopy::new(self.size, self.out.get(), self.source.get(), tiles))
    }

    /// # Safety
    /// Forwarded: same contract as `run`.
    unsafe fn run_piece(&self, plan: &Plan<2>) {
        let size = self.size as isize;
        plan.nest().walk(&mut |[out, source], [rows, cols]| {
            // SAFETY: both offsets begin a plane of the plan, whose elements the caller's contract covers.
            unsafe {
                let (out, source) =
                    (self.out.get().offset(out * size), self.source.get().offset(source * size));
                self.copy_plane(rows, cols, plan.tile(), out, source);
            }
        });
    }

    /// # Safety
    /// The contract of `run`, for two loops that begin at the two pointers.
    unsafe fn copy_plane(
        &self,
        rows: &Loop<2>,
        cols: &Loop<2>,
        tile: Tile,
        out: *mut u8,
        source: *const u8,
    ) {
        let bytes = |it: &Loop<2>, n: usize| it.steps[n] * self.size as isize;
        let [to, from] = [0, 1].map(|n| Steps { rows: bytes(rows, n), cols: bytes(cols, n) });
        let is_transposed = from.rows.unsigned_abs() < from.cols.unsigned_abs() && from.rows != 0;
        let tile = if is_transposed { tile } else { Tile { rows: rows.len, cols: cols.len } };
        for r in (0..rows.len).step_by(tile.rows) {
            for c in (0..cols.len).step_by(tile.cols) {
                let counts = [tile.rows.min(rows.len - r), tile.cols.min(cols.len - c)];
                let (r, c) = (r as isize, c as isize);
                // SAFETY: the tile is inside the two loops.
                unsafe {
                    let out = out.offset(r * to.rows + c * to.cols);
                    let source = source.offset(r * from.rows + c * from.cols);
                    copy_tile(self.size, out, to, source, from, counts);
                }
            }
        }
    }
}

/// Copies a tile of elements of `size` bytes.
///
/// # Safety
/// - All `counts[0] × counts[1]` addresses that the steps lead to must be elements of `size` bytes, aligned
///   as elements of that size are (16 bytes: to 8; 8 bytes: to 4);
/// - those of `out` must be writable and those of `source` readable;
/// - the two sides must share no byte.
pub(super) unsafe fn copy_tile(
    size: usize,
    out: *mut u8,
    to: Steps,
    source: *const u8,
    from: Steps,
    counts: [usize; 2],
) {
    // SAFETY: forwarded: same contract as this function, for an integer type of that size and alignment.
    unsafe {
        match size {
            1 => copy_tile_of::<u8>(out.cast(), to, source.cast(), from, counts),
            2 => copy_tile_of::<u16>(out.cast(), to, source.cast(), from, counts),
            4 => copy_tile_of::<u32>(out.cast(), to, source.cast(), from, counts),
            8 => match out.addr() | source.addr() {
                // A complex number of two floats of four bytes is aligned to four.
                it if it.is_multiple_of(8) => {
                    copy_tile_of::<u64>(out.cast(), to, source.cast(), from, counts)
                }
                _ => copy_tile_of::<[u32; 2]>(out.cast(), to, source.cast(), from, counts),
            },
            16 => copy_tile_of::<[u64; 2]>(out.cast(), to, source.cast(), from, counts),
            _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
        }
    }
}

/// # Safety
/// The contract of `copy_tile`, for elements of type `E`.
unsafe fn copy_tile_of<E: Copy>(
    out: *mut E,
    to: Steps,
    source: *const E,
    from: Steps,
    [rows, cols]: [usize; 2],
) {
    if cols == 0 {
        // A broadcast row would read its element before its length is known.
        return;
    }
    let size = size_of::<E>() as isize;
    let is_contiguous = |steps: Steps| steps.cols == size;
    // SAFETY: the caller's contract, for each kind of tile.
    unsafe {
        if is_contiguous(to) && is_contiguous(from) {
            if to.rows == from.rows && to.rows == cols as isize * size {
                return out.copy_from_nonoverlapping(source, rows * cols);
            }
            each_row(out, to, source, from, rows, |out, source| copy_row(out, source, cols));
        } else if is_contiguous(to) && from.cols == 0 {
            if to.rows == cols as isize * size {
                match cols {
                    2 => return repeat_each::<E, 2>(out, source, from.rows, rows),
                    3 => return repeat_each::<E, 3>(out, source, from.rows, rows),
                    4 => return repeat_each::<E, 4>(out, source, from.rows, rows),
                    _ => {}
                }
            }
            each_row(out, to, source, from, rows, |out, source| fill_row(out, source.read(), cols));
        } else if is_contiguous(to) && from.rows == size && rows > 1 {
            transpose(out, to.rows, source, from.cols, [rows, cols]);
        } else if to.rows == size && is_contiguous(from) && cols > 1 {
            transpose(out, to.cols, source, from.rows, [cols, rows]);
        } else if let Some(row) = strided_row_copy(from.cols, cols).filter(|_| is_contiguous(to)) {
            each_row(out, to, source, from, rows, |out, source| row((out, source, cols)));
        } else {
            each_row(out, to, source, from, rows, |out, source| {
                copy_strided_row(out, to.cols, source, from.cols, cols)
            });
        }
    }
}

/// # Safety
/// The first elements of all rows must be inside the allocations of the two sides.
#[inline(always)]
unsafe fn each_row<E>(
    out: *mut E,
    to: Steps,
    source: *const E,
    from: Steps,
    rows: usize,
    mut row: impl FnMut(*mut E, *const E),
) {
    for r in 0..rows as isize {
        // SAFETY: forwarded: same contract as this function, for one of the rows.
        unsafe { row(out.byte_offset(r * to.rows), source.byte_offset(r * from.rows)) };
    }
}

/// # Safety
/// The contract of `copy_tile` for one row that is contiguous on both sides.
#[inline(always)]
pub(super) unsafe fn copy_row<E: Copy>(out: *mut E, source: *const E, len: usize) {
    // SAFETY: forwarded: same contract as this function, in bytes.
    unsafe { copy_bytes(out.cast(), source.cast(), len * size_of::<E>()) };
}

/// # Safety
/// The output must be `len` contiguous writable elements.
#[inline(always)]
unsafe fn fill_row<E: Copy>(out: *mut E, value: E, len: usize) {
    for i in 0..len {
        // SAFETY: element `i` is one of the `len` writable ones.
        unsafe { out.add(i).write(value) };
    }
}

/// Writes each of `len` elements `N` times: rows of constant length are vectors.
///
/// # Safety
/// The output must be `N * len` contiguous writable elements, and the source `len` readable ones, `from` bytes apart.
unsafe fn repeat_each<E: Copy, const N: usize>(
    out: *mut E,
    source: *const E,
    from: isize,
    len: usize,
) {
    let repeat = |from: isize| {
        for i in 0..len {
            // SAFETY: the contract, for element `i`; an array is as aligned as its elements.
            unsafe {
                let value = source.byte_offset(i as isize * from).read();
                out.cast::<[E; N]>().add(i).write([value; N]);
            }
        }
    };
    // As in `copy_strided_row`.
    let size = size_of::<E>() as isize;
    if from == size { repeat(size) } else { repeat(from) }
}

/// # Safety
/// The contract of `copy_tile` for one row.
#[inline(always)]
unsafe fn copy_strided_row<E: Copy>(
    out: *mut E,
    to: isize,
    source: *const E,
    from: isize,
    len: usize,
) {
    let copy = |to: isize| {
        for i in 0..len as isize {
            // SAFETY: element `i` of the row is readable in the source and writable in the output.
            unsafe { out.byte_offset(i * to).write(source.byte_offset(i * from).read()) };
        }
    };
    // With a constant step the compiler addresses the output directly.
    let size = size_of::<E>() as isize;
    if to == size { copy(size) } else { copy(to) }
}
