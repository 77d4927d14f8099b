"""Elementwise functions that are composed of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import write_to
from .operands import as_floats, as_same_floats, in_blocks, write_results

if TYPE_CHECKING:
    from .._native import Array
    from .._types import ArrayLike, DTypeLike

    Output = Array | tuple[Array | None] | None
    Outputs = tuple[Array | None, Array | None] | None

__all__ = [
    "bitwise_count",
    "divmod",
    "fabs",
    "fix",
    "float_power",
    "frexp",
    "isneginf",
    "isposinf",
    "ldexp",
    "logaddexp2",
    "modf",
    "spacing",
]

#: The signed integer dtype of the bits, the mantissa's bits without the leading one, and the exponent's bias.
_FORMATS = {
    bv.bfloat16: (bv.int16, 7, 127),
    bv.float16: (bv.int16, 10, 15),
    bv.float32: (bv.int32, 23, 127),
    bv.float64: (bv.int64, 52, 1023),
}

_LOG2_E = 1.4426950408889634


def divmod(
    x1: ArrayLike, x2: ArrayLike, /, out: Outputs = None, *, where: ArrayLike | bool = True
) -> tuple[Array, Array]:
    """Returns the quotients, rounded down, and the remainders.

    >>> bv.divmod(7, bv.asarray([2, -2]))
    (array([ 3, -4]), array([ 1, -1]))
    """
    results = bv.floor_divide(x1, x2), bv.remainder(x1, x2)
    return write_results(out, results, where=where)  # type: ignore[return-value]


def fabs(
    x: ArrayLike, /, out: Output = None, *, where: ArrayLike | bool = True, dtype: DTypeLike | None = None
) -> Array:
    """Returns the absolute values as floats; complex dtypes are refused.

    >>> bv.fabs(bv.asarray([-1, 2]))
    array([1., 2.])
    """
    return write_to(out, bv.abs(as_floats(x, "fabs", dtype)), where=where, broadcasts=True)


def fix(x: ArrayLike, out: Array | None = None) -> Array:
    """Rounds to the nearest integer towards zero; the dtype is kept.

    >>> bv.fix(bv.asarray([2.7, -2.7]))
    array([ 2., -2.])
    """
    x = bv.asarray(x)
    return write_to(out, x.copy() if x.dtype == bv.bool else bv.trunc(x))


def float_power(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Output = None,
    *,
    where: ArrayLike | bool = True,
    dtype: DTypeLike | None = None,
) -> Array:
    """Raises to a power in ``float64`` or ``complex128``, so that integers have negative powers.

    >>> bv.float_power(bv.asarray([1, 2, 4]), -1)
    array([1.  , 0.5 , 0.25])
    """
    x1, x2 = bv.asarray(x1), bv.asarray(x2)
    is_complex = x1.dtype.kind == "c" or x2.dtype.kind == "c"
    wide = bv.complex128 if is_complex else bv.float64
    if dtype is not None and wide != dtype:
        raise UnsupportedError(f"float_power has a result of dtype {wide.name}, not of {dtype}")
    return write_to(out, bv.pow(x1.astype(wide, copy=False), x2.astype(wide, copy=False)), where=where, broadcasts=True)


def isneginf(x: ArrayLike, out: Array | None = None) -> Array:
    """Returns whether elements are minus infinity.

    >>> bv.isneginf(bv.asarray([-bv.inf, 0.0, bv.inf]))
    array([ True, False, False])
    """
    return write_to(out, _is_infinity(x, -bv.inf, "isneginf"))


def isposinf(x: ArrayLike, out: Array | None = None) -> Array:
    """Returns whether elements are plus infinity.

    >>> bv.isposinf(bv.asarray([-bv.inf, 0.0, bv.inf]))
    array([False, False,  True])
    """
    return write_to(out, _is_infinity(x, bv.inf, "isposinf"))


def _is_infinity(x: ArrayLike, value: float, function: str) -> Array:
    x = bv.asarray(x)
    if x.dtype.kind == "c":
        raise UnsupportedError(f"{function} is not supported for {x.dtype.name}: complex infinities have no sign")
    return bv.equal(x, value) if x.dtype.kind == "f" else bv.zeros(x.shape, dtype=bv.bool)


def frexp(
    x: ArrayLike, /, out: Outputs = None, *, where: ArrayLike | bool = True, dtype: DTypeLike | None = None
) -> tuple[Array, Array]:
    """Returns mantissas, at least 0.5 and below 1 in absolute value, and exponents: ``x == mantissa * 2**exponent``.

    >>> bv.frexp(bv.asarray([8.0, -0.75]))
    (array([ 0.5 , -0.75]), array([4, 0], dtype=int32))
    """
    x = as_floats(x, "frexp", dtype)
    integers, width, bias = _FORMATS[x.dtype]
    ones = 2 * bias + 1
    bits = x.view(integers)
    exponents = bits >> width
    exponents &= ones
    if x.size and not (0 < bv.min(exponents) and bv.max(exponents) < ones):
        return write_results(out, _frexp_of_any(x), where=where)  # type: ignore[return-value]
    mantissas = bits & ~(ones << width)
    mantissas |= (bias - 1) << width
    exponents -= bias - 1
    results = mantissas.view(x.dtype), exponents.astype(bv.int32, copy=False)
    return write_results(out, results, where=where)  # type: ignore[return-value]


def _frexp_of_any(x: Array) -> tuple[Array, Array]:
    """Returns the mantissas and exponents, also of zeros, subnormal and non-finite numbers."""
    integers, width, bias = _FORMATS[x.dtype]
    ones = 2 * bias + 1
    is_plain = bv.isfinite(x) & (x != 0)
    is_small = bv.abs(x) < 2.0 ** (1 - bias)
    # Subnormal numbers are scaled to normal ones, which is exact.
    bits = bv.where(is_small, x * 2.0 ** (width + 1), x).view(integers)
    exponents = ((bits >> width) & ones) - (bias - 1) - bv.where(is_small, width + 1, 0).astype(integers)
    mantissas = (bits & ~(ones << width) | (bias - 1) << width).view(x.dtype)
    return bv.where(is_plain, mantissas, x), bv.where(is_plain, exponents, 0).astype(bv.int32)


def ldexp(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Output = None,
    *,
    where: ArrayLike | bool = True,
    dtype: DTypeLike | None = None,
) -> Array:
    """Returns ``x1 * 2**x2``, rounded once.

    >>> bv.ldexp(0.75, bv.asarray([1, 2, 3]))
    array([1.5, 3. , 6. ])
    """
    x1, x2 = as_floats(x1, "ldexp", dtype), bv.asarray(x2)
    if not bv.can_cast(x2.dtype, bv.int64):
        raise UnsupportedError(f"ldexp needs exponents that fit into int64, got {x2.dtype.name}")
    exponents = x2.astype(bv.int64, copy=False)
    if x1.dtype != bv.float64:
        # Products with powers of two are exact in float64, so that the cast is the only rounding.
        powers = _power_of_two(bv.clip(exponents, -400, 400))
        return write_to(out, (x1.astype(bv.float64) * powers).astype(x1.dtype), where=where, broadcasts=True)
    if exponents.size == 0 or (-1022 <= bv.min(exponents) and bv.max(exponents) <= 1023):
        return write_to(out, x1 * _power_of_two(exponents), where=where, broadcasts=True)
    # The mantissa is scaled in two steps, of which the first is exact.
    mantissas, own = frexp(x1)
    exponents = bv.clip(bv.clip(exponents, -4096, 4096) + own.astype(bv.int64), -1076, 1026)
    half = exponents >> 1
    return write_to(out, mantissas * _power_of_two(half) * _power_of_two(exponents - half), where=where, broadcasts=True)


def _power_of_two(exponents: Array) -> Array:
    """Returns ``2.0 ** exponents`` for ``int64`` exponents of normal numbers."""
    bits = exponents + 1023
    bits <<= 52
    return bits.view(bv.float64)


def modf(
    x: ArrayLike, /, out: Outputs = None, *, where: ArrayLike | bool = True, dtype: DTypeLike | None = None
) -> tuple[Array, Array]:
    """Returns the fractional and the integral parts, both with the sign of ``x``.

    >>> bv.modf(bv.asarray([1.5, -0.25]))
    (array([ 0.5 , -0.25]), array([ 1., -0.]))
    """
    x = as_floats(x, "modf", dtype)
    integral = bv.trunc(x)
    # Infinities have the fraction zero.
    fraction = bv.copysign(bv.where(bv.isinf(x), 0.0, x - integral), x)
    return write_results(out, (fraction, integral), where=where)  # type: ignore[return-value]


def logaddexp2(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Output = None,
    *,
    where: ArrayLike | bool = True,
    dtype: DTypeLike | None = None,
) -> Array:
    """Returns ``log2(2**x1 + 2**x2)``, without overflow of the powers.

    >>> bv.logaddexp2(bv.asarray([1.0, 1000.0]), 1.0)
    array([   2., 1000.])
    """
    x1, x2 = as_same_floats(x1, x2, "logaddexp2", dtype)
    own = x1.dtype
    if own.itemsize == 2:
        x1, x2 = x1.astype(bv.float32), x2.astype(bv.float32)
    larger = bv.maximum(x1, x2) + bv.log1p(bv.exp2(-bv.abs(x1 - x2))) * _LOG2_E
    # The difference of equal infinities is NaN.
    result = bv.where(x1 == x2, x1 + 1.0, larger)
    return write_to(out, result.astype(own, copy=False), where=where, broadcasts=True)


def spacing(
    x: ArrayLike, /, out: Output = None, *, where: ArrayLike | bool = True, dtype: DTypeLike | None = None
) -> Array:
    """Returns the distance to the next number away from zero, with the sign of ``x``: one unit in the last place.

    >>> bv.spacing(bv.asarray([1.0, -4.0]))
    array([ 2.22044605e-16, -8.88178420e-16])
    """
    x = as_floats(x, "spacing", dtype)
    integers = _FORMATS[x.dtype][0]
    # The bits of the next number are the next integer; the sum of zero makes -0.0 positive.
    return write_to(out, ((x + 0.0).view(integers) + 1).view(x.dtype) - x, where=where, broadcasts=True)


def bitwise_count(
    x: ArrayLike, /, out: Output = None, *, where: ArrayLike | bool = True, dtype: DTypeLike | None = None
) -> Array:
    """Counts the bits that are 1 in the absolute value of integers; the result is ``uint8``.

    >>> bv.bitwise_count(bv.asarray([0, 7, -8]))
    array([0, 3, 1], dtype=uint8)
    """
    x = bv.asarray(x)
    if dtype is not None and bv.uint8 != dtype:
        raise UnsupportedError(f"bitwise_count has a result of dtype uint8, not of {dtype}")
    if x.dtype == bv.bool:
        return write_to(out, x.astype(bv.uint8), where=where, broadcasts=True)
    if x.dtype.kind not in "iu":
        raise UnsupportedError(f"bitwise_count needs an integer dtype, got {x.dtype.name}")
    return write_to(out, in_blocks(_population_count, x), where=where, broadcasts=True)


_UNSIGNED = {8: bv.uint8, 16: bv.uint16, 32: bv.uint32, 64: bv.uint64}


def _population_count(x: Array) -> Array:
    """Sums the bits of groups of 2, 4 and 8 bits side by side, then the bytes by a product."""
    bits = 8 * x.itemsize
    if x.dtype.kind == "i":
        x = bv.abs(x).view(_UNSIGNED[bits])

    def repeat(pattern: int) -> int:
        return pattern * ((1 << bits) - 1) // 0xFF

    odd = x >> 1
    odd &= repeat(0x55)
    x = x - odd
    odd = x >> 2
    odd &= repeat(0x33)
    x &= repeat(0x33)
    x += odd
    x += x >> 4
    x &= repeat(0x0F)
    if bits > 8:
        x *= repeat(0x01)
        x >>= bits - 8
    return x.astype(bv.uint8, copy=False)
