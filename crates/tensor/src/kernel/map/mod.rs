//! Elementwise loops: calls a body over operands of any strides and dtypes.
//!
//! The plan's two innermost loops are a plane. If every operand is contiguous or broadcast along the innermost
//! loop, the body is called for each row of the plane. Otherwise the plane is divided into tiles, and operands
//! that are strided or of another dtype are packed into buffers, tile by tile; or, in large planes with a
//! transposed input, strip by strip (`strips.rs`). See the README of `kernel/` for an example.

mod strips;

use crate::arrays::array_of;
use crate::kernel::body::{Body, BroadcastMask};
use crate::kernel::cast::cast;
use crate::kernel::copy::{Steps, copy_tile};
use crate::plan::{Access, BLOCK_ELEMENTS, CACHE_LINE_BYTES, Loop, Plan, Tile};
use crate::pool;
use crate::view::{AnyViewMut, Source, Written};
use std::mem::MaybeUninit;
use std::slice;

/// Columns of a tile with inputs whose elements are not contiguous along the rows: few enough that the cache lines
/// which several such inputs are packed from stay in the L1 cache together with the buffers, and that out-of-order
/// execution overlaps the reads of the next tile with the body.
const STRIDED_TILE_COLS: usize = 256;

/// The bytes of these cache lines. Inputs that use more than one element of a line have longer tiles, with fewer calls.
const STRIDED_TILE_BYTES: usize = CACHE_LINE_BYTES * STRIDED_TILE_COLS;

/// The same for a plane in the L2 cache, from which lines come without prefetching: longer tiles have fewer calls.
const CACHED_TILE_COLS: usize = 512;

/// Inputs with gaps of less than a cache line, each of which is a stream for the hardware prefetcher. From this number on,
/// planes outside of the L2 cache have tiles of [`STREAM_TILE_BYTES`] of each: out-of-order execution then reads several streams
/// at a time, where longer tiles read one after another (1024² sums of four products of every second element: 0.70 ms, with
/// tiles of 4 KiB 1.4 ms).
const MIN_STREAMS: usize = 3;
const STREAM_TILE_BYTES: usize = 1024;

/// Bytes between the first and the last element of all operands of such a plane together.
const CACHED_PLANE_BYTES: usize = 1 << 20;

/// The bytes of a tile with a shifted input, if all operands are contiguous: half of a buffer, and of the L1 cache together
/// with the output.
const SHIFTED_TILE_BYTES: usize = 8 * BLOCK_ELEMENTS;

/// Calls a body for every element of the inputs and writes the results to the output. Dtypes may differ from the
/// body's: elements are cast while they are packed.
///
/// # Panics
/// If the shapes differ, or there is not one input for each of the body's.
pub(crate) fn map<'x, const N: usize>(
    body: &Body<'_, N>,
    mut out: AnyViewMut<'x>,
    inputs: &[Source<'_>],
) -> Written<'x> {
    map_to_outputs(body, slice::from_mut(&mut out), inputs);
    // SAFETY: every element has just been written.
    unsafe { out.written() }
}

