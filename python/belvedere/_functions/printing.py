"""Arrays as text, with NumPy's print options.

The native ``str`` and ``repr`` have the default options. With other options they call the functions of this module.
"""

from __future__ import annotations

import contextlib
import contextvars
import math
import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .number_text import format_float_positional, format_float_scientific, split_fraction, split_scientific

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._native import Array, DType

__all__ = ["array2string", "array_repr", "array_str", "get_printoptions", "printoptions", "set_printoptions"]

_DEFAULT: dict[str, Any] = {
    "edgeitems": 3,
    "threshold": 1000,
    "floatmode": "maxprec",
    "precision": 8,
    "suppress": False,
    "linewidth": 75,
    "nanstr": "nan",
    "infstr": "inf",
    "sign": "-",
    "formatter": None,
    "legacy": False,
    "override_repr": None,
}
_options: contextvars.ContextVar[dict[str, Any]] = contextvars.ContextVar("options", default=_DEFAULT)
_native_str, _native_repr = bv.Array.__str__, bv.Array.__repr__


def get_printoptions() -> dict[str, Any]:
    """Returns the options with which arrays are printed.

    >>> bv.get_printoptions()["precision"]
    8
    """
    return dict(_options.get())


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    suppress: bool | None = None,
    nanstr: str | None = None,
    infstr: str | None = None,
    formatter: dict[str, Callable[[Any], str]] | None = None,
    sign: str | None = None,
    floatmode: str | None = None,
    *,
    legacy: Any = None,
    override_repr: Callable[[Array], str] | None = None,
) -> None:
    """Sets how arrays are printed, in the current context: NumPy's options, except ``legacy``, which has no effect.

    >>> bv.set_printoptions(precision=3)
    >>> bv.asarray([1 / 3, 2 / 3])
    array([0.333, 0.667])
    >>> bv.set_printoptions(precision=8)
    """
    given = dict(locals())
    # NumPy resets these two unless they are given.
    new = _options.get() | {"formatter": formatter, "override_repr": override_repr}
    new |= {name: value for name, value in given.items() if value is not None}
    _set(_checked(new))


def _set(options: dict[str, Any]) -> contextvars.Token[dict[str, Any]]:
    """Sets the options; from the first ones that differ from the defaults on, ``str`` and ``repr`` look at them."""
    if options != _DEFAULT:
        bv.Array.__str__ = _str  # type: ignore[method-assign]
        bv.Array.__repr__ = _repr  # type: ignore[method-assign]
    return _options.set(options)


def _str(self: Array, /) -> str:
    return _native_str(self) if _options.get() == _DEFAULT else array_str(self)


def _repr(self: Array, /) -> str:
    options = _options.get()
    if options == _DEFAULT:
        return _native_repr(self)
    return array_repr(self) if options["override_repr"] is None else options["override_repr"](self)


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    modes = ("fixed", "unique", "maxprec", "maxprec_equal")
    if options["floatmode"] not in modes:
        raise ValueError(f"floatmode must be one of {', '.join(map(repr, modes))}, got {options['floatmode']!r}")
    if options["sign"] not in (" ", "+", "-"):
        raise ValueError(f"sign must be one of ' ', '+', '-', got {options['sign']!r}")
    if isinstance(options["threshold"], str) or not isinstance(options["threshold"], (int, float)):
        raise TypeError(f"threshold must be a number, got {type(options['threshold']).__name__}")
    if math.isnan(options["threshold"]):
        raise ValueError("threshold must not be NaN: use sys.maxsize or inf to print all elements")
    if options["precision"] is not None:
        operator.index(options["precision"])
    if options["floatmode"] == "fixed" and options["precision"] is None:
        raise ValueError("floatmode 'fixed' needs a precision")
    return options


@contextlib.contextmanager
def printoptions(*args: Any, **kwargs: Any) -> Iterator[dict[str, Any]]:
    """Sets how arrays are printed within a block; the arguments are those of ``set_printoptions``.

    >>> with bv.printoptions(precision=2):
    ...     print(bv.asarray([1 / 3]))
    [0.33]
    """
    token = _options.set(_options.get())
    try:
        set_printoptions(*args, **kwargs)
        yield get_printoptions()
    finally:
        _options.reset(token)


