"""Functions that choose and write elements by index, mask or condition, and grids of coordinates."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from compare import refused, same
from hypothesis import given

import belvedere as bv

MATRIX = np.arange(12).reshape(3, 4)
LAYOUTS = [MATRIX, MATRIX.T, MATRIX[::-1, ::2], np.arange(6), np.arange(24).reshape(2, 3, 4)[:, ::-1]]


@given(zoo.twins(zoo.ALL))
def test_flatnonzero_matches_numpy(pair):
    zoo.assert_same(bv.flatnonzero(pair.ours), np.flatnonzero(pair.theirs))


def test_ix():
    for args in (([0, 2], [1, 3]), ([True, False, True], [1]), ([], [1]), (np.array([2, 0]),), ()):
        same(lambda xp, a: xp.ix_(*a), args)
    same(lambda xp, a: a[xp.ix_([0, 2], [1, 3])], MATRIX)
    refused(lambda xp: xp.ix_([[1]]))
    refused(lambda xp: xp.ix_(1))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip", "other"])
def test_choose(mode):
    choices = [np.arange(4), np.arange(4) * 10.5, np.full((3, 1), 7)]
    for which in ([0, 1, 2, 0], [[0], [1], [2]], 1, [0, 3, -1, 5], [True, False, True, True]):
        for among in (choices, [1, 2, 3], [[1, 2, 3, 4]], np.arange(16).reshape(4, 4)):

            def call(xp, a, b):
                return xp.choose(a, b, mode=mode)

            try:
                call(np, which, among)
            except ValueError:
                refused(call, which, among)
            else:
                same(call, which, among)
    refused(lambda xp: xp.choose([1.5], [1, 2]))
    same(lambda xp, out: xp.choose([0, 1], [1, 2], out), np.zeros(2, int))
    refused(lambda xp, out: xp.choose([0, 1], [1, 2], out), np.zeros(3, int))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_compress_and_extract(axis):
    for x in LAYOUTS[:3]:
        for condition in ([True, False], [0, 1, 0], [], [1]):
            same(lambda xp, a: xp.compress(condition, a, axis), x)
        refused(lambda xp, a: xp.compress([0] * 20 + [1], a, axis), x)
        refused(lambda xp, a: xp.compress([[1]], a, axis), x)
        refused(lambda xp, a: xp.compress([1], a, 2), x)
        same(lambda xp, a: xp.extract(a % 3 == 0, a), x)
        if axis is not None:
            same(lambda xp, a: xp.compress([True], a, axis, xp.zeros_like(a[:1] if axis == 0 else a[:, :1])), x)


@pytest.mark.parametrize("x", LAYOUTS, ids=lambda it: str(it.strides))
def test_functions_that_write_by_mask(x):
    for values in (7, 2.5, [1, 2], [[1], [2], [3]], np.arange(30)):
        same(lambda xp, a, v: xp.place(a, a % 2 == 0, v), x, values)
        same(lambda xp, a, v: xp.putmask(a, a % 2 == 0, v), x, values)
        same(lambda xp, a, v: xp.putmask(a, (a % 2).ravel(), v), x, values)
    same(lambda xp, a: xp.putmask(a, a > 1, []), x)
    same(lambda xp, a: xp.place(a, a > 100, []), x)
    refused(lambda xp, a: xp.place(a, a > 1, []), x)
    refused(lambda xp, a: xp.place(a, [True], 1), x)
    refused(lambda xp, a: xp.putmask(a, [True], 1), x)
    refused(lambda xp, a: xp.place([1], [True], 1), x)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("x", LAYOUTS, ids=lambda it: str(it.strides))
def test_put(x, mode):
    for positions in (0, -1, [0, 2, 4], [[1], [3]], [], [5, -6, 5], 100, [-100, 1]):
        for values in (7, 2.5, [1, 2], [[8, 9]], []):

            def call(xp, a, positions=positions, values=values):
                xp.put(a, positions, values, mode)

            try:
                call(np, x.copy())
            except IndexError:
                refused(call, x)
            else:
                same(call, x)
    refused(lambda xp, a: xp.put([1], 0, 1), x)


def test_select():
    x = np.arange(6)
    for choices in ([x, x * 10], [x, 2.5], [1, 2], [x.astype("int8"), 3], [x[:, None], x]):
        for default in (0, -1, 2.5, [7] * 6):
            same(lambda xp, a, b: xp.select([a < 2, a > 3], b, default), x, choices)
    refused(lambda xp: xp.select([], []))
    refused(lambda xp: xp.select([[1, 0]], [[1, 2]]))
    refused(lambda xp: xp.select([[True]], [1, 2]))


def test_piecewise():
    x = np.linspace(-2, 2, 9)
    same(lambda xp, a: xp.piecewise(a, [a < 0, a >= 0], [-1, 1]), x)
    same(lambda xp, a: xp.piecewise(a, [a < 0], [lambda v: -v, lambda v: v * 2]), x)
    same(lambda xp, a: xp.piecewise(a, a < 0, [lambda v: -v, 7]), x)
    same(lambda xp, a: xp.piecewise(a, [a < 0, a > 1], [lambda v, k, m: v * k + m, 5], 3, m=2), x)
    same(lambda xp, a: xp.piecewise(a, [a < 100], [3, 4]), x)
    same(lambda xp: xp.piecewise(3, [True], [5]))
    same(lambda xp, a: xp.piecewise(a, [a > 3], [2.7]), np.arange(6))
    refused(lambda xp, a: xp.piecewise(a, [a < 0], [1, 2, 3]), x)


@given(zoo.twins(zoo.INTEGERS, kind="small"), zoo.twins(zoo.FLOATS, kind="small"), st.integers(-2, 1))
def test_lexsort_matches_numpy(one, other, axis):
    for pair in (one, other):
        if -pair.theirs.ndim <= axis < pair.theirs.ndim:
            keys = (pair.ours, bv.flip(pair.ours, axis=axis), pair.ours)
            expected = (pair.theirs, np.flip(pair.theirs, axis=axis), pair.theirs)
            zoo.assert_same(bv.lexsort(keys, axis), np.lexsort(expected, axis))


def test_lexsort_of_several_keys():
    keys = np.random.default_rng(1).integers(0, 3, (3, 50))
    same(lambda xp, a: xp.lexsort(a), keys)
    same(lambda xp, a: xp.lexsort(tuple(a)), keys)
    same(lambda xp, a: xp.lexsort(a), keys[0])
    refused(lambda xp: xp.lexsort(()))
    refused(lambda xp: xp.lexsort(5))
    refused(lambda xp: xp.lexsort(([1, 2], [1])))
    refused(lambda xp: xp.lexsort(([1, 2], [1, 2]), 1))


@pytest.mark.parametrize("name", zoo.ALL)
def test_sort_complex(name):
    same(lambda xp, a: xp.sort_complex(a), np.array([[3, 1, 2], [0, 2, 1]]).astype(name))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4), (7,), (2, 3, 4), (5, 1, 2)])
def test_positions_and_indices(shape, order):
    size = int(np.prod(shape))
    positions = np.random.default_rng(0).integers(0, size, (3, 5))
    for dtype in ("int64", "uint8", "int32"):
        same(lambda xp, a: xp.unravel_index(a, shape, order), positions.astype(dtype))
        indices = tuple(it.astype(dtype) for it in np.unravel_index(positions, shape))
        same(lambda xp, a: xp.ravel_multi_index(a, shape, order=order), indices)
    same(lambda xp: xp.unravel_index(size - 1, shape, order))
    for wrong in (size, -1, 1.5, []):
        refused(lambda xp: xp.unravel_index(wrong, shape, order))
    for mode in ("wrap", "clip", ("wrap", "clip", "wrap")[: len(shape)]):
        far = tuple(it * 3 - 5 for it in np.unravel_index(positions, shape))
        same(lambda xp, a: xp.ravel_multi_index(a, shape, mode, order), far)
        refused(lambda xp, a: xp.ravel_multi_index(a, shape, order=order), far)


def test_positions_and_indices_at_the_edges():
    same(lambda xp: xp.unravel_index(0, ()))
    same(lambda xp: xp.ravel_multi_index((1, [0, 1, 2]), (2, 3)))
    same(lambda xp: xp.ravel_multi_index(xp.array([[1, 0], [2, 1]]), (2, 3)))
    refused(lambda xp: xp.ravel_multi_index((1, 2, 3), (2, 3)))
    refused(lambda xp: xp.ravel_multi_index((1.5, 2), (2, 3)))
    refused(lambda xp: xp.ravel_multi_index((1, 2), (2, 3), "other"))
    refused(lambda xp: xp.unravel_index(0, (2, 3), "X"))


def test_indices():
    for shape in ((2, 3), (4,), (), (2, 0, 3), 3):
        if shape == 3:
            continue
        same(lambda xp: xp.indices(shape))
        same(lambda xp: xp.indices(shape, dtype="float32", sparse=True))


def test_grids():
    s = np.s_
    for key in (s[0:3], s[0:1:3j], s[0:3, 0:2], s[0:3, 0:2.0], s[-1:1:5j, 0:10:3], s[:3, 1:4, 5:2:-1], s[0:1:0.25,]):
        same(lambda xp: xp.mgrid[key])
        same(lambda xp: xp.ogrid[key])
    assert bv.s_[1:3, ..., 0] == np.s_[1:3, ..., 0]
    assert bv.s_[1] == 1
    assert bv.index_exp[1:3] == np.index_exp[1:3]
    assert bv.index_exp[1, 2] == np.index_exp[1, 2]


def test_concatenators():
    s = np.s_
    row, matrix = np.array([1, 2, 3]), np.array([[1, 2], [3, 4]])
    small = np.array([1, 2], "int8")
    keys = (
        s[1:4, 0, 7],
        s[row, 0, 0, row],
        s[0:1:5j],
        s[1:2:0.25, 3],
        s["0,2", row, row],
        s["0,2,0", row, row],
        s["1,2,0", row, row],
        s["-1", matrix, matrix],
        s["0,3", matrix, matrix],
        s["0,3,1", matrix, matrix],
        s["0,3,0", matrix, matrix],
        s["1,3,1", row, row],
        s[small, 5],
        s[small, 2.5],
        s[5],
        s[[1, 2]],
        s[2.5, 1j],
    )
    for key in keys:
        same(lambda xp, a: xp.r_[tuple(a)], list(key) if isinstance(key, tuple) else [key])
    for key in (s[row, row], s[matrix, [[5], [6]]], s[1, 2], s[row], s[0:3, row], s["0", row, row]):
        same(lambda xp, a: xp.c_[tuple(a)], list(key) if isinstance(key, tuple) else [key])
    refused(lambda xp: xp.r_["x", [1]])
    refused(lambda xp: xp.r_[[1], "r"])
    refused(lambda xp: xp.r_[[1], [[1]]])
    with pytest.raises(bv.exceptions.UnsupportedError, match="matrix"):
        bv.r_["r", [1, 2]]


def test_spaces():
    for start, stop in ((0, 2), (-1.5, 3), (2, 2)):
        for num in (0, 1, 2, 7):
            for endpoint in (True, False):
                same(lambda xp: xp.logspace(start, stop, num, endpoint), ulps=4)
                same(lambda xp: xp.logspace(start, stop, num, endpoint, base=2), ulps=4)
                same(lambda xp: xp.geomspace(10.0**start, 10.0**stop, num, endpoint), ulps=8)
    same(lambda xp: xp.logspace([0, 1], [2, 3], 4, axis=1), ulps=4)
    same(lambda xp: xp.logspace(0, 1, 3, base=[2, 3]), ulps=4)
    same(lambda xp: xp.logspace(0, 3, 4, dtype="float32"), ulps=4)
    same(lambda xp: xp.geomspace(-1, -1000, 4), ulps=4)
    same(lambda xp: xp.geomspace([1, 2], [8, 32], 3, axis=-1), ulps=4)
    same(lambda xp: xp.geomspace(1, 256, 9, dtype=int))
    same(lambda xp: xp.geomspace(1j, 1000j, 4), ulps=8)
    same(lambda xp: xp.geomspace(1 + 1j, 10 - 2j, 5), ulps=16)
    refused(lambda xp: xp.geomspace(0, 1))
    refused(lambda xp: xp.logspace(0, 1, -1))


def test_diagonals():
    for x in (MATRIX, MATRIX.T, MATRIX[::-1, ::2], np.zeros((0, 3)), np.arange(3), np.arange(3.0)[::-1]):
        for k in (0, 1, -2, 5, -5):
            same(lambda xp, a: xp.diag(a, k), x)
            same(lambda xp, a: xp.diagflat(a, k), x)
    same(lambda xp: xp.diag([1j, 2]))
    refused(lambda xp: xp.diag(3))
    refused(lambda xp, a: xp.diag(a[None]), MATRIX)
    x = bv.asarray(MATRIX.copy())
    bv.diag(x)[...] = 0
    assert bv.shares_memory(bv.diag(x, 1), x)
    zoo.assert_same(bv.sum(x), np.array(MATRIX.sum() - 15))
    same(lambda xp: xp.diag_indices(3))
    same(lambda xp: xp.diag_indices(3, 3))
    same(lambda xp, a: xp.diag_indices_from(a), np.zeros((2, 2, 2)))
    refused(lambda xp, a: xp.diag_indices_from(a), MATRIX)
    refused(lambda xp: xp.diag_indices_from(xp.zeros(2)))


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (8, 3), (2, 2, 2), (3, 3, 3, 3), (0, 0), (7, 1)])
def test_fill_diagonal(shape, wrap):
    x = np.arange(np.prod(shape)).reshape(shape)
    for layout in (x, x.T if len(set(shape)) == 1 else x[::-1], x.astype("float32")):
        for values in (7, 2.5, [1, 2], [[1, 2], [3, 4]], np.arange(20)):
            same(lambda xp, a, v: xp.fill_diagonal(a, v, wrap), layout, values)


def test_fill_diagonal_refuses():
    refused(lambda xp: xp.fill_diagonal(xp.zeros(3), 1))
    refused(lambda xp: xp.fill_diagonal(xp.zeros((2, 2, 3)), 1))


def test_triangles():
    for n, m in ((3, None), (3, 5), (4, 2), (0, 2)):
        for k in (0, 1, -1, 7, -7):
            same(lambda xp: xp.tri(n, m, k))
            same(lambda xp: xp.tri(n, m, k, dtype="int8"))
            same(lambda xp: xp.tril_indices(n, k, m))
            same(lambda xp: xp.triu_indices(n, k, m))
            same(lambda xp: xp.tril_indices_from(xp.zeros((n, m or n)), k))
            same(lambda xp: xp.triu_indices_from(xp.zeros((n, m or n)), k))
    refused(lambda xp: xp.tril_indices_from(xp.zeros(3)))
    same(lambda xp: xp.mask_indices(3, lambda x, k: x * 0 + xp.tri(3, k=k), 1))
