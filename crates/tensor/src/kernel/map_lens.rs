//! A body over operands of which some are lenses, in row-major order of the indices.
//!
//! **The problem.** `map/` visits all operands by their strides, in the order that suits them best. An operand
//! behind a chain has no strides: it is a list of runs, in row-major order.
//!
//! **The plain solution** is to look up every element, at a division for each axis and stage; or to
//! copy the lens first, which is a pass over memory. Here all operands are visited in row-major order
//! instead, a block at a time. Each packs its next elements into a buffer in the first-level cache, tile by
//! tile ([`RowMajorWalk`]), or gives their address if they are contiguous already; the body is called on the
//! blocks; and the result is unpacked to the output in the same way.
//!
//! **What it costs** is a few divisions for each run of a lens, and a pass over the cache for every operand
//! that is not contiguous; a transposed operand is read at its large stride. So only operations with a lens
//! come here; and those whose operands all have strides in some other shape, as a reshape of any layout
//! does, go on to `map/` in that shape.

use super::body::{Body, BroadcastMask};
use super::cast::cast;
use super::copy::{self, Steps, copy_tile};
use super::map::{self, Buffer};
use crate::plan::{BLOCK, RowMajorWalk, WalkCursor, WalkTile, piece_of, pieces_for};
use crate::view::{AnyLens, AnyView, AnyViewMut, Source, Written};
use crate::{DType, Element, Shape, pool};
use std::ops::Range;
use std::ptr;

/// An input that is read in row-major order.
pub(crate) enum RowMajorSource<'a> {
    /// Memory with strides, or the output itself.
    Source(Source<'a>),
    /// Memory behind a chain, which shares no element with the output.
    Lens(AnyLens<'a>),
}

impl RowMajorSource<'_> {
    /// Returns the shape; that of the output is given by the caller.
    fn shape(&self, out: &Shape) -> Shape {
        match self {
            RowMajorSource::Source(Source::View(view)) => view.layout().shape(),
            RowMajorSource::Source(Source::Output | Source::Shifted(_)) => out.clone(),
            RowMajorSource::Lens(lens) => lens.chain().shape().into(),
        }
    }
}

