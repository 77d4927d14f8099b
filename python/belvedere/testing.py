"""Assertions on arrays for tests, with the parameters of ``numpy.testing``."""

from __future__ import annotations

import unittest
from typing import TYPE_CHECKING, Any

from . import _native as bv
from ._functions.indexing import unravel_index

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._native import Array

__all__ = [
    "assert_",
    "assert_allclose",
    "assert_almost_equal",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_array_less",
    "assert_equal",
    "assert_raises",
    "assert_raises_regex",
]

_case = unittest.TestCase()
_case.maxDiff = None


def assert_(val: Any, msg: str | Callable[[], str] = "") -> None:
    """Raises an ``AssertionError`` unless the value is true.

    >>> bv.testing.assert_(1 < 2)
    """
    if not val:
        raise AssertionError(msg() if callable(msg) else msg)


def _fail(summary: str, x: Array, y: Array, wrong: Array | None, err_msg: str, verbose: bool) -> None:
    """Raises an error with the first difference, the number of differences and both arrays."""
    lines = [summary if not err_msg else f"{summary}: {err_msg}"]
    if wrong is not None:
        n = int(bv.sum(wrong))
        first = bv.nonzero(bv.reshape(wrong, shape=(-1,)))[0][0]
        at = tuple(int(it) for it in unravel_index(first, wrong.shape))
        lines.append(f"{n} of {wrong.size} elements differ, the first at {at}")
        one, other = bv.broadcast_to(x, shape=wrong.shape)[at], bv.broadcast_to(y, shape=wrong.shape)[at]
        lines.append(f" found:    {one}")
        lines.append(f" expected: {other}")
    if verbose:
        lines += [f" ACTUAL: {x!r}", f" DESIRED: {y!r}"]
    raise AssertionError("\n".join(lines))


def _compared(
    actual: Any,
    desired: Any,
    equal: Callable[[Array, Array], Array],
    summary: str,
    err_msg: str,
    verbose: bool,
    strict: bool,
    equal_nan: bool = True,
) -> None:
    """Raises an error unless both arrays have the same shape, or one has no axes, and all elements are equal."""
    x, y = bv.asarray(actual), bv.asarray(desired)
    is_scalar = (x.ndim == 0 or y.ndim == 0) and not strict
    if x.shape != y.shape and not is_scalar:
        _fail(f"{summary}\n(shapes {x.shape}, {y.shape} mismatch)", x, y, None, err_msg, verbose)
    if strict and x.dtype != y.dtype:
        _fail(f"{summary}\n(dtypes {x.dtype.name}, {y.dtype.name} mismatch)", x, y, None, err_msg, verbose)
    good = equal(x, y)
    if equal_nan and x.dtype.kind in "fc" and y.dtype.kind in "fc":
        good = bv.logical_or(good, bv.logical_and(bv.isnan(x), bv.isnan(y)))
    if not bool(bv.all(good)):
        _fail(summary, x, y, bv.logical_not(good), err_msg, verbose)


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: float = 1e-07,
    atol: float = 0,
    equal_nan: bool = True,
    err_msg: str = "",
    verbose: bool = True,
    *,
    strict: bool = False,
) -> None:
    """Raises an ``AssertionError`` unless ``|actual - desired| <= atol + rtol * |desired|`` for all elements.

    >>> bv.testing.assert_allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
    """

    def close(x: Array, y: Array) -> Array:
        return bv.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)

    summary = f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}"
    _compared(actual, desired, close, summary, str(err_msg), verbose, strict, equal_nan)


def assert_array_equal(
    actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False
) -> None:
    """Raises an ``AssertionError`` unless both arrays have the same shape and equal elements; NaNs are equal.

    >>> bv.testing.assert_array_equal([1, 2], bv.asarray([1, 2]))
    """
    _compared(actual, desired, bv.equal, "Arrays are not equal", str(err_msg), verbose, strict)


