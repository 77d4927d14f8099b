"""The class of polynomials in one variable, the highest power first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from . import polynomials
from .polynomials import polyadd, polyder, polydiv, polyint, polymul, polysub, polyval, roots

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._native import Array
    from .._types import ArrayLike

__all__ = ["poly1d"]

#: The text of a polynomial is wrapped before a term that would exceed this length.
_LINE_LENGTH = 70


class poly1d:
    """A polynomial in one variable, made of its coefficients (the highest power first) or, with ``r``, of its roots.

    >>> p = bv.poly1d([1, 2, 3])
    >>> print(p)
       2
    1 x + 2 x + 3
    >>> p(2)
    array(11)
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, c_or_r: ArrayLike | Sequence[Any] | poly1d, r: bool = False, variable: str | None = None
    ) -> None:
        if isinstance(c_or_r, poly1d):
            self._variable = c_or_r.variable if variable is None else variable
            self._coeffs = c_or_r.coeffs
            return
        self._variable = "x" if variable is None else variable
        coeffs = bv.atleast_1d(bv.asarray(polynomials.poly(c_or_r) if r else c_or_r))
        if coeffs.ndim > 1:
            raise ValueError(f"a polynomial needs 1-D coefficients, got shape {coeffs.shape}")
        nonzero = bv.nonzero(coeffs)[0]
        self._coeffs = coeffs[nonzero[0].item() :] if len(nonzero) else bv.zeros(1, dtype=coeffs.dtype)

    @property
    def coeffs(self) -> Array:
        """The coefficients, the highest power first."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value: Any) -> None:
        if value is not self._coeffs:
            raise AttributeError("the coefficients cannot be replaced: make a new poly1d")

    c = coef = coefficients = coeffs

    @property
    def order(self) -> int:
        """The degree."""
        return len(self._coeffs) - 1

    o = order

    @property
    def roots(self) -> Array:
        """The roots."""
        return roots(self._coeffs)

    r = roots

    @property
    def variable(self) -> str:
        """The name of the variable."""
        return self._variable

    def deriv(self, m: int = 1) -> poly1d:
        """Returns the ``m``-th derivative.

        >>> bv.poly1d([1, 2, 3]).deriv()
        poly1d([2, 2])
        """
        return poly1d(polyder(self._coeffs, m))

    def integ(self, m: int = 1, k: Any = 0) -> poly1d:
        """Returns the ``m``-th antiderivative, with the constants ``k``.

        >>> bv.poly1d([2, 2]).integ(k=3)
        poly1d([1., 2., 3.])
        """
        return poly1d(polyint(self._coeffs, m, k))

    def __call__(self, val: Any) -> Any:
        return polyval(self._coeffs, val)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._coeffs.__array__(dtype, copy)

    def __repr__(self) -> str:
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __len__(self) -> int:
        return self.order

    def __iter__(self) -> Iterator[Array]:
        return iter(self._coeffs)

    def __getitem__(self, power: int) -> Array:
        if not 0 <= power <= self.order:
            return bv.zeros((), dtype=self._coeffs.dtype)
        return self._coeffs[self.order - power]

    def __setitem__(self, power: int, value: Any) -> None:
        if power < 0:
            raise ValueError(f"a polynomial has no power {power}")
        if power > self.order:
            self._coeffs = bv.concat([bv.zeros(power - self.order, dtype=self._coeffs.dtype), self._coeffs])
        self._coeffs[self.order - power] = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other.coeffs.shape and bool(bv.all(self._coeffs == other.coeffs))

    def __neg__(self) -> poly1d:
        return poly1d(-self._coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __add__(self, other: Any) -> poly1d:
        return poly1d(polyadd(self._coeffs, poly1d(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> poly1d:
        return poly1d(polysub(self._coeffs, poly1d(other)))

    def __rsub__(self, other: Any) -> poly1d:
        return poly1d(polysub(poly1d(other), self._coeffs))

    def __mul__(self, other: Any) -> poly1d:
        if _is_number(other):
            return poly1d(self._coeffs * other)
        return poly1d(polymul(self._coeffs, poly1d(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if _is_number(other):
            return poly1d(self._coeffs / other)
        return polydiv(self, poly1d(other))

    def __rtruediv__(self, other: Any) -> Any:
        if _is_number(other):
            return poly1d(other / self._coeffs)
        return polydiv(poly1d(other), self)

    def __pow__(self, power: int) -> poly1d:
        if not isinstance(power, int) or power < 0:
            raise ValueError(f"polynomials have powers of non-negative integers only, got {power}")
        result = poly1d([1])
        for _ in range(power):
            result = result * self
        return result

    def __str__(self) -> str:
        lines = [("", "")]
        for base, power in _terms(self._coeffs.tolist(), self._variable):
            above, below = lines[-1]
            if power and len(below) + len(base) + len(power) - 1 > _LINE_LENGTH:
                above, below = "", ""
                lines.append((above, below))
            # The power stands above the space between two terms.
            above = above.ljust(len(below) + len(base)) + power if power else above
            below = below + base + " " * (len(power) - 1)
            lines[-1] = above, below
        return "\n".join(f"{above}\n{below}" if above.strip() else f" \n{below}" for above, below in lines)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) or getattr(value, "ndim", None) == 0


def _terms(coefficients: list, variable: str) -> list[tuple[str, str]]:
    """Returns for each term of the sum the text on the line and the power above it."""
    terms: list[tuple[str, str]] = []
    for k, value in enumerate(coefficients):
        power = len(coefficients) - 1 - k
        text = _number(value)
        if (text == "0" and len(coefficients) > 1) or (power == 0 and text == "0" and terms):
            continue
        is_negative = text.startswith("-")
        text = text.removeprefix("-")
        if power > 0:
            text = f"{text} {variable}"
        if terms:
            text = (" - " if is_negative else " + ") + text
        elif is_negative:
            text = "-" + text
        terms.append((text, f"{power}" if power > 1 else ""))
    return terms or [("0", "")]


def _number(value: Any) -> str:
    """Returns a coefficient with four digits."""
    if isinstance(value, complex):
        if value.imag == 0:
            return _number(value.real)
        if value.real == 0:
            return f"{_number(value.imag)}j"
        return f"({_number(value.real)} {'-' if value.imag < 0 else '+'} {_number(abs(value.imag))}j)"
    return f"{value:.4g}"
