"""Arrays whose views are exact, explained and shared."""

from ._native import *  # noqa: F403  isort: skip
from ._native import __all__ as _native_names  # isort: skip

from . import exceptions, fft, linalg, nn, random

__all__ = [*_native_names, "exceptions"]
