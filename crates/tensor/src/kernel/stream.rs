//! A body over operands of which some are lenses, by their runs.
//!
//! **The problem.** `map.rs` walks all operands by their strides, in the order that suits them best.
//! What is seen through a chain has no strides: it is runs, in the order of the indices.
//!
//! **The plain solution** is to look up every element, at a division for each axis and stage; or to
//! write the lens out first, which is a pass over memory. Here all operands are walked in the order of
//! the indices instead, a block at a time. Each brings its next elements into a buffer in the
//! first-level cache, patch by patch ([`Walk`]), or says where they lie if that is one block already;
//! the body is called on the blocks; and the result is spread over the output in the same way.
//!
//! **What it costs** is a few divisions for each run of a lens, and a pass over the cache for whatever
//! does not lie in order: a transposed operand is read against its grain. So only operations with a lens
//! come here; and those whose operands all have strides in some other shape, as a reshape of any layout
//! does, go on to `map.rs` in that shape.

use super::body::{Body, BroadcastMask};
use super::cast::cast;
use super::copy::{self, Steps, copy_tile};
use super::map::{self, Buffer};
use crate::plan::{BLOCK, Patch, Patches, Walk, n_ranges, range};
use crate::view::{AnyLens, AnyView, AnyViewMut, Source, Written};
use crate::{DType, Element, Shape, pool};
use std::ops::Range;
use std::ptr;

/// What is read in the order of the indices.
pub(crate) enum Stream<'a> {
    /// Memory with strides, or the output itself.
    Source(Source<'a>),
    /// Memory seen through a chain, which shares no element with the output.
    Lens(AnyLens<'a>),
}

impl Stream<'_> {
    /// The shape; that of the output has to be given.
    fn shape(&self, out: &Shape) -> Shape {
        match self {
            Stream::Source(Source::View(view)) => view.layout().shape(),
            Stream::Source(Source::Output | Source::Shifted(_)) => out.clone(),
            Stream::Lens(lens) => lens.chain().shape().into(),
        }
    }
}

/// Calls a body for every element of the inputs, and writes what it gives to the output.
///
/// All shapes are the same, and there is an input for each of the body's; if not, this panics. Types
/// may differ from the body's: elements are converted on the way.
pub(crate) fn map<'x, const N: usize>(
    body: &Body<'_, N>,
    out: AnyViewMut<'x>,
    inputs: &[Stream<'_>],
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
    let sides: [Side<'_>; N] = std::array::from_fn(|n| match n {
        0 => Side::output(&out, types[0]),
        n => match &inputs[n - 1] {
            Stream::Source(Source::View(view)) => Side::view(view, types[n]),
            Stream::Source(Source::Output) => Side::read_output(&out, types[n]),
            Stream::Source(Source::Shifted(_)) => unreachable!("beside a lens it is copied"),
            Stream::Lens(lens) => Side::lens(lens, types[n]),
        },
    });
    in_ranges(out.layout().len(), &|range| {
        // SAFETY: the sides were made from views that are borrowed while this runs, and have at least
        // as many elements as the range; an input is the output itself or shares no element with it
        // (`Source`, `Stream`); the layout of an output is injective, so other ranges are other
        // elements of it.
        unsafe { map_range(body, &sides, range) }
    });
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Copies what a lens shows to a view of the same shape and type; if they differ, this panics.
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
            return copy::copy(out.view(&shape).expect("it was asked for just now"), &walk);
        }
    }
    let (to, from) = (Side::output(&out, out.dtype()), Side::lens(lens, lens.dtype()));
    in_ranges(out.layout().len(), &|range| {
        // SAFETY: as in `map`.
        unsafe { copy_range(&to, &from, range) }
    });
    // SAFETY: all elements have just been written.
    unsafe { out.written() }
}

