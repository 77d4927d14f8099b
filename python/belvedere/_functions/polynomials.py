"""Polynomials as arrays of coefficients, the highest power first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .operands import as_inexact, as_numbers, in_blocks
from .signal import convolve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from .._native import Array
    from .._types import ArrayLike
    from .polynomial_class import poly1d

    Coefficients = ArrayLike | Sequence[Any] | poly1d

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
    "vander",
]


def _is_poly1d(*values: Any) -> bool:
    """Whether one of the values is an object for a polynomial, so that the result is one."""
    return any(type(it).__name__ == "poly1d" and hasattr(it, "coeffs") for it in values)


def _coefficients(p: Any) -> Array:
    return bv.atleast_1d(bv.asarray(p.coeffs if _is_poly1d(p) else p))


def _wrap(result: Array, *operands: Any) -> Any:
    """Returns the result as ``poly1d`` if an operand is one."""
    if not _is_poly1d(*operands):
        return result
    from .polynomial_class import poly1d

    return poly1d(result)


def poly(seq_of_zeros: ArrayLike | Sequence[Any]) -> Array:
    """Returns the coefficients of the polynomial with the given roots, or the characteristic polynomial of a matrix.

    >>> bv.poly(bv.asarray([1, 2]))
    array([ 1., -3.,  2.])
    """
    zeros = bv.atleast_1d(bv.asarray(seq_of_zeros))
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
        zeros = _real_if_real(bv.linalg.eigvals(zeros))
    if zeros.ndim != 1:
        raise ValueError(f"poly needs 1-D roots or a square matrix, got shape {zeros.shape}")
    zeros = as_inexact(zeros)
    zeros = zeros.astype(bv.float64) if zeros.itemsize == 2 else zeros
    values = zeros.tolist()
    result: list = [1.0]
    for zero in values:
        result = [high - zero * low for high, low in zip([*result, 0.0], [0.0, *result])]
    if zeros.dtype.kind == "c":
        conjugates = sorted((it.conjugate() for it in values), key=_complex_order)
        if sorted(values, key=_complex_order) == conjugates:
            # The roots are conjugate pairs.
            return bv.asarray([complex(it).real for it in result], dtype=bv.real(zeros).dtype)
    return bv.asarray(result, dtype=zeros.dtype) if values else bv.asarray(1.0)


def _complex_order(value: complex) -> tuple[float, float]:
    return value.real, value.imag


def _real_if_real(x: Array) -> Array:
    """Returns the real parts if all imaginary parts are zero."""
    return bv.real(x) if x.dtype.kind == "c" and not bool(bv.any(bv.imag(x) != 0)) else x


def roots(p: Coefficients) -> Array:
    """Returns the roots of a polynomial, in no order: the eigenvalues of its companion matrix.

    >>> bv.sort(bv.roots(bv.asarray([1, 0, -4])))
    array([-2.,  2.])
    """
    p = _coefficients(p)
    if p.ndim != 1:
        raise ValueError(f"roots needs 1-D coefficients, got shape {p.shape}")
    nonzero = bv.nonzero(p)[0]
    if len(nonzero) == 0:
        return bv.empty(0)
    first, last = nonzero[0].item(), nonzero[-1].item()
    n_zeros = len(p) - last - 1
    p = as_inexact(p[first : last + 1])
    n = len(p) - 1
    if n == 0:
        return bv.zeros(n_zeros)
    companion = bv.eye(n, k=-1, dtype=p.dtype)
    companion[0, :] = -p[1:] / p[0]
    found = _real_if_real(bv.linalg.eigvals(companion))
    return bv.concat([found, bv.zeros(n_zeros, dtype=found.dtype)]) if n_zeros else found


def polyadd(a1: Coefficients, a2: Coefficients) -> Array:
    """Returns the sum of two polynomials.

    >>> bv.polyadd(bv.asarray([1, 2]), bv.asarray([9, 5, 4]))
    array([9, 6, 6])
    """
    first, second = _same_length(a1, a2)
    is_bool = first.dtype == second.dtype == bv.bool
    return _wrap(first | second if is_bool else as_numbers(first) + second, a1, a2)


def polysub(a1: Coefficients, a2: Coefficients) -> Array:
    """Returns the difference of two polynomials.

    >>> bv.polysub(bv.asarray([9, 5, 4]), bv.asarray([1, 2]))
    array([9, 4, 2])
    """
    first, second = _same_length(a1, a2)
    return _wrap(first - second, a1, a2)


def _same_length(a1: Any, a2: Any) -> tuple[Array, Array]:
    """Returns the coefficients with zeros before the shorter ones."""
    first, second = _coefficients(a1), _coefficients(a2)
    missing = len(second) - len(first)
    if missing > 0:
        first = bv.concat([bv.zeros(missing, dtype=first.dtype), first])
    elif missing < 0:
        second = bv.concat([bv.zeros(-missing, dtype=second.dtype), second])
    return first, second


def polymul(a1: Coefficients, a2: Coefficients) -> Array:
    """Returns the product of two polynomials.

    >>> bv.polymul(bv.asarray([1, 2]), bv.asarray([1, -2]))
    array([ 1,  0, -4])
    """
    return _wrap(convolve(_without_zeros(_coefficients(a1)), _without_zeros(_coefficients(a2))), a1, a2)


def _without_zeros(c: Array) -> Array:
    """Returns the coefficients from the highest power that is not zero; at least one."""
    if len(c) == 0 or c[0].item() != 0:
        return c if len(c) else bv.zeros(1, dtype=c.dtype)
    nonzero = bv.nonzero(c)[0]
    return c[nonzero[0].item() :] if len(nonzero) else c[:1]


def polydiv(u: Coefficients, v: Coefficients) -> tuple[Array, Array]:
    """Returns the quotient and the remainder of two polynomials.

    >>> bv.polydiv(bv.asarray([3.0, 5.0, 2.0]), bv.asarray([2.0, 1.0]))
    (array([1.5 , 1.75]), array([0.25]))
    """
    dividend, divisor = as_inexact(_coefficients(u)), as_inexact(_coefficients(v))
    dtype = bv.result_type(dividend, divisor)
    remainder, divisor = dividend.astype(dtype, copy=True), divisor.astype(dtype, copy=False)
    n = len(divisor) - 1
    scale = 1.0 / divisor[0]
    quotient = bv.zeros(max(len(remainder) - n, 1), dtype=dtype)
    for k in range(len(remainder) - n):
        quotient[k] = scale * remainder[k]
        remainder[k : k + n + 1] = remainder[k : k + n + 1] - quotient[k] * divisor
    values = remainder.tolist()
    start = 0
    while start < len(values) - 1 and abs(values[start]) <= 1e-8:
        start += 1
    remainder = remainder[start:]
    return _wrap(quotient, u, v), _wrap(remainder, u, v)


def polyder(p: Coefficients, m: int = 1) -> Array:
    """Returns the ``m``-th derivative of a polynomial.

    >>> bv.polyder(bv.asarray([1, 1, 1, 1]))
    array([3, 2, 1])
    """
    if m < 0:
        raise ValueError(f"the order of the derivative must not be negative, got {m}: see polyint")
    c = _coefficients(p)
    # Further derivatives of no coefficients are the same.
    for _ in range(m)[: len(c) + 1]:
        c = as_numbers(c[:-1]) * bv.arange(len(c) - 1, 0, -1)
    return _wrap(c, p)


def polyint(p: Coefficients, m: int = 1, k: ArrayLike | Sequence[Any] | None = None) -> Array:
    """Returns the ``m``-th antiderivative of a polynomial, with the constants ``k``.

    >>> bv.polyint(bv.asarray([3, 2, 1]))
    array([1., 1., 1., 0.])
    """
    m = int(m)
    if m < 0:
        raise ValueError(f"the order of the integral must not be negative, got {m}: see polyder")
    constants = bv.zeros(m) if k is None else bv.atleast_1d(bv.asarray(k))
    if len(constants) == 1 and m > 1:
        constants = bv.broadcast_to(constants, shape=(m,))
    if len(constants) < m:
        raise ValueError(f"k must be one constant or {m} of them, got {len(constants)}")
    c = _coefficients(p)
    for it in range(m):
        c = bv.concat([as_numbers(c) / bv.arange(len(c), 0, -1), constants[it : it + 1]])
    return _wrap(c, p)


def polyval(p: Coefficients, x: Any) -> Any:
    """Evaluates a polynomial by Horner's rule; a polynomial ``x`` is composed with it.

    >>> bv.polyval(bv.asarray([1, 0, 2]), bv.asarray([1, 2, 3]))
    array([ 3,  6, 11])
    """
    c = _coefficients(p)
    if _is_poly1d(x):
        result = x * 0
        for it in c.tolist():
            result = result * x + it
        return result
    x = bv.asarray(x)
    if c.ndim != 1:
        x = as_numbers(x)
        result = bv.zeros(x.shape, dtype=x.dtype)
        for it in c:
            result = result * x + it
        return result
    if len(c) == 0:
        return bv.zeros(x.shape, dtype=x.dtype)
    dtype = bv.result_type(x.dtype, c.dtype)
    if dtype == bv.bool:
        return polyval(c.astype(bv.int64), x) != 0
    return in_blocks(lambda block: _horner(c, block.astype(dtype, copy=False)), as_numbers(x))


def _horner(c: Array, x: Array) -> Array:
    result = x * 0
    values = c.tolist()
    result += values[0]
    for it in values[1:]:
        result *= x
        result += it
    return result


def vander(x: ArrayLike | Sequence[Any], N: int | None = None, increasing: bool = False) -> Array:
    """Returns the Vandermonde matrix: the columns are the powers of ``x``, the highest first or last.

    >>> bv.vander(bv.asarray([1, 2, 3]))
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = bv.asarray(x)
    if x.ndim != 1:
        raise ValueError(f"vander needs a 1-D array, got shape {x.shape}")
    n = len(x) if N is None else N
    result = bv.empty((len(x), n), dtype=bv.result_type(x.dtype, bv.int64))
    columns = result if increasing else result[:, ::-1]
    if n > 0:
        columns[:, 0] = 1
    if n > 1:
        power = x = x.astype(result.dtype, copy=False)
        columns[:, 1] = x
        for k in range(2, n):
            power = power * x
            columns[:, k] = power
    return result


