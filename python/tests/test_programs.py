"""Programs written for NumPy, run with NumPy and with this package in its place: same numbers, same text.

``bench/src/python/programs.py`` measures the time that they take.
"""

import numpy as np
import program_runner
import pytest

import belvedere as bv

#: Relative tolerances: programs accumulate rounding errors of some hundred operations.
RTOL = {"float32": 1e-5, "complex64": 1e-5, "float64": 1e-9, "complex128": 1e-9}


def assert_same_value(ours, theirs, name):
    """Compares two results: for an array or a scalar of NumPy, ours is an array of the same dtype and shape."""
    if not isinstance(theirs, (np.ndarray, np.generic)):
        assert type(ours) is type(theirs) and ours == theirs, name
        return
    assert isinstance(ours, bv.Array), f"{name}: {type(ours).__name__} instead of an array"
    assert (str(ours.dtype), tuple(ours.shape)) == (str(theirs.dtype), theirs.shape), name
    rtol = RTOL.get(str(theirs.dtype), 0)
    atol = rtol * np.max(np.abs(theirs), initial=0, where=np.isfinite(theirs)) if rtol else 0
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=rtol, atol=atol, err_msg=name)


@pytest.mark.parametrize("name", program_runner.NAMES)
def test_a_program_gives_numpys_results(name):
    theirs, their_text = program_runner.run(name, "numpy")
    ours, our_text = program_runner.run(name, "belvedere")
    assert our_text == their_text
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        assert_same_value(ours[key], value, key)


def test_a_program_imports_only_the_library_it_is_given():
    main = program_runner.load("fft_filter", "belvedere")
    assert main.__globals__["np"] is bv
    assert main.__globals__["rfft"] is bv.fft.rfft
