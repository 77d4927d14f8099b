"""The attribute ``flat``: the elements in row-major order as a sequence."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .gathering import _unravelled

if TYPE_CHECKING:
    from .._native import Array
    from .._types import ArrayLike

__all__ = ["flat"]


def _elements(x: Array) -> Iterator[Array]:
    """Returns an iterator over the elements in row-major order, which are read one by one."""
    if x.is_contiguous():
        return iter(x.reshape(-1))
    return iter(x) if x.ndim == 1 else itertools.chain.from_iterable(map(_elements, x))


class FlatIterator:
    """Iterates over the elements of an array in row-major order; an index is one of the flattened array.

    >>> x = bv.asarray([[1, 2], [3, 4]])
    >>> x.flat[2] = 7
    >>> [int(value) for value in x.T.flat]
    [1, 7, 2, 4]
    """

    def __init__(self, base: Array) -> None:
        self._base = base
        self._next = 0
        #: The iterator over the elements from the next one on; None before the first.
        self._elements: Iterator[Array] | None = None

    @property
    def base(self) -> Array:
        """Returns the array."""
        return self._base

    @property
    def index(self) -> int:
        """Returns the position of the next element."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """Returns the index of the next element on each axis."""
        return self._place(self._next)

    def _place(self, position: int) -> tuple[int, ...]:
        place = []
        for length in reversed(self._base.shape):
            position, at = divmod(position, length)
            place.append(at)
        return tuple(reversed(place))

    def _position(self, key: Any) -> int | None:
        """Returns the position that an integer denotes; None if the key is not an integer."""
        try:
            position = operator.index(key)
        except TypeError:
            return None
        size = len(self)
        if not -size <= position < size:
            raise IndexError(f"index {position} is out of range for an array of {size} elements")
        return position % size

    def _places(self, key: Any) -> tuple[Array, ...]:
        """Returns the index on each axis of the elements that a slice, a mask or an index array selects."""
        if not isinstance(key, slice) and key is not Ellipsis:
            key = bv.asarray(key) if not isinstance(key, tuple) else key
        return _unravelled(bv.arange(len(self))[key], self._base.shape or (1,))

    def __len__(self) -> int:
        return math.prod(self._base.shape)

    def __iter__(self) -> FlatIterator:
        return self

    def __next__(self) -> Array:
        if self._elements is None:
            self._elements = _elements(self._base)
        try:
            element = next(self._elements)
        except StopIteration:
            self._next, self._elements = 0, None
            raise
        self._next += 1
        return element

    def __getitem__(self, key: Any) -> Array:
        position = self._position(key)
        if position is not None:
            return self._base[self._place(position)]
        base = self._base if self._base.ndim else self._base.reshape(1)
        return base[self._places(key)]

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        position = self._position(key)
        if position is not None:
            self._base[self._place(position)] = value
            return
        places = self._places(key)
        value, n = bv.asarray(value).ravel(), places[0].size
        if value.size != n and n:
            value = value[bv.remainder(bv.arange(n), value.size)]
        base = self._base if self._base.ndim else self._base.reshape(1)
        base[places] = value.reshape(places[0].shape)

    def __eq__(self, other: object) -> Array:  # type: ignore[override]
        return self.copy() == other

    def __ne__(self, other: object) -> Array:  # type: ignore[override]
        return self.copy() != other

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.copy().__array__(dtype)

    def copy(self) -> Array:
        """Returns the elements as a new array with one axis."""
        return self._base.copy().ravel()


def _flat(self: Array) -> FlatIterator:
    """Returns the elements in row-major order as a sequence, which can be iterated, indexed and assigned."""
    return FlatIterator(self)


def _set_flat(self: Array, value: ArrayLike) -> None:
    FlatIterator(self)[:] = value


flat = property(_flat, _set_flat)