/// Calls a function for consecutive blocks of the elements at a range of positions, as a type. The
/// pointer is to elements that can be read until the function returns.
///
/// The range is taken to be units of so many elements each: a block is some of them, or a part of one
/// that is longer than [`BLOCK`]. What blocks there are depends on nothing else.
///
/// If there are not so many elements, or the stream is of an output, this panics.
pub(crate) fn blocks(
    stream: &Stream<'_>,
    dtype: DType,
    range: Range<usize>,
    unit: usize,
    f: &mut dyn FnMut(*const u8, usize),
) {
    let (side, len) = match stream {
        Stream::Source(Source::View(view)) => (Side::view(view, dtype), view.layout().len()),
        Stream::Lens(lens) => (Side::lens(lens, dtype), lens.chain().len()),
        Stream::Source(_) => panic!("there is no output here"),
    };
    assert!(range.end <= len, "positions {range:?} of {len}");
    if range.is_empty() {
        return;
    }
    let whole_units = (BLOCK / unit * unit).max(1);
    let (mut buffer, mut scratch) = (Buffer::new(), Buffer::new());
    // SAFETY: the range lies inside of the walk, and the buffers live as long as the cursor.
    let mut cursor = unsafe { Cursor::new(&side, range.start, &mut buffer, &mut scratch, BLOCK) };
    let mut at = range.start;
    while at < range.end {
        let len = match unit <= BLOCK {
            true => whole_units.min(range.end - at),
            false => BLOCK.min(unit - (at - range.start) % unit).min(range.end - at),
        };
        // SAFETY: so many elements are left in the range.
        f(unsafe { cursor.fetch(len, &mut scratch) }, len);
        at += len;
    }
}

/// All elements in the order of the indices, as a type.
///
/// If the stream is of an output, this panics.
pub(crate) fn values<T: Element>(stream: &Stream<'_>, range: Range<usize>) -> Vec<T> {
    let mut values = Vec::with_capacity(range.len());
    blocks(stream, T::DTYPE, range, BLOCK, &mut |at, len| {
        // SAFETY: the block has `len` elements of the type that was asked for.
        values.extend((0..len).map(|i| unsafe { at.cast::<T>().add(i).read() }));
    });
    values
}

/// A shape in which all operands have strides, and what is read in that shape. It is looked for in one
/// place only: that of the first lens without its reshapes.
fn in_strides<'a>(out: &AnyViewMut<'_>, inputs: &[Stream<'a>]) -> Option<(Shape, Vec<Source<'a>>)> {
    let first = inputs.iter().find_map(|input| match input {
        Stream::Lens(lens) => Some(lens),
        Stream::Source(_) => None,
    });
    let shape = first?.walk()?.layout().shape();
    out.layout().view(&*shape).ok()?;
    let sources = inputs.iter().map(|input| match input {
        Stream::Source(Source::Output) => Some(Source::Output),
        Stream::Source(Source::Shifted(_)) => None,
        Stream::Source(Source::View(view)) => view.view(&shape).ok().map(Source::View),
        Stream::Lens(lens) => lens.walk()?.view(&shape).ok().map(Source::View),
    });
    let sources = sources.collect::<Option<Vec<_>>>()?;
    Some((shape, sources))
}

/// Runs a function for ranges of positions that are all of them, on several threads if it pays.
fn in_ranges(len: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    match n_ranges(len, pool::num_threads()) {
        1 => f(0..len),
        n => pool::run(n, &|i| f(range(len, i, n))),
    }
}

/// An operand, for several threads.
struct Side<'a> {
    /// Where offset 0 is.
    memory: *mut u8,
    /// Where the padding is, if there can be any.
    padding: *const u8,
    /// Invariant: every offset of it is an element at `memory`, readable or, for an output, writable.
    walk: Walk<'a>,
    is_still: bool,
    /// Bytes of an element in memory.
    size: usize,
    /// What converts it to what the body knows; of an output, the other way round.
    convert: Option<Body<'static, 2>>,
}

// SAFETY: threads read the elements, which the view allows; an output they write at ranges of
// positions that share no element.
unsafe impl Sync for Side<'_> {}

impl<'a> Side<'a> {
    fn new(memory: *mut u8, walk: Walk<'a>, memory_type: DType, inside: DType) -> Side<'a> {
        let (size, is_still) = (memory_type.size(), walk.is_still());
        let convert = (memory_type != inside).then(|| cast(memory_type, inside));
        Side { memory, padding: ptr::null(), walk, is_still, size, convert }
    }

    fn view(view: &'a AnyView<'_>, inside: DType) -> Side<'a> {
        let walk = Walk::of_layout(view.layout());
        Side::new(view.ptr().as_ptr(), walk, view.dtype(), inside)
    }

