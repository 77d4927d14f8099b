"""NumPy's constants that are not in the Array API standard, and its names of our classes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from .. import _native as bv
from .common import as_dtype

if TYPE_CHECKING:
    from .._native import DType
    from .._types import DTypeLike

__all__ = ["False_", "True_", "dtype", "euler_gamma", "little_endian", "ndarray"]

True_: Final[bool] = True
False_: Final[bool] = False
euler_gamma: Final[float] = 0.5772156649015329
little_endian: Final[bool] = sys.byteorder == "little"

#: NumPy's name of the class of arrays, for ``isinstance``.
ndarray = bv.Array


class _DTypeClass(type):
    """Makes the dtypes instances of the class ``dtype``."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, bv.DType)

    def __subclasscheck__(cls, other: Any) -> bool:
        return other is cls or other is bv.DType


class dtype(metaclass=_DTypeClass):  # noqa: N801
    """The dtype that a name, a Python type or a dtype of another library denotes; all dtypes are instances of it.

    >>> bv.dtype("f4"), bv.dtype(int), isinstance(bv.float32, bv.dtype)
    (belvedere.float32, belvedere.int64, True)
    """

    def __new__(cls, dtype: DTypeLike | None, align: bool = False, copy: bool = False) -> DType:  # type: ignore[misc]
        return as_dtype(dtype)
