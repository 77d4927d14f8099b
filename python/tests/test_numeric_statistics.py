"""Averages, covariances, histograms and functions that ignore NaN, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


def assert_all(ours, theirs, **how):
    """Compares arrays, or the arrays of tuples and lists."""
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for mine, wanted in zip(ours, theirs):
            assert_all(mine, wanted, **how)
    else:
        zoo.assert_same(ours, theirs, signed_zeros=False, **how)


@given(
    pair=zoo.twins(("float64", "float32", "int64", "complex128"), zoo.shapes(3, min_len=1), kind="small"),
    data=st.data(),
)
def test_average_matches_numpy(pair, data):
    x, a = pair
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    how = {"axis": axis, "returned": True, "keepdims": data.draw(st.booleans())}
    assert_all(bv.average(x, **how), np.average(a, **how), ulps=16, atol=1e-6 if a.dtype == "float32" else 1e-14)
    weights = np.arange(1.0, a.size + 1).reshape(a.shape)
    expected = np.average(a, weights=weights, **how)
    assert_all(bv.average(x, weights=bv.asarray(weights), **how), expected, ulps=16, atol=1e-14)
    if axis is not None:
        weights = np.arange(1.0, a.shape[axis] + 1)
        expected = np.average(a, weights=weights, **how)
        assert_all(bv.average(x, weights=bv.asarray(weights), **how), expected, ulps=16, atol=1e-14)


def test_weights_of_several_axes():
    a, w = np.arange(24.0).reshape(2, 3, 4), np.arange(1.0, 9.0).reshape(4, 2)
    zoo.assert_same(bv.average(bv.asarray(a), (2, 0), bv.asarray(w)), np.average(a, (2, 0), w), ulps=4)


def test_average_refuses_what_numpy_refuses():
    x = bv.ones((2, 3))
    with pytest.raises(TypeError, match="axis"):
        bv.average(x, weights=bv.ones(3))
    with pytest.raises(ValueError, match="weights"):
        bv.average(x, axis=0, weights=bv.ones(3))
    with pytest.raises(ZeroDivisionError):
        bv.average(x, axis=1, weights=bv.zeros(3))


@pytest.mark.parametrize("dtype", ["float64", "complex128", "float32", "int64"])
@pytest.mark.parametrize("rowvar", [True, False])
def test_cov_and_corrcoef_match_numpy(dtype, rowvar):
    a = zoo.values(3, dtype, 120, "small").reshape(4, 30)
    x = bv.asarray(a)
    y = zoo.values(4, dtype, 120, "small").reshape(4, 30)
    assert_all(bv.cov(x, rowvar=rowvar), np.cov(a, rowvar=rowvar), ulps=64, atol=1e-12)
    assert_all(bv.cov(x, bv.asarray(y), rowvar), np.cov(a, y, rowvar), ulps=64, atol=1e-12)
    assert_all(bv.cov(x[0]), np.cov(a[0]), ulps=64, atol=1e-12)
    if rowvar:
        assert_all(bv.corrcoef(x), np.corrcoef(a), ulps=64, atol=1e-12)
        assert_all(bv.corrcoef(x[0], bv.asarray(y[0])), np.corrcoef(a[0], y[0]), ulps=64, atol=1e-12)
        assert_all(bv.corrcoef(x[0]), np.corrcoef(a[0]), ulps=64)


@pytest.mark.parametrize("ddof", [None, 0, 2])
@pytest.mark.parametrize("bias", [False, True])
def test_weighted_cov_matches_numpy(bias, ddof):
    rng = np.random.default_rng(0)
    a, frequencies, weights = rng.normal(size=(3, 40)), rng.integers(0, 4, 40), rng.random(40)
    for fweights in (None, frequencies):
        for aweights in (None, weights):
            how = {"bias": bias, "ddof": ddof, "fweights": fweights, "aweights": aweights}
            assert_all(bv.cov(bv.asarray(a), **how), np.cov(a, **how), ulps=64, atol=1e-13)


@pytest.mark.parametrize(
    "error, arguments",
    [
        (ValueError, {"ddof": 0.5}),
        (TypeError, {"fweights": [0.5] * 3}),
        (RuntimeError, {"fweights": [1] * 4}),
        (RuntimeError, {"aweights": [[1, 1, 1]]}),
        (ValueError, {"aweights": [1, -1, 1]}),
    ],
)
def test_cov_refuses_what_numpy_refuses(error, arguments):
    for xp in (bv, np):
        with pytest.raises(error):
            xp.cov(xp.asarray([[1.0, 2.0, 4.0], [0.0, 3.0, 1.0]]), **arguments)


@pytest.mark.filterwarnings("ignore:The number of bins")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("limits", [None, (-1, 2)])
def test_rules_for_bins_match_numpy(rule, limits):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=120), rng.exponential(size=500), (rng.normal(size=99) * 10).astype(int), np.zeros(5)]
    arrays += [np.array([]), np.array([1.0]), np.array([3, 3, 4, 200], np.uint8)]
    if rule != "stone":
        # Its minimum is too flat for the rounding of float32.
        arrays.append(arrays[0].astype("float32"))
    for a in arrays:
        expected = np.histogram_bin_edges(a, rule, limits)
        zoo.assert_same(bv.histogram_bin_edges(bv.asarray(a), rule, limits), expected, ulps=4, atol=1e-6)


def test_bins_by_number_and_by_edges_match_numpy():
    a = np.array([[1.0, 2.5], [4.0, 9.0]])
    for bins in (1, 7, [0.0, 1.0, 5.0], (1, 2)):
        expected = np.histogram_bin_edges(a, bins)
        zoo.assert_same(bv.histogram_bin_edges(bv.asarray(a), bins), expected, ulps=2)


@pytest.mark.parametrize(
    "error, arguments",
    [
        (ValueError, {"bins": "best"}),
        (TypeError, {"bins": "auto", "weights": [1.0, 2.0]}),
        (TypeError, {"bins": 2.5}),
        (ValueError, {"bins": 0}),
        (ValueError, {"bins": [3.0, 1.0]}),
        (ValueError, {"bins": [[1.0, 2.0]]}),
        (ValueError, {"range": (2, 1)}),
        (ValueError, {"range": (0, float("inf"))}),
        (ValueError, {"weights": [1.0]}),
    ],
)
def test_bins_that_numpy_refuses(error, arguments):
    for xp in (bv, np):
        with pytest.raises(error):
            xp.histogram_bin_edges(xp.asarray([1.0, 2.0]), **arguments)


@pytest.mark.parametrize("bins", [10, (3, 4), "edges", "mixed", "same edges"])
@pytest.mark.parametrize("limits", [None, [(-1, 1), (0, 2)]])
@pytest.mark.parametrize("density", [None, True])
def test_histograms_of_points_match_numpy(bins, limits, density):
    rng = np.random.default_rng(0)
    edges = np.linspace(-1, 1, 6)
    bins = {"edges": [edges, edges[1:]], "mixed": [edges, 7], "same edges": edges}.get(bins, bins)
    points = np.round(rng.normal(size=(2, 200)), 1)
    for weights in (None, rng.random(200)):
        x, y = bv.asarray(points[0]), bv.asarray(points[1])
        w = None if weights is None else bv.asarray(weights)
        found = bv.histogram2d(x, y, bins, limits, density, w)
        assert_all(found, np.histogram2d(*points, bins, limits, density, weights), ulps=16, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
def test_histograms_of_many_axes_match_numpy(dtype):
    points = zoo.values(1, dtype, 300, "small").reshape(100, 3)
    if dtype == "bool":
        points = points.astype("uint8")
    for bins in (4, [2, 3, 5], [[0, 1, 3], 4, 2]):
        assert_all(bv.histogramdd(bv.asarray(points), bins), np.histogramdd(points, bins), ulps=4)
        columns = list(points.T)
        assert_all(bv.histogramdd([bv.asarray(it) for it in columns], bins), np.histogramdd(columns, bins), ulps=4)


def test_histograms_ignore_nan_and_outliers():
    x = np.array([np.nan, -5.0, 0.0, 0.5, 1.0, 7.0, np.inf])
    limits = [(0, 1), (0, 1)]
    expected = np.histogram2d(x, x, 2, limits)
    assert_all(bv.histogram2d(bv.asarray(x), bv.asarray(x), 2, limits), expected)
    with pytest.raises(ValueError, match="finite"):
        bv.histogram2d(bv.asarray(x), bv.asarray(x))


@pytest.mark.parametrize(
    "error, arguments",
    [(ValueError, ([1, 2, 3],)), (ValueError, (0,)), (TypeError, (2.5,)), (ValueError, (2, [(0, 1)]))],
)
def test_histogramdd_refuses_what_numpy_refuses(error, arguments):
    for xp in (bv, np):
        with pytest.raises(error):
            xp.histogramdd(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), *arguments)


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
@given(pair=zoo.twins(("float64", "int64", "bool", "int8", "complex128"), kind="small"), data=st.data())
def test_cumulative_functions_without_nan_match_numpy(name, pair, data):
    x, a = pair
    if a.dtype.kind == "f":
        mask = np.arange(a.size).reshape(a.shape) % 3 == 0
        a = np.where(mask, np.nan, a)
        x = bv.asarray(a)
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    zoo.assert_same(getattr(bv, name)(x, axis), getattr(np, name)(a, axis), ulps=8, signed_zeros=False)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
@given(pair=zoo.twins(("float64", "float32", "int64"), zoo.shapes(3, min_rank=1, min_len=1)), data=st.data())
def test_positions_without_nan_match_numpy(name, pair, data):
    x, a = pair
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    keepdims = data.draw(st.booleans())
    try:
        expected = getattr(np, name)(a, axis, keepdims=keepdims)
    except ValueError:
        with pytest.raises(ValueError, match="NaN"):
            getattr(bv, name)(x, axis, keepdims=keepdims)
    else:
        zoo.assert_same(getattr(bv, name)(x, axis, keepdims=keepdims), expected)


@pytest.mark.filterwarnings("ignore:All-NaN slice")
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_nanpercentile_matches_numpy(method):
    a = np.random.default_rng(0).normal(size=(4, 30))
    a[:, ::7] = np.nan
    x = bv.asarray(a)
    for q in (50, [0, 12.5, 100], [[25, 75]]):
        for axis in (None, 0, 1, (0, 1)):
            for keepdims in (False, True):
                how = {"axis": axis, "method": method, "keepdims": keepdims}
                zoo.assert_same(bv.nanpercentile(x, q, **how), np.nanpercentile(a, q, **how), ulps=8)
    with pytest.raises(ValueError, match="100"):
        bv.nanpercentile(x, 101)


@pytest.mark.parametrize("dtype", [bv.int64, bv.uint64])
def test_selected_quantiles_of_large_integers_are_exact(dtype):
    values = [2**62 + 1, 2**62 + 2, 2**62 + 3]
    x = bv.asarray(values, dtype=dtype)
    assert bv.quantile(x, [0, 0.5, 1], method="lower").tolist() == values
    assert bv.median(bv.asarray([1, 2, 9])).item() == bv.percentile([1, 2, 9], 50, method="nearest").item()


def test_weighted_quantiles_are_those_of_repeated_elements():
    rng = np.random.default_rng(5)
    x, n = rng.normal(size=9), rng.integers(0, 4, 9)
    q = np.append(rng.random(21), [0, 1])
    expected = np.quantile(np.repeat(x, n), q, method="inverted_cdf")
    assert bv.quantile(bv.asarray(x), q, weights=n, method="inverted_cdf").tolist() == expected.tolist()
    assert bv.percentile(x, 100 * q, weights=n, method="inverted_cdf").tolist() == expected.tolist()
    x[n == 0] = np.nan
    assert bv.nanquantile(x, q, weights=n, method="inverted_cdf").tolist() == expected.tolist()


@pytest.mark.parametrize("weights", [[1, bv.inf], [1, bv.nan], [0, 0], [1, -1], [1, 2, 3], [1j, 1]])
def test_weights_that_have_no_quantile_are_refused(weights):
    with pytest.raises((TypeError, ValueError), match="weights"):
        bv.quantile([1.0, 2.0], 0.5, method="inverted_cdf", weights=weights)
