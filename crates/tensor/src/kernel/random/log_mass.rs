//! The logarithms of the probabilities of counts, by Loader's saddle-point expansion.
//!
//! **The problem.** `k ln λ - λ - ln k!` cancels: for a mean of 10¹² it loses twelve digits.
//!
//! **The solution** separates the deviance, which is small near the mean and computed without cancellation, from
//! Stirling's formula, whose error is a short series.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// The number of integers whose Stirling errors are tabulated: beyond them the series has all digits.
const TABLE_LEN: usize = 16;

/// The Stirling errors of the first integers.
pub(super) static STIRLING_ERRORS: LazyLock<[f64; TABLE_LEN]> = LazyLock::new(|| {
    std::array::from_fn(|i| match i as f64 {
        0.0 => 0.0,
        k => libm::lgamma(k + 1.0) - (k + 0.5) * libm::log(k) + k - 0.5 * libm::log(2.0 * PI),
    })
});

/// Returns `ln k! - ln(√(2πk) (k/e)^k)` for an integer `k`; `ln k!` itself for 0.
fn stirling_error(k: f64) -> f64 {
    if k < TABLE_LEN as f64 {
        return STIRLING_ERRORS[k as usize];
    }
    let square = k * k;
    (1.0 / 12.0
        - (1.0 / 360.0
            - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square) / square)
            / square)
        / k
}

/// Returns the deviance `x ln(x/mean) + mean - x`, for `x >= 0` and a positive mean.
fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() < 0.1 * (x + mean) {
        // With v = (x - mean) / (x + mean), ln(x/mean) = 2 (v + v³/3 + v⁵/5 + …).
        let v = difference / (x + mean);
        let (mut sum, mut term, square) = (difference * v, 2.0 * x * v, v * v);
        for j in 1..1000 {
            term *= square;
            let next = sum + term / f64::from(2 * j + 1);
            if next == sum {
                break;
            }
            sum = next;
        }
        return sum;
    }
    match x {
        0.0 => mean,
        _ => x * libm::log(x / mean) + mean - x,
    }
}

/// Returns the logarithm of the Poisson probability of `k`.
pub(super) fn poisson(k: f64, mean: f64) -> f64 {
    match k {
        0.0 => -mean,
        _ => -stirling_error(k) - deviance(k, mean) - 0.5 * libm::log(2.0 * PI * k),
    }
}

/// Returns the logarithm of the probability of `k` successes in `n` trials, for a probability above 0 and below 1.
pub(super) fn binomial(k: f64, n: f64, chance: f64) -> f64 {
    if k == 0.0 {
        return n * libm::log1p(-chance);
    }
    if k == n {
        return n * libm::log(chance);
    }
    let rest = n - k;
    stirling_error(n)
        - stirling_error(k)
        - stirling_error(rest)
        - deviance(k, n * chance)
        - deviance(rest, n * (1.0 - chance))
        + 0.5 * libm::log(n / k / (2.0 * PI * rest))
}

/// Returns the logarithm of the probability of `k` good items among `n_drawn` of `good` and `bad` ones, for
/// `0 < n_drawn < good + bad`.
pub(super) fn hypergeometric(k: f64, good: f64, bad: f64, n_drawn: f64) -> f64 {
    let chance = n_drawn / (good + bad);
    binomial(k, good, chance) + binomial(n_drawn - k, bad, chance)
        - binomial(n_drawn, good + bad, chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_definition() {
        let log_choose = |n: f64, k: f64| {
            libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0)
        };
        for (n, chance) in [(1.0, 0.25), (30.0, 0.5), (100.0, 0.01f64)] {
            for k in 0..=n as i32 {
                let k = f64::from(k);
                let plain = log_choose(n, k) + k * chance.ln() + (n - k) * (1.0 - chance).ln();
                assert!((binomial(k, n, chance) - plain).abs() < 1e-11, "{k} of {n}");
                let mean = n * chance;
                let plain = k * mean.ln() - mean - libm::lgamma(k + 1.0);
                assert!((poisson(k, mean) - plain).abs() < 1e-11, "{k}, mean {mean}");
                let plain =
                    log_choose(n, k) + log_choose(70.0, 40.0 - k) - log_choose(n + 70.0, 40.0);
                if k <= 40.0 {
                    assert!((hypergeometric(k, n, 70.0, 40.0) - plain).abs() < 1e-10, "{k}");
                }
            }
        }
    }

    #[test]
    fn probabilities_of_large_means_have_no_cancellation() {
        // At the mean, Stirling's formula gives 1/√(2π mean).
        for mean in [1e6, 1e12, 1e18] {
            let expected = -0.5 * (2.0 * PI * mean).ln();
            assert!((poisson(mean, mean) - expected).abs() < 1e-6);
            let beyond = poisson(mean + mean.sqrt(), mean) - expected;
            assert!((beyond + 0.5).abs() < 2e-3, "{beyond}");
        }
    }
}
