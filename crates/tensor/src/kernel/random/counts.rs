//! Samplers of counts: Poisson, binomial and hypergeometric numbers.
//!
//! For means below 10 the probabilities are summed until they exceed a uniform number (inversion). Beyond, the time
//! must not grow with the mean: Hörmann's transformed rejection with squeeze ("The transformed rejection method for
//! generating Poisson random variables", 1993; "The generation of binomial random variates", 1993) accepts about nine
//! of ten candidates without a logarithm. Hypergeometric numbers are drawn by Stadlober's ratio of uniforms (1990).
//!
//! Each takes a bounded number of random words on average, so that a block of elements stays within its part of the
//! stream.

use super::draw::unit;
use super::log_mass;
use rand::rngs::ChaCha8Rng;

/// The mean below which probabilities are summed.
const INVERSION_MEAN: f64 = 10.0;

/// The hat and the squeeze of transformed rejection: a candidate is `⌊(2a / (½ - |u|) + b) u + centre⌋`.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransformedRejection {
    a: f64,
    b: f64,
    centre: f64,
    /// Candidates with `½ - |u| >= 0.07` and `v <= squeeze` are accepted at once.
    squeeze: f64,
    /// The logarithm of the factor between the hat and the density.
    log_factor: f64,
}

impl TransformedRejection {
    /// Draws candidates until one is accepted: `log_mass` is the logarithm of the density up to the factor, and minus
    /// infinity outside of the support.
    fn draw(&self, numbers: &mut ChaCha8Rng, log_mass: impl Fn(f64) -> f64) -> f64 {
        loop {
            let u = unit(numbers) - 0.5;
            let v = 1.0 - unit(numbers);
            let distance = 0.5 - u.abs();
            let k = ((2.0 * self.a / distance + self.b) * u + self.centre).floor();
            if distance >= 0.07 && v <= self.squeeze {
                return k;
            }
            // A distance of 0 is outside: it gives infinity or NaN.
            if k >= 0.0 && k.is_finite() {
                let log_hat = libm::log(self.a / (distance * distance) + self.b);
                if libm::log(v) + self.log_factor - log_hat <= log_mass(k) {
                    return k;
                }
            }
        }
    }
}

/// A Poisson distribution.
#[derive(Clone, Copy, Debug)]
pub(super) enum Poisson {
    /// By inversion; `none` is the probability of 0.
    Small {
        mean: f64,
        none: f64,
    },
    Large {
        mean: f64,
        rejection: TransformedRejection,
    },
}

impl Poisson {
    pub(super) fn new(mean: f64) -> Poisson {
        if mean < INVERSION_MEAN {
            return Poisson::Small { mean, none: libm::exp(-mean) };
        }
        let b = 0.931 + 2.53 * mean.sqrt();
        let rejection = TransformedRejection {
            a: -0.059 + 0.02483 * b,
            b,
            centre: mean + 0.43,
            squeeze: 0.9277 - 3.6224 / (b - 2.0),
            log_factor: libm::log(1.1239 + 1.1328 / (b - 3.4)),
        };
        Poisson::Large { mean, rejection }
    }

    pub(super) fn draw(&self, numbers: &mut ChaCha8Rng) -> f64 {
        match self {
            Poisson::Small { mean, none } => invert(numbers, *none, f64::INFINITY, |k| mean / k),
            Poisson::Large { mean, rejection } => {
                rejection.draw(numbers, |k| log_mass::poisson(k, *mean))
            }
        }
    }
}

/// Sums probabilities until they exceed a uniform number: `first` is that of 0, and `ratio(k)` that of `k` divided by that
/// of `k - 1`. Sums that stay below the number, by rounding, draw again.
fn invert(numbers: &mut ChaCha8Rng, first: f64, greatest: f64, ratio: impl Fn(f64) -> f64) -> f64 {
    loop {
        let (mut left, mut k, mut mass) = (unit(numbers), 0.0, first);
        while left >= mass {
            left -= mass;
            k += 1.0;
            mass *= ratio(k);
            if k > greatest || mass == 0.0 {
                break;
            }
        }
        if left < mass {
            return k;
        }
    }
}

/// A binomial distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binomial {
    n: f64,
    /// The probability of the rarer outcome.
    chance: f64,
    /// Whether the rarer outcome is the failure.
    is_mirrored: bool,
    sampler: BinomialSampler,
}

#[derive(Clone, Copy, Debug)]
enum BinomialSampler {
    /// By inversion; `none` is the probability of 0.
    Small {
        none: f64,
    },
    Large {
        rejection: TransformedRejection,
        log_mode: f64,
    },
}

