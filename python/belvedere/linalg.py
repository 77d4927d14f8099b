"""Linear algebra."""

from ._native.linalg import *  # noqa: F403
from ._native.linalg import __all__ as __all__
