"""Random numbers.

``default_rng`` returns a generator. The functions ``seed``, ``rand``, ``normal`` and so on draw from one generator that the
module shares; a seed gives the same numbers on every machine, but not those of NumPy.
"""

from . import _random_state
from ._native.random import *  # noqa: F403
from ._native.random import __all__ as _native_all
from ._random_state import *  # noqa: F403

__all__ = sorted({*_native_all, *_random_state.__all__})
