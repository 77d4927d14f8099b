"""Polynomials of both orders of coefficients, compared with NumPy."""

import numpy as np
import pytest
import zoo

import belvedere as bv

#: Calls of functions of the main namespace, the highest power first.
HIGHEST_FIRST = [
    "xp.poly([])",
    "xp.poly([1, 2])",
    "xp.poly([[1, 2], [3, 4]])",
    "xp.poly([1j, -1j])",
    "xp.poly([1j, 1])",
    "xp.poly(np.float32([1, 2]))",
    "xp.roots([1, 0, -1])",
    "xp.roots([0, 0])",
    "xp.roots([0, 1, 2, 0, 0])",
    "xp.roots([1])",
    "xp.roots([1, 2, 3, 4.5])",
    "xp.roots([1, 0, 1])",
    "xp.roots([0, 0, 3, 0])",
    "xp.polyval([1, 2], xp.poly1d([1, 1]))",
    "xp.polyval([], 3)",
    "xp.polyval([1, 2, 3], [[1, 2]])",
    "xp.polyval([1, 2, 3], np.float32([1, 2]))",
    "xp.polyval(np.float32([1, 2, 3]), np.float32([1, 2]))",
    "xp.polyval([1, 2.5, 3j], [1, 2])",
    "xp.polyadd([1], [1, 2])",
    "xp.polydiv([1], [1, 2])",
    "xp.polydiv([1, 2, 3], [1, 2])",
    "xp.polydiv(xp.asarray([1, 2, 3.0]), [2])",
    "xp.polydiv([1, 5, 6, 7], [1, 2])",
    "xp.polyder([1, 2, 3], 2)",
    "xp.polyder([1, 2, 3], 5)",
    "xp.polyint([1, 2, 3])",
    "xp.polyint([1, 2, 3], 2, k=[1, 2])",
    "xp.polyint([1, 2, 3], m=2, k=3)",
    "xp.polyint([1, 2, 3], m=0)",
    "xp.polymul([1, 2], [1, 2.0])",
    "xp.polymul(xp.poly1d([1, 2]), [1, 2])",
    "xp.polyder(xp.poly1d([1, 2]))",
    "xp.polyint(xp.poly1d([1, 2]))",
    "xp.polysub([1, 2], [3])",
    "xp.polysub(xp.poly1d([1, 2]), [3])",
    "xp.vander([1, 2, 3])",
    "xp.vander([1, 2, 3], 2, increasing=True)",
    "xp.vander([1.5, 2], 0)",
    'xp.vander(xp.asarray([1, 2], dtype="int8"))',
    "xp.vander(xp.asarray([True, False]))",
    "xp.vander([1.5, 2j], 5)",
    "xp.poly1d([1, 2, 3])",
    "xp.poly1d([0, 0, 3])",
    "xp.poly1d([1, 2], True)",
    "xp.poly1d([])",
    "xp.poly1d([1, 2]) * 2",
    "xp.poly1d([1, 2]) + xp.asarray([1, 2])",
    "xp.poly1d([1, 2]) - xp.asarray([1, 2])",
    "xp.poly1d([1, 2]) / xp.poly1d([1, 1])",
    "xp.poly1d([1, 2]) / 2",
    "2 / xp.poly1d([1, 2])",
    "xp.poly1d([1, 2]) ** 2",
    "xp.poly1d([1, 2]) ** 0",
    "xp.poly1d([1, 2])[0]",
    "xp.poly1d([1, 2])[5]",
    "xp.poly1d([1, 2])[-1]",
    "xp.poly1d([1, 2]) == xp.poly1d([1, 2.0])",
    "xp.poly1d([1, 2]) == xp.poly1d([1, 2.0, 1])",
    "xp.poly1d([1, 2]) != xp.poly1d([1, 2.0])",
    "xp.poly1d([1, 2]).r",
    "xp.poly1d([1, 2]).order",
    "xp.poly1d([1, 2]).integ(k=2)",
    "xp.poly1d([1, 2]).integ(2)",
    "xp.poly1d([1, 2]).deriv(2)",
    "xp.poly1d([1, 2, 4])(3.5)",
    "xp.poly1d([1, 2, 4])(xp.poly1d([1, 1]))",
    "str(xp.poly1d([1, 2, 3]))",
    "str(xp.poly1d([1.5, -2, 0, 3j]))",
    "str(xp.poly1d([-1, 0, 0]))",
    "str(xp.poly1d([1]))",
    "str(xp.poly1d([0]))",
    "str(xp.poly1d([2, 0]))",
    "str(xp.poly1d([1 + 2j, 3]))",
    'str(xp.poly1d([1, 2, 3], variable="z"))',
    "str(xp.poly1d([1.23456789, -1]))",
    "str(xp.poly1d([1, -1, 1]))",
    "str(xp.poly1d(np.arange(1, 13)))",
    "repr(xp.poly1d([1, 2, 3]))",
    "repr(xp.poly1d([1, 2.5]))",
    "list(xp.poly1d([1, 2]))",
    "len(xp.poly1d([1, 2]))",
    "xp.poly1d([1, 2]).variable",
    "xp.polyfit([1, 2, 3], [1, 2, 3], 1)",
    "xp.polyfit([1, 2, 3], [1, 2, 3.5], 1, full=True)",
    "xp.polyfit([1, 2, 3, 5], [1, 2, 4, 3], 1, cov=True)",
    'xp.polyfit([1, 2, 3, 5], [1, 2, 4, 3], 1, cov="unscaled")',
    "xp.polyfit([1, 2, 3.0], [[1, 2], [3, 4], [5, 6]], 1)",
    "xp.polyfit([1, 2, 3.0], [[1, 2], [3, 4], [5, 7]], 1, full=True)",
    "xp.polyfit([1, 2, 3.0, 4], [[1, 2], [3, 4], [5, 7], [7, 9]], 1, cov=True)",
    "xp.polyfit([1, 2, 3.0], [1, 2, 4], 1, w=[1, 2, 3])",
    "xp.polyfit([1, 2, 3.0], [1, 2, 4], 1, w=[1, 2, 3], cov=True)",
    "xp.polyfit(np.arange(40), np.sin(np.arange(40)), 3)",
    "xp.polyfit(np.arange(40), np.sin(np.arange(40)), 5, full=True)",
    "xp.polyfit(np.arange(40.0) * (1 + 0.5j), np.sin(np.arange(40)), 2, full=True)",
    "xp.polyfit([1, 1, 1.0], [1, 2, 3], 2, full=True)",
    "xp.polyfit(np.float32([1, 2, 3]), np.float32([1, 2, 3.5]), 1)",
]

