//! A body over operands of which some are lenses, in row-major order of the indices.
//!
//! **The problem.** `map/` visits all operands by their strides, in the order that suits them best. An operand
//! behind a chain has no strides: it is a list of runs, in row-major order.
//!
//! **The plain solution** is to look up every element, at a division for each axis of each layout of the
//! chain; or to copy the lens first, which is a pass over memory. Here all operands are visited in
//! row-major order instead, a block at a time. Each packs its next elements into a buffer in the
//! first-level cache, tile by tile ([`RowMajorWalk`]), or gives their address if they are contiguous
//! already; the body is called on the blocks; and the result is unpacked to the output in the same way.
//!
//! **What it costs** is a few divisions for each run of a lens, and a pass over the cache for every operand
//! that is not contiguous; a transposed operand is read at its large stride. So only operations with a lens
//! come here; and those whose operands all have strides in some other shape, as a reshape of any layout
//! does, go on to `map/` in that shape.

use super::body::{Body, BroadcastMask};
use super::cast::cast;
use super::copy::{self, Steps, copy_tile};
use super::map::{self, Buffer};
use crate::cancel::scratch;
use crate::plan::{BLOCK_ELEMENTS, RowMajorWalk, WalkCursor, WalkTile, piece_of, pieces_for};
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyLens, AnyView, AnyViewMut, Source, Written};
use crate::{DType, Element, Shape, pool};
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::slice;

