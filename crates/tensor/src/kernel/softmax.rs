//! Lanes made comparable: exponentials as shares of their sum.
//!
//! A lane is read once. What is found out about it (its greatest element, the exponentials, their sum) and
//! what becomes of it are passes over the cache, each of them a loop of vectors. Sums are `f64`.

use super::cpu::{BlockLoop, compiled};
use super::lanes::lanes_of;
use crate::Element;
use crate::dtype::{Comparable, Field, Float, FloatTask, MulAdd, Number};
use crate::view::{AnyViewMut, Source, Written};
use std::marker::PhantomData;

/// Writes the exponentials of each lane as shares of their sum, or the logarithms of the shares. The output
/// is of a real floating-point type, which the input is converted to first; if not, this panics.
pub(crate) fn softmax<'x>(
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
    is_log: bool,
) -> Written<'x> {
    let dtype = out.dtype();
    let task = Softmax { out, source, axis, is_log };
    dtype.with_float(task).expect("shares are floats")
}

struct Softmax<'x, 's> {
    out: AnyViewMut<'x>,
    source: &'s Source<'s>,
    axis: usize,
    is_log: bool,
}

impl<'x> FloatTask for Softmax<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        let Softmax { out, source, axis, is_log } = self;
        let shares = compiled::<SoftmaxLoop<T>>();
        // The exponentials of a lane, as they are calculated.
        let room = Vec::<T::Wide>::new;
        lanes_of(out, source, axis, 8, room, |room, lane: &[T], place: &mut [T]| {
            room.resize(lane.len(), T::Wide::ZERO);
            // SAFETY: the loop has no requirements.
            unsafe { shares((lane, place, room, is_log)) }
        })
    }
}

/// Softmax, or its logarithm, of one lane.
struct SoftmaxLoop<T>(PhantomData<T>);

impl<T: Element<Wide: Float>> BlockLoop for SoftmaxLoop<T> {
    /// A lane, the lane of the output, room for as many numbers, and whether the logarithm is wanted.
    type Args<'a> = (&'a [T], &'a mut [T], &'a mut [T::Wide], bool);

    const HAS_AVX512: bool = true;

    /// # Safety
    /// None.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((lane, place, powers, is_log): Self::Args<'_>) {
        let top = greatest(lane);
        for (power, x) in powers.iter_mut().zip(lane) {
            *power = x.widen().minus(top).exp::<M>();
        }
        let sum = sum(powers);
        if is_log {
            let log = T::Wide::of(sum.ln());
            for (place, x) in place.iter_mut().zip(lane) {
                *place = T::narrow(x.widen().minus(top).minus(log));
            }
        } else {
            // A division for each element would take as long as its exponential.
            let factor = T::Wide::of(1.0 / sum);
            for (place, power) in place.iter_mut().zip(powers) {
                *place = T::narrow(power.times(factor));
            }
        }
    }
}

/// Numbers that are dealt with at once, whatever the instruction set: the order of a sum is part of its
/// result. So many that no addition has to wait for the one before it.
const LANES: usize = 64;

/// The greatest element; a NaN if one is.
#[inline(always)]
fn greatest<T: Element<Wide: Float>>(lane: &[T]) -> T::Wide {
    let mut tops = [T::Wide::LOWEST; LANES];
    let (chunks, rest) = lane.as_chunks::<LANES>();
    for chunk in chunks {
        for (top, x) in tops.iter_mut().zip(chunk) {
            *top = top.greater(x.widen());
        }
    }
    for (top, x) in tops.iter_mut().zip(rest) {
        *top = top.greater(x.widen());
    }
    let mut half = LANES / 2;
    while half > 0 {
        for k in 0..half {
            tops[k] = tops[k].greater(tops[k + half]);
        }
        half /= 2;
    }
    tops[0]
}

/// The sum, to all digits of the type. Numbers of half the digits need nothing for that; of the others each
/// addition's error is kept.
#[inline(always)]
fn sum<W: Float>(numbers: &[W]) -> f64 {
    let mut sums = Sums { sums: [0.0; LANES], lost: [0.0; LANES] };
    let is_exact = size_of::<W>() < size_of::<f64>();
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (k, x) in chunk.iter().enumerate() {
            sums.add(k, x.double(), is_exact);
        }
    }
    for (k, x) in rest.iter().enumerate() {
        sums.add(k, x.double(), is_exact);
    }
    let mut half = LANES / 2;
    while half > 0 {
        for k in 0..half {
            sums.add(k, sums.sums[k + half], is_exact);
            sums.lost[k] += sums.lost[k + half];
        }
        half /= 2;
    }
    // Beyond all numbers the error is one of infinities.
    if sums.sums[0].is_finite() { sums.sums[0] + sums.lost[0] } else { sums.sums[0] }
}

/// Sums side by side, and what was lost on the way.
struct Sums {
    sums: [f64; LANES],
    lost: [f64; LANES],
}

impl Sums {
    /// Adds to one of them, by Knuth's way to find the error of an addition.
    #[inline(always)]
    fn add(&mut self, k: usize, x: f64, is_exact: bool) {
        let before = self.sums[k];
        let sum = before + x;
        self.sums[k] = sum;
        if !is_exact {
            let part = sum - before;
            self.lost[k] += (before - (sum - part)) + (x - part);
        }
    }
}