#: Calls of functions of ``polynomial`` and of the class ``Polynomial``, the lowest power first.
LOWEST_FIRST = [
    "P.polyadd([1, 2, 3], [3, 2, -3])",
    "P.polysub([1, 2, 3], [3, 2])",
    "P.polymulx([0])",
    "P.polymulx([1, 2])",
    "P.polymul([1, 2, 0], [1, 2])",
    "P.polydiv([1, 2, 3], [3, 2, 1])",
    "P.polydiv([1, 2], [3, 2, 1])",
    "P.polydiv([1, 2], [2])",
    "P.polydiv([1, 2, 5, 7, 9], [3, 1])",
    "P.polypow([1, 1], 3)",
    "P.polypow([1, 1], 0)",
    "P.polyval(xp.asarray([1.0, 2]), [1, 2, 3])",
    "P.polyval(xp.asarray([[1, 2]]), [1, 2, 3])",
    "P.polyval(xp.asarray([1, 2]), [[1, 2], [3, 4]])",
    "P.polyval(xp.asarray([1, 2]), [[1, 2], [3, 4]], tensor=False)",
    "P.polyval(2, [1, 2, 3])",
    "P.polyval2d([1, 2], [3, 4], [[1, 2], [3, 4]])",
    "P.polygrid2d([1, 2], [3, 4, 5], [[1, 2], [3, 4]])",
    "P.polyvalfromroots([1, 2, 3], [1, 5])",
    "P.polyder([1, 2, 3, 4], 2)",
    "P.polyder([1, 2, 3, 4], 3, -1)",
    "P.polyder([[1, 2], [3, 4]], axis=1)",
    "P.polyder([1, 2], 5)",
    "P.polyint([1, 2, 3])",
    "P.polyint([1, 2, 3], 3)",
    "P.polyint([1, 2, 3], k=3)",
    "P.polyint([1, 2, 3], lbnd=-2)",
    "P.polyint([1, 2, 3], scl=-2)",
    "P.polyint([1, 2, 3], 2, k=[1, 2], lbnd=1)",
    "P.polyint([[1, 2], [3, 4]], axis=1)",
    "P.polyfromroots([-1, 0, 1])",
    "P.polyfromroots([1j, -1j])",
    "P.polyfromroots([])",
    "P.polyvander([1, 2, 3], 2)",
    "P.polyvander([[1, 2]], 0)",
    "P.polyvander2d([1, 2], [3, 4], [1, 2])",
    "P.polytrim([0, 0, 3, 0, 5, 0, 0])",
    "P.polytrim([0, 0, 0.001, 0, 1e-05, 0, 0], 0.001)",
    "P.polytrim([0, 0, 0])",
    "P.polyroots([-1, 0, 1])",
    "P.polyroots([1, 2])",
    "P.polyroots([1])",
    "P.polyroots([1, 0, 1])",
    "P.polyroots([6, -5, 1, 3])",
    "P.polycompanion([1, 2, 3])",
    "P.polyline(1, 0)",
    "P.polyline(1, -1)",
    "P.polyfit([1, 2, 3, 4], [1, 2, 4, 3], 2)",
    "P.polyfit([1, 2, 3, 4], [1, 2, 4, 3], [0, 2])",
    "P.polyfit([1, 2, 3, 4], [[1, 2], [2, 3], [4, 5], [3, 2]], 1, w=[1, 2, 1, 1])",
    "Polynomial([1, 2, 3])(2)",
    "Polynomial([1, 2, 3], domain=[0, 1])(0.3)",
    "Polynomial([1, 2, 3]) + Polynomial([1, 2])",
    "Polynomial([1, 2, 3]) + 1",
    "1 - Polynomial([1, 2, 3])",
    "Polynomial([1, 2, 3]) * Polynomial([1, 2])",
    "Polynomial([1, 2, 3]) * [1, 2]",
    "Polynomial([1, 2, 3]) // Polynomial([1, 2])",
    "Polynomial([1, 2, 3]) % Polynomial([1, 2])",
    "divmod(Polynomial([1, 2, 3]), Polynomial([1, 2]))",
    "Polynomial([1, 2, 3]) / 2",
    "Polynomial([1, 2, 3]) ** 3",
    "Polynomial([1, 2, 3])(Polynomial([1, 2]))",
    "Polynomial([1, 2, 3]).roots()",
    "Polynomial([1, 2, 1], domain=[0, 4]).roots()",
    "Polynomial([1, 2, 3], domain=[0, 4]).deriv()",
    "Polynomial([1, 2, 3], domain=[0, 4]).deriv(2)",
    "Polynomial([1, 2, 3], domain=[0, 4]).integ()",
    "Polynomial([1, 2, 3], domain=[0, 4]).integ(2, k=[1, 2], lbnd=1)",
    "Polynomial([1, 2, 3], domain=[0, 4]).linspace(5)",
    "Polynomial([1, 2, 3], domain=[0, 4]).convert()",
    "Polynomial([1, 2, 3], domain=[0, 4]).mapparms()",
    "Polynomial([1, 2, 3]).degree()",
    "Polynomial([1, 2, 3]).cutdeg(1)",
    "Polynomial([1, 2, 0]).trim()",
    "Polynomial([1, 2, 3]).truncate(1)",
    "Polynomial.identity(domain=[0, 4])",
    "Polynomial.basis(3)",
    "Polynomial.fromroots([1, 2])",
    "Polynomial.fromroots([1, 2], domain=None)",
    "Polynomial.fromroots([1, 2, 4], domain=[0, 5])",
    "Polynomial.fit([1, 2, 3], [1, 4, 9.5], 2)",
    "Polynomial.fit([1, 2, 3], [1, 4, 9.5], 1).convert()",
    "Polynomial.fit([1, 2, 3], [1, 4, 9.5], 1, domain=[])",
    "Polynomial.fit([1, 2, 3], [1, 4, 9.5], 1, domain=[0, 5], w=[1, 2, 3])",
    "Polynomial([1, 2, 3]) == Polynomial([1, 2, 3])",
    "Polynomial([1, 2, 3]) == Polynomial([1, 2, 4])",
    "str(Polynomial([1, 2, 3]))",
    "str(Polynomial([1, -2, 0, 3.25]))",
    "str(Polynomial([-1.5]))",
    "str(Polynomial([1, 2], domain=[0, 1]))",
    "str(Polynomial([1, 2], domain=[0, 2]))",
    "str(Polynomial([1, 2], domain=[-2, 2]))",
    "str(Polynomial([1j, 2]))",
    "str(Polynomial(list(range(12))))",
    'format(Polynomial([1, 2, 3]), "ascii")',
    "repr(Polynomial([1, 2, 3]))",
    "len(Polynomial([1, 2, 3]))",
    "list(Polynomial([1, 2]))",
]