    fn read_output(out: &'a AnyViewMut<'_>, inside: DType) -> Side<'a> {
        let walk = Walk::of_layout(out.layout());
        // One element may stand for all only if it is not the one that is written.
        Side { is_still: false, ..Side::new(out.ptr().as_ptr(), walk, out.dtype(), inside) }
    }

    fn output(out: &'a AnyViewMut<'_>, inside: DType) -> Side<'a> {
        let convert = (out.dtype() != inside).then(|| cast(inside, out.dtype()));
        Side { convert, ..Side::read_output(out, inside) }
    }

    fn lens(lens: &'a AnyLens<'_>, inside: DType) -> Side<'a> {
        let walk = Walk::of_chain(lens.chain());
        let padding = lens.padding().ptr();
        Side { padding, ..Side::new(lens.ptr().as_ptr(), walk, lens.dtype(), inside) }
    }

    /// Where a patch begins, and how far apart its elements are, in bytes.
    fn place(&self, patch: &Patch) -> (*mut u8, Steps) {
        let size = self.size as isize;
        let [rows, cols] = patch.strides.map(|stride| stride * size);
        match patch.start {
            Some(start) => (self.memory.wrapping_add(start * self.size), Steps { rows, cols }),
            None => (self.padding.cast_mut(), Steps { rows: 0, cols: 0 }),
        }
    }

    /// The steps of a patch that lies in order.
    fn in_order(&self, patch: &Patch) -> Steps {
        let (cols, size) = (patch.counts[1], self.size);
        Steps { rows: (cols * size) as isize, cols: size as isize }
    }

    /// Brings `len` elements, of which the first patch is taken already, to where they lie in order.
    ///
    /// # Safety
    /// There must be so many elements left; they must be readable, and `to` have room for them.
    unsafe fn gather(&self, first: Patch, patches: &mut Patches<'_>, len: usize, to: *mut u8) {
        let (mut patch, mut done) = (first, 0);
        loop {
            let (from, steps) = self.place(&patch);
            // SAFETY: the patch's offsets are those of the walk, which are elements (invariant of
            // `walk`), or all of it is padding, which is one element; `to` has room for what is left.
            unsafe {
                let to = to.add(done * self.size);
                copy_tile(self.size, to, self.in_order(&patch), from, steps, patch.counts);
            }
            done += patch.len();
            if done == len {
                return;
            }
            patch = patches.next(len - done);
        }
    }

    /// Brings `len` elements from where they lie in order to where they belong.
    ///
    /// # Safety
    /// There must be so many elements left; they must be writable, and `from` hold so many.
    unsafe fn scatter(&self, first: Patch, patches: &mut Patches<'_>, len: usize, from: *const u8) {
        let (mut patch, mut done) = (first, 0);
        loop {
            let (to, steps) = self.place(&patch);
            // SAFETY: as in `gather`; an output has no padding.
            unsafe {
                let from = from.add(done * self.size);
                copy_tile(self.size, to, steps, from, self.in_order(&patch), patch.counts);
            }
            done += patch.len();
            if done == len {
                return;
            }
            patch = patches.next(len - done);
        }
    }
}

/// Where an operand is, and the buffer in which its next block will be.
struct Cursor<'s> {
    side: &'s Side<'s>,
    patches: Patches<'s>,
    buffer: *mut u8,
}

impl<'s> Cursor<'s> {
    /// A cursor at a position. What stands still is brought into the buffer here, `n_still` times.
    ///
    /// # Safety
    /// There must be such a position; what stands still must be readable. The buffer must live, and
    /// not be used by others, as long as the cursor.
    unsafe fn new(
        side: &'s Side<'s>,
        position: usize,
        buffer: &mut Buffer,
        scratch: &mut Buffer,
        n_still: usize,
    ) -> Cursor<'s> {
        let patches = side.walk.patches_from(position);
        let mut cursor = Cursor { side, patches, buffer: buffer.ptr() };
        if side.is_still {
            let first = cursor.patches.next(1);
            let many = Patch { counts: [1, n_still], strides: [0, 0], ..first };
            // SAFETY: the one element is readable; the buffers have room for `BLOCK` elements.
            unsafe { cursor.bring(many, n_still, scratch) };
        }
        cursor
    }

    /// The next `len` elements as a block of the body's type, until the next call.
    ///
    /// # Safety
    /// There must be so many elements left, at most `BLOCK`; they must be readable.
    unsafe fn fetch(&mut self, len: usize, scratch: &mut Buffer) -> *mut u8 {
        if self.side.is_still {
            return self.buffer;
        }
        let first = self.patches.next(len);
        match (first.block(), &self.side.convert) {
            (Some(_), None) if first.len() == len => self.side.place(&first).0,
            // SAFETY: the caller's promises.
            _ => unsafe { self.bring(first, len, scratch) },
        }
    }

    /// Brings `len` elements, of which the first patch is taken already, into the buffer.
    ///
    /// # Safety
    /// That of `fetch`.
    unsafe fn bring(&mut self, first: Patch, len: usize, scratch: &mut Buffer) -> *mut u8 {
        let Cursor { side, patches, buffer } = self;
        // SAFETY: the buffers have room for `BLOCK` elements of any type and are aligned for all of
        // them; what is converted are `len` elements of the type in memory, one behind the other.
        unsafe {
            match &side.convert {
                None => side.gather(first, patches, len, *buffer),
                Some(convert) if first.block().is_some() && first.len() == len => {
                    convert.call([*buffer, side.place(&first).0], len, 0);
                }
                Some(convert) => {
                    side.gather(first, patches, len, scratch.ptr());
                    convert.call([*buffer, scratch.ptr()], len, 0);
                }
            }
        }
        *buffer
    }
}

