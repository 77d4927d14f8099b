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
