"""Random numbers."""

from ._native.random import *  # noqa: F403
