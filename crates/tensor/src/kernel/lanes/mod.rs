//! Functions of whole lanes (1-D slices along an axis): sorts, scans, Fourier transforms.
//!
//! **The problem.** Such a function needs contiguous lanes, and its output lanes may have another length and another
//! dtype. The axis may have any stride.
//!
//! **The plain solution** packs one lane after the other, calls the function, and unpacks the result. This one differs:
//! a contiguous lane of the input or the output is not packed. Lanes that are adjacent in memory are packed together, a
//! group at a time: along an axis with a large stride each cache line holds elements of several lanes, and packing them
//! one by one would fetch it once for each. Lanes of another dtype than the function takes are cast into a buffer. A
//! lane may run along several axes. Of a group of broadcast lanes, which are one lane in memory, the function is called
//! for the first; the others of the output are copies.
//!
//! An input that is the output is always packed: a group is read before any of it is written. A lane that is changed in
//! place is packed and unpacked unless it is contiguous.
//!
//! Threads share the lanes, so results do not depend on their number.

mod operand;
mod walk;

use super::cast::cast;
use super::raw_slice::RawSlice;
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{DType, Element, Layout};
use operand::LaneOperand;
use std::slice;
use walk::LaneJob;

/// Calls `f` with every lane of `input` along an axis and the corresponding lane of `out`, which holds zeros. Elements of
/// another dtype than that of `A` are cast first.
///
/// Each thread has its own state, which `state` makes for the length of an input lane before any lane is written: a function
/// that allocates nothing else leaves the output unchanged if there is not enough memory.
///
/// An element costs as much as `cost` additions, on average.
///
/// # Panics
/// If the output does not have the dtype of `B`, or the views differ in another axis than this one.
pub(super) fn map_lanes<'x, A: Element, B: Element, S: Send>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn(usize) -> S,
    f: impl Fn(&mut S, RawSlice<'_, A>, &mut [B]) + Sync,
) -> Written<'x> {
    map_typed(out, axis, LaneSource::from_view(input), &[axis], cost, state, f)
}

/// Like [`map_lanes`], for lanes of `input` along several axes in row-major order, and lanes of `out` along axis `to`.
/// The views must agree in all other axes.
pub(super) fn map_lanes_of_axes<'x, A: Element, B: Element, S: Send>(
    out: AnyViewMut<'x>,
    to: usize,
    input: &AnyView<'_>,
    from: &[usize],
    cost: usize,
    state: impl Fn(usize) -> S,
    f: impl Fn(&mut S, RawSlice<'_, A>, &mut [B]) + Sync,
) -> Written<'x> {
    map_typed(out, to, LaneSource::from_view(input), from, cost, state, f)
}

/// Like [`map_lanes`], for an input that may be the output itself.
///
/// # Panics
/// As [`map_lanes`], and if the input is shifted against the output.
pub(super) fn map_lanes_of_source<'x, A: Element, B: Element, S: Send>(
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn(usize) -> S,
    f: impl Fn(&mut S, RawSlice<'_, A>, &mut [B]) + Sync,
) -> Written<'x> {
    let reading = match source {
        Source::View(view) => LaneSource::from_view(view),
        Source::Output(_) => LaneSource {
            ptr: out.ptr().as_ptr(),
            layout: out.layout().clone(),
            dtype: out.dtype(),
            is_output: true,
        },
        Source::Shifted(_) => panic!("the operation copies inputs that overlap the output"),
    };
    map_typed(out, axis, reading, &[axis], cost, state, f)
}

/// Calls `f` with every lane of a view along an axis, to be changed in place. The rest is as for [`map_lanes`].
///
/// The view must be initialised, as for every operation that reads its output.
///
/// # Panics
/// If the view does not have the dtype of `T`.
pub(super) fn map_lanes_in_place<T: Element, S: Send>(
    out: AnyViewMut<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn(usize) -> S,
    f: impl Fn(&mut S, &mut [T]) + Sync,
) {
    assert_eq!(out.dtype(), T::DTYPE, "the dtype of lanes");
    let operand = LaneOperand::new(out.ptr().as_ptr(), T::DTYPE, out.layout(), &[axis], false);
    let len = operand.len;
    let job = LaneJob::in_place(operand, out.layout(), axis);
    // SAFETY: the job was made from the layout of the view, which is borrowed for writing, initialised, of this dtype,
    // and injective. The input lane is the output lane, so only one slice of it is made.
    unsafe {
        job.run(
            cost,
            || state(len),
            |state, _, out_lane| {
                f(state, slice::from_raw_parts_mut(out_lane.cast::<T>(), len));
            },
        );
    }
}

