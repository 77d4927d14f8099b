"""Layers of neural networks."""

from ._native.nn import *  # noqa: F403