/// Applies a body to the elements of the inputs, and writes its results to the output. Types may differ from the
/// body's: elements are cast as they are read or written.
///
/// # Panics
/// If the shapes differ, or there is not one input for each of the body's: the caller has checked them.
pub(crate) fn map<'x, const N: usize>(
    body: &Body<'_, N>,
    out: AnyViewMut<'x>,
    inputs: &[RowMajorSource<'_>],
) -> Written<'x> {
    assert_eq!(inputs.len() + 1, N, "one input for each of the body's");
    let shape = out.layout().shape();
    let one_shape = inputs.iter().all(|input| input.shape(&shape) == shape);
    assert!(one_shape, "all operands have one shape");
    if out.layout().is_empty() {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    if let Some((shape, sources)) = in_strides(&out, inputs) {
        return map::map(body, out.view(&shape).expect("the output has strides there"), &sources);
    }
    let types = body.types();
    let operands: [RowMajorOperand<'_>; N] = std::array::from_fn(|n| match n {
        0 => RowMajorOperand::output(&out, types[0]),
        n => match &inputs[n - 1] {
            RowMajorSource::Source(Source::View(view)) => RowMajorOperand::view(view, types[n]),
            RowMajorSource::Source(Source::Output) => RowMajorOperand::read_output(&out, types[n]),
            RowMajorSource::Source(Source::Shifted(_)) => {
                unreachable!("a shifted input of an operation with a lens is copied first")
            }
            RowMajorSource::Lens(lens) => RowMajorOperand::lens(lens, types[n]),
        },
    });
    in_ranges(out.layout().len(), &|range| {
        // SAFETY: the operands were made from views that are borrowed while this runs, of one shape that
        // has the range; an input is the output itself or shares no element with it (`Source`,
        // `RowMajorSource`); the layout of an output is injective, so other ranges are other elements of it.
        unsafe { map_range(body, &operands, range) }
    });
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Copies the elements of a lens to a view.
///
/// # Panics
/// If the shapes or types differ: the caller has compared them.
pub(crate) fn copy<'x>(out: AnyViewMut<'x>, lens: &AnyLens<'_>) -> Written<'x> {
    assert_eq!(out.dtype(), lens.dtype(), "a copy does not convert");
    assert_eq!(out.layout().shape(), lens.chain().shape(), "a copy is between views of one shape");
    if out.layout().is_empty() {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    if let Some(walk) = lens.walk() {
        let shape = walk.layout().shape();
        if out.layout().view(&*shape).is_ok() {
            return copy::copy(out.view(&shape).expect("the view was checked"), &walk);
        }
    }
    let (to, from) =
        (RowMajorOperand::output(&out, out.dtype()), RowMajorOperand::lens(lens, lens.dtype()));
    in_ranges(out.layout().len(), &|range| {
        // SAFETY: as in `map`.
        unsafe { copy_range(&to, &from, range) }
    });
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Calls a function for consecutive blocks of the elements at a range of positions, cast to a type. The
/// pointer is to elements that can be read until the function returns.
///
/// The range consists of units of `unit` elements each: a block is several of them, or a part of one
/// that is longer than [`BLOCK`]. The blocks depend on nothing else.
///
/// # Panics
/// If the range exceeds the number of elements, or the source is an output.
pub(crate) fn blocks(
    source: &RowMajorSource<'_>,
    dtype: DType,
    range: Range<usize>,
    unit: usize,
    f: &mut dyn FnMut(*const u8, usize),
) {
    let (operand, len) = match source {
        RowMajorSource::Source(Source::View(view)) => {
            (RowMajorOperand::view(view, dtype), view.layout().len())
        }
        RowMajorSource::Lens(lens) => (RowMajorOperand::lens(lens, dtype), lens.chain().len()),
        RowMajorSource::Source(_) => panic!("an output is not read in blocks"),
    };
    assert!(range.end <= len, "positions {range:?} of {len}");
    if range.is_empty() {
        return;
    }
    let whole_units = (BLOCK / unit * unit).max(1);
    let (mut buffer, mut scratch) = (Buffer::new(), Buffer::new());
    // SAFETY: the range is inside the walk, and the buffers live as long as the cursor.
    let mut cursor =
        unsafe { OperandCursor::new(&operand, range.start, &mut buffer, &mut scratch, BLOCK) };
    let mut at = range.start;
    while at < range.end {
        let len = match unit <= BLOCK {
            true => whole_units.min(range.end - at),
            false => BLOCK.min(unit - (at - range.start) % unit).min(range.end - at),
        };
        // SAFETY: at least `len` elements are left in the range.
        f(unsafe { cursor.fetch(len, &mut scratch) }, len);
        at += len;
    }
}

/// Returns the elements at a range of positions in row-major order, cast to a type.
///
/// # Panics
/// As [`blocks`].
pub(crate) fn values<T: Element>(source: &RowMajorSource<'_>, range: Range<usize>) -> Vec<T> {
    let mut values = Vec::with_capacity(range.len());
    blocks(source, T::DTYPE, range, BLOCK, &mut |at, len| {
        // SAFETY: the block has `len` readable elements of the type that was passed.
        values.extend((0..len).map(|i| unsafe { at.cast::<T>().add(i).read() }));
    });
    values
}

/// Returns a shape in which all operands have strides, and the inputs in that shape. Only one shape is tried:
/// that of the first lens without its reshapes.
fn in_strides<'a>(
    out: &AnyViewMut<'_>,
    inputs: &[RowMajorSource<'a>],
) -> Option<(Shape, Vec<Source<'a>>)> {
    let first = inputs.iter().find_map(|input| match input {
        RowMajorSource::Lens(lens) => Some(lens),
        RowMajorSource::Source(_) => None,
    });
    let shape = first?.walk()?.layout().shape();
    out.layout().view(&*shape).ok()?;
    let sources = inputs.iter().map(|input| match input {
        RowMajorSource::Source(Source::Output) => Some(Source::Output),
        RowMajorSource::Source(Source::Shifted(_)) => None,
        RowMajorSource::Source(Source::View(view)) => view.view(&shape).ok().map(Source::View),
        RowMajorSource::Lens(lens) => lens.walk()?.view(&shape).ok().map(Source::View),
    });
    let sources = sources.collect::<Option<Vec<_>>>()?;
    Some((shape, sources))
}

/// Calls a function for ranges that together are all positions, on several threads if there are enough.
fn in_ranges(len: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    let n = pieces_for(len, usize::MAX);
    pool::run(n, &|i| f(piece_of(len, BLOCK, i, n)));
}

/// An operand that is read or written in row-major order, shared by several threads.
struct RowMajorOperand<'a> {
    /// The address of offset 0.
    memory: *mut u8,
    /// The address of the padding's value, if there can be any.
    padding: *const u8,
    /// Invariant: every offset of it is an element at `memory`, readable or, for an output, writable.
    walk: RowMajorWalk<'a>,
    is_broadcast: bool,
    /// Bytes of an element in memory.
    size: usize,
    /// The cast to the body's type; of an output, from it.
    convert: Option<Body<'static, 2>>,
}

// SAFETY: threads read the elements, which the view allows; they write an output at ranges of
// positions that share no element.
unsafe impl Sync for RowMajorOperand<'_> {}

impl<'a> RowMajorOperand<'a> {
    fn new(
        memory: *mut u8,
        walk: RowMajorWalk<'a>,
        memory_type: DType,
        inside: DType,
    ) -> RowMajorOperand<'a> {
        let (size, is_broadcast) = (memory_type.size(), walk.is_broadcast());
        let convert = (memory_type != inside).then(|| cast(memory_type, inside));
        RowMajorOperand { memory, padding: ptr::null(), walk, is_broadcast, size, convert }
    }

    fn view(view: &'a AnyView<'_>, inside: DType) -> RowMajorOperand<'a> {
        let walk = RowMajorWalk::of_layout(view.layout());
        RowMajorOperand::new(view.ptr().as_ptr(), walk, view.dtype(), inside)
    }

    fn read_output(out: &'a AnyViewMut<'_>, inside: DType) -> RowMajorOperand<'a> {
        let walk = RowMajorWalk::of_layout(out.layout());
        // A broadcast operand is read once, so it must not be the one that is written.
        RowMajorOperand {
            is_broadcast: false,
            ..RowMajorOperand::new(out.ptr().as_ptr(), walk, out.dtype(), inside)
        }
    }

    fn output(out: &'a AnyViewMut<'_>, inside: DType) -> RowMajorOperand<'a> {
        let convert = (out.dtype() != inside).then(|| cast(inside, out.dtype()));
        RowMajorOperand { convert, ..RowMajorOperand::read_output(out, inside) }
    }

    fn lens(lens: &'a AnyLens<'_>, inside: DType) -> RowMajorOperand<'a> {
        let walk = RowMajorWalk::of_chain(lens.chain());
        let padding = lens.padding().ptr();
        RowMajorOperand {
            padding,
            ..RowMajorOperand::new(lens.ptr().as_ptr(), walk, lens.dtype(), inside)
        }
    }

    /// Returns the address of a tile's first element, and its steps in bytes.
    fn address(&self, tile: &WalkTile) -> (*mut u8, Steps) {
        let size = self.size as isize;
        let [rows, cols] = tile.strides.map(|stride| stride * size);
        match tile.start {
            Some(start) => (self.memory.wrapping_add(start * self.size), Steps { rows, cols }),
            None => (self.padding.cast_mut(), Steps { rows: 0, cols: 0 }),
        }
    }

    /// Returns the steps of the elements of a tile in a buffer, where they are contiguous.
    fn packed(&self, tile: &WalkTile) -> Steps {
        let (cols, size) = (tile.counts[1], self.size);
        Steps { rows: (cols * size) as isize, cols: size as isize }
    }

    /// Packs `len` elements into a buffer, the first tile of which the cursor has passed already.
    ///
    /// # Safety
    /// There must be `len` elements left; they must be readable, and `to` have room for them.
    unsafe fn pack(&self, first: WalkTile, tiles: &mut WalkCursor<'_>, len: usize, to: *mut u8) {
        let (mut tile, mut done) = (first, 0);
        loop {
            let (from, steps) = self.address(&tile);
            // SAFETY: the tile's offsets are those of the walk, which are elements (invariant of `walk`), or
            // all of it is padding, which is one element; `to` has room for what is left.
            unsafe {
                let to = to.add(done * self.size);
                copy_tile(self.size, to, self.packed(&tile), from, steps, tile.counts);
            }
            done += tile.len();
            if done == len {
                return;
            }
            tile = tiles.next(len - done);
        }
    }

    /// Unpacks `len` elements from a buffer.
    ///
    /// # Safety
    /// There must be `len` elements left; they must be writable, and `from` hold as many.
    unsafe fn unpack(
        &self,
        first: WalkTile,
        tiles: &mut WalkCursor<'_>,
        len: usize,
        from: *const u8,
    ) {
        let (mut tile, mut done) = (first, 0);
        loop {
            let (to, steps) = self.address(&tile);
            // SAFETY: as in `pack`; an output has no padding.
            unsafe {
                let from = from.add(done * self.size);
                copy_tile(self.size, to, steps, from, self.packed(&tile), tile.counts);
            }
            done += tile.len();
            if done == len {
                return;
            }
            tile = tiles.next(len - done);
        }
    }
}

