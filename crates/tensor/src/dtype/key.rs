//! Sort keys: order-preserving maps from elements to unsigned integers, which sorts and searches work on.
//!
//! Equal elements have equal keys: both zeros have one key, and so have all NaNs, which are greater than everything else.
//! Complex numbers are in lexicographic order of real and imaginary part; those with a NaN come last: first those with
//! an imaginary NaN, then those with a real NaN, then those with both.
//!
//! Four integer types are the keys of thirteen dtypes, and two more those of the complex ones, so that sorts are
//! compiled six times and not fifteen.

use super::{Bool, Element};
use half::{bf16, f16};
use num_complex::Complex;
use std::ops::Range;

/// An integer that a radix sort can sort by its bytes.
pub(crate) trait Digits: Copy + Ord + Default + Send + Sync + 'static {
    /// The bytes to sort by, counted from the lowest; empty if there are too many for a radix sort.
    const DIGITS: Range<usize>;

    /// Returns a byte, counted from the lowest.
    fn digit(self, n: usize) -> usize;

    /// Returns the integer with these low bits; the others are 0.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "called on x86-64 only"))]
    fn from_bits(bits: u32) -> Self;
}

/// The sort key of an element.
pub(crate) trait SortKey: Digits {
    /// A key and a position, ordered by key first.
    type Entry: SortEntry<Self>;

    /// Returns the key for descending order.
    fn reversed(self) -> Self;

    /// Returns `self - other`, if `other` is not greater and the difference fits in a `usize`.
    fn steps_from(self, other: Self) -> Option<usize>;
}

/// A key and a position, ordered by key first.
pub(crate) trait SortEntry<K>: Digits {
    /// The maximum number of positions.
    const MAX_POSITIONS: u64;

    /// Packs a key and a position, which must be less than `MAX_POSITIONS`.
    fn new(key: K, at: usize) -> Self;

    fn key(self) -> K;

    fn at(self) -> usize;
}

/// An element that has a sort key.
pub(crate) trait Keyed: Element {
    type Key: SortKey;

    fn key(self) -> Self::Key;

    /// Returns a value with this key: of the zeros the positive one, of the NaNs any.
    fn from_key(key: Self::Key) -> Self;

    /// Whether `from_key` of its key is the same value, bit for bit.
    fn is_canonical(self) -> bool;

    /// The least key of a NaN, if the type has NaNs: all greater keys are those of NaNs as well.
    const FIRST_NAN: Option<Self::Key>;

    /// Whether it is the key of a NaN.
    #[inline(always)]
    fn is_nan_key(key: Self::Key) -> bool {
        Self::FIRST_NAN.is_some_and(|first| key >= first)
    }
}

/// A key in the high bits of a wider integer, and a position in the low ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub(crate) struct PackedEntry<W, const BITS: u32>(W);

macro_rules! packed {
    ($($key:ty: $wide:ty, $bits:literal;)*) => {$(
        impl SortKey for $key {
            type Entry = PackedEntry<$wide, $bits>;

            #[inline(always)]
            fn reversed(self) -> $key {
                !self
            }

            #[inline(always)]
            fn steps_from(self, other: $key) -> Option<usize> {
                self.checked_sub(other)?.try_into().ok()
            }
        }

        impl Digits for $key {
            const DIGITS: Range<usize> = 0..size_of::<$key>();

            #[inline(always)]
            fn digit(self, n: usize) -> usize {
                (self >> (8 * n)) as usize & 0xFF
            }

            #[inline(always)]
            fn from_bits(bits: u32) -> $key {
                bits as $key
            }
        }

        impl Digits for PackedEntry<$wide, $bits> {
            const DIGITS: Range<usize> = $bits / 8..size_of::<$wide>();

            #[inline(always)]
            fn digit(self, n: usize) -> usize {
                (self.0 >> (8 * n)) as usize & 0xFF
            }

            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                PackedEntry(bits as $wide)
            }
        }

        impl SortEntry<$key> for PackedEntry<$wide, $bits> {
            const MAX_POSITIONS: u64 = ((1u128 << $bits) - 1) as u64;

            #[inline(always)]
            fn new(key: $key, at: usize) -> Self {
                PackedEntry((key as $wide) << $bits | at as $wide)
            }

            #[inline(always)]
            fn key(self) -> $key {
                (self.0 >> $bits) as $key
            }

            #[inline(always)]
            fn at(self) -> usize {
                (self.0 & ((1 << $bits) - 1)) as usize
            }
        }
    )*};
}

packed!(u8: u64, 56; u16: u64, 48; u32: u64, 32; u64: u128, 64;);

impl Digits for u128 {
    const DIGITS: Range<usize> = 0..0;

