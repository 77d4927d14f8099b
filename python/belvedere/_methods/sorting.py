"""Methods that sort, search and accumulate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, DTypeLike

__all__ = ["argpartition", "argsort", "cumprod", "nonzero", "partition", "searchsorted", "sort", "trace"]


def _check_order(order: object) -> None:
    if order is not None:
        raise ValueError("order must be None: arrays have no fields")


def _lane(self: Array, axis: SupportsIndex | None) -> tuple[Array, SupportsIndex]:
    """Returns the array and the axis, or for ``axis=None`` the flattened array and its axis."""
    return (self.ravel(), -1) if axis is None else (self, axis)


def argsort(
    self: Array,
    /,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    order: object = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """Returns the indices that sort along an axis, or for ``axis=None`` the flattened array. Every sort is stable.

    >>> bv.asarray([3, 1, 2]).argsort()
    array([1, 2, 0])
    """
    _check_order(order)
    x, axis = _lane(self, axis)
    return bv.argsort(x, axis=axis, descending=descending)


def sort(
    self: Array,
    /,
    axis: SupportsIndex = -1,
    kind: str | None = None,
    order: object = None,
    *,
    stable: bool | None = None,
) -> None:
    """Sorts along an axis, in place. NaN comes last; every sort is stable.

    >>> x = bv.asarray([3, 1, 2])
    >>> x.sort()
    >>> x
    array([1, 2, 3])
    """
    _check_order(order)
    self[...] = bv.sort(self, axis=axis)


def partition(
    self: Array,
    /,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex = -1,
    kind: str = "introselect",
    order: object = None,
) -> None:
    """Moves the element at position ``kth`` of the sorted order to its place, smaller ones before it, in place.

    >>> x = bv.asarray([3, 1, 2])
    >>> x.partition(1)
    >>> x[1]
    array(2)
    """
    _check_order(order)
    self[...] = _partitioned(bv.partition, bv.sort, self, kth, axis)


def argpartition(
    self: Array,
    /,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex | None = -1,
    kind: str = "introselect",
    order: object = None,
) -> Array:
    """Returns the indices that partition the array along an axis, or for ``axis=None`` the flattened array.

    >>> bv.asarray([3, 1, 2]).argpartition(0)[0]
    array(1)
    """
    _check_order(order)
    x, axis = _lane(self, axis)
    return _partitioned(bv.argpartition, bv.argsort, x, kth, axis)


def _partitioned(partition: Any, sort: Any, x: Array, kth: Any, axis: SupportsIndex) -> Array:
    """Partitions at one position; a full sort has every position in its place."""
    positions, length = bv.asarray(kth).ravel().tolist(), x.shape[axis]
    for position in positions:
        if not -length <= position < length:
            raise ValueError(f"kth {position} is out of range for an axis of length {length}")
    return partition(x, positions[0], axis=axis) if len(positions) == 1 else sort(x, axis=axis)


def searchsorted(self: Array, /, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None) -> Array:
    """Returns the indices at which elements would be inserted to keep the array sorted.

    >>> bv.asarray([1, 3, 5]).searchsorted([0, 3, 9])
    array([0, 1, 3])
    """
    return bv.searchsorted(self, v, side=side, sorter=sorter)


def nonzero(self: Array, /) -> tuple[Array, ...]:
    """Returns the indices of the nonzero elements, one array for each axis.

    >>> bv.asarray([0, 5, 0, 7]).nonzero()
    (array([1, 3]),)
    """
    return bv.nonzero(self)


def cumprod(
    self: Array, /, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Array | None = None
) -> Array:
    """Computes the cumulative product along an axis, or of the flattened array.

    >>> bv.asarray([1, 2, 3]).cumprod()
    array([1, 2, 6])
    """
    product = bv.cumprod(self, axis, dtype, out)
    return product if out is None else out


def trace(
    self: Array,
    /,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Sums the elements of a diagonal.

    >>> bv.asarray([[1, 2], [3, 4]]).trace()
    array(5)
    """
    return self.diagonal(offset, axis1, axis2).sum(-1, dtype, out)
