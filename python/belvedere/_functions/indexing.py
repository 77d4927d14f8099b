"""Elements chosen and written by index, mask or condition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .arrays import resize
from .common import as_arrays, as_shape, cast, flattened, is_python_scalar, normalized_axis, require_array, write_to

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, Shape

__all__ = [
    "choose",
    "compress",
    "extract",
    "flatnonzero",
    "ix_",
    "lexsort",
    "piecewise",
    "place",
    "put",
    "putmask",
    "ravel_multi_index",
    "select",
    "sort_complex",
    "unravel_index",
]


def flatnonzero(a: ArrayLike) -> Array:
    """Returns the positions of the elements that are not zero in the flattened array.

    >>> bv.flatnonzero([[0, 3], [5, 0]])
    array([1, 2])
    """
    return bv.nonzero(flattened(bv.asarray(a)))[0]


def ix_(*args: ArrayLike) -> tuple[Array, ...]:
    """Returns index arrays that select every combination of several sequences of positions or masks.

    >>> x = bv.reshape(bv.arange(6), (2, 3))
    >>> x[bv.ix_([0, 1], [0, 2])]
    array([[0, 2],
           [3, 5]])
    """
    result = []
    for k, it in enumerate(args):
        positions = bv.asarray(it)
        if positions.ndim != 1:
            raise ValueError(f"each argument of ix_ must have 1 axis, got shape {positions.shape}")
        if positions.size == 0 and not isinstance(it, bv.Array):
            positions = bv.astype(positions, bv.int64)
        if positions.dtype == bv.bool:
            positions = bv.nonzero(positions)[0]
        lengths = [1] * len(args)
        lengths[k] = positions.size
        result.append(bv.reshape(positions, shape=tuple(lengths)))
    return tuple(result)


def _positions(indices: Array, n: int, mode: str, message: str, *, negative: bool = False) -> Array:
    """Returns positions from 0 to ``n - 1``: checked, wrapped or clipped."""
    if mode == "wrap":
        return bv.remainder(indices, n) if n else indices
    if mode == "clip":
        return bv.clip(indices, 0, max(n - 1, 0))
    if mode != "raise":
        raise ValueError(f"mode must be one of 'raise', 'wrap', 'clip', got {mode!r}")
    if indices.size == 0:
        return indices
    least, greatest = int(bv.min(indices)), int(bv.max(indices))
    if least < (-n if negative else 0) or greatest >= n:
        raise IndexError(message.format(greatest if greatest >= n else least, n))
    return bv.where(indices < 0, indices + n, indices) if least < 0 else indices


def choose(a: ArrayLike, choices: Sequence[ArrayLike] | Array, out: Array | None = None, mode: str = "raise") -> Array:
    """Returns the elements of several arrays that an array of numbers of arrays selects.

    ``mode`` says what a number out of range means: an error, the remainder (``"wrap"``) or the nearest (``"clip"``).

    >>> bv.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])
    array([ 1, 20,  3])
    """
    which, arrays = bv.asarray(a), as_arrays(choices)
    if which.dtype.kind not in "iub":
        raise TypeError(f"the numbers of the choices must have an integer dtype, got {which.dtype.name}")
    dtype = bv.result_type(*[it.dtype for it in arrays])
    try:
        which = bv.astype(which, bv.int64, copy=False)
        which = _positions(which, len(arrays), mode, "choice {} is out of range for {} choices")
    except IndexError as error:
        raise ValueError(str(error)) from None
    shape = bv.broadcast_shapes(which.shape, *[it.shape for it in arrays])
    if out is not None and out.shape != shape:
        raise TypeError(f"out has shape {out.shape}, but the result has shape {shape}")
    if all(it.ndim == 0 for it in arrays):
        table = bv.stack([bv.astype(it, dtype, copy=False) for it in arrays], axis=0)
        return write_to(out, table[which])
    result = bv.broadcast_to(bv.astype(arrays[0], dtype, copy=False), shape=shape)
    for i, it in enumerate(arrays[1:], 1):
        result = bv.where(bv.equal(which, i), bv.astype(it, dtype, copy=False), result)
    return write_to(out, result if len(arrays) > 1 else result.copy())


def compress(condition: ArrayLike, a: ArrayLike, axis: SupportsIndex | None = None, out: Array | None = None) -> Array:
    """Returns the parts of an array along an axis where a 1-D condition is true.

    The array is flattened if there is no axis. A condition that is shorter than the axis is false after its end.

    >>> bv.compress([False, True], [[1, 2], [3, 4], [5, 6]], axis=0)
    array([[3, 4]])
    """
    x, mask = bv.asarray(a), bv.asarray(condition)
    if mask.ndim != 1:
        raise ValueError(f"condition must have 1 axis, got shape {mask.shape}")
    x, k = (flattened(x), 0) if axis is None else (x, normalized_axis(axis, x.ndim))
    if mask.size == x.shape[k]:
        mask = mask if mask.dtype == bv.bool else bv.not_equal(mask, 0)
        return write_to(out, x[(*(slice(None),) * k, mask)])
    positions = bv.nonzero(mask)[0]
    if positions.size and int(positions[-1]) >= x.shape[k]:
        raise IndexError(f"index {int(positions[-1])} is out of bounds for axis {k} with size {x.shape[k]}")
    return write_to(out, bv.take(x, positions, axis=k))


def extract(condition: ArrayLike, arr: ArrayLike) -> Array:
    """Returns the elements of the flattened array where the flattened condition is true.

    >>> bv.extract([[True, False], [False, True]], [[1, 2], [3, 4]])
    array([1, 4])
    """
    return compress(flattened(bv.asarray(condition)), flattened(bv.asarray(arr)))


def place(arr: Array, mask: ArrayLike, vals: ArrayLike) -> None:
    """Writes values, repeated if there are too few, one after another to the elements where the mask is true.

    >>> x = bv.asarray([1, 2, 3, 4])
    >>> bv.place(x, x > 1, [7, 8])
    >>> x
    array([1, 7, 8, 7])
    """
    x, where = require_array(arr, "arr"), _mask(mask, arr)
    n = int(bv.sum(where))
    values = cast(vals, x.dtype)
    if n == 0:
        return
    if values.size == 0:
        raise ValueError("cannot place values from an empty array")
    x[where] = resize(values, n)


def _mask(mask: ArrayLike, x: Array) -> Array:
    """Returns the mask with the shape of the array."""
    where = bv.astype(bv.asarray(mask), bv.bool, copy=False)
    if where.size != x.size:
        raise ValueError(f"the mask and the array must have the same size, got {where.size} and {x.size}")
    return bv.reshape(where, shape=x.shape)


def put(a: Array, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Writes values, repeated if there are too few, to positions of the flattened array.

    >>> x = bv.zeros(4)
    >>> bv.put(x, [0, 2], [7, 8])
    >>> x
    array([7., 0., 8., 0.])
    """
    x = require_array(a, "a")
    positions, values = flattened(bv.asarray(ind)), flattened(cast(v, x.dtype))
    if positions.size == 0 or values.size == 0:
        return
    positions = bv.astype(positions, bv.int64, copy=False)
    message = "index {} is out of bounds for axis 0 with size {}"
    positions = _positions(positions, x.size, mode, message, negative=True)
    x[_unraveled(positions, x.shape)] = resize(values, positions.size)