    #[inline(always)]
    fn digit(self, n: usize) -> usize {
        (self >> (8 * n)) as usize & 0xFF
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> u128 {
        u128::from(bits)
    }
}

impl SortKey for u128 {
    type Entry = (u128, u64);

    #[inline(always)]
    fn reversed(self) -> u128 {
        !self
    }

    #[inline(always)]
    fn steps_from(self, other: u128) -> Option<usize> {
        self.checked_sub(other)?.try_into().ok()
    }
}

impl Digits for (u128, u64) {
    const DIGITS: Range<usize> = 0..0;

    fn digit(self, n: usize) -> usize {
        self.0.digit(n)
    }

    fn from_bits(bits: u32) -> Self {
        (u128::from(bits), 0)
    }
}

impl SortEntry<u128> for (u128, u64) {
    const MAX_POSITIONS: u64 = u64::MAX;

    #[inline(always)]
    fn new(key: u128, at: usize) -> Self {
        (key, at as u64)
    }

    #[inline(always)]
    fn key(self) -> u128 {
        self.0
    }

    #[inline(always)]
    fn at(self) -> usize {
        self.1 as usize
    }
}

/// Integers: the sign bit is flipped.
macro_rules! integers {
    ($($type:ty: $key:ty, $sign:expr;)*) => {$(
        impl Keyed for $type {
            type Key = $key;

            const FIRST_NAN: Option<$key> = None;

            #[inline(always)]
            fn key(self) -> $key {
                self as $key ^ $sign
            }

            #[inline(always)]
            fn from_key(key: $key) -> $type {
                (key ^ $sign) as $type
            }

            #[inline(always)]
            fn is_canonical(self) -> bool {
                true
            }
        }
    )*};
}

integers!(
    i8: u8, 1 << 7; i16: u16, 1 << 15; i32: u32, 1 << 31; i64: u64, 1 << 63;
    u8: u8, 0; u16: u16, 0; u32: u32, 0; u64: u64, 0;
);

impl Keyed for Bool {
    type Key = u8;

    const FIRST_NAN: Option<u8> = None;

    #[inline(always)]
    fn key(self) -> u8 {
        self.is_true() as u8
    }

    #[inline(always)]
    fn from_key(key: u8) -> Bool {
        Bool::from(key != 0)
    }

    #[inline(always)]
    fn is_canonical(self) -> bool {
        true
    }
}

/// Floats: without the sign, their bits are ordered as integers. All bits of negative numbers are flipped, and only the
/// sign bit of the others.
macro_rules! floats {
    ($($type:ty: $key:ty, $signed:ty, $infinity:expr;)*) => {$(
        impl Keyed for $type {
            type Key = $key;

            const FIRST_NAN: Option<$key> = Some(<$key>::MAX);

            #[inline(always)]
            fn key(self) -> $key {
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                let bits = self.to_bits();
                let magnitude = bits & !SIGN;
                let bits = if magnitude == 0 { 0 } else { bits };
                let flipped = bits ^ ((bits as $signed >> (<$key>::BITS - 1)) as $key | SIGN);
                if magnitude > $infinity { <$key>::MAX } else { flipped }
            }

            #[inline(always)]
            fn from_key(key: $key) -> $type {
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                <$type>::from_bits(if key & SIGN != 0 { key ^ SIGN } else { !key })
            }

            #[inline(always)]
            fn is_canonical(self) -> bool {
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                let bits = self.to_bits();
                (bits & !SIGN <= $infinity) & (bits != SIGN)
            }
        }
    )*};
}

floats!(
    f16: u16, i16, 0x7C00;
    bf16: u16, i16, 0x7F80;
    f32: u32, i32, 0x7F80_0000;
    f64: u64, i64, 0x7FF0_0000_0000_0000;
);

/// The key of a float, two of which make the key of a complex number.
pub(crate) trait FloatKey: SortKey {
    /// An integer of twice the width.
    type Pair: SortKey;

    /// The key of NaN. That of infinity is lower by more than two.
    const NAN: Self;

    /// The least key of a complex number that has a NaN.
    const FIRST_NAN_PAIR: Self::Pair;

    /// Returns the key that is `n` below the one of NaN.
    fn below_nan(n: u8) -> Self;

    fn pair(high: Self, low: Self) -> Self::Pair;

    /// Returns the high and the low half of a pair.
    fn halves(pair: Self::Pair) -> (Self, Self);
}

impl FloatKey for u32 {
    type Pair = u64;
    const NAN: u32 = u32::MAX;
    const FIRST_NAN_PAIR: u64 = ((u32::MAX - 2) as u64) << 32;

    #[inline(always)]
    fn below_nan(n: u8) -> u32 {
        u32::MAX - u32::from(n)
    }

    #[inline(always)]
    fn pair(high: u32, low: u32) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }

