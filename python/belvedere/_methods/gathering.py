"""Methods that gather and scatter elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _native as bv
from .._functions.common import write_to

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike

__all__ = [
    "choose",
    "compress",
    "gather",
    "index_select",
    "masked_select",
    "put",
    "repeat",
    "repeat_interleave",
    "take",
]


def _positions(indices: ArrayLike, length: int, mode: str) -> Array:
    """Returns indices in range: as they are, reduced modulo the length (``wrap``), or limited (``clip``)."""
    indices = bv.asarray(indices)
    if indices.size == 0:
        return indices.astype(bv.int64)
    if not bv.isdtype(indices.dtype, "integral"):
        raise TypeError(f"indices must be integers, got {indices.dtype}")
    if mode == "raise":
        return indices
    if mode == "wrap":
        return bv.remainder(indices, length)
    if mode == "clip":
        return indices.clip(0, length - 1)
    raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', got {mode!r}")


def _unravelled(positions: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Returns the index on each axis of positions in the flattened array."""
    size = bv.prod(bv.asarray(shape, dtype=bv.int64))
    if bool((positions < -size).any()) or bool((positions >= size).any()):
        raise IndexError(f"an index is out of range for an array of {int(size)} elements")
    rest, index = bv.remainder(positions, size), []
    for length in reversed(shape):
        index.append(bv.remainder(rest, length))
        rest = bv.floor_divide(rest, length)
    return tuple(reversed(index))


def take(
    self: Array, /, indices: ArrayLike, axis: SupportsIndex | None = None, out: Array | None = None, mode: str = "raise"
) -> Array:
    """Returns the elements at indices along an axis, or of the flattened array.

    >>> bv.asarray([[1, 2, 3], [4, 5, 6]]).take([2, 0], axis=1)
    array([[3, 1],
           [6, 4]])
    """
    x, axis = (self.reshape(-1), 0) if axis is None else (self, axis)
    positions = _positions(indices, x.shape[axis], mode)
    return write_to(out, bv.take(x, positions, axis=axis))


def put(self: Array, /, indices: ArrayLike, values: ArrayLike, mode: str = "raise") -> None:
    """Writes values at indices of the flattened array; they are repeated if there are fewer.

    >>> x = bv.zeros((2, 2))
    >>> x.put([0, 3], [1, 2])
    >>> x
    array([[1., 0.],
           [0., 2.]])
    """
    positions = _positions(indices, self.size, mode).ravel()
    values = bv.asarray(values).ravel()
    if positions.size == 0:
        return
    if values.size == 0:
        raise ValueError("cannot put from an array without elements")
    if values.size != positions.size:
        values = values[bv.remainder(bv.arange(positions.size), values.size)]
    target = self.reshape(1) if self.ndim == 0 else self
    target[_unravelled(positions, target.shape)] = values


def compress(self: Array, /, condition: ArrayLike, axis: SupportsIndex | None = None, out: Array | None = None) -> Array:
    """Returns the parts along an axis for which a 1-d condition is true, or elements of the flattened array.

    >>> bv.asarray([[1, 2], [3, 4]]).compress([False, True], axis=1)
    array([[2],
           [4]])
    """
    condition = bv.asarray(condition)
    if condition.ndim != 1:
        raise ValueError(f"the condition must have 1 axis, got {condition.ndim}")
    return self.take(bv.nonzero(condition)[0], axis, out)


def choose(self: Array, /, choices: Sequence[ArrayLike], out: Array | None = None, mode: str = "raise") -> Array:
    """Returns for each element, an index, the element of that one of the choices.

    >>> bv.asarray([1, 0, 1]).choose([[1, 2, 3], [10, 20, 30]])
    array([10,  2, 30])
    """
    # Python's numbers have no dtype of their own.
    typed = [it if isinstance(it, (bool, int, float, complex)) else bv.asarray(it) for it in choices]
    parts = [bv.asarray(choice) for choice in choices]
    positions = _positions(self, len(parts), mode)
    if bool((positions < 0).any()) or bool((positions >= len(parts)).any()):
        raise ValueError(f"an index is out of range for {len(parts)} choices")
    dtype = bv.result_type(*typed)
    positions, *parts = bv.broadcast_arrays(positions, *parts)
    choices = bv.stack([part.astype(dtype, copy=False) for part in parts])
    return write_to(out, bv.take_along_axis(choices, positions[None], axis=0)[0])


def repeat(self: Array, /, repeats: ArrayLike, axis: SupportsIndex | None = None) -> Array:
    """Repeats each element along an axis, or of the flattened array.

    >>> bv.asarray([1, 2]).repeat(2)
    array([1, 1, 2, 2])
    """
    return bv.repeat(self, repeats, axis=axis)


def repeat_interleave(self: Array, /, repeats: ArrayLike, dim: SupportsIndex | None = None) -> Array:
    """Repeats each element along an axis, or of the flattened array: PyTorch's name of ``repeat``.

    >>> bv.asarray([1, 2]).repeat_interleave(2)
    array([1, 1, 2, 2])
    """
    return bv.repeat(self, repeats, axis=dim)


def gather(self: Array, /, dim: SupportsIndex, index: ArrayLike) -> Array:
    """Gathers the elements at the indices given for each lane along an axis, as in PyTorch.

    >>> bv.asarray([[1, 2], [3, 4]]).gather(1, [[0, 0], [1, 0]])
    array([[1, 1],
           [4, 3]])
    """
    index = bv.asarray(index)
    if index.ndim != self.ndim:
        raise ValueError(f"the index must have {self.ndim} axes, got {index.ndim}")
    axis = dim.__index__()
    axis += self.ndim if axis < 0 else 0
    # PyTorch accepts a shorter index on the other axes.
    part = tuple(slice(None) if k == axis else slice(length) for k, length in enumerate(index.shape))
    return bv.take_along_axis(self[part], index, axis=axis)


def index_select(self: Array, /, dim: SupportsIndex, index: ArrayLike) -> Array:
    """Returns the parts at indices along an axis, as in PyTorch.

    >>> bv.asarray([[1, 2], [3, 4]]).index_select(0, [1, 1])
    array([[3, 4],
           [3, 4]])
    """
    return bv.take(self, bv.asarray(index), axis=dim)


def masked_select(self: Array, /, mask: ArrayLike) -> Array:
    """Returns the elements for which a mask is true, along one axis, as in PyTorch.

    >>> x = bv.asarray([1, 5, 3])
    >>> x.masked_select(x > 2)
    array([5, 3])
    """
    x, mask = bv.broadcast_arrays(self, mask)
    return x[mask]
