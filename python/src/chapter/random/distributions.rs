//! The distributions whose parameters may be arrays.

use super::{Generator, number, size_or_common};
use crate::arguments::{OperandArgument, ShapeArgument};
use crate::array::Array;
use belvedere::DType;
use pyo3::prelude::*;

/// Defines methods of distributions: their parameters, the signature for Python and for its text, and what the core is called
/// with after the shape.
macro_rules! distributions {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident),+) $signature:tt $text:literal $dtype:tt)+) => {
        #[pymethods]
        impl Generator {
            $(
                $(#[$doc])*
                #[pyo3(signature = $signature, text_signature = $text)]
                fn $name(
                    &self,
                    py: Python<'_>,
                    $($parameter: OperandArgument,)+
                    size: Option<ShapeArgument>,
                ) -> PyResult<Array> {
                    let shape = size_or_common(size, &[$(&$parameter),+])?;
                    self.draw(py, |it| distributions!(@call it.$name($($parameter),+), shape, $dtype))
                }
            )+
        }
    };
    (@call $it:ident.$name:ident($($parameter:ident),+), $shape:ident, (int64)) => {
        $it.$name($(&$parameter),+, $shape)
    };
    (@call $it:ident.$name:ident($($parameter:ident),+), $shape:ident, (float64)) => {
        $it.$name($(&$parameter),+, $shape, DType::Float64)
    };
}

