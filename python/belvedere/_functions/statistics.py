"""Averages, covariances and reductions that ignore NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import normalized_axes, write_to
from .operands import as_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, Axes, DTypeLike

__all__ = [
    "average",
    "corrcoef",
    "cov",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
]


def average(
    a: ArrayLike | Sequence[Any],
    axis: Axes = None,
    weights: ArrayLike | Sequence[Any] | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Array | tuple[Array, Array]:
    """Computes the average along axes, optionally weighted.

    ``weights`` has the shape of ``a``, or the lengths of ``axis``. With ``returned``, the result is a pair of the
    average and the sum of the weights.

    >>> bv.average(bv.asarray([1.0, 2.0, 4.0]), weights=bv.asarray([2, 1, 1]))
    array(2.)
    """
    a = bv.asarray(a)
    axes = None if axis is None else normalized_axes(axis, a.ndim)
    if weights is None:
        mean = bv.mean(as_numbers(a), axis=axes, keepdims=keepdims)
        if not returned:
            return mean
        n = a.size // mean.size if mean.size else 0
        return mean, bv.full(mean.shape, n, dtype=mean.dtype)
    weights = bv.asarray(weights)
    dtypes = (a.dtype, weights.dtype) if a.dtype.kind in "fc" else (a.dtype, weights.dtype, bv.float64)
    dtype = bv.result_type(*dtypes)
    if weights.shape != a.shape:
        weights = _align_weights(weights, a, axes)
    weights = weights.astype(dtype, copy=False)
    total = bv.sum(weights, axis=axes, keepdims=keepdims)
    if bool(bv.any(total == 0)):
        raise ZeroDivisionError("the weights sum to zero: they cannot be normalized")
    a = a.astype(dtype, copy=False)
    # The dot product of 1-D arrays needs no array of products.
    weighted = bv.dot(a, weights) if a.ndim == 1 and not keepdims else bv.sum(a * weights, axis=axes, keepdims=keepdims)
    result = weighted / total
    if not returned:
        return result
    return result, total if total.shape == result.shape else bv.broadcast_to(total, shape=result.shape).copy()


def _align_weights(weights: Array, a: Array, axes: tuple[int, ...] | None) -> Array:
    """Returns the weights with an axis for each axis of ``a``."""
    if axes is None:
        raise TypeError(f"axis must be given if the shapes differ: a has {a.shape}, weights {weights.shape}")
    lengths = tuple(a.shape[k] for k in axes)
    if weights.shape != lengths:
        raise ValueError(f"weights must have the shape of a along axis, {lengths}, got {weights.shape}")
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = tuple(length if k in axes else 1 for k, length in enumerate(a.shape))
    return bv.permute_dims(weights, axes=tuple(order)).reshape(shape)


def cov(
    m: ArrayLike | Sequence[Any],
    y: ArrayLike | Sequence[Any] | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | Sequence[Any] | None = None,
    aweights: ArrayLike | Sequence[Any] | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    """Estimates the covariance matrix of variables, one for each row of ``m`` (each column without ``rowvar``).

    ``fweights`` are the integer frequencies of the observations, ``aweights`` their relative weights.

    >>> bv.cov(bv.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"ddof must be an integer, got {ddof}")
    x = _variables(m, y, rowvar, dtype)
    if x.shape[0] == 0:
        return bv.empty((0, 0), dtype=x.dtype)
    if ddof is None:
        ddof = 0 if bias else 1
    weights = _observation_weights(fweights, aweights, x.shape[1])
    if weights is None:
        mean = bv.mean(x, axis=1, keepdims=True)
        factor: Any = x.shape[1] - ddof
    else:
        total = bv.sum(weights)
        if total.item() == 0:
            raise ZeroDivisionError("the weights sum to zero: they cannot be normalized")
        mean = bv.sum(x * weights, axis=1, keepdims=True) / total
        total = total.item()
        if ddof == 0 or aweights is None:
            factor = total - ddof
        else:
            factor = total - ddof * bv.sum(weights * bv.asarray(aweights)).item() / total
    x = x - mean
    other = x if weights is None else x * weights
    product = bv.matmul(x, bv.conj(other).T)
    product = product * (1 / factor if factor > 0 else bv.inf)
    return product.reshape(()) if product.shape == (1, 1) else product


def _variables(m: Any, y: Any, rowvar: bool, dtype: DTypeLike | None) -> Array:
    """Returns a new matrix with a row for each variable."""
    m = bv.asarray(m)
    if m.ndim > 2:
        raise ValueError(f"m must have at most 2 axes, got shape {m.shape}")
    if y is not None:
        y = bv.asarray(y)
        if y.ndim > 2:
            raise ValueError(f"y must have at most 2 axes, got shape {y.shape}")
    if dtype is None:
        dtype = bv.result_type(bv.float64, *(it.dtype for it in (m, y) if it is not None))
    x = bv.atleast_2d(m)
    if not rowvar and m.ndim != 1:
        x = x.T
    x = x.astype(dtype, copy=False)
    if y is None or x.shape[0] == 0:
        return x
    y = bv.atleast_2d(y).astype(dtype, copy=False)
    return bv.concat([x, y if rowvar or y.shape[0] == 1 else y.T], axis=0)


