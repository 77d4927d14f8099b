//! Registers of 512 bits that hold sort keys.

use std::arch::x86_64::*;

/// A register of unsigned integers, compared lane by lane.
///
/// # Safety
/// To call any of its functions: the processor must be of `Level::Avx512`. Where a function takes a pointer, it names the
/// elements that must be readable or writable there; they need not be aligned to a register.
pub(super) trait KeyVector: Copy {
    type Key: Copy + Ord;

    /// The number of keys in a register, 8 or 16.
    const LANES: usize;

    unsafe fn splat(key: Self::Key) -> Self;

    /// Returns the greatest key in every lane.
    unsafe fn greatest() -> Self;

    /// Loads `LANES` keys.
    unsafe fn load(from: *const Self::Key) -> Self;

    /// Loads the first `n` keys, at most `LANES`; the other lanes are the greatest key.
    unsafe fn load_first(from: *const Self::Key, n: usize) -> Self;

    /// Stores `LANES` keys.
    unsafe fn store(self, to: *mut Self::Key);

    /// Stores the first `n` keys, at most `LANES`.
    unsafe fn store_first(self, to: *mut Self::Key, n: usize);

    unsafe fn min(self, other: Self) -> Self;

    unsafe fn max(self, other: Self) -> Self;

    /// Compares lane `l` with lane `l ^ xor` of `partner`. Keeps the greater key in lanes that have the highest bit
    /// of `xor` in their number, the smaller one in the others. `xor` is 1, 2, 3, 4, 7, 8 or 15.
    unsafe fn exchange(self, partner: Self, xor: usize, upper: u16) -> Self;

    /// Reverses the lanes.
    unsafe fn reverse(self) -> Self;

    /// Returns the lanes that are less than those of `pivot`, or equal to them if `or_equal`, one bit each.
    unsafe fn below(self, pivot: Self, or_equal: bool) -> u16;

    /// Moves the lanes whose bits are set to the front. The others are unspecified.
    unsafe fn compress(self, lanes: u16) -> Self;

    /// Interleaves the lanes of two registers: the first one, then the second.
    unsafe fn interleave(self, other: Self) -> [Self; 2];
}

/// Returns the lanes that have the highest bit of `xor` in their number.
#[inline(always)]
pub(super) fn upper_lanes(xor: usize) -> u16 {
    std::hint::black_box(match xor {
        1 => 0xAAAA,
        2 | 3 => 0xCCCC,
        4 | 7 => 0xF0F0,
        _ => 0xFF00,
    })
}

/// Returns `n` bits.
#[inline(always)]
fn first_lanes(n: usize) -> u16 {
    ((1u32 << n) - 1) as u16
}

/// Sixteen keys of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Keys32(__m512i);

/// Eight keys of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Keys64(__m512i);

impl KeyVector for Keys32 {
    type Key = u32;

    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn splat(key: u32) -> Keys32 {
        // SAFETY: forwarded: same contract as the trait.
        Keys32(unsafe { _mm512_set1_epi32(key as i32) })
    }

