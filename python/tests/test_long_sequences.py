"""Sequences may report any length: an argument that is too long is an error, never an abort."""

import collections.abc

import numpy as np
import pytest

import belvedere as bv


class Reported(collections.abc.Sequence):
    """A sequence that reports a length of its own choice, and has ``n`` items."""

    def __init__(self, reported, n, item):
        self.reported, self.n, self.item = reported, n, item

    def __len__(self):
        return self.reported

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return self.item


#: Calls with a sequence, and an item that they accept.
CALLS = {
    "Lens.pad": (lambda it: bv.arange(6).lens().pad(it), (0, 0)),
    "choice": (lambda it: bv.random.default_rng(1).choice(5, 3, p=it), 0.2),
    "matmul": (lambda it: bv.matmul(bv.ones((2, 2)), bv.ones((2, 2)), axes=it), (0, 1)),
    "meta pickle": (lambda it: bv._native._unpickle_meta(bv.float32, it, 0), (1, 1)),
    "pickle": (lambda it: bv._native._unpickle(b"1234", bv.float32, it, True), 1),
    "reshape": (lambda it: bv.reshape(bv.arange(6), it), 1),
    "sum": (lambda it: bv.sum(bv.arange(6), axis=it), 0),
    "concat": (lambda it: bv.concat(it), np.zeros(1)),
    "split": (lambda it: bv.split(bv.arange(6), it), 1),
    "Array.split": (lambda it: bv.arange(6).split(it), 1),
    "roll": (lambda it: bv.roll(bv.arange(6), it, 0), 1),
    "argpartition": (lambda it: bv.argpartition(bv.arange(6), it), 1),
    "tensordot": (lambda it: bv.tensordot(bv.ones((2, 2)), bv.ones((2, 2)), axes=it), (0, 1)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("reported", [2**63 - 1, 10**12, 2**20 + 1])
def test_a_sequence_that_reports_a_great_length_is_refused(name, reported):
    call, item = CALLS[name]
    with pytest.raises((ValueError, TypeError, MemoryError)):
        call(Reported(reported, 3, item))
    with pytest.raises((ValueError, TypeError, MemoryError)):
        call(range(reported))


@pytest.mark.parametrize("name", CALLS)
def test_a_sequence_with_more_items_than_it_reports_ends(name):
    call, item = CALLS[name]
    with pytest.raises(ValueError, match="longer than the maximum|axes|axis|sizes|1048577|shape|probabilit"):
        call(Reported(2, 10**9, item))


def test_views_along_a_long_axis_are_a_memory_error():
    x = bv.broadcast_to(bv.zeros(1), (10**15,))
    for call in [lambda: x.split(1), lambda: x.chunk(10**15), lambda: bv.zeros(0).chunk(10**15), lambda: bv.unstack(x)]:
        with pytest.raises(MemoryError):
            call()
    with pytest.raises(MemoryError):
        bv.split(x, 10**15)


def test_a_grid_of_too_many_axes_is_refused_at_once():
    with pytest.raises(ValueError, match="60000 axes"):
        bv.indices((1,) * 60_000, sparse=True)


def test_long_lists_are_read():
    n = 70_000
    assert len(bv.split(bv.arange(n), list(range(1, n)))) == n
    assert len(bv.arange(n).split([1] * n)) == n
    assert len(bv.arange(n).split(1)) == n
    parts = bv.arange(n).split(7)
    assert isinstance(parts, tuple) and int(parts[-1][0]) == n - 7
    assert bv.concat([bv.ones(1)] * 3000).sum() == 3000
    order = np.argsort(np.asarray(bv.argpartition(bv.arange(n), list(range(n)))))
    np.testing.assert_array_equal(order, np.arange(n))
    np.testing.assert_array_equal(np.asarray(bv.roll(bv.arange(5), [1] * 101, 0)), np.roll(np.arange(5), 1))
    assert bv.random.default_rng(1).choice(n, 3, p=[1 / n] * n).shape == (3,)