/// An input that is read in row-major order.
pub(crate) enum RowMajorSource<'a> {
    /// Memory with strides, or an output itself.
    Source(Source<'a>),
    /// Memory behind a chain, which shares no element with an output.
    Lens(AnyLens<'a>),
}

impl RowMajorSource<'_> {
    /// Returns the shape; that of the output is given by the caller.
    pub(super) fn shape(&self, out: &Shape) -> Shape {
        match self {
            RowMajorSource::Source(Source::View(view)) => view.layout().shape(),
            RowMajorSource::Source(Source::Output(_) | Source::Shifted(_)) => out.clone(),
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
    mut out: AnyViewMut<'x>,
    inputs: &[RowMajorSource<'_>],
) -> Written<'x> {
    map_to_outputs(body, slice::from_mut(&mut out), inputs);
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Like [`map`], for any number of outputs: writes every element of each.
///
/// # Panics
/// If the shapes differ, or there is not one input and one output for each of the body's: the caller has checked them.
pub(crate) fn map_to_outputs<const N: usize>(
    body: &Body<'_, N>,
    outs: &mut [AnyViewMut<'_>],
    inputs: &[RowMajorSource<'_>],
) {
    let n_outputs = body.n_outputs();
    assert_eq!((outs.len(), n_outputs + inputs.len()), (n_outputs, N), "the operands of the body");
    let shape = outs[0].layout().shape();
    let one_shape = inputs.iter().all(|input| input.shape(&shape) == shape)
        && outs.iter().all(|out| out.layout().shape() == shape);
    assert!(one_shape, "all operands have one shape");
    if outs[0].layout().is_empty() {
        return;
    }
    if let Some((shape, sources)) = strided_in_one_shape(outs, inputs) {
        let views = outs.iter_mut().map(|out| out.reborrow().view(&shape));
        let views = views.map(|view| view.expect("the output has strides there"));
        return map::map_to_outputs(body, &mut views.collect::<Vec<_>>(), &sources);
    }
    let (outs, types) = (&*outs, body.types());
    let operands: [RowMajorOperand<'_>; N] = std::array::from_fn(|n| match n {
        n if n < n_outputs => RowMajorOperand::output(&outs[n], types[n]),
        n => match &inputs[n - n_outputs] {
            RowMajorSource::Source(Source::View(view)) => RowMajorOperand::view(view, types[n]),
            RowMajorSource::Source(Source::Output(out)) => {
                RowMajorOperand::read_output(&outs[*out], types[n])
            }
            RowMajorSource::Source(Source::Shifted(_)) => {
                unreachable!("a shifted input of an operation with a lens is copied first")
            }
            RowMajorSource::Lens(lens) => RowMajorOperand::lens(lens, types[n]),
        },
    });
    for_each_range(outs[0].layout().len(), &|range| {
        // SAFETY: the operands were made from views that are borrowed while this runs, of one shape that
        // has the range; outputs are borrowed exclusively, so they share no element; an input is an output
        // itself or shares no element with any (`Source`, `RowMajorSource`); the layout of an output is
        // injective, so other ranges are other elements of it.
        unsafe { map_range(body, &operands, range) }
    });
}

/// Copies the elements of a lens to a view.
///
/// # Panics
/// If the shapes or types differ: the caller has compared them.
pub(crate) fn copy<'x>(out: AnyViewMut<'x>, lens: &AnyLens<'_>) -> Written<'x> {
    assert_eq!(out.dtype(), lens.dtype(), "a copy does not convert");
    assert_eq!(out.layout().shape(), lens.chain().shape(), "a copy is between views of one shape");
    if out.layout().is_empty() {
        return out.written_empty();
    }
    if let Some(view) = lens.as_strided_view() {
        let shape = view.layout().shape();
        if out.layout().view(&*shape).is_ok() {
            return copy::copy(out.view(&shape).expect("the view was checked"), &view);
        }
    }
    let (to, from) =
        (RowMajorOperand::output(&out, out.dtype()), RowMajorOperand::lens(lens, lens.dtype()));
    for_each_range(out.layout().len(), &|range| {
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
/// that is longer than [`BLOCK_ELEMENTS`]. The blocks depend on nothing else.
///
/// # Panics
/// If the range exceeds the number of elements, or the source is an output.
pub(crate) fn for_each_block(
    source: &RowMajorSource<'_>,
    dtype: DType,
    range: Range<usize>,
    unit: usize,
    f: &mut dyn FnMut(*const u8, usize),
) {
    let operand = RowMajorOperand::input(source, dtype);
    assert!(range.end <= operand.len, "positions {range:?} of {}", operand.len);
    if range.is_empty() {
        return;
    }
    let whole_units = (BLOCK_ELEMENTS / unit * unit).max(1);
    let (mut buffer, mut scratch) = (Buffer::new(), Buffer::new());
    let mut cursor = OperandCursor::new(&operand, range.start, &mut buffer, BLOCK_ELEMENTS);
    let mut at = range.start;
    while at < range.end {
        let len = match unit <= BLOCK_ELEMENTS {
            true => whole_units.min(range.end - at),
            false => BLOCK_ELEMENTS.min(unit - (at - range.start) % unit).min(range.end - at),
        };
        f(cursor.fetch(len, &mut scratch), len);
        at += len;
    }
}

/// Returns the elements at a range of positions in row-major order, cast to a type.
///
/// # Panics
/// As [`for_each_block`].
pub(crate) fn values<T: Element>(source: &RowMajorSource<'_>, range: Range<usize>) -> Vec<T> {
    let mut values = scratch(range.len());
    for_each_block(source, T::DTYPE, range, BLOCK_ELEMENTS, &mut |at, len| {
        // SAFETY: the block has `len` readable elements of the type that was passed.
        values.extend((0..len).map(|i| unsafe { at.cast::<T>().add(i).read() }));
    });
    values
}

/// Returns a shape in which all operands have strides, and the inputs in that shape. Only one shape is tried:
/// that of the first lens without its reshapes.
fn strided_in_one_shape<'a>(
    outs: &[AnyViewMut<'_>],
    inputs: &[RowMajorSource<'a>],
) -> Option<(Shape, Vec<Source<'a>>)> {
    let first = inputs.iter().find_map(|input| match input {
        RowMajorSource::Lens(lens) => Some(lens),
        RowMajorSource::Source(_) => None,
    });
    let shape = first?.as_strided_view()?.layout().shape();
    if outs.iter().any(|out| out.layout().view(&*shape).is_err()) {
        return None;
    }
    let sources = inputs.iter().map(|input| match input {
        RowMajorSource::Source(Source::Output(n)) => Some(Source::Output(*n)),
        RowMajorSource::Source(Source::Shifted(_)) => None,
        RowMajorSource::Source(Source::View(view)) => view.view(&shape).ok().map(Source::View),
        RowMajorSource::Lens(lens) => lens.as_strided_view()?.view(&shape).ok().map(Source::View),
    });
    let sources = sources.collect::<Option<Vec<_>>>()?;
    Some((shape, sources))
}

/// Calls a function for ranges that partition the positions, on several threads if there are enough of them.
fn for_each_range(len: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    let n = pieces_for(len, usize::MAX);
    pool::run(n, &|i| f(piece_of(len, BLOCK_ELEMENTS, i, n)));
}

/// An operand that is read or written in row-major order, shared by several threads.
pub(super) struct RowMajorOperand<'a> {
    /// The address of offset 0.
    memory: SyncPtr<u8>,
    /// The address of the padding's value, if there can be any.
    padding: SyncPtr<u8>,
    /// Invariant: every offset of it is an element at `memory`, readable or, for an output, writable for `'a`.
    walk: RowMajorWalk<'a>,
    /// The number of positions of the walk.
    len: usize,
    is_broadcast: bool,
    /// Bytes of an element in memory.
    size: usize,
    /// The cast to the body's type; of an output, from it.
    convert: Option<Body<'static, 2>>,
}

impl<'a> RowMajorOperand<'a> {
    fn new(
        memory: NonNull<u8>,
        walk: RowMajorWalk<'a>,
        len: usize,
        memory_type: DType,
        body_type: DType,
    ) -> RowMajorOperand<'a> {
        RowMajorOperand {
            memory: SyncPtr::new(memory.as_ptr()),
            padding: SyncPtr::new(ptr::null_mut()),
            is_broadcast: walk.is_broadcast(),
            walk,
            len,
            size: memory_type.size(),
            convert: (memory_type != body_type).then(|| cast(memory_type, body_type)),
        }
    }

    /// Returns an input that is read without an output.
    ///
    /// # Panics
    /// If it is the output.
    pub(super) fn input(source: &'a RowMajorSource<'_>, body_type: DType) -> RowMajorOperand<'a> {
        match source {
            RowMajorSource::Source(Source::View(view)) => RowMajorOperand::view(view, body_type),
            RowMajorSource::Lens(lens) => RowMajorOperand::lens(lens, body_type),
            RowMajorSource::Source(_) => panic!("an output is not read in blocks"),
        }
    }

    fn view(view: &'a AnyView<'_>, body_type: DType) -> RowMajorOperand<'a> {
        let walk = RowMajorWalk::of_layout(view.layout());
        RowMajorOperand::new(view.ptr(), walk, view.layout().len(), view.dtype(), body_type)
    }

    fn read_output(out: &'a AnyViewMut<'_>, body_type: DType) -> RowMajorOperand<'a> {
        let walk = RowMajorWalk::of_layout(out.layout());
        // A broadcast operand is read once, so it must not be the one that is written.
        RowMajorOperand {
            is_broadcast: false,
            ..RowMajorOperand::new(out.ptr(), walk, out.layout().len(), out.dtype(), body_type)
        }
    }

    fn output(out: &'a AnyViewMut<'_>, body_type: DType) -> RowMajorOperand<'a> {
        let convert = (out.dtype() != body_type).then(|| cast(body_type, out.dtype()));
        RowMajorOperand { convert, ..RowMajorOperand::read_output(out, body_type) }
    }

    fn lens(lens: &'a AnyLens<'_>, body_type: DType) -> RowMajorOperand<'a> {
        let (walk, len) = (RowMajorWalk::of_chain(lens.chain()), lens.chain().len());
        let padding = SyncPtr::new(lens.padding().ptr().cast_mut());
        RowMajorOperand {
            padding,
            ..RowMajorOperand::new(lens.ptr(), walk, len, lens.dtype(), body_type)
        }
    }

    /// Returns the address of a tile's first element, and its steps in bytes.
    fn address(&self, tile: &WalkTile) -> (*mut u8, Steps) {
        let size = self.size as isize;
        let [rows, cols] = tile.strides.map(|stride| stride * size);
        match tile.start {
            Some(start) => {
                (self.memory.get().wrapping_add(start * self.size), Steps { rows, cols })
            }
            None => (self.padding.get(), Steps { rows: 0, cols: 0 }),
        }
    }

    /// Returns the steps of the elements of a tile in a buffer, where they are contiguous.
    fn packed(&self, tile: &WalkTile) -> Steps {
        let (cols, size) = (tile.counts[1], self.size);
        Steps { rows: (cols * size) as isize, cols: size as isize }
    }

    /// Copies `len` elements between the operand and a block, where they are contiguous. The cursor has passed the
    /// first tile of them already.
    ///
    /// # Safety
    /// - There must be `len` elements left, and `block` must have room for as many;
    /// - to pack, the elements must be readable, and `block` writable;
    /// - to unpack, the elements must be writable, and those of `block` readable;
    /// - the two share no element.
    unsafe fn transfer(
        &self,
        direction: Direction,
        first: WalkTile,
        tiles: &mut WalkCursor<'_>,
        len: usize,
        block: *mut u8,
    ) {
        let (mut tile, mut done) = (first, 0);
        loop {
            let (memory, strided) = self.address(&tile);
            let packed = self.packed(&tile);
            // SAFETY: the tile's offsets are those of the walk, which are elements (invariant of `walk`), or all of it
            // is padding, which is one element, and an output has none; `block` has room for what is left.
            unsafe {
                let at = block.add(done * self.size);
                let (to, to_steps, from, from_steps) = match direction {
                    Direction::Pack => (at, packed, memory, strided),
                    Direction::Unpack => (memory, strided, at, packed),
                };
                copy_tile(self.size, to, to_steps, from, from_steps, tile.counts);
            }
            done += tile.len();
            if done == len {
                return;
            }
            tile = tiles.next(len - done);
        }
    }
}

/// The direction of a copy between an operand and a block.
#[derive(Clone, Copy)]
enum Direction {
    /// From the operand to the block.
    Pack,
    /// From the block to the operand.
    Unpack,
}

/// A position in an operand, and the buffer that its next block is packed into.
pub(super) struct OperandCursor<'s> {
    operand: &'s RowMajorOperand<'s>,
    tiles: WalkCursor<'s>,
    /// The number of elements from the position on.
    n_left: usize,
    buffer: &'s mut Buffer,
    /// How often a broadcast element is packed.
    n_broadcast: usize,
    /// Whether the buffer holds the broadcast element already.
    is_packed: bool,
}

