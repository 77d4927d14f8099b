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
use crate::{Element, Layout, pool};
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
    assert_eq!((out.dtype(), input.dtype()), (B::DTYPE, A::DTYPE), "types of lanes");
    let layouts = [out.layout(), input.layout()];
    let (outer, around) = (layouts.map(|it| without(it, axis)), layouts.map(|it| it.axes()[axis]));
    let plan = Plan::elementwise([&outer[0], &outer[1]], [size_of::<B>(), size_of::<A>()])
        .expect("lanes agree in all axes but one");
    let [n_out, n_in] = around.map(|axis| axis.len);
    if plan.is_empty() || n_out == 0 {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let job = Job {
        out: Side {
            ptr: out.ptr().as_ptr(),
            size: size_of::<B>(),
            len: n_out,
            stride: around[0].stride,
        },
        input: Side {
            ptr: input.ptr().as_ptr(),
            size: size_of::<A>(),
            len: n_in,
            stride: around[1].stride,
        },
    };
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
    let (first, around) = (without(out.layout(), axis), out.layout().axes()[axis]);
    let plan =
        Plan::elementwise([&first, &first], [size_of::<T>(); 2]).expect("a view is as itself");
    if plan.is_empty() || around.len == 0 {
        return;
    }
    let side = || Side {
        ptr: out.ptr().as_ptr(),
        size: size_of::<T>(),
        len: around.len,
        stride: around.stride,
    };
    let job = Job { out: side(), input: side() };
    let n_lanes = plan.len();
    let n = n_pieces(n_lanes, around.len, cost);
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
                    place.copy_from_nonoverlapping(lane, size_of::<T>() * around.len);
                }
                f(&mut state, slice::from_raw_parts_mut(place.cast::<T>(), around.len));
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

/// Where the lanes begin. There may be lanes without elements.
fn without(layout: &Layout, axis: usize) -> Layout {
    let first = match layout.axes()[axis].len {
        0 => {
            let mut shape = layout.shape().to_vec();
            shape.remove(axis);
            Layout::scalar(0).and_then(|it| it.broadcast_to(shape))
        }
        _ => layout.select(axis as isize, 0),
    };
    first.expect("a lane begins at its first element")
}

/// One side of the work: lanes of `len` elements of `size` bytes, a stride apart.
struct Side {
    ptr: *mut u8,
    size: usize,
    len: usize,
    stride: isize,
}

impl Side {
    fn is_block(&self) -> bool {
        self.stride == 1 || self.len <= 1
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
        Steps { rows: step * self.size as isize, cols: self.stride * self.size as isize }
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
                let counts = [count, input.len];
                copy_tile(
                    input.size,
                    packed_in,
                    input.packed(),
                    from,
                    input.spread(step_in),
                    counts,
                );
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
