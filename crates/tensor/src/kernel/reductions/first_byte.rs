//! The first byte that is equal to a value, or that is not, eight at a time.

use crate::kernel::raw_slice::RawSlice;

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 64;

/// Returns the lowest index of a byte with `(byte == value) == is_equal`; the highest one if `is_backwards`.
#[inline(always)]
pub(super) fn first_byte(
    bytes: RawSlice<'_, u8>,
    value: u8,
    is_equal: bool,
    is_backwards: bool,
) -> Option<usize> {
    let n_chunks = bytes.len().div_ceil(CHUNK_BYTES);
    let in_order = |n: usize, i: usize| if is_backwards { n - 1 - i } else { i };
    let mut c = 0;
    while c < n_chunks {
        let number = in_order(n_chunks, c);
        c += 1;
        let chunk = bytes.part(number * CHUNK_BYTES, CHUNK_BYTES);
        if chunk.len() == CHUNK_BYTES && !has_byte(chunk.chunks().get(0), value, is_equal) {
            continue;
        }
        let n_words = chunk.len().div_ceil(8);
        let mut w = 0;
        while w < n_words {
            let word = chunk.part(in_order(n_words, w) * 8, 8);
            if let Some(i) = first_byte_of_word(word, value, is_equal, is_backwards) {
                return Some(number * CHUNK_BYTES + in_order(n_words, w) * 8 + i);
            }
            w += 1;
        }
    }
    None
}

/// Whether any byte satisfies `(byte == value) == is_equal`.
#[inline(always)]
fn has_byte(xs: [u8; CHUNK_BYTES], value: u8, is_equal: bool) -> bool {
    let (mut has_any, mut has_other, mut k) = (false, false, 0);
    while k < CHUNK_BYTES {
        has_any |= xs[k] == value;
        has_other |= xs[k] != value;
        k += 1;
    }
    if is_equal { has_any } else { has_other }
}

/// [`first_byte`] of at most eight bytes.
#[inline(always)]
fn first_byte_of_word(
    bytes: RawSlice<'_, u8>,
    value: u8,
    is_equal: bool,
    is_backwards: bool,
) -> Option<usize> {
    let words = bytes.chunks::<8>();
    if words.is_empty() {
        let is_it = |&i: &usize| (bytes.get(i) == value) == is_equal;
        let n = bytes.len();
        return (0..n).map(|i| if is_backwards { n - 1 - i } else { i }).find(is_it);
    }
    // The highest bit of each byte that is equal to the value: of a difference that is zero. No carry leaves a byte.
    const LOW: u64 = u64::MAX / 255 * 0x7f;
    let difference = u64::from_le_bytes(words.get(0)) ^ (u64::MAX / 255 * u64::from(value));
    let equal = !((difference & LOW).wrapping_add(LOW) | difference | LOW);
    let found = if is_equal { equal } else { equal ^ !LOW };
    let bit = if is_backwards {
        63u32.wrapping_sub(found.leading_zeros())
    } else {
        found.trailing_zeros()
    };
    (found != 0).then_some(bit as usize / 8)
}
