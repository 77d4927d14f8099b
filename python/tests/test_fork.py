"""Children of ``fork`` compute and return results, whatever the threads of their parent were doing."""

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings

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


CHILDREN = 40
SECONDS = 20


def status_of_child(child):
    """Calls ``child`` in a forked process; returns its exit code, or "hung" if it had to be killed."""
    with warnings.catch_warnings():
        # Python warns of forks beside threads, which is what is tested here.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if child() else 2
        finally:
            os._exit(status)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hung"


def statuses_beside(work, child):
    """Forks while two threads repeat each function of ``work``; returns the statuses of the children."""
    is_over = threading.Event()

    def repeat(function):
        while not is_over.is_set():
            function()

    threads = [threading.Thread(target=repeat, args=(it,)) for it in work for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        return [status_of_child(child) for _ in range(CHILDREN)]
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_children_use_foreign_memory_that_threads_use():
    foreign = bv.asarray(np.zeros(300_000))
    small = bv.asarray(np.zeros(10))
    work = [lambda: foreign + 1, lambda: bv.asarray(np.zeros(10)) + 1, lambda: bv.add(foreign, 1, out=foreign)]

    def child():
        np.testing.assert_array_equal(np.asarray(bv.asarray(np.zeros(10)) + 1), np.ones(10))
        np.testing.assert_array_equal(np.asarray(small + 1), np.ones(10))
        foreign[:] = 3
        return float((foreign + 1).sum()) == 4 * 300_000

    assert statuses_beside(work, child) == [0] * CHILDREN


def test_children_use_arrays_that_threads_write():
    large, small = bv.zeros(300_000), bv.zeros(10)

    def write():
        bv.add(large, 1, out=large)
        bv.add(small, 1, out=small)

    def child():
        # The values may be those of before or after an operation, element by element.
        assert float(bv.max(large)) - float(bv.min(large)) <= 1
        small[:] = 5
        large[:] = 7
        return float((large + 1).sum()) == 8 * 300_000 and float(small.sum()) == 50

    assert statuses_beside([write, lambda: bv.sum(large)], child) == [0] * CHILDREN


def test_children_use_caches_that_threads_use():
    x = bv.asarray(np.arange(64.0))

    def work():
        bv.fft.fft(x)
        with bv.trace():
            bv.zeros(300_000) + 1

    def child():
        with bv.trace():
            total = (bv.zeros(300_000) + 1).sum()
        return float(total) == 300_000 and bv.fft.fft(x).shape == (64,)

    assert statuses_beside([work], child) == [0] * CHILDREN


def test_a_child_computes_gradients_while_threads_of_the_parent_record():
    # Long enough that operations run detached from the interpreter.
    x, w, tapes = bv.ones(300_000), bv.ones(300_000), []

    def record():
        with bv.tape() as tape:
            tapes[:] = [tape]
            tape.watch(w)
            y = bv.sum(bv.exp(w * x) * w)
            x[:10] = 1.0
        tape.gradient(y, w)

    def child():
        found = bv.grad(lambda x: bv.sum(x[:100] * x[:100]))(x)
        x[:50] = 3.0
        # Tapes of threads that this process does not have can be asked.
        str(tapes[0].report())
        return found[:100].tolist() == [2.0] * 100 and found[100].item() == 0.0

    assert statuses_beside([record], child) == [0] * CHILDREN
