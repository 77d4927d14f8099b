//! Samplers of the families of distributions.
//!
//! A [`Sampler`] holds what depends on the parameters only, so that elements with equal parameters share it.

use super::counts::{Binomial, Hypergeometric, Poisson};
use super::draw::{Below, exponential, unit};
use super::family::{Family, MAX_POISSON_MEAN};
use super::ziggurat::normal;
use rand::rngs::ChaCha8Rng;
use std::f64::consts::{LN_2, PI};

/// A distribution with parameters, ready to draw from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sampler {
    Beta {
        gammas: [Gamma; 2],
    },
    Binomial(Binomial),
    F {
        ratio: f64,
        gammas: [Gamma; 2],
    },
    Gamma {
        gamma: Gamma,
        scale: f64,
    },
    Hypergeometric(Hypergeometric),
    NegativeBinomial {
        gamma: Gamma,
        scale: f64,
    },
    Noncentral {
        chi_square: NoncentralChiSquare,
        denominator: Option<Gamma>,
        ratio: f64,
    },
    Poisson(Poisson),
    /// A beta distribution whose parameters are at most 1.
    SmallBeta {
        a: f64,
        b: f64,
    },
    StandardT {
        freedom: f64,
        gamma: Gamma,
    },
    VonMises(VonMises),
    /// One formula of uniform, exponential or normal numbers.
    Formula {
        family: Family,
        parameters: [f64; 3],
    },
}

impl Sampler {
    /// Prepares for parameters that [`Family::violation`] has accepted.
    pub(super) fn new(family: Family, parameters: [f64; 3]) -> Sampler {
        let [a, b, c] = parameters;
        match family {
            Family::Beta if a <= 1.0 && b <= 1.0 => Sampler::SmallBeta { a, b },
            Family::Beta => Sampler::Beta { gammas: [Gamma::new(a), Gamma::new(b)] },
            Family::Binomial => Sampler::Binomial(Binomial::new(a, b)),
            Family::ChiSquare => Sampler::Gamma { gamma: Gamma::new(a / 2.0), scale: 2.0 },
            Family::F => {
                Sampler::F { ratio: b / a, gammas: [Gamma::new(a / 2.0), Gamma::new(b / 2.0)] }
            }
            Family::Gamma => Sampler::Gamma { gamma: Gamma::new(a), scale: b },
            Family::Hypergeometric => Sampler::Hypergeometric(Hypergeometric::new(a, b, c)),
            Family::NegativeBinomial => {
                Sampler::NegativeBinomial { gamma: Gamma::new(a), scale: (1.0 - b) / b }
            }
            Family::NoncentralChiSquare => {
                let chi_square = NoncentralChiSquare::new(a, b);
                Sampler::Noncentral { chi_square, denominator: None, ratio: 1.0 }
            }
            Family::NoncentralF => Sampler::Noncentral {
                chi_square: NoncentralChiSquare::new(a, c),
                denominator: Some(Gamma::new(b / 2.0)),
                ratio: b / a,
            },
            Family::Poisson => Sampler::Poisson(Poisson::new(a)),
            Family::StandardT => Sampler::StandardT { freedom: a, gamma: Gamma::new(a / 2.0) },
            Family::VonMises => Sampler::VonMises(VonMises::new(a, b)),
            _ => Sampler::Formula { family, parameters },
        }
    }

    /// Draws a number.
    pub(super) fn draw(&self, numbers: &mut ChaCha8Rng) -> f64 {
        match self {
            Sampler::Beta { gammas: [x, y] } => {
                let x = x.draw(numbers);
                x / (x + y.draw(numbers))
            }
            Sampler::Binomial(binomial) => binomial.draw(numbers),
            Sampler::F { ratio, gammas: [x, y] } => {
                let x = x.draw(numbers);
                x / y.draw(numbers) * ratio
            }
            Sampler::Gamma { gamma, scale } => scale * gamma.draw(numbers),
            Sampler::Hypergeometric(hypergeometric) => hypergeometric.draw(numbers),
            Sampler::NegativeBinomial { gamma, scale } => {
                let mean = (scale * gamma.draw(numbers)).min(MAX_POISSON_MEAN);
                Poisson::new(mean).draw(numbers)
            }
            Sampler::Noncentral { chi_square, denominator, ratio } => {
                let x = chi_square.draw(numbers);
                denominator.map_or(x, |it| x / (2.0 * it.draw(numbers)) * ratio)
            }
            Sampler::Poisson(poisson) => poisson.draw(numbers),
            Sampler::SmallBeta { a, b } => small_beta(*a, *b, numbers),
            Sampler::StandardT { freedom, gamma } => {
                let x = normal(numbers);
                x * (freedom / 2.0 / gamma.draw(numbers)).sqrt()
            }
            Sampler::VonMises(von_mises) => von_mises.draw(numbers),
            Sampler::Formula { family, parameters } => formula(*family, *parameters, numbers),
        }
    }
}

