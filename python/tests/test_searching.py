"""Searching: argmax, nonzero, searchsorted, where, take and put."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(pair=zoo.twins(zoo.INTEGERS + zoo.REALS, zoo.shapes(min_rank=1, min_len=1)), data=st.data())
def test_argmax_and_argmin_match_numpy(name, pair, data):
    axis = data.draw(st.sampled_from([None, *range(-pair.theirs.ndim, pair.theirs.ndim)]))
    keepdims = data.draw(st.booleans())
    expected = getattr(np, name)(pair.theirs, axis=axis, keepdims=keepdims)
    zoo.assert_same(getattr(bv, name)(pair.ours, axis=axis, keepdims=keepdims), expected)


@given(zoo.twins(shape=zoo.shapes(min_rank=1), kind="small"))
def test_nonzero_returns_indices_for_each_axis(pair):
    found = bv.nonzero(pair.ours)
    assert isinstance(found, tuple)
    for ours, theirs in zip(found, np.nonzero(pair.theirs), strict=True):
        zoo.assert_same(ours, theirs)
    zoo.assert_same(bv.argwhere(pair.ours), np.argwhere(pair.theirs))


@given(
    zoo.twins(zoo.INTEGERS + zoo.REALS, zoo.shapes(min_rank=1, max_rank=1, max_len=9), kind="small"),
    zoo.twins(zoo.INTEGERS + zoo.REALS, kind="small"),
    st.sampled_from(["left", "right"]),
)
def test_searchsorted_matches_numpy(pair, wanted, side):
    order = np.argsort(pair.theirs)
    expected = np.searchsorted(pair.theirs[order], wanted.theirs, side)
    zoo.assert_same(bv.searchsorted(bv.sort(pair.ours), wanted.ours, side=side), expected)
    zoo.assert_same(bv.searchsorted(pair.ours, wanted.ours, side=side, sorter=bv.asarray(order)), expected)
    zoo.assert_same(bv.searchsorted(bv.sort(pair.ours), 3, side=side), np.searchsorted(pair.theirs[order], 3, side))


@given(zoo.broadcastable_twins(n=2), st.data())
def test_where_matches_numpy(pairs, data):
    [x, y] = pairs
    condition = data.draw(zoo.twins(zoo.BOOL, np.broadcast_shapes(x.theirs.shape, y.theirs.shape)))
    zoo.assert_same(bv.where(condition.ours, x.ours, y.ours), np.where(condition.theirs, x.theirs, y.theirs))


@pytest.mark.parametrize("dtype", zoo.NUMERIC)
def test_where_scalars_take_the_dtype_of_the_array(dtype):
    condition, x = np.array([True, False]), np.array([5, 6], dtype)
    ours = bv.asarray(condition), bv.asarray(x)
    zoo.assert_same(bv.where(ours[0], ours[1], 1), np.where(condition, x, 1))
    zoo.assert_same(bv.where(ours[0], 1, ours[1]), np.where(condition, 1, x))
    if x.dtype.kind in "fc":
        zoo.assert_same(bv.where(ours[0], 1.5, ours[1]), np.where(condition, 1.5, x))


@given(zoo.twins(shape=zoo.shapes(min_rank=1, min_len=1)), st.data())
def test_take_matches_numpy(pair, data):
    axis = data.draw(st.sampled_from([None, *range(-pair.theirs.ndim, pair.theirs.ndim)]))
    n = pair.theirs.size if axis is None else pair.theirs.shape[axis]
    shape = data.draw(zoo.shapes(max_rank=2))
    indices = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-n, n, shape)
    zoo.assert_same(bv.take(pair.ours, bv.asarray(indices), axis=axis), np.take(pair.theirs, indices, axis))


@given(zoo.twins(shape=zoo.shapes(min_rank=1, min_len=1)), st.data())
def test_take_along_axis_matches_numpy(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    shape = list(pair.theirs.shape)
    shape[axis] = data.draw(st.integers(0, 5))
    n = pair.theirs.shape[axis]
    indices = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-n, n, shape)
    found = bv.take_along_axis(pair.ours, bv.asarray(indices), axis=axis)
    zoo.assert_same(found, np.take_along_axis(pair.theirs, indices, axis))


@given(zoo.twins(zoo.NUMERIC, zoo.shapes(min_rank=1, min_len=1), overlapping=False), st.data())
def test_put_along_axis_matches_numpy(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    order = np.argsort(pair.theirs, axis)
    bv.put_along_axis(pair.ours, bv.asarray(order), bv.flip(pair.ours), axis=axis)
    np.put_along_axis(pair.theirs, order, np.flip(pair.theirs).copy(), axis)
    zoo.assert_same(pair.our_base, pair.their_base)


WRONG = {
    "a side that does not exist": (lambda x: bv.searchsorted(x, x, side="middle"), ValueError),
    "a sorter that points outside": (lambda x: bv.searchsorted(x, 1, sorter=bv.asarray([0, 1, 9])), IndexError),
    "an index outside": (lambda x: bv.take(x, bv.asarray([3])), IndexError),
    "an index that is a float": (lambda x: bv.take(x, bv.asarray([0.5])), (TypeError, IndexError)),
    "several axes": (lambda x: bv.argmax(x, axis=(0,)), TypeError),
    "the position of nothing": (lambda _: bv.argmax(bv.zeros(0)), ValueError),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_invalid_arguments_are_refused(wrong):
    call, error = WRONG[wrong]
    with pytest.raises(error):
        call(bv.asarray([1.0, 2.0, 3.0]))
