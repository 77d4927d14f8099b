//! The memory of an operation along one line.
//!
//! Small operands are mostly walked by one loop: their elements lie one behind the other, or one stride
//! apart, or one of them stands for all. Then there is no plan to make and no layout to copy: a kernel
//! needs to know where the first element is, and how far it is to the next one. What is not like that,
//! or shares a storage with somebody who is at work, goes the way of `operate.rs`, which knows
//! everything and has the errors.

use super::{AnyView, Cell, Written};
use crate::borrow::{Claims, try_claim, try_claim_reads, try_claim_write};
use crate::plan::GRAIN;
use crate::{DType, Element, Error, Layout, Storage, Tensor};
use std::marker::PhantomData;
use std::ptr::null_mut;

/// What an operation along a line reads.
#[derive(Clone, Copy)]
pub(crate) enum Along<'a> {
    /// A tensor, which has to be borrowed.
    Tensor(&'a Tensor),
    /// Memory that is borrowed already.
    View(&'a AnyView<'a>),
    /// A number, which stands for all.
    Cell(&'a Cell),
    /// Something that has no line.
    Nowhere,
}

/// The inputs of an operation along a line, borrowed.
pub(crate) struct Lines<'a, const M: usize> {
    /// Has the shape of the result.
    leading: &'a Layout,
    /// Lead to elements that are borrowed through `_claims`, or by whoever made the views and cells.
    tracks: [Track; M],
    _claims: Claims<'a, M>,
}

/// Where elements lie along a line: numbers that prove nothing.
#[derive(Clone, Copy)]
pub(super) struct Track {
    pub(super) ptr: *mut u8,
    pub(super) step: isize,
    pub(super) len: usize,
    pub(super) dtype: DType,
}

/// Elements that are read along a line.
///
/// Invariant: from `ptr` on there are `len` elements of `dtype`, `step` bytes apart, initialised and
/// readable during `'x`. They are those of the [`LineMut`] with this lifetime, position by position, or
/// share no byte with them; nobody else writes to them meanwhile. The lifetime is a brand: it can be
/// neither shortened nor lengthened.
#[derive(Clone, Copy)]
pub(crate) struct Line<'x> {
    track: Track,
    brand: PhantomData<fn(&'x ()) -> &'x ()>,
}

/// Elements that are written along a line.
///
/// Invariant: as for [`Line`], but the elements are writable and nobody else's during `'x`, each has one
/// position, and they may be uninitialised.
pub(crate) struct LineMut<'x>(Line<'x>);

// They are passed in registers, or nearly.
const _: () = assert!(size_of::<Line<'_>>() <= 32);

impl<'x> Line<'x> {
    /// # Safety
    /// The invariant of `Line` must hold, or that of `LineMut` where it is part of one.
    #[inline]
    pub(super) unsafe fn on(track: Track) -> Line<'x> {
        Line { track, brand: PhantomData }
    }

    /// Where the first element is.
    #[inline]
    pub(crate) fn ptr(&self) -> *mut u8 {
        self.track.ptr
    }

    /// How many bytes on the next one is; 0 if one stands for all.
    #[inline]
    pub(crate) fn step(&self) -> isize {
        self.track.step
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.track.len
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.track.dtype
    }
}

impl<'x> LineMut<'x> {
    /// # Safety
    /// The invariant of `LineMut` must hold.
    #[inline]
    pub(super) unsafe fn on(track: Track) -> LineMut<'x> {
        // SAFETY: the caller's promise.
        LineMut(unsafe { Line::on(track) })
    }

    /// Where the elements are.
    #[inline]
    pub(crate) fn line(&self) -> &Line<'x> {
        &self.0
    }

    /// The proof that every element was written: for kernels, when they have.
    ///
    /// # Safety
    /// Every element of the line must be initialised.
    #[inline]
    pub(crate) unsafe fn written(self) -> Written<'x> {
        Written(PhantomData)
    }
}

