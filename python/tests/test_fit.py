"""What programs written for NumPy and PyTorch rely on."""

import bisect
import ctypes

import numpy as np
import pytest

import belvedere as bv


@pytest.mark.parametrize("name", ["int64", "uint64", "int32", "float64"])
def test_the_buffer_has_the_type_number_of_numpy(name):
    x = bv.zeros(3, dtype=getattr(bv, name))
    assert np.asarray(x).dtype.num == np.dtype(name).num
    assert np.frombuffer(memoryview(x), dtype=name).dtype.char == np.dtype(name).char


def test_an_array_is_a_sequence_with_a_length():
    x = bv.asarray([1, 3, 5])
    size = ctypes.pythonapi.PySequence_Size
    size.argtypes, size.restype = [ctypes.py_object], ctypes.c_ssize_t
    assert size(x) == 3
    assert bisect.bisect(x, 3) == 2
    assert len(x) == 3 and list(x) == [1, 3, 5] and x[-1] == 5
    with pytest.raises(TypeError):
        size(x[0])


def sequence_function(name, *types, result=ctypes.py_object):
    """A function of the C API, as extension modules call it."""
    function = getattr(ctypes.pythonapi, name)
    function.argtypes, function.restype = types, result
    return function


@pytest.mark.parametrize("name", ["bool", "int64", "uint8", "float32", "bfloat16", "complex64"])
def test_items_of_the_sequence_protocol_are_python_scalars(name):
    item = sequence_function("PySequence_GetItem", ctypes.py_object, ctypes.c_ssize_t)
    x = bv.asarray([1, 0, 1], dtype=getattr(bv, name))
    scalars = [item(x, i) for i in (0, 1, 2, -1)]
    assert scalars == [1, 0, 1, 1]
    assert {type(it) for it in scalars} == {type(x[0].tolist())}
    assert isinstance(x[0], bv.Array) and all(isinstance(it, bv.Array) for it in x)
    for i in (3, -4, 2**62, -(2**62)):
        with pytest.raises(IndexError):
            item(x, i)


def test_items_of_the_sequence_protocol_are_views_of_rows():
    item = sequence_function("PySequence_GetItem", ctypes.py_object, ctypes.c_ssize_t)
    set_item = sequence_function(
        "PySequence_SetItem", ctypes.py_object, ctypes.c_ssize_t, ctypes.py_object, result=ctypes.c_int
    )
    x = bv.zeros((2, 3))
    item(x, -1)[1] = 5
    set_item(x, 0, 2)
    assert x.tolist() == [[2, 2, 2], [0, 5, 0]]
    with pytest.raises(TypeError):
        sequence_function("PySequence_DelItem", ctypes.py_object, ctypes.c_ssize_t, result=ctypes.c_int)(x, 0)
    with pytest.raises((TypeError, IndexError)):
        item(x[0, 0], 0)


def test_reversed_iterates_over_arrays_from_the_end():
    x = bv.asarray([[1, 2], [3, 4]])
    assert [row.tolist() for row in reversed(x)] == [[3, 4], [1, 2]]
    next(reversed(x))[0] = 7
    assert x.tolist() == [[1, 2], [7, 4]]
    assert [~it for it in reversed(bv.asarray([True, False]))] == [True, False]
    assert all(isinstance(it, bv.Array) for it in reversed(x[0]))
    with pytest.raises(TypeError):
        reversed(x[0, 0])


def test_an_iterator_returns_each_element_as_a_value_of_its_own():
    x = bv.arange(5)
    iterator = iter(x)
    first = next(iterator)
    kept = [first, *iterator]
    assert kept == [0, 1, 2, 3, 4] and len({id(it) for it in kept}) == 5
    assert next(iterator, None) is None and next(iterator, None) is None
    assert [int(it) for it in x] == [0, 1, 2, 3, 4]


def test_narrow_counts_a_negative_start_from_the_end():
    x = bv.arange(5)
    assert x.narrow(0, -2, 2).tolist() == [3, 4]
    assert x.lens().narrow(0, -2, 2).copy().tolist() == [3, 4]
    for start, length in [(-6, 1), (-1, 2), (5, 1)]:
        with pytest.raises(IndexError):
            x.narrow(0, start, length)


def test_two_ellipses_beside_a_mask_are_an_error():
    x = bv.zeros((2, 3, 4))
    for index in [(..., bv.asarray([True, False]), ...), (..., [0, 1], ...), (..., bv.zeros(0, dtype=bv.bool), ...)]:
        with pytest.raises(IndexError, match="one ellipsis|only|too many"):
            x[index]
        with pytest.raises(IndexError, match="one ellipsis|only|too many"):
            x[index] = 0


@pytest.mark.parametrize("exponent", [2, 3, 4, 0.5, 1.5, -1, -2, -0.5, 2.0, 0, 1])
@pytest.mark.parametrize("name", ["float64", "float32", "int64", "complex128"])
def test_powers_of_numbers_agree_with_numpy(exponent, name):
    a = np.array([1.0, 2.5, 4.0, 9.0, 100.0]).astype(name)
    x = bv.asarray(a)
    if name == "int64" and isinstance(exponent, int) and exponent < 0:
        with pytest.raises(ValueError):
            x**exponent
        return
    ours, theirs = np.asarray(x**exponent), a**exponent
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=4 * np.finfo(ours.dtype).eps if ours.dtype.kind in "fc" else 0)


def test_a_notebook_shows_the_values_first():
    text = bv.asarray([[1.5, 2.5]]).mean()._repr_html_()
    assert text.startswith("<pre>array(2.)</pre>")
    assert "<svg" in text and text.index("<details>") < text.index("<svg")
    assert "<details open" not in text
