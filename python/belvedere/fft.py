"""Discrete Fourier transforms."""

from ._native.fft import *  # noqa: F403  isort: skip
from ._native.fft import __all__ as _native_names  # isort: skip
from ._functions.transforms import *  # noqa: F403  isort: skip
from ._functions.transforms import __all__ as _composed_names  # isort: skip

__all__ = sorted({*_native_names, *_composed_names})
