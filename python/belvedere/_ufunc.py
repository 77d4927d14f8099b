"""The methods of elementwise functions: ``bv.add.reduce``, ``bv.maximum.accumulate``, ``bv.add.at`` and others.

Functions with a kernel for a method call that; the others apply the function to slices.
"""

from __future__ import annotations

import inspect
import math

from . import _native as bv
from ._functions.common import normalized_axes, write_to

#: Functions whose reduction or accumulation has a kernel.
REDUCTIONS = {
    "add": bv.sum,
    "logical_and": bv.all,
    "logical_or": bv.any,
    "maximum": bv.max,
    "minimum": bv.min,
    "multiply": bv.prod,
}
ACCUMULATIONS = {
    "add": bv.cumulative_sum,
    "maximum": bv.cummax,
    "minimum": bv.cummin,
    "multiply": bv.cumulative_prod,
}

#: What the reduction of no elements gives. The functions are associative and commutative.
IDENTITIES = {
    "add": 0,
    "bitwise_and": -1,
    "bitwise_or": 0,
    "bitwise_xor": 0,
    "gcd": 0,
    "hypot": 0.0,
    "logaddexp": -math.inf,
    "logical_and": True,
    "logical_or": False,
    "logical_xor": False,
    "multiply": 1,
}

#: Functions that may be applied in any order, but have no identity.
WITHOUT_IDENTITY = {"fmax", "fmin", "lcm", "maximum", "minimum"}

#: Comparisons: their results are bools, so only bools can be reduced by them.
COMPARISONS = {"equal", "greater", "greater_equal", "less", "less_equal", "not_equal"}

#: The two kinds of signatures, by the number of operands.
SIGNATURES = {
    1: inspect.signature(
        lambda x, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True: None
    ),
    2: inspect.signature(
        lambda x1, x2, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True: None
    ),
}


class _Documentation:
    """The docstring of the class, and of each of its objects."""

    def __init__(self, of_class):
        self.of_class = of_class

    def __get__(self, ufunc, class_=None):
        return self.of_class if ufunc is None else ufunc._doc


bv.ufunc.__doc__ = _Documentation(bv.ufunc.__doc__)


def signature(ufunc):
    return SIGNATURES[ufunc.nin]


def identity(ufunc):
    return IDENTITIES.get(ufunc.__name__)


def reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    _check_binary(ufunc, "reduce")
    x = bv.asarray(array)
    _check_reducible(ufunc, x)
    name = ufunc.__name__
    if name in REDUCTIONS:
        given = {"axis": axis, "keepdims": keepdims}
        if dtype is not None and name in ("add", "multiply"):
            given["dtype"] = dtype
        elif dtype is not None:
            x = bv.astype(x, dtype, copy=False)
        if initial is not None:
            given["initial"] = initial
        if where is not True:
            given["where"] = where
        if initial is None or name not in ("logical_and", "logical_or"):
            return write_to(out, REDUCTIONS[name](x, **given))
    if where is not True:
        x, initial = _masked(name, x, where, initial)
    if dtype is not None:
        x = bv.astype(x, dtype, copy=False)
    axes = normalized_axes(axis, x.ndim)
    is_reorderable = _is_reorderable(ufunc)
    if len(axes) > 1 and not is_reorderable:
        raise ValueError(f"{name}.reduce over several axes depends on their order: give one axis")
    result = bv.moveaxis(x, axes, tuple(range(len(axes))))
    result = bv.reshape(result, (math.prod(result.shape[: len(axes)]), *result.shape[len(axes) :]))
    result = _reduce_rows(ufunc, result, is_reorderable)
    if initial is not None:
        result = ufunc(initial, result)
    if keepdims:
        result = bv.expand_dims(result, axis=tuple(sorted(axes)))
    return write_to(out, result)


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    _check_binary(ufunc, "accumulate")
    x = bv.asarray(array)
    if x.ndim == 0:
        raise TypeError("accumulate needs at least one axis, got a 0-d array")
    _check_reducible(ufunc, x)
    name = ufunc.__name__
    if name in ACCUMULATIONS and (x.dtype.kind != "c" or name in ("add", "multiply")):
        given = {} if dtype is None else {"dtype": dtype}
        if name in ("maximum", "minimum"):
            given, x = {}, x if dtype is None else bv.astype(x, dtype, copy=False)
        return write_to(out, ACCUMULATIONS[name](x, axis=axis, **given))
    if dtype is not None:
        x = bv.astype(x, dtype, copy=False)
    rows = bv.moveaxis(x, axis, 0)
    if rows.shape[0] == 0:
        return write_to(out, bv.asarray(x, copy=True))
    first = ufunc(rows[:1], rows[:1])
    parts = [bv.astype(rows[0, ...], first.dtype)]
    for row in range(1, rows.shape[0]):
        parts.append(ufunc(parts[-1], rows[row, ...]))
    return write_to(out, bv.stack(parts, axis=axis))


def reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    _check_binary(ufunc, "reduceat")
    x = bv.moveaxis(bv.asarray(array), axis, 0)
    starts = bv.asarray(indices).tolist()
    for start in starts:
        if not 0 <= start < x.shape[0]:
            raise IndexError(f"index {start} is out of range for {x.shape[0]} elements")
    ends = [*starts[1:], x.shape[0]]
    parts = [
        reduce(ufunc, x[start:end] if start < end else x[start : start + 1], dtype=dtype)
        for start, end in zip(starts, ends)
    ]
    return write_to(out, bv.stack(parts, axis=axis))


def outer(ufunc, a, b, /, **kwargs):
    _check_binary(ufunc, "outer")
    a, b = bv.asarray(a), bv.asarray(b)
    return ufunc(bv.reshape(a, (*a.shape, *(1,) * b.ndim)), b, **kwargs)


