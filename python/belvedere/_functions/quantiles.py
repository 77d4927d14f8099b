"""Quantiles: the dtypes of NumPy's results, and weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import is_python_scalar, normalized_axes, write_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array
    from .._types import ArrayLike, Axes

__all__ = ["nanpercentile", "nanquantile", "percentile", "quantile"]

#: The methods whose results are elements: they keep the dtype.
_SELECTING = {"closest_observation", "higher", "inverted_cdf", "lower", "nearest"}


def quantile(
    x: ArrayLike | Sequence[Any],
    /,
    q: ArrayLike | Sequence[Any],
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> Array:
    """Computes quantiles along axes.

    If ``q`` is an array, its axes are the first axes of the result. ``weights`` have the shape of the array, or are
    those along one axis, and need the method ``"inverted_cdf"``: the quantile is the first of the sorted elements at
    which the sum of the weights reaches the part ``q`` of their total. ``overwrite_input`` has no effect.

    >>> bv.quantile(bv.asarray([1.0, 2.0, 3.0, 4.0]), bv.asarray([0.5, 1.0]))
    array([2.5, 4. ])
    >>> bv.quantile([1, 2, 3], 0.5, method="inverted_cdf", weights=[1, 1, 4])
    array(3)
    """
    return _compute(bv.quantile, x, q, axis, out, method, keepdims, weights)


def percentile(
    x: ArrayLike | Sequence[Any],
    /,
    q: ArrayLike | Sequence[Any],
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> Array:
    """Computes percentiles along axes.

    They are the quantiles of ``q / 100``; ``quantile`` describes the parameters.

    >>> bv.percentile(bv.asarray([1.0, 2.0, 3.0]), 50)
    array(2.)
    >>> bv.percentile([[1.0, 2.0], [3.0, 4.0]], [0, 100], 1)
    array([[1., 3.],
           [2., 4.]])
    """
    if weights is not None:
        return _compute(bv.quantile, x, _fractions(q), axis, out, method, keepdims, weights)
    return _compute(bv.percentile, x, q, axis, out, method, keepdims, None)


def nanquantile(
    x: ArrayLike | Sequence[Any],
    /,
    q: ArrayLike | Sequence[Any],
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> Array:
    """Computes quantiles along axes, ignoring NaN.

    ``quantile`` describes the parameters.

    >>> bv.nanquantile(bv.asarray([1.0, bv.nan, 2.0]), 0.5)
    array(1.5)
    """
    return _compute(bv.nanquantile, x, q, axis, out, method, keepdims, weights)


def nanpercentile(
    a: ArrayLike | Sequence[Any],
    q: ArrayLike | Sequence[Any],
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> Array:
    """Computes percentiles along axes, ignoring NaN, with the same parameters as ``percentile``.

    >>> bv.nanpercentile(bv.asarray([1.0, bv.nan, 2.0, 3.0]), 50)
    array(2.)
    """
    a = bv.asarray(a)
    _check_real(a, "nanpercentile")
    return _compute(bv.nanquantile, a, _fractions(q), axis, out, method, keepdims, weights)


def _check_real(x: Array, name: str) -> None:
    """Raises an error if the elements have no order."""
    if x.dtype.kind == "c":
        raise UnsupportedError(f"{name} is not supported for {x.dtype.name}")


def _fractions(q: Any) -> Any:
    """Returns percentages as fractions. A Python scalar stays one: it does not change the dtype."""
    q = q if is_python_scalar(q) else bv.asarray(q)
    if not bool(bv.all((q >= 0) & (q <= 100)) if isinstance(q, bv.Array) else 0 <= q <= 100):
        raise ValueError("percentiles must be in the range [0, 100]")
    return q / 100


def _compute(native: Any, x: Any, q: Any, axis: Any, out: Any, method: str, keepdims: bool, weights: Any) -> Array:
    """Computes quantiles by a native function, or with weights."""
    x = bv.asarray(x)
    _check_real(x, native.__name__)
    if not is_python_scalar(q):
        q = bv.asarray(q)
    if weights is not None:
        result = _weighted(x, q, axis, method, keepdims, weights, ignores_nan=native is bv.nanquantile)
        return write_to(out, result, casting="unsafe")
    if method in _SELECTING:
        if x.dtype.kind in "iub" and x.size:
            return write_to(out, _selected(native, x, q, axis, method, keepdims), casting="unsafe")
    elif isinstance(q, bv.Array):
        # An array of quantiles takes part in type promotion.
        wide = bv.result_type(x if x.dtype.kind == "f" else bv.float64, q)
        x = bv.astype(x, wide, copy=False)
    return native(x, q, axis, out, False, method, keepdims)


def _as_lanes(x: Array, axis: Any) -> tuple[Array, tuple[int, ...]]:
    """Returns the array with the given axes as its last one, and these axes."""
    axes = normalized_axes(axis, x.ndim)
    x = bv.moveaxis(x, axes, tuple(range(x.ndim - len(axes), x.ndim)))
    n_kept = x.ndim - len(axes)
    return bv.reshape(x, (*x.shape[:n_kept], math.prod(x.shape[n_kept:]))), axes


def _with_axes(result: Array, axes: tuple[int, ...], n_first: int) -> Array:
    """Restores the reduced axes with length 1, behind the axes of the quantiles."""
    return bv.expand_dims(result, axis=tuple(sorted(n_first + k for k in axes)))


def _selected(native: Any, x: Array, q: Any, axis: Any, method: str, keepdims: bool) -> Array:
    """Selects elements of exact dtypes: the quantile of the positions is the position of the quantile."""
    lanes, axes = _as_lanes(x, axis)
    positions = bv.astype(native(bv.arange(lanes.shape[-1]), q, method=method), bv.int64)
    result = bv.take(bv.sort(lanes, axis=-1), bv.reshape(positions, (-1,)), axis=-1)
    result = bv.reshape(bv.moveaxis(result, -1, 0), (*positions.shape, *lanes.shape[:-1]))
    return _with_axes(result, axes, positions.ndim) if keepdims else result


def _weighted(x: Array, q: Any, axis: Any, method: str, keepdims: bool, weights: Any, *, ignores_nan: bool) -> Array:
    """Selects the first element at which the cumulative weight reaches a part of the total."""
    if method != "inverted_cdf":
        raise ValueError(f"only the method 'inverted_cdf' takes weights, got {method!r}")
    weights = bv.asarray(weights)
    if weights.dtype.kind == "c":
        raise TypeError(f"weights must be real numbers, got {weights.dtype.name}")
    if weights.shape != x.shape:
        axes = normalized_axes(axis, x.ndim)
        if axis is None or len(axes) != 1 or weights.shape != (x.shape[axes[0]],):
            raise ValueError(f"weights must have the shape of the array, {x.shape}, or of an axis, got {weights.shape}")
        shape = (-1, *(1,) * (x.ndim - axes[0] - 1))
        weights = bv.broadcast_to(bv.reshape(weights, shape), x.shape)
    weights = bv.astype(weights, bv.float64)
    if bool(bv.any(weights < 0)):
        raise ValueError("weights must not be negative")
    q = bv.asarray(q)
    if not bool(bv.all((q >= 0) & (q <= 1))):
        raise ValueError("quantiles must be in the range [0, 1]")
    if ignores_nan and x.dtype.kind == "f":
        weights = bv.where(bv.isnan(x), 0.0, weights)
    (lanes, axes), (weights, _) = _as_lanes(x, axis), _as_lanes(weights, axis)
    order = bv.argsort(lanes, axis=-1)
    lanes = bv.take_along_axis(lanes, order, axis=-1)
    sums = bv.cumulative_sum(bv.take_along_axis(weights, order, axis=-1), axis=-1)
    totals = sums[..., -1:]
    if not bool(bv.all(bv.isfinite(totals) & (totals > 0))):
        raise ValueError("weights must have a positive and finite sum")
    reached = sums / totals
    fractions = bv.reshape(q, (*q.shape, *(1,) * lanes.ndim))
    # Elements of weight zero at the start are never reached.
    positions = bv.count_nonzero((reached < fractions) | (reached == 0), axis=-1, keepdims=True)
    lanes = bv.broadcast_to(lanes, (*q.shape, *lanes.shape))
    result = bv.take_along_axis(lanes, bv.clip(positions, 0, lanes.shape[-1] - 1), axis=-1)[..., 0]
    if x.dtype.kind == "f" and not ignores_nan:
        # NaN is sorted last.
        result = bv.where(bv.isnan(lanes[..., -1]), bv.nan, result)
    return _with_axes(result, axes, q.ndim) if keepdims else result
