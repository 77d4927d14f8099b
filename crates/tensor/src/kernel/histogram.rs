//! Histograms.
//!
//! The elements are divided into parts, whose number does not depend on the number of threads; each part has its own
//! counts, which are added in the order of the parts. So sums of weights are bit-identical for every number of threads.
//! Elements are cast to `float64`, or to `int64` if the bins are integers, a block at a time, so that the search for bins is
//! compiled once and not for each dtype.

use super::raw_slice::RawSlice;
use crate::cancel::{scratch, scratch_of};
use crate::dtype::{Comparable, OrderedTask};
use crate::plan::BLOCK_ELEMENTS;
use crate::view::{AnyView, Strided};
use crate::{Element, View, pool};
use std::ops::AddAssign;
use std::sync::{Mutex, PoisonError};

/// The minimum number of elements in a part.
const MIN_PART_ELEMENTS: usize = 1 << 16;

/// The maximum number of parts, and so of threads.
const MAX_PARTS: usize = 32;

/// Adjacent bins.
pub(crate) enum BinEdges<'a> {
    /// Ascending edges: bins are half-open intervals `[a, b)`, except the last one, which is closed.
    Edges(&'a [f64]),
    /// The same, for finite edges that are equidistant up to rounding.
    Even(&'a [f64]),
    /// One bin for each integer from 0 up to this number, exclusive.
    Whole(usize),
}

impl BinEdges<'_> {
    fn len(&self) -> usize {
        match self {
            BinEdges::Edges(edges) | BinEdges::Even(edges) => edges.len().saturating_sub(1),
            BinEdges::Whole(n) => *n,
        }
    }

    /// Calls `hit` with the elements of a part that are in a bin: their numbers in the part and their bins.
    fn for_each_hit(
        &self,
        view: &AnyView<'_>,
        n_parts: usize,
        part: usize,
        mut hit: impl FnMut(usize, usize),
    ) {
        let mut before = 0;
        match *self {
            _ if self.len() == 0 => {}
            BinEdges::Whole(n) => for_each_block(view, n_parts, part, &mut |values: &[i64]| {
                // Negative numbers are greater than every length after the cast.
                let bin_of = |x: i64| Some(x as usize).filter(|&bin| bin < n);
                for_each_binned(values, bin_of, |i, bin| hit(before + i, bin));
                before += values.len();
            }),
            BinEdges::Edges(edges) | BinEdges::Even(edges) => {
                let (first, n) = (edges[0], self.len());
                let scale = n as f64 / (edges[n] - first);
                let is_even = matches!(self, BinEdges::Even(_)) && scale.is_normal();
                for_each_block(view, n_parts, part, &mut |values: &[f64]| {
                    let hit = |i: usize, bin: usize| hit(before + i, bin);
                    match is_even {
                        true => for_each_binned(values, |x| even_bin(edges, scale, x), hit),
                        false => for_each_binned(values, |x| bin_between(edges, x), hit),
                    }
                    before += values.len();
                });
            }
        }
    }
}

/// Calls `hit` with the index and the bin of each value that has one.
#[inline(always)]
fn for_each_binned<V: Copy>(
    values: &[V],
    bin_of: impl Fn(V) -> Option<usize>,
    mut hit: impl FnMut(usize, usize),
) {
    for (i, &x) in values.iter().enumerate() {
        if let Some(bin) = bin_of(x) {
            hit(i, bin);
        }
    }
}

/// Returns the bin of a value between at least two edges, by binary search.
fn bin_between(edges: &[f64], x: f64) -> Option<usize> {
    let last = edges.len() - 1;
    if !(x >= edges[0] && x <= edges[last]) {
        return None;
    }
    Some(edges.partition_point(|&edge| edge <= x).saturating_sub(1).min(last - 1))
}

/// Returns the bin of a value between equidistant edges, by division. The edges are rounded, so the quotient may be off
/// by one.
#[inline(always)]
fn even_bin(edges: &[f64], scale: f64, x: f64) -> Option<usize> {
    let last = edges.len() - 1;
    if !(x >= edges[0] && x <= edges[last]) {
        return None;
    }
    let mut bin = (((x - edges[0]) * scale) as usize).min(last - 1);
    while bin > 0 && x < edges[bin] {
        bin -= 1;
    }
    while bin + 1 < last && x >= edges[bin + 1] {
        bin += 1;
    }
    Some(bin)
}

/// Counts the elements of a real view in each bin. NaNs are in none.
pub(crate) fn count(view: &AnyView<'_>, bins: &BinEdges<'_>) -> Vec<i64> {
    sum_of_parts(view, bins, |n_parts, i| {
        let mut counts = scratch_of(0, bins.len());
        bins.for_each_hit(view, n_parts, i, |_, bin| counts[bin] += 1);
        counts
    })
}

