//! Functions of whole lanes: sorts, running totals, transforms, anything along one axis.
//!
//! **The problem.** Such a function wants the elements of a lane one behind the other, and gives a lane
//! that may have another length and another type. The axis may have any stride.
//!
//! **The plain solution** takes lane after lane: pack it, call the function, unpack the result. Two
//! departures. A lane that lies one behind the other is not packed, nor is one of the output. And
//! lanes that are neighbours in memory are packed together, a group at a time: along a far axis each
//! cache line holds elements of several lanes, and taking them one by one would fetch it as often.
//!
//! Threads share out the lanes, so results do not depend on their number.

use super::copy::{Steps, copy_tile};
use crate::plan::{GRAIN, Loop, PIECES_PER_THREAD, Plan};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Axis, Element, Layout, pool};
use std::ops::Range;
use std::{ptr, slice};

/// Bytes of a group of packed lanes: they are to stay in the second-level cache.
const GROUP: usize = 1 << 17;

/// Lanes of a group, if they are short enough.
const MOST_IN_GROUP: usize = 64;

/// Calls `f` with every lane of `input` along an axis, and the place of the lane of `out` that belongs
/// to it, which holds zeros. Each thread has a state of its own, made by `state`.
///
/// An element costs as much as `cost` additions, on average. The views must be of these types and
/// agree in all axes but this one; if not, this panics.
pub(crate) fn lanes<'x, A: Element, B: Element, S>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &[A], &mut [B]) + Sync,
) -> Written<'x> {
    lanes_of_axes(out, axis, input, &[axis], cost, state, f)
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
    assert_eq!((out.dtype(), input.dtype()), (B::DTYPE, A::DTYPE), "types of lanes");
    let (first_out, first_in) = (without(out.layout(), &[to]), without(input.layout(), from));
    let plan = Plan::elementwise([&first_out, &first_in], [size_of::<B>(), size_of::<A>()])
        .expect("lanes agree in all axes but their own");
    let job = Job {
        out: Side::new(out.ptr().as_ptr(), size_of::<B>(), out.layout(), &[to]),
        input: Side::new(input.ptr().as_ptr(), size_of::<A>(), input.layout(), from),
    };
    let (n_out, n_in) = (job.out.len, job.input.len);
    if plan.is_empty() || n_out == 0 {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let n = n_pieces(plan.len(), n_out.max(n_in), cost);
    pool::run(n, &|i| {
        let mut state = state();
        let n_lanes = plan.len();
        // SAFETY: the plan was made from the layouts of the two views, which are borrowed while this
        // runs and share no element; pieces share no lane.
        unsafe {
            job.walk(&plan, n_lanes * i / n..n_lanes * (i + 1) / n, &mut |lane, place| {
                // `Side` says that there are so many elements of these types, aligned and
                // initialised, or to be written: zeros are a value of every type.
                place.cast::<B>().write_bytes(0, n_out);
                let lane = slice::from_raw_parts(lane.cast::<A>(), n_in);
                f(&mut state, lane, slice::from_raw_parts_mut(place.cast::<B>(), n_out));
            });
        }
    });
    // SAFETY: every lane has just been written.
    unsafe { out.written() }
}

/// Calls `f` with every lane of a view along an axis, to be changed where it is. The rest is as for
/// [`lanes`].
pub(crate) fn lanes_in_place<T: Element, S>(
    out: AnyViewMut<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &mut [T]) + Sync,
) {
    assert_eq!(out.dtype(), T::DTYPE, "types of lanes");
    let (first, len) = (without(out.layout(), &[axis]), out.layout().axes()[axis].len);
    let plan =
        Plan::elementwise([&first, &first], [size_of::<T>(); 2]).expect("a view is as itself");
    if plan.is_empty() || len == 0 {
        return;
    }
    let side = || Side::new(out.ptr().as_ptr(), size_of::<T>(), out.layout(), &[axis]);
    let job = Job { out: side(), input: side() };
    let n_lanes = plan.len();
    let n = n_pieces(n_lanes, len, cost);
    pool::run(n, &|i| {
        let mut state = state();
        // SAFETY: the plan was made from the layout of the view, which is borrowed for writing while
        // this runs and has one index for each element; pieces share no lane, and both sides are
        // the same lane.
        unsafe {
            job.walk(&plan, n_lanes * i / n..n_lanes * (i + 1) / n, &mut |lane, place| {
                // A lane that was packed is put beside the place for the result. `Side` says that
                // there are so many elements of this type in both, initialised in the first.
                if !ptr::eq(lane, place) {
                    place.copy_from_nonoverlapping(lane, size_of::<T>() * len);
                }
                f(&mut state, slice::from_raw_parts_mut(place.cast::<T>(), len));
            });
        }
    });
}

/// Into how many pieces lanes are split, for threads.
fn n_pieces(n_lanes: usize, len: usize, cost: usize) -> usize {
    let work = n_lanes.saturating_mul(len).saturating_mul(cost);
    match pool::num_threads() {
        1 => 1,
        threads => (work / GRAIN).clamp(1, threads * PIECES_PER_THREAD).min(n_lanes),
    }
}

/// Where the lanes along some axes begin. There may be lanes without elements.
fn without(layout: &Layout, axes: &[usize]) -> Layout {
    let others = (0..layout.rank()).filter(|k| !axes.contains(k)).map(|k| layout.axes()[k]);
    let others: Vec<Axis> = others.collect();
    let first = match axes.iter().any(|&k| layout.axes()[k].len == 0) {
        true => {
            let shape: Vec<usize> = others.iter().map(|axis| axis.len).collect();
            Layout::scalar(0).and_then(|it| it.broadcast_to(shape))
        }
        false => Layout::new(layout.start(), &others),
    };
    first.expect("a lane begins at its first element")
}

