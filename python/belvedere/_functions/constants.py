"""NumPy's constants that are not in the Array API standard, and its names of our classes."""

from __future__ import annotations

import sys
from typing import Final

from .. import _native as bv

__all__ = ["False_", "True_", "euler_gamma", "little_endian", "ndarray"]

True_: Final[bool] = True
False_: Final[bool] = False
euler_gamma: Final[float] = 0.5772156649015329
little_endian: Final[bool] = sys.byteorder == "little"

#: NumPy's name of the class of arrays, for ``isinstance``.
ndarray = bv.Array