/// Like [`map_lanes`], with pointers to the first elements of the two lanes.
///
/// # Safety
/// `f` may read as many elements of the dtype of `input` as a lane has, and must write the whole lane of the
/// output. Both lanes are contiguous, aligned for their dtypes, and share no byte.
#[cfg(feature = "fft")]
pub(super) unsafe fn map_lanes_of_bytes<'x, S: Send>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S,
    f: impl Fn(&mut S, *const u8, *mut u8) + Sync,
) -> Written<'x> {
    let reading = LaneSource::from_view(input);
    let job = LaneJob::new(&out, axis, reading.operand(&[axis]), &reading.layout, &[axis], None);
    // SAFETY: the job was made from the layouts of the two views, which are borrowed while this runs and share no
    // element; `f` writes whole lanes, see this function's contract.
    unsafe {
        job.run(cost, state, f);
    }
    // SAFETY: every lane has just been written.
    unsafe { out.written() }
}

/// The memory that lanes are read from.
struct LaneSource {
    ptr: *mut u8,
    layout: Layout,
    dtype: DType,
    is_output: bool,
}

impl LaneSource {
    fn from_view(view: &AnyView<'_>) -> LaneSource {
        LaneSource {
            ptr: view.ptr().as_ptr(),
            layout: view.layout().clone(),
            dtype: view.dtype(),
            is_output: false,
        }
    }

    fn operand(&self, axes: &[usize]) -> LaneOperand {
        LaneOperand::new(self.ptr, self.dtype, &self.layout, axes, self.is_output)
    }

    /// Pairs the lanes along axes `from`, cast to dtype `read`, with those of an output along axis `to`. Returns the
    /// lengths of both lanes as well.
    ///
    /// # Panics
    /// If the output does not have dtype `written`.
    fn pair_with(
        &self,
        out: &AnyViewMut<'_>,
        to: usize,
        from: &[usize],
        [read, written]: [DType; 2],
    ) -> (LaneJob, [usize; 2]) {
        assert_eq!(out.dtype(), written, "the dtype of results");
        let convert = (self.dtype != read).then(|| (cast(self.dtype, read), read.size()));
        let operand = self.operand(from);
        let lens = [operand.len, out.layout().axes()[to].len];
        (LaneJob::new(out, to, operand, &self.layout, from, convert), lens)
    }
}

fn map_typed<'x, A: Element, B: Element, S: Send>(
    out: AnyViewMut<'x>,
    to: usize,
    reading: LaneSource,
    from: &[usize],
    cost: usize,
    state: impl Fn(usize) -> S,
    f: impl Fn(&mut S, RawSlice<'_, A>, &mut [B]) + Sync,
) -> Written<'x> {
    let (job, [n_in, n_out]) = reading.pair_with(&out, to, from, [A::DTYPE, B::DTYPE]);
    // SAFETY: the job was made from the layouts of the two views, which are borrowed while this runs and share no
    // element, or are the same view, whose lanes are packed before they are written. Lanes have `n_in` initialised
    // elements of `A` and room for `n_out` elements of `B`, aligned; all zeros are a value of every type.
    unsafe {
        job.run(
            cost,
            || state(n_in),
            |state, lane, out_lane| {
                out_lane.cast::<B>().write_bytes(0, n_out);
                let lane = RawSlice::new(lane.cast::<A>(), n_in);
                f(state, lane, slice::from_raw_parts_mut(out_lane.cast::<B>(), n_out));
            },
        );
        // Every lane has just been written.
        out.written()
    }
}
