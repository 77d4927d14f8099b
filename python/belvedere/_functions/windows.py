"""Window functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .operands import as_floats, in_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array
    from .._types import ArrayLike

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]


def bartlett(M: float) -> Array:
    """Returns the Bartlett window of length ``M``: a triangle that is zero at both ends.

    >>> bv.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    short = _short(M)
    return 1 - bv.abs(_positions(M)) if short is None else short


def blackman(M: float) -> Array:
    """Returns the Blackman window of length ``M``: ``0.42 + 0.5 cos(πt) + 0.08 cos(2πt)``, t from -1 to 1.

    >>> bv.round(bv.blackman(4) * 100)
    array([-0., 63., 63., -0.])
    """
    short = _short(M)
    if short is not None:
        return short
    angles = _positions(M) * math.pi
    return 0.42 + 0.5 * bv.cos(angles) + 0.08 * bv.cos(2 * angles)


def hamming(M: float) -> Array:
    """Returns the Hamming window of length ``M``: ``0.54 + 0.46 cos(πt)``, t from -1 to 1.

    >>> bv.hamming(3)
    array([0.08, 1.  , 0.08])
    """
    short = _short(M)
    return 0.54 + 0.46 * bv.cos(_positions(M) * math.pi) if short is None else short


def hanning(M: float) -> Array:
    """Returns the Hann window of length ``M``: ``0.5 + 0.5 cos(πt)``, t from -1 to 1.

    >>> bv.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    short = _short(M)
    return 0.5 + 0.5 * bv.cos(_positions(M) * math.pi) if short is None else short


def kaiser(M: float, beta: float) -> Array:
    """Returns the Kaiser window of length ``M``: ``i0(β √(1 - t²)) / i0(β)``, t from -1 to 1.

    >>> bv.kaiser(3, 0.0)
    array([1., 1., 1.])
    """
    if M == 1:
        return bv.ones(1)
    half = (M - 1) / 2.0
    t = (bv.arange(0, M, dtype=bv.float64) - half) / half
    return i0(beta * bv.sqrt(1 - t * t)) / i0(float(beta))


def _short(M: float) -> Array | None:
    """Returns the window if it has at most one element."""
    return bv.ones(int(M == 1)) if M <= 1 else None


def _positions(M: float) -> Array:
    """Returns ``M`` equally spaced numbers from -1 to 1."""
    return bv.arange(1 - M, M, 2, dtype=bv.float64) / (M - 1)


#: The coefficients of ``i0(x) exp(-x) sqrt(x)`` for ``x >= 8`` as a polynomial in ``16 / x - 1``, lowest first.
_LARGE = (
    0.4021765094450081,
    0.0033605519836678614,
    0.00013621607438984735,
    1.1143033790932038e-05,
    1.4838476651250266e-06,
    2.9735985885673923e-07,
    8.872034383314144e-08,
    3.932584334552952e-08,
    2.1566251453104354e-08,
    7.554691881248808e-09,
    -6.8493381882867694e-09,
    -1.340891754008974e-08,
    -5.0381064879032845e-09,
    7.552583062123384e-09,
    6.560138746917057e-09,
    -3.505966530879332e-09,
    -4.575553424534973e-09,
    1.5200816953924232e-09,
    2.1968921378829006e-09,
    -5.715843864202709e-10,
    -6.633287112547084e-10,
    1.5279202694981569e-10,
    9.36508689281819e-11,
    -2.0260604287413626e-11,
)

#: The coefficients of the power series of ``i0`` in ``x**2 / 4``, lowest first.
_SMALL = tuple(1 / math.factorial(k) ** 2 for k in range(25))


def i0(x: ArrayLike | Sequence[Any]) -> Array:
    """Computes the modified Bessel function of the first kind and order zero.

    >>> bv.i0(bv.asarray([0.0, 1.0]))
    array([1.        , 1.26606588])
    """
    x = as_floats(x, "i0")
    if x.itemsize == 2:
        return in_blocks(_i0, x.astype(bv.float32)).astype(x.dtype)
    return in_blocks(_i0, x)


def _i0(x: Array) -> Array:
    """Sums the power series, of positive terms, below 8, and evaluates a polynomial from 8 on."""
    x = bv.abs(x)
    is_small = x < 8.0
    if bool(bv.all(is_small)):
        return _polynomial(_SMALL, x * x * 0.25)
    large = bv.maximum(x, 8.0)
    large = bv.exp(large) * _polynomial(_LARGE, 16.0 / large - 1.0) / bv.sqrt(large)
    small = bv.minimum(x, 8.0)
    return bv.where(is_small, _polynomial(_SMALL, small * small * 0.25), large)


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Evaluates a polynomial by Horner's rule."""
    result = x * coefficients[-1]
    for it in coefficients[-2:0:-1]:
        result += it
        result *= x
    result += coefficients[0]
    return result
