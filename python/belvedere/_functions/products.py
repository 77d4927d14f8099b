"""Products of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .operands import as_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array
    from .._types import ArrayLike

__all__ = ["vdot"]


def vdot(a: ArrayLike | Sequence[Any], b: ArrayLike | Sequence[Any], /) -> Array:
    """Returns the dot product of two flattened arrays, with the complex conjugate of the first.

    >>> bv.vdot(bv.asarray([1 + 2j, 3]), bv.asarray([1j, 1]))
    array(5.+1.j)
    """
    a, b = bv.asarray(a), bv.asarray(b)
    if a.size != b.size:
        raise ValueError(f"vdot needs arrays with as many elements, got shapes {a.shape} and {b.shape}")
    if a.dtype == b.dtype == bv.bool:
        return bv.any(a.reshape(-1) & b.reshape(-1))
    a, b = as_numbers(a).reshape(-1), as_numbers(b).reshape(-1)
    return bv.dot(bv.conj(a) if a.dtype.kind == "c" else a, b)