impl<'s> OperandCursor<'s> {
    /// Creates a cursor at a position. A broadcast operand is packed once, as `n_broadcast` elements.
    ///
    /// # Panics
    /// If there is no such position, or `n_broadcast` exceeds [`BLOCK_ELEMENTS`].
    pub(super) fn new(
        operand: &'s RowMajorOperand<'s>,
        position: usize,
        buffer: &'s mut Buffer,
        n_broadcast: usize,
    ) -> OperandCursor<'s> {
        assert!(
            position < operand.len && n_broadcast <= BLOCK_ELEMENTS,
            "a position of the operand"
        );
        let (tiles, n_left) = (operand.walk.cursor_at(position), operand.len - position);
        OperandCursor { operand, tiles, n_left, buffer, n_broadcast, is_packed: false }
    }

    /// Returns the address of the next `len` elements of an input as a block of the body's type, readable until the
    /// next call.
    ///
    /// # Panics
    /// If fewer elements are left, or `len` exceeds [`BLOCK_ELEMENTS`].
    pub(super) fn fetch(&mut self, len: usize, scratch: &mut Buffer) -> *mut u8 {
        assert!(len <= self.n_left && len <= BLOCK_ELEMENTS, "elements are left");
        self.n_left -= len;
        let (operand, to) = (self.operand, self.buffer.ptr());
        if self.is_packed {
            return to;
        }
        let (first, len) = match operand.is_broadcast {
            true => {
                let n = self.n_broadcast;
                (WalkTile { counts: [1, n], strides: [0, 0], ..self.tiles.next(1) }, n)
            }
            false => (self.tiles.next(len), len),
        };
        self.is_packed = operand.is_broadcast;
        let is_block = first.is_contiguous() && first.len() == len;
        // SAFETY: `len` elements are left, or the one element is broadcast, and they are readable (invariant of
        // `walk`); the buffers have room for `BLOCK_ELEMENTS` elements of any type, are aligned for all of them, and are
        // borrowed exclusively; `convert` is called on `len` contiguous elements of the type in memory.
        unsafe {
            match &operand.convert {
                None if is_block && !operand.is_broadcast => return operand.address(&first).0,
                None => operand.transfer(Direction::Pack, first, &mut self.tiles, len, to),
                Some(convert) if is_block => convert.call([to, operand.address(&first).0], len, 0),
                Some(convert) => {
                    let packed = scratch.ptr();
                    operand.transfer(Direction::Pack, first, &mut self.tiles, len, packed);
                    convert.call([to, packed], len, 0);
                }
            }
        }
        to
    }

    /// Casts and unpacks `len` results from the buffer of an output, of which the cursor has passed the first tile.
    ///
    /// # Safety
    /// - There must be `len` elements left, which are writable and which no other thread accesses;
    /// - the buffer must hold as many of the body's type.
    unsafe fn unpack(&mut self, first: WalkTile, len: usize, scratch: &mut Buffer) {
        let mut from = self.buffer.ptr();
        // SAFETY: the buffers have room for `BLOCK_ELEMENTS` elements of any type and are aligned for all of them; the elements
        // are writable (contract).
        unsafe {
            if let Some(convert) = &self.operand.convert {
                convert.call([scratch.ptr(), from], len, 0);
                from = scratch.ptr();
            }
            self.operand.transfer(Direction::Unpack, first, &mut self.tiles, len, from);
        }
    }
}

