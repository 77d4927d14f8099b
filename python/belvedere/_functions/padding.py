"""Padding: the modes that the native function does not have are composed of slices, one axis after the other."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import cast, normalized_axis

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._native import Array
    from .._types import ArrayLike

__all__ = ["pad"]

#: The keyword of each mode, and its default.
_KEYWORDS: dict[str, dict[str, Any]] = {
    "constant": {"constant_values": 0},
    "edge": {},
    "empty": {},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    "wrap": {},
}

_STATISTICS = {"maximum": bv.max, "mean": bv.mean, "median": bv.median, "minimum": bv.min}


def pad(x: ArrayLike, /, pad_width: Any, mode: str | Callable[..., Any] = "constant", **kwargs: Any) -> Array:
    """Pads every axis before and after: with constants or ramps, edges, reflections, copies or statistics.

    ``pad_width`` is one number for all sides, a pair ``(before, after)`` for all axes, a pair for each axis, or a
    dictionary of axes. The modes with their keywords:

    - ``"constant"`` with ``constant_values``, and ``"empty"``, whose values are unspecified
    - ``"edge"``, ``"wrap"``: the last element, or the elements from the other end
    - ``"reflect"``, ``"symmetric"``: mirrored at the last element, or behind it; with ``reflect_type="odd"``, the
      differences from the last element change their sign
    - ``"linear_ramp"`` with ``end_values``: linear from the last element to these values
    - ``"maximum"``, ``"mean"``, ``"median"``, ``"minimum"`` of ``stat_length`` elements next to the side, or of all
    - a function of each padded 1-D slice, its pair of widths, the axis and the keywords, which writes to the slice

    The keywords are given as ``pad_width`` is: for all sides, or for each.

    >>> bv.pad(bv.asarray([1, 2]), (1, 2), constant_values=7)
    array([7, 1, 2, 7, 7])
    >>> bv.pad(bv.asarray([1, 2, 3]), 2, "reflect")
    array([3, 2, 1, 2, 3, 2, 1])
    >>> bv.pad(bv.asarray([[1.0, 3.0]]), {1: 1}, "mean")
    array([[2., 1., 3., 2.]])
    """
    x = bv.asarray(x)
    widths = _widths(pad_width, x.ndim)
    if x.ndim == 0:
        return x.copy()
    if callable(mode):
        return _pad_by_function(x, widths, mode, kwargs)
    if mode in ("replicate", "circular"):  # PyTorch's names.
        return bv.pad(x, widths, mode, **kwargs)
    if mode not in _KEYWORDS:
        raise ValueError(f"mode must be a function or one of {', '.join(_KEYWORDS)}, got {mode!r}")
    if unknown := kwargs.keys() - _KEYWORDS[mode].keys():
        raise ValueError(f"mode {mode!r} does not take {', '.join(sorted(unknown))}")
    keywords = {**_KEYWORDS[mode], **kwargs}
    (value,) = keywords.values() or (None,)
    if mode == "constant" and isinstance(value, (bool, int, float, complex)):
        return bv.pad(x, widths, mode, constant_values=value)
    if mode == "empty" or mode in ("edge", "wrap") or value == "even":
        return bv.pad(x, widths, "constant" if mode == "empty" else mode)
    if mode in ("reflect", "symmetric"):
        if value != "odd":
            raise ValueError(f"reflect_type must be 'even' or 'odd', got {value!r}")
        for axis, pair in enumerate(widths):
            x = _reflect_odd(x, axis, pair, includes_edge=mode == "symmetric")
        return x
    for axis, (pair, given) in enumerate(zip(widths, _pairs(value, x.ndim))):
        if pair == (0, 0):
            continue
        sides = (_side(x, axis, n, it, mode, is_after) for is_after, (n, it) in enumerate(zip(pair, given)))
        before, after = sides
        x = bv.concat([before, x, after], axis=axis)
    return x if any(it != (0, 0) for it in widths) else x.copy()


def _pairs(value: Any, ndim: int) -> list[tuple[Any, Any]]:
    """Returns a pair for each axis: of one value, a pair for all axes, or a value or pair for each."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        return [(value, value)] * ndim
    values = bv.asarray(value)
    return [(before, after) for before, after in bv.broadcast_to(values, (ndim, 2)).tolist()]


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    """Returns the widths before and after each axis."""
    if isinstance(pad_width, dict):
        widths: list[tuple[Any, Any]] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            (widths[normalized_axis(axis, ndim)],) = _pairs(width, 1)
    else:
        widths = _pairs(pad_width, ndim)
    checked = [(operator.index(before), operator.index(after)) for before, after in widths]
    if any(width < 0 for pair in checked for width in pair):
        raise ValueError(f"pad_width must not be negative, got {pad_width!r}")
    return checked