/// A position in an operand, and the buffer that its next block is packed into.
struct OperandCursor<'s> {
    operand: &'s RowMajorOperand<'s>,
    tiles: WalkCursor<'s>,
    buffer: *mut u8,
}

impl<'s> OperandCursor<'s> {
    /// Creates a cursor at a position. A broadcast operand is packed here, `n_broadcast` times.
    ///
    /// # Safety
    /// The position must exist, and a broadcast element be readable. The buffer must live, and not be used
    /// otherwise, as long as the cursor.
    unsafe fn new(
        operand: &'s RowMajorOperand<'s>,
        position: usize,
        buffer: &mut Buffer,
        scratch: &mut Buffer,
        n_broadcast: usize,
    ) -> OperandCursor<'s> {
        let tiles = operand.walk.cursor_at(position);
        let mut cursor = OperandCursor { operand, tiles, buffer: buffer.ptr() };
        if operand.is_broadcast {
            let first = cursor.tiles.next(1);
            let many = WalkTile { counts: [1, n_broadcast], strides: [0, 0], ..first };
            // SAFETY: the one element is readable; the buffers have room for `BLOCK` elements.
            unsafe { cursor.pack_block(many, n_broadcast, scratch) };
        }
        cursor
    }

    /// Returns the address of the next `len` elements as a block of the body's type, valid until the next call.
    ///
    /// # Safety
    /// There must be `len` elements left, at most `BLOCK`; they must be readable.
    unsafe fn fetch(&mut self, len: usize, scratch: &mut Buffer) -> *mut u8 {
        if self.operand.is_broadcast {
            return self.buffer;
        }
        let first = self.tiles.next(len);
        match (first.is_contiguous(), &self.operand.convert) {
            (true, None) if first.len() == len => self.operand.address(&first).0,
            // SAFETY: forwarded: same contract as this function.
            _ => unsafe { self.pack_block(first, len, scratch) },
        }
    }

    /// Packs and casts `len` elements into the buffer, the first tile of which the cursor has passed already.
    ///
    /// # Safety
    /// The contract of `fetch`.
    unsafe fn pack_block(&mut self, first: WalkTile, len: usize, scratch: &mut Buffer) -> *mut u8 {
        let OperandCursor { operand, tiles, buffer } = self;
        // SAFETY: the buffers have room for `BLOCK` elements of any type and are aligned for all of
        // them; `convert` is called on `len` contiguous elements of the type in memory.
        unsafe {
            match &operand.convert {
                None => operand.pack(first, tiles, len, *buffer),
                Some(convert) if first.is_contiguous() && first.len() == len => {
                    convert.call([*buffer, operand.address(&first).0], len, 0);
                }
                Some(convert) => {
                    operand.pack(first, tiles, len, scratch.ptr());
                    convert.call([*buffer, scratch.ptr()], len, 0);
                }
            }
        }
        *buffer
    }
}

