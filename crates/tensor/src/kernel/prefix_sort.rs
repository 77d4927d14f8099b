//! Argsort of 64-bit keys, by entries of 64 bits: the high bits of a key, and its position in the low bits.
//!
//! The plain solution sorts entries of a whole key and its position, 128 bits each. These take half of the memory, and
//! vector registers sort them. The least key is subtracted from all first. If the greatest difference leaves room for
//! positions, as that of most integers does, an entry holds a whole key. Otherwise it holds as many high bits as there
//! is room for, and keys that agree in them are sorted once more, by comparisons: a thousand random floats have no such
//! ties, keys close to each other with a distant one among them may all be ties, which takes as long as a sort by
//! comparisons.

use super::radix;
use super::vector_sort::SLACK;
use crate::cancel::{extend_scratch, scratch};

/// The buffers of an argsort.
#[derive(Default)]
pub(super) struct PrefixSort {
    entries: Vec<u64>,
    scratch: Vec<u64>,
}

impl PrefixSort {
    /// Allocates the buffers for `len` keys.
    pub(super) fn new(len: usize) -> PrefixSort {
        let entries = scratch(len.saturating_add(SLACK));
        PrefixSort { entries, scratch: scratch(radix::scratch_len::<u64>(len)) }
    }

    /// Writes the positions that sort some keys. It is stable.
    pub(super) fn argsort(&mut self, keys: &[u64], to: &mut [i64]) {
        let (least, greatest) = keys
            .iter()
            .fold((u64::MAX, 0), |(least, greatest), &key| (least.min(key), greatest.max(key)));
        let n_bits = u64::BITS - keys.len().saturating_sub(1).leading_zeros();
        let n_used = u64::BITS - greatest.saturating_sub(least).leading_zeros();
        // The low bits of a difference that an entry has no room for.
        let n_cut = (n_used + n_bits).saturating_sub(u64::BITS);
        let positions = (1 << n_bits) - 1;
        self.entries.clear();
        extend_scratch(&mut self.entries, keys.len().saturating_add(SLACK));
        let entries = keys.iter().enumerate();
        self.entries
            .extend(entries.map(|(at, &key)| ((key - least) >> n_cut << n_bits) | at as u64));
        radix::sort(&mut self.entries, &mut self.scratch);
        if n_cut > 0 {
            let is_tie = |a: u64, b: u64| (a ^ b) <= positions;
            let has_ties = self.entries.windows(2).fold(false, |any, w| any | is_tie(w[0], w[1]));
            if has_ties {
                for ties in self.entries.chunk_by_mut(|&a, &b| is_tie(a, b)) {
                    ties.sort_unstable_by_key(|&it| (keys[(it & positions) as usize], it));
                }
            }
        }
        for (to, &entry) in to.iter_mut().zip(&self.entries) {
            *to = (entry & positions) as i64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[u64]) {
        let mut expected: Vec<i64> = (0..keys.len() as i64).collect();
        expected.sort_by_key(|&at| keys[at as usize]);
        let mut found = vec![0; keys.len()];
        PrefixSort::default().argsort(keys, &mut found);
        assert_eq!(found, expected, "{keys:?}");
    }

    #[test]
    fn positions_match_a_stable_sort() {
        let lens =
            if cfg!(miri) { vec![0, 1, 2, 70] } else { (0..300).chain([1000, 5000]).collect() };
        for n in lens {
            let n = n as u64;
            let random = |i: u64| (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23) ^ i;
            check(&(0..n).map(random).collect::<Vec<_>>());
            check(&(0..n).rev().collect::<Vec<_>>());
            check(&vec![u64::MAX; n as usize]);
            check(&(0..n).map(|i| random(i) % 5).collect::<Vec<_>>());
            // The range leaves no room for positions, and most keys differ only in bits that are cut.
            let outliers =
                |i: u64| [0, u64::MAX, (1 << 40) | (random(i) % 7)][(i % 7).min(2) as usize];
            check(&(0..n).map(outliers).collect::<Vec<_>>());
            check(&(0..n).map(|i| random(i) | 1 << 63).collect::<Vec<_>>());
        }
    }
}
