"""A child forked after the thread pool was used can compute and return results."""

import multiprocessing
import os
import sys

import numpy as np
import pytest

import belvedere as bv

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks with threads are Linux programs' habit")

N = 1 << 20


def total(x):
    """Computes on several threads."""
    return bv.sum(x * 2.0 + 1.0).item()


def test_a_forked_child_computes_in_parallel():
    x = bv.asarray(np.ones(N))
    expected = total(x)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        found = pool.map_async(total, [x, x, bv.asarray(np.ones(N))]).get(timeout=300)
    assert found == [expected] * 3


def test_a_forked_child_has_the_memory_of_its_parent():
    x = bv.asarray(np.arange(N))
    total(bv.astype(x, bv.float64))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # The child must not run any code of the test framework.
        try:
            x[0] = 7
            answer = f"{bv.sum(x).item()}".encode()
        except BaseException as error:
            answer = repr(error).encode()
        os.write(write, answer)
        os._exit(0)
    os.close(write)
    answer = os.read(read, 1000)
    os.waitpid(child, 0)
    assert int(answer) == N * (N - 1) // 2 + 7
    assert x[0].item() == 0
