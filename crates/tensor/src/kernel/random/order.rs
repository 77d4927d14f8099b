//! Random orders: permutations, shuffles, and choices with and without putting back.

use super::draw::{Below, exponential, unit};
use super::{BLOCK, Stream};
use crate::dtype::AnyTask;
use crate::kernel::lanes::{lanes, lanes_in_place};
use crate::kernel::sequence::fill_in_order;
use crate::tensor::reserve;
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{Element, Error};
use std::collections::HashMap;

/// The numbers below `n` in random order.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn order(stream: Stream, n: usize) -> Result<Vec<i64>, Error> {
    choose(stream, n, n)
}

/// The first `count` of the numbers below `n` in random order. There must be as many.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn choose(stream: Stream, n: usize, count: usize) -> Result<Vec<i64>, Error> {
    let mut numbers = stream.numbers(0);
    let mut chosen = reserve(count)?;
    // Each position in turn gets one of those that are left. Of many, only those are noted that are
    // not where they were; both ways give the same.
    if count < n / 16 {
        let mut moved = HashMap::new();
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

/// `count` of the numbers below the number of weights, each only once, with chances that are as their
/// weights. As many of these must not be zero.
///
/// Of several things that happen after a random time, with rates as their weights, the first is each
/// with a chance as its weight; and then the next.
///
/// # Errors
/// If there is not enough memory.
pub(crate) fn choose_weighted(
    stream: Stream,
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

/// Draws the positions of weights into a view of integers of 64 bits, with chances that are as they.
///
/// `sums` are their running totals, which must rise to something positive and finite.
pub(crate) fn draw_weighted<'x>(out: AnyViewMut<'x>, stream: Stream, sums: &[f64]) -> Written<'x> {
    let total = sums.last().copied().expect("there is a weight");
    // The last that counts, for what is rounded up to the total.
    let last = sums.partition_point(|&sum| sum < total);
    fill_in_order(out, BLOCK, 32, |b, block: &mut [u64]| {
        let mut numbers = stream.numbers(b);
        for x in block {
            let at = unit(&mut numbers) * total;
            *x = sums.partition_point(|&sum| sum <= at).min(last) as u64;
        }
    })
}

/// Writes the lanes of `input` to `out` with their elements in an order, which must be one of all
/// positions of the axis.
pub(crate) fn permute<'x>(
    out: AnyViewMut<'x>,
    input: &AnyView<'_>,
    axis: usize,
    order: &[i64],
) -> Written<'x> {
    struct Permute<'x, 'a>(AnyViewMut<'x>, &'a AnyView<'a>, usize, &'a [i64]);

    impl<'x> AnyTask for Permute<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Element>(self) -> Written<'x> {
            let Permute(out, input, axis, order) = self;
            lanes(
                out,
                input,
                axis,
                2,
                || (),
                |(), lane: &[T], place: &mut [T]| {
                    for (place, &i) in place.iter_mut().zip(order) {
                        *place = lane[i as usize];
                    }
                },
            )
        }
    }

    out.dtype().with_any(Permute(out, input, axis, order))
}

/// The same in place.
pub(crate) fn shuffle(out: AnyViewMut<'_>, axis: usize, order: &[i64]) {
    struct Shuffle<'x, 'a>(AnyViewMut<'x>, usize, &'a [i64]);

    impl AnyTask for Shuffle<'_, '_> {
        type Output = ();

        fn run<T: Element>(self) {
            let Shuffle(out, axis, order) = self;
            lanes_in_place(out, axis, 4, Vec::new, |before: &mut Vec<T>, lane: &mut [T]| {
                before.clear();
                before.extend_from_slice(lane);
                for (place, &i) in lane.iter_mut().zip(order) {
                    *place = before[i as usize];
                }
            });
        }
    }

    out.dtype().with_any(Shuffle(out, axis, order));
}
