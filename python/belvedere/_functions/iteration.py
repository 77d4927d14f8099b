"""Iteration over indices and elements, and functions called for each part of an array."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import as_arrays, as_shape, flattened, normalized_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike

__all__ = ["apply_along_axis", "apply_over_axes", "broadcast", "ndenumerate", "ndindex"]


class ndindex:  # noqa: N801
    """Iterates over the indices of a shape in row-major order.

    >>> list(bv.ndindex(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, *shape: Any) -> None:
        lengths = as_shape(shape[0]) if len(shape) == 1 else as_shape(shape)
        if any(n < 0 for n in lengths):
            raise ValueError(f"negative dimensions are not allowed, got {lengths}")
        self._indices = itertools.product(*map(range, lengths))

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return self

    def __next__(self) -> tuple[int, ...]:
        return next(self._indices)


class ndenumerate:  # noqa: N801
    """Iterates over pairs of an index and its element in row-major order.

    >>> for index, element in bv.ndenumerate([[1, 2]]):
    ...     print(index, element)
    (0, 0) 1
    (0, 1) 2
    """

    def __init__(self, arr: ArrayLike) -> None:
        x = bv.asarray(arr)
        self._pairs = zip(itertools.product(*map(range, x.shape)), flattened(x))

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Array]]:
        return self

    def __next__(self) -> tuple[tuple[int, ...], Array]:
        return next(self._pairs)


class broadcast:  # noqa: N801
    """Several arrays broadcast together: their common shape, and iteration over tuples of their elements.

    >>> b = bv.broadcast([1, 2], [[3], [4]])
    >>> b.shape, b.size
    ((2, 2), 4)
    """

    def __init__(self, *args: ArrayLike) -> None:
        self._arrays = as_arrays(args)
        self._shape = bv.broadcast_shapes(*[it.shape for it in self._arrays])
        self.reset()

    @property
    def shape(self) -> tuple[int, ...]:
        """The common shape."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def nd(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return bv.broadcast_to(bv.zeros(()), shape=self._shape).size

    @property
    def numiter(self) -> int:
        """The number of arrays."""
        return len(self._arrays)

    @property
    def index(self) -> int:
        """The number of tuples that the iteration has returned."""
        return self._index

    @property
    def iters(self) -> tuple[Iterator[Array], ...]:
        """Iterators over the elements of each array."""
        return tuple(iter(flattened(bv.broadcast_to(it, shape=self._shape))) for it in self._arrays)

    def reset(self) -> None:
        """Begins the iteration again.

        >>> b = bv.broadcast([1, 2], 3)
        >>> _ = next(b)
        >>> b.reset()
        >>> b.index
        0
        """
        self._index = 0
        self._tuples = zip(*self.iters) if self._arrays else iter(())

    def __iter__(self) -> Iterator[tuple[Array, ...]]:
        return self

    def __next__(self) -> tuple[Array, ...]:
        found = next(self._tuples)
        self._index += 1
        return found


def apply_along_axis(
    func1d: Callable[..., Any], axis: SupportsIndex, arr: ArrayLike, *args: Any, **kwargs: Any
) -> Array:
    """Calls a function with each 1-D slice along an axis; the axes of its result take the place of the axis.

    >>> bv.apply_along_axis(lambda v: v.max() - v.min(), 1, [[1, 5], [2, 9]])
    array([4, 7])
    """
    x = bv.asarray(arr)
    k = normalized_axis(axis, x.ndim)
    moved = bv.moveaxis(x, k, -1)
    outer = moved.shape[:-1]
    if 0 in outer:
        raise ValueError(f"apply_along_axis needs at least one slice along axis {k}, got shape {x.shape}")
    places = itertools.product(*map(range, outer))
    first = bv.asarray(func1d(moved[next(places)], *args, **kwargs))
    result = bv.empty((*outer, *first.shape), dtype=first.dtype)
    result[(0,) * len(outer)] = first
    for index in places:
        result[index] = bv.astype(bv.asarray(func1d(moved[index], *args, **kwargs)), first.dtype, copy=False)
    n = len(outer)
    order = (*range(k), *range(n, n + first.ndim), *range(k, n))
    return bv.permute_dims(result, axes=order)


def apply_over_axes(func: Callable[[Array, int], Any], a: ArrayLike, axes: int | Sequence[int]) -> Array:
    """Calls a reduction for one axis after another; the result keeps all axes.

    >>> bv.apply_over_axes(lambda x, axis: bv.sum(x, axis=axis), bv.ones((2, 3, 4)), [0, 2])
    array([[[8.],
            [8.],
            [8.]]])
    """
    x = bv.asarray(a)
    n_axes = x.ndim
    for axis in (axes,) if isinstance(axes, int) else axes:
        k = axis + n_axes if axis < 0 else axis
        reduced = bv.asarray(func(x, k))
        if reduced.ndim != x.ndim:
            reduced = bv.expand_dims(reduced, axis=k)
            if reduced.ndim != x.ndim:
                raise ValueError("the function does not return an array of the correct shape")
        x = reduced
    return x
