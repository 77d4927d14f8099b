//! Bitonic sorting networks in registers, for at most 16 registers of keys.
//!
//! Registers are the rows of a matrix, which the network sorts in column-major order: position `p` is lane `p / R` of row
//! `p % R`. Most comparators then pair whole rows, which takes two instructions for as many pairs as a register has
//! lanes. Only those that merge columns permute lanes. The sorted matrix is transposed by perfect shuffles.

use super::vector::{KeyVector, upper_lanes};

/// The most rows of a network.
pub(super) const MAX_ROWS: usize = 16;

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
            _ => sort_rows::<V, MAX_ROWS>(keys, n),
        }
    }
}

/// # Safety
/// That of [`KeyVector`]; `n` keys must be readable and writable. There are at most `R * V::LANES`.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi2")]
unsafe fn sort_rows<V: KeyVector, const R: usize>(keys: *mut V::Key, n: usize) {
    // The number of keys in a row.
    let count = |row: usize| n.saturating_sub(row * V::LANES).min(V::LANES);
    let at = |row: usize| keys.wrapping_add(row * V::LANES);
    // SAFETY: the rows access the keys only, of which there are `count` in each; the rest is forwarded: same contract as
    // this function.
    unsafe {
        let mut rows: [V; R] = std::array::from_fn(|row| match count(row) {
            0 => V::greatest(),
            n => V::load_first(at(row), n),
        });
        sort_columns(&mut rows);
        merge_columns(&mut rows);
        let rows = transpose(rows);
        for (row, &it) in rows.iter().enumerate() {
            match count(row) {
                0 => break,
                n if n == V::LANES => it.store(at(row)),
                n => it.store_first(at(row), n),
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
