"""Functions compiled by numba, called with our arrays."""

import numpy as np
import pytest

import belvedere as bv

numba = pytest.importorskip("numba")

X = bv.linspace(0.0, 1.0, 100)


def test_a_compiled_function_takes_the_memory_of_our_array():
    @numba.njit
    def total(x):
        s = 0.0
        for value in x:
            s += value
        return s

    assert total(np.asarray(X)) == pytest.approx(float(bv.sum(X)))


@pytest.mark.xfail(reason="numba knows arguments with a buffer, but not their shape; np.asarray(x) is taken")
def test_a_compiled_function_takes_our_array():
    @numba.njit
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i]
        return s

    # numba types arguments with a buffer.
    assert total(X) == pytest.approx(float(bv.sum(X)))


def test_a_compiled_function_writes_to_our_array():
    @numba.njit
    def fill(x):
        for i in range(x.shape[0]):
            x[i] = i

    x = bv.zeros(10)
    fill(np.asarray(x))
    assert x.tolist() == list(range(10))


def test_a_compiled_ufunc_takes_our_array():
    @numba.vectorize(["float64(float64, float64)"])
    def hypotenuse(a, b):
        return (a * a + b * b) ** 0.5

    np.testing.assert_allclose(np.asarray(hypotenuse(X, X)), np.hypot(np.asarray(X), np.asarray(X)))


def test_a_compiled_gufunc_takes_our_array():
    @numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def running(x, out):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i]
            out[i] = s

    np.testing.assert_allclose(np.asarray(running(X)), np.cumsum(np.asarray(X)))


def test_a_stencil_of_our_array():
    kernel = numba.stencil(lambda a: a[-1] + a[1])
    np.testing.assert_allclose(kernel(np.asarray(X))[1:-1], np.asarray(X)[:-2] + np.asarray(X)[2:])