impl Track {
    /// A place for one that is not known yet.
    pub(super) const NOWHERE: Track =
        Track { ptr: null_mut(), step: 0, len: 0, dtype: DType::Bool };

    /// The same so many bytes further on.
    #[inline]
    pub(super) fn moved(self, bytes: isize) -> Track {
        Track { ptr: self.ptr.wrapping_offset(bytes), ..self }
    }

    /// The address of the first byte of all elements, and of the one behind the last.
    #[inline]
    fn span(&self) -> (usize, usize) {
        let reach = self.step * (self.len as isize - 1);
        let at = self.ptr.addr();
        let end = at.wrapping_add_signed(reach.max(0)) + self.dtype.size();
        (at.wrapping_add_signed(reach.min(0)), end)
    }

    /// Whether another is the same, position by position, or shares no byte with it. False also if it
    /// would take more than a look to tell.
    #[inline]
    fn goes_with(&self, other: &Track) -> bool {
        let is_same = self.ptr == other.ptr && self.step == other.step && self.dtype == other.dtype;
        let ((low, end), (other_low, other_end)) = (self.span(), other.span());
        is_same || end <= other_low || other_end <= low
    }
}

impl<'a> Along<'a> {
    /// How it lies in memory; not so a number, which has no axes.
    #[inline]
    pub(super) fn layout(&self) -> Option<&'a Layout> {
        match self {
            Along::Tensor(tensor) => Some(tensor.layout()),
            Along::View(view) => Some(view.layout()),
            Along::Cell(_) | Along::Nowhere => None,
        }
    }

    #[inline]
    fn storage(&self) -> Option<&'a Storage> {
        match self {
            Along::Tensor(tensor) => Some(tensor.storage()),
            _ => None,
        }
    }

    /// Where its elements lie, with a place for each of `len` positions, if they lie along a line.
    #[inline(always)]
    fn track(&self, len: usize) -> Option<Track> {
        let stride = match self.layout() {
            Some(layout) => stride_of(layout)?,
            None => 0,
        };
        self.track_by(stride, len)
    }

    /// The places that a stride leads to from its first element on, if there is one.
    #[inline(always)]
    pub(super) fn track_by(&self, stride: isize, len: usize) -> Option<Track> {
        let (first, dtype) = match self {
            Along::Tensor(tensor) => (tensor.storage().ptr().as_ptr(), tensor.dtype()),
            Along::View(view) => (view.ptr().as_ptr(), view.dtype()),
            Along::Cell(cell) => (cell.ptr().cast_mut(), cell.dtype()),
            Along::Nowhere => return None,
        };
        // The elements are in memory, so no distance between two of them is beyond an `isize`.
        let (start, size) = (self.layout().map_or(0, Layout::start), dtype.size());
        let (ptr, step) = (first.wrapping_add(start * size), stride * size as isize);
        Some(Track { ptr, step, len, dtype })
    }
}

/// How far apart elements are that lie along one line; none if they do not.
#[inline]
fn stride_of(layout: &Layout) -> Option<isize> {
    match layout.axes() {
        [] => Some(0),
        [axis] => Some(axis.stride),
        _ => layout.is_contiguous().then_some(1),
    }
}

/// The layout of the shape that all have but those without axes, which are one element. None if shapes
/// differ otherwise, there is nothing to do, or so much that several threads should.
#[inline(always)]
fn leading_of<'a>(inputs: &[Along<'a>], out: Option<&'a Layout>) -> Option<&'a Layout> {
    let mut leading = out;
    for input in inputs {
        let Some(layout) = input.layout() else { continue };
        match leading {
            Some(it) if it.rank() != 0 => {
                if layout.rank() != 0 && !has_shape_of(it, layout) {
                    return None;
                }
            }
            _ => leading = Some(layout),
        }
    }
    leading.filter(|it| (1..2 * GRAIN).contains(&it.len()))
}

