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

/// The least number of integers for which one or two radix passes are faster than a sort in registers.
const MIN_FEW_PASSES_LEN: usize = 1 << 16;

/// Returns the capacity of the buffer that [`sort`] may need for `n` integers.
pub(super) fn scratch_len<I: Digits>(n: usize) -> usize {
    vector_sort::buffer_len::<I>(n)
}

/// Sorts integers. `scratch` is a buffer whose contents are overwritten.
///
/// Integers that differ only in bytes outside of `DIGITS` must be in order already.
pub(super) fn sort<I: Digits>(items: &mut Vec<I>, scratch: &mut Vec<I>) {
    sort_with(items, scratch, vector_sort::sort);
}

/// [`sort`], where `sort_in_registers` returns whether it has sorted a list.
fn sort_with<I: Digits>(
    items: &mut Vec<I>,
    scratch: &mut Vec<I>,
    sort_in_registers: impl Fn(&mut [I], &mut Vec<I>) -> bool,
) {
    let Some(&first) = items.first() else { return };
    let n = items.len();
    let is_short = if I::DIGITS.len() <= 2 { n < MIN_RADIX_LEN } else { n < MIN_FEW_PASSES_LEN };
    if is_short && sort_in_registers(items, scratch) {
        return;
    }
    let differ = |&digit: &usize| items.iter().any(|it| it.digit(digit) != first.digit(digit));
    let digits: Vec<usize> = match items.len() < MIN_RADIX_LEN {
        true => vec![],
        false => I::DIGITS.filter(differ).collect(),
    };
    let is_alone = threads_for(n / INTEGERS_PER_ELEMENT) <= 2;
    if digits.len() > 2 && is_alone && sort_in_registers(items, scratch) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// Compares sorts with that of the standard library, with and without registers.
    fn check<I: Digits + Debug>(from: impl Fn(u64) -> I) {
        let lens = (0..600).step_by(7).chain([511, 512, 1024, 2048, 9000, 20_000, 70_000]);
        for n in lens.take(if cfg!(miri) { 9 } else { usize::MAX }) {
            let random = |i: u64| (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23) ^ i;
            let lists: [&dyn Fn(u64) -> u64; 5] =
                [&random, &|i| i, &|i| !i, &|i| random(i) % 200, &|i| (random(i) % 3) << 56];
            for list in lists {
                let list: Vec<I> = (0..n as u64).map(|i| from(list(i))).collect();
                let mut expected = list.clone();
                expected.sort_unstable();
                let (mut items, mut scratch) = (list.clone(), vec![]);
                sort(&mut items, &mut scratch);
                assert!(items == expected, "{n} of {:?}", &list[..n.min(9)]);
                let mut items = list.clone();
                sort_with(&mut items, &mut scratch, |_, _| false);
                assert!(items == expected, "{n} of {:?} without registers", &list[..n.min(9)]);
            }
        }
    }

    #[test]
    fn sorts_with_and_without_registers_match_the_standard_library() {
        check::<u8>(|x| x as u8);
        check::<u16>(|x| x as u16);
        check::<u32>(|x| x as u32);
        check::<u64>(|x| x);
        check::<u128>(|x| u128::from(x) << 32);
    }
}
