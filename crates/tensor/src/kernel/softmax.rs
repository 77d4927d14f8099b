//! Softmax `exp(x) / Σ exp(x)`, and its logarithm, along an axis.
//!
//! A lane is read from memory once. Its maximum, the exponentials, their sum and the results are passes over the
//! cache, each of them a vectorized loop. Sums are `f64`.

use super::cpu::{BlockLoop, compiled};
use super::lanes::map_lanes_of_source;
use super::raw_slice::RawSlice;
use crate::Element;
use crate::cancel::scratch_of;
use crate::dtype::{Comparable, Field, Float, FloatTask, MulAdd, Number};
use crate::view::{AnyViewMut, Source, Written};
use std::marker::PhantomData;

/// Writes the softmax of each lane, or its logarithm. The input is cast to the dtype of the output first.
///
/// # Panics
/// If the output does not have a real floating-point dtype.
pub(crate) fn softmax<'x>(
    out: AnyViewMut<'x>,
    source: &Source<'_>,
    axis: usize,
    is_log: bool,
) -> Written<'x> {
    let dtype = out.dtype();
    let task = Softmax { out, source, axis, is_log };
    dtype.with_float(task).expect("the output of softmax is a float")
}

/// The arguments of a softmax.
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
        let run = compiled::<SoftmaxLoop<T>>();
        // The exponentials of a lane.
        let powers = |len: usize| scratch_of(T::Wide::ZERO, len);
        map_lanes_of_source(out, source, axis, 8, powers, |powers, lane: RawSlice<'_, T>, out| {
            // SAFETY: the loop has no requirements.
            unsafe { run((lane, out, powers, is_log)) }
        })
    }
}

/// Softmax, or its logarithm, of one lane.
struct SoftmaxLoop<T>(PhantomData<T>);

impl<T: Element<Wide: Float>> BlockLoop for SoftmaxLoop<T> {
    /// A lane, the lane of the output, room for as many numbers, and whether the logarithm is wanted.
    type Args<'a> = (RawSlice<'a, T>, &'a mut [T], &'a mut [T::Wide], bool);

    const HAS_AVX512: bool = true;

    /// # Safety
    /// None.
    #[inline(always)]
    unsafe fn run<M: MulAdd>((lane, out, powers, is_log): Self::Args<'_>) {
        softmax_lane::<T, M>(lane, out, powers, is_log);
    }
}

/// Writes the softmax of one lane, or its logarithm; `powers` is room for as many numbers.
///
/// A function with a parameter for each slice: the compiler knows that the slices of parameters do not overlap, not that
/// those of a tuple do not, and would reload them in the loops.
#[inline(always)]
fn softmax_lane<T: Element<Wide: Float>, M: MulAdd>(
    lane: RawSlice<'_, T>,
    out: &mut [T],
    powers: &mut [T::Wide],
    is_log: bool,
) {
    let max = max_of(lane);
    for (power, x) in powers.iter_mut().zip(lane.iter()) {
        *power = x.widen().minus(max).exp::<M>();
    }
    let sum = sum_of(powers);
    if is_log {
        let log = T::Wide::of(sum.ln());
        for (out, x) in out.iter_mut().zip(lane.iter()) {
            *out = T::narrow(x.widen().minus(max).minus(log));
        }
    } else {
        // A multiplication: a division per element would take as long as its exponential.
        let factor = T::Wide::of(1.0 / sum);
        for (out, power) in out.iter_mut().zip(powers) {
            *out = T::narrow(power.times(factor));
        }
    }
}

/// Accumulators side by side. The same number for every instruction set, because the order of a sum is part of its
/// result, and enough to hide the latency of an addition.
const ACCUMULATORS: usize = 64;

/// Returns the maximum; a NaN if there is one.
#[inline(always)]
fn max_of<T: Element<Wide: Float>>(lane: RawSlice<'_, T>) -> T::Wide {
    let mut maxima = [T::Wide::LOWEST; ACCUMULATORS];
    let chunks = lane.chunks::<ACCUMULATORS>();
    for chunk in chunks.iter() {
        maxima = greater_each(maxima, &chunk);
    }
    let rest = lane.part(chunks.len() * ACCUMULATORS, ACCUMULATORS);
    for (max, x) in maxima.iter_mut().zip(rest.iter()) {
        *max = max.greater(x.widen());
    }
    let mut half = ACCUMULATORS / 2;
    while half > 0 {
        for k in 0..half {
            maxima[k] = maxima[k].greater(maxima[k + half]);
        }
        half /= 2;
    }
    maxima[0]
}

/// Returns the greater of each accumulator and element. By value: accumulators that are updated in place are stored
/// to memory in each iteration of the caller's loop, and the maximum takes 1.7 times as long.
#[inline(always)]
fn greater_each<T: Element<Wide: Float>>(
    maxima: [T::Wide; ACCUMULATORS],
    chunk: &[T; ACCUMULATORS],
) -> [T::Wide; ACCUMULATORS] {
    let mut greater = maxima;
    for k in 0..ACCUMULATORS {
        greater[k] = maxima[k].greater(chunk[k].widen());
    }
    greater
}

/// Returns the sum, accurate to the last digit of the type. An `f64` sum of narrower floats is; for `f64` it is
/// compensated.
#[inline(always)]
fn sum_of<W: Float>(numbers: &[W]) -> f64 {
    let mut sums = CompensatedSums { sums: [0.0; ACCUMULATORS], lost: [0.0; ACCUMULATORS] };
    let is_wider = size_of::<W>() < size_of::<f64>();
    let (chunks, rest) = numbers.as_chunks::<ACCUMULATORS>();
    for chunk in chunks {
        for (k, x) in chunk.iter().enumerate() {
            sums.add(k, x.double(), is_wider);
        }
    }
    for (k, x) in rest.iter().enumerate() {
        sums.add(k, x.double(), is_wider);
    }
    let mut half = ACCUMULATORS / 2;
    while half > 0 {
        for k in 0..half {
            sums.add(k, sums.sums[k + half], is_wider);
            sums.lost[k] += sums.lost[k + half];
        }
        half /= 2;
    }
    // The error of an infinite sum is a NaN.
    if sums.sums[0].is_finite() { sums.sums[0] + sums.lost[0] } else { sums.sums[0] }
}

/// Sums side by side, and the sums of their rounding errors.
struct CompensatedSums {
    sums: [f64; ACCUMULATORS],
    lost: [f64; ACCUMULATORS],
}

impl CompensatedSums {
    /// Adds to sum `k`; the error of the addition is found by Knuth's TwoSum, unless it is negligible.
    #[inline(always)]
    fn add(&mut self, k: usize, x: f64, is_wider: bool) {
        let before = self.sums[k];
        let sum = before + x;
        self.sums[k] = sum;
        if !is_wider {
            let part = sum - before;
            self.lost[k] += (before - (sum - part)) + (x - part);
        }
    }
}
