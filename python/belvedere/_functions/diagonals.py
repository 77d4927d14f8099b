"""Diagonals and triangles of matrices."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .arrays import resize
from .common import cast, flattened, require_array

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, DTypeLike

__all__ = [
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "fill_diagonal",
    "mask_indices",
    "tri",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]


def diag(v: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Returns the ``k``-th diagonal of a matrix as a view, or a new matrix with the given diagonal.

    >>> bv.diag(bv.asarray([[1, 2], [3, 4]]))
    array([1, 4])
    >>> bv.diag([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    x, offset = bv.asarray(v), operator.index(k)
    if x.ndim == 2:
        return x.diagonal(offset=offset)
    if x.ndim != 1:
        raise ValueError(f"diag takes an array with 1 or 2 axes, got shape {x.shape}")
    n = x.size + abs(offset)
    matrix = bv.zeros((n, n), dtype=x.dtype)
    matrix.diagonal(offset=offset)[...] = x
    return matrix


def diagflat(v: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Returns a new matrix with the flattened elements on its ``k``-th diagonal.

    >>> bv.diagflat([[1, 2]], 1)
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    return diag(flattened(bv.asarray(v)), k)


def diag_indices(n: SupportsIndex, ndim: SupportsIndex = 2) -> tuple[Array, ...]:
    """Returns the indices of the main diagonal of an array of shape ``(n, n, …)``.

    >>> x = bv.zeros((2, 2))
    >>> x[bv.diag_indices(2)] = 1
    >>> x
    array([[1., 0.],
           [0., 1.]])
    """
    return (bv.arange(operator.index(n)),) * operator.index(ndim)


def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """Returns the indices of the main diagonal of an array, whose axes must all have the same length.

    >>> bv.diag_indices_from(bv.zeros((2, 2)))
    (array([0, 1]), array([0, 1]))
    """
    x = bv.asarray(arr)
    if x.ndim < 2:
        raise ValueError(f"the array must have at least 2 axes, got shape {x.shape}")
    if len(set(x.shape)) > 1:
        raise ValueError(f"all axes must have the same length, got shape {x.shape}")
    return diag_indices(x.shape[0], x.ndim)


def fill_diagonal(a: Array, val: ArrayLike, wrap: bool = False) -> None:
    """Writes a value, or values in turn, to the main diagonal of an array, in place.

    ``wrap=True`` begins the diagonal anew below the square part of a tall matrix, after a row without it.

    >>> x = bv.zeros((2, 2), dtype=int)
    >>> bv.fill_diagonal(x, 7)
    >>> x
    array([[7, 0],
           [0, 7]])
    """
    x = require_array(a, "a")
    if x.ndim < 2:
        raise ValueError(f"the array must have at least 2 axes, got shape {x.shape}")
    if x.ndim > 2 and len(set(x.shape)) > 1:
        raise ValueError(f"all axes must have the same length, got shape {x.shape}")
    n = x.shape[0]
    if x.ndim > 2:
        diagonals = [x.as_strided((n,), (sum(x.stride()),), x.storage_offset())] if n else []
    else:
        n_cols = x.shape[1]
        starts = range(0, n, n_cols + 1) if wrap else [0]
        diagonals = [x[i : i + n_cols].diagonal() for i in starts]
    total = sum(it.size for it in diagonals)
    values = cast(val, x.dtype)
    if values.ndim > 0:
        values = resize(values, total)
    done = 0
    for it in diagonals:
        it[...] = values[done : done + it.size] if values.ndim > 0 else values
        done += it.size


def tri(
    N: SupportsIndex,  # noqa: N803
    M: SupportsIndex | None = None,  # noqa: N803
    k: SupportsIndex = 0,
    dtype: DTypeLike = float,
    *,
    like: object = None,
) -> Array:
    """Returns a matrix with ones on and below the ``k``-th diagonal, and zeros above.

    >>> bv.tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    n_rows, offset = operator.index(N), operator.index(k)
    n_cols = n_rows if M is None else operator.index(M)
    rows, columns = bv.arange(n_rows), bv.arange(-offset, n_cols - offset)
    return bv.astype(bv.greater_equal(rows[:, None], columns), dtype, copy=False)


def _rows_from_to(n: int, bounds: Callable[[Array], tuple[Array, Array]]) -> tuple[Array, Array]:
    """Returns the indices of a matrix with ``n`` rows, in each of which the columns are between two bounds."""
    rows = bv.arange(max(n, 0))
    begin, end = bounds(rows)
    lengths = end - begin
    total = int(bv.sum(lengths))
    # The column is the position, without those of the rows before, plus the first column of the row.
    shift = begin - (bv.cumulative_sum(lengths, axis=0) - lengths)
    return bv.repeat(rows, lengths), bv.arange(total) + bv.repeat(shift, lengths)


def tril_indices(n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None) -> tuple[Array, ...]:
    """Returns the indices of the lower triangle of a matrix of shape ``(n, m)``.

    >>> bv.tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    n_rows, offset = operator.index(n), operator.index(k)
    n_cols = n_rows if m is None else operator.index(m)
    return _rows_from_to(n_rows, lambda rows: (bv.zeros_like(rows), bv.clip(rows + (offset + 1), 0, n_cols)))


def tril_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[Array, ...]:
    """Returns the indices of the lower triangle of a matrix.

    >>> bv.tril_indices_from(bv.zeros((2, 2)), k=-1)
    (array([1]), array([0]))
    """
    n, m = _matrix_shape(arr)
    return tril_indices(n, k, m)


def triu_indices(n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None) -> tuple[Array, ...]:
    """Returns the indices of the upper triangle of a matrix of shape ``(n, m)``.

    >>> bv.triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    n_rows, offset = operator.index(n), operator.index(k)
    n_cols = n_rows if m is None else operator.index(m)
    return _rows_from_to(n_rows, lambda rows: (bv.clip(rows + offset, 0, n_cols), bv.full_like(rows, n_cols)))


def triu_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[Array, ...]:
    """Returns the indices of the upper triangle of a matrix.

    >>> bv.triu_indices_from(bv.zeros((2, 2)), k=1)
    (array([0]), array([1]))
    """
    n, m = _matrix_shape(arr)
    return triu_indices(n, k, m)


def _matrix_shape(arr: Any) -> tuple[int, ...]:
    x = bv.asarray(arr)
    if x.ndim != 2:
        raise ValueError(f"the array must have 2 axes, got shape {x.shape}")
    return x.shape


def mask_indices(n: SupportsIndex, mask_func: Callable[..., ArrayLike], k: Any = 0) -> tuple[Array, ...]:
    """Returns the indices of a matrix of shape ``(n, n)`` where a function of it, such as ``triu``, is not zero.

    >>> bv.mask_indices(2, lambda x, k: bv.triu(x, k=k))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    size = operator.index(n)
    return bv.nonzero(mask_func(bv.ones((size, size), dtype=bv.int64), k))
