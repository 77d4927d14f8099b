//! Values in the order of the indices, made a block at a time.
//!
//! Block `b` of a tensor are its elements from `b · len` on, in the order of the indices, whatever its
//! strides are. A function makes one block after the other, without knowing where it goes; threads
//! share out the blocks. So what an element gets depends on neither of the two.

use super::copy::{Steps, copy_tile};
use crate::plan::{Loop, Plan, pieces_for};
use crate::view::{AnyViewMut, Written};
use crate::{Element, pool};
use std::slice;

/// Calls `make` for each block of `len` elements (the last may be shorter), to be filled: it holds
/// zeros at first.
///
/// Elements are taken as bits: `T` must have their size and alignment; if not, this panics. An
/// element costs as much as `cost` additions.
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
        // SAFETY: there are no elements.
        return unsafe { out.written() };
    }
    let (count, job) = (plan.len(), Job { plan: &plan, out: out.ptr().as_ptr() });
    let n_blocks = count.div_ceil(len);
    let n = pieces_for(count.saturating_mul(cost), n_blocks);
    pool::run(n, &|i| {
        let mut buffer = vec![T::default(); if job.is_block() { 0 } else { len.min(count) }];
        for b in n_blocks * i / n..n_blocks * (i + 1) / n {
            let (first, len) = (b * len, len.min(count - b * len));
            // SAFETY: the plan was made from the layout of the view, which is for writing; blocks share
            // no element, and each is made once. Zeros are a value of every type.
            unsafe {
                if job.is_block() {
                    let at = job.out.cast::<T>().add(plan.starts()[0] + first);
                    at.write_bytes(0, len);
                    make(b, slice::from_raw_parts_mut(at, len));
                } else {
                    buffer[..len].fill(T::default());
                    make(b, &mut buffer[..len]);
                    job.spread(first, &buffer[..len]);
                }
            }
        }
    });
    // SAFETY: every block has just been written.
    unsafe { out.written() }
}

/// Where blocks go.
struct Job<'p> {
    plan: &'p Plan<1>,
    out: *mut u8,
}

// SAFETY: `fill_in_order` gives the job to threads that work on different blocks, while it holds the
// borrow of the view.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// Whether the elements lie one behind the other.
    fn is_block(&self) -> bool {
        matches!(self.plan.loops(), [] | [Loop { steps: [1], .. }])
    }

    /// Writes values from an element on, in the order of the indices.
    ///
    /// # Safety
    /// The plan must have so many elements of this size, writable and used by nobody else.
    unsafe fn spread<T: Element>(&self, first: usize, values: &[T]) {
        let size = size_of::<T>();
        let mut done = 0;
        self.plan.nest().runs_in(first..first + values.len(), &mut |[at], run| {
            let to = Steps { rows: 0, cols: run.steps[0] * size as isize };
            let from = Steps { rows: 0, cols: size as isize };
            let source = values[done..done + run.len].as_ptr();
            // SAFETY: these are offsets of the plan, and values of a slice that is not the output's.
            unsafe {
                let out = self.out.offset(at * size as isize);
                copy_tile(size, out, to, source.cast(), from, [1, run.len]);
            }
            done += run.len;
        });
    }
}
