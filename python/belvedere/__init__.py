"""Arrays whose views are exact, explained and shared."""

from ._native import *  # noqa: F403  isort: skip

from . import exceptions, fft, linalg, nn, random