/// # Safety
/// - All operands must have the range of positions;
/// - the elements of the first one must be writable, and no other thread may access them;
/// - those of the others must be readable; an input is the output itself or shares no element with it.
unsafe fn map_range<const N: usize>(
    body: &Body<'_, N>,
    operands: &[RowMajorOperand<'_>; N],
    at: Range<usize>,
) {
    if at.is_empty() {
        return;
    }
    let mut buffers = [const { Buffer::new() }; N];
    let mut scratch = Buffer::new();
    let takes_broadcast = body.takes_broadcast();
    let broadcast = (1..N).filter(|&n| takes_broadcast && operands[n].is_broadcast);
    let broadcast: BroadcastMask = broadcast.fold(0, |bits, n| bits | 1 << n);
    let n_broadcast = if takes_broadcast { 1 } else { BLOCK.min(at.len()) };
    let mut buffer = buffers.iter_mut();
    let mut cursors: [OperandCursor<'_>; N] = std::array::from_fn(|n| {
        let buffer = buffer.next().expect("one buffer for each operand");
        // SAFETY: the range begins at a position of the operand, and the buffers outlive the cursors.
        unsafe { OperandCursor::new(&operands[n], at.start, buffer, &mut scratch, n_broadcast) }
    });
    for from in at.clone().step_by(BLOCK) {
        let len = BLOCK.min(at.end - from);
        let [out, inputs @ ..] = &mut cursors[..] else { unreachable!("there is an output") };
        let mut blocks = [ptr::null_mut(); N];
        for (block, input) in blocks[1..].iter_mut().zip(inputs) {
            // SAFETY: at least `len` elements are left in the range.
            *block = unsafe { input.fetch(len, &mut scratch) };
        }
        let first = out.tiles.next(len);
        let is_direct =
            first.is_contiguous() && first.len() == len && out.operand.convert.is_none();
        blocks[0] = if is_direct { out.operand.address(&first).0 } else { out.buffer };
        // SAFETY: each block has `len` elements of the body's type, or one if it is broadcast. An input is
        // in a buffer of its own, or in its memory: there it shares no element with the output, or is the
        // output, at the same positions, and so is the same block.
        unsafe { body.call(blocks, len, broadcast) };
        if !is_direct {
            // SAFETY: the body has filled the buffer; the positions are writable.
            unsafe { unpack_block(out, first, len, &mut scratch) };
        }
    }
}

