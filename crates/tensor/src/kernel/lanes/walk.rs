//! The walk over lanes: in groups, by several threads.

use super::side::{Buffer, Side, buffer};
use crate::kernel::body::Body;
use crate::plan::{CACHE_LINE, Loop, Plan, pieces_for};
use crate::view::AnyViewMut;
use crate::{Axis, Layout, pool};
use std::ops::Range;

/// Bytes of a group of packed lanes: they are to stay in the second-level cache.
const GROUP: usize = 1 << 18;

/// Lanes of a group, if they are short enough.
const MOST_IN_GROUP: usize = 64;

/// The most bytes of a group of lanes that have cache lines in common.
const MOST_BYTES: usize = 1 << 22;

/// The memory of the work, for several threads, and where the lanes begin.
pub(super) struct Job {
    out: Side,
    /// None if lanes are changed where they are.
    input: Option<Side>,
    /// What makes of the input's elements what the function takes, and how large that is.
    convert: Option<(Body<'static, 2>, usize)>,
    plan: Plan<2>,
}

// SAFETY: `run` gives the job to threads that work on different lanes, while its caller holds the
// borrows of both views.
unsafe impl Sync for Job {}

/// What a thread packs into: lanes of the output, of the input, and of the input converted.
struct Buffers {
    out: Buffer,
    input: Buffer,
    converted: Buffer,
}

impl Job {
    /// Lanes of an output along axis `to`, from those of an input along some axes of its layout. The two
    /// must agree in all others; if not, this panics.
    pub(super) fn new(
        out: &AnyViewMut<'_>,
        to: usize,
        input: Side,
        layout: &Layout,
        from: &[usize],
        convert: Option<(Body<'static, 2>, usize)>,
    ) -> Job {
        let side = Side::new(out.ptr().as_ptr(), out.dtype(), out.layout(), &[to], false);
        let firsts = [without(out.layout(), &[to]), without(layout, from)];
        let plan = Plan::elementwise([&firsts[0], &firsts[1]], [side.size, input.size])
            .expect("lanes agree in all axes but their own");
        Job { out: side, input: Some(input), convert, plan }
    }

    /// Lanes along an axis of a layout that are changed where they are.
    pub(super) fn in_place(side: Side, layout: &Layout, axis: usize) -> Job {
        let first = without(layout, &[axis]);
        let plan = Plan::elementwise([&first, &first], [side.size; 2]).expect("it is as itself");
        Job { out: side, input: None, convert: None, plan }
    }

    /// Calls `f` with every lane and the place for its result, both one behind the other; in place they
    /// are one.
    ///
    /// # Safety
    /// The sides must be borrowed, and reach initialised elements through the layouts that the job was
    /// made from; the output has one index for each. They must share no byte, or be the same and the
    /// input packed. `f` must write the whole place.
    pub(super) unsafe fn run<S>(
        &self,
        cost: usize,
        state: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, *const u8, *mut u8) + Sync,
    ) {
        if self.plan.is_empty() || self.out.len == 0 {
            return;
        }
        let n_lanes = self.plan.len();
        let longest = self.out.len.max(self.input.as_ref().map_or(0, |it| it.len));
        let work = n_lanes.saturating_mul(longest).saturating_mul(cost);
        let n = pieces_for(work, n_lanes);
        pool::run(n, &|i| {
            let mut state = state();
            // SAFETY: the caller's promises; pieces share no lane.
            unsafe {
                self.walk(n_lanes * i / n..n_lanes * (i + 1) / n, &mut |lane, place| {
                    f(&mut state, lane, place);
                });
            }
        });
    }