    #[inline(always)]
    fn halves(pair: u64) -> (u32, u32) {
        ((pair >> 32) as u32, pair as u32)
    }
}

impl FloatKey for u64 {
    type Pair = u128;
    const NAN: u64 = u64::MAX;
    const FIRST_NAN_PAIR: u128 = ((u64::MAX - 2) as u128) << 64;

    #[inline(always)]
    fn below_nan(n: u8) -> u64 {
        u64::MAX - u64::from(n)
    }

    #[inline(always)]
    fn pair(high: u64, low: u64) -> u128 {
        u128::from(high) << 64 | u128::from(low)
    }

    #[inline(always)]
    fn halves(pair: u128) -> (u64, u64) {
        ((pair >> 64) as u64, pair as u64)
    }
}

/// Complex numbers: two keys in one integer. The key of infinity is far below that of a NaN, so that the three kinds of
/// NaNs fit above it.
impl<T: Keyed<Key: FloatKey>> Keyed for Complex<T>
where
    Complex<T>: Element,
{
    type Key = <T::Key as FloatKey>::Pair;

    const FIRST_NAN: Option<Self::Key> = Some(T::Key::FIRST_NAN_PAIR);

    #[inline(always)]
    fn key(self) -> Self::Key {
        let (re, im) = (self.re.key(), self.im.key());
        let (high, low) = match (re == T::Key::NAN, im == T::Key::NAN) {
            (true, true) => (T::Key::NAN, T::Key::NAN),
            (true, false) => (T::Key::below_nan(1), im),
            (false, true) => (T::Key::below_nan(2), re),
            (false, false) => (re, im),
        };
        T::Key::pair(high, low)
    }

    #[inline(always)]
    fn from_key(key: Self::Key) -> Self {
        let (high, low) = T::Key::halves(key);
        let (re, im) = match high {
            _ if high == T::Key::NAN => (high, high),
            _ if high == T::Key::below_nan(1) => (T::Key::NAN, low),
            _ if high == T::Key::below_nan(2) => (low, T::Key::NAN),
            _ => (high, low),
        };
        Complex::new(T::from_key(re), T::from_key(im))
    }

    #[inline(always)]
    fn is_canonical(self) -> bool {
        self.re.is_canonical() & self.im.is_canonical()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that keys are in the order of a list, and that `from_key` returns its values.
    fn check<T: Keyed>(ascending: &[T]) {
        for (i, x) in ascending.iter().enumerate() {
            for (j, y) in ascending.iter().enumerate() {
                assert_eq!(x.key().cmp(&y.key()), i.cmp(&j), "{x:?} {y:?}");
                assert_eq!(x.key().reversed().cmp(&y.key().reversed()), j.cmp(&i));
            }
            let entry = <T::Key as SortKey>::Entry::new(x.key(), i);
            assert!(entry.key() == x.key() && entry.at() == i);
            if !T::is_nan_key(x.key()) {
                assert_eq!(T::from_key(x.key()), *x);
            }
        }
    }

    #[test]
    fn keys_are_in_the_order_of_their_elements() {
        check(&[i8::MIN, -1, 0, 1, i8::MAX]);
        check(&[i64::MIN, -1, 0, 1, i64::MAX]);
        check(&[0, 1, u64::MAX]);
        check(&[Bool::from(false), Bool::from(true)]);
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let floats = [-inf, -1e300, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e300, inf, nan];
        check(&floats);
        let halves = [-inf, -9.0, -1.0, 0.0, 0.5, 9.0, inf, nan];
        check(&halves.map(|x| x as f32));
        check(&halves.map(f16::from_f64));
        check(&halves.map(bf16::from_f64));
        let pairs = [(-inf, inf), (0., -1.), (0., 2.), (1., -9.), (inf, inf)];
        let pairs =
            [&pairs[..], &[(-1., nan), (3., nan), (nan, -3.), (nan, 0.), (nan, nan)]].concat();
        check(&pairs.iter().map(|&(re, im)| Complex::new(re, im)).collect::<Vec<_>>());
        let pairs = pairs.iter().map(|&(re, im)| Complex::new(re as f32, im as f32));
        check(&pairs.collect::<Vec<_>>());
    }

    #[test]
    fn values_that_from_key_changes_are_not_canonical() {
        assert!(
            !(-0.0f32).is_canonical() && !(-f64::NAN).is_canonical() && !f16::NAN.is_canonical()
        );
        assert!(
            0.0f32.is_canonical() && f64::NEG_INFINITY.is_canonical() && bf16::MIN.is_canonical()
        );
        assert_eq!((-0.0f64).key(), 0.0f64.key());
        assert_eq!((-f64::NAN).key(), f64::NAN.key());
        assert!(
            !Complex::new(0.0f32, -0.0).is_canonical() && Complex::new(0.0f32, 1.0).is_canonical()
        );
    }
}
