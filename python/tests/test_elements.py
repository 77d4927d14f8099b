"""Single elements: values, their formats and hashes, and assignment to them."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv


# Values


def test_integers_on_all_axes_give_values_that_are_not_views():
    x = bv.asarray([[1, 2], [3, 4]])
    first = x[0, 0]
    x[0, 0] = 9
    assert first == 1
    assert not bv.shares_memory(x[0, 0], x)
    assert bv.shares_memory(x[0], x)
    assert bv.shares_memory(x[0, 0, ...], x)
    zero = bv.asarray(5)
    assert not bv.shares_memory(zero[()], zero)
    assert bv.shares_memory(zero[...], zero)


def test_elements_can_be_swapped():
    x = bv.asarray([1, 2, 3])
    x[0], x[2] = x[2], x[0]
    assert x.tolist() == [3, 2, 1]
    low, middle, high = x
    x[...] = 0
    assert (low, middle, high) == (3, 2, 1)


def test_elements_can_be_swapped_in_a_matrix():
    x = bv.asarray([[1, 2], [3, 4]])
    x[0, 1], x[1, 0] = x[1, 0], x[0, 1]
    assert x.tolist() == [[1, 3], [2, 4]]


def test_iteration_over_one_axis_gives_values():
    x = bv.asarray([1.0, 2.0])
    values = list(x)
    x[...] = 0
    assert values == [1, 2]
    assert [bv.shares_memory(row, m) for m in [bv.zeros((2, 2))] for row in m] == [True, True]


@given(zoo.twins(shape=zoo.shapes(min_rank=1)))
def test_every_element_is_that_of_numpy(pair):
    x, y = pair
    for index in list(np.ndindex(y.shape))[:5]:
        zoo.assert_same(x[index], y[index])
        zoo.assert_same(x[tuple(at - length for at, length in zip(index, y.shape))], y[index])


def test_augmented_assignment_of_an_element_changes_the_array():
    x, y = bv.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3)
    for z in (x, y):
        z[0, 1] += 5
        z[1, -1] *= 2
        z[0, 0] += 1.7
        z[1, 0] /= 2
    zoo.assert_same(x, y)


def test_reading_an_element_is_not_a_copy():
    x = bv.arange(4)
    with bv.no_copies():
        assert x[2] == 2
        assert [int(value) for value in x] == [0, 1, 2, 3]
    with bv.copies() as copies:
        x[2]
    assert len(copies) == 0
    with bv.trace() as trace:
        x[2]
    assert [event.op for event in trace] == ["getitem"]


def test_elements_of_arrays_without_memory_and_of_read_only_memory():
    assert bv.zeros(3, device="meta")[1].device == "meta"
    frozen = np.arange(3)
    frozen.flags.writeable = False
    x = bv.asarray(frozen)
    value = x[1]
    value += 1
    assert (value, x[1]) == (2, 1)


def test_an_index_out_of_range_names_the_axis_and_its_length():
    with pytest.raises(IndexError, match="3"):
        bv.zeros(3)[3]
    with pytest.raises(IndexError):
        bv.zeros((3, 2))[0, -3]


# Values and in-place operators


def test_in_place_operators_give_values_a_new_value():
    path, position = [], 0.0
    for step in bv.asarray([1.0, 2.0, 3.0]):
        position += step
        path.append(position)
    assert path == [1, 3, 6]
    total = kept = bv.asarray([1, 2]).sum()
    total += 0.5
    assert (kept, total) == (3, 3.5)


def test_in_place_operators_write_to_views_of_an_element():
    for x in (bv.zeros(3), bv.zeros(1)):
        view = x[0, ...]
        view += 5
        assert x[0] == 5
    shared = np.zeros(())
    x = bv.asarray(shared)
    x += 5
    assert shared == 5


# Formats


@pytest.mark.parametrize("spec", [".2f", "8.3f", "e", "g", "", ".1%", "+.0f"])
def test_floats_are_formatted_as_in_python(spec):
    x = bv.asarray([1.0, 2.5]).mean()
    assert format(x, spec) == (format(1.75, spec) if spec else str(x))


def test_integers_bools_and_complex_numbers_are_formatted_as_in_python():
    assert f"{bv.asarray(7):d} {bv.asarray(255, dtype=bv.uint8):x} {bv.asarray(7):>4}" == "7 ff    7"
    assert f"{bv.asarray(True):d} {bv.asarray(1 + 2j):.1f}" == "1 1.0+2.0j"
    assert f"{bv.asarray([1, 2])}" == "[1 2]"
    for other in (bv.asarray([1]), bv.asarray([[1.0, 2.0]])):
        with pytest.raises(TypeError, match="0-d"):
            format(other, ".2f")
    with pytest.raises(ValueError):
        format(bv.asarray(1.5), "d")


# Conversion


def test_rounding_of_values():
    assert round(bv.asarray(2.567), 2) == 2.57
    assert isinstance(round(bv.asarray(2.5), 0), bv.Array)
    assert round(bv.asarray(2.5)) == 2 and type(round(bv.asarray(2.5))) is int
    assert [f(bv.asarray(-2.5)) for f in (math.floor, math.ceil, math.trunc)] == [-3, -2, -2]
    assert math.floor(bv.asarray(2**60 + 1)) == 2**60 + 1
    with pytest.raises(TypeError):
        math.floor(bv.asarray(1j))
    with pytest.raises(TypeError):
        math.floor(bv.zeros(2))


@pytest.mark.parametrize("name", zoo.INTEGERS + ("float32", "float64", "complex128"))
@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 3])
def test_rounding_to_decimals_matches_numpy(name, decimals):
    y = (np.random.default_rng(1).uniform(0, 120, 50)).astype(name)
    zoo.assert_same(bv.asarray(y).round(decimals), y.round(decimals))
    zoo.assert_same(round(bv.asarray(y), decimals), y.round(decimals))


def test_one_element_of_any_rank_converts():
    for shape in [(), (1,), (1, 1)]:
        x = bv.full(shape, 3)
        assert (float(x), int(x), complex(x), bool(x)) == (3.0, 3, 3 + 0j, True)
    assert divmod(bv.asarray(7), 2) == (3, 1)
    assert abs(bv.asarray(-3)) == 3


def test_the_truth_value_of_several_elements_is_refused():
    with pytest.raises(ValueError, match=r"use any\(\) or all\(\)"):
        bool(bv.asarray([1, 2]))
    with pytest.raises(ValueError, match="without elements"):
        bool(bv.zeros(0))


# Hashes


def test_values_are_dictionary_keys_and_members_of_sets():
    x = bv.asarray([1, 2, 1])
    assert {value: n for n, value in enumerate(x)} == {1: 2, 2: 1}
    assert len(set(x)) == 2
    assert hash(bv.asarray(1.5)) == hash(1.5)
    assert hash(bv.asarray(2 + 1j)) == hash(2 + 1j)
    assert hash(bv.asarray(True)) == hash(True)
    with pytest.raises(TypeError, match="hashable"):
        hash(bv.zeros(1))


# Assignment


@pytest.mark.parametrize("name", zoo.BOOL + zoo.INTEGERS + ("float32", "float64", "complex64"))
@pytest.mark.parametrize("value", [True, 1, 2.0, 2.7, 300, -1, 1e300, math.nan, math.inf, 2**62, 1j])
def test_numbers_are_converted_as_in_numpy(name, value):
    x, y = bv.zeros(2, dtype=name), np.zeros(2, dtype=name)

    def assigned(z):
        try:
            with np.errstate(all="ignore"):
                z[0] = value
        except (TypeError, ValueError, OverflowError) as error:
            return type(error)
        return None

    ours, theirs = assigned(x), assigned(y)
    assert ours == theirs
    zoo.assert_same(x, y)


@given(st.data())
def test_arrays_of_every_dtype_are_assigned_through_every_index(data):
    x, y = data.draw(zoo.twins(zoo.BOOL + zoo.INTEGERS + ("float64",), overlapping=False))
    name = data.draw(st.sampled_from(zoo.BOOL + zoo.INTEGERS + ("float32", "float64")))
    index = data.draw(zoo.advanced_indices(y.shape))
    mine, other = data.draw(zoo.twins((name,), y[index].shape, kind="small"))
    if np.unique(np.arange(y.size).reshape(y.shape)[index]).size < y[index].size:
        return
    if other.dtype.kind in "if" and y.dtype.kind == "u":
        mine, other = abs(mine), abs(other)
    x[zoo.ours(index)] = mine
    y[index] = other
    zoo.assert_same(x, y)


def test_leading_axes_of_length_1_are_dropped():
    x = bv.zeros(3)
    x[...] = bv.ones((1, 3))
    x[1:] = bv.full((1, 1, 2), 7)
    x[bv.asarray([0])] = bv.full((1, 1), 5)
    assert x.tolist() == [5, 7, 7]
    with pytest.raises(ValueError):
        x[...] = bv.ones((3, 1, 3))
    with pytest.raises(ValueError):
        x[0] = bv.ones(1)


def test_lists_are_assigned():
    x = bv.arange(5)
    x[1:3] = [7, 8.9]
    x[bv.asarray([0, 4])] = (3, 4)
    x[3:] = range(2)
    assert x.tolist() == [3, 7, 8, 0, 1]
    with pytest.raises(ValueError):
        x[:3] = [1, 2]


def test_in_place_operators_do_not_cast_to_a_lesser_kind():
    x = bv.arange(3)
    with pytest.raises(TypeError, match="cannot cast float64 to int64"):
        x += 1.5
    assert x.tolist() == [0, 1, 2]
