//! Quicksort and quickselect of keys in registers.
//!
//! A register of keys is compared with the pivot at once, and its two sides are compressed: the smaller keys are stored to
//! the front of the list itself, which has been read as far as that, the others to a buffer, which is then copied behind
//! them. Every store is a whole register, whose lanes after the compressed keys are overwritten by the next one.

use super::network::{self, MAX_ROWS};
use super::vector::KeyVector;
use std::slice;

/// Lists of more keys choose their pivot from four registers of keys instead of one.
const LARGE_LEN: usize = 512;

/// Sorts keys.
///
/// # Safety
/// - That of [`KeyVector`].
/// - `n` keys must be readable and writable at `keys`, and `n + V::LANES` writable at `buffer` if there are more than
///   `MAX_ROWS * V::LANES`. No other thread may access either.
#[inline(always)]
pub(super) unsafe fn sort<V: KeyVector>(keys: *mut V::Key, n: usize, buffer: *mut V::Key) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        if n <= MAX_ROWS * V::LANES {
            return network::sort::<V>(keys, n);
        }
        // Lists of parts that remain to be sorted: the smaller part is sorted first, so that each is at most half of the one
        // before.
        let mut parts = [(keys, 0usize, 0u32); usize::BITS as usize];
        let mut n_parts = 1;
        parts[0] = (keys, n, 2 * n.ilog2());
        while n_parts > 0 {
            n_parts -= 1;
            let (keys, n, depth) = parts[n_parts];
            if n <= MAX_ROWS * V::LANES {
                network::sort::<V>(keys, n);
                continue;
            }
            if depth == 0 {
                slice::from_raw_parts_mut(keys, n).sort_unstable();
                continue;
            }
            let (left, right) = split::<V>(keys, n, buffer);
            let left = (keys, left, depth - 1);
            let right = (keys.add(right), n - right, depth - 1);
            let (small, large) = if left.1 < right.1 { (left, right) } else { (right, left) };
            parts[n_parts] = large;
            parts[n_parts + 1] = small;
            n_parts += 2;
        }
    }
}

/// Moves the key that a sort would put at position `k < n` there, smaller or equal ones before it and greater or equal ones
/// after it.
///
/// # Safety
/// That of [`sort`].
#[inline(always)]
pub(super) unsafe fn select<V: KeyVector>(
    mut keys: *mut V::Key,
    mut n: usize,
    mut k: usize,
    buffer: *mut V::Key,
) {
    let mut depth = 2 * n.max(1).ilog2();
    // SAFETY: forwarded: same contract as this function, for the part of the list that holds position `k`.
    unsafe {
        while n > MAX_ROWS * V::LANES {
            if depth == 0 {
                slice::from_raw_parts_mut(keys, n).select_nth_unstable(k);
                return;
            }
            depth -= 1;
            let (left, right) = split::<V>(keys, n, buffer);
            if k < left {
                n = left;
            } else if k >= right {
                (keys, n, k) = (keys.add(right), n - right, k - right);
            } else {
                return;
            }
        }
        network::sort::<V>(keys, n);
    }
}

/// Splits a list of more than `MAX_ROWS` registers at a pivot: returns `left` and `right` so that keys before `left` are
/// less than it, those between the two equal, and those from `right` on not less. Neither side is the whole list.
///
/// # Safety
/// That of [`sort`].
#[inline(always)]
unsafe fn split<V: KeyVector>(keys: *mut V::Key, n: usize, buffer: *mut V::Key) -> (usize, usize) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        let pivot = match n <= LARGE_LEN {
            true => pivot::<V>(keys, n, buffer, V::LANES),
            false => pivot::<V>(keys, n, buffer, 4 * V::LANES),
        };
        match partition::<V>(keys, n, pivot, buffer, false) {
            // The pivot is the least key: those equal to it need no further sort.
            0 => (0, partition::<V>(keys, n, pivot, buffer, true)),
            left => (left, left),
        }
    }
}

/// Returns the median of `n_samples` keys at equal distances.
///
/// # Safety
/// That of [`sort`]; there must be more keys than samples.
#[inline(always)]
unsafe fn pivot<V: KeyVector>(
    keys: *const V::Key,
    n: usize,
    buffer: *mut V::Key,
    n_samples: usize,
) -> V::Key {
    let step = n / n_samples;
    // SAFETY: the samples are keys of the list, and the buffer has room for them; the rest is forwarded: same contract as
    // this function.
    unsafe {
        for i in 0..n_samples {
            *buffer.add(i) = *keys.add(i * step + step / 2);
        }
        network::sort::<V>(buffer, n_samples);
        *buffer.add(n_samples / 2)
    }
}

/// Moves the keys less than the pivot, or equal to it if `or_equal`, to the front; returns how many there are.
///
/// # Safety
/// That of [`sort`].
#[inline(always)]
unsafe fn partition<V: KeyVector>(
    keys: *mut V::Key,
    n: usize,
    pivot: V::Key,
    buffer: *mut V::Key,
    or_equal: bool,
) -> usize {
    let (mut n_left, mut n_right) = (0, 0);
    let all = ((1u32 << V::LANES) - 1) as u16;
    // SAFETY: `n_left + n_right` is the number of keys that have been read, so a whole register fits in the list at
    // `n_left` and in the buffer at `n_right`; it overwrites only keys that have been read. The rest is forwarded: same
    // contract as this function.
    unsafe {
        let pivot = V::splat(pivot);
        let whole = n - n % V::LANES;
        for at in (0..whole).step_by(V::LANES) {
            let some = V::load(keys.add(at));
            let below = some.below(pivot, or_equal);
            some.compress(below).store(keys.add(n_left));
            some.compress(below ^ all).store(buffer.add(n_right));
            let count = below.count_ones() as usize;
            n_left += count;
            n_right += V::LANES - count;
        }
        let rest = n - whole;
        let some = V::load_first(keys.add(whole), rest);
        let present = ((1u32 << rest) - 1) as u16;
        let below = some.below(pivot, or_equal) & present;
        let count = below.count_ones() as usize;
        some.compress(below).store_first(keys.add(n_left), count);
        some.compress(below ^ present).store(buffer.add(n_right));
        n_left += count;
        n_right += rest - count;
        keys.add(n_left).copy_from_nonoverlapping(buffer, n_right);
    }
    n_left
}
