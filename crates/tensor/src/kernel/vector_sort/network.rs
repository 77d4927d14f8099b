//! Bitonic sorting networks in registers, for at most 32 registers of keys: two lists of 16 registers are merged.
//!
//! Registers are the rows of a matrix, which the network sorts in column-major order: position `p` is lane `p / R` of row
//! `p % R`. Most comparators then pair whole rows, which takes two instructions for as many pairs as a register has
//! lanes. Only those that merge columns permute lanes. The sorted matrix is transposed by perfect shuffles.

use super::vector::{KeyVector, upper_lanes};

/// The most rows that a network sorts at once.
const BLOCK_ROWS: usize = 16;

/// The most rows that [`sort`] takes.
pub(super) const MAX_ROWS: usize = 2 * BLOCK_ROWS;

/// Sorts at most `MAX_ROWS * V::LANES` keys.
///
/// # Safety
/// That of [`KeyVector`]; `n` keys must be readable and writable.
#[inline(always)]
pub(super) unsafe fn sort<V: KeyVector>(keys: *mut V::Key, n: usize) {
    // SAFETY: forwarded: same contract as this function; this number of rows holds all keys.
    unsafe {
        match n.div_ceil(V::LANES) {
            0 => (),
            1 => sort_rows::<V, 1>(keys, n),
            2 => sort_rows::<V, 2>(keys, n),
            3..=4 => sort_rows::<V, 4>(keys, n),
            5..=8 => sort_rows::<V, 8>(keys, n),
            9..=BLOCK_ROWS => sort_rows::<V, BLOCK_ROWS>(keys, n),
            _ => {
                let n_first = BLOCK_ROWS * V::LANES;
                sort_rows::<V, BLOCK_ROWS>(keys, n_first);
                match (n - n_first).div_ceil(V::LANES) {
                    1..=4 => sort_rows::<V, 4>(keys.add(n_first), n - n_first),
                    5..=8 => sort_rows::<V, 8>(keys.add(n_first), n - n_first),
                    _ => sort_rows::<V, BLOCK_ROWS>(keys.add(n_first), n - n_first),
                }
                merge_blocks::<V>(keys, n);
            }
        }
    }
}

/// Merges a sorted list of `BLOCK_ROWS` rows and another one after it, of at most as many.
///
/// # Safety
/// That of [`KeyVector`]; `n` keys must be readable and writable. There are more than `BLOCK_ROWS * V::LANES`, and at most
/// `MAX_ROWS * V::LANES`.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi2")]
unsafe fn merge_blocks<V: KeyVector>(keys: *mut V::Key, n: usize) {
    // SAFETY: the first block is whole, and `load_rows` and `store_rows` access the keys only; the rest is forwarded: same
    // contract as this function.
    unsafe {
        let second = keys.add(BLOCK_ROWS * V::LANES);
        let n_second = n - BLOCK_ROWS * V::LANES;
        let after: [V; BLOCK_ROWS] = load_rows(second, n_second);
        let (mut low, mut high) = (after, after);
        for i in 0..BLOCK_ROWS {
            let (a, b) = (V::load(keys.add(i * V::LANES)), after[BLOCK_ROWS - 1 - i].reverse());
            (low[i], high[i]) = (a.min(b), a.max(b));
        }
        sort_bitonic_rows(&mut high);
        sort_bitonic_rows(&mut low);
        store_rows(&low, keys, BLOCK_ROWS * V::LANES);
        store_rows(&high, second, n_second);
    }
}

/// Sorts a bitonic list, in row-major order.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn sort_bitonic_rows<V: KeyVector>(rows: &mut [V; BLOCK_ROWS]) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        sort_bitonic_columns(rows);
        if V::LANES > 8 {
            exchange_lanes(rows, 8);
        }
        exchange_lanes(rows, 4);
        exchange_lanes(rows, 2);
        exchange_lanes(rows, 1);
    }
}

/// # Safety
/// That of [`KeyVector`]; `n` keys must be readable and writable. There are at most `R * V::LANES`.
// Not inlined: the registers of the caller would be spilled, which doubles the time of 16 rows.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi2")]
unsafe fn sort_rows<V: KeyVector, const R: usize>(keys: *mut V::Key, n: usize) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        let mut rows: [V; R] = load_rows(keys, n);
        sort_columns(&mut rows);
        merge_columns(&mut rows);
        store_rows(&transpose(rows), keys, n);
    }
}

/// Returns the number of keys in a row of a list of `n`.
#[inline(always)]
fn keys_in_row<V: KeyVector>(row: usize, n: usize) -> usize {
    n.saturating_sub(row * V::LANES).min(V::LANES)
}

/// Loads `n` keys; the rest of the rows is the greatest key.
///
/// # Safety
/// That of [`KeyVector`]; `n` keys must be readable, at most `R * V::LANES`.
#[inline(always)]
unsafe fn load_rows<V: KeyVector, const R: usize>(keys: *const V::Key, n: usize) -> [V; R] {
    // SAFETY: a row accesses only the keys that it has; the rest is forwarded: same contract as this function.
    unsafe {
        let mut rows = [V::greatest(); R];
        for (row, it) in rows.iter_mut().enumerate() {
            let n = keys_in_row::<V>(row, n);
            if n > 0 {
                *it = V::load_first(keys.wrapping_add(row * V::LANES), n);
            }
        }
        rows
    }
}

