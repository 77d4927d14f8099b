"""The class of polynomials in one variable, with a domain and a window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from . import polynomial as functions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._native import Array
    from .._types import ArrayLike

    Values = ArrayLike | Sequence[Any]

#: The text of a polynomial is wrapped at this length.
_LINE_LENGTH = 75

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Polynomial:
    """A polynomial in one variable, made of its coefficients, the lowest power first.

    The argument of a call is mapped linearly from ``domain`` to ``window`` before the polynomial is evaluated.

    >>> p = bv.polynomial.Polynomial([1, 2, 3])
    >>> print(p)
    1.0 + 2.0·x + 3.0·x²
    >>> p(bv.asarray([0.0, 1.0]))
    array([1., 6.])
    """

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

    def __init__(
        self, coef: Values, domain: Values | None = None, window: Values | None = None, symbol: str = "x"
    ) -> None:
        coef = bv.atleast_1d(bv.asarray(coef))
        self.coef = coef if coef.dtype.kind in "fc" else coef.astype(bv.float64)
        if self.coef.ndim != 1 or self.coef.size == 0:
            raise ValueError(f"coefficients must be 1-D and not empty, got shape {self.coef.shape}")
        self.domain = _interval(domain, "domain")
        self.window = _interval(window, "window")
        if not symbol.isidentifier():
            raise ValueError(f"the symbol must be an identifier, got {symbol!r}")
        self._symbol = symbol

    @property
    def symbol(self) -> str:
        """The name of the variable."""
        return self._symbol

    @property
    def maxpower(self) -> int:
        """The highest power that ``**`` takes."""
        return 100

    @classmethod
    def fit(
        cls,
        x: Values,
        y: Values,
        deg: int | Sequence[int],
        domain: Values | None = None,
        rcond: float | None = None,
        full: bool = False,
        w: Values | None = None,
        window: Values | None = None,
        symbol: str = "x",
    ) -> Any:
        """Fits a polynomial by least squares; its domain is by default the range of ``x``.

        >>> p = bv.polynomial.Polynomial.fit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1)
        >>> bv.round(p.convert().coef * 1000)
        array([1000., 2000.])
        """
        x = bv.asarray(x)
        if domain is None:
            low, high = bv.min(x).item(), bv.max(x).item()
            domain = [low - 1, high + 1] if low == high else [low, high]
        elif getattr(domain, "__len__", lambda: 1)() == 0:
            domain = None
        domain, window = _interval(domain, "domain"), _interval(window, "window")
        result = functions.polyfit(_map(x, domain, window), y, deg, rcond, full, w)
        if full:
            return cls(result[0], domain, window, symbol), result[1]
        return cls(result, domain, window, symbol)

    @classmethod
    def fromroots(
        cls, roots: Values, domain: Values | None = (), window: Values | None = None, symbol: str = "x"
    ) -> Polynomial:
        """Returns the monic polynomial with the given roots.

        >>> bv.polynomial.Polynomial.fromroots([1, 2], domain=[-1, 1]).coef
        array([ 2., -3.,  1.])
        """
        roots = functions.as_inexact(bv.atleast_1d(bv.asarray(roots)))
        if domain is None:
            low, high = bv.min(bv.real(roots)).item(), bv.max(bv.real(roots)).item()
            domain = [low - 1, high + 1] if low == high else [low, high]
        elif getattr(domain, "__len__", lambda: 1)() == 0:
            domain = None
        domain, window = _interval(domain, "domain"), _interval(window, "window")
        offset, scale = _map_parameters(domain, window)
        coef = functions.polyfromroots(offset + scale * roots) / scale ** len(roots)
        return cls(coef, domain, window, symbol)

    @classmethod
    def identity(cls, domain: Values | None = None, window: Values | None = None, symbol: str = "x") -> Polynomial:
        """Returns the polynomial x.

        >>> bv.polynomial.Polynomial.identity()(3.0)
        array(3.)
        """
        domain, window = _interval(domain, "domain"), _interval(window, "window")
        offset, scale = _map_parameters(window, domain)
        return cls(functions.polyline(offset, scale), domain, window, symbol)

    @classmethod
    def basis(
        cls, deg: int, domain: Values | None = None, window: Values | None = None, symbol: str = "x"
    ) -> Polynomial:
        """Returns a power of x.

        >>> bv.polynomial.Polynomial.basis(2).coef
        array([0., 0., 1.])
        """
        if int(deg) != deg or deg < 0:
            raise ValueError(f"deg must be a non-negative integer, got {deg}")
        return cls([0] * int(deg) + [1], domain, window, symbol)

    def __call__(self, arg: Any) -> Any:
        if isinstance(arg, Polynomial):
            offset, scale = self.mapparms()
            inner = offset + scale * arg
            result = inner * 0
            for it in reversed(self.coef.tolist()):
                result = result * inner + it
            return result
        return functions.polyval(_map(bv.asarray(arg), self.domain, self.window), self.coef)

    def mapparms(self) -> tuple[Any, Any]:
        """Returns the offset and the scale of the map from the domain to the window.

        >>> bv.polynomial.Polynomial([1, 2], domain=[0, 1]).mapparms()
        (-1.0, 2.0)
        """
        return _map_parameters(self.domain, self.window)

    def degree(self) -> int:
        """Returns the degree.

        >>> bv.polynomial.Polynomial([1, 2]).degree()
        1
        """
        return len(self.coef) - 1

    def roots(self) -> Array:
        """Returns the roots.

        >>> bv.polynomial.Polynomial([-1, 0, 1]).roots()
        array([-1.,  1.])
        """
        return _map(functions.polyroots(self.coef), self.window, self.domain)

    def deriv(self, m: int = 1) -> Polynomial:
        """Returns the ``m``-th derivative.

        >>> bv.polynomial.Polynomial([1, 2, 3]).deriv().coef
        array([2., 6.])
        """
        return self._like(functions.polyder(self.coef, m, self.mapparms()[1]))

    def integ(self, m: int = 1, k: Values = (), lbnd: float | None = None) -> Polynomial:
        """Returns the ``m``-th antiderivative, whose value at ``lbnd`` is the constant ``k``.

        >>> bv.polynomial.Polynomial([1, 2]).integ().coef
        array([0., 1., 1.])
        """
        offset, scale = self.mapparms()
        bound = 0 if lbnd is None else offset + scale * lbnd
        return self._like(functions.polyint(self.coef, m, k, bound, 1 / scale))

    def linspace(self, n: int = 100, domain: Values | None = None) -> tuple[Array, Array]:
        """Returns ``n`` equally spaced points of the domain and the values there.

        >>> bv.polynomial.Polynomial([0, 1]).linspace(3)
        (array([-1.,  0.,  1.]), array([-1.,  0.,  1.]))
        """
        first, last = (self.domain if domain is None else bv.asarray(domain)).tolist()
        x = bv.linspace(first, last, n)
        return x, self(x)

    def convert(
        self, domain: Values | None = None, kind: type | None = None, window: Values | None = None
    ) -> Polynomial:
        """Returns the same polynomial with another domain and window, by default -1 to 1.

        >>> bv.polynomial.Polynomial([0, 1], domain=[0, 2]).convert().coef
        array([-1.,  1.])
        """
        kind = Polynomial if kind is None else kind
        return self(kind.identity(domain, window=window, symbol=self.symbol))  # type: ignore[attr-defined]

    def copy(self) -> Polynomial:
        """Returns a copy.

        >>> bv.polynomial.Polynomial([1, 2]).copy().coef
        array([1., 2.])
        """
        return self._like(self.coef.copy())

    def trim(self, tol: float = 0) -> Polynomial:
        """Returns the polynomial without the highest coefficients that are at most ``tol`` in absolute value.

        >>> bv.polynomial.Polynomial([1, 2, 0]).trim().coef
        array([1., 2.])
        """
        return self._like(functions.polytrim(self.coef, tol))

    def truncate(self, size: int) -> Polynomial:
        """Returns the polynomial of the first ``size`` coefficients.

        >>> bv.polynomial.Polynomial([1, 2, 3]).truncate(2).coef
        array([1., 2.])
        """
        if int(size) != size or size < 1:
            raise ValueError(f"size must be a positive integer, got {size}")
        return self._like(self.coef[: int(size)])

    def cutdeg(self, deg: int) -> Polynomial:
        """Returns the polynomial of the terms up to degree ``deg``.

        >>> bv.polynomial.Polynomial([1, 2, 3]).cutdeg(1).coef
        array([1., 2.])
        """
        return self.truncate(deg + 1)

    def has_samecoef(self, other: Polynomial) -> bool:
        """Returns whether the coefficients are equal.

        >>> bv.polynomial.Polynomial([1, 2]).has_samecoef(bv.polynomial.Polynomial([1, 2]))
        True
        """
        return len(self.coef) == len(other.coef) and bool(bv.all(self.coef == other.coef))

    def has_samedomain(self, other: Polynomial) -> bool:
        """Returns whether the domains are equal.

        >>> bv.polynomial.Polynomial([1]).has_samedomain(bv.polynomial.Polynomial([2]))
        True
        """
        return bool(bv.all(self.domain == other.domain))

    def has_samewindow(self, other: Polynomial) -> bool:
        """Returns whether the windows are equal.

        >>> bv.polynomial.Polynomial([1]).has_samewindow(bv.polynomial.Polynomial([2]))
        True
        """
        return bool(bv.all(self.window == other.window))

    def _like(self, coef: Array) -> Polynomial:
        return type(self)(coef, self.domain, self.window, self.symbol)

    def _other(self, other: Any) -> Any:
        """Returns the coefficients of the other operand."""
        if not isinstance(other, Polynomial):
            return other
        if not (self.has_samedomain(other) and self.has_samewindow(other)):
            raise TypeError("polynomials must have the same domain and window: use convert")
        if self.symbol != other.symbol:
            raise ValueError(f"polynomials must have the same symbol, got {self.symbol!r} and {other.symbol!r}")
        return other.coef

    def __neg__(self) -> Polynomial:
        return self._like(-self.coef)

    def __pos__(self) -> Polynomial:
        return self

    def __add__(self, other: Any) -> Polynomial:
        return self._like(functions.polyadd(self.coef, self._other(other)))

    def __radd__(self, other: Any) -> Polynomial:
        return self._like(functions.polyadd(other, self.coef))

    def __sub__(self, other: Any) -> Polynomial:
        return self._like(functions.polysub(self.coef, self._other(other)))

    def __rsub__(self, other: Any) -> Polynomial:
        return self._like(functions.polysub(other, self.coef))

    def __mul__(self, other: Any) -> Polynomial:
        return self._like(functions.polymul(self.coef, self._other(other)))

    def __rmul__(self, other: Any) -> Polynomial:
        return self._like(functions.polymul(other, self.coef))

    def __truediv__(self, other: Any) -> Polynomial:
        if isinstance(other, bool) or not isinstance(other, (int, float, complex)):
            raise TypeError(f"polynomials are divided by numbers with /, and by polynomials with //, got {other!r}")
        return self._like(self.coef / other)

    def __divmod__(self, other: Any) -> tuple[Polynomial, Polynomial]:
        quotient, rest = functions.polydiv(self.coef, self._other(other))
        return self._like(quotient), self._like(rest)

    def __rdivmod__(self, other: Any) -> tuple[Polynomial, Polynomial]:
        quotient, rest = functions.polydiv(other, self.coef)
        return self._like(quotient), self._like(rest)

    def __floordiv__(self, other: Any) -> Polynomial:
        return self.__divmod__(other)[0]

    def __rfloordiv__(self, other: Any) -> Polynomial:
        return self.__rdivmod__(other)[0]

    def __mod__(self, other: Any) -> Polynomial:
        return self.__divmod__(other)[1]

    def __rmod__(self, other: Any) -> Polynomial:
        return self.__rdivmod__(other)[1]

    def __pow__(self, power: int) -> Polynomial:
        return self._like(functions.polypow(self.coef, power, self.maxpower))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Polynomial)
            and self.has_samecoef(other)
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.symbol == other.symbol
        )

    def __iter__(self) -> Iterator[Array]:
        return iter(self.coef)

    def __len__(self) -> int:
        return len(self.coef)

    def __repr__(self) -> str:
        coef, domain, window = (repr(it)[6:-1] for it in (self.coef, self.domain, self.window))
        return f"Polynomial({coef}, domain={domain}, window={window}, symbol='{self.symbol}')"

    def __str__(self) -> str:
        return _text(self, is_unicode=True)

    def __format__(self, style: str) -> str:
        if style not in ("", "ascii", "unicode"):
            raise ValueError(f"the style must be 'ascii' or 'unicode', got {style!r}")
        return _text(self, is_unicode=style != "ascii")


def _interval(values: Any, name: str) -> Array:
    """Returns the two ends of an interval, by default -1 and 1."""
    if values is None:
        return functions.polydomain
    values = functions.as_inexact(values)
    if values.shape != (2,):
        raise ValueError(f"the {name} must have two elements, got shape {values.shape}")
    return values


def _map_parameters(source: Array, target: Array) -> tuple[Any, Any]:
    """Returns the offset and the scale of the linear map from one interval to another."""
    (a, b), (c, d) = source.tolist(), target.tolist()
    return (b * c - a * d) / (b - a), (d - c) / (b - a)


def _map(x: Array, source: Array, target: Array) -> Array:
    offset, scale = _map_parameters(source, target)
    return x if (offset, scale) == (0, 1) else offset + scale * x


def _text(p: Polynomial, is_unicode: bool) -> str:
    """Returns the sum of the terms, with powers of the mapped variable."""
    offset, scale = p.mapparms()
    if (offset, scale) == (0, 1):
        variable, needs_parentheses = p.symbol, False
    else:
        product = p.symbol if scale == 1 else f"{_number(scale)}{p.symbol}"
        variable = product if offset == 0 else f"{_number(offset)} + {product}"
        needs_parentheses = True
    values = p.coef.tolist()
    text = _number(values[0])
    for power, value in enumerate(values[1:], start=1):
        part = value.real or value.imag if isinstance(value, complex) else value
        sign, value = ("+", value) if part >= 0 else ("-", -value)
        number = _number(value)
        number = f"({number})" if "e" in number and not isinstance(value, complex) else number
        base = f"({variable})" if needs_parentheses else variable
        if is_unicode:
            term = f"{number}·{base}" + (f"{power}".translate(_SUPERSCRIPTS) if power > 1 else "")
        else:
            term = f"{number} {base}" + (f"**{power}" if power > 1 else "")
        # The sign of the following term ends the line.
        length = len(text.rpartition("\n")[2]) + len(f" {sign} {term}") + (2 if power < p.degree() else 0)
        text += f" {sign}\n{term}" if length >= _LINE_LENGTH else f" {sign} {term}"
    return text


def _number(value: Any) -> str:
    """Returns a coefficient with up to eight decimals."""
    if isinstance(value, complex) or value != value or value in (math.inf, -math.inf):
        return f"{value}"
    is_scientific = abs(value) >= 1e8 or 0 < abs(value) < 1e-4
    digits, e, exponent = (f"{value:.8e}" if is_scientific else f"{value:.8f}").partition("e")
    digits = digits.rstrip("0")
    return f"{digits}0{e}{exponent}" if digits.endswith(".") else f"{digits}{e}{exponent}"