/// Counts the occurrences of each value from 0 to the greatest, or below `minlength` if that is more, on this thread. The
/// elements are cast to `int64`; returns the least as the error if it is negative.
pub(crate) fn count_values(view: &AnyView<'_>, minlength: usize) -> Result<Vec<i64>, i64> {
    let mut values = scratch(view.layout().len());
    for_each_block(view, 1, 0, &mut |block: &[i64]| values.extend_from_slice(block));
    let (least, greatest) =
        values.iter().fold((0, -1), |(least, greatest), &x: &i64| (x.min(least), x.max(greatest)));
    if least < 0 {
        return Err(least);
    }
    let mut counts = scratch_of(0, minlength.max(greatest.saturating_add(1) as usize));
    values.iter().for_each(|&x| counts[x as usize] += 1);
    Ok(counts)
}

/// Sums the weights of the elements in each bin.
///
/// # Panics
/// If there is not one weight for each element, or the weights are not `float64`.
pub(crate) fn weigh(view: &AnyView<'_>, weights: &AnyView<'_>, bins: &BinEdges<'_>) -> Vec<f64> {
    assert_eq!(view.layout().shape(), weights.layout().shape(), "a weight for each element");
    sum_of_parts(view, bins, |n_parts, i| {
        let mut sums = scratch_of(0.0, bins.len());
        let weights = part(&weights.typed::<f64>().expect("weights are float64"), n_parts, i);
        if let Some(weights) = RawSlice::of_view(&weights) {
            bins.for_each_hit(view, n_parts, i, |k, bin| sums[bin] += weights.get(k));
            return sums;
        }
        let (mut weights, mut taken) = (weights.iter(), 0);
        bins.for_each_hit(view, n_parts, i, |k, bin| {
            let weight = weights.nth(k - taken).expect("a weight for each element");
            (sums[bin], taken) = (sums[bin] + weight, k + 1);
        });
        sums
    })
}

/// Adds up the results of a function of each part of the elements.
fn sum_of_parts<N: Copy + AddAssign + Send>(
    view: &AnyView<'_>,
    bins: &BinEdges<'_>,
    of_part: impl Fn(usize, usize) -> Vec<N> + Sync,
) -> Vec<N> {
    let n = view.layout().len();
    let longest = view.layout().axes().iter().map(|axis| axis.len).max().unwrap_or(1);
    // More elements than bins in each part, or adding up the parts would dominate.
    let most = (n / bins.len().max(1)).clamp(1, MAX_PARTS);
    let n_parts = (n / MIN_PART_ELEMENTS).clamp(1, most).min(longest.max(1));
    let parts: Vec<Mutex<Vec<N>>> = (0..n_parts).map(|_| Mutex::default()).collect();
    pool::run(n_parts, &|i| {
        let sums = of_part(n_parts, i);
        *parts[i].lock().unwrap_or_else(PoisonError::into_inner) = sums;
    });
    let mut parts =
        parts.into_iter().map(|it| it.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut total = parts.next().expect("there is at least one part");
    for part in parts {
        total.iter_mut().zip(part).for_each(|(total, sum)| *total += sum);
    }
    total
}

/// Returns part `i` of `n_parts` of a view, which is cut along its longest axis.
fn part<'a, T: Element>(view: &View<'a, T>, n_parts: usize, i: usize) -> View<'a, T> {
    let axes = view.layout().axes().iter().map(|axis| axis.len).enumerate();
    let longest = axes.max_by_key(|&(k, len)| (len, std::cmp::Reverse(k)));
    // A view of rank 0 has no axis to be cut along.
    let Some((axis, len)) = longest else { return view.clone() };
    let (start, end) = (len * i / n_parts, len * (i + 1) / n_parts);
    view.clone().narrow(axis as isize, start, end - start).expect("a part of the axis")
}

/// Calls `f` with the elements of a part, cast to another type, a block at a time, in logical order.
fn for_each_block<V: Element>(
    view: &AnyView<'_>,
    n_parts: usize,
    i: usize,
    f: &mut dyn FnMut(&[V]),
) {
    struct HistogramTask<'a, 'f, V>(&'a AnyView<'a>, usize, usize, &'f mut dyn FnMut(&[V]));

    impl<V: Element> OrderedTask for HistogramTask<'_, '_, V> {
        type Output = ();

        fn run<T: Element<Wide: Comparable>>(self) {
            let HistogramTask(view, n_parts, i, f) = self;
            let view = part(&view.typed::<T>().expect("the view has its own dtype"), n_parts, i);
            let mut block = scratch(view.layout().len().min(BLOCK_ELEMENTS));
            if let Some(slice) = RawSlice::of_view(&view) {
                for first in (0..slice.len()).step_by(BLOCK_ELEMENTS) {
                    block.clear();
                    let part = slice.part(first, BLOCK_ELEMENTS);
                    block.extend(part.iter().map(|x| x.cast::<V>()));
                    f(&block);
                }
                return;
            }
            for mut run in view.runs() {
                while run.len() > 0 {
                    let room = BLOCK_ELEMENTS - block.len();
                    block.extend(run.by_ref().take(room).map(|x| x.cast::<V>()));
                    if block.len() == BLOCK_ELEMENTS {
                        f(&block);
                        block.clear();
                    }
                }
            }
            f(&block);
        }
    }

    let task = HistogramTask(view, n_parts, i, f);
    view.dtype().with_ordered(task).expect("the operation refuses complex dtypes");
}
