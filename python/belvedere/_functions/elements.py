"""Elementwise functions that are composed of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _native as bv

if TYPE_CHECKING:
    from .._native import Array
    from .._types import ArrayLike

__all__ = ["divmod"]


def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """Returns the quotients, rounded down, and the remainders.

    >>> bv.divmod(7, bv.asarray([2, -2]))
    (array([ 3, -4]), array([ 1, -1]))
    """
    return bv.floor_divide(x1, x2), bv.remainder(x1, x2)
