"""Threads that share memory with each other and with NumPy: values may be torn, but no crash and no deadlock."""

import faulthandler
import sys
import threading
import time

import numpy as np
import pytest

import belvedere as bv

SECONDS = 1.0
N = 1 << 15


@pytest.fixture(autouse=True)
def _watchdog():
    """Prints all tracebacks if a test hangs."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def together(*bodies):
    """Runs each function repeatedly in its own thread, and re-raises their exceptions."""
    end = time.monotonic() + SECONDS
    failed = []

    def run(body, seed):
        rng = np.random.default_rng(seed)
        try:
            n = 0
            while not failed and (time.monotonic() < end or n == 0):
                body(rng)
                n += 1
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(body, seed)) for seed, body in enumerate(bodies)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    if failed:
        raise failed[0]


@pytest.mark.parametrize("n", [64, N])
@pytest.mark.parametrize("foreign", [False, True])
def test_views_of_one_array_are_read_and_written_while_numpy_changes_it(n, foreign):
    memory = np.zeros(n)
    x = bv.asarray(memory, copy=not foreign)
    theirs = np.asarray(x)

    def read(rng):
        start = int(rng.integers(0, n // 2))
        assert (x[start:] + x[: n - start]).shape == (n - start,)
        assert bv.sum(x[::-2]).item() >= 0

    def write(rng):
        start = int(rng.integers(0, n // 2))
        x[start::3] = float(rng.integers(0, 9))
        x[start : start + 5] += 1.0

    def swap(rng):
        x[: n // 2] = x[n // 2 : n // 2 * 2]
        bv.flip(x)[: n // 2] = x[: n // 2]

    def numpy(rng):
        theirs[int(rng.integers(0, n)) :] = rng.integers(0, 9)
        np.add(theirs, 0.5, out=theirs)

    together(read, read, write, write, swap, numpy)
    assert bool(bv.all(x >= 0))


@pytest.mark.parametrize("n", [64, N])
def test_indices_and_masks_may_change_while_they_are_used(n):
    """An index may become out of bounds at any moment: an error or another element is correct, a crash is not."""
    indices = np.zeros(n, np.int64)
    mask = np.zeros(n, bool)
    our_indices, our_mask = bv.asarray(indices), bv.asarray(mask)
    x = bv.asarray(np.arange(n))

    def change(rng):
        indices[:] = rng.integers(0, n, n)
        mask[:] = rng.random(n) < rng.random()
        indices[int(rng.integers(0, n))] = rng.choice([-(2**62), 2**62, n, -n - 1])
        mask.view(np.uint8)[:] = rng.integers(0, 256, n)

    def tolerant(use):
        def body(rng):
            try:
                use(rng)
            except (IndexError, ValueError):
                pass

        return body

    def read(rng):
        assert x[our_indices].shape == (n,)

    def read_mask(rng):
        assert x[our_mask].shape[0] <= n

    def write(rng):
        x[our_indices] = 1

    def write_mask(rng):
        x[our_mask] = x[our_mask]

    def others(rng):
        bv.take(x, our_indices)
        bv.take_along_axis(x, our_indices)
        bv.nonzero(our_mask)
        bv.where(our_mask, x, our_indices)
        bv.count_nonzero(our_mask)
        bv.sort(our_indices)
        bv.unique_values(our_indices)
        bv.searchsorted(our_indices, our_indices)
        bv.repeat(x, bv.astype(our_mask, bv.int64))

    together(change, change, *(tolerant(it) for it in (read, read_mask, write, write_mask, others)))


def test_foreign_memory_is_imported_and_released_in_all_threads():
    """Arrays may be deallocated by any thread, also during an operation."""
    shared = [None] * 8

    def make(rng):
        theirs = np.full(int(rng.integers(1, N)), 1.0)
        shared[int(rng.integers(0, 8))] = bv.asarray(theirs)[::-1]

    def use(rng):
        x = shared[int(rng.integers(0, 8))]
        if x is not None:
            assert bv.sum(x).item() == x.size
            shared[int(rng.integers(0, 8))] = bv.asarray(np.asarray(x + 0.0))

    def pass_on(rng):
        x = shared[int(rng.integers(0, 8))]
        if x is not None:
            y = bv.from_dlpack(np.from_dlpack(x))
            x.__dlpack__(max_version=(1, 0))
            memoryview(y)
            assert y.size == x.size

    together(make, make, use, use, pass_on, pass_on)


def test_python_code_may_run_during_release():
    """The release callback of foreign memory may run any code, including operations on arrays in use."""
    x = bv.asarray(np.zeros(N))
    n_gone = []

    class Owner(np.ndarray):
        def __del__(self):
            x[:10] = 1.0
            n_gone.append(bv.sum(x).item())

    def make(rng):
        y = bv.asarray(np.zeros(N).view(Owner))
        z = y + x
        x[:] = z
        del y, z

    together(make, make, make)
    assert n_gone
