"""Functions with complex results where the real function is undefined: ``sqrt(-1)`` is ``1j``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native as bv
from ._functions.operands import as_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._native import Array
    from ._types import ArrayLike

    Values = ArrayLike | Sequence[Any]

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]


def _as_complex(x: Array) -> Array:
    """Returns a complex array of the same precision."""
    return x.astype(bv.complex64 if x.itemsize <= 2 or x.dtype == bv.float32 else bv.complex128)


def _complex_if(x: Values, is_outside: Callable[[Array], Array]) -> Array:
    """Returns the array, as a complex one if an element is outside the domain of the real function."""
    x = as_numbers(x)
    return _as_complex(x) if x.dtype.kind != "c" and bool(bv.any(is_outside(x))) else x


def _is_negative(x: Array) -> Array:
    return x < 0


def _is_beyond_one(x: Array) -> Array:
    return bv.abs(x) > 1


def sqrt(x: Values) -> Array:
    """Computes square roots; those of negative numbers are imaginary.

    >>> bv.emath.sqrt(bv.asarray([-1.0, 4.0]))
    array([0.+1.j, 2.+0.j])
    """
    return bv.sqrt(_complex_if(x, _is_negative))


def log(x: Values) -> Array:
    """Computes natural logarithms; those of negative numbers are complex.

    >>> bv.emath.log(bv.asarray([1.0, 1.0]))
    array([0., 0.])
    """
    return bv.log(_complex_if(x, _is_negative))


def log10(x: Values) -> Array:
    """Computes logarithms to the base 10; those of negative numbers are complex.

    >>> bv.emath.log10(bv.asarray([10.0, 100.0]))
    array([1., 2.])
    """
    return bv.log10(_complex_if(x, _is_negative))


def log2(x: Values) -> Array:
    """Computes logarithms to the base 2; those of negative numbers are complex.

    >>> bv.emath.log2(bv.asarray([2.0, 8.0]))
    array([1., 3.])
    """
    return bv.log2(_complex_if(x, _is_negative))


def logn(n: Values, x: Values) -> Array:
    """Computes logarithms to the base ``n``; those of negative numbers are complex.

    >>> bv.emath.logn(2, bv.asarray([4.0, 8.0]))
    array([2., 3.])
    """
    return log(x) / log(n)


def power(x: Values, p: Values) -> Array:
    """Computes powers; negative bases and exponents are allowed for every dtype.

    >>> bv.emath.power(bv.asarray([2, 4]), -1)
    array([0.5 , 0.25])
    """
    x, p = _complex_if(x, _is_negative), as_numbers(p)
    if p.dtype.kind in "iu" and bool(bv.any(p < 0)):
        p = p.astype(bv.float64)
    return bv.pow(x, p)


def arccos(x: Values) -> Array:
    """Computes inverse cosines; those of numbers beyond 1 are complex.

    >>> bv.emath.arccos(bv.asarray([1.0, 1.0]))
    array([0., 0.])
    """
    return bv.acos(_complex_if(x, _is_beyond_one))


def arcsin(x: Values) -> Array:
    """Computes inverse sines; those of numbers beyond 1 are complex.

    >>> bv.emath.arcsin(bv.asarray([0.0, 0.0]))
    array([0., 0.])
    """
    return bv.asin(_complex_if(x, _is_beyond_one))


def arctanh(x: Values) -> Array:
    """Computes inverse hyperbolic tangents; those of numbers beyond 1 are complex.

    >>> bv.emath.arctanh(bv.asarray([0.0, 0.0]))
    array([0., 0.])
    """
    return bv.atanh(_complex_if(x, _is_beyond_one))
