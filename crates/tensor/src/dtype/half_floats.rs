//! Conversions between half precision and single precision that the compiler vectorizes.
//!
//! The conversions of the `half` crate check the processor's features for each element, and a loop over them is not
//! vectorized: 4096 additions took 24 µs instead of a third of a microsecond. These are branch-free integer arithmetic,
//! so a loop over them is. Both directions are compared with `half` over every value in the tests.

use half::{bf16, f16};

/// Converts half precision to single precision.
///
/// Exponent and mantissa are shifted into place; one multiplication corrects the exponent bias, and also normalizes
/// subnormal numbers.
#[inline(always)]
pub(crate) fn f16_to_f32(value: f16) -> f32 {
    let bits = value.to_bits() as u32;
    let sign = (bits & 0x8000) << 16;
    let magnitude = (bits & 0x7fff) << 13;
    let rebias = f32::from_bits((127 - 15 + 127) << 23);
    let finite = (f32::from_bits(magnitude) * rebias).to_bits();
    // An exponent of all ones stays so: infinities and NaNs, with the quiet bit set as hardware does.
    let quiet = if magnitude > 0x0f80_0000 { 0x7fc0_0000 } else { 0x7f80_0000 };
    let special = magnitude | quiet;
    f32::from_bits(sign | if magnitude >= 0x0f80_0000 { special } else { finite })
}

/// Rounds single precision to half precision, ties to even.
#[inline(always)]
pub(crate) fn f32_to_f16(value: f32) -> f16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;

    // Normal: subtract the difference of the biases and round at bit 13, ties to even. A carry out
    // of the mantissa raises the exponent, up to infinity, as it should.
    let odd = (magnitude >> 13) & 1;
    let normal =
        (magnitude.wrapping_sub((127 - 15) << 23).wrapping_add(0x0fff).wrapping_add(odd)) >> 13;

    // Subnormal: adding a number whose last bit has the value of the smallest half makes the addition round.
    let magic = f32::from_bits((127 - 15 + (23 - 10) + 1) << 23);
    let subnormal = (f32::from_bits(magnitude) + magic).to_bits().wrapping_sub(magic.to_bits());

    let nan = 0x7e00 | ((magnitude >> 13) & 0x03ff);
    let finite = if magnitude < (127 - 14) << 23 { subnormal } else { normal };
    let bounded = if magnitude >= 0x4780_0000 { 0x7c00 } else { finite };
    let unsigned = if magnitude > 0x7f80_0000 { nan } else { bounded };
    f16::from_bits((sign | unsigned) as u16)
}

/// Rounds double precision to half precision, ties to even.
#[inline(always)]
pub(crate) fn f64_to_f16(value: f64) -> f16 {
    f32_to_f16(f64_to_f32_odd(value))
}

/// Rounds double precision to `bfloat16`, ties to even.
#[inline(always)]
pub(crate) fn f64_to_bf16(value: f64) -> bf16 {
    f32_to_bf16(f64_to_f32_odd(value))
}

/// Rounds to odd: returns the number if it is a single-precision value, else the neighbour whose last bit is set. Rounding
/// the result again, to fewer bits, gives the correctly rounded number: the last bit is sticky, so that no tie is seen
/// where there is none.
///
/// `half` truncates without a sticky bit, which is wrong for one double in two thousand.
#[inline(always)]
fn f64_to_f32_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = nearest as f64;
    // The bits of the neighbour towards zero are one less, whatever the sign.
    let bits = nearest.to_bits();
    let towards_value = if back.abs() > value.abs() { bits.wrapping_sub(1) } else { bits + 1 };
    let is_kept = back == value || value.is_nan() || bits & 1 == 1;
    f32::from_bits(if is_kept { bits } else { towards_value })
}

/// Converts `bfloat16` to single precision: the same bits followed by sixteen zeros.
#[inline(always)]
pub(crate) fn bf16_to_f32(value: bf16) -> f32 {
    let bits = (value.to_bits() as u32) << 16;
    let quiet = if bits & 0x7fff_ffff > 0x7f80_0000 { 0x0040_0000 } else { 0 };
    f32::from_bits(bits | quiet)
}

