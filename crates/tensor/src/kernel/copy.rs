//! Elements from one arrangement to another: copies, packing and filling.
//!
//! A copy does not care what its elements mean, only how many bytes they have; so there are five
//! kinds of it. The unit of work is a tile of the two innermost loops: rows that are blocks on both
//! sides go by `memcpy`, a tile that runs along the rows on one side and along the columns on the
//! other is transposed in small squares, and everything else is a loop with two strides.

use super::cache::{STREAMED, short};
use super::relay::Relayed;
use super::step::row_of;
use super::transpose::transpose;
use crate::plan::{Loop, Plan, Tile};
use crate::pool;
use crate::view::{AnyView, AnyViewMut, Written};

/// Bytes that no cache holds. Rows that are rows on both sides are written past it only if they are as many:
/// whoever reads them next finds them there, and rows with gaps need no buffer.
const BEYOND: usize = 32 << 20;

/// Steps along the rows and along the columns of a tile, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub rows: isize,
    pub cols: isize,
}

/// Copies elements of the same type between views of one shape.
///
/// The types and shapes must have been compared; if they differ, this panics.
pub(crate) fn copy<'x>(out: AnyViewMut<'x>, source: &AnyView<'_>) -> Written<'x> {
    assert_eq!(out.dtype(), source.dtype(), "a copy does not convert");
    let size = out.dtype().size();
    let plan = Plan::elementwise([out.layout(), source.layout()], [size, size])
        .expect("a copy is between views of one shape");
    if plan.is_empty() {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let job = Job { size, out: out.ptr().as_ptr(), source: source.ptr().as_ptr() };
    if let Some(relayed) = job.relayed(&plan) {
        let n = relayed.n_pieces(pool::num_threads());
        // SAFETY: as below; the sheets of a plan share no element of the output.
        pool::run(n, &|i| unsafe { relayed.run(relayed.piece(i, n)) });
        // SAFETY: all elements have just been written.
        return unsafe { out.written() };
    }
    let n = plan.n_pieces(pool::num_threads());
    if n <= 1 {
        // SAFETY: the plan was made from the layouts of the two views, one for writing and one for
        // reading, which are borrowed while this runs.
        unsafe { job.walk(&plan) };
    } else {
        // SAFETY: as above; the pieces of a plan share no element of the output.
        pool::run(n, &|i| unsafe { job.walk(&plan.piece(i, n)) });
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// The memory of a copy, for several threads.
struct Job {
    size: usize,
    out: *mut u8,
    source: *const u8,
}

// SAFETY: `copy` gives the job to threads that work on pieces of the output which share no element,
// while it holds the borrows of both views.
unsafe impl Sync for Job {}

impl Job {
    /// The copy in sheets, if it is large enough for that.
    fn relayed(&self, plan: &Plan<2>) -> Option<Relayed> {
        let bytes = plan.len() * self.size;
        if bytes < STREAMED {
            return None;
        }
        let relay = plan.relay(self.size)?;
        let is_worth_it = !relay.is_along() || bytes >= BEYOND;
        is_worth_it.then(|| Relayed::new(self.size, self.out, self.source, relay))
    }

    /// # Safety
    /// The offsets of the plan must be elements of the two sides, of `size` bytes, writable and
    /// readable, and the two must share none.
    unsafe fn walk(&self, plan: &Plan<2>) {
        let [out, source] = plan.starts().map(|start| start * self.size);
        // SAFETY: the starts are offsets of the plan.
        unsafe { self.nest(plan.loops(), plan.tile(), self.out.add(out), self.source.add(source)) }
    }

    /// # Safety
    /// That of `walk`, for loops that begin at the two pointers.
    unsafe fn nest(&self, loops: &[Loop<2>], tile: Tile, out: *mut u8, source: *const u8) {
        let once = Loop { len: 1, steps: [0, 0] };
        match loops {
            // SAFETY: one or two loops, or a single element, are a plane of the caller's.
            [] => unsafe { self.plane(once, once, tile, out, source) },
            // SAFETY: as above.
            [cols] => unsafe { self.plane(once, *cols, tile, out, source) },
            // SAFETY: as above.
            [rows, cols] => unsafe { self.plane(*rows, *cols, tile, out, source) },
            [first, rest @ ..] => {
                let [step_out, step_source] = self.bytes(first);
                for i in 0..first.len as isize {
                    // SAFETY: each turn of the outer loop begins a nest of the caller's.
                    unsafe {
                        let (out, source) =
                            (out.offset(i * step_out), source.offset(i * step_source));
                        self.nest(rest, tile, out, source);
                    }
                }
            }
        }
    }

    /// # Safety
    /// That of `walk`, for two loops that begin at the two pointers.
    unsafe fn plane(
        &self,
        rows: Loop<2>,
        cols: Loop<2>,
        tile: Tile,
        out: *mut u8,
        source: *const u8,
    ) {
        let ([out_row, source_row], [out_col, source_col]) = (self.bytes(&rows), self.bytes(&cols));
        let (to, from) =
            (Steps { rows: out_row, cols: out_col }, Steps { rows: source_row, cols: source_col });
        let is_crossed = from.rows.unsigned_abs() < from.cols.unsigned_abs() && from.rows != 0;
        if !is_crossed {
            // SAFETY: the whole plane is a tile of the caller's.
            return unsafe { copy_tile(self.size, out, to, source, from, [rows.len, cols.len]) };
        }
        for r in (0..rows.len).step_by(tile.rows) {
            for c in (0..cols.len).step_by(tile.cols) {
                let counts = [tile.rows.min(rows.len - r), tile.cols.min(cols.len - c)];
                let (r, c) = (r as isize, c as isize);
                // SAFETY: the tile lies inside of the two loops.
                unsafe {
                    let out = out.offset(r * to.rows + c * to.cols);
                    let source = source.offset(r * from.rows + c * from.cols);
                    copy_tile(self.size, out, to, source, from, counts);
                }
            }
        }
    }

    fn bytes(&self, it: &Loop<2>) -> [isize; 2] {
        it.steps.map(|step| step * self.size as isize)
    }
}

/// Copies a tile of elements of `size` bytes.
///
/// # Safety
/// All `counts[0] × counts[1]` places that the steps lead to must be elements of `size` bytes,
/// aligned as such elements are (sixteen bytes: to eight), writable on one side and readable on the
/// other, and the two sides must share no byte.
pub(super) unsafe fn copy_tile(
    size: usize,
    out: *mut u8,
    to: Steps,
    source: *const u8,
    from: Steps,
    counts: [usize; 2],
) {
    // SAFETY: the caller's promises, for the integer type of that size.
    unsafe {
        match size {
            1 => tile_of::<u8>(out.cast(), to, source.cast(), from, counts),
            2 => tile_of::<u16>(out.cast(), to, source.cast(), from, counts),
            4 => tile_of::<u32>(out.cast(), to, source.cast(), from, counts),
            8 => match out.addr() | source.addr() {
                // Two floats of four bytes are a complex number, which is aligned to four.
                it if it.is_multiple_of(8) => {
                    tile_of::<u64>(out.cast(), to, source.cast(), from, counts)
                }
                _ => tile_of::<[u32; 2]>(out.cast(), to, source.cast(), from, counts),
            },
            16 => tile_of::<[u64; 2]>(out.cast(), to, source.cast(), from, counts),
            _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
        }
    }
}

/// # Safety
/// That of `copy_tile`, for elements of type `E`.
unsafe fn tile_of<E: Copy>(
    out: *mut E,
    to: Steps,
    source: *const E,
    from: Steps,
    [rows, cols]: [usize; 2],
) {
    if cols == 0 {
        // A row that is filled with one element would read it before it is asked how long it is.
        return;
    }
    let size = size_of::<E>() as isize;
    let is_run = |steps: Steps| steps.cols == size;
    // SAFETY: the caller's promises, for each way.
    unsafe {
        if is_run(to) && is_run(from) {
            if to.rows == from.rows && to.rows == cols as isize * size {
                return out.copy_from_nonoverlapping(source, rows * cols);
            }
            each_row(out, to, source, from, rows, |out, source| copy_row(out, source, cols));
        } else if is_run(to) && from.cols == 0 && cols > 0 {
            each_row(out, to, source, from, rows, |out, source| fill_row(out, source.read(), cols));
        } else if is_run(to) && from.rows == size && rows > 1 {
            transpose(out, to.rows, source, from.cols, [rows, cols]);
        } else if let Some(row) = row_of(from.cols, cols).filter(|_| is_run(to)) {
            each_row(out, to, source, from, rows, |out, source| row((out, source, cols)));
        } else {
            each_row(out, to, source, from, rows, |out, source| {
                strided_row(out, to.cols, source, from.cols, cols)
            });
        }
    }
}

/// # Safety
/// The first places of all rows must lie in memory of the two sides.
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
        // SAFETY: the caller's promise.
        unsafe { row(out.byte_offset(r * to.rows), source.byte_offset(r * from.rows)) };
    }
}

/// # Safety
/// That of `copy_tile` for one row that is a block on both sides.
#[inline(always)]
pub(super) unsafe fn copy_row<E: Copy>(out: *mut E, source: *const E, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { short(out.cast(), source.cast(), len * size_of::<E>()) };
}

/// # Safety
/// The output must be a block of `len` elements.
#[inline(always)]
unsafe fn fill_row<E: Copy>(out: *mut E, value: E, len: usize) {
    for i in 0..len {
        // SAFETY: the caller's promise.
        unsafe { out.add(i).write(value) };
    }
}

/// # Safety
/// That of `copy_tile` for one row.
#[inline(always)]
unsafe fn strided_row<E: Copy>(out: *mut E, to: isize, source: *const E, from: isize, len: usize) {
    if to == size_of::<E>() as isize {
        for i in 0..len {
            // SAFETY: the caller's promise.
            unsafe { out.add(i).write(source.byte_offset(i as isize * from).read()) };
        }
    } else {
        for i in 0..len as isize {
            // SAFETY: the caller's promise.
            unsafe { out.byte_offset(i * to).write(source.byte_offset(i * from).read()) };
        }
    }
}
