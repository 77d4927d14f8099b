"""The namespace of the Array API standard up to version 2024.12, in which some functions return lists.

It is what ``x.__array_namespace__(api_version="2024.12")`` returns. Everything else is the same as in the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from . import *  # noqa: F403
from . import __all__  # noqa: F401
from . import _native as bv

if TYPE_CHECKING:
    from . import Array
    from ._types import ArrayLike

__array_api_version__ = "2024.12"


def broadcast_arrays(*arrays: ArrayLike) -> list[Array]:
    """Broadcasts arrays against each other; the results are views."""
    return list(bv.broadcast_arrays(*arrays))


def meshgrid(*arrays: ArrayLike, indexing: Literal["xy", "ij"] = "xy") -> list[Array]:
    """Returns the coordinate arrays of a grid as broadcast views."""
    return list(bv.meshgrid(*arrays, indexing=indexing))


class _NamespaceInfo:
    """The inspection object, whose devices are a list."""

    def __init__(self) -> None:
        self._info = bv.__array_namespace_info__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._info, name)

    def devices(self) -> list[str]:
        """Returns the devices."""
        return list(self._info.devices())


def __array_namespace_info__() -> _NamespaceInfo:
    """Returns the inspection object of the Array API: capabilities, devices and dtypes."""
    return _NamespaceInfo()