class _FloatFormat:
    """The common format of real elements: the notation, and the digits on both sides of the point."""

    def __init__(self, values: list[float], dtype: DType, options: dict[str, Any], sign: str | None = None) -> None:
        self.options, self.dtype = options, dtype
        self.sign = options["sign"] if sign is None else sign
        self.precision = None if options["floatmode"] == "unique" else options["precision"]
        finite = [it for it in values if math.isfinite(it)]
        self.scientific = self._is_scientific([abs(it) for it in finite if it != 0])
        self.left = self.right = self.n_exponent = 0
        self.fixed = options["floatmode"] == "fixed"
        if finite:
            self._measure(finite)
        if self.sign == " " and not any(math.copysign(1, it) < 0 for it in finite):
            self.left += 1
        if len(finite) < len(values):
            # As in NumPy, there is space for both words even if only one of them occurs.
            has_sign = self.sign != "-" or any(it == -math.inf for it in values)
            longest = max(len(options["nanstr"]), len(options["infstr"]) + has_sign)
            self.left = max(self.left, longest - self.right - 1)

    def _is_scientific(self, sizes: list[float]) -> bool:
        if not sizes:
            return False
        limit = {8: 1e8, 4: 1e6, 2: 1e3}[self.dtype.itemsize]
        least = bv.asarray(1e-4, dtype=self.dtype).item()
        if max(sizes) >= limit:
            return True
        return not self.options["suppress"] and (min(sizes) < least or max(sizes) / min(sizes) > 1000)

    def _measure(self, finite: list[float]) -> None:
        wholes, fractions = [], []
        for it in finite:
            if self.scientific:
                whole, fraction, exponent = split_scientific(abs(it), self.dtype, self.precision, not self.fixed)
                self.n_exponent = max(self.n_exponent, len(str(abs(exponent))), 2)
            else:
                whole, fraction = split_fraction(abs(it), self.dtype, self.precision, not self.fixed, True)
            is_signed = math.copysign(1, it) < 0 or self.sign == "+"
            wholes.append(len(whole) + is_signed)
            fractions.append(len(fraction if self.fixed else fraction.rstrip("0")))
        self.left, self.digits = max(wholes), max(fractions)
        self.right = self.digits + (self.n_exponent + 2 if self.scientific else 0)

    def _special(self, value: float) -> str:
        if math.isnan(value):
            return ("+" if self.sign == "+" else "") + self.options["nanstr"]
        return ("-" if value < 0 else "+" if self.sign == "+" else "") + self.options["infstr"]

    def __call__(self, value: float) -> str:
        if not math.isfinite(value):
            return self._special(value).rjust(self.left + self.right + 1)
        plus, x = self.sign == "+", bv.asarray(value, dtype=self.dtype)
        unique = not self.fixed
        precision = self.digits if self.precision is not None else None
        if self.scientific:
            return format_float_scientific(
                x, precision, unique, "k", plus, self.left, self.n_exponent, min_digits=self.digits
            )
        is_padded = self.options["floatmode"] in ("fixed", "maxprec_equal")
        return format_float_positional(
            x,
            precision,
            unique,
            trim="k" if is_padded else ".",
            sign=plus,
            pad_left=self.left,
            pad_right=self.right,
            min_digits=self.digits if is_padded else None,
        )


class _ComplexFormat:
    """The format of complex elements: that of the real parts, and that of the imaginary parts with a sign."""

    def __init__(self, values: list[complex], dtype: DType, options: dict[str, Any]) -> None:
        part = bv.float32 if dtype == bv.complex64 else bv.float64
        self.real = _FloatFormat([it.real for it in values], part, options)
        self.imag = _FloatFormat([it.imag for it in values], part, options, sign="+")

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag)
        n = len(imag.rstrip())
        return self.real(value.real) + imag[:n] + "j" + imag[n:]


def _format_of(x: Array, values: list[Any], options: dict[str, Any]) -> Callable[[Any], str]:
    """Returns the function that formats the elements."""
    kind, formatter = x.dtype.kind, options["formatter"] or {}
    names = {
        "b": ("bool",),
        "i": ("int", "int_kind"),
        "u": ("int", "int_kind"),
        "f": ("float", "float_kind"),
        "c": ("complexfloat", "complex_kind"),
    }[kind]
    for name in (*reversed(names), "all"):
        if formatter.get(name) is not None:
            return formatter[name]
    if kind == "f":
        return _FloatFormat(values, x.dtype, options)
    if kind == "c":
        return _ComplexFormat(values, x.dtype, options)
    if kind == "b":
        return lambda value: str(value).rjust(5 if x.ndim else 0)
    sign = options["sign"]
    flag = "" if sign == "-" else sign if sign == "+" or all(it >= 0 for it in values) else ""
    width = max((len(f"{it:{flag}d}") for it in values), default=0)
    return lambda value: f"{value:{flag}{width}d}"