def assert_array_less(x: Any, y: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    """Raises an ``AssertionError`` unless all elements of ``x`` are less than those of ``y``.

    >>> bv.testing.assert_array_less([1, 2], [2, 3])
    """
    summary = "Arrays are not strictly ordered `x < y`"
    _compared(x, y, bv.less, summary, str(err_msg), verbose, strict, equal_nan=False)


def _almost(decimal: float, factor: float) -> Callable[[Array, Array], Array]:
    def close(x: Array, y: Array) -> Array:
        dtype = bv.result_type(x.dtype, y.dtype, bv.float64)
        difference = bv.abs(bv.subtract(bv.astype(x, dtype), bv.astype(y, dtype)))
        # Infinities are equal to themselves, although their difference is NaN.
        return bv.logical_or(bv.less(difference, factor * 10.0**-decimal), bv.equal(x, y))

    return close


def assert_array_almost_equal(
    actual: Any, desired: Any, decimal: float = 6, err_msg: str = "", verbose: bool = True
) -> None:
    """Raises an ``AssertionError`` unless ``|actual - desired| < 1.5 * 10**-decimal`` for all elements.

    >>> bv.testing.assert_array_almost_equal([1.0, 2.0], [1.0, 2.0000001])
    """
    summary = f"Arrays are not almost equal to {decimal} decimals"
    _compared(actual, desired, _almost(decimal, 1.5), summary, str(err_msg), verbose, strict=False)


def assert_almost_equal(actual: Any, desired: Any, decimal: float = 7, err_msg: str = "", verbose: bool = True) -> None:
    """Raises an ``AssertionError`` unless ``|actual - desired| < 1.5 * 10**-decimal`` for numbers or all elements.

    >>> bv.testing.assert_almost_equal(2.3333333333, 2.33333334)
    """
    assert_array_almost_equal(actual, desired, decimal, err_msg, verbose)


def assert_equal(actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    """Raises an ``AssertionError`` unless two values, which may be arrays, lists, tuples or dictionaries, are equal.

    >>> bv.testing.assert_equal({"a": [1, 2]}, {"a": [1, 2]})
    """
    if isinstance(desired, dict):
        if not isinstance(actual, dict) or actual.keys() != desired.keys():
            raise AssertionError(f"Items are not equal: {err_msg}\n ACTUAL: {actual!r}\n DESIRED: {desired!r}")
        for key, value in desired.items():
            assert_equal(actual[key], value, f"key={key!r}\n{err_msg}", verbose, strict=strict)
    elif isinstance(desired, (list, tuple)) and isinstance(actual, (list, tuple)):
        if len(actual) != len(desired):
            raise AssertionError(f"Items are not equal: {err_msg}\n ACTUAL: {actual!r}\n DESIRED: {desired!r}")
        for i, (one, other) in enumerate(zip(actual, desired)):
            assert_equal(one, other, f"item={i}\n{err_msg}", verbose, strict=strict)
    elif (_is_array(actual) or _is_array(desired)) or (_is_number(actual) and _is_number(desired)):
        assert_array_equal(actual, desired, err_msg, verbose, strict=strict)
    elif not actual == desired:
        raise AssertionError(f"Items are not equal: {err_msg}\n ACTUAL: {actual!r}\n DESIRED: {desired!r}")


def _is_array(value: Any) -> bool:
    """Tests whether the value is an array of this or another library."""
    return hasattr(value, "__dlpack__")


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex)) or hasattr(value, "__array_priority__")


def assert_raises(exception_class: Any, *args: Any, **kwargs: Any) -> Any:
    """Checks that a call, or the block of a ``with`` statement, raises an exception.

    >>> bv.testing.assert_raises(ValueError, int, "a")
    >>> with bv.testing.assert_raises(ZeroDivisionError):
    ...     1 / 0
    """
    return _case.assertRaises(exception_class, *args, **kwargs)


def assert_raises_regex(exception_class: Any, expected_regexp: str, *args: Any, **kwargs: Any) -> Any:
    """Checks that a call, or the block of a ``with`` statement, raises an exception whose text matches.

    >>> bv.testing.assert_raises_regex(ValueError, "invalid literal", int, "a")
    """
    return _case.assertRaisesRegex(exception_class, expected_regexp, *args, **kwargs)
