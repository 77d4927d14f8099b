"""Random numbers."""

from ._native.random import *  # noqa: F403
from ._native.random import __all__ as __all__
