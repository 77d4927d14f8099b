"""Methods that split an array and arrange its axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from .._native import Array

__all__ = ["expand_as", "movedim", "t", "tensor_split", "unbind", "view_as"]


def movedim(
    self: Array, /, source: SupportsIndex | Sequence[SupportsIndex], destination: SupportsIndex | Sequence[SupportsIndex]
) -> Array:
    """Moves axes to new positions; the result is a view.

    >>> bv.zeros((2, 3, 4)).movedim(0, -1).shape
    (3, 4, 2)
    """
    return self.moveaxis(source, destination)


def t(self: Array, /) -> Array:
    """Transposes an array of at most 2 axes, as in PyTorch; the result is a view.

    >>> bv.zeros((2, 3)).t().shape
    (3, 2)
    """
    if self.ndim > 2:
        raise ValueError(f"t() takes at most 2 axes, got {self.ndim}; use mT, transpose or permute")
    return self.transpose()


def unbind(self: Array, /, dim: SupportsIndex = 0) -> tuple[Array, ...]:
    """Splits an array along an axis and removes that axis; the parts are views.

    >>> bv.asarray([[1, 2], [3, 4]]).unbind()
    (array([1, 2]), array([3, 4]))
    """
    return tuple(self.select(dim, i) for i in range(self.shape[dim]))


def tensor_split(
    self: Array, /, indices_or_sections: SupportsIndex | Sequence[SupportsIndex], dim: SupportsIndex = 0
) -> tuple[Array, ...]:
    """Splits an axis into a number of parts of nearly equal length, or at indices; the parts are views.

    >>> bv.arange(5).tensor_split(2)
    (array([0, 1, 2]), array([3, 4]))
    >>> bv.arange(5).tensor_split([1, 3])
    (array([0]), array([1, 2]), array([3, 4]))
    """
    length = self.shape[dim]
    if hasattr(indices_or_sections, "__index__"):
        n = indices_or_sections.__index__()
        if n < 1:
            raise ValueError(f"the number of sections must be at least 1, got {n}")
        each, longer = divmod(length, n)
        bounds = [i * each + min(i, longer) for i in range(n + 1)]
    else:
        # Indices count as in slices: from the end, and limited to the axis.
        bounds = [0, *(slice(it).indices(length)[1] for it in indices_or_sections), length]
    pairs = zip(bounds, bounds[1:])
    return tuple(self.narrow(dim, start, max(stop - start, 0)) for start, stop in pairs)


def expand_as(self: Array, /, other: Array) -> Array:
    """Broadcasts axes of length 1 to the shape of another array; the result is a view.

    >>> bv.zeros((1, 2)).expand_as(bv.zeros((3, 2))).shape
    (3, 2)
    """
    return self.expand(other.shape)


def view_as(self: Array, /, other: Array) -> Array:
    """Returns the elements in the shape of another array; never a copy.

    >>> bv.arange(4).view_as(bv.zeros((2, 2)))
    array([[0, 1],
           [2, 3]])
    """
    return self.view(other.shape)
