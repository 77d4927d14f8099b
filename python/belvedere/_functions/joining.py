"""Arrays joined from others, and arrays with elements added or removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import cast, flattened, normalized_axes, normalized_axis

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, Axes, DTypeLike, NestedSequence

__all__ = ["append", "block", "delete", "insert", "row_stack", "trim_zeros"]


def append(arr: ArrayLike, values: ArrayLike, axis: SupportsIndex | None = None) -> Array:
    """Returns a new array with values after the end of an axis; both are flattened if there is no axis.

    >>> bv.append([1, 2], [[3], [4]])
    array([1, 2, 3, 4])
    """
    x = bv.asarray(arr)
    # A number needs no array of its own.
    y = values if type(values) in (int, float) else bv.asarray(values)
    if axis is None:
        return bv.concat([x, y], axis=None)
    y = bv.asarray(y)
    k = normalized_axis(axis, x.ndim)
    if x.ndim != y.ndim:
        raise ValueError(f"the arrays must have the same number of axes, got shapes {x.shape} and {y.shape}")
    return bv.concat([x, y], axis=k)


def row_stack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
    """Stacks arrays as rows: another name of ``vstack``.

    >>> bv.row_stack(([1, 2], [3, 4]))
    array([[1, 2],
           [3, 4]])
    """
    arrays = [bv.asarray(it) for it in tup]
    if dtype is not None:
        kind = bv.dtype(dtype)
        arrays = [cast(it, kind, casting) for it in arrays]
    return bv.vstack(arrays)


def _nesting(arrays: Any, path: tuple[int, ...] = ()) -> tuple[int, int]:
    """Returns the depth of nested lists and the largest number of axes of the arrays in them."""
    if isinstance(arrays, tuple):
        raise TypeError(f"block takes lists, not tuples, at index {list(path)}")
    if not isinstance(arrays, list):
        return 0, bv.asarray(arrays).ndim
    if not arrays:
        raise ValueError(f"the list at index {list(path)} is empty")
    found = [_nesting(it, (*path, i)) for i, it in enumerate(arrays)]
    depths = {depth for depth, _ in found}
    if len(depths) > 1:
        raise ValueError(f"the lists at index {list(path)} have different depths")
    return depths.pop() + 1, max(ndim for _, ndim in found)


def _placed(arrays: Any, depth: int, ndim: int) -> tuple[list[int], list[tuple[tuple[int, ...], Array]]]:
    """Returns the shape of joined blocks, and each block with its position in it."""
    if depth == 0:
        x = bv.asarray(arrays)
        return [1] * (ndim - x.ndim) + list(x.shape), [((0,) * ndim, x)]
    k = ndim - depth
    shape: list[int] = []
    blocks = []
    for it in arrays:
        part, inner = _placed(it, depth - 1, ndim)
        start = shape[k] if shape else 0
        if not shape:
            shape = part
        elif shape[:k] + shape[k + 1 :] != part[:k] + part[k + 1 :]:
            raise ValueError(f"blocks of shapes {tuple(shape)} and {tuple(part)} cannot be joined along axis {k}")
        else:
            shape[k] += part[k]
        blocks += [((*at[:k], at[k] + start, *at[k + 1 :]), x) for at, x in inner]
    return shape, blocks


def block(arrays: ArrayLike | NestedSequence) -> Array:
    """Joins nested lists of blocks: the innermost lists along the last axis, and so on outwards.

    >>> bv.block([[bv.eye(2), bv.zeros((2, 1))], [bv.ones((1, 3))]])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [1., 1., 1.]])
    """
    depth, ndim = _nesting(arrays)
    shape, blocks = _placed(arrays, depth, max(depth, ndim))
    result = bv.empty(tuple(shape), dtype=bv.result_type(*[x.dtype for _, x in blocks]))
    for at, x in blocks:
        lengths = (1,) * (len(at) - x.ndim) + x.shape
        result[tuple(slice(i, i + n) for i, n in zip(at, lengths))] = x
    return result


def _integers(obj: Any) -> Array:
    """Returns positions as an integer array, or a mask as it is."""
    positions = bv.asarray(obj)
    if positions.size == 0 and not isinstance(obj, bv.Array):
        positions = bv.astype(positions, bv.int64)
    if positions.dtype.kind not in "iub":
        raise IndexError(f"positions must have an integer or bool dtype, got {positions.dtype.name}")
    return positions


def _check_bounds(positions: Array, low: int, high: int, axis: int, n: int) -> None:
    """Raises an error unless all positions are from ``low`` to ``high``."""
    if positions.size == 0:
        return
    least, greatest = int(bv.min(positions)), int(bv.max(positions))
    if least < low or greatest > high:
        wrong = least if least < low else greatest
        raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {n}")


def delete(arr: ArrayLike, obj: Any, axis: SupportsIndex | None = None) -> Array:
    """Returns a new array without the given positions of an axis; it is flattened if there is no axis.

    ``obj`` is a position, a slice, a sequence of positions, or a mask of the elements to remove.

    >>> bv.delete([1, 2, 3, 4], [0, 2])
    array([2, 4])
    >>> bv.delete([[1, 2], [3, 4]], 0, axis=1)
    array([[2],
           [4]])
    """
    x = bv.asarray(arr)
    x, k = (flattened(x), 0) if axis is None else (x, normalized_axis(axis, x.ndim))
    n, before = x.shape[k], (slice(None),) * k
    if isinstance(obj, slice):
        removed = range(*obj.indices(n))
        if abs(removed.step) == 1:
            low, high = (min(removed), max(removed) + 1) if removed else (0, 0)
            return bv.concat([x[(*before, slice(None, low))], x[(*before, slice(high, None))]], axis=k)
        keep = bv.ones((n,), dtype=bv.bool)
        keep[obj] = False
        return x[(*before, keep)]
    positions = _integers(obj)
    if positions.dtype == bv.bool:
        if positions.shape != (n,):
            raise ValueError(f"a mask must have the shape of the axis, ({n},), got {positions.shape}")
        return x[(*before, bv.logical_not(positions))]
    _check_bounds(positions, -n, n - 1, k, n)
    if positions.size == 1:
        at = int(positions.item()) % n
        return bv.concat([x[(*before, slice(None, at))], x[(*before, slice(at + 1, None))]], axis=k)
    keep = bv.ones((n,), dtype=bv.bool)
    keep[flattened(positions)] = False
    return x[(*before, keep)]


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: SupportsIndex | None = None) -> Array:
    """Returns a new array with values inserted before the given positions of an axis.

    The array is flattened if there is no axis. Values are cast to the dtype of the array.

    >>> bv.insert([1, 2, 3], 1, [7, 8])
    array([1, 7, 8, 2, 3])
    >>> bv.insert([[1, 2], [3, 4]], 1, 9, axis=1)
    array([[1, 9, 2],
           [3, 9, 4]])
    """
    x = bv.asarray(arr)
    x, k = (flattened(x), 0) if axis is None else (x, normalized_axis(axis, x.ndim))
    n = x.shape[k]
    positions = bv.arange(*obj.indices(n)) if isinstance(obj, slice) else _integers(obj)
    if positions.dtype == bv.bool:
        positions = bv.nonzero(positions)[0]
    if positions.ndim > 1:
        raise ValueError(f"positions must have at most 1 axis, got shape {positions.shape}")
    _check_bounds(positions, -n, n, k, n)
    before = (slice(None),) * k
    new = cast(values, x.dtype)
    if positions.size == 1:
        at = int(bv.reshape(positions, shape=()))
        at = at + n if at < 0 else at
        new = bv.reshape(new, shape=(1,) * (x.ndim - new.ndim) + new.shape)
        if positions.ndim == 0:
            # NumPy inserts along axis 0 of the values at a single position.
            new = bv.moveaxis(new, 0, k)
        new = bv.broadcast_to(new, shape=(*x.shape[:k], new.shape[k], *x.shape[k + 1 :]))
        return bv.concat([x[(*before, slice(None, at))], new, x[(*before, slice(at, None))]], axis=k)
    while new.ndim > x.ndim and new.shape[0] == 1:
        new = new[0]
    positions = bv.where(positions < 0, positions + n, positions)
    n_new = positions.size
    order = bv.argsort(positions, stable=True)
    target = bv.empty((n_new,), dtype=bv.int64)
    target[order] = bv.astype(positions[order], bv.int64) + bv.arange(n_new)
    is_old = bv.ones((n + n_new,), dtype=bv.bool)
    is_old[target] = False
    result = bv.empty((*x.shape[:k], n + n_new, *x.shape[k + 1 :]), dtype=x.dtype)
    result[(*before, target)] = bv.broadcast_to(new, shape=(*x.shape[:k], n_new, *x.shape[k + 1 :]))
    result[(*before, is_old)] = x
    return result


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes = None) -> Any:
    """Removes zeros from the front and the back of each axis; the result is a view, or a list or tuple if given one.

    >>> bv.trim_zeros(bv.asarray([0, 0, 1, 2, 0]))
    array([1, 2])
    >>> bv.trim_zeros([0, 1, 0, 2, 0], "b")
    [0, 1, 0, 2]
    """
    x = bv.asarray(filt)
    sides = trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim must contain only 'f' and 'b', got {trim!r}")
    axes = tuple(range(x.ndim)) if axis is None else normalized_axes(axis, x.ndim)
    is_set = bv.not_equal(x, 0)
    is_zero = x.size == 0 or not bool(bv.any(is_set))
    index = [slice(None)] * x.ndim
    for k in axes:
        if is_zero:
            index[k] = slice(0, 0)
            continue
        others = tuple(i for i in range(x.ndim) if i != k)
        along = bv.any(is_set, axis=others) if others else is_set
        low, high = int(bv.argmax(along)), x.shape[k] - int(bv.argmax(bv.flip(along, axis=0)))
        index[k] = slice(low if "f" in sides else None, high if "b" in sides else None)
    result = x[tuple(index)]
    return type(filt)(result.tolist()) if isinstance(filt, (list, tuple)) and result.ndim == 1 else result