/// Draws a number of a family that is a formula of uniform, exponential or normal numbers, or a short rejection.
fn formula(family: Family, [a, b, c]: [f64; 3], numbers: &mut ChaCha8Rng) -> f64 {
    match family {
        Family::Exponential => a * exponential(numbers),
        Family::Geometric => geometric(a, numbers),
        Family::Gumbel => a - b * libm::log(positive_exponential(numbers)),
        Family::IntegersBetween => a + Below::new((b - a) as u128).draw(numbers) as f64,
        Family::Laplace => {
            let u = 2.0 * unit(numbers) - 1.0;
            a + (b * exponential(numbers)).copysign(u)
        }
        Family::Logistic => {
            let u = open_unit(numbers);
            a + b * libm::log(u / (1.0 - u))
        }
        Family::LogNormal => libm::exp(a + b * normal(numbers)),
        Family::LogSeries => log_series(a, numbers),
        Family::Normal => a + b * normal(numbers),
        Family::Pareto => libm::expm1(exponential(numbers) / a),
        Family::Power => libm::pow(open_unit(numbers), 1.0 / a),
        Family::Rayleigh => a * (2.0 * exponential(numbers)).sqrt(),
        Family::StandardCauchy => libm::tan(PI * (unit(numbers) - 0.5)),
        Family::Triangular => triangular(a, b, c, unit(numbers)),
        Family::Uniform => match a + (b - a) * unit(numbers) {
            // Rounding may give the upper bound itself, which is excluded.
            x if x < b || a == b => x,
            _ => b.next_down(),
        },
        Family::Wald => wald(a, b, numbers),
        Family::Weibull if a == 0.0 => 0.0,
        Family::Weibull => libm::pow(exponential(numbers), 1.0 / a),
        Family::Zipf => zipf(a, numbers),
        _ => unreachable!("{family:?} has a sampler of its own"),
    }
}

/// Draws a uniform number in `(0, 1)`.
fn open_unit(numbers: &mut ChaCha8Rng) -> f64 {
    loop {
        let u = unit(numbers);
        if u > 0.0 {
            return u;
        }
    }
}

/// Draws an exponential number above 0.
fn positive_exponential(numbers: &mut ChaCha8Rng) -> f64 {
    -libm::log(open_unit(numbers))
}

/// The gamma distribution with scale 1, by the method of Marsaglia and Tsang (2000): the cube of a normal number,
/// scaled, accepted with a squeeze. A shape below 1 is raised by 1, and the number multiplied by `U^(1/shape)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gamma {
    shape: f64,
    d: f64,
    c: f64,
}

impl Gamma {
    pub(super) fn new(shape: f64) -> Gamma {
        let d = if shape < 1.0 { shape + 1.0 } else { shape } - 1.0 / 3.0;
        Gamma { shape, d, c: 1.0 / (9.0 * d).sqrt() }
    }

    pub(super) fn draw(&self, numbers: &mut ChaCha8Rng) -> f64 {
        if self.shape == 0.0 {
            return 0.0;
        }
        let x = self.draw_raised(numbers);
        match self.shape < 1.0 {
            true => x * libm::exp(-exponential(numbers) / self.shape),
            false => x,
        }
    }

    /// Draws the logarithm of a number, also where the number is too small to represent.
    pub(super) fn draw_log(&self, numbers: &mut ChaCha8Rng) -> f64 {
        if self.shape == 0.0 {
            return f64::NEG_INFINITY;
        }
        let log = libm::log(self.draw_raised(numbers));
        match self.shape < 1.0 {
            true => log - exponential(numbers) / self.shape,
            false => log,
        }
    }

    /// Draws for a shape of at least 1.
    fn draw_raised(&self, numbers: &mut ChaCha8Rng) -> f64 {
        loop {
            let x = normal(numbers);
            let root = 1.0 + self.c * x;
            if root <= 0.0 {
                continue;
            }
            let (v, u, square) = (root * root * root, open_unit(numbers), x * x);
            if u < 1.0 - 0.0331 * square * square
                || libm::log(u) < 0.5 * square + self.d * (1.0 - v + libm::log(v))
            {
                return self.d * v;
            }
        }
    }
}

/// Draws a beta number for parameters up to 1, by Jöhnk's method, with logarithms where the powers underflow.
fn small_beta(a: f64, b: f64, numbers: &mut ChaCha8Rng) -> f64 {
    loop {
        let (log_x, log_y) = (-exponential(numbers) / a, -exponential(numbers) / b);
        let greater = log_x.max(log_y);
        let (x, y) = (libm::exp(log_x - greater), libm::exp(log_y - greater));
        // The condition `X + Y <= 1`, of the powers themselves.
        if libm::log(x + y) + greater <= 0.0 {
            return x / (x + y);
        }
    }
}

/// The noncentral chi-square distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoncentralChiSquare {
    freedom: f64,
    noncentrality: f64,
    /// For more than one degree of freedom: the gamma distribution of the others.
    others: Option<Gamma>,
}

impl NoncentralChiSquare {
    fn new(freedom: f64, noncentrality: f64) -> NoncentralChiSquare {
        let others = (freedom > 1.0).then(|| Gamma::new((freedom - 1.0) / 2.0));
        NoncentralChiSquare { freedom, noncentrality, others }
    }

