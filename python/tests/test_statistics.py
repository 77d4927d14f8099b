"""Reductions and scans compared with NumPy, over any axes of any layout."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv


@st.composite
def reductions(draw, dtypes=zoo.ALL, **options):
    """Draws a pair, an axis argument (none, one or several) and keepdims."""
    options.setdefault("kind", "small")
    pair = draw(zoo.twins(dtypes, **options))
    rank = pair.theirs.ndim
    axes = draw(st.permutations(range(rank)))[: draw(st.integers(0, rank))]
    axes = tuple(axis - rank * draw(st.integers(0, 1)) for axis in axes)
    axis = draw(st.sampled_from([None, axes] + ([axes[0]] if axes else [])))
    return pair, {"axis": axis, "keepdims": draw(st.booleans())}


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "all", "any", "count_nonzero"])
@given(drawn=reductions())
def test_sum_prod_and_mean_match_numpy(name, drawn):
    pair, how = drawn
    expected = getattr(np, name)(pair.theirs, **how)
    # NumPy accumulates float16 in float16; ours in a wider type.
    ulps = {"float16": 16, "float32": 16, "complex64": 32}.get(pair.theirs.dtype.name, 8)
    scale = np.sum(np.abs(pair.theirs).astype(np.float64), **how) if name in ("sum", "mean") else None
    if name == "prod" and pair.theirs.dtype.name in ("float16", "complex64", "complex128"):
        wide = np.prod(pair.theirs, dtype=np.complex128 if pair.theirs.dtype.kind == "c" else np.float64, **how)
        expected, ulps = wide.astype(pair.theirs.dtype), 64
    if name == "mean" and pair.theirs.dtype.name == "float16":
        expected = np.mean(pair.theirs, dtype=np.float64, **how).astype(np.float16)
    zoo.assert_same(getattr(bv, name)(pair.ours, **how), expected, ulps=ulps, scale=scale, signed_zeros=False)


@pytest.mark.parametrize("name", ["max", "min", "ptp", "median"])
@given(drawn=reductions(zoo.INTEGERS + zoo.REALS, shape=zoo.shapes(min_len=1), kind="any"))
def test_min_and_max_match_numpy(name, drawn):
    pair, how = drawn
    if name == "median":
        pair = zoo.twins_of(zoo.values(1, "float64", pair.theirs.size + 1, "finite"), flat_layout(pair.theirs.shape))
    expected = getattr(np, name)(pair.theirs, **how)
    # The mean of two elements of opposite sign is accurate relative to these, not to itself.
    atol = 1e-13 if name == "median" else 0.0
    zoo.assert_same(getattr(bv, name)(pair.ours, **how), expected, signed_zeros=False, atol=atol)


def flat_layout(shape):
    """Returns a row-major layout that starts at offset 1."""
    size = int(np.prod(shape))
    strides = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
    return zoo.Layout(shape, tuple(strides), 1, size + 1)


@pytest.mark.parametrize("name", ["var", "std"])
@given(
    drawn=reductions(("float32", "float64", "complex64", "complex128", "int32", "uint8")),
    correction=st.sampled_from([0, 1, 0.5]),
)
def test_var_and_std_match_numpy(name, drawn, correction):
    pair, how = drawn
    axis = how["axis"]
    axes = range(pair.theirs.ndim) if axis is None else np.atleast_1d(axis).astype(int)
    n_elements = int(np.prod([pair.theirs.shape[k] for k in axes]))
    if n_elements - correction <= 0:
        return
    expected = getattr(np, name)(pair.theirs, correction=correction, **how)
    found = getattr(bv, name)(pair.ours, correction=correction, **how)
    zoo.assert_same(found, expected, ulps=64, atol=1e-5 if expected.dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("name", ["sum", "prod"])
@given(
    drawn=reductions(zoo.INTEGERS, shape=zoo.shapes(max_rank=3)),
    dtype=st.sampled_from(zoo.INTEGERS + zoo.STANDARD_REALS),
)
def test_sum_and_prod_use_the_given_dtype(name, drawn, dtype):
    pair, how = drawn
    expected = getattr(np, name)(pair.theirs, dtype=dtype, **how)
    ulps = 64 if expected.dtype.kind == "f" else 0
    found = getattr(bv, name)(pair.ours, dtype=zoo.dtype(dtype), **how)
    zoo.assert_same(found, expected, ulps=ulps, signed_zeros=False)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@given(pair=zoo.twins(zoo.INTEGERS + ("float64", "complex128"), zoo.shapes(min_rank=1), kind="small"), data=st.data())
def test_cumulative_sum_and_prod_match_numpy(name, pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    initial = data.draw(st.booleans())
    if pair.theirs.ndim == 1 and data.draw(st.booleans()):
        axis = None
    expected = getattr(np, name)(pair.theirs, axis=axis, include_initial=initial)
    found = getattr(bv, name)(pair.ours, axis=axis, include_initial=initial)
    zoo.assert_same(found, expected, ulps=16, signed_zeros=False)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@given(pair=zoo.twins(zoo.INTEGERS + zoo.REALS, zoo.shapes(min_rank=1)), data=st.data())
def test_cummax_and_cummin_match_numpy(name, pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    ufunc = {"cummax": np.maximum, "cummin": np.minimum}[name]
    zoo.assert_same(getattr(bv, name)(pair.ours, axis=axis), ufunc.accumulate(pair.theirs, axis), signed_zeros=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd", "nanmedian"])
@given(drawn=reductions(("float64",), shape=zoo.shapes(min_len=1), kind="finite"), holes=st.integers(0, 2**32 - 1))
def test_nan_reductions_match_numpy(name, drawn, holes):
    pair, how = drawn
    is_hole = np.random.default_rng(holes).random(pair.their_base.shape) < 0.3
    pair.their_base[is_hole] = np.nan
    pair.our_base[bv.asarray(is_hole)] = bv.nan
    expected = getattr(np, name)(pair.theirs, **how)
    if name in ("nanmin", "nanmax") and pair.theirs.size == 0:
        return
    zoo.assert_same(getattr(bv, name)(pair.ours, **how), expected, ulps=64, atol=1e-11, signed_zeros=False)


@given(zoo.twins(("float64",), zoo.shapes(min_rank=1, min_len=1), kind="finite"), st.data())
def test_quantile_matches_numpy(pair, data):
    methods = ["linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf"]
    methods += ["closest_observation", "interpolated_inverted_cdf", "hazen", "weibull"]
    methods += ["median_unbiased", "normal_unbiased"]
    method = data.draw(st.sampled_from(methods))
    axis = data.draw(st.sampled_from([None, *range(pair.theirs.ndim)]))
    q = np.array(data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=3)))
    how = {"axis": axis, "method": method, "keepdims": data.draw(st.booleans())}
    for ours, theirs in ((bv.asarray(q), q), (float(q[0]), q[0])):
        expected = np.quantile(pair.theirs, theirs, **how)
        zoo.assert_same(bv.quantile(pair.ours, ours, **how), expected, ulps=8, atol=1e-10)


@given(zoo.twins(("float64", "float32", "int32"), kind="small"), st.integers(1, 6), st.booleans())
def test_histogram_matches_numpy(pair, bins, density):
    counts, edges = np.histogram(pair.theirs, bins, range=(-4.0, 6.0), density=density)
    if density and counts.size and np.isnan(counts).any():
        return
    found = bv.histogram(pair.ours, bins, range=(-4.0, 6.0), density=density)
    # The edges of float32 data are float32, and densities are divided by their differences.
    zoo.assert_same(found.counts, counts, ulps=4, atol=1e-6 * density)
    zoo.assert_same(found.edges, edges, ulps=2)
    with_edges = bv.histogram(pair.ours, bv.asarray(edges))
    zoo.assert_same(with_edges.counts, np.histogram(pair.theirs, edges)[0])


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 12))
def test_bincount_matches_numpy(numbers, minlength):
    x = np.array(numbers, dtype=np.int64)
    weights = x * 0.5
    zoo.assert_same(bv.bincount(bv.asarray(x), minlength=minlength), np.bincount(x, minlength=minlength))
    found = bv.bincount(bv.asarray(x), bv.asarray(weights), minlength)
    zoo.assert_same(found, np.bincount(x, weights, minlength).astype(np.float64), ulps=4)


@given(zoo.twins(zoo.INTEGERS + ("float64",), zoo.shapes(min_rank=1), kind="small"), st.integers(0, 3), st.data())
def test_diff_matches_numpy(pair, n, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    zoo.assert_same(bv.diff(pair.ours, axis=axis, n=n), np.diff(pair.theirs, axis=axis, n=n), signed_zeros=False)
    found = bv.diff(pair.ours, axis=axis, n=n, prepend=pair.ours, append=bv.flip(pair.ours))
    expected = np.diff(pair.theirs, axis=axis, n=n, prepend=pair.theirs, append=np.flip(pair.theirs))
    zoo.assert_same(found, expected, signed_zeros=False)


@given(zoo.twins(("float64",), zoo.shapes(min_rank=1), kind="small"), st.data())
def test_trapezoid_matches_numpy(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    expected = np.trapezoid(pair.theirs, dx=0.5, axis=axis)
    zoo.assert_same(bv.trapezoid(pair.ours, dx=0.5, axis=axis), expected, ulps=8, atol=1e-12)


def test_sum_of_bfloat16_is_bfloat16():
    ours, _ = zoo.as_bfloat16(np.ones(300, np.float32))
    assert bv.sum(ours).dtype == bv.bfloat16
    assert float(bv.sum(ours)) == 300


WRONG = {
    "an axis that is not there": (lambda x: bv.sum(x, axis=2), IndexError),
    "an axis twice": (lambda x: bv.sum(x, axis=(0, 0)), ValueError),
    "a float for an axis": (lambda x: bv.sum(x, axis=0.5), TypeError),
    "the greatest of nothing": (lambda _: bv.max(bv.zeros((0,))), ValueError),
    "the greatest complex number": (lambda x: bv.max(bv.astype(x, bv.complex64)), TypeError),
    "a type that does not exist": (lambda x: bv.sum(x, dtype="float12"), TypeError),
    "no axis where there are two": (lambda x: bv.cumulative_sum(x), ValueError),
    "a quantile beyond 1": (lambda x: bv.quantile(x, 1.5), ValueError),
    "a method that does not exist": (lambda x: bv.quantile(x, 0.5, method="other"), ValueError),
    "a negative length": (lambda _: bv.bincount(bv.asarray([1]), minlength=-1), ValueError),
    "a negative number to be counted": (lambda _: bv.bincount(bv.asarray([-1])), ValueError),
    "counting up to a very large number": (lambda _: bv.bincount(bv.asarray([2**62])), (MemoryError, ValueError)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_invalid_arguments_are_refused(wrong):
    call, error = WRONG[wrong]
    with pytest.raises(error):
        call(bv.ones((2, 3)))