def _shown(x: Array, n_edge: int) -> Array:
    """Returns the elements that a summary shows."""
    for k in range(x.ndim):
        if x.shape[k] > 2 * n_edge:
            before = (slice(None),) * k
            last = x[(*before, slice(x.shape[k] - n_edge, None))]
            x = bv.concat([x[(*before, slice(None, n_edge))], last], axis=k)
    return x


class _Page:
    """The nested brackets of an array, broken into lines."""

    def __init__(self, x: Array, options: dict[str, Any], separator: str) -> None:
        self.shape, self.n_edge, self.separator = x.shape, options["edgeitems"], separator
        self.is_summary = x.size > options["threshold"]
        shown = _shown(x, self.n_edge) if self.is_summary else x
        self.nested = shown.tolist()
        flat = bv.reshape(shown, shape=(-1,)).tolist()
        self.format = _format_of(x, flat, options)

    def items(self, axis: int, values: list[Any]) -> list[Any]:
        """Returns the items of an axis; an ellipsis stands for those that a summary leaves out."""
        if self.is_summary and self.shape[axis] > 2 * self.n_edge:
            return [*values[: self.n_edge], ..., *values[self.n_edge :]]
        return values

    def text(self, values: Any, axis: int, indent: str, width: int) -> str:
        """Returns the text of the part below an axis; its lines begin with ``indent``."""
        n_left = len(self.shape) - axis
        if n_left == 0:
            return self.format(values)
        items = self.items(axis, values)
        if n_left == 1:
            return f"[{self.lines(items, indent, width)[len(indent) :]}]"
        parts = ["..." if it is ... else self.text(it, axis + 1, indent + " ", width - 1) for it in items]
        end = self.separator.rstrip() + "\n" * (n_left - 1)
        return f"[{(end + indent).join(parts)}]"

    def lines(self, items: list[Any], indent: str, width: int) -> str:
        """Returns the elements of the last axis in lines of a limited width."""
        limit = width - max(len(self.separator.rstrip()), 1)
        done, line = "", indent
        for i, it in enumerate(items):
            word = "..." if it is ... else self.format(it)
            if len(line) + len(word) > limit and len(line) > len(indent):
                done += line.rstrip() + "\n"
                line = indent
            line += word + (self.separator if i < len(items) - 1 else "")
        return done + line


def array2string(
    a: Array,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: dict[str, Callable[[Any], str]] | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    sign: str | None = None,
    floatmode: str | None = None,
    suffix: str = "",
    legacy: Any = None,
) -> str:
    """Returns an array as text; the print options stand for the arguments that are not given.

    >>> bv.array2string(bv.asarray([1 / 3, 2.0]), precision=2, separator=", ")
    '[0.33, 2.  ]'
    """
    given = {
        "linewidth": max_line_width,
        "precision": precision,
        "suppress": suppress_small,
        "formatter": formatter,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "sign": sign,
        "floatmode": floatmode,
    }
    options = _checked(_options.get() | {name: value for name, value in given.items() if value is not None})
    if a.size == 0:
        return "[]"
    page = _Page(a, options, separator)
    width = options["linewidth"] - len(suffix)
    return page.text(page.nested, 0, " " * (len(prefix) + 1), width)


def array_str(
    a: Array, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """Returns the elements of an array as text, as ``str`` does.

    >>> bv.array_str(bv.asarray([1.23456, 2.0]), precision=2)
    '[1.23 2.  ]'
    """
    x = bv.asarray(a)
    return _native_str(x) if x.ndim == 0 else array2string(x, max_line_width, precision, suppress_small)


def array_repr(
    arr: Array, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """Returns an array as the text of a call that creates it, as ``repr`` does.

    >>> bv.array_repr(bv.asarray([1.23456, 2.0]), precision=2)
    'array([1.23, 2.  ])'
    """
    x = bv.asarray(arr)
    options = _options.get()
    width = options["linewidth"] if max_line_width is None else max_line_width
    body = array2string(x, width, precision, suppress_small, ", ", "array(", suffix=")")
    extras = []
    if (x.size == 0 and x.shape != (0,)) or x.size > options["threshold"]:
        extras.append(f"shape={x.shape}")
    if x.size == 0 or x.dtype not in (bv.bool, bv.int64, bv.float64, bv.complex128):
        extras.append(f"dtype={x.dtype.name}")
    text = f"array({body}"
    if extras:
        text += ","
        last = len(text) - (text.rfind("\n") + 1)
        extra = ", ".join(extras)
        text += " " + extra if last + len(extra) + 2 <= width else "\n      " + extra
    return text + ")"
