"""Tests of the zoo: the layouts it generates, and its comparison functions."""

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo


def offsets(layout):
    """Returns the offset of every element."""
    return np.lib.stride_tricks.as_strided(
        np.arange(layout.size)[layout.offset :], layout.shape, [8 * stride for stride in layout.strides]
    )


@given(zoo.shapes().flatmap(zoo.layouts))
def test_elements_are_within_their_memory(layout):
    for axes in np.ndindex(layout.shape):
        assert 0 <= layout.offset + sum(i * stride for i, stride in zip(axes, layout.strides)) < layout.size


@given(zoo.shapes().flatmap(lambda shape: zoo.layouts(shape, overlapping=False)))
def test_writable_layouts_are_injective(layout):
    assert len(np.unique(offsets(layout))) == np.prod(layout.shape)


ODD = {
    "transposed": lambda it: len(it.shape) == 2 and min(it.shape) > 1 and abs(it.strides[0]) < abs(it.strides[1]),
    "backwards": lambda it: any(n > 1 and stride < 0 for n, stride in zip(it.shape, it.strides)),
    "broadcast": lambda it: any(n > 1 and stride == 0 for n, stride in zip(it.shape, it.strides)),
    "window": lambda it: len(it.shape) > 1 and it.strides[0] == it.strides[1] != 0 and min(it.shape) > 1,
    "gaps": lambda it: len(it.shape) == 1 and it.shape[0] > 1 and it.strides[0] > 1,
    "behind the start": lambda it: it.offset > 0 and min(it.strides, default=0) >= 0,
    "empty": lambda it: 0 in it.shape,
    "without axes": lambda it: it.shape == (),
    "contiguous": lambda it: it.shape == (3, 2) and it.strides == (2, 1) and it.size == 6,
}


@pytest.mark.parametrize("name", ODD)
def test_every_kind_of_layout_is_generated(name):
    settings = hypothesis.settings(max_examples=2000, phases=[hypothesis.Phase.generate])
    assert hypothesis.find(zoo.shapes().flatmap(zoo.layouts), ODD[name], settings=settings)


@given(zoo.twins())
def test_twins_are_equal_and_share_no_memory(pair):
    zoo.assert_same(pair.ours, pair.theirs)
    assert not np.shares_memory(np.asarray(pair.our_base), pair.their_base)
    assert pair.ours.strides == pair.theirs.strides or pair.theirs.size <= 1 or 1 in pair.theirs.shape


@given(zoo.twins(shape=zoo.shapes(min_len=1)), st.data())
def test_a_single_difference_is_found(pair, data):
    other = pair.theirs.copy()
    at = tuple(data.draw(st.integers(0, n - 1)) for n in other.shape)
    other[at] = 1 if other[at] != 1 else 0
    with pytest.raises(AssertionError):
        zoo.assert_same(pair.ours, other)


@pytest.mark.parametrize(
    "found, expected",
    [
        ([1.0], [-1.0]),
        ([0.0], [-0.0]),
        ([np.nan], [1.0]),
        ([1.0], [np.nan]),
        ([np.inf], [-np.inf]),
        ([1.0], [1 + 3e-16]),
    ],
)
def test_different_values_are_distinguished(found, expected):
    with pytest.raises(AssertionError):
        zoo.assert_same(bv.asarray(found), np.asarray(expected))


def test_tolerances_are_exact():
    one, next_but_one = bv.asarray([1.0]), np.nextafter(np.nextafter([1.0], 2), 2)
    zoo.assert_same(one, next_but_one, ulps=2)
    zoo.assert_same(one, next_but_one, ulps=1, scale=4.0)
    for close in ({"ulps": 1}, {"atol": 1e-16}, {}):
        with pytest.raises(AssertionError):
            zoo.assert_same(one, next_but_one, **close)
    with pytest.raises(AssertionError):
        zoo.assert_same(bv.asarray([np.inf]), np.asarray([np.finfo(np.float64).max]), ulps=4)


def test_shapes_and_types_are_compared():
    for expected in (np.zeros((1, 2)), np.zeros(2, np.float32), np.zeros(3)):
        with pytest.raises(AssertionError):
            zoo.assert_same(bv.zeros(2), expected)


@pytest.mark.parametrize("name", zoo.ALL)
def test_values_have_the_extremes_of_their_type(name):
    found = zoo.values(1, name, 4000)
    assert found.dtype == name
    if found.dtype.kind in "iu":
        assert {np.iinfo(name).min, np.iinfo(name).max, 0, 1} <= set(found.tolist())
    if found.dtype.kind in "fc":
        parts = found.view(found.real.dtype)
        assert np.isnan(parts).any() and np.isposinf(parts).any() and (np.signbit(parts) & (parts == 0)).any()
        assert np.isfinite(zoo.values(1, name, 4000, "finite")).all()


def test_bfloat16_is_rounded_to_even():
    # 1 + 2**-8 is halfway between two values and rounds to 1, which is even; the next halfway rounds up.
    ours, expected = zoo.as_bfloat16(np.asarray([1 + 2**-8, 1 + 3 * 2**-8, -0.0, np.inf], np.float32))
    assert expected.tolist() == [1.0, 1 + 2**-6, 0.0, np.inf]
    zoo.assert_same(ours, expected)