    fn draw(&self, numbers: &mut ChaCha8Rng) -> f64 {
        if let Some(others) = self.others {
            let x = normal(numbers) + self.noncentrality.sqrt();
            return 2.0 * others.draw(numbers) + x * x;
        }
        let n = Poisson::new((self.noncentrality / 2.0).min(MAX_POISSON_MEAN)).draw(numbers);
        2.0 * Gamma::new(self.freedom / 2.0 + n).draw(numbers)
    }
}

/// The von Mises distribution, by the method of Best and Fisher (1979): rejection from a wrapped Cauchy distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct VonMises {
    mean: f64,
    concentration: f64,
    s: f64,
}

impl VonMises {
    fn new(mean: f64, concentration: f64) -> VonMises {
        // For small concentrations the formula loses all digits; this is its series.
        let s = if concentration < 1e-5 {
            1.0 / concentration + concentration
        } else {
            let r = 1.0 + (1.0 + 4.0 * concentration * concentration).sqrt();
            let rho = (r - (2.0 * r).sqrt()) / (2.0 * concentration);
            (1.0 + rho * rho) / (2.0 * rho)
        };
        VonMises { mean, concentration, s }
    }

    fn draw(&self, numbers: &mut ChaCha8Rng) -> f64 {
        let &VonMises { mean, concentration, s } = self;
        let angle = if concentration < 1e-8 {
            PI * (2.0 * unit(numbers) - 1.0)
        } else if concentration > 1e6 {
            normal(numbers) / concentration.sqrt()
        } else {
            let w = loop {
                let z = libm::cos(PI * unit(numbers));
                let w = (1.0 + s * z) / (s + z);
                let (y, v) = (concentration * (s - w), open_unit(numbers));
                if y * (2.0 - y) >= v || libm::log(y / v) + 1.0 - y >= 0.0 {
                    break w.clamp(-1.0, 1.0);
                }
            };
            let angle = libm::acos(w);
            if unit(numbers) < 0.5 { -angle } else { angle }
        };
        let sum = mean + angle;
        if (-PI..=PI).contains(&sum) {
            return sum;
        }
        // Full turns, to the interval from -π to π.
        let wrapped = libm::fmod(sum + PI, 2.0 * PI);
        if wrapped < 0.0 { wrapped + PI } else { wrapped - PI }
    }
}

/// Draws the number of trials up to the first success, by inversion.
fn geometric(chance: f64, numbers: &mut ChaCha8Rng) -> f64 {
    if chance == 1.0 {
        return 1.0;
    }
    (-exponential(numbers) / libm::log1p(-chance)).ceil().max(1.0)
}

/// Draws a number of the logarithmic series distribution, by Kemp's method (1981).
fn log_series(chance: f64, numbers: &mut ChaCha8Rng) -> f64 {
    let v = open_unit(numbers);
    if v >= chance {
        return 1.0;
    }
    let q = -libm::expm1(libm::log1p(-chance) * open_unit(numbers));
    if v <= q * q {
        let k = (1.0 + libm::log(v) / libm::log(q)).floor();
        // A quotient of numbers near 1 may be rounded to infinity or below 1.
        return if k.is_finite() { k.max(1.0) } else { i64::MAX as f64 };
    }
    if v >= q { 1.0 } else { 2.0 }
}

/// Returns the quantile of the triangular distribution at `u`.
fn triangular(left: f64, mode: f64, right: f64, u: f64) -> f64 {
    let (width, rise) = (right - left, mode - left);
    match u * width <= rise {
        true => left + (u * width * rise).sqrt(),
        false => right - ((1.0 - u) * width * (right - mode)).sqrt(),
    }
}

/// Draws an inverse Gaussian number, by the method of Michael, Schucany and Haas (1976). The smaller root of their
/// quadratic equation is written as a quotient, which does not cancel.
fn wald(mean: f64, scale: f64, numbers: &mut ChaCha8Rng) -> f64 {
    let x = normal(numbers);
    let w = mean * x * x / (2.0 * scale);
    let smaller = mean / (1.0 + w + (w * (w + 2.0)).sqrt());
    if unit(numbers) * (mean + smaller) <= mean { smaller } else { mean * (mean / smaller) }
}

/// Draws a number of the Zipf distribution, by Devroye's rejection (1986) from a Pareto distribution, which is truncated
/// to the range of `int64`.
fn zipf(exponent: f64, numbers: &mut ChaCha8Rng) -> f64 {
    // Numbers above 1 are rarer than 2^-1000.
    if exponent > 1001.0 {
        return 1.0;
    }
    let (greatest, slope) = (i64::MAX as f64, exponent - 1.0);
    let share = -libm::expm1(-slope * libm::log(greatest));
    let scale = libm::expm1(slope * LN_2);
    loop {
        let x = libm::exp(-libm::log1p(-share * unit(numbers)) / slope).floor().min(greatest);
        let step = libm::expm1(slope * libm::log1p(1.0 / x));
        if unit(numbers) * x * step / scale <= (step + 1.0) / (scale + 1.0) {
            return x;
        }
    }
}