    /// # Safety
    /// That of `run`, for some of the lanes, in the order of the plan.
    unsafe fn walk(&self, lanes: Range<usize>, f: &mut dyn FnMut(*const u8, *mut u8)) {
        let input = self.input.as_ref();
        let n_in = input.map_or(0, |it| it.len);
        let converted = self.convert.as_ref().map_or(0, |(_, size)| size.saturating_mul(n_in));
        let widest = input.map_or(0, Side::bytes).max(self.out.bytes()).max(converted).max(1);
        let size = input.map_or(self.out.size, |it| it.size.min(self.out.size));
        let group = group_of(widest, size);
        let mut buffers = Buffers {
            out: self.out.buffer(group),
            input: input.map_or(Vec::new(), |it| it.buffer(group)),
            converted: buffer(group.saturating_mul(converted)),
        };
        self.plan.nest().runs_in(lanes, &mut |at, run| {
            for first in (0..run.len).step_by(group) {
                let at = run.advance(at, first).map(|at| at as usize);
                let count = group.min(run.len - first);
                // SAFETY: these are offsets of the plan.
                unsafe { self.group(at, run, count, &mut buffers, f) };
            }
        });
    }

    /// # Safety
    /// That of `walk`, for `count` lanes from two offsets on. The buffers must have room for them.
    unsafe fn group(
        &self,
        [to, from]: [usize; 2],
        inner: &Loop<2>,
        count: usize,
        buffers: &mut Buffers,
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let (out, [step_out, step_in]) = (&self.out, inner.steps);
        // SAFETY: the caller's promises: all places below belong to one of the lanes, or to a
        // buffer with room for all of them.
        unsafe {
            let to = out.ptr.add(to * out.size);
            let lanes = self.input.as_ref().map(|input| {
                let from = input.ptr.add(from * input.size);
                self.fetch(input, from, step_in, count, buffers)
            });
            let packed = buffers.out.as_mut_ptr().cast::<u8>();
            if lanes.is_none() && !out.is_direct {
                out.pack(packed, to, step_out, count);
            }
            for i in 0..count {
                let place = match out.is_direct {
                    true => to.offset(i as isize * step_out * out.size as isize),
                    false => packed.add(i * out.bytes()),
                };
                let lane = match lanes {
                    Some((first, step)) => first.offset(i as isize * step),
                    None => place.cast_const(),
                };
                f(lane, place);
            }
            if !out.is_direct {
                out.unpack(to, packed, step_out, count);
            }
        }
    }

    /// Brings lanes of the input to where each is one behind the other, of the type that is asked for:
    /// where the first is, and how many bytes there are to the next.
    ///
    /// # Safety
    /// That of `group`, for the input.
    unsafe fn fetch(
        &self,
        input: &Side,
        from: *const u8,
        step: isize,
        count: usize,
        buffers: &mut Buffers,
    ) -> (*const u8, isize) {
        let (mut lanes, mut lane_step) = (from, step * input.size as isize);
        // SAFETY: the caller's promises; the body is of these two types.
        unsafe {
            if !input.is_direct {
                let packed = buffers.input.as_mut_ptr().cast::<u8>();
                input.pack(packed, from, step, count);
                (lanes, lane_step) = (packed, input.bytes() as isize);
            }
            if let Some((body, size)) = &self.convert {
                let converted = buffers.converted.as_mut_ptr().cast::<u8>();
                let bytes = input.len * size;
                for i in 0..count {
                    let lane = lanes.offset(i as isize * lane_step).cast_mut();
                    body.call([converted.add(i * bytes), lane], input.len, 0);
                }
                (lanes, lane_step) = (converted, bytes as isize);
            }
        }
        (lanes, lane_step)
    }
}

/// How many lanes of so many bytes are packed together. At least as many as have a cache line in common,
/// if the elements of a lane lie far apart: each line is fetched once then.
fn group_of(bytes: usize, size: usize) -> usize {
    let in_line = CACHE_LINE / size;
    match bytes.saturating_mul(in_line) <= MOST_BYTES {
        true => (GROUP / bytes).clamp(in_line, MOST_IN_GROUP),
        false => (GROUP / bytes).clamp(1, MOST_IN_GROUP),
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
