"""Layers of neural networks."""

from ._native.nn import *  # noqa: F403
from ._native.nn import __all__ as __all__
