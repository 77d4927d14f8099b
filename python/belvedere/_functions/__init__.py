"""NumPy's functions that are composed of others, one module for each topic.

The native module has the functions that need a kernel or change a layout; these need neither. Each module lists its
functions in ``__all__``.
"""

from . import elements, shapes
from .elements import *  # noqa: F403
from .shapes import *  # noqa: F403

__all__ = sorted({*elements.__all__, *shapes.__all__})
