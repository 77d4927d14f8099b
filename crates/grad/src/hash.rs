//! [`FastMap`]: hash maps whose keys are ids, names and layouts, which no adversary chooses.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map for keys that are not chosen by an adversary. The hasher of the standard library takes as long for an id as
/// a quarter of a recorded operation.
pub(crate) type FastMap<K, V> = HashMap<K, V, FastHash>;

/// How the keys of a [`FastMap`] are hashed.
pub(crate) type FastHash = BuildHasherDefault<MultiplyHasher>;

/// Multiplies by an odd constant after each word.
#[derive(Default)]
pub(crate) struct MultiplyHasher(u64);

impl MultiplyHasher {
    /// 2⁶⁴ divided by the golden ratio.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
}

impl Hasher for MultiplyHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|it| self.write_u64(u64::from_le_bytes(*it)));
        if !rest.is_empty() {
            self.write_u64(rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(Self::FACTOR);
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        // The high bits of a product depend on all bits of the factors; a table is indexed by the low ones.
        self.0.rotate_left(32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::{BuildHasher, Hash};

    #[test]
    fn consecutive_ids_and_texts_fall_into_different_slots() {
        let hash = BuildHasherDefault::<MultiplyHasher>::default();
        let slots = |hashes: &mut dyn Iterator<Item = u64>| {
            let slots: HashSet<u64> = hashes.map(|it| it % 4096).collect();
            slots.len()
        };
        // Of 1024 random hashes about 904 fall into slots of their own.
        assert!(slots(&mut (0..1024u64).map(|id| hash.hash_one(id))) > 850);
        assert!(slots(&mut (0..1024).map(|id| hash.hash_one((7usize, id * 4096isize)))) > 850);
        assert!(slots(&mut (0..1024).map(|id| hash.hash_one(format!("operation {id}")))) > 850);
        fn one(value: impl Hash) -> u64 {
            BuildHasherDefault::<MultiplyHasher>::default().hash_one(value)
        }
        assert_ne!(one("add"), one("addcmul"));
        assert_ne!(one((1u64, 2u64)), one((2u64, 1u64)));
    }
}