/// Stores the first `n` keys.
///
/// # Safety
/// That of [`KeyVector`]; `n` keys must be writable, at most `R * V::LANES`.
#[inline(always)]
unsafe fn store_rows<V: KeyVector, const R: usize>(rows: &[V; R], keys: *mut V::Key, n: usize) {
    for (row, it) in rows.iter().enumerate() {
        let to = keys.wrapping_add(row * V::LANES);
        // SAFETY: a row accesses only the keys that it has; the rest is forwarded: same contract as this function.
        unsafe {
            match keys_in_row::<V>(row, n) {
                0 => break,
                n if n == V::LANES => it.store(to),
                n => it.store_first(to, n),
            }
        }
    }
}

/// Sorts each column.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn sort_columns<V: KeyVector, const R: usize>(rows: &mut [V; R]) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        if R > 1 {
            exchange_rows(rows, 1);
        }
        if R > 2 {
            exchange_rows(rows, 3);
            exchange_rows(rows, 1);
        }
        if R > 4 {
            exchange_rows(rows, 7);
            exchange_rows(rows, 2);
            exchange_rows(rows, 1);
        }
        if R > 8 {
            exchange_rows(rows, 15);
            exchange_rows(rows, 4);
            exchange_rows(rows, 2);
            exchange_rows(rows, 1);
        }
    }
}

/// Merges the sorted columns in pairs, then the pairs, until all are sorted in column-major order.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn merge_columns<V: KeyVector, const R: usize>(rows: &mut [V; R]) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        exchange_reversed(rows, 1);
        sort_bitonic_columns(rows);

        exchange_reversed(rows, 3);
        exchange_lanes(rows, 1);
        sort_bitonic_columns(rows);

        exchange_reversed(rows, 7);
        exchange_lanes(rows, 2);
        exchange_lanes(rows, 1);
        sort_bitonic_columns(rows);

        if V::LANES > 8 {
            exchange_reversed(rows, 15);
            exchange_lanes(rows, 4);
            exchange_lanes(rows, 2);
            exchange_lanes(rows, 1);
            sort_bitonic_columns(rows);
        }
    }
}

/// Sorts columns each of which is bitonic.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn sort_bitonic_columns<V: KeyVector, const R: usize>(rows: &mut [V; R]) {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        if R > 8 {
            exchange_rows(rows, 8);
        }
        if R > 4 {
            exchange_rows(rows, 4);
        }
        if R > 2 {
            exchange_rows(rows, 2);
        }
        if R > 1 {
            exchange_rows(rows, 1);
        }
    }
}

/// Compares each row with row `row ^ xor`: the smaller keys go to the first of them.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn exchange_rows<V: KeyVector, const R: usize>(rows: &mut [V; R], xor: usize) {
    for i in 0..R {
        let j = i ^ xor;
        if i < j {
            let (a, b) = (rows[i], rows[j]);
            // SAFETY: forwarded: same contract as this function.
            unsafe { (rows[i], rows[j]) = (a.min(b), a.max(b)) };
        }
    }
}

/// Compares each lane with lane `lane ^ xor` of the same row.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn exchange_lanes<V: KeyVector, const R: usize>(rows: &mut [V; R], xor: usize) {
    let upper = upper_lanes(xor);
    for row in rows {
        // SAFETY: forwarded: same contract as this function.
        *row = unsafe { row.exchange(*row, xor, upper) };
    }
}

/// Compares each lane with lane `lane ^ xor` of the row as far from the end as its own is from the beginning: the first
/// step that merges two sorted groups of columns.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn exchange_reversed<V: KeyVector, const R: usize>(rows: &mut [V; R], xor: usize) {
    if R == 1 {
        // SAFETY: forwarded: same contract as this function.
        return unsafe { exchange_lanes(rows, xor) };
    }
    let upper = upper_lanes(xor);
    for i in 0..R / 2 {
        let (a, b) = (rows[i], rows[R - 1 - i]);
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            (rows[i], rows[R - 1 - i]) = (a.exchange(b, xor, upper), b.exchange(a, xor, upper))
        };
    }
}

/// Makes the column-major order of a matrix row-major.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn transpose<V: KeyVector, const R: usize>(mut rows: [V; R]) -> [V; R] {
    // SAFETY: forwarded: same contract as this function.
    unsafe {
        if R > 1 {
            rows = shuffle(rows);
        }
        if R > 2 {
            rows = shuffle(rows);
        }
        if R > 4 {
            rows = shuffle(rows);
        }
        if R > 8 {
            rows = shuffle(rows);
        }
    }
    rows
}

/// Moves the highest bit of the row's number to the lowest bit of the position.
///
/// # Safety
/// That of [`KeyVector`].
#[inline(always)]
unsafe fn shuffle<V: KeyVector, const R: usize>(rows: [V; R]) -> [V; R] {
    let mut shuffled = rows;
    for i in 0..R / 2 {
        // SAFETY: forwarded: same contract as this function.
        let both = unsafe { rows[i].interleave(rows[i + R / 2]) };
        [shuffled[2 * i], shuffled[2 * i + 1]] = both;
    }
    shuffled
}
