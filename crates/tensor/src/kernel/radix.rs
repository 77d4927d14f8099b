//! Sorts of integers: in vector registers, by an LSD radix sort, or by comparisons.
//!
//! Registers sort (`vector_sort/`) where the processor and the type allow it, unless radix sort is faster: for at least
//! 512 integers that have only one or two bytes to sort by, and for 2¹⁶ integers or more if only two of their bytes differ, or
//! more than two threads share them. Otherwise few integers are sorted by comparisons, and many by the radix sort.
//!
//! The radix sort makes one stable counting-sort pass per byte, lowest byte first. A byte that is the same in all
//! integers is skipped: small numbers in a wide type cost as much as they would in a narrow one. For a million integers,
//! four passes take a third of the time of a comparison sort; from there on eight passes take longer than it, because
//! each goes through memory.
//!
//! Threads share the integers in each pass; the histogram determines where each thread writes before any does, so the
//! result does not depend on their number.

use super::parallel::for_each_mut;
use super::vector_sort;
use crate::cancel::{extend_scratch, scratch_of};
use crate::dtype::Digits;
use crate::plan::threads_for;
use crate::pool;
use crate::sync_ptr::SyncPtr;
use std::mem;

/// Integers that a pass sorts in the time that an element takes to be copied: 2¹⁶ of them are worth a thread.
const INTEGERS_PER_ELEMENT: usize = 2;

/// Values of a digit.
const DIGIT_VALUES: usize = 256;

/// Fewer integers are sorted in registers or by comparisons.
const MIN_RADIX_LEN: usize = 512;

/// From so many integers on, one or two radix passes are faster than a sort in registers.
const MIN_FEW_PASSES_LEN: usize = 1 << 16;

/// Returns the capacity of the buffer that [`sort`] may need for `n` integers.
pub(super) fn scratch_len<I: Digits>(n: usize) -> usize {
    vector_sort::buffer_len::<I>(n)
}

/// Sorts integers. `scratch` is a buffer whose contents are overwritten.
///
/// Integers that differ only in bytes outside of `DIGITS` must be in order already.
pub(super) fn sort<I: Digits>(items: &mut Vec<I>, scratch: &mut Vec<I>) {
    let Some(&first) = items.first() else { return };
    let n = items.len();
    let is_short = if I::DIGITS.len() <= 2 { n < MIN_RADIX_LEN } else { n < MIN_FEW_PASSES_LEN };
    if is_short && vector_sort::sort(items, scratch) {
        return;
    }
    let differ = |&digit: &usize| items.iter().any(|it| it.digit(digit) != first.digit(digit));
    let digits: Vec<usize> = match items.len() < MIN_RADIX_LEN {
        true => vec![],
        false => I::DIGITS.filter(differ).collect(),
    };
    let is_alone = threads_for(n / INTEGERS_PER_ELEMENT) <= 2;
    if digits.len() > 2 && is_alone && vector_sort::sort(items, scratch) {
        return;
    }
    if !is_radix_faster(items.len(), digits.len()) {
        return items.sort_unstable();
    }
    scratch.clear();
    extend_scratch(scratch, items.len());
    scratch.resize(items.len(), I::default());
    for digit in digits {
        pass(items, scratch, digit);
        mem::swap(items, scratch);
    }
}

/// Moves the integer that a sort would put at position `k` there, those not greater before it and those not smaller after
/// it. `scratch` is a buffer whose contents are overwritten.
///
/// # Panics
/// If there is no such position.
pub(super) fn select<I: Digits>(items: &mut [I], k: usize, scratch: &mut Vec<I>) {
    if !vector_sort::select(items, k, scratch) {
        items.select_nth_unstable(k);
    }
}

/// Whether a radix sort of `n` integers by `n_digits` digits is faster than a comparison sort. The limits were measured.
fn is_radix_faster(n: usize, n_digits: usize) -> bool {
    match n_digits {
        0 => false,
        1..=4 => n >= MIN_RADIX_LEN * n_digits,
        _ => n >= 2048 * n_digits && (n <= 1 << 20 || pool::num_threads() > 2),
    }
}

/// Sorts integers by one digit; the sort is stable.
fn pass<I: Digits>(from: &[I], to: &mut [I], digit: usize) {
    assert_eq!(from.len(), to.len(), "both lists have the same length");
    let n = from.len();
    let n_parts = threads_for(n / INTEGERS_PER_ELEMENT);
    let part = |i: usize| &from[n * i / n_parts..n * (i + 1) / n_parts];
    let mut counts = scratch_of([0usize; DIGIT_VALUES], n_parts);
    for_each_mut(&mut counts, |i, counts| {
        for item in part(i) {
            counts[item.digit(digit)] += 1;
        }
    });
    // Each count becomes the position of the first of its integers: after those with a smaller digit, and those with
    // the same digit in the parts before.
    let mut at = 0;
    for value in 0..DIGIT_VALUES {
        for counts in &mut counts {
            at += mem::replace(&mut counts[value], at);
        }
    }
    let to = SyncPtr::new(to.as_mut_ptr());
    for_each_mut(&mut counts, |i, starts| {
        for &item in part(i) {
            let next = &mut starts[item.digit(digit)];
            // SAFETY: these are the integers that were counted, which are borrowed, so each has its own position, less
            // than the length of both lists.
            unsafe { to.get().add(*next).write(item) };
            *next += 1;
        }
    });
}
