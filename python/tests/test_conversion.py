"""Conversion of elements to Python numbers."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo

ONE = ((), (1,), (1, 1))


def same(a, b):
    return type(a) is type(b) and (a == b or (a != a and b != b) or repr(a) == repr(b))


@given(zoo.twins())
def test_tolist_matches_numpy(pair):
    x, y = pair

    def check(ours, theirs):
        if isinstance(theirs, list):
            assert isinstance(ours, list) and len(ours) == len(theirs)
            for a, b in zip(ours, theirs):
                check(a, b)
        else:
            assert same(ours, theirs), (ours, theirs)

    check(x.tolist(), y.tolist())


@given(zoo.twins(shape=zoo.shapes(min_len=1)))
def test_item_takes_an_index_or_a_flat_index(pair):
    x, y = pair
    for n, index in enumerate(np.ndindex(y.shape)):
        assert same(x.item(n), y.item(n))
        assert same(x.item(n - y.size), y.item(n))
        assert same(x.item(*index) if index else x.item(), y.item(*index))
        assert same(x.item(index), y.item(index)) if index else True


@given(zoo.twins(shape=(1, 1)))
def test_a_single_element_converts_to_a_python_number(pair):
    x, y = pair
    assert same(x.item(), y.item())
    assert bool(x) == bool(y)
    for convert in (int, float, complex):
        try:
            expected = convert(y.item())
        except (TypeError, ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                convert(x)
        else:
            assert same(convert(x), expected)


@pytest.mark.parametrize("name", zoo.ALL)
def test_only_0d_integers_are_indices(name):
    x = bv.asarray(1, dtype=zoo.dtype(name))
    if name in zoo.INTEGERS:
        assert operator.index(x) == 1
        assert [10, 20][x] == 20
    else:
        with pytest.raises(TypeError):
            operator.index(x)
    with pytest.raises(TypeError):
        operator.index(x[None])


def test_large_integers_convert_exactly():
    for value, dtype in [(2**64 - 1, bv.uint64), (-(2**63), bv.int64), (2**63 - 1, bv.int64)]:
        x = bv.asarray(value, dtype=dtype)
        assert int(x) == operator.index(x) == x.item() == x.tolist() == value


@pytest.mark.parametrize("shape", [(0,), (2,), (1, 2), (3, 0)], ids=str)
def test_only_single_elements_convert_to_numbers(shape):
    x = bv.zeros(shape)
    for convert in (int, float, complex):
        with pytest.raises(TypeError, match="element"):
            convert(x)
    for convert in (bool, lambda x: x.item()):
        with pytest.raises(ValueError, match="element"):
            convert(x)


def test_complex_arrays_do_not_convert_to_float():
    x = bv.asarray(1 + 2j)
    assert complex(x) == 1 + 2j
    assert bool(x) is True
    with pytest.raises(TypeError):
        float(x)
    with pytest.raises(TypeError):
        int(x)


def test_floats_convert_to_int_as_in_python():
    assert int(bv.asarray(-1.9)) == -1
    assert int(bv.asarray(1e30)) == int(1e30)
    with pytest.raises(OverflowError):
        int(bv.asarray(math.inf))
    with pytest.raises(ValueError):
        int(bv.asarray(math.nan))
    assert bool(bv.asarray(math.nan)) is True


def test_half_precision_elements_convert():
    x = bv.asarray([0.5, -3.0], dtype=bv.bfloat16)
    assert x.tolist() == [0.5, -3.0]
    assert float(x[1]) == -3.0


def test_item_refuses_invalid_indices():
    x = bv.zeros((2, 3))
    for index in [(6,), (-7,), (0, 3), (2, 0)]:
        with pytest.raises(IndexError):
            x.item(*index)
    for index in [(0, 0, 0)]:
        with pytest.raises(ValueError):
            x.item(*index)
    with pytest.raises(TypeError):
        x.item(0.5)


def test_array_namespace_supports_known_versions():
    x = bv.zeros(1)
    for version in [None, "2025.12"]:
        assert x.__array_namespace__(api_version=version) is bv
    for version in ["2021.12", "2022.12", "2023.12", "2024.12"]:
        assert x.__array_namespace__(api_version=version).__array_api_version__ == "2024.12"
    with pytest.raises(ValueError, match="2019.12"):
        x.__array_namespace__(api_version="2019.12")


def test_the_only_device_is_the_cpu():
    x = bv.zeros(3)
    assert x.device == "cpu"
    assert bv.shares_memory(x.to_device("cpu"), x)
    with pytest.raises(ValueError, match="cuda"):
        x.to_device("cuda")
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)
