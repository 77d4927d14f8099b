"""Fourier transforms compared with NumPy, in the precision of the operand."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

REALS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")


def assert_close(ours, theirs, context=""):
    """Compares with a tolerance; NumPy also transforms float32 in float32."""
    theirs = np.asarray(theirs)
    size = max(1.0, np.max(np.abs(theirs), initial=0.0))
    atol = size * (1e-4 if theirs.dtype.name in ("float32", "complex64") else 1e-12)
    zoo.assert_same(ours, theirs, ulps=8, atol=atol, context=context)


@st.composite
def transforms(draw, dtypes):
    """Draws a pair and the arguments of a transform along one axis."""
    pair = draw(zoo.twins(dtypes, zoo.shapes(min_rank=1, max_rank=3, min_len=1, max_len=6), kind="finite"))
    axis = draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    n = draw(st.sampled_from([None, 1, 2, 5, 8]))
    return pair, {"n": n, "axis": axis, "norm": draw(st.sampled_from(["backward", "ortho", "forward"]))}


@pytest.mark.parametrize("name", ["fft", "ifft", "hfft", "irfft"])
@given(drawn=transforms(COMPLEX))
def test_complex_transforms_match_numpy(name, drawn):
    pair, how = drawn
    if how["n"] is None and name in ("hfft", "irfft") and pair.theirs.shape[how["axis"]] < 2:
        return
    assert_close(getattr(bv.fft, name)(pair.ours, **how), getattr(np.fft, name)(pair.theirs, **how), how)


@pytest.mark.parametrize("name", ["rfft", "ihfft"])
@given(drawn=transforms(REALS))
def test_real_transforms_match_numpy(name, drawn):
    pair, how = drawn
    assert_close(getattr(bv.fft, name)(pair.ours, **how), getattr(np.fft, name)(pair.theirs, **how), how)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@given(data=st.data())
def test_transforms_along_several_axes_match_numpy(name, data):
    dtypes = REALS if name == "rfftn" else COMPLEX
    pair = data.draw(zoo.twins(dtypes, zoo.shapes(min_rank=1, max_rank=3, min_len=2, max_len=5), kind="finite"))
    rank = pair.theirs.ndim
    axes = data.draw(st.permutations(range(rank)))[: data.draw(st.integers(1, rank))]
    s = data.draw(st.sampled_from([None, [data.draw(st.integers(1, 6)) for _ in axes]]))
    how = {"s": s, "axes": axes, "norm": data.draw(st.sampled_from(["backward", "ortho", "forward"]))}
    assert_close(getattr(bv.fft, name)(pair.ours, **how), getattr(np.fft, name)(pair.theirs, **how), how)
    assert_close(getattr(bv.fft, name)(pair.ours), getattr(np.fft, name)(pair.theirs))


@given(st.integers(1, 9), st.floats(0.1, 10))
def test_fftfreq_and_rfftfreq_match_numpy(n, d):
    for name in ("fftfreq", "rfftfreq"):
        found = getattr(bv.fft, name)(n, d=d)
        zoo.assert_same(found, getattr(np.fft, name)(n, d), ulps=2, context=name)
        assert getattr(bv.fft, name)(n, d=d, dtype=bv.float32, device="cpu").dtype == bv.float32


@given(zoo.twins(shape=zoo.shapes(min_rank=1)), st.data())
def test_fftshift_and_ifftshift_match_numpy(pair, data):
    rank = pair.theirs.ndim
    axes = data.draw(st.sampled_from([None, list(range(rank))[: data.draw(st.integers(1, rank))]]))
    for name in ("fftshift", "ifftshift"):
        found = getattr(bv.fft, name)(pair.ours, axes=axes)
        zoo.assert_same(found, getattr(np.fft, name)(pair.theirs, axes), context=name)


WRONG = {
    "a length of 0": (lambda x: bv.fft.fft(x, n=0), ValueError),
    "a negative length": (lambda x: bv.fft.fft(x, n=-1), ValueError),
    "an axis that is not there": (lambda x: bv.fft.fft(x, axis=3), IndexError),
    "a norm that does not exist": (lambda x: bv.fft.fft(x, norm="other"), ValueError),
    "more lengths than axes": (lambda x: bv.fft.fftn(x, s=(2, 3), axes=(0,)), ValueError),
    "a device that does not exist": (lambda _: bv.fft.fftfreq(3, device="gpu"), ValueError),
    "frequencies of nothing": (lambda _: bv.fft.fftfreq(0), (ValueError, ZeroDivisionError)),
    "more memory than there is": (lambda x: bv.fft.fft(x, n=2**60), (ValueError, MemoryError)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_invalid_arguments_are_refused(wrong):
    call, error = WRONG[wrong]
    with pytest.raises(error):
        call(bv.asarray([1.0, 2.0, 3.0]))
