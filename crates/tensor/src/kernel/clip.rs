//! The loop of `clip`.

use super::body::{BlockCall, Body, BroadcastMask};
use super::cpu::{BlockLoop, compiled};
use crate::Element;
use crate::dtype::{Comparable, MulAdd, OrderedTask, Scalar};
use std::marker::PhantomData;

/// Makes the body of `clip`: of an element, a lower bound and an upper bound, which may be broadcast.
pub(crate) struct ClipTask;

impl OrderedTask for ClipTask {
    type Output = Body<'static, 4>;

    fn run<T: Element<Wide: Comparable>>(self) -> Body<'static, 4> {
        Body::new([T::DTYPE; 4], &(), compiled::<ClipLoop<T>>()).taking_scalars(BOUNDS)
    }
}

/// Both bounds.
const BOUNDS: BroadcastMask = 0b1100;

/// The loop of `clip`. Either both bounds are broadcast or none of them; no input is the output.
struct ClipLoop<T>(PhantomData<T>);

impl<T: Element<Wide: Comparable>> BlockLoop for ClipLoop<T> {
    type Args<'a> = BlockCall<4>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<4>) {
        let [out, x, low, high] = call.blocks.map(<*mut u8>::cast::<T>);
        let clip = |x: T::Wide, low: T::Wide, high: T::Wide| x.greater(low).smaller(high);
        let mut i = 0;
        // SAFETY: blocks have `len` elements, or one if they are broadcast, which is then read at position 0 (`Body::call`).
        unsafe {
            if call.broadcast == 0 {
                while i < call.len {
                    let (low, high) = (low.add(i).read().widen(), high.add(i).read().widen());
                    out.add(i).write(T::narrow(clip(x.add(i).read().widen(), low, high)));
                    i += 1;
                }
                return;
            }
            let (low, high) = (low.read().widen(), high.read().widen());
            if low.is_nan() || high.is_nan() {
                while i < call.len {
                    out.add(i).write(T::narrow(clip(x.add(i).read().widen(), low, high)));
                    i += 1;
                }
                return;
            }
            // The same, if no bound is a NaN: an element that is one fails both comparisons.
            while i < call.len {
                let x = x.add(i).read().widen();
                let x = if x <= low { low } else { x };
                out.add(i).write(T::narrow(if x >= high { high } else { x }));
                i += 1;
            }
        }
    }
}
