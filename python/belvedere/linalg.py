"""Linear algebra."""

from ._native.linalg import *  # noqa: F403
