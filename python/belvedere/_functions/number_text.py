"""Numbers as text: in another base, and floats with the fewest digits that identify them."""

from __future__ import annotations

import math
import operator
import struct
from typing import TYPE_CHECKING, Any

from .. import _native as bv

if TYPE_CHECKING:
    from typing import SupportsIndex

    from .._native import DType

__all__ = ["base_repr", "binary_repr", "format_float_positional", "format_float_scientific"]

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def base_repr(number: SupportsIndex, base: int = 2, padding: int = 0) -> str:
    """Returns an integer as text in a base from 2 to 36, with ``padding`` zeros before it.

    >>> bv.base_repr(10, 3), bv.base_repr(-255, 16)
    ('101', '-FF')
    """
    if not 2 <= base <= 36:
        raise ValueError(f"base must be from 2 to 36, got {base}")
    n = operator.index(number)
    digits, rest = [], abs(n)
    while rest:
        rest, digit = divmod(rest, base)
        digits.append(_DIGITS[digit])
    zeros = "0" * padding if padding or digits else "0"
    return ("-" if n < 0 else "") + zeros + "".join(reversed(digits))


def binary_repr(num: SupportsIndex, width: SupportsIndex | None = None) -> str:
    """Returns an integer as binary text; with a width, a negative one is in two's complement.

    >>> bv.binary_repr(5, width=8), bv.binary_repr(-3, width=5), bv.binary_repr(-3)
    ('00000101', '11101', '-11')
    """
    n = operator.index(num)
    if width is None:
        return f"{n:b}"
    n_bits = operator.index(width)
    needed = len(f"{n:b}") if n >= 0 else len(f"{-n - 1:b}") + (1 if n < -1 else 0)
    if n_bits < needed:
        raise ValueError(f"width {n_bits} is not enough for {needed} bits")
    return f"{n & ((1 << n_bits) - 1):0{n_bits}b}"


def _round_trips(text: str, value: float, dtype: DType) -> bool:
    """Tests whether a decimal text is read as the value of the dtype."""
    letter = {"float32": "f", "float16": "e"}.get(dtype.name)
    try:
        if letter is None:
            return bv.asarray(float(text), dtype=dtype).item() == value
        return struct.unpack(letter, struct.pack(letter, float(text)))[0] == value
    except OverflowError:
        return False


def shortest(value: float, dtype: DType) -> tuple[str, int]:
    """Returns the fewest digits that identify a finite value of 0 or more, and the exponent of the first one."""
    if value == 0:
        return "0", 0
    if dtype == bv.float64:
        mantissa = repr(value).partition("e")[0]
        n = max(len(mantissa.replace(".", "").strip("0")), 1) - 1
    else:
        n = next(n for n in range(9) if _round_trips(f"{value:.{n}e}", value, dtype))
    digits, _, exponent = f"{value:.{n}e}".partition("e")
    return digits.replace(".", "").rstrip("0"), int(exponent)


def as_float(x: Any) -> tuple[float, DType]:
    """Returns a number, or an array with one element, as a Python float, and the dtype that limits its digits."""
    if isinstance(x, (float, int)) and not hasattr(x, "dtype"):
        return float(x), bv.float64
    value = bv.asarray(x)
    if value.dtype.kind != "f":
        value = bv.astype(value, bv.float64)
    return float(value.item()), value.dtype


def split_fraction(
    value: float, dtype: DType, precision: int | None, unique: bool, fractional: bool = True, min_digits: int = 0
) -> tuple[str, str]:
    """Returns the digits before and after the point of a finite value of 0 or more, in positional notation."""
    if unique:
        digits, exponent = shortest(value, dtype)
        n_fraction = max(len(digits) - 1 - exponent, 0)
        limit = precision if precision is None or fractional else max(precision - 1 - exponent, 0)
        if limit is not None and n_fraction > limit:
            return _cut(f"{value:.{limit}f}", value, min_digits)
        if n_fraction < min_digits:
            return _parts(f"{value:.{min_digits}f}")
        padded = digits.ljust(exponent + 1, "0") if exponent >= 0 else "0" * -exponent + digits
        point = max(exponent, 0) + 1
        return padded[:point], padded[point:]
    assert precision is not None
    n = precision if fractional or value == 0 else max(precision - 1 - math.floor(math.log10(value)), 0)
    return _parts(f"{value:.{n}f}")