def at(ufunc, a, indices, b=None, /):
    if (b is None) != (ufunc.nin == 1):
        raise ValueError(f"{ufunc.__name__}.at needs {ufunc.nin} operands, the array included")
    if not isinstance(a, bv.Array):
        raise TypeError(f"{ufunc.__name__}.at writes to an array, got {type(a).__name__}")
    if ufunc.__name__ == "add" and a.dtype.kind != "b":
        values = b if isinstance(b, (int, float, complex)) else bv.asarray(b)
        if bv.result_type(a, values) == a.dtype:
            return a._add_at(_index(indices), values)
    # The positions in the flattened array that the function is applied to, in order.
    positions = bv.reshape(bv.arange(a.size), a.shape)[_index(indices)]
    values = b
    if isinstance(b, (bool, int, float, complex)):
        # A Python number has the dtype that it has beside the array.
        values = bv.asarray(b, dtype=bv.result_type(a, b))
    if b is not None:
        values = bv.reshape(bv.broadcast_to(bv.asarray(values), positions.shape), (-1,))
    positions = bv.reshape(positions, (-1,))
    flat = bv.reshape(a, (-1,))
    # Refuses a result that the array cannot hold.
    ufunc(*(flat[:0],) if values is None else (flat[:0], values[:0]), out=flat[:0])
    order = bv.argsort(positions, stable=True)
    positions = bv.take(positions, order, axis=0)
    values = None if values is None else bv.take(values, order, axis=0)
    # How often the same position came before.
    counts = bv.arange(positions.size) - bv.searchsorted(positions, positions)
    if values is not None and _is_reorderable(ufunc):
        positions, values = _combine(ufunc, positions, values, counts)
        flat[positions] = ufunc(bv.take(flat, positions, axis=0), values)
    else:
        _apply_in_order(ufunc, flat, positions, values, counts)
    if not bv.shares_memory(flat, a):
        a[...] = bv.reshape(flat, a.shape)


def _combine(ufunc, positions, values, counts):
    """Combines the values of equal positions, in pairs: as many passes as the logarithm of the largest number."""
    while positions.size and int(bv.max(counts)) > 0:
        (first,) = bv.nonzero(counts % 2 == 0)
        second = bv.clip(first + 1, 0, positions.size - 1)
        has_second = (second > first) & (positions[second] == positions[first])
        combined = ufunc(values[first], values[second])
        values = bv.where(has_second, combined, bv.astype(values[first], combined.dtype))
        positions, counts = positions[first], counts[first] // 2
    return positions, values


def _apply_in_order(ufunc, flat, positions, values, counts):
    """Applies the function to the first occurrence of each position, then to the second, and so on."""
    order = bv.argsort(counts, stable=True)
    ends = bv.cumulative_sum(bv.bincount(counts)).tolist() if counts.size else []
    for start, end in zip([0, *ends], ends):
        chosen = order[start:end]
        at = positions[chosen]
        flat[at] = ufunc(flat[at]) if values is None else ufunc(flat[at], values[chosen])


def _index(indices):
    """Lists in an index are index arrays."""
    if isinstance(indices, tuple):
        return tuple(bv.asarray(it) if isinstance(it, list) else it for it in indices)
    return bv.asarray(indices) if isinstance(indices, list) else indices


def _is_reorderable(ufunc):
    """Whether the function is associative and commutative."""
    return ufunc.__name__ in IDENTITIES or ufunc.__name__ in WITHOUT_IDENTITY


def _check_reducible(ufunc, x):
    if ufunc.__name__ in COMPARISONS and x.dtype.kind != "b":
        raise TypeError(f"{ufunc.__name__} gives bools, so it does not reduce {x.dtype.name}")


def _check_binary(ufunc, method):
    if ufunc.nin != 2:
        raise ValueError(f"{method} needs a function of two operands, and {ufunc.__name__} has one")


def _identity_of(name, dtype):
    """The identity as a number of the dtype, or None."""
    if name == "bitwise_and" and dtype.kind in "bu":
        return True if dtype.kind == "b" else bv.iinfo(dtype).max
    return IDENTITIES.get(name)


def _masked(name, x, where, initial):
    """Replaces the elements that a mask leaves out by the identity, or by the initial value."""
    neutral = _identity_of(name, x.dtype) if initial is None else initial
    if neutral is None:
        raise ValueError(f"{name}.reduce has no identity: 'where' needs an initial value")
    return bv.where(bv.asarray(where), x, neutral), initial


def _reduce_rows(ufunc, rows, is_reorderable):
    """Applies a function between rows: in halves if the order does not matter, which takes few calls."""
    if rows.shape[0] == 0:
        dtype = ufunc(rows, rows).dtype
        neutral = _identity_of(ufunc.__name__, dtype)
        if neutral is None:
            raise ValueError(f"{ufunc.__name__}.reduce of no elements has no value")
        return bv.full(rows.shape[1:], neutral, dtype=dtype)
    if not is_reorderable:
        result = rows[0, ...]
        for row in range(1, rows.shape[0]):
            result = ufunc(result, rows[row, ...])
        return bv.asarray(result, copy=True) if rows.shape[0] == 1 else result
    if rows.shape[0] == 1:
        return bv.astype(rows[0, ...], ufunc(rows, rows).dtype)
    while rows.shape[0] > 1:
        half = rows.shape[0] // 2
        folded = ufunc(rows[:half], rows[half : 2 * half])
        if rows.shape[0] % 2:
            folded[0, ...] = ufunc(folded[0, ...], rows[-1, ...])
        rows = folded
    return rows[0, ...]
