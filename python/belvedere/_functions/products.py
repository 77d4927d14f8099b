"""Products of vectors and matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .operands import as_numbers, matrix_product, write_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array
    from .._types import ArrayLike

__all__ = ["matvec", "vdot", "vecmat"]


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


def matvec(x1: ArrayLike | Sequence[Any], x2: ArrayLike | Sequence[Any], /, out: Array | None = None) -> Array:
    """Returns products of matrices and vectors, in the last axes; the others broadcast.

    >>> bv.matvec(bv.asarray([[1, 2], [3, 4]]), bv.asarray([[1, 0], [0, 1]]))
    array([[1, 3],
           [2, 4]])
    """
    x1, x2 = bv.asarray(x1), bv.asarray(x2)
    if x1.ndim < 2 or x2.ndim < 1:
        raise ValueError(f"matvec needs matrices and vectors, got shapes {x1.shape} and {x2.shape}")
    return write_to(out, matrix_product(x1, x2[..., None])[..., 0])


def vecmat(x1: ArrayLike | Sequence[Any], x2: ArrayLike | Sequence[Any], /, out: Array | None = None) -> Array:
    """Returns products of conjugated vectors and matrices, in the last axes; the others broadcast.

    >>> bv.vecmat(bv.asarray([1, 0]), bv.asarray([[1, 2], [3, 4]]))
    array([1, 2])
    """
    x1, x2 = bv.asarray(x1), bv.asarray(x2)
    if x1.ndim < 1 or x2.ndim < 2:
        raise ValueError(f"vecmat needs vectors and matrices, got shapes {x1.shape} and {x2.shape}")
    x1 = bv.conj(x1) if x1.dtype.kind == "c" else x1
    return write_to(out, matrix_product(x1[..., None, :], x2)[..., 0, :])
