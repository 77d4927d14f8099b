//! The distributions whose parameters may be tensors: their names, and what their parameters must be.

/// A family of distributions with up to three parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Beta,
    Binomial,
    ChiSquare,
    Exponential,
    F,
    Gamma,
    Geometric,
    Gumbel,
    Hypergeometric,
    IntegersBetween,
    Laplace,
    Logistic,
    LogNormal,
    LogSeries,
    NegativeBinomial,
    NoncentralChiSquare,
    NoncentralF,
    Normal,
    Pareto,
    Poisson,
    Power,
    Rayleigh,
    StandardCauchy,
    StandardT,
    Triangular,
    Uniform,
    VonMises,
    Wald,
    Weibull,
    Zipf,
}

/// What one parameter must be, in words and as a condition.
pub(crate) struct Requirement {
    pub needs: &'static str,
    pub holds: fn(f64) -> bool,
}

/// Counts up to 2⁵³ are exact as `float64`.
const MAX_COUNT: f64 = (1u64 << 53) as f64;

/// The greatest mean of a Poisson distribution whose values, ten standard deviations above it, fit in `int64`.
pub(crate) const MAX_POISSON_MEAN: f64 = 9.2e18;

const fn requirement(needs: &'static str, holds: fn(f64) -> bool) -> Requirement {
    Requirement { needs, holds }
}

fn is_count(x: f64) -> bool {
    (0.0..=MAX_COUNT).contains(&x) && x.trunc() == x
}

fn is_integer(x: f64) -> bool {
    x.abs() <= MAX_COUNT && x.trunc() == x
}

fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

fn is_not_negative(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

const NONE: Requirement = requirement("", |_| true);
const LOCATION: Requirement = requirement("a finite location", f64::is_finite);
const BOUND: Requirement = requirement("a finite bound", f64::is_finite);
const SCALE: Requirement = requirement("a finite scale of at least 0", is_not_negative);
const SHAPE: Requirement = requirement("a finite shape above 0", is_positive);
const FREEDOM: Requirement =
    requirement("a finite number of degrees of freedom above 0", is_positive);
const NONCENTRALITY: Requirement =
    requirement("a finite noncentrality of at least 0", is_not_negative);
const COUNT: Requirement = requirement("an integer from 0 to 2^53", is_count);
const INTEGER: Requirement = requirement("an integer from -2^53 to 2^53", is_integer);
const CHANCE: Requirement = requirement("a probability from 0 to 1", |x| (0.0..=1.0).contains(&x));
const POSITIVE_CHANCE: Requirement =
    requirement("a probability above 0 and at most 1", |x| x > 0.0 && x <= 1.0);

impl Family {
    /// Returns whether the values are integers.
    pub(crate) fn is_discrete(self) -> bool {
        use Family::*;
        matches!(
            self,
            Binomial
                | Geometric
                | Hypergeometric
                | IntegersBetween
                | LogSeries
                | NegativeBinomial
                | Poisson
                | Zipf
        )
    }

    /// Returns what each parameter must be.
    pub(crate) fn requirements(self) -> [Requirement; 3] {
        use Family::*;
        match self {
            Beta => [SHAPE, SHAPE, NONE],
            Binomial => [COUNT, CHANCE, NONE],
            ChiSquare | StandardT => [FREEDOM, NONE, NONE],
            Exponential | Rayleigh => [SCALE, NONE, NONE],
            F => [FREEDOM, FREEDOM, NONE],
            Gamma => [requirement("a finite shape of at least 0", is_not_negative), SCALE, NONE],
            Geometric => [POSITIVE_CHANCE, NONE, NONE],
            Gumbel | Laplace | Logistic => [LOCATION, SCALE, NONE],
            Hypergeometric => [COUNT, COUNT, COUNT],
            IntegersBetween => [INTEGER, INTEGER, NONE],
            LogNormal | Normal => [
                requirement("a finite mean", f64::is_finite),
                requirement("a finite standard deviation of at least 0", is_not_negative),
                NONE,
            ],
            LogSeries => [
                requirement("a probability of at least 0 and below 1", |x| (0.0..1.0).contains(&x)),
                NONE,
                NONE,
            ],
            NegativeBinomial => [
                requirement("a finite number of successes above 0", is_positive),
                POSITIVE_CHANCE,
                NONE,
            ],
            NoncentralChiSquare => [FREEDOM, NONCENTRALITY, NONE],
            NoncentralF => [FREEDOM, FREEDOM, NONCENTRALITY],
            Pareto | Power => [SHAPE, NONE, NONE],
            Poisson => [
                requirement("a mean from 0 to 9.2e18", |x| (0.0..=MAX_POISSON_MEAN).contains(&x)),
                NONE,
                NONE,
            ],
            StandardCauchy => [NONE, NONE, NONE],
            Triangular => [BOUND, requirement("a finite mode", f64::is_finite), BOUND],
            Uniform => [BOUND, BOUND, NONE],
            VonMises => [
                requirement("a finite mean angle", f64::is_finite),
                requirement("a finite concentration of at least 0", is_not_negative),
                NONE,
            ],
            Wald => [
                requirement("a finite mean above 0", is_positive),
                requirement("a finite scale above 0", is_positive),
                NONE,
            ],
            Weibull => [requirement("a finite shape of at least 0", is_not_negative), NONE, NONE],
            Zipf => {
                [requirement("a finite exponent above 1", |x| x > 1.0 && x.is_finite()), NONE, NONE]
            }
        }
    }

    /// Returns what the parameters violate, each alone or all together, with the number that does.
    pub(crate) fn violation(self, parameters: [f64; 3]) -> Option<(&'static str, f64)> {
        for (requirement, x) in self.requirements().into_iter().zip(parameters) {
            if !(requirement.holds)(x) {
                return Some((requirement.needs, x));
            }
        }
        let [a, b, c] = parameters;
        let is_right = match self {
            Family::Hypergeometric => c <= a + b,
            Family::IntegersBetween => a < b,
            Family::Triangular => a <= b && b <= c && a < c,
            Family::Uniform => a <= b && (b - a).is_finite(),
            _ => true,
        };
        let needs = match self {
            Family::Hypergeometric => {
                return (!is_right).then_some(("at most as many draws as items", c));
            }
            Family::Triangular => {
                "a mode between the bounds, and an upper bound above the lower one"
            }
            Family::Uniform => {
                "an upper bound that is not below the lower one, at a finite distance"
            }
            _ => "an upper bound that is above the lower one",
        };
        (!is_right).then_some((needs, b))
    }
}