impl Binomial {
    pub(super) fn new(n: f64, chance: f64) -> Binomial {
        let is_mirrored = chance > 0.5;
        let chance = if is_mirrored { 1.0 - chance } else { chance };
        let mean = n * chance;
        let sampler = if mean < INVERSION_MEAN {
            BinomialSampler::Small { none: libm::exp(n * libm::log1p(-chance)) }
        } else {
            let deviation = (mean * (1.0 - chance)).sqrt();
            let b = 1.15 + 2.53 * deviation;
            let rejection = TransformedRejection {
                a: -0.0873 + 0.0248 * b + 0.01 * chance,
                b,
                centre: mean + 0.5,
                squeeze: 0.92 - 4.2 / b,
                log_factor: libm::log((2.83 + 5.1 / b) * deviation),
            };
            let mode = ((n + 1.0) * chance).floor();
            BinomialSampler::Large { rejection, log_mode: log_mass::binomial(mode, n, chance) }
        };
        Binomial { n, chance, is_mirrored, sampler }
    }

    pub(super) fn draw(&self, numbers: &mut ChaCha8Rng) -> f64 {
        let &Binomial { n, chance, is_mirrored, ref sampler } = self;
        let k = match sampler {
            BinomialSampler::Small { none } => {
                let odds = chance / (1.0 - chance);
                invert(numbers, *none, n, |k| (n - k + 1.0) / k * odds)
            }
            BinomialSampler::Large { rejection, log_mode } => rejection.draw(numbers, |k| {
                if k > n {
                    return f64::NEG_INFINITY;
                }
                log_mass::binomial(k, n, chance) - log_mode
            }),
        };
        if is_mirrored { n - k } else { k }
    }
}

/// A hypergeometric distribution: good items among those drawn from a population without replacement.
///
/// The rarer kind of items is counted, in the smaller of the drawn and the remaining part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hypergeometric {
    good: f64,
    n_drawn: f64,
    rarer: f64,
    other: f64,
    part: f64,
    is_good_rarer: bool,
    is_part_drawn: bool,
    sampler: HypergeometricSampler,
}

#[derive(Clone, Copy, Debug)]
enum HypergeometricSampler {
    /// By inversion; `none` is the probability of 0.
    Small { none: f64 },
    /// By the ratio of uniforms: a candidate is `⌊centre + width (v - ½) / u⌋`.
    Large { centre: f64, width: f64, log_mode: f64 },
}

impl Hypergeometric {
    pub(super) fn new(good: f64, bad: f64, n_drawn: f64) -> Hypergeometric {
        let total = good + bad;
        let (is_good_rarer, is_part_drawn) = (good <= bad, n_drawn <= total / 2.0);
        let (rarer, other) = if is_good_rarer { (good, bad) } else { (bad, good) };
        let part = if is_part_drawn { n_drawn } else { total - n_drawn };
        let log_mass = |k: f64| match part {
            0.0 => 0.0,
            _ => log_mass::hypergeometric(k, rarer, other, part),
        };
        let sampler = if rarer.min(part) <= INVERSION_MEAN {
            HypergeometricSampler::Small { none: libm::exp(log_mass(0.0)) }
        } else {
            let mean = part * rarer / total;
            let variance = mean * (other / total) * (total - part) / (total - 1.0);
            // 2 √(2/e) and 3 - 2 √(3/e): the hat is above every hypergeometric distribution with these.
            let width = 1.715_527_769_921_413_5 * (variance + 0.5).sqrt() + 0.898_916_162_058_898_8;
            let mode = ((part + 1.0) * (rarer + 1.0) / (total + 2.0)).floor();
            HypergeometricSampler::Large { centre: mean + 0.5, width, log_mode: log_mass(mode) }
        };
        Hypergeometric { good, n_drawn, rarer, other, part, is_good_rarer, is_part_drawn, sampler }
    }

    pub(super) fn draw(&self, numbers: &mut ChaCha8Rng) -> f64 {
        let &Hypergeometric { rarer, other, part, .. } = self;
        let greatest = rarer.min(part);
        let k = match self.sampler {
            HypergeometricSampler::Small { none } => invert(numbers, none, greatest, |k| {
                (rarer - k + 1.0) / k * ((part - k + 1.0) / (other - part + k))
            }),
            HypergeometricSampler::Large { centre, width, log_mode } => loop {
                let u = 1.0 - unit(numbers);
                let k = (centre + width * (unit(numbers) - 0.5) / u).floor();
                if (0.0..=greatest).contains(&k)
                    && 2.0 * libm::log(u)
                        <= log_mass::hypergeometric(k, rarer, other, part) - log_mode
                {
                    break k;
                }
            },
        };
        // `k` of the rarer kind are in the smaller part.
        match (self.is_good_rarer, self.is_part_drawn) {
            (true, true) => k,
            (true, false) => self.good - k,
            (false, true) => self.n_drawn - k,
            (false, false) => self.good - (part - k),
        }
    }
}