#[inline(always)]
fn has_shape_of(a: &Layout, b: &Layout) -> bool {
    let (a, b) = (a.axes(), b.axes());
    a.len() == b.len() && (0..a.len()).all(|k| a[k].len == b[k].len)
}

/// The tracks of all inputs, if they have some.
#[inline(always)]
fn tracks<const M: usize>(inputs: &[Along<'_>; M], len: usize) -> Option<[Track; M]> {
    let mut tracks = [Track::NOWHERE; M];
    for (track, input) in tracks.iter_mut().zip(inputs) {
        *track = input.track(len)?;
    }
    Some(tracks)
}

/// The storages that have to be borrowed.
#[inline(always)]
pub(super) fn storages<'a, const M: usize>(inputs: &[Along<'a>; M]) -> [Option<&'a Storage>; M] {
    std::array::from_fn(|n| inputs[n].storage())
}

/// The lines that tracks lead along.
///
/// # Safety
/// The invariant of `Line` must hold for all of them.
#[inline(always)]
unsafe fn lines<'x, const M: usize>(tracks: &[Track; M]) -> [Line<'x>; M] {
    // SAFETY: the caller's promise.
    std::array::from_fn(|n| unsafe { Line::on(tracks[n]) })
}

// Inlined, so that what is found out about operands stays in registers, and a result is made where it is
// needed: moving the two costs as much as all the rest.
impl<'a, const M: usize> Lines<'a, M> {
    /// Borrows inputs for an operation along a line. None if this is no work for one.
    #[inline(always)]
    pub(crate) fn of(inputs: &[Along<'a>; M]) -> Option<Lines<'a, M>> {
        let leading = leading_of(inputs, None)?;
        let tracks = tracks(inputs, leading.len())?;
        let _claims = try_claim_reads(storages(inputs))?;
        Some(Lines { leading, tracks, _claims })
    }

    /// Makes a tensor: a kernel reads the inputs and writes every element of the result, which is as long
    /// as they are.
    ///
    /// # Errors
    /// If there is not enough memory.
    #[inline(always)]
    pub(crate) fn make(
        &self,
        dtype: DType,
        kernel: impl for<'x> FnOnce(LineMut<'x>, [Line<'x>; M]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        self.make_shaped(self.leading, dtype, kernel)
    }

    /// The same for one result, of a tensor without axes.
    #[inline]
    pub(crate) fn make_one(
        &self,
        dtype: DType,
        kernel: impl for<'x> FnOnce(LineMut<'x>, [Line<'x>; M]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        self.make_shaped(&Layout::scalar(0)?, dtype, kernel)
    }

    #[inline(always)]
    fn make_shaped(
        &self,
        shaped: &Layout,
        dtype: DType,
        kernel: impl for<'x> FnOnce(LineMut<'x>, [Line<'x>; M]) -> Written<'x>,
    ) -> Result<Tensor, Error> {
        let (len, size) = (shaped.len(), dtype.size());
        // SAFETY: it becomes part of a tensor only in exchange for a `Written`.
        let storage = unsafe { Storage::uninit(len * size) }?;
        let track = Track { ptr: storage.ptr().as_ptr(), step: size as isize, len, dtype };
        // SAFETY: the storage is new, so nobody else has it, and has room for so many elements.
        let out = unsafe { LineMut::on(track) };
        // SAFETY: the tracks lead to elements that are borrowed for reading and initialised, and
        // none of them is in a new storage.
        let lines = unsafe { lines(&self.tracks) };
        // The lifetime is this call's own, so what comes back is about `out`: all of it is written.
        let Written(_) = kernel(out, lines);
        Ok(Tensor::on_new(storage, shaped.to_row_major(), dtype))
    }
}

/// The only element of a tensor. None if there are more, it is of another type, or somebody is at work in
/// its storage.
#[inline]
pub(crate) fn only<T: Element>(x: &Tensor) -> Option<T> {
    let lines = Lines::of(&[Along::Tensor(x)])?;
    let [track] = lines.tracks;
    let is_there = track.len == 1 && track.dtype == T::DTYPE;
    // SAFETY: the track leads to one element of this type, aligned and initialised as all elements of
    // tensors are, and borrowed for reading until `lines` is dropped.
    is_there.then(|| unsafe { track.ptr.cast::<T>().read() })
}

/// The most elements that are filled so briefly that all who use foreign memory may wait for it.
const MOST_FILLED: usize = 1 << 10;

/// Writes a number to every element of a tensor, through a kernel. False if this is no work for a line, there
/// are many of them, or the tensor cannot be written to; nothing has happened then.
#[inline]
pub(crate) fn fill_line(
    out: &Tensor,
    number: &Cell,
    kernel: impl for<'x> FnOnce(LineMut<'x>, [Line<'x>; 1]) -> Written<'x>,
) -> bool {
    let target = track_to_write(out).filter(|it| it.len <= MOST_FILLED);
    let Some(target) = target else { return false };
    let Some(number) = Along::Cell(number).track(target.len) else { return false };
    let Some(_claim) = try_claim_write(out.storage()) else { return false };
    // SAFETY: the elements are writable, borrowed for writing, and each has one position.
    let target = unsafe { LineMut::on(target) };
    // SAFETY: the cell is initialised, and no part of a storage.
    let number = unsafe { Line::on(number) };
    let Written(_) = kernel(target, [number]);
    true
}

/// Writes the elements of a tensor to those of another of the same shape, through a kernel. False as for
/// [`fill_line`].
#[inline]
pub(crate) fn assign_line(
    out: &Tensor,
    input: &Tensor,
    kernel: impl for<'x> FnOnce(LineMut<'x>, [Line<'x>; 1]) -> Written<'x>,
) -> bool {
    has_shape_of(out.layout(), input.layout()) && into_line(out, &[Along::Tensor(input)], kernel)
}

/// Where the elements of a tensor lie that is to be written to along a line, if it can be.
#[inline(always)]
fn track_to_write(out: &Tensor) -> Option<Track> {
    let len = out.len();
    let target = Along::Tensor(out).track(len)?;
    let is_injective = target.step != 0 || len == 1;
    let is_line = is_injective && out.storage().is_writable() && (1..2 * GRAIN).contains(&len);
    is_line.then_some(target)
}

/// Writes to a tensor along a line: a kernel reads the inputs and writes the output. False if this is no
/// work for a line; nothing has happened then.
#[inline(always)]
pub(crate) fn into_line<const M: usize>(
    out: &Tensor,
    inputs: &[Along<'_>; M],
    kernel: impl for<'x> FnOnce(LineMut<'x>, [Line<'x>; M]) -> Written<'x>,
) -> bool {
    let Some(leading) = leading_of(inputs, Some(out.layout())) else { return false };
    let Some(target) = track_to_write(out) else { return false };
    let Some(tracks) = tracks(inputs, target.len) else { return false };
    // An output has the shape that the inputs meet in: one of them has it.
    let has_axes = |input: &Along<'_>| input.layout().is_some_and(|it| it.rank() != 0);
    let is_shaped =
        leading.rank() == out.rank() && (out.rank() == 0 || inputs.iter().any(has_axes));
    if !is_shaped || !tracks.iter().all(|track| target.goes_with(track)) {
        return false;
    }
    let Some(_claims) = try_claim(Some(out.storage()), storages(inputs)) else { return false };
    // SAFETY: the output is writable and borrowed for writing, and each step leads to another element.
    let target = unsafe { LineMut::on(target) };
    // SAFETY: the tracks lead to elements that are borrowed for reading and initialised, and go with
    // the output.
    let lines = unsafe { lines(&tracks) };
    let Written(_) = kernel(target, lines);
    true
}
