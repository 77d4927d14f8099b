"""Discrete Fourier transforms."""

from ._native.fft import *  # noqa: F403
from ._native.fft import __all__ as __all__