/// Casts and unpacks `len` results from the buffer of an output.
///
/// # Safety
/// The elements must be writable, and the buffer hold as many of the body's type.
unsafe fn unpack_block(
    out: &mut OperandCursor<'_>,
    first: WalkTile,
    len: usize,
    scratch: &mut Buffer,
) {
    let OperandCursor { operand, tiles, buffer } = out;
    // SAFETY: the buffers have room for `BLOCK` elements of any type and are aligned for all of them.
    unsafe {
        let from = match &operand.convert {
            None => *buffer,
            Some(convert) => {
                convert.call([scratch.ptr(), *buffer], len, 0);
                scratch.ptr()
            }
        };
        operand.unpack(first, tiles, len, from);
    }
}

/// # Safety
/// - Both operands must have the range of positions, and elements of one type;
/// - those of `to` must be writable, and no other thread may access them; those of `from` must be readable;
/// - the two share no element.
unsafe fn copy_range(to: &RowMajorOperand<'_>, from: &RowMajorOperand<'_>, at: Range<usize>) {
    if at.is_empty() {
        return;
    }
    let mut buffer = Buffer::new();
    let (mut to_tiles, mut from_tiles) =
        (to.walk.cursor_at(at.start), from.walk.cursor_at(at.start));
    for start in at.clone().step_by(BLOCK) {
        let len = BLOCK.min(at.end - start);
        let (to_tile, from_tile) = (to_tiles.next(len), from_tiles.next(len));
        // SAFETY: at least `len` elements are left in the range; the buffer has room for `BLOCK`.
        unsafe {
            if to_tile.is_contiguous() && to_tile.len() == len {
                from.pack(from_tile, &mut from_tiles, len, to.address(&to_tile).0);
            } else {
                from.pack(from_tile, &mut from_tiles, len, buffer.ptr());
                to.unpack(to_tile, &mut to_tiles, len, buffer.ptr());
            }
        }
    }
}
