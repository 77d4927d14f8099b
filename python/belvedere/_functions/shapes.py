"""Views of an array with other axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _native as bv

if TYPE_CHECKING:
    from .._native import Array
    from .._types import ArrayLike

__all__ = ["fliplr", "flipud"]


def fliplr(m: ArrayLike) -> Array:
    """Reverses the order of the columns (axis 1); the result is a view.

    >>> bv.fliplr([[1, 2], [3, 4]])
    array([[2, 1],
           [4, 3]])
    """
    m = bv.asarray(m)
    if m.ndim < 2:
        raise ValueError(f"fliplr needs at least 2 axes, got shape {m.shape}")
    return bv.flip(m, axis=1)


def flipud(m: ArrayLike) -> Array:
    """Reverses the order of the rows (axis 0); the result is a view.

    >>> bv.flipud([[1, 2], [3, 4]])
    array([[3, 4],
           [1, 2]])
    """
    m = bv.asarray(m)
    if m.ndim < 1:
        raise ValueError(f"flipud needs at least 1 axis, got shape {m.shape}")
    return bv.flip(m, axis=0)