#: Calls that raise an exception.
REFUSED = [
    "xp.roots([[1]])",
    "xp.polyder([1, 2, 3], -1)",
    "xp.polyint([1, 2, 3], m=3, k=[1, 2])",
    "xp.vander([[1]])",
    "xp.poly1d([1, 2]) ** (-1)",
    "xp.poly1d([[1, 2]])",
    "xp.polyfit([1, 2], [1, 2], 1, cov=True)",
    "xp.polyfit([1, 2], [1, 2], -1)",
    "xp.polyfit([], [], 1)",
    "xp.polyfit([1, 2], [1], 1)",
    "xp.polyfit([[1]], [1], 1)",
    "xp.polyfit([1, 2, 3.0], [1, 2, 3], 1, w=[1, 2])",
    "P.polydiv([1, 2], [0])",
    "P.polypow([1, 1], -1)",
    "P.polyint([1, 2], 1, k=[1, 2])",
    "P.polyvander(xp.asarray([1.5, 2]), -1)",
    "P.polyfit([1, 2, 3, 4], [1, 2, 4], 2)",
    "Polynomial([1, 2, 3]) / Polynomial([1, 2, 3])",
    "Polynomial([1, 2, 3]) + Polynomial([1, 2], domain=[0, 1])",
]


def evaluate(call, xp):
    """Evaluates a call with one of the libraries."""
    names = {"xp": xp, "np": np, "P": xp.polynomial.polynomial, "Polynomial": xp.polynomial.Polynomial}
    return eval(call, names)  # noqa: S307


