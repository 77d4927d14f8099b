"""Linear algebra: norms, chains of products, and equations of tensors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import LinAlgError
from .common import normalized_axes, write_to
from .operands import as_inexact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from .._native import Array
    from .._types import ArrayLike, Axes

__all__ = ["multi_dot", "norm", "tensorinv", "tensorsolve"]

#: The orders of the norms of matrices.
_MATRIX_ORDERS = (None, "fro", "f", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def norm(
    x: ArrayLike | Sequence[Any],
    ord: float | Literal["fro", "nuc"] | None = None,
    axis: Axes = None,
    keepdims: bool = False,
) -> Array:
    """Computes the norm of vectors (along one axis) or of matrices (along two).

    Without ``axis``, the norm of the whole array, of any rank if ``ord`` is not given. The orders of vectors are all
    numbers; those of matrices are ``"fro"``, ``"nuc"``, ±1, ±2 and ±inf.

    >>> bv.linalg.norm(bv.asarray([3.0, 4.0]))
    array(5.)
    >>> bv.linalg.norm(bv.asarray([[1.0, 2.0], [3.0, 4.0]]), 1)
    array(6.)
    """
    x = as_inexact(x)
    if axis is None and (ord is None or (ord in ("fro", "f") and x.ndim == 2) or (ord == 2 and x.ndim == 1)):
        result = bv.linalg.vector_norm(x.reshape(-1))
        return result.reshape((1,) * x.ndim) if keepdims else result
    axes = normalized_axes(axis, x.ndim)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"{ord!r} is not an order of the norm of vectors: expected a number")
        return bv.linalg.vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"a norm is of one axis or two, got {len(axes)} axes")
    if ord not in _MATRIX_ORDERS:
        raise ValueError(f"{ord!r} is not an order of the norm of matrices")
    result = bv.linalg.matrix_norm(bv.moveaxis(x, axes, (-2, -1)), ord="fro" if ord in (None, "f") else ord)
    return bv.expand_dims(result, axis=tuple(sorted(axes))) if keepdims else result


def multi_dot(arrays: Sequence[ArrayLike], *, out: Array | None = None) -> Array:
    """Multiplies two or more matrices in the order that takes the fewest operations.

    The first and the last may be vectors.

    >>> bv.linalg.multi_dot([bv.asarray([[1, 2]]), bv.asarray([[1], [1]]), bv.asarray([2])])
    array([6])
    """
    factors = [bv.asarray(it) for it in arrays]
    if len(factors) < 2:
        raise ValueError(f"multi_dot needs at least two arrays, got {len(factors)}")
    is_row, is_column = factors[0].ndim == 1, factors[-1].ndim == 1
    if is_row:
        factors[0] = factors[0][None, :]
    if is_column:
        factors[-1] = factors[-1][:, None]
    for it in factors:
        if it.ndim != 2:
            raise LinAlgError(f"multi_dot needs matrices, got shape {it.shape}")
    splits = _best_splits([it.shape[0] for it in factors] + [factors[-1].shape[1]])

    def product(first: int, last: int) -> Array:
        if first == last:
            return factors[first]
        split = splits[first, last]
        return bv.matmul(product(first, split), product(split + 1, last))

    result = product(0, len(factors) - 1)
    shape = (() if is_row else result.shape[:1]) + (() if is_column else result.shape[1:])
    return write_to(out, result.reshape(shape))


def _best_splits(lengths: list[int]) -> dict[tuple[int, int], int]:
    """Returns where each chain of factors is split, by dynamic programming over the lengths of the chains."""
    n = len(lengths) - 1
    costs = {(k, k): 0 for k in range(n)}
    splits = {}
    for width in range(1, n):
        for first in range(n - width):
            last = first + width
            costs[first, last], splits[first, last] = min(
                (
                    costs[first, k] + costs[k + 1, last] + lengths[first] * lengths[k + 1] * lengths[last + 1],
                    k,
                )
                for k in range(first, last)
            )
    return splits


def tensorinv(a: ArrayLike | Sequence[Any], ind: int = 2) -> Array:
    """Returns the inverse of a tensor: ``tensordot(tensorinv(a, ind), a, ind)`` is the identity.

    The first ``ind`` axes are the rows of a square matrix, the others its columns.

    >>> bv.linalg.tensorinv(bv.reshape(bv.eye(6), shape=(6, 2, 3)), ind=1).shape
    (2, 3, 6)
    """
    a = bv.asarray(a)
    if ind <= 0:
        raise ValueError(f"ind must be positive, got {ind}")
    rows, columns = a.shape[:ind], a.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise LinAlgError(f"tensorinv needs as many rows as columns, got axes {rows} and {columns}")
    return bv.linalg.inv(a.reshape(math.prod(rows), -1)).reshape(columns + rows)


def tensorsolve(a: ArrayLike | Sequence[Any], b: ArrayLike | Sequence[Any], axes: Sequence[int] | None = None) -> Array:
    """Solves ``tensordot(a, x, axes=x.ndim) == b`` for ``x``; ``axes`` of ``a`` are moved to the end before.

    >>> bv.linalg.tensorsolve(bv.reshape(2 * bv.eye(4), shape=(2, 2, 4)), bv.asarray([[2.0, 4.0], [6.0, 8.0]]))
    array([1., 2., 3., 4.])
    """
    a, b = bv.asarray(a), bv.asarray(b)
    if axes is not None:
        last = [k % a.ndim for k in axes]
        a = bv.permute_dims(a, axes=(*(k for k in range(a.ndim) if k not in last), *last))
    shape = a.shape[b.ndim :]
    if a.size != math.prod(shape) ** 2 or b.size != math.prod(shape):
        raise LinAlgError(f"tensorsolve needs as many equations as unknowns, got shapes {a.shape} and {b.shape}")
    return bv.linalg.solve(a.reshape(b.size, -1), b.reshape(-1)).reshape(shape)
