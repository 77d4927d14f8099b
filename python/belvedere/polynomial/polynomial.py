"""Functions of polynomials as arrays of coefficients, the lowest power first."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .._functions.common import normalized_axis
from .._functions.operands import along, as_inexact, in_blocks
from .._functions.polynomials import least_squares
from .._functions.signal import convolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array
    from .._types import ArrayLike

    Values = ArrayLike | Sequence[Any]

__all__ = [
    "polyadd",
    "polycompanion",
    "polyder",
    "polydiv",
    "polydomain",
    "polyfit",
    "polyfromroots",
    "polygrid2d",
    "polyint",
    "polyline",
    "polymul",
    "polymulx",
    "polyone",
    "polypow",
    "polyroots",
    "polysub",
    "polytrim",
    "polyval",
    "polyval2d",
    "polyvalfromroots",
    "polyvander",
    "polyvander2d",
    "polyx",
    "polyzero",
]

#: The default domain.
polydomain = bv.asarray([-1.0, 1.0])
#: The coefficients of the polynomials 0, 1 and x.
polyzero = bv.asarray([0])
polyone = bv.asarray([1])
polyx = bv.asarray([0, 1])


def _series(*coefficients: Any) -> list[Array]:
    """Returns 1-D coefficients of one float dtype, without zeros at the end."""
    arrays = [bv.atleast_1d(as_inexact(it)) for it in coefficients]
    for it in arrays:
        if it.ndim != 1:
            raise ValueError(f"coefficients must be 1-D, got shape {it.shape}")
        if it.size == 0:
            raise ValueError("coefficients must not be empty")
    dtype = bv.result_type(*arrays)
    return [_trim(it.astype(dtype, copy=False)) for it in arrays]


def _trim(c: Array) -> Array:
    """Returns the coefficients without zeros at the end; at least one is kept."""
    if len(c) == 0 or c[-1].item() != 0:
        return c
    nonzero = bv.nonzero(c)[0]
    return c[: nonzero[-1].item() + 1] if len(nonzero) else c[:1]


def polytrim(c: Values, tol: float = 0) -> Array:
    """Returns the coefficients without those at the end whose absolute value is at most ``tol``.

    >>> bv.polynomial.polynomial.polytrim([1.0, 0.5, 1e-9], 1e-6)
    array([1. , 0.5])
    """
    if tol < 0:
        raise ValueError(f"tol must not be negative, got {tol}")
    c = bv.atleast_1d(as_inexact(c))
    kept = bv.nonzero(bv.abs(c) > tol)[0]
    return c[: kept[-1].item() + 1].copy() if len(kept) else c[:1] * 0


def polyline(off: float, scl: float) -> Array:
    """Returns the coefficients of ``off + scl x``.

    >>> bv.polynomial.polynomial.polyline(1, -1)
    array([ 1, -1])
    """
    return bv.asarray([off, scl] if scl != 0 else [off])


def polyadd(c1: Values, c2: Values) -> Array:
    """Returns the sum of two polynomials.

    >>> bv.polynomial.polynomial.polyadd([1, 2, 3], [3, 2])
    array([4., 4., 3.])
    """
    first, second = _same_length(c1, c2)
    return _trim(first + second)


def polysub(c1: Values, c2: Values) -> Array:
    """Returns the difference of two polynomials.

    >>> bv.polynomial.polynomial.polysub([1, 2, 3], [3, 2])
    array([-2.,  0.,  3.])
    """
    first, second = _same_length(c1, c2)
    return _trim(first - second)


def _same_length(c1: Any, c2: Any) -> list[Array]:
    """Returns the coefficients with zeros after the shorter ones."""
    series = _series(c1, c2)
    n = max(len(it) for it in series)
    return [bv.concat([it, bv.zeros(n - len(it), dtype=it.dtype)]) if len(it) < n else it for it in series]


def polymulx(c: Values) -> Array:
    """Returns the product of a polynomial and x.

    >>> bv.polynomial.polynomial.polymulx([1, 2])
    array([0., 1., 2.])
    """
    (c,) = _series(c)
    if len(c) == 1 and c.item() == 0:
        return c
    return bv.concat([bv.zeros(1, dtype=c.dtype), c])


def polymul(c1: Values, c2: Values) -> Array:
    """Returns the product of two polynomials.

    >>> bv.polynomial.polynomial.polymul([1, 2], [1, -2])
    array([ 1.,  0., -4.])
    """
    return _trim(convolve(*_series(c1, c2)))


def polydiv(c1: Values, c2: Values) -> tuple[Array, Array]:
    """Returns the quotient and the remainder of two polynomials.

    >>> bv.polynomial.polynomial.polydiv([1, 2, 3], [3, 2, 1])
    (array([3.]), array([-8., -4.]))
    """
    first, second = _series(c1, c2)
    n = len(second)
    if second[-1].item() == 0:
        raise ZeroDivisionError("division by the polynomial zero")
    if len(first) < n:
        return first[:1] * 0, first
    if n == 1:
        return first / second[-1], first[:1] * 0
    scale = second[-1]
    divisor = second[:-1] / scale
    rest = first.copy()
    for k in range(len(first) - n, -1, -1):
        rest[k : k + n - 1] = rest[k : k + n - 1] - divisor * rest[k + n - 1]
    return rest[n - 1 :] / scale, _trim(rest[: n - 1])


def polypow(c: Values, pow: int, maxpower: int | None = None) -> Array:
    """Returns a power of a polynomial.

    >>> bv.polynomial.polynomial.polypow([1, 1], 3)
    array([1., 3., 3., 1.])
    """
    (c,) = _series(c)
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError(f"the power must be a non-negative integer, got {pow}")
    if maxpower is not None and power > maxpower:
        raise ValueError(f"the power {power} exceeds maxpower, {maxpower}")
    result = bv.ones(1, dtype=c.dtype)
    for _ in range(power):
        result = convolve(result, c)
    return result


def polyval(x: Any, c: Values, tensor: bool = True) -> Array:
    """Evaluates polynomials at ``x``; further axes of ``c`` are several polynomials.

    With ``tensor``, each of them is evaluated at all ``x``; otherwise their axes broadcast with those of ``x``.

    >>> bv.polynomial.polynomial.polyval(bv.asarray([1.0, 2.0]), [1, 2, 3])
    array([ 6., 17.])
    """
    c = bv.atleast_1d(as_inexact(c))
    x = as_inexact(x) if bv.asarray(x).dtype == bv.bool else bv.asarray(x)
    if c.ndim == 1:
        dtype = bv.result_type(x.dtype, c.dtype)
        return in_blocks(lambda block: _horner(block.astype(dtype, copy=False), c.tolist()), x)
    if tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    result = c[-1] + x * 0
    for k in range(2, len(c) + 1):
        result = c[-k] + result * x
    return result


def _horner(x: Array, coefficients: list) -> Array:
    result = x * 0
    result += coefficients[-1]
    for it in coefficients[-2::-1]:
        result *= x
        result += it
    return result


def polyval2d(x: Values, y: Values, c: Values) -> Array:
    """Evaluates a polynomial in two variables at points ``(x, y)``.

    >>> bv.polynomial.polynomial.polyval2d(2.0, 3.0, [[1, 2], [3, 4]])
    array(37.)
    """
    x, y = bv.asarray(x), bv.asarray(y)
    if x.shape != y.shape:
        raise ValueError(f"x and y must have the same shape, got {x.shape} and {y.shape}")
    return polyval(y, polyval(x, c), tensor=False)


def polygrid2d(x: Values, y: Values, c: Values) -> Array:
    """Evaluates a polynomial in two variables at all pairs of ``x`` and ``y``.

    >>> bv.polynomial.polynomial.polygrid2d([0.0, 1.0], [0.0, 1.0], [[1, 2], [3, 4]])
    array([[ 1.,  3.],
           [ 4., 10.]])
    """
    return polyval(y, polyval(x, c))


def polyvalfromroots(x: Values, r: Values, tensor: bool = True) -> Array:
    """Evaluates the monic polynomial with the roots ``r``, the first axis of them.

    >>> bv.polynomial.polynomial.polyvalfromroots(bv.asarray([0.0, 3.0]), [1, 2])
    array([2., 2.])
    """
    r, x = bv.atleast_1d(as_inexact(r)), bv.asarray(x)
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    elif x.ndim >= r.ndim:
        raise ValueError(f"x must have fewer axes than r without tensor, got shapes {x.shape} and {r.shape}")
    return bv.prod(x - r, axis=0)


def polyder(c: Values, m: int = 1, scl: float = 1, axis: int = 0) -> Array:
    """Returns the ``m``-th derivative along an axis; each step is multiplied by ``scl``.

    >>> bv.polynomial.polynomial.polyder([1, 2, 3, 4])
    array([ 2.,  6., 12.])
    """
    c = bv.atleast_1d(as_inexact(c))
    axis = normalized_axis(axis, c.ndim)
    if operator.index(m) < 0:
        raise ValueError(f"the order of the derivative must not be negative, got {m}")
    if m == 0:
        return c
    c = bv.moveaxis(c, axis, 0)
    if m >= len(c):
        return bv.moveaxis(c[:1] * 0, 0, axis)
    for _ in range(m):
        factors = bv.arange(1, len(c), dtype=bv.real(c).dtype) * scl
        c = c[1:] * factors.reshape((-1,) + (1,) * (c.ndim - 1))
    return bv.moveaxis(c, 0, axis)


def polyint(c: Values, m: int = 1, k: Values = (), lbnd: float = 0, scl: float = 1, axis: int = 0) -> Array:
    """Returns the ``m``-th antiderivative along an axis, whose values at ``lbnd`` are the constants ``k``.

    >>> bv.polynomial.polynomial.polyint([1, 2, 3])
    array([0., 1., 1., 1.])
    """
    c = bv.atleast_1d(as_inexact(c))
    axis = normalized_axis(axis, c.ndim)
    constants = list(k) if hasattr(k, "__iter__") and getattr(k, "ndim", 1) else [k]
    if operator.index(m) < 0:
        raise ValueError(f"the order of the integral must not be negative, got {m}")
    if len(constants) > m:
        raise ValueError(f"expected at most {m} constants, got {len(constants)}")
    if getattr(lbnd, "ndim", 0) or getattr(scl, "ndim", 0):
        raise ValueError("lbnd and scl must be scalars")
    if m == 0:
        return c
    c = bv.moveaxis(c, axis, 0)
    for constant in constants + [0] * (m - len(constants)):
        shape = (-1,) + (1,) * (c.ndim - 1)
        factors = scl / bv.arange(1, len(c) + 1, dtype=bv.real(c).dtype)
        c = bv.concat([bv.zeros((1, *c.shape[1:]), dtype=c.dtype), c * factors.reshape(shape)], axis=0)
        c[along(0, c.ndim, 0)] = constant - polyval(lbnd, c)
    return bv.moveaxis(c, 0, axis)


def polyfromroots(roots: Values) -> Array:
    """Returns the coefficients of the monic polynomial with the given roots.

    >>> bv.polynomial.polynomial.polyfromroots([-1, 0, 1])
    array([ 0., -1.,  0.,  1.])
    """
    zeros = bv.asarray(roots)
    if zeros.size == 0:
        return bv.ones(1)
    (zeros,) = [as_inexact(bv.atleast_1d(zeros))]
    if zeros.ndim != 1:
        raise ValueError(f"roots must be 1-D, got shape {zeros.shape}")
    result: list = [1.0]
    for zero in sorted(zeros.tolist(), key=lambda it: (it.real, it.imag)):
        result = [low - zero * high for low, high in zip([0.0, *result], [*result, 0.0])]
    return bv.asarray(result, dtype=zeros.dtype)


def polyvander(x: Values, deg: int) -> Array:
    """Returns the powers of ``x`` from 0 to ``deg`` in a new last axis.

    >>> bv.polynomial.polynomial.polyvander([1, 2, 3], 2)
    array([[1., 1., 1.],
           [1., 2., 4.],
           [1., 3., 9.]])
    """
    if operator.index(deg) < 0:
        raise ValueError(f"deg must not be negative, got {deg}")
    x = bv.atleast_1d(as_inexact(x))
    result = bv.empty((*x.shape, deg + 1), dtype=x.dtype)
    result[..., 0] = 1
    power = x
    for k in range(1, deg + 1):
        result[..., k] = power
        power = power * x if k < deg else power
    return result


def polyvander2d(x: Values, y: Values, deg: Sequence[int]) -> Array:
    """Returns the products of the powers of ``x`` and ``y`` in a new last axis.

    >>> bv.polynomial.polynomial.polyvander2d([2.0], [3.0], [1, 1])
    array([[1., 3., 2., 6.]])
    """
    x, y = bv.broadcast_arrays(as_inexact(x), as_inexact(y))
    products = polyvander(x, deg[0])[..., :, None] * polyvander(y, deg[1])[..., None, :]
    return products.reshape((*products.shape[:-2], -1))


def polycompanion(c: Values) -> Array:
    """Returns the companion matrix, whose eigenvalues are the roots.

    >>> bv.polynomial.polynomial.polycompanion([6, 5, 1])
    array([[ 0., -6.],
           [ 1., -5.]])
    """
    (c,) = _series(c)
    if len(c) < 2:
        raise ValueError("the companion matrix needs a polynomial of degree 1 or more")
    n = len(c) - 1
    result = bv.eye(n, k=-1, dtype=c.dtype)
    result[:, -1] = result[:, -1] - c[:-1] / c[-1]
    return result


def polyroots(c: Values) -> Array:
    """Returns the sorted roots of a polynomial.

    >>> bv.polynomial.polynomial.polyroots([-1, 0, 4])
    array([-0.5,  0.5])
    """
    (c,) = _series(c)
    if len(c) < 2:
        return bv.zeros(0, dtype=c.dtype)
    if len(c) == 2:
        return -c[:1] / c[1:]
    found = bv.linalg.eigvals(polycompanion(c)[::-1, ::-1])
    values = sorted(found.tolist(), key=lambda it: (it.real, it.imag))
    if c.dtype.kind != "c" and all(it.imag == 0 for it in values):
        return bv.asarray([it.real for it in values], dtype=c.dtype)
    return bv.asarray(values, dtype=found.dtype)


def polyfit(
    x: Values,
    y: Values,
    deg: int | Sequence[int],
    rcond: float | None = None,
    full: bool = False,
    w: Values | None = None,
) -> Any:
    """Fits a polynomial by least squares; ``deg`` is the degree or the powers that it has, ``w`` weighs the residuals.

    With ``full``, a list comes with the coefficients: the sum of squared residuals, the rank, the singular values and
    ``rcond``.

    >>> bv.round(bv.polynomial.polynomial.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1) * 1000)
    array([1000., 2000.])
    """
    x, y = as_inexact(x), as_inexact(y)
    powers = sorted(deg) if hasattr(deg, "__iter__") else None  # type: ignore[arg-type]
    highest = operator.index(deg if powers is None else powers[-1])  # type: ignore[arg-type]
    if (powers[0] if powers else highest) < 0:
        raise ValueError(f"deg must not be negative, got {deg}")
    if x.ndim != 1 or x.size == 0:
        raise TypeError(f"x must be 1-D and not empty, got shape {x.shape}")
    if y.ndim not in (1, 2) or len(x) != len(y):
        raise TypeError(f"y must be 1-D or 2-D, as long as x, got shapes {x.shape} and {y.shape}")
    weights = None if w is None else as_inexact(w)
    if weights is not None and weights.shape != x.shape:
        raise TypeError(f"w must have the shape of x, {x.shape}, got {weights.shape}")
    left = polyvander(x, highest)
    left = left if powers is None else bv.take(left, bv.asarray(powers), axis=1)
    rcond = len(x) * bv.finfo(x.dtype).eps if rcond is None else rcond
    c, residuals, rank, values, _ = least_squares(left, y, weights, rcond)
    if powers is not None:
        every = bv.zeros((highest + 1, *c.shape[1:]), dtype=c.dtype)
        every[bv.asarray(powers)] = c
        c = every
    return (c, [residuals, rank, values, rcond]) if full else c