def putmask(a: Array, mask: ArrayLike, values: ArrayLike) -> None:
    """Writes values to the elements where the mask is true: each to its own position, repeated if there are too few.

    >>> x = bv.arange(5)
    >>> bv.putmask(x, x > 1, [-1, -2])
    >>> x
    array([ 0,  1, -1, -2, -1])
    """
    x = require_array(a, "a")
    where, source = _mask(mask, x), cast(values, x.dtype)
    if source.size:
        spread = bv.broadcast_to(source, shape=x.shape) if source.size == 1 else resize(source, x.shape)
        x[...] = bv.where(where, spread, x)


def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> Array:
    """Returns the elements of the first choice whose condition is true, or the default.

    >>> x = bv.arange(5)
    >>> bv.select([x < 2, x > 3], [x, x * 10], -1)
    array([ 0,  1, -1, -1, 40])
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"select needs as many conditions as choices, got {len(condlist)} and {len(choicelist)}")
    if not condlist:
        raise ValueError("select needs at least one condition")
    conditions = as_arrays(condlist)
    for i, it in enumerate(conditions):
        if it.dtype != bv.bool:
            raise TypeError(f"condition {i} must have dtype bool, got {it.dtype.name}")
    values = [*choicelist, default]
    weak = [it if is_python_scalar(it) else bv.asarray(it).dtype for it in values]
    dtype = bv.result_type(*weak)
    # As in NumPy, a Python scalar out of range wraps around.
    arrays = [bv.astype(bv.asarray(it), dtype, copy=False) for it in values]
    shape = bv.broadcast_shapes(*[it.shape for it in conditions], *[it.shape for it in arrays])
    result = bv.broadcast_to(arrays.pop(), shape=shape)
    for condition, it in zip(reversed(conditions), reversed(arrays)):
        result = bv.where(condition, it, result)
    return result


def piecewise(
    x: ArrayLike,
    condlist: ArrayLike | Sequence[ArrayLike],
    funclist: Sequence[Callable[..., Any] | complex],
    *args: Any,
    **kw: Any,
) -> Array:
    """Evaluates a function, or a constant, on the elements of each condition; a further one is for all others.

    >>> x = bv.asarray([-2.0, 0.0, 3.0])
    >>> bv.piecewise(x, [x < 0, x >= 0], [lambda x: -x, lambda x: x * 10])
    array([ 2.,  0., 30.])
    """
    operand = bv.asarray(x)
    is_one = isinstance(condlist, bool) or (
        not isinstance(condlist[0], (list, tuple)) and bv.asarray(condlist[0]).ndim == 0 and operand.ndim != 0
    )
    conditions = [bv.astype(bv.asarray(it), bv.bool, copy=False) for it in ([condlist] if is_one else condlist)]
    n, n_functions = len(conditions), len(funclist)
    if n_functions == n + 1:
        rest = conditions[0]
        for it in conditions[1:]:
            rest = bv.logical_or(rest, it)
        conditions.append(bv.logical_not(rest))
    elif n_functions != n:
        raise ValueError(f"with {n} conditions, either {n} or {n + 1} functions are expected, got {n_functions}")
    result = bv.zeros_like(operand)
    for mask, function in zip(conditions, funclist):
        if not callable(function):
            result[mask] = cast(function, result.dtype)
            continue
        values = operand[mask]
        if values.size:
            result[mask] = cast(function(values, *args, **kw), result.dtype)
    return result


def lexsort(keys: Sequence[ArrayLike] | Array, axis: SupportsIndex = -1) -> Array:
    """Returns the positions that sort by several keys along an axis; the last key is the first to compare.

    >>> bv.lexsort(([9, 4, 0, 4], [1, 5, 1, 4]))
    array([2, 0, 3, 1])
    """
    if not isinstance(keys, (list, tuple, bv.Array)):
        keys = bv.asarray(keys)
    if isinstance(keys, bv.Array) and keys.ndim == 0 or len(keys) == 0:
        raise TypeError("lexsort needs a sequence of at least one key")
    arrays = as_arrays(keys)
    if any(it.shape != arrays[0].shape for it in arrays):
        raise ValueError(f"all keys must have the same shape, got {[it.shape for it in arrays]}")
    if arrays[0].ndim == 0:
        return bv.asarray(0)
    k = normalized_axis(axis, arrays[0].ndim)
    order = bv.argsort(arrays[0], axis=k, stable=True)
    for key in arrays[1:]:
        finer = bv.argsort(bv.take_along_axis(key, order, axis=k), axis=k, stable=True)
        order = bv.take_along_axis(order, finer, axis=k)
    return order


def sort_complex(a: ArrayLike) -> Array:
    """Sorts along the last axis by the real part, then the imaginary part; the result is complex.

    >>> bv.sort_complex([3, 1, 2])
    array([1.+0.j, 2.+0.j, 3.+0.j])
    """
    x = bv.sort(bv.asarray(a), axis=-1)
    if x.dtype.kind == "c":
        return x
    small = x.dtype.kind in "iu" and x.dtype.itemsize <= 2
    return bv.astype(x, bv.complex64 if small else bv.complex128)


def ravel_multi_index(
    multi_index: Sequence[ArrayLike] | Array, dims: Shape, mode: str | Sequence[str] = "raise", order: str = "C"
) -> Array:
    """Converts indices, one array for each axis, to positions in the flattened array.

    >>> bv.ravel_multi_index(([0, 1], [2, 0]), (2, 3))
    array([2, 3])
    """
    shape, arrays = as_shape(dims), as_arrays(multi_index)
    if len(arrays) != len(shape):
        raise ValueError(f"multi_index must be a sequence of length {len(shape)}, got {len(arrays)}")
    modes = [mode] * len(shape) if isinstance(mode, str) else list(mode)
    if len(modes) != len(shape):
        raise ValueError(f"mode must be one word or {len(shape)} words, got {len(modes)}")
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}")
    total: Any = bv.zeros((), dtype=bv.int64)
    stride = 1
    for k in reversed(range(len(shape))) if order == "C" else range(len(shape)):
        it = _integer_positions(arrays[k])
        try:
            it = _positions(it, shape[k], modes[k], "index {} is out of range for an axis of length {}")
        except IndexError as error:
            raise ValueError(str(error)) from None
        total = bv.add(total, it if stride == 1 else bv.multiply(it, stride)) if stride > 1 else it
        stride *= shape[k] if shape[k] > 0 else 1
    return total


def _integer_positions(x: Array) -> Array:
    if x.dtype.kind not in "iub":
        raise TypeError(f"indices must have an integer dtype, got {x.dtype.name}")
    return bv.astype(x, bv.int64, copy=False)


def unravel_index(indices: ArrayLike, shape: Shape, order: str = "C") -> tuple[Array, ...]:
    """Converts positions in the flattened array to indices, one array for each axis.

    >>> bv.unravel_index([2, 3], (2, 3))
    (array([0, 1]), array([2, 0]))
    """
    lengths = as_shape(shape)
    positions = _integer_positions(bv.asarray(indices))
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}")
    size = math.prod(lengths)
    if positions.size:
        least, greatest = int(bv.min(positions)), int(bv.max(positions))
        if least < 0 or greatest >= size:
            wrong = least if least < 0 else greatest
            raise ValueError(f"index {wrong} is out of bounds for array with size {size}")
    if order == "F":
        return tuple(reversed(_unraveled(positions, tuple(reversed(lengths)))))
    return _unraveled(positions, lengths)


def _unraveled(positions: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Returns the indices of positions that are in range."""
    result: list[Array] = []
    for k in reversed(range(len(shape))):
        if k == 0:
            result.append(positions)
            break
        rest = bv.floor_divide(positions, max(shape[k], 1))
        result.append(bv.subtract(positions, bv.multiply(rest, shape[k])))
        positions = rest
    return tuple(reversed(result))