def _part(x: Array, axis: int, start: int | None, stop: int | None) -> Array:
    """Returns a slice along an axis."""
    return x[(slice(None),) * axis + (slice(start, stop),)]


def _side(x: Array, axis: int, n: int, given: Any, mode: str, is_after: int) -> Array:
    """Returns ``n`` elements before or after an axis, by a mode with a value for each side."""
    shape = (*x.shape[:axis], n, *x.shape[axis + 1 :])
    if mode == "constant":
        return bv.broadcast_to(cast(given, x.dtype), shape)
    if x.shape[axis] == 0:
        if n == 0:
            return bv.empty(shape, dtype=x.dtype)
        raise ValueError(f"axis {axis} has no elements, which mode {mode!r} needs")
    if mode == "linear_ramp":
        edge = x[(slice(None),) * axis + (-1 if is_after else 0,)]
        ramp = bv.linspace(bv.asarray(given), edge, n, endpoint=False, axis=axis)
        ramp = bv.broadcast_to(ramp, shape)
        ramp = bv.flip(ramp, axis=axis) if is_after else ramp
        return bv.astype(bv.floor(ramp) if x.dtype.kind in "iu" else ramp, x.dtype)
    length = x.shape[axis] if given is None else min(operator.index(given), x.shape[axis])
    if length < 1:
        raise ValueError(f"stat_length must be positive, got {given}")
    part = _part(x, axis, -length, None) if is_after else _part(x, axis, None, length)
    value = _STATISTICS[mode](part, axis=axis, keepdims=True)
    if x.dtype.kind in "iu" and value.dtype.kind == "f":
        value = bv.round(value)
    return bv.broadcast_to(bv.astype(value, x.dtype), shape)


def _reflect_odd(x: Array, axis: int, pair: tuple[int, int], includes_edge: bool) -> Array:
    """Mirrors in both coordinates at both ends.

    The result is periodic up to a constant: after a reflection at each end, its positions differ by twice the distance
    of the mirrors, and its values by twice the difference of the last elements.
    """
    if x.dtype == bv.bool:
        return _reflect_odd(x.astype(bv.int64), axis, pair, includes_edge).astype(bv.bool)
    n = x.shape[axis]
    if n == 0 and pair != (0, 0):
        raise ValueError(f"axis {axis} has no elements to reflect")
    if n == 0 or pair == (0, 0):
        return x.copy()
    if n == 1 and not includes_edge:
        widths = [(0, 0)] * x.ndim
        widths[axis] = pair
        return bv.pad(x, widths, "edge")
    period = 2 * n if includes_edge else 2 * (n - 1)
    positions = bv.arange(-pair[0], n + pair[1])
    turns, positions = bv.floor_divide(positions, period), bv.remainder(positions, period)
    is_mirrored = positions >= n
    positions = bv.where(is_mirrored, (period - 1 if includes_edge else period) - positions, positions)
    shape = (-1, *(1,) * (x.ndim - axis - 1))
    turns, is_mirrored = bv.reshape(turns, shape), bv.reshape(is_mirrored, shape)
    first, last = _part(x, axis, 0, 1), _part(x, axis, n - 1, n)
    taken = bv.take(x, positions, axis=axis)
    values = bv.where(is_mirrored, 2 * last - taken, taken)
    return values + bv.astype(2 * turns, x.dtype) * (last - first)


def _pad_by_function(x: Array, widths: list[tuple[int, int]], function: Any, keywords: dict[str, Any]) -> Array:
    """Pads with zeros, and has a function change every padded 1-D slice in place, one axis after the other."""
    result = bv.pad(x, widths)
    for axis, pair in enumerate(widths):
        rows = bv.moveaxis(result, axis, -1)
        for index in _indices(rows.shape[:-1]):
            function(rows[index], pair, axis, keywords)
    return result


def _indices(shape: tuple[int, ...]) -> Any:
    """Yields all indices of a shape."""
    if not shape:
        yield ()
        return
    for first in range(shape[0]):
        for rest in _indices(shape[1:]):
            yield (first, *rest)