def _observation_weights(fweights: Any, aweights: Any, n: int) -> Array | None:
    """Returns the product of both weights."""
    if fweights is not None:
        fweights = _check_weights(bv.asarray(fweights, dtype=bv.float64), "fweights", n)
        if not bool(bv.all(fweights == bv.round(fweights))):
            raise TypeError("fweights must be integers")
    if aweights is not None:
        aweights = _check_weights(bv.asarray(aweights, dtype=bv.float64), "aweights", n)
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


def _check_weights(weights: Array, name: str, n: int) -> Array:
    if weights.ndim > 1:
        raise RuntimeError(f"{name} must be 1-D, got shape {weights.shape}")
    if weights.shape != (n,):
        raise RuntimeError(f"{name} must have one weight for each of the {n} observations, got shape {weights.shape}")
    if bool(bv.any(weights < 0)):
        raise ValueError(f"{name} cannot be negative")
    return weights


def corrcoef(
    x: ArrayLike | Sequence[Any],
    y: ArrayLike | Sequence[Any] | None = None,
    rowvar: bool = True,
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    """Returns the matrix of Pearson's correlation coefficients of variables, one for each row.

    >>> bv.corrcoef(bv.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviations = bv.sqrt(bv.real(c.diagonal()))
    c = c / deviations[:, None]
    c /= deviations
    # Rounding errors can exceed 1.
    if c.dtype.kind != "c":
        return bv.clip(c, -1.0, 1.0)
    c.real[...] = bv.clip(c.real, -1.0, 1.0)
    c.imag[...] = bv.clip(c.imag, -1.0, 1.0)
    return c


def nancumsum(
    a: ArrayLike | Sequence[Any],
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Computes the cumulative sum along an axis, with zero for NaN.

    >>> bv.nancumsum(bv.asarray([1.0, bv.nan, 2.0]))
    array([1., 1., 3.])
    """
    return _accumulate(bv.cumulative_sum, a, axis, dtype, out, 0)


def nancumprod(
    a: ArrayLike | Sequence[Any],
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Computes the cumulative product along an axis, with one for NaN.

    >>> bv.nancumprod(bv.asarray([2.0, bv.nan, 3.0]))
    array([2., 2., 6.])
    """
    return _accumulate(bv.cumulative_prod, a, axis, dtype, out, 1)


def _accumulate(function: Any, a: Any, axis: Any, dtype: Any, out: Any, value: int) -> Array:
    a = bv.asarray(a)
    if a.dtype.kind in "fc":
        a = bv.where(bv.isnan(a), value, a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    if out is not None and dtype is None:
        dtype = bv.asarray(out).dtype
    return write_to(out, function(as_numbers(a), axis=axis, dtype=dtype))


def nanargmax(
    a: ArrayLike | Sequence[Any],
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
) -> Array:
    """Returns the indices of the maxima along an axis, ignoring NaN.

    >>> bv.nanargmax(bv.asarray([1.0, bv.nan, 3.0]))
    array(2)
    """
    return _write_positions(out, _position(bv.argmax, bv.max, -bv.inf, a, axis, keepdims))


def nanargmin(
    a: ArrayLike | Sequence[Any],
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
) -> Array:
    """Returns the indices of the minima along an axis, ignoring NaN.

    >>> bv.nanargmin(bv.asarray([4.0, bv.nan, 3.0]))
    array(2)
    """
    return _write_positions(out, _position(bv.argmin, bv.min, bv.inf, a, axis, keepdims))


def _write_positions(out: Any, result: Array) -> Array:
    if out is not None and not bv.can_cast(bv.asarray(out).dtype, result.dtype):
        raise UnsupportedError(f"out must have the dtype {result.dtype.name}, got {bv.asarray(out).dtype.name}")
    return write_to(out, result)


def _position(position: Any, reduction: Any, worst: float, a: Any, axis: Any, keepdims: bool) -> Array:
    a = as_numbers(a)
    result = position(a, axis=axis, keepdims=keepdims)
    # The reduction propagates NaN: without one, the positions are right.
    if a.dtype.kind != "f" or not bool(bv.any(bv.isnan(reduction(a, axis=axis)))):
        return result
    is_nan = bv.isnan(a)
    if bool(bv.any(bv.all(is_nan, axis=axis))):
        raise ValueError("a slice along the axis has only NaN")
    return position(bv.where(is_nan, worst, a), axis=axis, keepdims=keepdims)