    #[inline(always)]
    unsafe fn greatest() -> Keys32 {
        // SAFETY: forwarded: same contract as the trait.
        Keys32(unsafe { _mm512_set1_epi32(-1) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Keys32 {
        // SAFETY: forwarded: same contract as the trait.
        Keys32(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u32, n: usize) -> Keys32 {
        // SAFETY: only the first `n` lanes are accessed; the rest is forwarded: same contract as the trait.
        Keys32(unsafe {
            _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), first_lanes(n), from.cast())
        })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: forwarded: same contract as the trait.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u32, n: usize) {
        // SAFETY: only the first `n` lanes are accessed; the rest is forwarded: same contract as the trait.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), first_lanes(n), self.0) }
    }

    #[inline(always)]
    unsafe fn min(self, other: Keys32) -> Keys32 {
        // SAFETY: forwarded: same contract as the trait.
        Keys32(unsafe { _mm512_min_epu32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Keys32) -> Keys32 {
        // SAFETY: forwarded: same contract as the trait.
        Keys32(unsafe { _mm512_max_epu32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn exchange(self, partner: Keys32, xor: usize, upper: u16) -> Keys32 {
        let v = partner.0;
        // SAFETY: forwarded: same contract as the trait.
        unsafe {
            let partner = match xor {
                1 => _mm512_shuffle_epi32::<0b10_11_00_01>(v),
                2 => _mm512_shuffle_epi32::<0b01_00_11_10>(v),
                3 => _mm512_shuffle_epi32::<0b00_01_10_11>(v),
                4 => _mm512_shuffle_i64x2::<0b10_11_00_01>(v, v),
                8 => _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v),
                7 => {
                    let v = _mm512_shuffle_epi32::<0b00_01_10_11>(v);
                    _mm512_shuffle_i64x2::<0b10_11_00_01>(v, v)
                }
                _ => {
                    let v = _mm512_shuffle_epi32::<0b00_01_10_11>(v);
                    _mm512_shuffle_i64x2::<0b00_01_10_11>(v, v)
                }
            };
            let smaller = _mm512_min_epu32(self.0, partner);
            Keys32(_mm512_mask_max_epu32(smaller, upper, self.0, partner))
        }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Keys32 {
        // SAFETY: forwarded: same contract as the trait.
        unsafe {
            let v = _mm512_shuffle_epi32::<0b00_01_10_11>(self.0);
            Keys32(_mm512_shuffle_i64x2::<0b00_01_10_11>(v, v))
        }
    }

    #[inline(always)]
    unsafe fn below(self, pivot: Keys32, or_equal: bool) -> u16 {
        // SAFETY: forwarded: same contract as the trait.
        unsafe {
            match or_equal {
                true => _mm512_cmple_epu32_mask(self.0, pivot.0),
                false => _mm512_cmplt_epu32_mask(self.0, pivot.0),
            }
        }
    }

    #[inline(always)]
    unsafe fn compress(self, lanes: u16) -> Keys32 {
        // SAFETY: forwarded: same contract as the trait.
        Keys32(unsafe { _mm512_maskz_compress_epi32(lanes, self.0) })
    }

    #[inline(always)]
    unsafe fn interleave(self, other: Keys32) -> [Keys32; 2] {
        // SAFETY: forwarded: same contract as the trait.
        unsafe {
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high =
                _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            [low, high].map(|at| Keys32(_mm512_permutex2var_epi32(self.0, at, other.0)))
        }
    }
}

impl KeyVector for Keys64 {
    type Key = u64;

    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(key: u64) -> Keys64 {
        // SAFETY: forwarded: same contract as the trait.
        Keys64(unsafe { _mm512_set1_epi64(key as i64) })
    }

    #[inline(always)]
    unsafe fn greatest() -> Keys64 {
        // SAFETY: forwarded: same contract as the trait.
        Keys64(unsafe { _mm512_set1_epi64(-1) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Keys64 {
        // SAFETY: forwarded: same contract as the trait.
        Keys64(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u64, n: usize) -> Keys64 {
        // SAFETY: only the first `n` lanes are accessed; the rest is forwarded: same contract as the trait.
        Keys64(unsafe {
            _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), first_lanes(n) as u8, from.cast())
        })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: forwarded: same contract as the trait.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, n: usize) {
        // SAFETY: only the first `n` lanes are accessed; the rest is forwarded: same contract as the trait.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), first_lanes(n) as u8, self.0) }
    }

    #[inline(always)]
    unsafe fn min(self, other: Keys64) -> Keys64 {
        // SAFETY: forwarded: same contract as the trait.
        Keys64(unsafe { _mm512_min_epu64(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Keys64) -> Keys64 {
        // SAFETY: forwarded: same contract as the trait.
        Keys64(unsafe { _mm512_max_epu64(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn exchange(self, partner: Keys64, xor: usize, upper: u16) -> Keys64 {
        let v = partner.0;
        // SAFETY: forwarded: same contract as the trait.
        unsafe {
            let partner = match xor {
                1 => _mm512_shuffle_epi32::<0b01_00_11_10>(v),
                2 => _mm512_shuffle_i64x2::<0b10_11_00_01>(v, v),
                3 => _mm512_permutex_epi64::<0b00_01_10_11>(v),
                4 => _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v),
                _ => {
                    let v = _mm512_permutex_epi64::<0b00_01_10_11>(v);
                    _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v)
                }
            };
            let smaller = _mm512_min_epu64(self.0, partner);
            Keys64(_mm512_mask_max_epu64(smaller, upper as u8, self.0, partner))
        }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Keys64 {
        // SAFETY: forwarded: same contract as the trait.
        unsafe {
            let v = _mm512_permutex_epi64::<0b00_01_10_11>(self.0);
            Keys64(_mm512_shuffle_i64x2::<0b01_00_11_10>(v, v))
        }
    }

    #[inline(always)]
    unsafe fn below(self, pivot: Keys64, or_equal: bool) -> u16 {
        // SAFETY: forwarded: same contract as the trait.
        let lanes = unsafe {
            match or_equal {
                true => _mm512_cmple_epu64_mask(self.0, pivot.0),
                false => _mm512_cmplt_epu64_mask(self.0, pivot.0),
            }
        };
        u16::from(lanes)
    }

    #[inline(always)]
    unsafe fn compress(self, lanes: u16) -> Keys64 {
        // SAFETY: forwarded: same contract as the trait.
        Keys64(unsafe { _mm512_maskz_compress_epi64(lanes as u8, self.0) })
    }

    #[inline(always)]
    unsafe fn interleave(self, other: Keys64) -> [Keys64; 2] {
        // SAFETY: forwarded: same contract as the trait.
        unsafe {
            let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
            [low, high].map(|at| Keys64(_mm512_permutex2var_epi64(self.0, at, other.0)))
        }
    }
}
