"""Convolution, interpolation, differences and window functions, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

RNG = np.random.default_rng(16)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "int8", "bool"])
def test_convolutions_match_numpy(name, mode, dtype):
    for n in (1, 2, 5, 30, 100, 1000):
        for k in (1, 2, 3, 4, 5, 9, 20, 64, 300):
            a, v = zoo.values(n, dtype, n, "small"), zoo.values(k + 1, dtype, k, "small")
            found = getattr(bv, name)(bv.asarray(a), bv.asarray(v), mode)
            # Sums of small integers are exact in every dtype.
            zoo.assert_same(found, getattr(np, name)(a, v, mode), signed_zeros=False, context=(n, k))


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@given(pair=zoo.twins(("float64", "int32"), st.tuples(st.integers(1, 60)), kind="small"), n=st.integers(1, 12))
def test_convolutions_of_any_layout_match_numpy(name, pair, n):
    x, a = pair
    zoo.assert_same(getattr(bv, name)(x, x[:n], "full"), getattr(np, name)(a, a[:n], "full"), signed_zeros=False)


def test_convolutions_round_as_numpy():
    a, v = RNG.normal(size=5000), RNG.normal(size=77)
    scale = np.convolve(np.abs(a), np.abs(v))
    zoo.assert_same(bv.convolve(bv.asarray(a), bv.asarray(v)), np.convolve(a, v), ulps=16, scale=scale)


def test_long_integers_are_exact():
    a, v = np.full(200, 2**40 + 1), np.full(150, 2**20 + 1)
    zoo.assert_same(bv.convolve(bv.asarray(a), bv.asarray(v)), np.convolve(a, v))


@pytest.mark.parametrize("n", [3, 9])
def test_infinities_reach_only_their_neighbours(n):
    a = np.arange(100.0)
    a[[20, 60, 61]] = np.inf, np.nan, -np.inf
    v = np.arange(1.0, n + 1)
    for mode in ("full", "same", "valid"):
        zoo.assert_same(bv.convolve(bv.asarray(a), bv.asarray(v), mode), np.convolve(a, v, mode), ulps=8)
        zoo.assert_same(bv.correlate(bv.asarray(v[:3]), bv.asarray(a), mode), np.correlate(v[:3], a, mode), ulps=8)
    v[1] = np.inf
    a = np.arange(1.0, 50.0)
    for mode in ("full", "same", "valid"):
        zoo.assert_same(bv.convolve(bv.asarray(a), bv.asarray(v), mode), np.convolve(a, v, mode), ulps=8)


@pytest.mark.parametrize("arguments", [([], [1]), ([1], []), ([[1]], [1]), ([1], [1], "all"), ([1, 2], [1], 3)])
def test_convolve_refuses_what_numpy_refuses(arguments):
    for xp in (bv, np):
        with pytest.raises(ValueError):
            xp.convolve(*arguments)


@pytest.mark.parametrize("dtype", ["float64", "int32", "complex128"])
def test_ediff1d_matches_numpy(dtype):
    a = zoo.values(1, dtype, 12, "small").reshape(3, 4)
    zoo.assert_same(bv.ediff1d(bv.asarray(a)), np.ediff1d(a))
    zoo.assert_same(bv.ediff1d(bv.asarray(a), [7], [1, 2]), np.ediff1d(a, [7], [1, 2]))
    zoo.assert_same(bv.ediff1d(bv.asarray(a[0, :1])), np.ediff1d(a[0, :1]))
    with pytest.raises(TypeError):
        bv.ediff1d(bv.asarray([1, 2]), to_end=0.5)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8", "complex128"])
@pytest.mark.parametrize("shape", [(7,), (5, 6), (3, 4, 5)])
@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_matches_numpy(dtype, shape, edge_order):
    a = zoo.values(2, dtype, int(np.prod(shape)), "finite").reshape(shape)
    x = bv.asarray(a)
    coordinates = [np.sort(RNG.normal(size=n)) for n in shape]
    calls = [((), {}), ((2.5,), {"axis": -1}), ((0.5,), {}), ((np.arange(shape[0]),), {"axis": 0})]
    if dtype in ("float64", "complex128"):
        calls += [(tuple(coordinates), {}), ((coordinates[-1],), {"axis": (-1,)})]
    for spacings, how in calls:
        found = bv.gradient(x, *spacings, edge_order=edge_order, **how)
        expected = np.gradient(a, *spacings, edge_order=edge_order, **how)
        if not isinstance(expected, tuple):
            found, expected = (found,), (expected,)
        for mine, wanted in zip(found, expected, strict=True):
            scale = float(np.max(np.abs(wanted)))
            zoo.assert_same(mine, wanted, ulps=64, scale=scale, signed_zeros=False)


@pytest.mark.parametrize(
    "error, arguments, how",
    [
        (ValueError, ([1.0],), {}),
        (ValueError, ([1.0, 2.0],), {"edge_order": 2}),
        (ValueError, ([1.0, 2.0, 3.0],), {"edge_order": 3}),
        (TypeError, ([1.0, 2.0], 1, 2), {}),
        (ValueError, ([1.0, 2.0, 4.0], [1.0, 2.0]), {}),
        (ValueError, ([1.0, 2.0], [[1.0, 2.0]]), {}),
        (ValueError, ([[1.0, 2.0], [1.0, 2.0]],), {"axis": (0, 0)}),
    ],
)
def test_gradient_refuses_what_numpy_refuses(error, arguments, how):
    for xp in (bv, np):
        with pytest.raises(error):
            xp.gradient(*arguments, **how)


OUTSIDE = [{}, {"left": 3.0}, {"right": -1.0, "left": 2.0}, {"period": 1.5}, {"period": -0.7}]


@pytest.mark.parametrize("how", OUTSIDE, ids=str)
@pytest.mark.parametrize("n_points", [1, 2, 3, 20, 500])
@pytest.mark.parametrize("n", [5, 100, 70_000])
def test_interp_matches_numpy(n, n_points, how):
    values = RNG.normal(size=n_points)
    for xp in (np.sort(RNG.normal(size=n_points)), np.linspace(-2, 2, n_points)):
        x = np.concatenate([RNG.normal(size=n), xp[:9], [np.nan, np.inf, -np.inf]])
        for points in (x, np.sort(RNG.normal(size=n)), np.sort(RNG.choice(xp, n)), x[:4].reshape(2, 2)):
            for fp in (values, values + 1j * values[::-1]):
                found = bv.interp(bv.asarray(points), bv.asarray(xp), bv.asarray(fp), **how)
                zoo.assert_same(found, np.interp(points, xp, fp, **how), ulps=4, atol=1e-12, signed_zeros=False)


def test_interp_with_infinite_points_and_values_matches_numpy():
    xp, fp = np.sort(RNG.normal(size=20)), RNG.normal(size=20)
    x = np.concatenate([RNG.normal(size=200) * 2, xp, [np.nan, np.inf]])
    fp[[3, 7, 8, 9]] = np.inf, -np.inf, np.nan, np.nan
    zoo.assert_same(bv.interp(bv.asarray(x), bv.asarray(xp), bv.asarray(fp)), np.interp(x, xp, fp), atol=1e-12)
    fp = RNG.normal(size=20)
    xp[0], xp[-1], fp[1] = -np.inf, np.inf, fp[0]
    zoo.assert_same(bv.interp(bv.asarray(x), bv.asarray(xp), bv.asarray(fp)), np.interp(x, xp, fp), atol=1e-12)


def test_interp_of_a_scalar_and_of_lists():
    zoo.assert_same(bv.interp(1.5, [1, 2], [10, 20]), np.interp(1.5, [1, 2], [10, 20]))
    assert bv.interp(bv.asarray([]), [1, 2], [3, 4]).shape == (0,)


@pytest.mark.parametrize("arguments", [([1.0], [], []), ([1.0], [1.0, 2.0], [1.0]), ([1.0], [[1.0]], [[1.0]])])
def test_interp_refuses_what_numpy_refuses(arguments):
    for xp in (bv, np):
        with pytest.raises(ValueError):
            xp.interp(*arguments)
        with pytest.raises(ValueError):
            xp.interp([1.0], [1.0, 2.0], [1.0, 2.0], period=0)


@pytest.mark.parametrize("dtype", ["float64", "int64", "int8"])
@pytest.mark.parametrize(
    "how", [{}, {"period": 4}, {"period": 5}, {"discont": 3.5}, {"axis": 0}, {"period": 4, "discont": 3}], ids=str
)
def test_unwrap_matches_numpy(dtype, how):
    a = np.cumsum(RNG.normal(size=(5, 30)) * 4, axis=1).astype(dtype)
    zoo.assert_same(bv.unwrap(bv.asarray(a), **how), np.unwrap(a, **how), atol=1e-12)


@pytest.mark.parametrize("n", [-2, 0, 1, 2, 3, 4, 5, 12, 51, 1000, 0.5, 5.5])
def test_windows_match_numpy(n):
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        zoo.assert_same(getattr(bv, name)(n), getattr(np, name)(n), atol=4e-16, context=name)
    for beta in (0, 5, 8.6, 14, 30):
        zoo.assert_same(bv.kaiser(n, beta), np.kaiser(n, beta), ulps=32)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_i0_matches_numpy(dtype):
    for low, high in ((0, 1), (0, 8), (7.9, 8.1), (-50, 50), (20, 80)):
        a = np.linspace(low, high, 40_001).astype(dtype)
        zoo.assert_same(bv.i0(bv.asarray(a)), np.i0(a), ulps=12 if dtype == "float64" else 24)
    assert bv.i0(3).dtype == bv.float64
    with pytest.raises(TypeError):
        bv.i0(1j)