/// Rounds single precision to `bfloat16`, ties to even.
#[inline(always)]
pub(crate) fn f32_to_bf16(value: f32) -> bf16 {
    let bits = value.to_bits();
    let odd = (bits >> 16) & 1;
    let rounded = bits.wrapping_add(0x7fff).wrapping_add(odd) >> 16;
    let nan = (bits >> 16) | 0x0040;
    let is_nan = bits & 0x7fff_ffff > 0x7f80_0000;
    bf16::from_bits(if is_nan { nan } else { rounded } as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_widens_as_half_does() {
        for bits in 0..=u16::MAX {
            let (mine, theirs) = (f16_to_f32(f16::from_bits(bits)), f16::from_bits(bits).to_f32());
            let same = mine.to_bits() == theirs.to_bits() || mine.is_nan() && theirs.is_nan();
            assert!(same, "f16 {bits:#x}: {mine} {theirs}");
            let (mine, theirs) =
                (bf16_to_f32(bf16::from_bits(bits)), bf16::from_bits(bits).to_f32());
            let same = mine.to_bits() == theirs.to_bits() || mine.is_nan() && theirs.is_nan();
            assert!(same, "bf16 {bits:#x}: {mine} {theirs}");
        }
    }

    #[test]
    fn doubles_narrow_to_the_nearest() {
        // Between each half and the next: the midpoint is rounded to the even one, and its two
        // neighbours to their own side.
        for bits in 0..0x7c00u16 {
            let (low, high) = (f16::from_bits(bits), f16::from_bits(bits + 1));
            // The midpoint to infinity is that to the number after the greatest.
            let above = if high.is_finite() { high.to_f64() } else { 65536.0 };
            let middle = (low.to_f64() + above) / 2.0;
            let even = if bits & 1 == 0 { low } else { high };
            let table = [(middle.next_down(), low), (middle, even), (middle.next_up(), high)];
            for (value, expected) in table {
                assert_eq!(f64_to_f16(value).to_bits(), expected.to_bits(), "{value:e}");
                assert_eq!(f64_to_f16(-value).to_bits(), (-expected).to_bits(), "{value:e}");
            }
            assert_eq!(f64_to_f16(low.to_f64()), low);
        }
        for bits in 0..0x7f80u16 {
            let (low, high) = (bf16::from_bits(bits), bf16::from_bits(bits + 1));
            let above = if high.is_finite() { high.to_f64() } else { 2f64.powi(128) };
            let middle = (low.to_f64() + above) / 2.0;
            let even = if bits & 1 == 0 { low } else { high };
            let table = [(middle.next_down(), low), (middle, even), (middle.next_up(), high)];
            for (value, expected) in table {
                assert_eq!(f64_to_bf16(value).to_bits(), expected.to_bits(), "{value:e}");
            }
        }
        for value in [f64::INFINITY, f64::MAX, 1e300] {
            assert_eq!(f64_to_f16(value), f16::INFINITY);
            assert_eq!(f64_to_bf16(-value), bf16::NEG_INFINITY);
        }
        for value in [5e-324, 1e-300, -1e-46] {
            assert_eq!(f64_to_f16(value).to_bits() & 0x7fff, 0);
            assert_eq!(f64_to_bf16(value).to_bits() & 0x7fff, 0);
        }
        assert!(f64_to_f16(f64::NAN).is_nan() && f64_to_bf16(f64::NAN).is_nan());
    }

    #[test]
    fn singles_narrow_as_half_does() {
        // Every value with `--full`; otherwise a stride that is coprime to the number of mantissas.
        let step = if std::env::var_os("BELVEDERE_FULL").is_some() { 1 } else { 251 };
        for bits in (0..=u32::MAX).step_by(step) {
            let value = f32::from_bits(bits);
            let (mine, theirs) = (f32_to_f16(value), f16::from_f32_const(value));
            assert!(
                mine.to_bits() == theirs.to_bits() || value.is_nan() && mine.is_nan(),
                "{bits:#x}"
            );
            let (mine, theirs) = (f32_to_bf16(value), bf16::from_f32_const(value));
            assert!(
                mine.to_bits() == theirs.to_bits() || value.is_nan() && mine.is_nan(),
                "{bits:#x}"
            );
        }
    }
}