/// # Safety
/// The positions must be of all sides; the first one's elements writable, by nobody else; those of the
/// others readable. An input is the output itself or shares no element with it.
unsafe fn map_range<const N: usize>(body: &Body<'_, N>, sides: &[Side<'_>; N], at: Range<usize>) {
    if at.is_empty() {
        return;
    }
    let mut buffers = [const { Buffer::new() }; N];
    let mut scratch = Buffer::new();
    let takes_still = body.takes_broadcast();
    let still = (1..N).filter(|&n| takes_still && sides[n].is_still);
    let still: BroadcastMask = still.fold(0, |bits, n| bits | 1 << n);
    let n_still = if takes_still { 1 } else { BLOCK.min(at.len()) };
    let mut buffer = buffers.iter_mut();
    let mut cursors: [Cursor<'_>; N] = std::array::from_fn(|n| {
        let buffer = buffer.next().expect("one buffer for each side");
        // SAFETY: the caller's promises; the buffers live until the end.
        unsafe { Cursor::new(&sides[n], at.start, buffer, &mut scratch, n_still) }
    });
    for from in at.clone().step_by(BLOCK) {
        let len = BLOCK.min(at.end - from);
        let [out, inputs @ ..] = &mut cursors[..] else { unreachable!("there is an output") };
        let mut blocks = [ptr::null_mut(); N];
        for (block, input) in blocks[1..].iter_mut().zip(inputs) {
            // SAFETY: so many elements are left in the range.
            *block = unsafe { input.fetch(len, &mut scratch) };
        }
        let first = out.patches.next(len);
        let is_direct = first.block().is_some() && first.len() == len && out.side.convert.is_none();
        blocks[0] = if is_direct { out.side.place(&first).0 } else { out.buffer };
        // SAFETY: each block has `len` elements of the body's type, or one if it stands still. An
        // input lies in a buffer of its own, or where it lies in memory: there it shares nothing with
        // the output, or is the output, whose positions are the same, and so is the block.
        unsafe { body.call(blocks, len, still) };
        if !is_direct {
            // SAFETY: the body has filled the buffer; the positions are writable.
            unsafe { put(out, first, len, &mut scratch) };
        }
    }
}

/// Spreads the results in the buffer of an output over `len` elements.
///
/// # Safety
/// The elements must be writable, and the buffer hold so many as the body gave them.
unsafe fn put(out: &mut Cursor<'_>, first: Patch, len: usize, scratch: &mut Buffer) {
    let Cursor { side, patches, buffer } = out;
    // SAFETY: the buffers have room for `BLOCK` elements of any type and are aligned for all of them.
    unsafe {
        let from = match &side.convert {
            None => *buffer,
            Some(convert) => {
                convert.call([scratch.ptr(), *buffer], len, 0);
                scratch.ptr()
            }
        };
        side.scatter(first, patches, len, from);
    }
}

/// # Safety
/// The positions must be of both sides, the elements of one writable, by nobody else, those of the
/// other readable; they share none, and are of one type.
unsafe fn copy_range(to: &Side<'_>, from: &Side<'_>, at: Range<usize>) {
    if at.is_empty() {
        return;
    }
    let mut buffer = Buffer::new();
    let (mut places, mut patches) =
        (to.walk.patches_from(at.start), from.walk.patches_from(at.start));
    for start in at.clone().step_by(BLOCK) {
        let len = BLOCK.min(at.end - start);
        let (place, patch) = (places.next(len), patches.next(len));
        // SAFETY: so many elements are left in the range; the buffer has room for `BLOCK`.
        unsafe {
            if place.block().is_some() && place.len() == len {
                from.gather(patch, &mut patches, len, to.place(&place).0);
            } else {
                from.gather(patch, &mut patches, len, buffer.ptr());
                to.scatter(place, &mut places, len, buffer.ptr());
            }
        }
    }
}