/// Like [`map`], for any number of outputs: writes every element of each.
///
/// # Panics
/// If the shapes differ, or there is not one input and one output for each of the body's.
pub(crate) fn map_to_outputs<const N: usize>(
    body: &Body<'_, N>,
    outs: &mut [AnyViewMut<'_>],
    inputs: &[Source<'_>],
) {
    let n_outputs = body.n_outputs();
    assert_eq!((outs.len(), n_outputs + inputs.len()), (n_outputs, N), "the operands of the body");
    let output = |n: usize| (outs[n].layout(), outs[n].ptr().as_ptr(), outs[n].dtype());
    let input = |n: usize| match &inputs[n] {
        Source::View(view) => (view.layout(), view.ptr().as_ptr(), view.dtype()),
        Source::Output(n) => output(*n),
        Source::Shifted(shift) => {
            let (layout, _, dtype) = output(shift.output());
            (layout, shift.ptr(), dtype)
        }
    };
    let shift = inputs.iter().find_map(|source| match source {
        Source::Shifted(shift) => Some(*shift),
        _ => None,
    });
    let operands: [_; N] =
        array_of(|n| if n < n_outputs { output(n) } else { input(n - n_outputs) });
    let sizes = operands.map(|(_, _, dtype)| dtype.size());
    let layouts = operands.map(|(layout, _, _)| layout);
    let plan = match shift {
        None => Plan::elementwise(layouts, sizes),
        Some(shift) => Plan::by_address_of(shift.output(), layouts, shift.is_backwards()),
    };
    let plan = plan.expect("all operands have one shape");
    if plan.is_empty() {
        return;
    }
    let types = body.types();
    let convert = |n: usize| match (operands[n].2, types[n]) {
        (memory, computed) if memory == computed => None,
        (memory, computed) if n < n_outputs => Some(cast(computed, memory)),
        (memory, computed) => Some(cast(memory, computed)),
    };
    let job = MapJob {
        body,
        memory: operands.map(|(_, ptr, _)| ptr),
        sizes,
        body_sizes: types.map(|dtype| dtype.size()),
        convert: array_of(convert),
        is_shifted: array_of(|n| {
            n >= n_outputs && matches!(inputs[n - n_outputs], Source::Shifted(_))
        }),
    };
    // With a shift, one thread would overwrite what another has yet to read.
    let n = if shift.is_some() { 1 } else { plan.n_pieces() };
    if n <= 1 {
        // SAFETY: the plan was made from the layouts of the views, which are borrowed while this
        // runs; outputs are borrowed exclusively, so they share no element; an input is an output itself, or
        // shares no element with any, or is shifted (`Source`), and the plan then visits elements in the
        // order that the shift requires.
        unsafe { job.walk(&plan) };
    } else {
        // SAFETY: as for one piece; pieces share no element of an output.
        pool::run(n, &|i| unsafe { job.walk(&plan.piece(i, n)) });
    }
}

/// The arguments of a map, shared by its threads.
struct MapJob<'b, 'f, const N: usize> {
    body: &'b Body<'f, N>,
    /// The pointers that the offsets of each operand are relative to.
    memory: [*mut u8; N],
    /// The sizes of elements in memory, in bytes.
    sizes: [usize; N],
    /// The sizes of elements of the body's dtypes, in bytes.
    body_sizes: [usize; N],
    /// The cast of an input to the body's dtype, or of a result to the output's dtype, if they differ.
    convert: [Option<Body<'static, 2>>; N],
    /// Whether an input is shifted against an output. It is packed then: all of a tile is read before any of
    /// it is written.
    is_shifted: [bool; N],
}

// SAFETY: `map_to_outputs` shares the job between threads that write to pieces of the outputs which have no element in
// common, while it holds the borrows of all views.
unsafe impl<const N: usize> Sync for MapJob<'_, '_, N> {}

/// The two innermost loops of a plan: where they begin, their lengths and steps in bytes, and the access to each
/// operand.
struct Plane<const N: usize> {
    at: [*mut u8; N],
    counts: [usize; 2],
    steps: [Steps; N],
    access: [Access; N],
    /// Whether the columns are visited from the last to the first, tile by tile. The steps lead forwards, and the elements of
    /// a tile are visited in any order: with a shift, all of it is read before any of it is written.
    is_reversed: bool,
}

impl<const N: usize> MapJob<'_, '_, N> {
    /// Calls the body for all elements of a plan.
    ///
    /// # Safety
    /// - The offsets of the plan must be elements of the operands, writable for outputs and readable for inputs.
    /// - Outputs must share no element with each other.
    /// - An input must be an output itself, or share no element with any, or be shifted; if one is shifted, the
    ///   plan must visit elements in such an order that none is written before it is read.
    unsafe fn walk(&self, plan: &Plan<N>) {
        plan.nest().walk(&mut |at, [rows, cols]| {
            // SAFETY: the offsets begin a plane of the plan, which the contract of this function covers.
            unsafe {
                let at = array_of(|n| self.memory[n].offset(at[n] * self.sizes[n] as isize));
                self.plane(rows, cols, plan.tile(), at);
            }
        });
    }

    /// Calls the body for all elements of a plane.
    ///
    /// # Safety
    /// That of `walk`, for two loops that begin at the pointers.
    unsafe fn plane(&self, rows: &Loop<N>, cols: &Loop<N>, tile: Tile, at: [*mut u8; N]) {
        let has_shift = self.is_shifted.contains(&true);
        let is_reversed = has_shift && cols.steps[0] < 0;
        let cols = &match is_reversed {
            true => Loop { steps: cols.steps.map(|step| -step), ..*cols },
            false => *cols,
        };
        let (row_steps, col_steps) = (self.bytes(rows), self.bytes(cols));
        let steps = array_of(|n| Steps { rows: row_steps[n], cols: col_steps[n] });
        let counts = [rows.len, cols.len];
        let is_short = Access::has_short_rows(counts);
        let access = array_of(|n| self.access(n, [rows.steps[n], cols.steps[n]], counts));
        let plane = Plane { at, counts, steps, access, is_reversed };
        if is_short {
            let tile = Tile { rows: (BLOCK_ELEMENTS / cols.len).max(1), cols: cols.len };
            // SAFETY: forwarded, and with short rows every operand is packed, or contiguous or broadcast over
            // a whole tile (`Access::from_steps`).
            unsafe { self.packed(&plane, tile, true) }
        } else if access.contains(&Access::Packed) {
            let inputs = self.body.n_outputs()..N;
            let is_strided = inputs.clone().any(|n| steps[n].cols.unsigned_abs() > self.sizes[n]);
            let col_bytes =
                col_steps.iter().fold(0, |sum: usize, it| sum.saturating_add(it.unsigned_abs()));
            let n_elements = rows.len.saturating_mul(cols.len);
            let is_cached = n_elements.saturating_mul(col_bytes) <= CACHED_PLANE_BYTES;
            let is_stream = |&n: &usize| {
                (self.sizes[n] + 1..=CACHE_LINE_BYTES).contains(&steps[n].cols.unsigned_abs())
            };
            let line_bytes = |n: usize| steps[n].cols.unsigned_abs().min(CACHE_LINE_BYTES);
            let strided_cols = match is_cached {
                false if inputs.clone().filter(is_stream).count() >= MIN_STREAMS => {
                    STREAM_TILE_BYTES / inputs.map(line_bytes).max().unwrap_or(1).max(1)
                }
                _ => {
                    let min_cols = if is_cached { CACHED_TILE_COLS } else { STRIDED_TILE_COLS };
                    let strided_bytes: usize = inputs.map(line_bytes).sum();
                    (STRIDED_TILE_BYTES / strided_bytes.max(1)).max(min_cols)
                }
            };
            let tile = match is_strided && tile.cols > strided_cols {
                // One row, because a shift requires that elements are visited in order.
                true => Tile { rows: 1, cols: strided_cols },
                false if has_shift && !is_strided && self.convert.iter().all(Option::is_none) => {
                    Tile { rows: 1, cols: self.shifted_tile_cols() }
                }
                false => tile,
            };
            // SAFETY: forwarded: same contract as this function.
            unsafe {
                if !self.strips(&plane) {
                    self.packed(&plane, tile, false);
                }
            }
        } else {
            // SAFETY: forwarded, and no operand is packed.
            unsafe { self.rows(&plane) }
        }
    }

    /// Returns the access to the rows of an operand; if they are short, to several rows at once.
    fn access(&self, n: usize, steps: [isize; 2], counts: [usize; 2]) -> Access {
        if self.convert[n].is_some() || self.is_shifted[n] {
            return Access::Packed;
        }
        match Access::from_steps(steps, counts) {
            Access::Broadcast if n < self.body.n_outputs() || !self.body.takes_broadcast() => {
                Access::Packed
            }
            access => access,
        }
    }

    /// Calls the body for each row of a plane.
    ///
    /// # Safety
    /// That of `walk`; no operand is packed.
    unsafe fn rows(&self, plane: &Plane<N>) {
        let (broadcast, row_steps) = (broadcast_mask(&plane.access), plane.steps.map(|it| it.rows));
        // SAFETY: each row is inside of the plane; its operands are contiguous elements of the body's dtypes, or one
        // element where `access` is `Broadcast`.
        unsafe { self.body.call_rows(plane.at, plane.counts, row_steps, broadcast) };
    }

    /// Calls the body for each tile of a plane, or for each row of each tile.
    ///
    /// # Safety
    /// That of `walk`. If `whole`, operands that are not packed must be contiguous or broadcast over a whole
    /// tile.
    #[inline(never)]
    unsafe fn packed(&self, plane: &Plane<N>, tile: Tile, whole: bool) {
        let mut buffers = [const { Buffer::new() }; N];
        let mut scratch = Buffer::new();
        let [rows, cols] = plane.counts;
        for r in (0..rows).step_by(tile.rows) {
            for c in (0..cols).step_by(tile.cols) {
                let counts = [tile.rows.min(rows - r), tile.cols.min(cols - c)];
                let first_col = match plane.is_reversed {
                    true => -((c + counts[1] - 1) as isize),
                    false => c as isize,
                };
                let (r, c) = (r as isize, first_col);
                // SAFETY: the tile is inside of the plane, and fits in a buffer.
                unsafe {
                    let at = array_of(|n| {
                        let Steps { rows, cols } = plane.steps[n];
                        plane.at[n].offset(r * rows + c * cols)
                    });
                    self.tile(plane, at, counts, &mut buffers, &mut scratch, whole);
                }
            }
        }
    }

    /// Packs the inputs of a tile, calls the body, and unpacks the outputs.
    ///
    /// The tile is no `Plane` of its own: reading what has just been written to one would wait for the stores.
    ///
    /// # Safety
    /// That of `packed`, for a part of the plane that begins at `at` and fits in a buffer.
    #[inline(always)]
    unsafe fn tile(
        &self,
        plane: &Plane<N>,
        at: [*mut u8; N],
        [rows, cols]: [usize; 2],
        buffers: &mut [Buffer; N],
        scratch: &mut Buffer,
        whole: bool,
    ) {
        let n_outputs = self.body.n_outputs();
        for (n, buffer) in buffers.iter_mut().enumerate().skip(n_outputs) {
            if plane.access[n] == Access::Packed {
                // SAFETY: the tile is readable, and fits in a buffer.
                unsafe {
                    self.pack(n, at[n], plane.steps[n], [rows, cols], buffer.ptr(), scratch);
                }
            }
        }
        let broadcast = broadcast_mask(&plane.access);
        let counts = if whole { [1, rows * cols] } else { [rows, cols] };
        let is_packed = |n: usize| plane.access[n] == Access::Packed;
        let blocks = array_of(|n| if is_packed(n) { buffers[n].ptr() } else { at[n] });
        let row_steps = array_of(|n| match is_packed(n) {
            true => (cols * self.body_sizes[n]) as isize,
            false => plane.steps[n].rows,
        });
        // SAFETY: rows of a buffer are contiguous; the others are where the steps lead to. All have `counts[1]` elements of
        // the body's dtypes, or one if they are broadcast.
        unsafe { self.body.call_rows(blocks, counts, row_steps, broadcast) };
        for (n, buffer) in buffers.iter_mut().enumerate().take(n_outputs) {
            if plane.access[n] == Access::Packed {
                // SAFETY: the body has written the buffer, and the tile is writable.
                unsafe {
                    self.unpack(n, at[n], plane.steps[n], [rows, cols], buffer.ptr(), scratch);
                }
            }
        }
    }

    /// Packs a tile of an input into a buffer, cast to the body's dtype.
    ///
    /// # Safety
    /// The tile must be readable and fit in a buffer; if it is cast, it must have at most `BLOCK_ELEMENTS` elements.
    #[inline(always)]
    unsafe fn pack(
        &self,
        n: usize,
        at: *mut u8,
        steps: Steps,
        [rows, cols]: [usize; 2],
        buffer: *mut u8,
        scratch: &mut Buffer,
    ) {
        let size = self.sizes[n];
        let dense = |size: usize| Steps { rows: (cols * size) as isize, cols: size as isize };
        // SAFETY: the buffers have room for the tile, and for `BLOCK_ELEMENTS` elements of any dtype, and are aligned for all
        // of them; casts read `rows * cols` or `cols` contiguous elements.
        unsafe {
            match &self.convert[n] {
                None => copy_tile(size, buffer, dense(size), at, steps, [rows, cols]),
                Some(convert) if steps.cols == size as isize => {
                    let row_steps = [(cols * self.body_sizes[n]) as isize, steps.rows];
                    convert.call_rows([buffer, at], [rows, cols], row_steps, 0);
                }
                Some(convert) => {
                    copy_tile(size, scratch.ptr(), dense(size), at, steps, [rows, cols]);
                    convert.call([buffer, scratch.ptr()], rows * cols, 0);
                }
            }
        }
    }

    /// Unpacks a tile of results from a buffer to an output, cast to its dtype.
    ///
    /// # Safety
    /// The tile must be writable, and the buffer must hold its elements in the body's dtype.
    unsafe fn unpack(
        &self,
        n: usize,
        at: *mut u8,
        steps: Steps,
        [rows, cols]: [usize; 2],
        buffer: *mut u8,
        scratch: &mut Buffer,
    ) {
        let size = self.sizes[n];
        let dense = Steps { rows: (cols * size) as isize, cols: size as isize };
        // SAFETY: the buffers have room for `BLOCK_ELEMENTS` elements of any dtype and are aligned for all of them;
        // the cast reads `rows * cols` contiguous elements, and the tile is writable.
        unsafe {
            let from = match &self.convert[n] {
                None => buffer,
                Some(convert) => {
                    convert.call([scratch.ptr(), buffer], rows * cols, 0);
                    scratch.ptr()
                }
            };
            copy_tile(size, at, steps, from, dense, [rows, cols]);
        }
    }

    /// Returns the columns of a tile of contiguous elements that fits in a buffer.
    fn shifted_tile_cols(&self) -> usize {
        SHIFTED_TILE_BYTES / self.sizes.into_iter().fold(1, usize::max)
    }

    /// Returns the steps of a loop in bytes.
    fn bytes(&self, it: &Loop<N>) -> [isize; N] {
        array_of(|n| it.steps[n] * self.sizes[n] as isize)
    }
}

/// Returns the broadcast operands as bits.
fn broadcast_mask<const N: usize>(access: &[Access; N]) -> BroadcastMask {
    (0..N).filter(|&n| access[n] == Access::Broadcast).fold(0, |bits, n| bits | 1 << n)
}

/// A buffer for `BLOCK_ELEMENTS` elements of any dtype, aligned for all of them.
#[repr(align(64))]
pub(in crate::kernel) struct Buffer(MaybeUninit<[u8; 16 * BLOCK_ELEMENTS + BUFFER_GAP_BYTES]>);

/// The bytes between two buffers of an array. Without them, the buffers would be a multiple of 4 KiB apart: their tiles
/// would compete for the same sets of the L1 cache, and loads from one would wait for stores to another (4K aliasing).
const BUFFER_GAP_BYTES: usize = 4 * STRIDED_TILE_COLS + CACHE_LINE_BYTES;

impl Buffer {
    pub(in crate::kernel) const fn new() -> Buffer {
        Buffer(MaybeUninit::uninit())
    }

    pub(in crate::kernel) fn ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }

    pub(in crate::kernel) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }
}
