"""Functions of sampled signals: convolution, interpolation, differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .histograms import evenly_spaced_cells, is_evenly_spaced
from .common import normalized_axes, normalized_axis
from .operands import along, as_inexact, as_numbers, in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, Axes

__all__ = ["convolve", "correlate", "ediff1d", "gradient", "interp", "unwrap"]

_MODES = {"valid": "valid", "same": "same", "full": "full", 0: "valid", 1: "same", 2: "full"}

#: From this length of the kernel on, a product with a Toeplitz matrix is faster than one with the kernel.
_TOEPLITZ_LENGTH = 5

#: The windows at the ends of a signal that are multiplied together.
_WINDOW_BLOCK = 512

#: From this number of elements on, a look at all points pays.
_MANY = 256


def convolve(
    a: ArrayLike | Sequence[Any], v: ArrayLike | Sequence[Any], mode: Literal["full", "same", "valid"] = "full"
) -> Array:
    """Returns the discrete, linear convolution of two 1-D arrays.

    ``mode`` selects all overlaps (``"full"``), as many as the longer array has elements, centered (``"same"``), or only
    the complete ones (``"valid"``). Sums of integers are exact.

    >>> bv.convolve(bv.asarray([1, 2, 3]), bv.asarray([0, 1, 5]))
    array([ 0,  1,  7, 13, 15])
    """
    a, v = bv.atleast_1d(bv.asarray(a)), bv.atleast_1d(bv.asarray(v))
    _check_signals(a, v)
    if len(v) > len(a):
        a, v = v, a
    return _correlate(a, v[::-1], mode)


def correlate(
    a: ArrayLike | Sequence[Any], v: ArrayLike | Sequence[Any], mode: Literal["valid", "same", "full"] = "valid"
) -> Array:
    """Returns the cross-correlation of two 1-D arrays: the sums of ``a[n + k] * conj(v[n])``.

    >>> bv.correlate(bv.asarray([1, 2, 3]), bv.asarray([0, 1, 5]), "full")
    array([ 5, 11, 17,  3,  0])
    """
    a, v = bv.asarray(a), bv.asarray(v)
    _check_signals(a, v)
    if v.dtype.kind == "c":
        v = bv.conj(v)
    if len(a) < len(v):
        return _correlate(v, a, mode)[::-1]
    return _correlate(a, v, mode)


def _check_signals(a: Array, v: Array) -> None:
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(f"expected 1-D arrays, got shapes {a.shape} and {v.shape}")
    if a.size == 0 or v.size == 0:
        raise ValueError(f"expected arrays with elements, got shapes {a.shape} and {v.shape}")


def _correlate(a: Array, v: Array, mode: Any) -> Array:
    """Returns the sums of ``a[n + k] * v[n]``, where ``v`` is not longer than ``a``."""
    if mode not in _MODES:
        raise ValueError(f"mode must be 'valid', 'same' or 'full', got {mode!r}")
    n = len(v)
    left, right = {"valid": (0, 0), "same": (n // 2, n - n // 2 - 1), "full": (n - 1, n - 1)}[_MODES[mode]]
    dtype = bv.result_type(a.dtype, v.dtype)
    if dtype == bv.bool:
        # The sum of bools is their disjunction.
        return _correlate(a.astype(bv.int64), v.astype(bv.int64), mode) != 0
    a, v = a.astype(dtype, copy=False), v.astype(dtype, copy=False)
    if n == 1:
        return a * v
    is_exact = dtype.kind in "iu"
    if not (is_exact or left == right == 0 or _is_finite(v)):
        # A product of a zero beside the signal and an infinity of the kernel would be NaN.
        return _correlate_at_ends(a, v, left, right)
    padded = _pad(a, left, right) if left or right else a
    if is_exact or n < _TOEPLITZ_LENGTH or len(a) < 4 * n or not _is_finite(a):
        return _correlate_windows(padded, v, left, right)
    return _correlate_in_blocks(padded, v)


def _correlate_windows(padded: Array, v: Array, left: int, right: int) -> Array:
    """Returns the valid correlation as a product of all windows with the kernel.

    The windows that begin or end in the zeros beside the signal are multiplied in blocks, by the part of the kernel that
    meets the signal: for signals as long as the kernel, half of all products are with zero.
    """
    n = len(v)
    windows = bv.sliding_window_view(padded, n)
    if left + right <= _WINDOW_BLOCK:
        return bv.matmul(windows, v)
    n_windows, end = len(windows), len(padded) - right
    parts = []
    for start in range(0, left, _WINDOW_BLOCK):
        stop = min(start + _WINDOW_BLOCK, left)
        first = left - stop + 1
        last = min(n, end - start)
        parts.append(bv.matmul(windows[start:stop, first:last], v[first:last]))
    parts.append(bv.matmul(windows[left : n_windows - right], v))
    for start in range(n_windows - right, n_windows, _WINDOW_BLOCK):
        last = end - start
        parts.append(bv.matmul(windows[start : start + _WINDOW_BLOCK, :last], v[:last]))
    return bv.concat(parts)


def _pad(a: Array, left: int, right: int) -> Array:
    """Returns a copy between zeros."""
    padded = bv.zeros(left + len(a) + right, dtype=a.dtype)
    padded[left : left + len(a)] = a
    return padded


def _is_finite(x: Array) -> bool:
    """Whether the sum is finite, and thus every element: a sum of infinities or NaN is not."""
    return bool(bv.isfinite(bv.sum(x)))


def _correlate_at_ends(a: Array, v: Array, left: int, right: int) -> Array:
    """Returns the correlation without products of elements beside the signal."""
    n = len(v)
    first = [bv.dot(a[: n - k], v[k:]) for k in range(left, 0, -1)]
    last = [bv.dot(a[len(a) - n + k :], v[: n - k]) for k in range(1, right + 1)]
    return bv.concat([bv.atleast_1d(it) for it in (*first, _correlate(a, v, "valid"), *last)])


def _correlate_in_blocks(a: Array, v: Array) -> Array:
    """Returns the valid correlation as a matrix product of overlapping blocks with a Toeplitz matrix.

    Row ``i`` of the blocks starts at ``i * step``, and column ``j`` of the matrix holds the kernel from row ``j`` on,
    so that the product is the correlation at ``i * step + j``. Up to half of the products are with zero, but a matrix
    product runs several times faster than one with a vector.
    """
    n = len(v)
    step = max(16, min(n, 256))
    n_results = len(a) - n + 1
    zeros = bv.zeros(step - 1, dtype=v.dtype)
    kernels = bv.sliding_window_view(bv.concat([zeros, v, zeros]), step)[:, ::-1].contiguous()
    n_blocks = n_results // step
    blocks = bv.sliding_window_view(a, step + n - 1)[::step][:n_blocks]
    result = bv.matmul(blocks, kernels).reshape(-1)
    if n_blocks * step == n_results:
        return result
    rest = bv.matmul(bv.sliding_window_view(a[n_blocks * step :], n), v)
    return bv.concat([result, rest])


def ediff1d(
    ary: ArrayLike | Sequence[Any],
    to_end: ArrayLike | Sequence[Any] | None = None,
    to_begin: ArrayLike | Sequence[Any] | None = None,
) -> Array:
    """Returns the differences of consecutive elements of the flattened array, with values to begin and to end with.

    >>> bv.ediff1d(bv.asarray([1, 2, 4]), to_begin=0)
    array([0, 1, 2])
    """
    x = bv.asarray(ary).reshape(-1)
    parts = [x[1:] - x[:-1]]
    for name, values in (("to_begin", to_begin), ("to_end", to_end)):
        if values is None:
            continue
        values = bv.asarray(values).reshape(-1)
        if not bv.can_cast(values.dtype, x.dtype, "same_kind"):
            raise UnsupportedError(f"cannot cast {name} from {values.dtype.name} to {x.dtype.name}")
        values = values.astype(x.dtype, copy=False)
        parts = [values, *parts] if name == "to_begin" else [*parts, values]
    return parts[0] if len(parts) == 1 else bv.concat(parts)


def gradient(
    f: ArrayLike | Sequence[Any], *varargs: Any, axis: Axes = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """Returns the gradient: central differences inside, one-sided ones at the ends.

    ``varargs`` are the spacings: one number for all axes, or a number or the coordinates for each of ``axis``.

    >>> bv.gradient(bv.asarray([1.0, 2.0, 4.0, 7.0]))
    array([1. , 1.5, 2.5, 3. ])
    """
    f = bv.asarray(f)
    if f.dtype == bv.bool and f.ndim > 0:
        raise UnsupportedError("gradient is not supported for bool")
    f = as_inexact(f)
    axes = normalized_axes(axis, f.ndim)
    spacings = _spacings(varargs, f, axes)
    if edge_order not in (1, 2):
        raise ValueError(f"edge_order must be 1 or 2, got {edge_order}")
    for k in axes:
        if f.shape[k] < edge_order + 1:
            raise ValueError(f"axis {k} needs at least {edge_order + 1} elements, got shape {f.shape}")
    results = tuple(_derivative(f, k, spacing, edge_order) for k, spacing in zip(axes, spacings))
    return results[0] if len(axes) == 1 else results


def _spacings(given: Sequence[Any], f: Array, axes: Sequence[int]) -> list[Any]:
    """Returns for each axis one spacing, or the differences of the coordinates."""
    if not given:
        return [1.0] * len(axes)
    spacings = [it if isinstance(it, (int, float)) else bv.asarray(it) for it in given]
    if len(given) == 1 and getattr(spacings[0], "ndim", 0) == 0:
        return [_number(spacings[0])] * len(axes)
    if len(given) != len(axes):
        raise TypeError(f"expected one spacing, or one for each of {len(axes)} axes, got {len(given)}")
    result = []
    for k, it in zip(axes, spacings):
        if getattr(it, "ndim", 0) == 0:
            result.append(_number(it))
            continue
        if it.ndim != 1:
            raise ValueError(f"coordinates must be 1-D, got shape {it.shape}")
        if len(it) != f.shape[k]:
            raise ValueError(f"axis {k} has {f.shape[k]} elements, got {len(it)} coordinates")
        steps = bv.diff(as_inexact(it))
        result.append(steps[0] if bool(bv.all(steps == steps[0])) else steps)
    return result


def _number(x: Any) -> Any:
    return x.item() if hasattr(x, "item") else x


def _derivative(f: Array, k: int, spacing: Any, edge_order: int) -> Array:
    """Returns the derivative along an axis."""

    def at(index: Any) -> Any:
        return along(k, f.ndim, index)

    out = bv.empty(f.shape, dtype=f.dtype)
    before, here, after = f[at(slice(None, -2))], f[at(slice(1, -1))], f[at(slice(2, None))]
    if getattr(spacing, "ndim", 0) == 0:
        inside = after - before
        inside /= 2.0 * _number(spacing)
        out[at(slice(1, -1))] = inside
        first = last = _number(spacing)
    else:
        left, right = spacing[:-1], spacing[1:]
        shape = tuple(-1 if it == k else 1 for it in range(f.ndim))
        # The weights of the second-order formula for unequal steps.
        weights = (-right / (left * (left + right)), (right - left) / (left * right), left / (right * (left + right)))
        terms = [(w.reshape(shape) * x) for w, x in zip(weights, (before, here, after))]
        out[at(slice(1, -1))] = (terms[0] + terms[1] + terms[2]).astype(f.dtype, copy=False)
        first, last = _number(spacing[0]), _number(spacing[-1])
    if edge_order == 1:
        out[at(0)] = (f[at(1)] - f[at(0)]) / first
        out[at(-1)] = (f[at(-1)] - f[at(-2)]) / last
        return out
    second, before_last = (first, last) if getattr(spacing, "ndim", 0) == 0 else (spacing[1].item(), spacing[-2].item())
    total = first + second
    weights = (-(first + total) / (first * total), total / (first * second), -first / (second * total))
    out[at(0)] = weights[0] * f[at(0)] + weights[1] * f[at(1)] + weights[2] * f[at(2)]
    total = last + before_last
    weights = (last / (before_last * total), -total / (last * before_last), (last + total) / (last * total))
    out[at(-1)] = weights[0] * f[at(-3)] + weights[1] * f[at(-2)] + weights[2] * f[at(-1)]
    return out


def interp(
    x: ArrayLike | Sequence[Any],
    xp: ArrayLike | Sequence[Any],
    fp: ArrayLike | Sequence[Any],
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Array:
    """Interpolates linearly between the points ``(xp, fp)``, where ``xp`` increases.

    Elements beyond the first or last point have the value ``left`` or ``right``, by default that of the point. With
    ``period``, the points repeat, in any order.

    >>> bv.interp(bv.asarray([0.0, 1.5, 9.0]), bv.asarray([1.0, 2.0]), bv.asarray([10.0, 20.0]))
    array([10., 15., 20.])
    """
    x = bv.asarray(x).astype(bv.float64, copy=False)
    xp = bv.asarray(xp).astype(bv.float64, copy=False)
    fp = bv.asarray(fp)
    fp = fp.astype(bv.complex128 if fp.dtype.kind == "c" else bv.float64, copy=False)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError(f"xp and fp must be 1-D, got shapes {xp.shape} and {fp.shape}")
    if len(xp) == 0:
        raise ValueError("xp must have at least one point")
    if len(xp) != len(fp):
        raise ValueError(f"xp and fp must have the same length, got {len(xp)} and {len(fp)}")
    if period is not None:
        if period == 0:
            raise ValueError("period must not be zero")
        x, xp, fp = _extend_by_period(x, xp, fp, abs(period))
        left = right = None
    return _interpolate(x, xp, fp, left, right)


def _extend_by_period(x: Array, xp: Array, fp: Array, period: float) -> tuple[Array, Array, Array]:
    """Returns positions in one period, and the sorted points with one more at both ends."""
    xp = xp % period
    order = bv.argsort(xp)
    xp, fp = bv.take(xp, order), bv.take(fp, order)
    return x % period, bv.concat([xp[-1:] - period, xp, xp[:1] + period]), bv.concat([fp[-1:], fp, fp[:1]])


def _interpolate(x: Array, xp: Array, fp: Array, left: Any, right: Any) -> Array:
    """Interpolates, block by block."""
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    if len(xp) == 1:
        return bv.where(x > xp[0], right, bv.where(x < xp[0], left, fp[0]))
    # With fewer elements than points, slopes are computed for the elements.
    slopes = _slopes(xp, fp) if len(xp) <= max(x.size, _MANY) else None
    is_uniform = x.size >= max(len(xp), _MANY) and is_evenly_spaced(xp)
    first, last = xp[0].item(), xp[-1].item()

    def interpolate(x: Array) -> Array:
        at_cells = _runs_of_sorted(xp, x)
        if at_cells is None:
            cells = evenly_spaced_cells(xp, x) if is_uniform else _cells(xp, x)

            def at_cells(table: Array) -> Array:
                return bv.take(table, cells)

        start, value = at_cells(xp[:-1]), at_cells(fp[:-1])
        slope = at_cells(slopes) if slopes is not None else (at_cells(fp[1:]) - value) / (at_cells(xp[1:]) - start)
        result = x - start
        result = result * slope
        result += value
        if not _is_finite(result):
            end, next_value = at_cells(xp[1:]), at_cells(fp[1:])
            result = _repair(result, x, (start, end), (value, next_value), slope)
        if x.size and first <= bv.min(x) and bv.max(x) < last:
            return result
        result = bv.where(x < last, result, bv.where(x > last, right, bv.where(x == last, fp[-1], x)))
        return bv.where(x < first, left, result)

    return in_blocks(interpolate, x)


def _cells(xp: Array, x: Array) -> Array:
    """Returns for each element the position of the last point that is not greater, or of the last but one."""
    return bv.clip(bv.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)


def _runs_of_sorted(xp: Array, x: Array) -> Callable[[Array], Array] | None:
    """Returns the function that repeats the entries of a table for the cells of sorted elements.

    The points between the first and the last element are searched among the elements. ``None`` if the elements are not
    sorted, or if there are more points than half of the elements.
    """
    n = x.size
    if x.ndim != 1 or n < _MANY or not bool(bv.all(x[1:] >= x[:-1])):
        return None
    first, last = _cells(xp, x[:: n - 1]).tolist()
    if last - first > n // 2:
        return None
    ends = bv.searchsorted(x, xp[first + 1 : last + 1], side="left")
    counts = bv.diff(ends, prepend=bv.asarray([0]), append=bv.asarray([n]))
    return lambda table: bv.repeat(table[first : last + 1], counts)


def _slopes(xp: Array, fp: Array) -> Array:
    return (fp[1:] - fp[:-1]) / (xp[1:] - xp[:-1])


def _repair(result: Array, x: Array, ends: tuple[Array, Array], values: tuple[Array, Array], slope: Array) -> Array:
    """Returns the result without NaN that come from points at infinity or of infinite values."""
    before, after = values
    from_right = slope * (x - ends[1]) + after
    from_right = bv.where(bv.isnan(from_right) & (before == after), before, from_right)
    result = bv.where(bv.isnan(result) & ~bv.isnan(x), from_right, result)
    return bv.where(x == ends[0], before, result)


def unwrap(
    p: ArrayLike | Sequence[Any],
    discont: float | None = None,
    axis: SupportsIndex = -1,
    *,
    period: float = 6.283185307179586,
) -> Array:
    """Adds multiples of the period, so that consecutive elements along an axis differ by at most half a period.

    Only differences of at least ``discont`` are changed; its default is half a period.

    >>> bv.unwrap(bv.asarray([0, 1, 2, -1, 0]), period=4)
    array([0, 1, 2, 3, 4])
    """
    p = as_numbers(p)
    k = normalized_axis(axis, p.ndim)
    steps = bv.diff(p, axis=k)
    dtype = bv.result_type(steps, period)
    if dtype.kind == "u":
        raise OverflowError(f"differences of {dtype.name} cannot be negative: cast to a signed dtype")
    if dtype.kind in "iu":
        high, rest = period // 2, period % 2
        is_ambiguous = rest == 0
    else:
        high, is_ambiguous = period / 2, True
    steps = steps.astype(dtype, copy=False)
    wrapped = bv.remainder(steps + high, period)
    wrapped -= high
    if is_ambiguous:
        # Half a period keeps the sign of the difference.
        wrapped = bv.where((wrapped == -high) & (steps > 0), high, wrapped)
    wrapped -= steps
    corrections = bv.where(bv.abs(steps) < (period / 2 if discont is None else discont), 0, wrapped)
    result = p.astype(dtype, copy=True)
    tail = along(k, p.ndim, slice(1, None))
    result[tail] = result[tail] + bv.cumulative_sum(corrections, axis=k).astype(dtype, copy=False)
    return result