def coefficients(value):
    """Returns the coefficients of an object for a polynomial, or else the value."""
    return getattr(value, "coeffs", getattr(value, "coef", value))


def assert_equal(ours, theirs):
    """Compares arrays, polynomials, texts and numbers, and tuples of them."""
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for mine, wanted in zip(ours, theirs):
            assert_equal(mine, wanted)
    elif isinstance(theirs, str | bool | int | np.bool_):
        assert ours == theirs
    else:
        assert type(ours).__name__ == type(theirs).__name__ or isinstance(ours, bv.Array | float)
        found, expected = np.asarray(coefficients(ours)), np.asarray(coefficients(theirs))
        assert found.shape == expected.shape
        if expected.dtype != np.int32:
            # NumPy has the rank of a fit as int32.
            assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call", HIGHEST_FIRST)
def test_polynomials_match_numpy(call):
    ours, theirs = evaluate(call, bv), evaluate(call, np)
    if "roots(" in call or ".r" in call:
        # The order of roots is that of the eigenvalues.
        ours, theirs = bv.asarray(np.sort(np.asarray(ours))), np.sort(theirs)
    assert_equal(ours, theirs)


@pytest.mark.parametrize("call", LOWEST_FIRST)
def test_polynomials_with_the_lowest_power_first_match_numpy(call):
    assert_equal(evaluate(call, bv), evaluate(call, np))


