"""Fourier transforms."""

from ._native.fft import *  # noqa: F403
