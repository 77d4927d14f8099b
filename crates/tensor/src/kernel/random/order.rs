//! Permutations, shuffles, and choices with and without replacement.

use super::draw::{Below, exponential, unit};
use super::{BLOCK_ELEMENTS, RandomStream};
use crate::cancel::scratch;
use crate::dtype::AnyTask;
use crate::kernel::lanes::{map_lanes, map_lanes_in_place};
use crate::kernel::raw_slice::RawSlice;
use crate::kernel::sequence::fill_in_order;
use crate::tensor::reserve;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Element, Error};
use std::collections::HashMap;

/// Draws a permutation of the numbers below `n`.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn order(stream: RandomStream, n: usize) -> Result<Vec<i64>, Error> {
    choose(stream, n, n)
}

/// Draws `count <= n` of the numbers below `n` without replacement.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn choose(stream: RandomStream, n: usize, count: usize) -> Result<Vec<i64>, Error> {
    let mut numbers = stream.numbers(0);
    let mut chosen = reserve(count)?;
    // Fisher–Yates: each position in turn gets one of the remaining numbers. If few are drawn, only the numbers that
    // were moved are stored; both give the same result.
    if count < n / 16 {
        let mut moved = HashMap::new();
        let bytes = count.saturating_mul(size_of::<[usize; 2]>());
        moved.try_reserve(count).map_err(|_| Error::OutOfMemory { bytes })?;
        for i in 0..count {
            let at = i + Below::new((n - i) as u128).draw(&mut numbers) as usize;
            let here = moved.remove(&i).unwrap_or(i);
            chosen.push(if at == i { here } else { moved.insert(at, here).unwrap_or(at) } as i64);
        }
        return Ok(chosen);
    }
    let mut items = reserve(n)?;
    items.extend(0..n as i64);
    for i in 0..count {
        items.swap(i, i + Below::new((n - i) as u128).draw(&mut numbers) as usize);
    }
    chosen.extend_from_slice(&items[..count]);
    Ok(chosen)
}

/// Draws `count` of the numbers below `weights.len()` without replacement, with probabilities proportional to the
/// weights. At least `count` weights must be positive.
///
/// Each number gets an exponential arrival time with its weight as the rate; the first arrivals are the result.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn choose_weighted(
    stream: RandomStream,
    weights: &[f64],
    count: usize,
) -> Result<Vec<i64>, Error> {
    let mut numbers = stream.numbers(0);
    let mut times = reserve(weights.len())?;
    for (i, &weight) in weights.iter().enumerate() {
        let time = exponential(&mut numbers);
        if weight > 0.0 {
            times.push((time / weight, i as i64));
        }
    }
    times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut chosen = reserve(count)?;
    chosen.extend(times[..count].iter().map(|it| it.1));
    Ok(chosen)
}

/// Draws positions of weights with replacement into a view of 64-bit integers.
///
/// `sums` are the cumulative sums of the weights; the last one must be positive and finite.
pub(crate) fn draw_weighted<'x>(
    out: AnyViewMut<'x>,
    stream: RandomStream,
    sums: &[f64],
) -> Written<'x> {
    let total = sums.last().copied().expect("there is a weight");
    // The last position with a positive weight, for products that are rounded up to the total.
    let last = sums.partition_point(|&sum| sum < total);
    fill_in_order(out, BLOCK_ELEMENTS, 32, |b, block: &mut [u64]| {
        let mut numbers = stream.numbers(b);
        for x in block {
            let at = unit(&mut numbers) * total;
            *x = sums.partition_point(|&sum| sum <= at).min(last) as u64;
        }
    })
}

/// Writes the lanes of `input` to `out`, permuted by `order`, which must be a permutation of the positions of the axis.
pub(crate) fn permute<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    order: &[i64],
) -> Written<'x> {
    struct PermuteLanes<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, usize, &'a [i64]);

    impl<'x> AnyTask for PermuteLanes<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element>(self) -> Written<'x> {
            let PermuteLanes(out, input, axis, order) = self;
            map_lanes(
                out,
                input,
                axis,
                2,
                |_| (),
                |(), lane: RawSlice<'_, T>, slot: &mut [T]| {
                    for (slot, &i) in slot.iter_mut().zip(order) {
                        *slot = lane.get(i as usize);
                    }
                },
            )
        }
    }

    out.dtype().with_any(PermuteLanes(out, input, axis, order))
}

/// Permutes lanes in place.
pub(crate) fn shuffle(out: AnyViewMut<'_>, axis: usize, order: &[i64]) {
    struct ShuffleLanes<'x, 'a>(AnyViewMut<'x>, usize, &'a [i64]);

    impl AnyTask for ShuffleLanes<'_, '_> {
        type Output = ();

        fn run<T: Element>(self) {
            let ShuffleLanes(out, axis, order) = self;
            map_lanes_in_place(out, axis, 4, scratch, |before: &mut Vec<T>, lane: &mut [T]| {
                before.clear();
                before.extend_from_slice(lane);
                for (slot, &i) in lane.iter_mut().zip(order) {
                    *slot = before[i as usize];
                }
            });
        }
    }

    out.dtype().with_any(ShuffleLanes(out, axis, order));
}
