//! The loop over all lanes, in groups, on several threads.

use super::operand::{LaneBuffer, LaneOperand, buffer};
use crate::kernel::body::Body;
use crate::kernel::parallel::run_with_states;
use crate::plan::{CACHE_LINE_BYTES, Loop, Plan, piece_of, pieces_for};
use crate::view::AnyViewMut;
use crate::{Axis, Layout};
use std::ops::Range;

/// Bytes of a group of packed lanes: they should stay in the L2 cache.
const GROUP_BYTES: usize = 1 << 18;

/// The maximum number of lanes in a group.
const MAX_GROUP_LANES: usize = 64;

/// The maximum number of bytes of a group that has as many lanes as share a cache line.
const MAX_GROUP_BYTES: usize = 1 << 22;

/// The lanes of both operands, and where they begin.
pub(super) struct LaneJob {
    out: LaneOperand,
    /// `None` if lanes are changed in place.
    input: Option<LaneOperand>,
    /// The cast from the input's dtype to that of the function, and the size of the latter.
    convert: Option<(Body<'static, 2>, usize)>,
    plan: Plan<2>,
}

/// The buffers of a thread: groups of lanes of the output, of the input, and of the input after the cast.
struct LaneBuffers {
    /// The number of lanes that they have room for.
    group: usize,
    out: LaneBuffer,
    input: LaneBuffer,
    converted: LaneBuffer,
}

impl LaneJob {
    /// Pairs the lanes of an output along axis `to` with those of an input along some axes of its layout.
    ///
    /// # Panics
    /// If the two differ in another axis.
    pub(super) fn new(
        out: &AnyViewMut<'_>,
        to: usize,
        input: LaneOperand,
        layout: &Layout,
        from: &[usize],
        convert: Option<(Body<'static, 2>, usize)>,
    ) -> LaneJob {
        let operand = LaneOperand::new(out.ptr().as_ptr(), out.dtype(), out.layout(), &[to], false);
        let firsts = [first_elements(out.layout(), &[to]), first_elements(layout, from)];
        let plan = Plan::elementwise([&firsts[0], &firsts[1]], [operand.size, input.size])
            .expect("lanes agree in all axes but their own");
        LaneJob { out: operand, input: Some(input), convert, plan }
    }

    /// Makes a job that changes the lanes along an axis of a layout in place.
    pub(super) fn in_place(operand: LaneOperand, layout: &Layout, axis: usize) -> LaneJob {
        let first = first_elements(layout, &[axis]);
        let plan = Plan::elementwise([&first, &first], [operand.size; 2])
            .expect("a layout has its own shape");
        LaneJob { out: operand, input: None, convert: None, plan }
    }

    /// Calls `f` with every lane of the input and that of the output, both contiguous; in place they are the same. Threads
    /// share the lanes, and each has its own state, made by `state`.
    ///
    /// All states and buffers are allocated before the first lane is written: without enough memory the output is unchanged.
    ///
    /// # Safety
    /// - The operands must be borrowed, and reach initialised elements through the layouts that the job was
    ///   made from; that of the output must be injective.
    /// - They must share no byte, or be the same and the input packed.
    /// - `f` must write the whole output lane.
    pub(super) unsafe fn run<S: Send>(
        &self,
        cost: usize,
        state: impl Fn() -> S,
        f: impl Fn(&mut S, *const u8, *mut u8) + Sync,
    ) {
        if self.plan.is_empty() || self.out.len == 0 {
            return;
        }
        let n_lanes = self.plan.len();
        let longest = self.out.len.max(self.input.as_ref().map_or(0, |it| it.len));
        let work = n_lanes.saturating_mul(longest).saturating_mul(cost);
        let n = pieces_for(work, n_lanes);
        run_with_states(
            n,
            || (state(), self.buffers()),
            |(state, buffers), i| {
                let lanes = piece_of(n_lanes, 1, i, n);
                // SAFETY: no two pieces share a lane, and the buffers are those of this job; the rest is forwarded: same
                // contract as this function.
                unsafe { self.walk(lanes, buffers, &mut |lane, to| f(state, lane, to)) }
            },
        );
    }

    /// Allocates the buffers of a thread.
    fn buffers(&self) -> LaneBuffers {
        let input = self.input.as_ref();
        let n_in = input.map_or(0, |it| it.len);
        let converted = self.convert.as_ref().map_or(0, |(_, size)| size.saturating_mul(n_in));
        let widest =
            input.map_or(0, LaneOperand::bytes).max(self.out.bytes()).max(converted).max(1);
        let size = input.map_or(self.out.size, |it| it.size.min(self.out.size));
        let group = lanes_per_group(widest, size);
        LaneBuffers {
            group,
            out: self.out.buffer(group),
            input: input.map_or(Vec::new(), |it| it.buffer(group)),
            converted: buffer(group.saturating_mul(converted)),
        }
    }

    /// # Safety
    /// That of `run`, for some of the lanes, in the order of the plan; no other thread may have one of them. The buffers must
    /// be those of this job.
    unsafe fn walk(
        &self,
        lanes: Range<usize>,
        buffers: &mut LaneBuffers,
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let group = buffers.group;
        self.plan.nest().runs_in(lanes, &mut |at, run| {
            for first in (0..run.len).step_by(group) {
                let at = run.advance(at, first).map(|at| at as usize);
                let count = group.min(run.len - first);
                // SAFETY: these are offsets of the plan, and the buffers have room for a group.
                unsafe { self.group(at, run, count, buffers, f) };
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
        buffers: &mut LaneBuffers,
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let (out, [step_out, step_in]) = (&self.out, inner.steps);
        // Broadcast lanes of the input are one lane: the others of the output are copies of the first.
        let is_broadcast = self.input.is_some() && step_in == 0;
        // SAFETY: all addresses below are those of one of the lanes, or of a buffer with room for all of them.
        unsafe {
            let to = out.ptr.get().add(to * out.size);
            let lanes = self.input.as_ref().map(|input| {
                let from = input.ptr.get().add(from * input.size);
                self.fetch(input, from, step_in, if is_broadcast { 1 } else { count }, buffers)
            });
            let packed = buffers.out.as_mut_ptr().cast::<u8>();
            if lanes.is_none() && !out.is_direct {
                out.pack(packed, to, step_out, count);
            }
            let (first, step) = match out.is_direct {
                true => (to, step_out * out.size as isize),
                false => (packed, out.bytes() as isize),
            };
            for i in 0..count {
                let to_lane = first.offset(i as isize * step);
                if is_broadcast && i > 0 {
                    to_lane.copy_from_nonoverlapping(first, out.bytes());
                    continue;
                }
                let lane = match lanes {
                    Some((first, step)) => first.offset(i as isize * step),
                    None => to_lane.cast_const(),
                };
                f(lane, to_lane);
            }
            if !out.is_direct {
                out.unpack(to, packed, step_out, count);
            }
        }
    }

    /// Makes lanes of the input contiguous and casts them: returns where the first is, and the bytes from one to the
    /// next.
    ///
    /// # Safety
    /// That of `group`, for the input.
    unsafe fn fetch(
        &self,
        input: &LaneOperand,
        from: *const u8,
        step: isize,
        count: usize,
        buffers: &mut LaneBuffers,
    ) -> (*const u8, isize) {
        let (mut lanes, mut lane_step) = (from, step * input.size as isize);
        // SAFETY: the body casts between these two dtypes; the rest is forwarded: same contract as this function.
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

/// Returns how many lanes of `bytes` bytes are packed together: at least as many as share a cache line if the axis has a
/// large stride, so that each line is fetched once.
fn lanes_per_group(bytes: usize, size: usize) -> usize {
    let in_line = CACHE_LINE_BYTES / size;
    match bytes.saturating_mul(in_line) <= MAX_GROUP_BYTES {
        true => (GROUP_BYTES / bytes).clamp(in_line, MAX_GROUP_LANES),
        false => (GROUP_BYTES / bytes).clamp(1, MAX_GROUP_LANES),
    }
}

/// Returns the layout of the first elements of the lanes along some axes. If lanes are empty, every offset is 0.
fn first_elements(layout: &Layout, axes: &[usize]) -> Layout {
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
