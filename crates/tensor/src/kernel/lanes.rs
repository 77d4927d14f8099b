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
//! In place a lane is packed, changed and unpacked, or changed where it is if it is a block.
//!
//! Threads share out the lanes, so results do not depend on their number.

use super::copy::{Steps, copy_tile};
use crate::plan::{GRAIN, Loop, PIECES_PER_THREAD, Plan};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Axis, Element, Layout, pool};
use std::ops::Range;
use std::slice;

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
    let [n_out, n_in] = [out.layout(), input.layout()].map(|it| it.axes()[axis].len);
    // SAFETY: there are so many elements of these types, aligned and initialised, or to be written:
    // zeros are a value of every type.
    unsafe {
        lanes_of_bytes(out, input, axis, cost, state, |state, lane, place| {
            place.cast::<B>().write_bytes(0, n_out);
            let lane = slice::from_raw_parts(lane.cast::<A>(), n_in);
            f(state, lane, slice::from_raw_parts_mut(place.cast::<B>(), n_out));
        })
    }
}

/// The same without types: `f` gets where a lane begins, and where its result does.
///
/// # Safety
/// `f` may read as many elements of the type of `input` as a lane has, and must write all of the
/// place. Lane and place are blocks, aligned for their types, and share no byte.
pub(super) unsafe fn lanes_of_bytes<'x, S>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, *const u8, *mut u8) + Sync,
) -> Written<'x> {
    let job = Job { out: Side::of_output(&out, axis), input: Some(Side::of_input(input, axis)) };
    // SAFETY: the caller's promise; the two views are borrowed and share no element.
    unsafe { job.run([out.layout(), input.layout()], axis, cost, state, f) };
    // SAFETY: every lane has just been written.
    unsafe { out.written() }
}

/// Calls `f` with every lane of `out` along an axis, to change it in place.
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
    assert_eq!(out.dtype(), T::DTYPE, "type of lanes");
    let n = out.layout().axes()[axis].len;
    let job = Job { out: Side::of_output(&out, axis), input: None };
    // SAFETY: the view is borrowed for writing, initialised, and of this type; the lane is its own
    // place, so only one slice of it is made.
    unsafe {
        job.run([out.layout(), out.layout()], axis, cost, state, |state, _, place| {
            f(state, slice::from_raw_parts_mut(place.cast::<T>(), n));
        });
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
    fn of_output(out: &AnyViewMut<'_>, axis: usize) -> Side {
        Side::new(out.ptr().as_ptr(), out.dtype().size(), out.layout().axes()[axis])
    }

    fn of_input(input: &AnyView<'_>, axis: usize) -> Side {
        Side::new(input.ptr().as_ptr(), input.dtype().size(), input.layout().axes()[axis])
    }

    fn new(ptr: *mut u8, size: usize, along: Axis) -> Side {
        Side { ptr, size, len: along.len, stride: along.stride }
    }

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

    /// Packs lanes that are no blocks, `step` elements from one to the next. Gives where the first is.
    ///
    /// # Safety
    /// There must be `count` lanes from `from` on, and room for them in the buffer.
    unsafe fn pack(&self, buffer: *mut u8, from: *mut u8, step: isize, count: usize) -> *mut u8 {
        if self.is_block() {
            return from;
        }
        let counts = [count, self.len];
        // SAFETY: the caller's promises.
        unsafe { copy_tile(self.size, buffer, self.packed(), from, self.spread(step), counts) };
        buffer
    }

    /// Memory for so many packed lanes, aligned for every element.
    fn buffer(&self, lanes: usize) -> Vec<[u64; 2]> {
        vec![[0; 2]; if self.is_block() { 0 } else { (lanes * self.bytes()).div_ceil(16) }]
    }
}

/// The memory of the work, for several threads.
struct Job {
    out: Side,
    /// None if lanes are changed where they are.
    input: Option<Side>,
}

// SAFETY: `run` gives the job to threads that work on different lanes, while it holds the borrows of
// both views.
unsafe impl Sync for Job {}

impl Job {
    /// Shares out the lanes of two layouts among the threads.
    ///
    /// # Safety
    /// The layouts must be those of the output and of the input, or both that of the output; the
    /// memory is borrowed for this. `f` must keep the promises of `walk`.
    unsafe fn run<S>(
        &self,
        layouts: [&Layout; 2],
        axis: usize,
        cost: usize,
        state: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, *const u8, *mut u8) + Sync,
    ) {
        let input = self.input.as_ref().unwrap_or(&self.out);
        let outer = layouts.map(|it| without(it, axis));
        let plan = Plan::elementwise([&outer[0], &outer[1]], [self.out.size, input.size])
            .expect("lanes agree in all axes but one");
        if plan.is_empty() || self.out.len == 0 {
            return;
        }
        let n_lanes = plan.len();
        let work = n_lanes.saturating_mul(self.out.len.max(input.len)).saturating_mul(cost);
        let n = match pool::num_threads() {
            1 => 1,
            threads => (work / GRAIN).clamp(1, threads * PIECES_PER_THREAD).min(n_lanes),
        };
        pool::run(n, &|i| {
            let mut state = state();
            // SAFETY: the plan was made from the layouts of the views; pieces share no lane.
            unsafe {
                self.walk(&plan, n_lanes * i / n..n_lanes * (i + 1) / n, &mut |lane, place| {
                    f(&mut state, lane, place)
                });
            }
        });
    }

    /// Calls `f` with some lanes, in the order of a plan, and the place for its result, both one behind the other.
    ///
    /// # Safety
    /// At each offset of the plan a lane must begin on both sides, readable on one and writable on
    /// the other, and the two must share no byte. `f` must write the whole place. In place, both are
    /// one, which must be initialised.
    unsafe fn walk(
        &self,
        plan: &Plan<2>,
        lanes: Range<usize>,
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let in_bytes = self.input.as_ref().map_or(0, Side::bytes);
        let group = (GROUP / in_bytes.max(self.out.bytes()).max(1)).clamp(1, MOST_IN_GROUP);
        let in_buffer = self.input.as_ref().map_or(Vec::new(), |it| it.buffer(group));
        let mut buffers = [self.out.buffer(group), in_buffer];
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
        let (out, [step_out, step_in]) = (&self.out, inner.steps);
        // SAFETY: the caller's promises: all places below belong to one of the lanes, or to a
        // buffer with room for all of them.
        unsafe {
            let to = out.ptr.add(to * out.size);
            let (packed_out, packed_in) =
                (out_buffer.as_mut_ptr().cast::<u8>(), in_buffer.as_mut_ptr().cast::<u8>());
            let from = match &self.input {
                Some(input) => {
                    let from = input.ptr.add(from * input.size);
                    Some((input, input.pack(packed_in, from, step_in, count)))
                }
                None => {
                    out.pack(packed_out, to, step_out, count);
                    None
                }
            };
            for i in 0..count {
                let place = match out.is_block() {
                    true => to.offset(i as isize * step_out * out.size as isize),
                    false => packed_out.add(i * out.bytes()),
                };
                let lane = match from {
                    Some((input, first)) if input.is_block() => {
                        first.offset(i as isize * step_in * input.size as isize)
                    }
                    Some((input, first)) => first.add(i * input.bytes()),
                    None => place,
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