distributions! {
    /// Draws from a beta distribution on [0, 1], with mean ``a / (a + b)``.
    ///
    /// >>> bool(bv.all(bv.random.default_rng(1).beta(2.0, 3.0, 100) <= 1))
    /// True
    beta(a, b) (a, b, size=None)
        "($self, a, b, size=None)" (float64)

    /// Draws numbers of successes in ``n`` trials with probability ``p`` each.
    ///
    /// >>> bv.random.default_rng(1).binomial(10, [0.0, 1.0])
    /// array([ 0, 10])
    binomial(n, p) (n, p, size=None)
        "($self, n, p, size=None)" (int64)

    /// Draws from a chi-square distribution with ``df`` degrees of freedom.
    ///
    /// >>> bv.random.default_rng(1).chisquare(3, (2, 3)).shape
    /// (2, 3)
    chisquare(df) (df, size=None)
        "($self, df, size=None)" (float64)

    /// Draws from an F distribution.
    ///
    /// >>> bv.random.default_rng(1).f(5, 20, (2, 3)).shape
    /// (2, 3)
    f(dfnum, dfden) (dfnum, dfden, size=None)
        "($self, dfnum, dfden, size=None)" (float64)

    /// Draws from a gamma distribution with mean ``shape * scale``.
    ///
    /// >>> bv.random.default_rng(1).gamma([1.0, 2.0, 3.0], 2.0, (4, 3)).shape
    /// (4, 3)
    gamma(shape, scale) (shape, scale=number(1.0), size=None)
        "($self, shape, scale=1.0, size=None)" (float64)

    /// Draws numbers of trials up to the first success, which has probability ``p`` in each.
    ///
    /// >>> bv.random.default_rng(1).geometric(1.0, 3)
    /// array([1, 1, 1])
    geometric(p) (p, size=None)
        "($self, p, size=None)" (int64)

    /// Draws from a Gumbel distribution.
    ///
    /// >>> bv.random.default_rng(1).gumbel(size=(2, 3)).shape
    /// (2, 3)
    gumbel(loc, scale) (loc=number(0.0), scale=number(1.0), size=None)
        "($self, loc=0.0, scale=1.0, size=None)" (float64)

    /// Draws numbers of good items among ``nsample`` taken from ``ngood + nbad`` without replacement.
    ///
    /// >>> bv.random.default_rng(1).hypergeometric(3, 0, 2, 4)
    /// array([2, 2, 2, 2])
    hypergeometric(ngood, nbad, nsample) (ngood, nbad, nsample, size=None)
        "($self, ngood, nbad, nsample, size=None)" (int64)

    /// Draws from a Laplace (double exponential) distribution.
    ///
    /// >>> bv.random.default_rng(1).laplace(3.0, 0.0, 2)
    /// array([3., 3.])
    laplace(loc, scale) (loc=number(0.0), scale=number(1.0), size=None)
        "($self, loc=0.0, scale=1.0, size=None)" (float64)

    /// Draws from a logistic distribution.
    ///
    /// >>> bv.random.default_rng(1).logistic(3.0, 0.0, 2)
    /// array([3., 3.])
    logistic(loc, scale) (loc=number(0.0), scale=number(1.0), size=None)
        "($self, loc=0.0, scale=1.0, size=None)" (float64)

    /// Draws numbers whose logarithm is normal.
    ///
    /// >>> bv.random.default_rng(1).lognormal(0.0, 0.0, 2)
    /// array([1., 1.])
    lognormal(mean, sigma) (mean=number(0.0), sigma=number(1.0), size=None)
        "($self, mean=0.0, sigma=1.0, size=None)" (float64)

    /// Draws from a logarithmic series distribution.
    ///
    /// >>> bv.random.default_rng(1).logseries(0.0, 2)
    /// array([1, 1])
    logseries(p) (p, size=None)
        "($self, p, size=None)" (int64)

    /// Draws numbers of failures before ``n`` successes with probability ``p`` each.
    ///
    /// >>> bv.random.default_rng(1).negative_binomial(3, 1.0, 2)
    /// array([0, 0])
    negative_binomial(n, p) (n, p, size=None)
        "($self, n, p, size=None)" (int64)

    /// Draws from a noncentral chi-square distribution.
    ///
    /// >>> bv.random.default_rng(1).noncentral_chisquare(3, 2.0, (2, 3)).shape
    /// (2, 3)
    noncentral_chisquare(df, nonc) (df, nonc, size=None)
        "($self, df, nonc, size=None)" (float64)

    /// Draws from a noncentral F distribution.
    ///
    /// >>> bv.random.default_rng(1).noncentral_f(5, 20, 1.0, (2, 3)).shape
    /// (2, 3)
    noncentral_f(dfnum, dfden, nonc) (dfnum, dfden, nonc, size=None)
        "($self, dfnum, dfden, nonc, size=None)" (float64)

    /// Draws from a Pareto II (Lomax) distribution with shape ``a``.
    ///
    /// >>> bv.random.default_rng(1).pareto(3.0, (2, 3)).shape
    /// (2, 3)
    pareto(a) (a, size=None)
        "($self, a, size=None)" (float64)

    /// Draws from a Poisson distribution with mean ``lam``.
    ///
    /// >>> bv.random.default_rng(1).poisson([0.0, 0.0])
    /// array([0, 0])
    poisson(lam) (lam=number(1.0), size=None)
        "($self, lam=1.0, size=None)" (int64)

    /// Draws numbers in [0, 1] with density ``a * x**(a - 1)``.
    ///
    /// >>> bv.random.default_rng(1).power(3.0, (2, 3)).shape
    /// (2, 3)
    power(a) (a, size=None)
        "($self, a, size=None)" (float64)

    /// Draws from a Rayleigh distribution.
    ///
    /// >>> bv.random.default_rng(1).rayleigh(0.0, 2)
    /// array([0., 0.])
    rayleigh(scale) (scale=number(1.0), size=None)
        "($self, scale=1.0, size=None)" (float64)

    /// Draws from Student's t distribution with ``df`` degrees of freedom.
    ///
    /// >>> bv.random.default_rng(1).standard_t(10, (2, 3)).shape
    /// (2, 3)
    standard_t(df) (df, size=None)
        "($self, df, size=None)" (float64)

    /// Draws from a triangular distribution from ``left`` over ``mode`` to ``right``.
    ///
    /// >>> bool(bv.all(bv.random.default_rng(1).triangular(1.0, 2.0, 5.0, 100) >= 1))
    /// True
    triangular(left, mode, right) (left, mode, right, size=None)
        "($self, left, mode, right, size=None)" (float64)

    /// Draws angles from a von Mises distribution, from -pi to pi.
    ///
    /// >>> bv.random.default_rng(1).vonmises(0.0, 4.0, (2, 3)).shape
    /// (2, 3)
    vonmises(mu, kappa) (mu, kappa, size=None)
        "($self, mu, kappa, size=None)" (float64)

    /// Draws from a Wald (inverse Gaussian) distribution.
    ///
    /// >>> bool(bv.all(bv.random.default_rng(1).wald(1.0, 2.0, 100) > 0))
    /// True
    wald(mean, scale) (mean, scale, size=None)
        "($self, mean, scale, size=None)" (float64)

    /// Draws from a Weibull distribution with shape ``a`` and scale 1.
    ///
    /// >>> bv.random.default_rng(1).weibull(2.0, (2, 3)).shape
    /// (2, 3)
    weibull(a) (a, size=None)
        "($self, a, size=None)" (float64)

    /// Draws from a Zipf distribution, with probabilities proportional to ``k**-a``.
    ///
    /// >>> bool(bv.all(bv.random.default_rng(1).zipf(2.0, 100) >= 1))
    /// True
    zipf(a) (a, size=None)
        "($self, a, size=None)" (int64)
}
