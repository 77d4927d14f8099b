//! Functions of whole lanes: sorts, running totals, transforms, anything along one axis.
//!
//! **The problem.** Such a function wants the elements of a lane one behind the other, and gives a lane
//! that may have another length and another type. The axis may have any stride.
//!
//! **The plain solution** takes lane after lane: pack it, call the function, unpack the result. The
//! departures: a lane that lies one behind the other is not packed, nor is one of the output. Lanes that
//! are neighbours in memory are packed together, a group at a time: along a far axis each cache line holds
//! elements of several lanes, and taking them one by one would fetch it as often. Lanes of another
//! type than the function takes are converted on the way. A lane may go along several axes.
//!
//! An input that is the output is always packed: a group is read before any of it is written. Or a lane
//! is changed where it is: packed, changed and unpacked if it is no block.
//!
//! Threads share out the lanes, so results do not depend on their number.

mod side;
mod walk;

use super::cast::cast;
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{DType, Element, Layout};
use side::Side;
use std::slice;
use walk::Job;

/// Calls `f` with every lane of `input` along an axis, and the place of the lane of `out` that belongs
/// to it, which holds zeros. Each thread has a state of its own, made by `state`. Elements of
/// another type than `A` are converted first.
///
/// An element costs as much as `cost` additions, on average. The output must be of type `B`, and the
/// views agree in all axes but this one; if not, this panics.
pub(crate) fn lanes<'x, A: Element, B: Element, S>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &[A], &mut [B]) + Sync,
) -> Written<'x> {
    typed(out, axis, Reading::of(input), &[axis], cost, state, f)
}

/// The same for lanes of `input` along several axes, the last of which goes fastest, and lanes of `out`
/// along axis `to`. The views must agree in all other axes.
pub(crate) fn lanes_of_axes<'x, A: Element, B: Element, S>(
    out: AnyViewMut<'x>,
    to: usize,
    input: &AnyView<'_>,
    from: &[usize],
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &[A], &mut [B]) + Sync,
) -> Written<'x> {
    typed(out, to, Reading::of(input), from, cost, state, f)
}

/// The same as [`lanes`] for an input that may be the output itself. One that is shifted is not for
/// lanes: this panics.
pub(crate) fn lanes_of<'x, A: Element, B: Element, S>(
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &[A], &mut [B]) + Sync,
) -> Written<'x> {
    let reading = match source {
        Source::View(view) => Reading::of(view),
        Source::Output => Reading {
            ptr: out.ptr().as_ptr(),
            layout: out.layout().clone(),
            dtype: out.dtype(),
            is_output: true,
        },
        Source::Shifted(_) => panic!("lanes are written whole, not in the order of a shift"),
    };
    typed(out, axis, reading, &[axis], cost, state, f)
}

/// Calls `f` with every lane of a view along an axis, to be changed where it is. The rest is as for
/// [`lanes`].
///
/// The view must be of this type; if not, this panics. It must be initialised, as for every
/// operation that reads its output.
pub(crate) fn lanes_in_place<T: Element, S>(
    out: AnyViewMut<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &mut [T]) + Sync,
) {
    assert_eq!(out.dtype(), T::DTYPE, "types of lanes");
    let side = Side::new(out.ptr().as_ptr(), T::DTYPE, out.layout(), &[axis], false);
    let len = side.len;
    let job = Job::in_place(side, out.layout(), axis);
    // SAFETY: the job was made from the layout of the view, which is borrowed for writing, initialised,
    // of this type, and has one index for each element. The lane is its own place, so only one
    // slice of it is made.
    unsafe {
        job.run(cost, state, |state, _, place| {
            f(state, slice::from_raw_parts_mut(place.cast::<T>(), len));
        });
    }
}

/// The same as [`lanes`] without types: `f` gets where a lane begins, and where its result does.
///
/// # Safety
/// `f` may read as many elements of the type of `input` as a lane has, and must write all of the
/// place. Lane and place are blocks, aligned for their types, and share no byte.
#[cfg(feature = "fft")]
pub(super) unsafe fn lanes_of_bytes<'x, S>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, *const u8, *mut u8) + Sync,
) -> Written<'x> {
    let reading = Reading::of(input);
    let job = Job::new(&out, axis, reading.side(&[axis]), &reading.layout, &[axis], None);
    // SAFETY: the job was made from the layouts of the two views, which are borrowed while this runs
    // and share no element; for `f`, the caller's promise.
    unsafe { job.run(cost, state, f) };
    // SAFETY: every lane has just been written.
    unsafe { out.written() }
}

/// Where lanes are read.
struct Reading {
    ptr: *mut u8,
    layout: Layout,
    dtype: DType,
    is_output: bool,
}

impl Reading {
    fn of(view: &AnyView<'_>) -> Reading {
        Reading {
            ptr: view.ptr().as_ptr(),
            layout: view.layout().clone(),
            dtype: view.dtype(),
            is_output: false,
        }
    }

    fn side(&self, axes: &[usize]) -> Side {
        Side::new(self.ptr, self.dtype, &self.layout, axes, self.is_output)
    }
}

fn typed<'x, A: Element, B: Element, S>(
    out: AnyViewMut<'x>,
    to: usize,
    reading: Reading,
    from: &[usize],
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &[A], &mut [B]) + Sync,
) -> Written<'x> {
    assert_eq!(out.dtype(), B::DTYPE, "the type of results");
    let convert =
        (reading.dtype != A::DTYPE).then(|| (cast(reading.dtype, A::DTYPE), size_of::<A>()));
    let side = reading.side(from);
    let (n_in, n_out) = (side.len, out.layout().axes()[to].len);
    let job = Job::new(&out, to, side, &reading.layout, from, convert);
    // SAFETY: the job was made from the layouts of the two views, which are borrowed while this
    // runs and share no element, or are one, whose lanes are packed before they are written. Lanes
    // are handed over as so many elements of these types, aligned and initialised, or to be written:
    // zeros are a value of every type.
    unsafe {
        job.run(cost, state, |state, lane, place| {
            place.cast::<B>().write_bytes(0, n_out);
            let lane = slice::from_raw_parts(lane.cast::<A>(), n_in);
            f(state, lane, slice::from_raw_parts_mut(place.cast::<B>(), n_out));
        });
        // Every lane has just been written.
        out.written()
    }
}
