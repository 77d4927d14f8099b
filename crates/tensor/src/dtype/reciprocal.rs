//! Division of many integers by one: a multiplication and a shift take the place of each division.

/// A divisor `d`, with the multiplier that divides by it.
///
/// With `D = |d| ≥ 2`, `l = ⌈log₂ D⌉` and `m = ⌈2^(63 + l) / D⌉`, every `u ≤ 2^63` has `⌊u / D⌋ = ⌊u m / 2^(63 + l)⌋` (Granlund and
/// Montgomery, "Division by invariant integers using multiplication", 1994): `m D = 2^(63 + l) + e` with `0 ≤ e < D ≤ 2^l`, so
/// `u m / 2^(63 + l)` is above `u / D` by `u e / (D 2^(63 + l)) < 1 / D`, too little to reach the next integer. From
/// `2^(l - 1) < D` follows `m < 2^64`.
#[derive(Clone, Copy)]
pub(crate) struct Reciprocal {
    divisor: i64,
    /// `m`.
    multiplier: u64,
    /// `l - 1`: the shift of the upper 64 bits of the product.
    shift: u32,
}

impl Reciprocal {
    /// Returns `None` for 0, 1 and -1, which have no such multiplier.
    pub(crate) fn new(divisor: i64) -> Option<Reciprocal> {
        let magnitude = divisor.unsigned_abs();
        if magnitude < 2 {
            return None;
        }
        let shift = (magnitude - 1).ilog2();
        let multiplier = (1u128 << (64 + shift)).div_ceil(magnitude.into()) as u64;
        Some(Reciprocal { divisor, multiplier, shift })
    }

    /// Computes the quotient rounded down. `IS_NEGATIVE` says whether the divisor is negative.
    #[inline(always)]
    pub(crate) fn floor_divide<const IS_NEGATIVE: bool>(self, dividend: i64) -> i64 {
        debug_assert_eq!(IS_NEGATIVE, self.divisor < 0);
        // `x / d = t / D`, where `t` is `x` or `-x`. As an unsigned number, the negated least integer is itself.
        let (t, is_below) = match IS_NEGATIVE {
            true => (dividend.wrapping_neg(), dividend > 0),
            false => (dividend, dividend < 0),
        };
        // A negative `t` has `⌊t / D⌋ = -1 - ⌊(-1 - t) / D⌋`, and `-1 - t` is `!t`.
        let mask = -i64::from(is_below);
        let product = u128::from((t ^ mask) as u64) * u128::from(self.multiplier);
        ((product >> 64) as u64 >> self.shift) as i64 ^ mask
    }

    /// Computes the remainder of that division, which has the sign of the divisor.
    #[inline(always)]
    pub(crate) fn remainder<const IS_NEGATIVE: bool>(self, dividend: i64) -> i64 {
        let quotient = self.floor_divide::<IS_NEGATIVE>(dividend);
        dividend.wrapping_sub(quotient.wrapping_mul(self.divisor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Real;

    /// Checks one division against the operators.
    fn check(x: i64, divisor: i64) {
        let Some(reciprocal) = Reciprocal::new(divisor) else {
            return assert!(divisor.unsigned_abs() < 2, "{divisor}");
        };
        let computed = match divisor < 0 {
            true => (reciprocal.floor_divide::<true>(x), reciprocal.remainder::<true>(x)),
            false => (reciprocal.floor_divide::<false>(x), reciprocal.remainder::<false>(x)),
        };
        assert_eq!(computed, (x.floor_divide(divisor), x.remainder(divisor)), "{x} by {divisor}");
    }

    #[test]
    fn small_numbers_are_divided_exactly() {
        for x in -300..=300 {
            for divisor in -300..=300 {
                check(x, divisor);
            }
        }
    }

    #[test]
    fn numbers_near_powers_of_two_and_multiples_are_divided_exactly() {
        let near = |x: i64| (-2..=2).map(move |by| x.wrapping_add(by));
        let powers = || (0..64).flat_map(move |bit| near(1 << bit));
        let divisors: Vec<i64> = powers().chain(powers().map(i64::wrapping_neg)).collect();
        for &divisor in &divisors {
            for &x in &divisors {
                check(x, divisor);
            }
            // The remainders 0 and `divisor - 1` of the largest quotients are where a multiplier that is too small or too
            // large fails first.
            if divisor != 0 {
                for end in [i64::MIN, i64::MAX, i64::MAX / 2] {
                    let multiple = end.wrapping_sub(end.wrapping_rem(divisor));
                    near(multiple).for_each(|x| check(x, divisor));
                }
            }
        }
    }

    #[test]
    fn numbers_of_all_sizes_are_divided_exactly() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state as i64) >> (state >> 33 & 63)
        };
        for _ in 0..100_000 {
            check(next(), next());
        }
    }
}