def polyfit(
    x: ArrayLike | Sequence[Any],
    y: ArrayLike | Sequence[Any],
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | Sequence[Any] | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> Any:
    """Fits a polynomial of degree ``deg`` by least squares; ``w`` weighs the residuals.

    With ``full``, the sum of squared residuals, the rank, the singular values and ``rcond`` come with the coefficients;
    with ``cov``, their covariance matrix.

    >>> bv.round(bv.polyfit(bv.asarray([0.0, 1.0, 2.0]), bv.asarray([1.0, 3.0, 5.0]), 1) * 1000)
    array([2000., 1000.])
    """
    order = int(deg) + 1
    x, y, w = _fit_operands(x, y, w, deg)
    rcond = len(x) * bv.finfo(x.dtype).eps if rcond is None else rcond
    c, residuals, rank, values, (left, scale) = least_squares(vander(x, order), y, w, rcond)
    if full:
        return c, residuals, rank, values, bv.asarray(rcond)
    if not cov:
        return c
    base = bv.linalg.inv(left.T @ left) / (scale[:, None] * scale)
    if cov == "unscaled":
        factor: Any = 1.0
    else:
        if len(x) <= order:
            raise ValueError(f"the covariance needs more than {order} points, got {len(x)}")
        factor = residuals / (len(x) - order)
    return c, base * factor if y.ndim == 1 else base[:, :, None] * factor


def _fit_operands(x: Any, y: Any, w: Any, deg: int) -> tuple[Array, Array, Array | None]:
    """Returns the operands of a fit as floats."""
    x, y = as_inexact(x), as_inexact(y)
    if deg < 0:
        raise ValueError(f"deg must not be negative, got {deg}")
    if x.ndim != 1 or x.size == 0:
        raise TypeError(f"x must be 1-D and not empty, got shape {x.shape}")
    if y.ndim not in (1, 2):
        raise TypeError(f"y must be 1-D or 2-D, got shape {y.shape}")
    if len(x) != len(y):
        raise TypeError(f"x and y must have the same length, got {len(x)} and {len(y)}")
    if w is not None:
        w = as_inexact(w)
        if w.shape != (len(x),):
            raise TypeError(f"w must be 1-D, of length {len(x)}, got shape {w.shape}")
    return x, y, w


def least_squares(left: Array, y: Array, w: Array | None, rcond: float) -> tuple[Array, Array, Array, Array, Any]:
    """Solves a weighted least-squares problem after it scales the columns to norm one.

    Returns the solution, the sums of squared residuals (none if the rank is deficient), the rank, the singular values,
    and the scaled matrix with the scales.
    """
    right = y = y.astype(bv.result_type(left, y), copy=False)
    if w is not None:
        left = left * w[:, None]
        right = y * (w if y.ndim == 1 else w[:, None])
    scale = bv.linalg.vector_norm(left, axis=0)
    scale = bv.where(scale == 0, 1, scale)
    left = left / scale
    n_rows, n_columns = left.shape
    matrix, target = left, right
    if n_rows > 4 * n_columns:
        # A tall matrix has the solutions of its triangular factor.
        q, matrix = bv.linalg.qr(left)
        target = bv.conj(q).T @ right
    u, values, vh = bv.linalg.svd(matrix, full_matrices=False)
    is_kept = values > rcond * bv.max(values)
    rank = bv.count_nonzero(is_kept)
    inverses = bv.where(is_kept, 1 / values, 0)
    target = bv.conj(u).T @ target
    solution = bv.conj(vh).T @ (target * (inverses if y.ndim == 1 else inverses[:, None]))
    rank_is_full = rank.item() == n_columns and n_rows > n_columns
    if rank_is_full:
        rest = right - left @ solution
        squares = bv.real(rest * bv.conj(rest)) if rest.dtype.kind == "c" else rest * rest
        residuals = bv.atleast_1d(bv.sum(squares, axis=0))
    else:
        residuals = bv.empty(0, dtype=values.dtype)
    c = solution / (scale if y.ndim == 1 else scale[:, None])
    return c, residuals, rank, values, (left, scale)
