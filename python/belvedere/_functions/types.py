"""Dtypes: NumPy's abstract types and other names, and functions that ask for or find a dtype."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from .. import _native as bv
from .common import is_python_scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array, DType
    from .._types import ArrayLike, DTypeLike

__all__ = [
    "common_type",
    "complexfloating",
    "floating",
    "generic",
    "inexact",
    "integer",
    "issubdtype",
    "min_scalar_type",
    "mintypecode",
    "number",
    "promote_types",
    "signedinteger",
    "typecodes",
    "typename",
    "unsignedinteger",
]


#: NumPy's letters of the dtypes, by kind.
typecodes: Final[dict[str, str]] = {
    "Integer": "bhil",
    "UnsignedInteger": "BHIL",
    "Float": "efd",
    "Complex": "FD",
    "AllInteger": "bBhHiIlL",
    "AllFloat": "efdFD",
    "All": "?bhilBHILefdFD",
}


class _AbstractType(type):
    """The class of abstract types: dtypes are their subclasses, arrays without axes and numbers their instances."""

    _kinds: str

    def __subclasscheck__(cls, other: Any) -> bool:
        if isinstance(other, _AbstractType):
            return type.__subclasscheck__(cls, other)
        if isinstance(other, bv.DType):
            return other.kind in cls._kinds.split()
        # A scalar type of NumPy, such as `np.float64`.
        return isinstance(other, type) and hasattr(other, "dtype") and _kind(other) in cls._kinds.split()

    def __instancecheck__(cls, value: Any) -> bool:
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        return getattr(value, "shape", None) == () and kind in cls._kinds.split()

    def __repr__(cls) -> str:
        return f"belvedere.{cls.__name__}"


def _kind(scalar_type: type) -> str:
    """Returns the letter of the kind of a scalar type, or an empty text if it is not a dtype of ours."""
    try:
        return bv.dtype(scalar_type).kind
    except TypeError:
        return ""


class generic(metaclass=_AbstractType):  # noqa: N801
    """The abstract type of all dtypes: ``issubdtype(x.dtype, generic)`` is always true."""

    _kinds = "b i u f c"

    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise TypeError(f"{cls.__name__} is an abstract type: it has no instances of its own")


class number(generic):  # noqa: N801
    """The abstract type of all dtypes but ``bool``."""

    _kinds = "i u f c"


class integer(number):  # noqa: N801
    """The abstract type of signed and unsigned integers."""

    _kinds = "i u"


class signedinteger(integer):  # noqa: N801
    """The abstract type of signed integers."""

    _kinds = "i"


class unsignedinteger(integer):  # noqa: N801
    """The abstract type of unsigned integers."""

    _kinds = "u"


class inexact(number):  # noqa: N801
    """The abstract type of real and complex floating-point numbers."""

    _kinds = "f c"


class floating(inexact):  # noqa: N801
    """The abstract type of real floating-point numbers."""

    _kinds = "f"


class complexfloating(inexact):  # noqa: N801
    """The abstract type of complex floating-point numbers."""

    _kinds = "c"


def _is_abstract(value: Any) -> bool:
    """Tests whether the value is one of NumPy's abstract types or ours."""
    return isinstance(value, _AbstractType) or (isinstance(value, type) and value.__name__ in _ABSTRACT)


_ABSTRACT = {
    it.__name__: it
    for it in (generic, number, integer, signedinteger, unsignedinteger, inexact, floating, complexfloating)
}


def issubdtype(arg1: DTypeLike | type, arg2: DTypeLike | type) -> bool:
    """Tests whether a dtype or abstract type is another one or below it.

    >>> bv.issubdtype(bv.float32, bv.floating)
    True
    >>> bv.issubdtype(bv.float32, bv.float64), bv.issubdtype(bv.integer, bv.number)
    (False, True)
    """
    below: Any = _ABSTRACT[arg1.__name__] if _is_abstract(arg1) else bv.dtype(arg1)  # type: ignore[union-attr]
    if _is_abstract(arg2):
        return issubclass(below, _ABSTRACT[arg2.__name__])  # type: ignore[union-attr]
    return below is bv.dtype(arg2)


def promote_types(type1: DTypeLike, type2: DTypeLike) -> DType:
    """Returns the smallest dtype to which both dtypes can be cast safely.

    >>> bv.promote_types(bv.int8, bv.uint8)
    belvedere.int16
    """
    return bv.result_type(bv.dtype(type1), bv.dtype(type2))


def min_scalar_type(a: ArrayLike) -> DType:
    """Returns the smallest dtype that holds the value of a scalar, or the dtype of an array.

    >>> bv.min_scalar_type(300), bv.min_scalar_type(-1), bv.min_scalar_type(2.5)
    (belvedere.uint16, belvedere.int8, belvedere.float16)
    """
    x = None if is_python_scalar(a) else bv.asarray(a)
    if x is not None and x.ndim > 0:
        return x.dtype
    value: Any = a if x is None else x.item()
    if isinstance(value, bool):
        return bv.bool
    if isinstance(value, int):
        candidates = (bv.uint8, bv.uint16, bv.uint32, bv.uint64) if value >= 0 else _SIGNED
        for dtype in candidates:
            info = bv.iinfo(dtype)
            if info.min <= value <= info.max:
                return dtype
        raise OverflowError(f"{value} does not fit in 64 bits")
    parts = (value.real, value.imag)
    largest = max((abs(it) for it in parts if math.isfinite(it)), default=0.0)
    if isinstance(value, complex):
        return bv.complex64 if largest <= bv.finfo(bv.float32).max else bv.complex128
    # As in NumPy: a value below the overflow of a type fits it, whatever its precision.
    return bv.float16 if largest < 65000 else bv.float32 if largest < 3.4e38 else bv.float64


_SIGNED = (bv.int8, bv.int16, bv.int32, bv.int64)


def common_type(*arrays: Array) -> DType:
    """Returns the inexact dtype for the elements of all arrays; integers count as ``float64``.

    >>> bv.common_type(bv.ones(2, dtype=bv.float32), bv.arange(2))
    belvedere.float64
    """
    found = bv.float16
    for it in arrays:
        dtype = it.dtype if isinstance(it, bv.Array) else bv.asarray(it).dtype
        if dtype.kind == "b":
            raise TypeError("common_type takes arrays of numbers, got dtype bool")
        found = bv.result_type(found, bv.float64 if dtype.kind in "iu" else dtype)
    return found


def mintypecode(typechars: str | Sequence[str | Array], typeset: str = "GDFgdf", default: str = "d") -> str:
    """Returns the letter of the smallest dtype of ``typeset`` that holds all of the given dtypes.

    >>> bv.mintypecode("fd")
    'd'
    """
    letters = [it if isinstance(it, str) else bv.asarray(it).dtype.char for it in typechars]
    found = {it for it in letters if it in typeset}
    if not found:
        return default
    if {"F", "d"} <= found:
        return "D"
    return min(found, key="GDFgdf".index if found <= set("GDFgdf") else typeset.index)


def typename(char: str) -> str:
    """Returns a description of the dtype with one of NumPy's letters.

    >>> bv.typename("d")
    'double precision'
    """
    return _DESCRIPTIONS[char]


_DESCRIPTIONS = {
    "?": "bool",
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "integer",
    "I": "unsigned integer",
    "l": "long integer",
    "L": "unsigned long integer",
    "q": "long long integer",
    "Q": "unsigned long long integer",
    "f": "single precision",
    "d": "double precision",
    "F": "complex single precision",
    "D": "complex double precision",
}
