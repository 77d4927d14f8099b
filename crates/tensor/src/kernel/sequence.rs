//! Values generated in the order of the indices, block by block.
//!
//! Block `b` of a tensor has its `len` elements from `b · len` on, in row-major order, whatever its strides are. A function
//! generates each block without knowing where it is stored, and threads share the blocks. So the value of an
//! element depends neither on strides nor on threads.

use super::copy::{Steps, copy_tile};
use super::parallel::run_with_states;
use crate::Element;
use crate::cancel::scratch_of;
use crate::plan::{Loop, Plan, pieces_for};
use crate::sync_ptr::SyncPtr;
use crate::view::{AnyView, AnyViewMut, Written};
use std::slice;

/// Calls `make` to fill each block of `len` elements (the last may be shorter), which holds zeros at first.
///
/// `T` is a type for the bits of an element. An element costs as much as `cost` additions.
///
/// # Panics
/// If `T` does not have the size and alignment of the dtype.
pub(crate) fn fill_in_order<'x, T: Element>(
    out: AnyViewMut<'x>,
    len: usize,
    cost: usize,
    make: impl Fn(usize, &mut [T]) + Sync,
) -> Written<'x> {
    let dtype = out.dtype();
    assert_eq!((dtype.size(), dtype.align()), (size_of::<T>(), align_of::<T>()), "bits of {dtype}");
    let plan = Plan::in_order([out.layout()]).expect("a layout has its own shape");
    if plan.is_empty() {
        return out.written_empty();
    }
    let (count, job) =
        (plan.len(), SequenceJob { plan: &plan, out: SyncPtr::new(out.ptr().as_ptr()) });
    let n_blocks = count.div_ceil(len);
    let n = pieces_for(count.saturating_mul(cost), n_blocks);
    let n_buffered = if job.is_contiguous() { 0 } else { len.min(count) };
    let buffer = || scratch_of(T::default(), n_buffered);
    run_with_states(n, buffer, |buffer, i| {
        for b in n_blocks * i / n..n_blocks * (i + 1) / n {
            let (first, len) = (b * len, len.min(count - b * len));
            if job.is_contiguous() {
                // SAFETY: the plan was made from the layout of the view, which is borrowed for writing; blocks
                // share no element, and each is made once. All zeros are a value of every type.
                let block = unsafe {
                    let at = job.out.get().cast::<T>().add(plan.starts()[0] + first);
                    at.write_bytes(0, len);
                    slice::from_raw_parts_mut(at, len)
                };
                make(b, block);
            } else {
                buffer[..len].fill(T::default());
                make(b, &mut buffer[..len]);
                // SAFETY: as above: these are elements of the plan, of this size, that no other thread accesses.
                unsafe { job.scatter(first, &buffer[..len]) };
            }
        }
    });
    // SAFETY: every block has just been written.
    unsafe { out.written() }
}

/// Where blocks are stored.
struct SequenceJob<'p> {
    plan: &'p Plan<1>,
    out: SyncPtr<u8>,
}

impl SequenceJob<'_> {
    /// Whether the elements are contiguous.
    fn is_contiguous(&self) -> bool {
        matches!(self.plan.loops(), [] | [Loop { steps: [1], .. }])
    }

    /// Writes values to the elements from position `first` on.
    ///
    /// # Safety
    /// The plan must have these positions, with elements of this size that are writable and that no other thread
    /// accesses.
    unsafe fn scatter<T: Element>(&self, first: usize, values: &[T]) {
        let size = size_of::<T>();
        let mut done = 0;
        self.plan.nest().runs_in(first..first + values.len(), &mut |[at], run| {
            let to = Steps { rows: 0, cols: run.steps[0] * size as isize };
            let from = Steps { rows: 0, cols: size as isize };
            let source = values[done..done + run.len].as_ptr();
            let out = self.out.get().wrapping_offset(at * size as isize);
            // SAFETY: these are offsets of the plan, and the values are not in the output.
            unsafe { copy_tile(size, out, to, source.cast(), from, [1, run.len]) };
            done += run.len;
        });
    }
}

/// A view that is read by position, in row-major order, whatever its strides are: the inputs of a function that
/// generates blocks.
pub(crate) struct SequenceReader<'a> {
    plan: Plan<1>,
    view: AnyView<'a>,
}

impl<'a> SequenceReader<'a> {
    pub(crate) fn new(view: AnyView<'a>) -> SequenceReader<'a> {
        let plan = Plan::in_order([view.layout()]).expect("a layout has its own shape");
        SequenceReader { plan, view }
    }

    /// Returns whether every position has the same element.
    pub(crate) fn is_constant(&self) -> bool {
        self.plan.loops().iter().all(|it| it.steps == [0])
    }

    /// Copies the elements from position `first` on to `values`.
    ///
    /// # Panics
    /// If `T` is not the type of the elements, or there are not as many.
    pub(crate) fn read<T: Element>(&self, first: usize, values: &mut [T]) {
        assert_eq!(self.view.dtype(), T::DTYPE, "the type of the elements");
        assert!(first + values.len() <= self.plan.len(), "positions of the view");
        let from = self.view.ptr().as_ptr().cast::<T>();
        let mut rest = values;
        self.plan.nest().runs_in(first..first + rest.len(), &mut |[at], run| {
            let (these, others) = std::mem::take(&mut rest).split_at_mut(run.len);
            let start = from.wrapping_offset(at);
            for (i, value) in these.iter_mut().enumerate() {
                // SAFETY: these are offsets of the view's own layout, at positions that exist, of elements of this type;
                // the view is borrowed for reading.
                *value = unsafe { *start.wrapping_offset(i as isize * run.steps[0]) };
            }
            rest = others;
        });
    }
}