/// Calls a body for a range of positions.
///
/// # Safety
/// - All operands must have the range of positions;
/// - the elements of outputs must be writable, and no other thread may access them; outputs share no element;
/// - those of inputs must be readable; an input is an output itself or shares no element with any.
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
    let (n_outputs, takes_broadcast) = (body.n_outputs(), body.takes_broadcast());
    let broadcast = (n_outputs..N).filter(|&n| takes_broadcast && operands[n].is_broadcast);
    let broadcast: BroadcastMask = broadcast.fold(0, |bits, n| bits | 1 << n);
    let n_broadcast = if takes_broadcast { 1 } else { BLOCK_ELEMENTS.min(at.len()) };
    let mut buffer = buffers.iter_mut();
    let mut cursors: [OperandCursor<'_>; N] = std::array::from_fn(|n| {
        let buffer = buffer.next().expect("one buffer for each operand");
        OperandCursor::new(&operands[n], at.start, buffer, n_broadcast)
    });
    for from in at.clone().step_by(BLOCK_ELEMENTS) {
        let len = BLOCK_ELEMENTS.min(at.end - from);
        let (outs, inputs) = cursors.split_at_mut(n_outputs);
        let mut blocks = [ptr::null_mut(); N];
        for (block, input) in blocks[n_outputs..].iter_mut().zip(inputs) {
            *block = input.fetch(len, &mut scratch);
        }
        // The first tiles of the outputs that are unpacked.
        let mut unpacked = [None; N];
        for (n, out) in outs.iter_mut().enumerate() {
            let first = out.tiles.next(len);
            let is_direct =
                first.is_contiguous() && first.len() == len && out.operand.convert.is_none();
            blocks[n] = if is_direct { out.operand.address(&first).0 } else { out.buffer.ptr() };
            unpacked[n] = (!is_direct).then_some(first);
        }
        // SAFETY: each block has `len` elements of the body's type, or one if it is broadcast. An input is
        // in a buffer of its own, or in its memory: there it shares no element with an output, or is an
        // output, at the same positions, and so is the same block.
        unsafe { body.call(blocks, len, broadcast) };
        for (out, first) in outs.iter_mut().zip(unpacked) {
            if let Some(first) = first {
                // SAFETY: the body has filled the buffer; the positions are writable.
                unsafe { out.unpack(first, len, &mut scratch) };
            }
        }
    }
}

/// Copies the elements at a range of positions.
///
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
    for start in at.clone().step_by(BLOCK_ELEMENTS) {
        let len = BLOCK_ELEMENTS.min(at.end - start);
        let (to_tile, from_tile) = (to_tiles.next(len), from_tiles.next(len));
        // SAFETY: at least `len` elements are left in the range; the buffer has room for `BLOCK_ELEMENTS`.
        unsafe {
            let is_block = to_tile.is_contiguous() && to_tile.len() == len;
            let block = if is_block { to.address(&to_tile).0 } else { buffer.ptr() };
            from.transfer(Direction::Pack, from_tile, &mut from_tiles, len, block);
            if !is_block {
                to.transfer(Direction::Unpack, to_tile, &mut to_tiles, len, block);
            }
        }
    }
}
