"""Questions about arrays and values: equality, kinds of numbers, contiguity."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import is_fortran_contiguous, is_python_scalar

if TYPE_CHECKING:
    from .._native import Array
    from .._types import ArrayLike

__all__ = [
    "array_equal",
    "array_equiv",
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isreal",
    "isrealobj",
    "isscalar",
    "iterable",
    "real_if_close",
]


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    """Tests whether two arrays have the same shape and equal elements.

    >>> bv.array_equal([1, 2], bv.asarray([1, 2]))
    True
    """
    try:
        x, y = bv.asarray(a1), bv.asarray(a2)
    except (TypeError, ValueError):
        return False
    if x.shape != y.shape:
        return False
    equal = bv.equal(x, y)
    if equal_nan and x.dtype.kind in "fc" and y.dtype.kind in "fc" and not bool(bv.all(equal)):
        equal = bv.logical_or(equal, bv.logical_and(bv.isnan(x), bv.isnan(y)))
    return bool(bv.all(equal))


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Tests whether two arrays have equal elements after broadcasting.

    >>> bv.array_equiv([1, 2], [[1, 2], [1, 2]])
    True
    """
    try:
        x, y = bv.asarray(a1), bv.asarray(a2)
        bv.broadcast_shapes(x.shape, y.shape)
    except (TypeError, ValueError):
        return False
    return bool(bv.all(bv.equal(x, y)))


def iscomplex(x: ArrayLike) -> Array:
    """Tests for each element whether its imaginary part is not zero.

    >>> bv.iscomplex([1, 2j])
    array([False,  True])
    """
    x = bv.asarray(x)
    return bv.not_equal(bv.imag(x), 0) if x.dtype.kind == "c" else bv.zeros(x.shape, dtype=bv.bool)


def isreal(x: ArrayLike) -> Array | bool:
    """Tests for each element whether its imaginary part is zero.

    >>> bv.isreal([1, 2j])
    array([ True, False])
    """
    if is_python_scalar(x):
        return x.imag == 0
    x = bv.asarray(x)
    return bv.equal(bv.imag(x), 0) if x.dtype.kind == "c" else bv.ones(x.shape, dtype=bv.bool)


def iscomplexobj(x: Any) -> bool:
    """Tests whether the dtype is complex, whatever the values are.

    >>> bv.iscomplexobj(1 + 0j), bv.iscomplexobj([1, 2])
    (True, False)
    """
    return (x if isinstance(x, bv.Array) else bv.asarray(x)).dtype.kind == "c"


def isrealobj(x: Any) -> bool:
    """Tests whether the dtype is not complex, whatever the values are.

    >>> bv.isrealobj(1 + 0j), bv.isrealobj([1, 2])
    (False, True)
    """
    return not iscomplexobj(x)


def isfortran(a: Array) -> bool:
    """Tests whether an array is contiguous in column-major order and not in row-major order.

    >>> bv.isfortran(bv.ones((2, 3)).T), bv.isfortran(bv.ones(3))
    (True, False)
    """
    return is_fortran_contiguous(a) and not a.is_contiguous()


def real_if_close(a: ArrayLike, tol: float = 100) -> Array:
    """Returns the real parts if all imaginary parts are close to zero, else the array.

    ``tol`` is a multiple of the machine epsilon of the dtype, or a bound itself if it is at most 1.

    >>> bv.real_if_close([2.1 + 4e-15j])
    array([2.1])
    """
    x = bv.asarray(a)
    if x.dtype.kind != "c":
        return x
    bound = tol
    if tol > 1:
        real = bv.float32 if x.dtype == bv.complex64 else bv.float64
        bound = tol * bv.finfo(real).eps
    return bv.real(x) if bool(bv.all(bv.less(bv.abs(bv.imag(x)), bound))) else x


def isscalar(element: Any) -> bool:
    """Tests whether a value is a number, a text, or an array without axes, which stands for NumPy's scalars here.

    >>> bv.isscalar(3.1), bv.isscalar(bv.arange(3)[0]), bv.isscalar([3.1])
    (True, True, False)
    """
    if isinstance(element, bv.Array):
        return element.ndim == 0
    return isinstance(element, (numbers.Number, str, bytes)) or _is_numpy_scalar(element)


def _is_numpy_scalar(element: Any) -> bool:
    """Tests for a scalar of NumPy, without importing it."""
    return any(it.__module__ == "numpy" and it.__name__ == "generic" for it in type(element).__mro__)


def iterable(y: Any) -> bool:
    """Tests whether a value can be iterated over.

    >>> bv.iterable([1, 2]), bv.iterable(2), bv.iterable(bv.asarray(2))
    (True, False, False)
    """
    try:
        iter(y)
    except TypeError:
        return False
    return True
