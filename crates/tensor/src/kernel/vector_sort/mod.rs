//! Sorts of integers in vector registers: quicksort, and bitonic networks for at most 32 registers.
//!
//! For processors with AVX-512, and integers of 4 or 8 bytes; at most 512 integers of 1 or 2 bytes are widened. The plain
//! solution is the comparison sort of the standard library, which the tests compare with. Sorted integers are the same
//! for every algorithm, so results do not depend on the instruction set. 1024 random integers of 4 bytes take 1.0 µs,
//! a radix sort of them 7.

#[cfg(target_arch = "x86_64")]
mod network;
#[cfg(target_arch = "x86_64")]
mod quicksort;
#[cfg(target_arch = "x86_64")]
mod vector;

use crate::dtype::Digits;

/// Integers of the longest list that is sorted without a buffer.
const MAX_UNBUFFERED: usize = 128;

/// The maximum number of elements in a register. A list with this much spare capacity is loaded faster: a masked load
/// that reaches into a page that is not mapped takes a microcode assist of 1 µs.
pub(super) const SLACK: usize = 16;

/// Returns the capacity of the buffer that the functions of this module may need for `n` integers.
pub(super) fn buffer_len<I: Digits>(n: usize) -> usize {
    if n <= MAX_UNBUFFERED || I::DIGITS.is_empty() { 0 } else { n + SLACK }
}

/// Sorts integers, if this processor and type are supported; returns whether.
pub(super) fn sort<I: Digits>(items: &mut [I], buffer: &mut Vec<I>) -> bool {
    arrange(items, buffer, Arrangement::Sorted)
}

/// Moves the integer that a sort would put at position `k` there, those not greater before it and those not smaller after
/// it, if this processor and type are supported; returns whether.
///
/// # Panics
/// If there is no such position.
pub(super) fn select<I: Digits>(items: &mut [I], k: usize, buffer: &mut Vec<I>) -> bool {
    assert!(k < items.len(), "a position of the list");
    arrange(items, buffer, Arrangement::Selected(k))
}

/// What is done with a list.
#[derive(Clone, Copy)]
enum Arrangement {
    Sorted,
    /// The integer of this position of the sorted list is there.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "read on x86-64 only"))]
    Selected(usize),
}

