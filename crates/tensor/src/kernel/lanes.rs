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
//! Lanes of another type than the function takes are converted on the way, and an input that is the
//! output is always packed: a group is read before any of it is written.
//!
//! Threads share out the lanes, so results do not depend on their number.

use super::body::Body;
use super::cast::cast;
use super::copy::{Steps, copy_tile};
use crate::plan::{GRAIN, Loop, PIECES_PER_THREAD, Plan};
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{Axis, DType, Element, Layout, pool};
use std::ops::Range;
use std::slice;

/// Bytes of a group of packed lanes: they are to stay in the second-level cache.
const GROUP: usize = 1 << 18;

/// Lanes of a group, if they are short enough.
const MOST_IN_GROUP: usize = 64;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The most bytes of a group of lanes that have cache lines in common.
const MOST_BYTES: usize = 1 << 22;

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
    lanes_of(out, &Source::View(input.clone()), axis, cost, state, f)
}

/// The same for an input that may be the output itself. One that is shifted is not for lanes: this
/// panics.
pub(crate) fn lanes_of<'x, A: Element, B: Element, S>(
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
    cost: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, &[A], &mut [B]) + Sync,
) -> Written<'x> {
    assert_eq!(out.dtype(), B::DTYPE, "the type of results");
    let (from, is_output) = match source {
        Source::View(view) => ((view.layout(), view.ptr(), view.dtype()), false),
        Source::Output => ((out.layout(), out.ptr(), out.dtype()), true),
        Source::Shifted(_) => panic!("lanes are written whole, not in the order of a shift"),
    };
    let layouts = [out.layout(), from.0];
    let (outer, around) = (layouts.map(|it| without(it, axis)), layouts.map(|it| it.axes()[axis]));
    let plan = Plan::elementwise([&outer[0], &outer[1]], [size_of::<B>(), from.2.size()])
        .expect("lanes agree in all axes but one");
    let [n_out, n_in] = around.map(|axis| axis.len);
    if plan.is_empty() || n_out == 0 {
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let job = Job {
        out: Side::new(out.ptr().as_ptr(), B::DTYPE, around[0], false),
        input: Side::new(from.1.as_ptr(), from.2, around[1], is_output),
        convert: (from.2 != A::DTYPE).then(|| (cast(from.2, A::DTYPE), size_of::<A>())),
    };
    let work = plan.len().saturating_mul(n_out.max(n_in)).saturating_mul(cost);
    let n = match pool::num_threads() {
        1 => 1,
        threads => (work / GRAIN).clamp(1, threads * PIECES_PER_THREAD).min(plan.len()),
    };
    pool::run(n, &|i| {
        let mut state = state();
        let n_lanes = plan.len();
        // SAFETY: the plan was made from the layouts of the two views, which are borrowed while this
        // runs and share no element, or are one, whose lanes are packed before they are written;
        // pieces share no lane.
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

/// How many lanes of so many bytes are packed together. At least as many as have a cache line in common,
/// if the elements of a lane lie far apart: each line is fetched once then.
fn group_of(bytes: usize, size: usize) -> usize {
    let in_line = LINE / size;
    match bytes.saturating_mul(in_line) <= MOST_BYTES {
        true => (GROUP / bytes).clamp(in_line, MOST_IN_GROUP),
        false => (GROUP / bytes).clamp(1, MOST_IN_GROUP),
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
    /// Whether lanes are worked on where they are: one behind the other, and nobody writes to them.
    is_direct: bool,
}

impl Side {
    fn new(ptr: *mut u8, dtype: DType, axis: Axis, is_packed: bool) -> Side {
        let is_block = axis.stride == 1 || axis.len <= 1;
        let (len, stride) = (axis.len, axis.stride);
        Side { ptr, size: dtype.size(), len, stride, is_direct: is_block && !is_packed }
    }

    /// Bytes of a lane; a length that stands still may be too much for any buffer, which is not made
    /// then.
    fn bytes(&self) -> usize {
        self.size.saturating_mul(self.len)
    }

    /// The steps of a group of packed lanes.
    fn packed(&self) -> Steps {
        Steps { rows: self.bytes() as isize, cols: self.size as isize }
    }

    /// The steps of a group of lanes where they are, `step` elements from one to the next.
    fn spread(&self, step: isize) -> Steps {
        Steps { rows: step * self.size as isize, cols: self.stride * self.size as isize }
    }

    /// Memory for so many packed lanes, if they are packed.
    fn buffer(&self, lanes: usize) -> Buffer {
        buffer(if self.is_direct { 0 } else { lanes.saturating_mul(self.bytes()) })
    }
}

/// Memory for packed lanes, aligned for every element.
type Buffer = Vec<[u64; 2]>;

/// So many bytes.
fn buffer(bytes: usize) -> Buffer {
    vec![[0; 2]; bytes.div_ceil(16)]
}

/// What a thread packs into: lanes of the output, of the input, and of the input converted.
struct Buffers {
    out: Buffer,
    input: Buffer,
    converted: Buffer,
}

/// The memory of the work, for several threads.
struct Job {
    out: Side,
    input: Side,
    /// What makes of the input's elements what the function takes, and how large that is.
    convert: Option<(Body<'static, 2>, usize)>,
}

// SAFETY: `lanes` gives the job to threads that work on different lanes, while it holds the borrows of
// both views.
unsafe impl Sync for Job {}

impl Job {
    /// Calls `f` with some lanes, in the order of a plan, and the place for its result, both one
    /// behind the other.
    ///
    /// # Safety
    /// At each offset of the plan a lane must begin on both sides, readable on one and writable on
    /// the other, and the two must share no byte, or be the same and the input packed. `f` must write
    /// the whole place.
    unsafe fn walk(
        &self,
        plan: &Plan<2>,
        lanes: Range<usize>,
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let converted =
            self.convert.as_ref().map_or(0, |(_, size)| size.saturating_mul(self.input.len));
        let widest = self.input.bytes().max(self.out.bytes()).max(converted).max(1);
        let group = group_of(widest, self.input.size.min(self.out.size));
        let mut buffers = Buffers {
            out: self.out.buffer(group),
            input: self.input.buffer(group),
            converted: buffer(group.saturating_mul(converted)),
        };
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
        buffers: &mut Buffers,
        f: &mut dyn FnMut(*const u8, *mut u8),
    ) {
        let out = &self.out;
        let [step_out, step_in] = inner.steps;
        // SAFETY: the caller's promises: all places below belong to one of the lanes, or to a
        // buffer with room for all of them.
        unsafe {
            let (to, from) =
                (out.ptr.add(to * out.size), self.input.ptr.add(from * self.input.size));
            let (lanes, lane_step) = self.fetch(from, step_in, count, buffers);
            let packed = buffers.out.as_mut_ptr().cast::<u8>();
            for i in 0..count {
                let place = match out.is_direct {
                    true => to.offset(i as isize * step_out * out.size as isize),
                    false => packed.add(i * out.bytes()),
                };
                f(lanes.offset(i as isize * lane_step), place);
            }
            if !out.is_direct {
                let counts = [count, out.len];
                copy_tile(out.size, to, out.spread(step_out), packed, out.packed(), counts);
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
        from: *const u8,
        step: isize,
        count: usize,
        buffers: &mut Buffers,
    ) -> (*const u8, isize) {
        let input = &self.input;
        let (mut lanes, mut lane_step) = (from, step * input.size as isize);
        // SAFETY: the caller's promises; the body is of these two types.
        unsafe {
            if !input.is_direct {
                let packed = buffers.input.as_mut_ptr().cast::<u8>();
                let counts = [count, input.len];
                copy_tile(input.size, packed, input.packed(), from, input.spread(step), counts);
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
