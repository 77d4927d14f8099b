//! A body over operands of any strides and types.
//!
//! See the README beside this file for the idea. The walk is over planes: the two innermost loops of
//! the plan. If every operand is a block along the innermost loop, or stands still, the body is
//! called for each row of the plane; otherwise the plane is cut into tiles, and operands that do not
//! lie well are packed into buffers, tile by tile; or, where rows are long and an input runs across them,
//! strip by strip (`strips.rs`).

mod strips;

use crate::kernel::body::{Body, BroadcastMask};
use crate::kernel::cast::cast;
use crate::kernel::copy::{Steps, copy_tile};
use crate::plan::{Access, BLOCK, Loop, Plan, Tile};
use crate::pool;
use crate::view::{AnyViewMut, Source, Written};
use std::mem::MaybeUninit;

/// Calls a body for every element of the inputs, and writes what it gives to the output.
///
/// All shapes are the same, and there is an input for each of the body's; if not, this panics. Types
/// may differ from the body's: elements are converted on the way.
pub(crate) fn map<'x, const N: usize>(
    body: &Body<'_, N>,
    out: AnyViewMut<'x>,
    inputs: &[Source<'_>],
) -> Written<'x> {
    assert_eq!(inputs.len() + 1, N, "one input for each of the body's");
    let input = |n: usize| match &inputs[n - 1] {
        Source::View(view) => (view.layout(), view.ptr().as_ptr(), view.dtype()),
        Source::Output => (out.layout(), out.ptr().as_ptr(), out.dtype()),
        Source::Shifted(shift) => (out.layout(), shift.ptr(), out.dtype()),
    };
    let shift = inputs.iter().find_map(|source| match source {
        Source::Shifted(shift) => Some(*shift),
        _ => None,
    });
    let operands: [_; N] = std::array::from_fn(|n| match n {
        0 => (out.layout(), out.ptr().as_ptr(), out.dtype()),
        n => input(n),
    });
    let sizes = operands.map(|(_, _, dtype)| dtype.size());
    let layouts = operands.map(|(layout, _, _)| layout);
    let plan = match shift {
        None => Plan::elementwise(layouts, sizes),
        Some(shift) => Plan::by_address(layouts, shift.is_backwards()),
    };
    let plan = plan.expect("all operands have one shape");
    if plan.is_empty() {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let types = body.types();
    let convert = |n: usize| match (operands[n].2, types[n]) {
        (memory, inside) if memory == inside => None,
        (memory, inside) if n == 0 => Some(cast(inside, memory)),
        (memory, inside) => Some(cast(memory, inside)),
    };
    let job = Job {
        body,
        memory: operands.map(|(_, ptr, _)| ptr),
        sizes,
        inside: types.map(|dtype| dtype.size()),
        convert: std::array::from_fn(convert),
        is_shifted: std::array::from_fn(|n| n > 0 && matches!(inputs[n - 1], Source::Shifted(_))),
    };
    // What one thread has yet to read another must not have written.
    let n = if shift.is_some() { 1 } else { plan.n_pieces() };
    if n <= 1 {
        // SAFETY: the plan was made from the layouts of the views, which are borrowed while this
        // runs; an input is the output itself, or shares no element with it, or is shifted
        // (`Source`), and the walk is in the order that a shift asks for.
        unsafe { job.walk(&plan) };
    } else {
        // SAFETY: as above; the pieces of a plan share no element of the output.
        pool::run(n, &|i| unsafe { job.walk(&plan.piece(i, n)) });
    }
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// What a walk needs, for several threads.
struct Job<'b, 'f, const N: usize> {
    body: &'b Body<'f, N>,
    /// Where offset 0 of each operand is.
    memory: [*mut u8; N],
    /// Bytes of an element in memory.
    sizes: [usize; N],
    /// Bytes of an element as the body knows it.
    inside: [usize; N],
    /// What converts an input to what the body knows, or its result to what the output holds.
    convert: [Option<Body<'static, 2>>; N],
    /// Whether an input shares elements with the output. It is packed then: all of a tile is read
    /// before any of it is written.
    is_shifted: [bool; N],
}

// SAFETY: `map` gives the job to threads that work on pieces of the output which share no element,
// while it holds the borrows of all views.
unsafe impl<const N: usize> Sync for Job<'_, '_, N> {}

/// The two innermost loops, where they begin, and how the operands are reached. Steps are in bytes.
struct Plane<const N: usize> {
    at: [*mut u8; N],
    counts: [usize; 2],
    steps: [Steps; N],
    access: [Access; N],
}

impl<const N: usize> Job<'_, '_, N> {
    /// # Safety
    /// The offsets of the plan must be elements of the operands, the first one's writable, those of
    /// the others readable. An input is the output itself, or shares no element with it, or is
    /// shifted; if one is, the plan must visit elements in such an order that none is written before
    /// it is read.
    unsafe fn walk(&self, plan: &Plan<N>) {
        plan.nest().walk(&mut |at, [rows, cols]| {
            // SAFETY: the offsets begin a plane of the plan, whose elements the caller's contract covers.
            unsafe {
                let at =
                    std::array::from_fn(|n| self.memory[n].offset(at[n] * self.sizes[n] as isize));
                self.plane(rows, cols, plan.tile(), at);
            }
        });
    }

    /// # Safety
    /// That of `walk`, for two loops that begin at the pointers.
    unsafe fn plane(&self, rows: &Loop<N>, cols: &Loop<N>, tile: Tile, at: [*mut u8; N]) {
        let (row_steps, col_steps) = (self.bytes(rows), self.bytes(cols));
        let steps = std::array::from_fn(|n| Steps { rows: row_steps[n], cols: col_steps[n] });
        let counts = [rows.len, cols.len];
        let is_short = Access::has_short_rows(counts);
        let access =
            std::array::from_fn(|n| self.access(n, [rows.steps[n], cols.steps[n]], counts));
        let plane = Plane { at, counts, steps, access };
        if is_short {
            let tile = Tile { rows: (BLOCK / cols.len).max(1), cols: cols.len };
            // SAFETY: the caller's promises. Every operand is packed, or one block or element for
            // the whole of a tile.
            unsafe { self.packed(&plane, tile, true) }
        } else if access.contains(&Access::Packed) {
            // SAFETY: the caller's promises.
            unsafe {
                if !self.strips(&plane) {
                    self.packed(&plane, tile, false);
                }
            }
        } else {
            // SAFETY: the caller's promises, and rows of all operands are blocks or one element.
            unsafe { self.rows(&plane) }
        }
    }

    /// How the rows of an operand can be reached; or, if they are short, several of them at once.
    fn access(&self, n: usize, steps: [isize; 2], counts: [usize; 2]) -> Access {
        if self.convert[n].is_some() || self.is_shifted[n] {
            return Access::Packed;
        }
        match Access::from_steps(steps, counts) {
            Access::Broadcast if n == 0 || !self.body.takes_broadcast() => Access::Packed,
            access => access,
        }
    }

    /// Calls the body for each row of a plane.
    ///
    /// # Safety
    /// That of `walk`; no operand is packed.
    unsafe fn rows(&self, plane: &Plane<N>) {
        let still = still_of(&plane.access);
        for r in 0..plane.counts[0] as isize {
            // SAFETY: each row lies inside of the plane; its operands are blocks of the body's types
            // or one element, as `access` found.
            unsafe {
                let row = std::array::from_fn(|n| plane.at[n].offset(r * plane.steps[n].rows));
                self.body.call(row, plane.counts[1], still);
            }
        }
    }

    /// Calls the body for each tile of a plane, or for each row of each tile.
    ///
    /// # Safety
    /// That of `walk`. If `whole`, operands that are not packed must be one block or one element for
    /// all of a tile.
    #[inline(never)]
    unsafe fn packed(&self, plane: &Plane<N>, tile: Tile, whole: bool) {
        let mut buffers = [const { Buffer::new() }; N];
        let mut scratch = Buffer::new();
        let [rows, cols] = plane.counts;
        for r in (0..rows).step_by(tile.rows) {
            for c in (0..cols).step_by(tile.cols) {
                let counts = [tile.rows.min(rows - r), tile.cols.min(cols - c)];
                let (r, c) = (r as isize, c as isize);
                // SAFETY: the tile lies inside of the plane, and has at most `BLOCK` elements.
                unsafe {
                    let at = std::array::from_fn(|n| {
                        let Steps { rows, cols } = plane.steps[n];
                        plane.at[n].offset(r * rows + c * cols)
                    });
                    let tile = Plane { at, counts, steps: plane.steps, access: plane.access };
                    self.tile(&tile, &mut buffers, &mut scratch, whole);
                }
            }
        }
    }

    /// # Safety
    /// That of `packed`, for a plane of at most `BLOCK` elements.
    #[inline(always)]
    unsafe fn tile(
        &self,
        tile: &Plane<N>,
        buffers: &mut [Buffer; N],
        scratch: &mut Buffer,
        whole: bool,
    ) {
        let [rows, cols] = tile.counts;
        for (n, buffer) in buffers.iter_mut().enumerate().skip(1) {
            if tile.access[n] == Access::Packed {
                // SAFETY: the tile is readable, and fits in a buffer.
                unsafe { self.pack(n, tile, buffer.ptr(), scratch) };
            }
        }
        let still = still_of(&tile.access);
        let (n_calls, len) = if whole { (1, rows * cols) } else { (rows, cols) };
        for r in 0..n_calls {
            // SAFETY: rows of a buffer follow one another; others lie where the steps lead to. All
            // have `len` elements of the body's types, or one if they stand still.
            unsafe {
                let blocks = std::array::from_fn(|n| match tile.access[n] {
                    Access::Packed => buffers[n].ptr().add(r * len * self.inside[n]),
                    _ => tile.at[n].offset(r as isize * tile.steps[n].rows),
                });
                self.body.call(blocks, len, still);
            }
        }
        if tile.access[0] == Access::Packed {
            // SAFETY: the body has filled the buffer; the tile is writable.
            unsafe { self.unpack(tile, buffers[0].ptr(), scratch) };
        }
    }

    /// Brings a tile of an input into a buffer, as elements that the body knows.
    ///
    /// # Safety
    /// The tile must be readable, and have at most `BLOCK` elements.
    unsafe fn pack(&self, n: usize, tile: &Plane<N>, buffer: *mut u8, scratch: &mut Buffer) {
        let ([rows, cols], steps, size) = (tile.counts, tile.steps[n], self.sizes[n]);
        let dense = |size: usize| Steps { rows: (cols * size) as isize, cols: size as isize };
        // SAFETY: the buffers have room for `BLOCK` elements of any type and are aligned for all of
        // them; what is converted is a block of `rows * cols` or of `cols` elements.
        unsafe {
            match &self.convert[n] {
                None => copy_tile(size, buffer, dense(size), tile.at[n], steps, tile.counts),
                Some(convert) if steps.cols == size as isize => {
                    for r in 0..rows {
                        let from = tile.at[n].offset(r as isize * steps.rows);
                        convert.call([buffer.add(r * cols * self.inside[n]), from], cols, 0);
                    }
                }
                Some(convert) => {
                    copy_tile(size, scratch.ptr(), dense(size), tile.at[n], steps, tile.counts);
                    convert.call([buffer, scratch.ptr()], rows * cols, 0);
                }
            }
        }
    }

    /// Brings a tile of results from a buffer to the output.
    ///
    /// # Safety
    /// The tile must be writable, and the buffer hold its elements as the body gave them.
    unsafe fn unpack(&self, tile: &Plane<N>, buffer: *mut u8, scratch: &mut Buffer) {
        let ([rows, cols], size) = (tile.counts, self.sizes[0]);
        let dense = Steps { rows: (cols * size) as isize, cols: size as isize };
        // SAFETY: as in `pack`.
        unsafe {
            let from = match &self.convert[0] {
                None => buffer,
                Some(convert) => {
                    convert.call([scratch.ptr(), buffer], rows * cols, 0);
                    scratch.ptr()
                }
            };
            copy_tile(size, tile.at[0], tile.steps[0], from, dense, tile.counts);
        }
    }

    fn bytes(&self, it: &Loop<N>) -> [isize; N] {
        std::array::from_fn(|n| it.steps[n] * self.sizes[n] as isize)
    }
}

/// The operands that stand still, as bits.
fn still_of<const N: usize>(access: &[Access; N]) -> BroadcastMask {
    (0..N).filter(|&n| access[n] == Access::Broadcast).fold(0, |bits, n| bits | 1 << n)
}

/// Room for a block of elements of any type, aligned for all of them.
#[repr(align(64))]
pub(in crate::kernel) struct Buffer(MaybeUninit<[u8; 16 * BLOCK]>);

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