/// One side of the work: lanes of `len` elements of `size` bytes.
struct Side {
    ptr: *mut u8,
    size: usize,
    len: usize,
    /// The axes of a lane that go slower than the last one.
    outer: Vec<Axis>,
    /// How many elements there are along the last one, and how far apart.
    inner: Axis,
}

impl Side {
    fn new(ptr: *mut u8, size: usize, layout: &Layout, axes: &[usize]) -> Side {
        let mut outer: Vec<Axis> = axes.iter().map(|&k| layout.axes()[k]).collect();
        // Beside an axis without elements the others may be of any length.
        let len = outer.iter().fold(1usize, |len, axis| len.saturating_mul(axis.len));
        let inner = outer.pop().expect("a lane has an axis");
        Side { ptr, size, len, outer, inner }
    }

    /// Whether a lane lies one behind the other.
    fn is_block(&self) -> bool {
        self.outer.is_empty() && self.inner.stride == 1 || self.len <= 1
    }

    /// Calls `f` with each stretch of a lane that the last axis walks through: how many elements from the
    /// first of the lane it begins, where they are and where they are packed.
    fn stretches(&self, mut f: impl FnMut(isize, usize)) {
        for at in (0..self.len).step_by(self.inner.len.max(1)) {
            let (mut rest, mut offset) = (at / self.inner.len, 0);
            for axis in self.outer.iter().rev() {
                offset += (rest % axis.len) as isize * axis.stride;
                rest /= axis.len;
            }
            f(offset, at);
        }
    }

    fn bytes(&self) -> usize {
        self.size * self.len
    }

    /// The steps of a group of packed lanes.
    fn packed(&self) -> Steps {
        Steps { rows: self.bytes() as isize, cols: self.size as isize }
    }

    /// The steps of a group of lanes where they are, `step` elements from one to the next.
    fn spread(&self, step: isize) -> Steps {
        Steps { rows: step * self.size as isize, cols: self.inner.stride * self.size as isize }
    }

    /// Memory for so many packed lanes, aligned for every element.
    fn buffer(&self, lanes: usize) -> Vec<[u64; 2]> {
        vec![[0; 2]; if self.is_block() { 0 } else { (lanes * self.bytes()).div_ceil(16) }]
    }
}

/// The memory of the work, for several threads.
struct Job {
    out: Side,
    input: Side,
}

// SAFETY: `lanes` gives the job to threads that work on different lanes, while it holds the borrows of
// both views.
unsafe impl Sync for Job {}

impl Job {
    /// Calls `f` with some lanes, in the order of a plan, and the place for its result, both one behind the other.
    ///
    /// # Safety
    /// At each offset of the plan a lane must begin on both sides, readable on one and writable on
    /// the other, and the two must be the same or share no byte. `f` must write the whole place.
    unsafe fn walk(
        &self,
        plan: &Plan<2>,
        lanes: Range<usize>,
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let widest = self.input.bytes().max(self.out.bytes()).max(1);
        let group = (GROUP / widest).clamp(1, MOST_IN_GROUP);
        let mut buffers = [self.out.buffer(group), self.input.buffer(group)];
        let once = Loop { len: 1, steps: [0, 0] };
        let (outer, &inner) = match plan.loops().split_last() {
            Some((inner, outer)) => (outer, inner),
            None => (&[][..], &once),
        };
        let mut flat = lanes.start;
        while flat < lanes.end {
            let first = flat % inner.len;
            let count = group.min(inner.len - first).min(lanes.end - flat);
            let mut at = plan.starts();
            let mut move_on = |it: &Loop<2>, turns: usize| {
                for (at, step) in at.iter_mut().zip(it.steps) {
                    *at = at.wrapping_add_signed(turns as isize * step);
                }
            };
            let mut rest = flat / inner.len;
            for it in outer.iter().rev() {
                move_on(it, rest % it.len);
                rest /= it.len;
            }
            move_on(&inner, first);
            // SAFETY: these are offsets of the plan.
            unsafe { self.group(at, &inner, count, &mut buffers, f) };
            flat += count;
        }
    }

    /// # Safety
    /// That of `walk`, for `count` lanes from two offsets on. The buffers must have room for them.
    unsafe fn group(
        &self,
        [to, from]: [usize; 2],
        inner: &Loop<2>,
        count: usize,
        [out_buffer, in_buffer]: &mut [Vec<[u64; 2]>; 2],
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let (out, input) = (&self.out, &self.input);
        let [step_out, step_in] = inner.steps;
        // SAFETY: the caller's promises: all places below belong to one of the lanes, or to a
        // buffer with room for all of them.
        unsafe {
            let (to, from) = (out.ptr.add(to * out.size), input.ptr.add(from * input.size));
            let (packed_out, packed_in) =
                (out_buffer.as_mut_ptr().cast::<u8>(), in_buffer.as_mut_ptr().cast::<u8>());
            if !input.is_block() {
                let (counts, size) = ([count, input.inner.len], input.size);
                input.stretches(|offset, at| {
                    let (to, from) =
                        (packed_in.add(at * size), from.offset(offset * size as isize));
                    copy_tile(size, to, input.packed(), from, input.spread(step_in), counts);
                });
            }
            for i in 0..count {
                let lane = match input.is_block() {
                    true => from.offset(i as isize * step_in * input.size as isize),
                    false => packed_in.add(i * input.bytes()),
                };
                let place = match out.is_block() {
                    true => to.offset(i as isize * step_out * out.size as isize),
                    false => packed_out.add(i * out.bytes()),
                };
                f(lane, place);
            }
            if !out.is_block() {
                let counts = [count, out.len];
                copy_tile(out.size, to, out.spread(step_out), packed_out, out.packed(), counts);
            }
        }
    }
}
