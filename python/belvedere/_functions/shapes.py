"""Shapes: lengths and numbers of axes, views with other axes, and parts of an array."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import AxisError
from .common import normalized_axes, normalized_axis

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, Axes

__all__ = [
    "array_split",
    "dsplit",
    "fliplr",
    "flipud",
    "hsplit",
    "ndim",
    "rollaxis",
    "shape",
    "size",
    "vsplit",
]


def shape(a: ArrayLike) -> tuple[int, ...]:
    """Returns the lengths of the axes.

    >>> bv.shape([[1, 2, 3]])
    (1, 3)
    """
    return a.shape if isinstance(a, bv.Array) else bv.asarray(a).shape


def ndim(a: ArrayLike) -> int:
    """Returns the number of axes.

    >>> bv.ndim([[1, 2, 3]])
    2
    """
    return a.ndim if isinstance(a, bv.Array) else bv.asarray(a).ndim


def size(a: ArrayLike, axis: Axes = None) -> int:
    """Returns the number of elements, or the product of the lengths of some axes.

    >>> bv.size([[1, 2, 3]]), bv.size([[1, 2, 3]], axis=1)
    (3, 3)
    """
    x = a if isinstance(a, bv.Array) else bv.asarray(a)
    if axis is None:
        return x.size
    n = 1
    for k in normalized_axes(axis, x.ndim):
        n *= x.shape[k]
    return n


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


def rollaxis(a: ArrayLike, axis: SupportsIndex, start: SupportsIndex = 0) -> Array:
    """Moves an axis backwards, until it is before the axis ``start``; the result is a view.

    >>> bv.rollaxis(bv.ones((3, 4, 5)), 2).shape
    (5, 3, 4)
    """
    x = bv.asarray(a)
    k = normalized_axis(axis, x.ndim)
    to = operator.index(start)
    if not -x.ndim <= to <= x.ndim:
        raise AxisError(f"start must be from {-x.ndim} to {x.ndim}, got {to}")
    to = to + x.ndim if to < 0 else to
    order = [it for it in range(x.ndim) if it != k]
    order.insert(to - 1 if k < to else to, k)
    return bv.permute_dims(x, axes=tuple(order))


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: SupportsIndex = 0) -> list[Array]:
    """Splits an array into parts, which are views; their lengths may differ by 1.

    ``indices_or_sections`` is the number of parts, or the positions where they begin.

    >>> bv.array_split(bv.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    x = bv.asarray(ary)
    k = normalized_axis(axis, x.ndim)
    n = x.shape[k]
    bounds = _bounds(indices_or_sections)
    if isinstance(bounds, int):
        if bounds <= 0:
            raise ValueError(f"the number of sections must be larger than 0, got {bounds}")
        length, n_longer = divmod(n, bounds)
        bounds = [i * length + min(i, n_longer) for i in range(1, bounds)]
    before = (slice(None),) * k
    return [x[(*before, slice(i, j))] for i, j in zip([0, *bounds], [*bounds, n])]


def _bounds(indices_or_sections: Any) -> int | list[int]:
    """Returns the number of parts, or the positions where they begin."""
    try:
        return operator.index(indices_or_sections)
    except TypeError:
        return [operator.index(it) for it in indices_or_sections]


def _split(ary: Array, indices_or_sections: Any, axis: int) -> list[Array]:
    bounds = _bounds(indices_or_sections)
    if isinstance(bounds, int) and bounds == 0:
        # NumPy's exception: it divides by the number of sections.
        raise ZeroDivisionError("the number of sections must be larger than 0, got 0")
    if isinstance(bounds, int) and bounds > 0 and ary.shape[axis] % bounds != 0:
        raise ValueError(
            f"array split does not result in an equal division: axis {axis} has length {ary.shape[axis]}, "
            f"which {bounds} does not divide"
        )
    return array_split(ary, bounds, axis)


def hsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Splits an array into views along axis 1, or along axis 0 if it has only one axis.

    >>> bv.hsplit(bv.asarray([[1, 2], [3, 4]]), 2)
    [array([[1],
           [3]]), array([[2],
           [4]])]
    """
    x = bv.asarray(ary)
    if x.ndim == 0:
        raise ValueError("hsplit needs an array with at least 1 axis")
    return _split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Splits an array of at least 2 axes into views along axis 0.

    >>> bv.vsplit(bv.asarray([[1, 2], [3, 4]]), 2)
    [array([[1, 2]]), array([[3, 4]])]
    """
    x = bv.asarray(ary)
    if x.ndim < 2:
        raise ValueError(f"vsplit needs an array with at least 2 axes, got shape {x.shape}")
    return _split(x, indices_or_sections, 0)


def dsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Splits an array of at least 3 axes into views along axis 2.

    >>> [part.shape for part in bv.dsplit(bv.ones((2, 3, 4)), 2)]
    [(2, 3, 2), (2, 3, 2)]
    """
    x = bv.asarray(ary)
    if x.ndim < 3:
        raise ValueError(f"dsplit needs an array with at least 3 axes, got shape {x.shape}")
    return _split(x, indices_or_sections, 2)