def _cut(text: str, value: float, min_digits: int) -> tuple[str, str]:
    """Returns the digits before and after the point of a value with fewer digits than identify it.

    As in NumPy, nines that are rounded up leave no zeros behind.
    """
    whole, fraction = _parts(text.partition("e")[0])
    if float(text) > value:
        fraction = fraction.rstrip("0").ljust(min_digits, "0")
    return whole, fraction


def _parts(text: str) -> tuple[str, str]:
    whole, _, fraction = text.partition(".")
    return whole, fraction


def trimmed(whole: str, fraction: str, trim: str) -> str:
    """Joins the parts of a number with the zeros and the point that ``trim`` asks for."""
    if trim not in ("k", ".", "0", "-"):
        raise TypeError(f"trim must be one of 'k', '.', '0', '-', got {trim!r}")
    if trim != "k":
        fraction = fraction.rstrip("0")
    if not fraction and trim == "0":
        fraction = "0"
    return whole if not fraction and trim == "-" else f"{whole}.{fraction}"


def _signed(value: float, sign: bool) -> str:
    return "-" if math.copysign(1.0, value) < 0 else "+" if sign else ""


def _check(precision: int | None, unique: bool, min_digits: int | None) -> None:
    if not unique and precision is None:
        raise TypeError("precision must be given unless unique is true")
    if precision is not None and precision < 0:
        raise ValueError(f"precision must not be negative, got {precision}")
    if min_digits is not None and precision is not None and min_digits > precision:
        raise ValueError(f"min_digits must be at most precision, got {min_digits} and {precision}")


def format_float_positional(
    x: Any,
    precision: int | None = None,
    unique: bool = True,
    fractional: bool = True,
    trim: str = "k",
    sign: bool = False,
    pad_left: int | None = None,
    pad_right: int | None = None,
    min_digits: int | None = None,
) -> str:
    """Formats a float in positional notation, with the fewest digits that identify it or with ``precision`` digits.

    >>> bv.format_float_positional(bv.asarray(1e-5, dtype=bv.float32))
    '0.00001'
    >>> bv.format_float_positional(2.0, precision=3, unique=False)
    '2.000'
    """
    _check(precision, unique, min_digits)
    value, dtype = as_float(x)
    if math.isnan(value) or math.isinf(value):
        text = "nan" if math.isnan(value) else _signed(value, sign) + "inf"
        return text.rjust(pad_left or 0)
    whole, fraction = split_fraction(abs(value), dtype, precision, unique, fractional, min_digits or 0)
    text = _signed(value, sign) + trimmed(whole, fraction, trim)
    before, point, after = text.partition(".")
    return before.rjust(pad_left or 0) + point + after.ljust((pad_right or 0) + (0 if point else 1 if pad_right else 0))


def split_scientific(
    value: float, dtype: DType, precision: int | None, unique: bool, min_digits: int = 0
) -> tuple[str, str, int]:
    """Returns the first digit, the digits after the point and the exponent of a finite value of 0 or more."""
    if unique:
        digits, exponent = shortest(value, dtype)
        n = max(len(digits) - 1, min_digits)
        if n == len(digits) - 1 and (precision is None or n <= precision):
            return digits[0], digits[1:], exponent
        if precision is not None and n > precision:
            text = f"{value:.{precision}e}"
            return *_cut(text, value, min_digits), int(text.partition("e")[2])
        precision = n
    text, _, power = f"{value:.{precision}e}".partition("e")
    return *_parts(text), int(power)


def format_float_scientific(
    x: Any,
    precision: int | None = None,
    unique: bool = True,
    trim: str = "k",
    sign: bool = False,
    pad_left: int | None = None,
    exp_digits: int | None = None,
    min_digits: int | None = None,
) -> str:
    """Formats a float in scientific notation, with the fewest digits that identify it or with ``precision`` digits.

    >>> bv.format_float_scientific(123456.0, precision=3)
    '1.235e+05'
    """
    _check(precision, unique, min_digits)
    value, dtype = as_float(x)
    if math.isnan(value) or math.isinf(value):
        text = "nan" if math.isnan(value) else _signed(value, sign) + "inf"
        return text.rjust(pad_left or 0)
    whole, fraction, exponent = split_scientific(abs(value), dtype, precision, unique, min_digits or 0)
    mantissa = _signed(value, sign) + trimmed(whole, fraction, trim)
    before, point, after = mantissa.partition(".")
    n_digits = exp_digits or 2
    power = f"e{'-' if exponent < 0 else '+'}{abs(exponent):0{n_digits}d}"
    return before.rjust(pad_left or 0) + point + after + power