#[cfg(not(target_arch = "x86_64"))]
fn arrange<I: Digits>(_: &mut [I], _: &mut Vec<I>, _: Arrangement) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
use x86::arrange;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::vector::{KeyVector, Keys32, Keys64};
    use super::{Arrangement, buffer_len, network, quicksort};
    use crate::cancel::extend_scratch;
    use crate::dtype::{Digits, PackedEntry};
    use crate::kernel::cpu::{self, Level};
    use std::any::TypeId;

    /// How the integers of a type are sorted.
    enum Words {
        /// Widened to 32 bits.
        Narrow,
        /// As `u32`.
        Four,
        /// As `u64`.
        Eight,
    }

    /// Returns how a type is sorted: each of them is one of the integers, or a transparent struct of one with its order.
    #[inline(always)]
    fn words<I: Digits>() -> Option<Words> {
        let id = TypeId::of::<I>();
        let is = |other: TypeId| id == other;
        if is(TypeId::of::<u8>()) || is(TypeId::of::<u16>()) {
            Some(Words::Narrow)
        } else if is(TypeId::of::<u32>()) {
            Some(Words::Four)
        } else if is(TypeId::of::<u64>())
            || is(TypeId::of::<PackedEntry<u64, 56>>())
            || is(TypeId::of::<PackedEntry<u64, 48>>())
            || is(TypeId::of::<PackedEntry<u64, 32>>())
        {
            Some(Words::Eight)
        } else {
            None
        }
    }

    pub(super) fn arrange<I: Digits>(
        items: &mut [I],
        buffer: &mut Vec<I>,
        to: Arrangement,
    ) -> bool {
        let Some(words) = words::<I>() else { return false };
        if cpu::level() != Level::Avx512 || cfg!(fuzzing) {
            return false;
        }
        let n = items.len();
        if let Words::Narrow = words {
            return sort_narrow(items);
        }
        buffer.clear();
        extend_scratch(buffer, buffer_len::<I>(n));
        let (keys, buffer) = (items.as_mut_ptr(), buffer.as_mut_ptr());
        // SAFETY: the processor is of this level. The integers are words of this size in the order of `u32` or `u64`, `n`
        // of them at `keys`, and the buffer has room for a register more (`buffer_len`), unless it is not needed; both
        // are borrowed. A position is less than `n` (asserted by `select`).
        unsafe {
            match words {
                Words::Eight => arrange_avx512::<Keys64>(keys.cast(), n, buffer.cast(), to),
                _ => arrange_avx512::<Keys32>(keys.cast(), n, buffer.cast(), to),
            }
        }
        true
    }

    /// Sorts at most 512 integers of 1 or 2 bytes; returns whether there are so few.
    fn sort_narrow<I: Digits>(items: &mut [I]) -> bool {
        const MOST: usize = network::MAX_ROWS * Keys32::LANES;
        if items.len() > MOST {
            return false;
        }
        // `digit` is the byte of that number: the second one of a single byte does not exist.
        let n_digits = I::DIGITS.len();
        let mut wide = [0u32; MOST];
        for (wide, item) in wide.iter_mut().zip(&*items) {
            let high = if n_digits == 2 { item.digit(1) << 8 } else { 0 };
            *wide = (high | item.digit(0)) as u32;
        }
        // SAFETY: the caller has compared the processor's level; the array has room for the integers.
        unsafe { sort_few_avx512(wide.as_mut_ptr(), items.len()) };
        for (item, wide) in items.iter_mut().zip(wide) {
            *item = I::from_bits(wide);
        }
        true
    }

    /// # Safety
    /// That of `quicksort::sort`, or `quicksort::select` with its position, for a buffer that need not exist for at most
    /// `MAX_UNBUFFERED` keys; the processor must be of `Level::Avx512`.
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi2,popcnt")]
    unsafe fn arrange_avx512<V: KeyVector>(
        keys: *mut V::Key,
        n: usize,
        buffer: *mut V::Key,
        to: Arrangement,
    ) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            match to {
                Arrangement::Sorted => quicksort::sort::<V>(keys, n, buffer),
                Arrangement::Selected(k) => quicksort::select::<V>(keys, n, k, buffer),
            }
        }
    }

    /// # Safety
    /// `n` keys must be writable, at most 512; the processor must be of `Level::Avx512`.
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi2,popcnt")]
    unsafe fn sort_few_avx512(keys: *mut u32, n: usize) {
        // SAFETY: forwarded: same contract as this function.
        unsafe { network::sort::<Keys32>(keys, n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{PackedEntry, SortEntry};
    use std::fmt::Debug;

    /// Returns lists of `n` integers: random, ascending, descending, all equal, of three values, with many of the greatest,
    /// and one that repeats (as the medians of samples at equal distances).
    fn lists(n: usize) -> [Vec<u64>; 7] {
        let mut state = 0x9E37_79B9_7F4A_7C15 ^ n as u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        [
            (0..n).map(|_| random()).collect(),
            (0..n as u64).map(|i| i << 40 | i).collect(),
            (0..n as u64).rev().map(|i| i << 40 | i).collect(),
            vec![7 << 40 | 7; n],
            (0..n).map(|_| (random() % 3) * 0x0100_0000_0100_0001).collect(),
            (0..n).map(|_| if random() % 3 == 0 { u64::MAX } else { random() }).collect(),
            (0..n as u64).map(|i| ((i % 17) << 33) | (i % 19)).collect(),
        ]
    }

    fn lens() -> impl Iterator<Item = usize> {
        let few = if cfg!(miri) { 0..70 } else { 0..600 };
        let many: &[usize] = if cfg!(miri) { &[300] } else { &[1000, 1024, 4097, 50_001] };
        few.chain(many.iter().copied())
    }

    /// Compares sorts and selections of a type with those of the standard library. Where the processor does not have the
    /// instructions, nothing is sorted, and the list is unchanged.
    fn check<I: Digits + Debug>(from: impl Fn(u64, usize) -> I) {
        for n in lens() {
            for list in lists(n) {
                let list: Vec<I> = list.iter().enumerate().map(|(i, &x)| from(x, i)).collect();
                let mut expected = list.clone();
                expected.sort_unstable();
                let (mut items, mut buffer) = (list.clone(), vec![]);
                match sort(&mut items, &mut buffer) {
                    true => assert!(items == expected, "{n} of {list:?}"),
                    false => assert!(items == list),
                }
                for k in [0, n / 3, n / 2, n.saturating_sub(1)] {
                    let mut items = list.clone();
                    if n == 0 || !select(&mut items, k, &mut buffer) {
                        continue;
                    }
                    assert!(items[k] == expected[k], "{k} of {n}");
                    assert!(items[..k].iter().all(|it| *it <= items[k]));
                    assert!(items[k..].iter().all(|it| *it >= items[k]));
                    items.sort_unstable();
                    assert!(items == expected, "the same integers");
                }
            }
        }
    }

    #[test]
    fn vector_sorts_match_the_standard_library() {
        check::<u8>(|x, _| (x ^ x >> 40) as u8);
        check::<u16>(|x, _| (x ^ x >> 40) as u16);
        check::<u32>(|x, _| (x ^ x >> 40) as u32);
        check::<u64>(|x, _| x);
    }

    #[test]
    fn vector_sorts_of_entries_match_the_standard_library() {
        check::<PackedEntry<u64, 56>>(|x, i| PackedEntry::new((x >> 40) as u8, i));
        check::<PackedEntry<u64, 48>>(|x, i| PackedEntry::new((x >> 40) as u16, i));
        check::<PackedEntry<u64, 32>>(|x, i| PackedEntry::new((x ^ x >> 40) as u32, i));
    }

    #[test]
    fn types_without_registers_are_not_sorted() {
        let mut items = [3u128, 1, 2];
        assert!(!sort(&mut items, &mut vec![]) && !select(&mut items, 1, &mut vec![]));
        assert_eq!(items, [3, 1, 2]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn processors_with_avx512_sort_in_registers() {
        use crate::kernel::cpu::{Level, level};
        let is_sorted = sort(&mut [2u32, 1], &mut vec![]);
        assert_eq!(is_sorted, level() == Level::Avx512 && !cfg!(fuzzing));
    }
}