@pytest.mark.parametrize("call", REFUSED)
def test_what_numpy_refuses_is_refused(call):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        evaluate(call, np)
    with pytest.raises(theirs.type):
        evaluate(call, bv)


def test_polyval_of_long_arrays_and_of_any_layout():
    x = zoo.values(3, "float64", 99_999, "finite")
    c = [0.5, -2.0, 1.0, 3.0]
    zoo.assert_same(bv.polyval(c, bv.asarray(x)), np.polyval(c, x))
    a = x[:90_000].reshape(300, 300)
    zoo.assert_same(bv.polyval(c, bv.asarray(a).T), np.polyval(c, a.T))


@pytest.mark.parametrize("deg", [0, 1, 3, 6])
def test_fits_match_numpy(deg):
    rng = np.random.default_rng(0)
    x, y, w = rng.normal(size=400), rng.normal(size=(400, 2)), rng.random(400)
    for weights in (None, w):
        found = bv.polyfit(bv.asarray(x), bv.asarray(y), deg, w=weights)
        np.testing.assert_allclose(np.asarray(found), np.polyfit(x, y, deg, w=weights), rtol=1e-8, atol=1e-12)
    found = bv.polynomial.Polynomial.fit(bv.asarray(x), bv.asarray(y[:, 0]), deg)
    expected = np.polynomial.Polynomial.fit(x, y[:, 0], deg)
    np.testing.assert_allclose(np.asarray(found.coef), expected.coef, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(np.asarray(found(bv.asarray(x))), expected(x), rtol=1e-8, atol=1e-12)


def test_texts_of_random_polynomials_match_numpy():
    rng = np.random.default_rng(0)
    for n in range(1, 40):
        c = np.round(rng.normal(size=n) * 10.0 ** rng.integers(-6, 9), rng.integers(0, 19))
        assert str(bv.polynomial.Polynomial(c)) == str(np.polynomial.Polynomial(c))
        assert f"{bv.polynomial.Polynomial(c):ascii}" == f"{np.polynomial.Polynomial(c):ascii}"
        assert str(bv.poly1d(c)) == str(np.poly1d(c))


def test_coefficients_of_poly1d_are_assigned_by_power():
    p, q = bv.poly1d([1, 2, 3]), np.poly1d([1, 2, 3])
    for it in (p, q):
        it[0] = 7
        it[5] = 4
    assert p.coeffs.tolist() == q.coeffs.tolist()
    with pytest.raises(ValueError):
        p[-1] = 1
    with pytest.raises(AttributeError):
        p.coeffs = [1]


def test_a_derivative_of_any_order_takes_as_many_steps_as_there_are_coefficients():
    for coefficients in ([1, 2, 3], [True, False], []):
        found = bv.polyder(bv.asarray(coefficients), 10**30)
        assert found.dtype == bv.polyder(bv.asarray(coefficients), 4).dtype
        assert found.shape == (0,)
