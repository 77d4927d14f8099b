"""Sorting: sort, argsort, topk and partition."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

ORDERED = zoo.BOOL + zoo.INTEGERS + zoo.REALS


@given(zoo.twins(ORDERED, zoo.shapes(min_rank=1, max_len=7)), st.data())
def test_sort_and_argsort_are_stable_in_both_directions(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    order = np.argsort(pair.theirs, axis, stable=True)
    zoo.assert_same(bv.sort(pair.ours, axis=axis), np.sort(pair.theirs, axis, stable=True))
    zoo.assert_same(bv.argsort(pair.ours, axis=axis), order)
    downwards = bv.argsort(pair.ours, axis=axis, descending=True)
    taken = bv.take_along_axis(pair.ours, downwards, axis=axis)
    zoo.assert_same(taken, zoo.to_numpy(bv.sort(pair.ours, axis=axis, descending=True)))
    if not np.isnan(pair.theirs.astype(np.float64)).any():
        # Equal elements keep their order in descending order too.
        back = np.flip(np.argsort(np.flip(pair.theirs, axis), axis, stable=True), axis)
        zoo.assert_same(downwards, pair.theirs.shape[axis] - 1 - back)


def test_nan_is_last_in_ascending_order():
    x = bv.asarray([bv.nan, 1.0, 2.0])
    zoo.assert_same(bv.sort(x), [1.0, 2.0, np.nan])
    assert bool(bv.isnan(bv.sort(x, descending=True)[0]) | bv.isnan(bv.sort(x, descending=True)[-1]))


@given(zoo.twins(zoo.INTEGERS + ("float64",), zoo.shapes(min_rank=1, min_len=1), kind="small"), st.data())
def test_topk_is_the_start_of_sort(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    k = data.draw(st.integers(0, pair.theirs.shape[axis]))
    largest = data.draw(st.booleans())
    found = bv.topk(pair.ours, k, axis=axis, largest=largest)
    expected = np.sort(pair.theirs, axis)
    expected = np.take(np.flip(expected, axis) if largest else expected, range(k), axis)
    zoo.assert_same(found.values, expected, signed_zeros=False)
    zoo.assert_same(bv.take_along_axis(pair.ours, found.indices, axis=axis), zoo.to_numpy(found.values))


@given(zoo.twins(zoo.INTEGERS + ("float64",), zoo.shapes(min_rank=1, min_len=1), kind="small"), st.data())
def test_partition_puts_the_kth_element_in_place(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    kth = data.draw(st.integers(0, pair.theirs.shape[axis] - 1))
    found = bv.partition(pair.ours, kth, axis=axis)
    again = bv.take_along_axis(pair.ours, bv.argpartition(pair.ours, kth, axis=axis), axis=axis)
    expected = np.take(np.sort(pair.theirs, axis), kth, axis)
    for it in (found, again):
        zoo.assert_same(bv.take(it, bv.asarray(kth), axis=axis), expected, signed_zeros=False)
        zoo.assert_same(bv.sort(it, axis=axis), np.sort(pair.theirs, axis), signed_zeros=False)


def test_results_are_named_tuples():
    found = bv.topk(bv.asarray([3, 9, 1]), 2)
    assert found._fields == ("values", "indices")
    values, indices = found
    zoo.assert_same(values, np.array([9, 3]))
    zoo.assert_same(indices, np.array([1, 0]))


@given(zoo.twins(zoo.COMPLEX, zoo.shapes(min_rank=1, max_len=7), kind="small"))
def test_complex_numbers_are_sorted_lexicographically(pair):
    zoo.assert_same(bv.sort(pair.ours), np.sort(pair.theirs, stable=True), signed_zeros=False)
    zoo.assert_same(bv.argsort(pair.ours), np.argsort(pair.theirs, stable=True))


@pytest.mark.parametrize("call", [bv.sort, bv.argsort])
def test_an_axis_out_of_range_is_refused(call):
    with pytest.raises(IndexError):
        call(bv.asarray([1]), axis=1)
    with pytest.raises(TypeError):
        call(bv.asarray([1]), axis=0.5)
