"""Views made of strides, with the parameters of ``numpy.lib.stride_tricks``."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv

if TYPE_CHECKING:
    from .._native import Array
    from .._types import ArrayLike, Axes, Shape

__all__ = ["as_strided", "broadcast_to", "sliding_window_view"]


def as_strided(
    x: ArrayLike,
    shape: Shape | None = None,
    strides: Shape | None = None,
    subok: bool = False,
    writeable: bool = True,
) -> Array:
    """Returns a view with any shape and strides in bytes, as in NumPy; ``bv.as_strided`` counts elements.

    A view that leaves the memory of the array is an error.

    >>> from belvedere.lib.stride_tricks import as_strided
    >>> as_strided(bv.arange(4), (3, 2), (8, 8))
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    array = bv.asarray(x)
    lengths = array.shape if shape is None else _ints(shape)
    steps = array.strides if strides is None else _ints(strides)
    if len(lengths) != len(steps):
        raise ValueError(f"shape and strides must have the same length, got {lengths} and {steps}")
    size = array.itemsize
    if 0 in lengths:
        return bv.empty(lengths, dtype=array.dtype)
    if any(step % size for step in steps):
        raise ValueError(f"strides must be multiples of the element size, {size} bytes, got {steps}")
    view = array.as_strided(lengths, tuple(step // size for step in steps), array.storage_offset())
    return view if writeable else _readonly(view)


def _ints(values: Any) -> tuple[int, ...]:
    try:
        return (operator.index(values),)
    except TypeError:
        return tuple(operator.index(it) for it in values)


def _readonly(view: Array) -> Array:
    """Returns a view that cannot be written to, of any strides."""
    return bv.asarray(memoryview(view).toreadonly())


def sliding_window_view(
    x: ArrayLike, window_shape: Shape, axis: Axes = None, *, subok: bool = False, writeable: bool = False
) -> Array:
    """Returns a view of all windows of a shape; it can be written to if the array can, whatever ``writeable`` says.

    >>> bv.lib.stride_tricks.sliding_window_view(bv.arange(4), 3)
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    return bv.sliding_window_view(x, window_shape=window_shape, axis=axis)


def broadcast_to(array: ArrayLike, shape: Shape, subok: bool = False) -> Array:
    """Returns a view of an array with a larger shape.

    >>> bv.lib.stride_tricks.broadcast_to([1, 2], (2, 2))
    array([[1, 2],
           [1, 2]])
    """
    return bv.broadcast_to(array, shape=shape)
