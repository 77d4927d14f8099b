"""Creation functions, compared with NumPy."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo

TYPES = st.none() | st.sampled_from(zoo.ALL)


def our_type(name):
    return None if name is None else zoo.dtype(name)


@given(zoo.shapes(), TYPES)
def test_zeros_and_ones_match_numpy(shape, name):
    for ours, theirs in [(bv.zeros, np.zeros), (bv.ones, np.ones)]:
        zoo.assert_same(ours(shape, dtype=our_type(name)), theirs(shape, dtype=name))
    assert bv.empty(shape, dtype=our_type(name)).shape == shape


def test_shapes_are_any_sequence_of_integers():
    for shape in [3, (3,), [3], np.int64(3), np.asarray([3]), range(3, 4), bv.asarray([3]), bv.asarray(3)]:
        assert bv.zeros(shape).shape == (3,)
    assert bv.zeros(()).shape == ()
    assert bv.zeros([2, np.int8(3)], device="cpu").shape == (2, 3)


@pytest.mark.parametrize("make", [bv.zeros, bv.ones, bv.empty, lambda shape: bv.full(shape, 1)])
def test_invalid_shapes_are_refused(make):
    for wrong in [2.0, "3", None, (2, 1.5), (2, "3"), {2: 3}, {2: 3}.items(), {2}]:
        with pytest.raises(TypeError):
            make(wrong)
    for wrong in [-1, (2, -3), 2**63, 2**70, (2**40, 2**40), (2**62, 0, 2**62)]:
        with pytest.raises((ValueError, MemoryError)):
            make(wrong)
    with pytest.raises(MemoryError):
        make(2**58)


@given(zoo.shapes(), st.sampled_from([True, False, 5, -3, 2.5, math.inf, math.nan, 1 - 2j]), TYPES)
def test_full_matches_numpy(shape, value, name):
    kind = "c" if name is None else np.dtype(name).kind
    loses_part = isinstance(value, complex) and kind != "c"
    is_out_of_range = kind in "iu" and isinstance(value, float) and not math.isfinite(value)
    if loses_part or is_out_of_range or (kind == "u" and value == -3):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            bv.full(shape, value, dtype=our_type(name))
    else:
        zoo.assert_same(bv.full(shape, value, dtype=our_type(name)), np.full(shape, value, dtype=name))


def test_full_broadcasts_its_value():
    zoo.assert_same(bv.full((2, 3), bv.asarray([1, 2, 3])), np.full((2, 3), np.asarray([1, 2, 3])))
    zoo.assert_same(bv.full(2, np.float32(1.5)), np.full(2, np.float32(1.5)))
    zoo.assert_same(bv.full(2, 2**64 - 1, dtype=bv.uint64), np.full(2, 2**64 - 1, np.uint64))
    with pytest.raises(OverflowError):
        bv.full(2, 256, dtype=bv.uint8)
    with pytest.raises(ValueError):
        bv.full(2, bv.asarray([1, 2, 3]))


@given(zoo.twins(zoo.ALL), TYPES)
def test_like_functions_match_numpy(pair, name):
    dtype = our_type(name)
    for ours, theirs in [(bv.zeros_like, np.zeros_like), (bv.ones_like, np.ones_like)]:
        zoo.assert_same(ours(pair.ours, dtype=dtype), theirs(pair.theirs, dtype=name))
    zoo.assert_same(bv.full_like(pair.ours, True, dtype=dtype), np.full_like(pair.theirs, True, dtype=name))
    empty = bv.empty_like(pair.ours, dtype=dtype, device="cpu")
    assert (empty.shape, empty.dtype.name) == (pair.theirs.shape, name or pair.theirs.dtype.name)


def test_like_functions_share_no_memory():
    x = bv.ones(3)
    y = bv.zeros_like(x)
    y += 5
    assert bv.all(x == 1)


INTEGERS = st.integers(-30, 30)
STEPS = st.integers(-7, 7).filter(bool)


@given(INTEGERS, st.none() | INTEGERS, STEPS, st.sampled_from([None, "int8", "int64", "float32", "float64"]))
def test_arange_of_integers_matches_numpy(start, stop, step, name):
    zoo.assert_same(bv.arange(start, stop, step, dtype=our_type(name)), np.arange(start, stop, step, dtype=name))


@given(INTEGERS, INTEGERS, st.floats(0.1, 3.0), st.booleans())
def test_arange_of_floats_has_numpys_length_and_does_not_accumulate_errors(start, stop, step, down):
    step = -step if down else step
    # NumPy accumulates the step; ours are correctly rounded.
    expected = [start + i * step for i in range(len(np.arange(start, stop, step)))]
    zoo.assert_same(bv.arange(start, stop, step), np.asarray(expected, np.float64))


def test_arange_is_exact_beyond_float_precision():
    low = 2**60
    assert [int(it) for it in bv.arange(low, low + 5, 2)] == [low, low + 2, low + 4]
    top = 2**64 - 3
    assert [int(it) for it in bv.arange(top, top + 2, dtype=bv.uint64)] == [top, top + 1]
    assert [int(it) for it in bv.arange(-(2**63), 2**63 - 1, 2**62)] == [-(2**63), -(2**62), 0, 2**62]


def test_arange_accepts_any_number_type():
    zoo.assert_same(bv.arange(np.int16(3)), np.arange(3))
    zoo.assert_same(bv.arange(np.float32(0), np.float64(2), bv.asarray(0.5)), np.arange(0, 2, 0.5))
    zoo.assert_same(bv.arange(3.0), np.arange(3.0))
    zoo.assert_same(bv.arange(5, 2), np.arange(5, 2))
    zoo.assert_same(bv.arange(2, step=0.5, device="cpu"), np.arange(0, 2, 0.5))


def test_invalid_ranges_are_refused():
    for arguments in [(0, 5, 0), (0.0, 5.0, 0.0), (0.0, math.inf), (math.nan,), (0.0, 1e300, 1e-300)]:
        with pytest.raises(ValueError):
            bv.arange(*arguments)
    for arguments in [(2**62,), (0.0, 1e17)]:
        with pytest.raises(MemoryError):
            bv.arange(*arguments)
    for arguments in [("x",), (1j,), (None,)]:
        with pytest.raises(TypeError):
            bv.arange(*arguments)
    with pytest.raises(OverflowError):
        bv.arange(0, 300, dtype=bv.int8)
    with pytest.raises(OverflowError):
        bv.arange(2**70)
    with pytest.raises(TypeError):
        bv.arange(3, dtype=bv.bool)


BOUNDS = st.floats(-1e6, 1e6)


@given(BOUNDS, BOUNDS, st.integers(0, 20), st.sampled_from([None, "float32", "float64"]), st.booleans())
def test_linspace_matches_numpy(start, stop, n, name, endpoint):
    found = bv.linspace(start, stop, n, dtype=our_type(name), endpoint=endpoint)
    expected = np.linspace(start, stop, n, dtype=name, endpoint=endpoint)
    zoo.assert_same(found, expected, ulps=2, scale=np.full(n, max(abs(start), abs(stop))))
    if n > 0:
        assert float(found[0]) == expected[0]
    if n > 1 and endpoint:
        assert float(found[-1]) == expected[-1]


def test_linspace_supports_complex_and_integer_dtypes():
    zoo.assert_same(bv.linspace(0, 1 + 1j, 3), np.linspace(0, 1 + 1j, 3))
    zoo.assert_same(bv.linspace(0, 10, 4, dtype=bv.int64), np.linspace(0, 10, 4, dtype=np.int64))
    with pytest.raises(ValueError, match="-1"):
        bv.linspace(0, 1, -1)
    with pytest.raises(TypeError):
        bv.linspace(0, 1, 2.5)
    with pytest.raises(MemoryError):
        bv.linspace(0, 1, 2**58)


@given(st.integers(0, 5), st.none() | st.integers(0, 5), st.integers(-6, 6), TYPES)
def test_eye_matches_numpy(rows, cols, k, name):
    zoo.assert_same(bv.eye(rows, cols, k=k, dtype=our_type(name)), np.eye(rows, cols, k=k, dtype=name or float))
    zoo.assert_same(bv.identity(rows), np.identity(rows))


def test_diagonals_out_of_range_are_zero():
    for k in [2**62, -(2**63), 2**63 - 1, 2**63, -(2**70)]:
        assert not bv.any(bv.eye(3, k=k))
        assert bv.any(bv.tril(bv.ones((3, 3)), k=k)) == (k > 0)
        assert bv.any(bv.triu(bv.ones((3, 3)), k=k)) == (k < 0)
    with pytest.raises(TypeError):
        bv.eye(3, k=1.0)
    with pytest.raises(ValueError, match="-2"):
        bv.eye(-2)
    with pytest.raises((MemoryError, ValueError)):
        bv.eye(2**40, 2**40)


@given(zoo.twins(zoo.ALL, zoo.shapes(min_rank=2)), st.integers(-6, 6))
def test_tril_and_triu_match_numpy(pair, k):
    zoo.assert_same(bv.tril(pair.ours, k=k), np.tril(pair.theirs, k=k))
    zoo.assert_same(bv.triu(pair.ours, k=k), np.triu(pair.theirs, k=k))


def test_tril_and_triu_of_one_axis_repeat_it_and_of_none_are_refused():
    for name in ["tril", "triu"]:
        zoo.assert_same(getattr(bv, name)(bv.asarray([1, 2, 3])), getattr(np, name)(np.asarray([1, 2, 3])))
        with pytest.raises(ValueError):
            getattr(bv, name)(bv.asarray(1.0))


@given(st.lists(st.integers(0, 3), max_size=3), st.sampled_from(["xy", "ij"]))
def test_meshgrid_returns_views_and_matches_numpy(lengths, indexing):
    arrays = [np.arange(float(n)) for n in lengths]
    ours = [bv.asarray(it, copy=True) for it in arrays]
    found = bv.meshgrid(*ours, indexing=indexing)
    expected = np.meshgrid(*arrays, indexing=indexing)
    assert isinstance(found, tuple)
    assert len(found) == len(expected)
    for grid, theirs, source in zip(found, expected, ours):
        zoo.assert_same(grid, theirs)
        assert grid.size == 0 or bv.shares_memory(grid, source)


def test_meshgrid_refuses_unknown_indexing():
    with pytest.raises(ValueError, match="zz"):
        bv.meshgrid(bv.ones(2), indexing="zz")


def test_meshgrid_flattens_as_numpy_does():
    ours, theirs = bv.meshgrid(bv.asarray([[1, 2], [3, 4]]), 5), np.meshgrid([[1, 2], [3, 4]], 5)
    for grid, expected in zip(ours, theirs):
        zoo.assert_same(grid, expected)
