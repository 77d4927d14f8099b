"""NumPy's older interface to random numbers: the class ``RandomState``, and functions of one that the module shares."""

from collections.abc import Sequence
from typing import Any

from ._native import Array
from ._native.random import Generator


class RandomState(Generator):
    """A random number generator with the older methods of NumPy beside those of ``Generator``.

    The numbers are those of ``Generator``, not those of NumPy: a seed gives other numbers than there.

    >>> bv.random.RandomState(1).rand(2, 3).shape
    (2, 3)
    """

    def seed(self, seed: int | Sequence[int] | None = None) -> None:
        """Starts again from a seed; without one, from the operating system.

        >>> bv.random.seed(1)
        >>> x = bv.random.rand(3)
        >>> bv.random.seed(1)
        >>> bool(bv.all(x == bv.random.rand(3)))
        True
        """
        self._reseed(seed)

    def rand(self, *shape: int) -> Array:
        """Draws from the uniform distribution on [0, 1); the arguments are the shape.

        >>> bv.random.rand(2, 3).shape
        (2, 3)
        """
        return self.random(shape or None)

    def randn(self, *shape: int) -> Array:
        """Draws from the standard normal distribution; the arguments are the shape.

        >>> bv.random.randn(2, 3).shape
        (2, 3)
        """
        return self.standard_normal(shape or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Array:
        """Draws integers from ``low`` to ``high``, exclusive; with one argument, from 0.

        >>> bv.random.randint(5, 6, 3)
        array([5, 5, 5])
        """
        return self.integers(low, high, size, dtype)

    def random_sample(self, size: Any = None) -> Array:
        """Draws from the uniform distribution on [0, 1).

        >>> bv.random.random_sample((2, 3)).shape
        (2, 3)
        """
        return self.random(size)

    ranf = sample = random_sample


#: The generator of the functions below. Threads share it, each call draws different numbers.
_shared = RandomState()

beta = _shared.beta
binomial = _shared.binomial
bytes = _shared.bytes
chisquare = _shared.chisquare
choice = _shared.choice
dirichlet = _shared.dirichlet
exponential = _shared.exponential
f = _shared.f
gamma = _shared.gamma
geometric = _shared.geometric
gumbel = _shared.gumbel
hypergeometric = _shared.hypergeometric
laplace = _shared.laplace
logistic = _shared.logistic
lognormal = _shared.lognormal
logseries = _shared.logseries
multinomial = _shared.multinomial
multivariate_normal = _shared.multivariate_normal
negative_binomial = _shared.negative_binomial
noncentral_chisquare = _shared.noncentral_chisquare
noncentral_f = _shared.noncentral_f
normal = _shared.normal
pareto = _shared.pareto
permutation = _shared.permutation
poisson = _shared.poisson
power = _shared.power
rand = _shared.rand
randint = _shared.randint
randn = _shared.randn
random = _shared.random
random_sample = _shared.random_sample
ranf = _shared.ranf
rayleigh = _shared.rayleigh
sample = _shared.sample
seed = _shared.seed
shuffle = _shared.shuffle
standard_cauchy = _shared.standard_cauchy
standard_exponential = _shared.standard_exponential
standard_gamma = _shared.standard_gamma
standard_normal = _shared.standard_normal
standard_t = _shared.standard_t
triangular = _shared.triangular
uniform = _shared.uniform
vonmises = _shared.vonmises
wald = _shared.wald
weibull = _shared.weibull
zipf = _shared.zipf

__all__ = [
    "RandomState",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "ranf",
    "rayleigh",
    "sample",
    "seed",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]
