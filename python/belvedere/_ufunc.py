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

#: Functions whose result is one of the operands, so that it has their dtype and does not depend on the order.
SELECTIONS = {"fmax", "fmin", "maximum", "minimum"}

#: Functions of truth values: their results are bools.
LOGICAL = {"logical_and", "logical_or", "logical_xor"}

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
    name = ufunc.__name__
    is_plain = axis == 0 and dtype is None and out is None and not keepdims and initial is None and where is True
    if is_plain and name in SELECTIONS and _is_list_of_one_kind(array):
        return _reduce_list(ufunc, array)
    x, computed = _operand(ufunc, array, dtype, out)
    if name in REDUCTIONS and (initial is None or name not in LOGICAL):
        given = {"axis": axis, "keepdims": keepdims, "out": out}
        if name in ("add", "multiply"):
            given["dtype"] = dtype
        if initial is not None:
            given["initial"] = initial
        if where is not True:
            given["where"] = where
        return REDUCTIONS[name](x, **given)
    axes = normalized_axes(axis, x.ndim)
    if len(axes) > 1 and not _is_reorderable(ufunc):
        raise ValueError(f"{name}.reduce over several axes depends on their order: give one axis")
    mask = None if where is True else bv.broadcast_to(bv.asarray(where), x.shape)
    rows, mask = (None if it is None else _as_rows(it, axes) for it in (x, mask))
    result = _reduce_rows(ufunc, rows, mask, initial, computed)
    if keepdims:
        result = bv.expand_dims(result, axis=tuple(sorted(axes)))
    return write_to(out, result, casting="unsafe")


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    _check_binary(ufunc, "accumulate")
    name = ufunc.__name__
    x, computed = _operand(ufunc, array, dtype, out)
    if x.ndim == 0:
        raise TypeError("accumulate needs at least one axis, got a 0-d array")
    if name in ACCUMULATIONS and (x.dtype.kind != "c" or name in ("add", "multiply")):
        given = {"dtype": dtype} if name in ("add", "multiply") else {}
        return write_to(out, ACCUMULATIONS[name](x, axis=axis, **given), casting="unsafe")
    result = bv.empty(x.shape, dtype=computed)
    rows, results = bv.moveaxis(x, axis, 0), bv.moveaxis(result, axis, 0)
    results[:1] = rows[:1]
    for row in range(1, rows.shape[0]):
        results[row, ...] = ufunc(results[row - 1, ...], rows[row, ...])
    return write_to(out, result, casting="unsafe")


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
    return write_to(out, bv.stack(parts, axis=axis), casting="unsafe")


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
    computed = (ufunc(flat[:0]) if values is None else ufunc(flat[:0], values[:0])).dtype
    if computed.kind == "c" and a.dtype.kind != "c":
        raise TypeError(f"cannot cast complex results to {a.dtype.name}, the dtype of the array")
    order = bv.argsort(positions, stable=True)
    positions = bv.take(positions, order, axis=0)
    values = None if values is None else bv.take(values, order, axis=0)
    # How often the same position came before.
    counts = bv.arange(positions.size) - bv.searchsorted(positions, positions)
    # Results that are cast, as float64 to an integer, are cast after every occurrence.
    if values is not None and _is_reorderable(ufunc) and computed == a.dtype:
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


def _is_list_of_one_kind(given):
    """Whether it is a list of at least two arrays of one shape and dtype."""
    if type(given) is not list or len(given) < 2 or any(type(it) is not bv.Array for it in given):
        return False
    shape, dtype = given[0].shape, given[0].dtype
    return all(it.shape == shape and it.dtype is dtype for it in given)


def _reduce_list(ufunc, arrays):
    """Reduces a list of arrays without stacking them."""
    result = ufunc(arrays[0], arrays[1])
    for array in arrays[2:]:
        result = ufunc(result, array)
    return result


def _is_reorderable(ufunc):
    """Whether the function is associative and commutative."""
    return ufunc.__name__ in IDENTITIES or ufunc.__name__ in WITHOUT_IDENTITY


def _check_binary(ufunc, method):
    if ufunc.nin != 2:
        raise ValueError(f"{method} needs a function of two operands, and {ufunc.__name__} has one")


def _operand(ufunc, array, dtype, out):
    """Returns the array in the dtype that is computed in, and the dtype of the results.

    The array is cast to ``dtype``; without it, to the dtype that it has beside ``out``, which is the first operand.
    """
    name, x = ufunc.__name__, bv.asarray(array)
    if name in COMPARISONS and x.dtype.kind != "b":
        raise TypeError(f"{name} gives bools, so it does not reduce {x.dtype.name}")
    if dtype is not None:
        dtype = bv.dtype(dtype)
        if name in COMPARISONS or name in LOGICAL:
            if dtype != bv.bool:
                raise TypeError(f"{name} gives bools, so it does not compute in {dtype.name}")
        else:
            x = bv.astype(x, dtype, copy=False)
    elif out is not None and name not in COMPARISONS and name not in LOGICAL:
        target = out[0] if isinstance(out, tuple) else out
        x = bv.astype(x, bv.result_type(x, bv.asarray(target, copy=False)), copy=False)
    empty = bv.empty(0, dtype=x.dtype)
    computed = ufunc(empty, empty).dtype
    if dtype is not None and computed != dtype:
        raise TypeError(f"{name} of {x.dtype.name} gives {computed.name}, so it does not compute in {dtype.name}")
    return x, computed


def _as_rows(x, axes):
    """Returns the array with the given axes first, as one."""
    x = bv.moveaxis(x, axes, tuple(range(len(axes))))
    return bv.reshape(x, (math.prod(x.shape[: len(axes)]), *x.shape[len(axes) :]))


def _reduce_rows(ufunc, rows, mask, initial, computed):
    """Applies a function between the rows that a mask selects, beginning with an initial value."""
    first = initial if initial is not None else IDENTITIES.get(ufunc.__name__)
    if first is not None:
        first = bv.astype(bv.asarray(first), computed)
    elif mask is not None:
        raise ValueError(f"{ufunc.__name__}.reduce has no identity: 'where' needs an initial value")
    elif rows.shape[0] == 0:
        raise ValueError(f"{ufunc.__name__}.reduce of no elements has no value")
    if _is_reorderable(ufunc):
        if mask is not None:
            rows = bv.where(mask, rows, first)
        if rows.shape[0] == 0:
            return bv.broadcast_to(first, rows.shape[1:]).copy()
        result = _reduce_halves(ufunc, rows, computed)
        return result if initial is None else ufunc(first, result)
    if first is None:
        result, rows = bv.astype(rows[0, ...], computed), rows[1:]
    else:
        result = bv.broadcast_to(first, rows.shape[1:]).copy()
    for row in range(rows.shape[0]):
        new = ufunc(result, rows[row, ...])
        result = new if mask is None else bv.where(mask[row, ...], new, result)
    return result


def _reduce_halves(ufunc, rows, computed):
    """Applies a function between rows whose order does not matter: in halves, which takes few calls."""
    rows = bv.astype(rows, computed, copy=rows.shape[0] == 1)
    while rows.shape[0] > 1:
        half = rows.shape[0] // 2
        folded = ufunc(rows[:half], rows[half : 2 * half])
        if rows.shape[0] % 2:
            folded[0, ...] = ufunc(folded[0, ...], rows[-1, ...])
        rows = folded
    return rows[0, ...]
