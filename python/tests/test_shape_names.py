"""Functions that change shapes, split, join, insert and delete."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from compare import ours, refused, same
from hypothesis import given

import belvedere as bv

CUBE = np.arange(24).reshape(2, 3, 4)
MATRIX = CUBE[0]
ODD = CUBE.T[::-1, :, ::-1]


def test_shape_ndim_and_size():
    for x in (3, [1, 2], [[1], [2]], CUBE, ODD):
        for name in ("shape", "ndim", "size"):
            same(lambda xp, a: getattr(xp, name)(a), x)
    for axis in (0, -1, (0, 2), ()):
        same(lambda xp, a: xp.size(a, axis), CUBE)
    refused(lambda xp, a: xp.size(a, 3), CUBE)
    refused(lambda xp, a: xp.size(a, (0, 0)), CUBE)


@given(zoo.twins(zoo.ALL), st.data())
def test_rollaxis_is_a_view(pair, data):
    n = pair.theirs.ndim
    if n == 0:
        return
    axis, start = data.draw(st.integers(-n, n - 1)), data.draw(st.integers(-n, n))
    found = bv.rollaxis(pair.ours, axis, start)
    zoo.assert_same(found, np.rollaxis(pair.theirs, axis, start))
    if found.size:
        assert bv.shares_memory(found, pair.ours)


def test_rollaxis_refuses_axes_out_of_range():
    refused(lambda xp, a: xp.rollaxis(a, 3), CUBE)
    refused(lambda xp, a: xp.rollaxis(a, 0, 4), CUBE)
    refused(lambda xp, a: xp.rollaxis(a, 0, -4), CUBE)


@pytest.mark.parametrize("parts", [1, 2, 3, 5, [1], [1, 2], [2, 1], [], [0, 9], [-1], np.array([1, 3])])
def test_array_split(parts):
    for x in (np.arange(7), CUBE, ODD, np.zeros((0, 3))):
        for axis in range(x.ndim):
            same(lambda xp, a: xp.array_split(a, parts, axis), x)
    x = bv.asarray(CUBE.copy())
    assert all(bv.shares_memory(it, x) for it in bv.array_split(x, 2))


@pytest.mark.parametrize("name", ["hsplit", "vsplit", "dsplit"])
@pytest.mark.parametrize("parts", [1, 2, 3, 4, 0, [1], [1, 2]])
def test_split_of_an_axis(name, parts):
    for x in (np.array(3), np.arange(4), MATRIX, CUBE, ODD):
        try:
            getattr(np, name)(x, parts)
        except (ValueError, ZeroDivisionError):
            with pytest.raises((ValueError, ZeroDivisionError)):
                getattr(bv, name)(ours(x), parts)
        else:
            same(lambda xp, a: getattr(xp, name)(a, parts), x)


def test_append():
    same(lambda xp, a: xp.append(a, 5), MATRIX)
    same(lambda xp, a: xp.append(a, [[2.5]]), MATRIX)
    same(lambda xp, a: xp.append(a, a[:1], axis=0), MATRIX)
    same(lambda xp, a: xp.append(a, a, axis=-1), ODD)
    same(lambda xp: xp.append([], [1, 2]))
    refused(lambda xp, a: xp.append(a, 5, axis=0), MATRIX)
    refused(lambda xp, a: xp.append(a, a[:, :2], axis=0), MATRIX)
    refused(lambda xp, a: xp.append(a, a, axis=2), MATRIX)


def test_row_stack_and_block():
    same(lambda xp, a: xp.vstack((a, a)), MATRIX)
    found = bv.row_stack(([1, 2], [3, 4]), dtype=bv.float32)
    zoo.assert_same(found, np.vstack(([1, 2], [3, 4]), dtype=np.float32))
    with pytest.raises(TypeError):
        bv.row_stack(([1.5],), dtype=bv.int8)
    eye, ones, row = np.eye(2), np.ones((2, 3)), np.arange(5)
    for blocks in ([[eye, ones], [row]], [1, 2, 3], [[1], [2]], eye, 3, [eye, eye], [[eye, 1j * eye]], [[[1]], [[2]]]):
        same(lambda xp, a: xp.block(a), blocks)
    for blocks in ([], [[]], [[1], 2], [(1, 2)], [eye, ones[:1]]):
        refused(lambda xp, a: xp.block(a), blocks)


POSITIONS = [0, -1, 3, [0], [1, 1], [0, -1], [], slice(None), slice(1, None, 2), slice(3, None, -2), [[1, 2]]]


@pytest.mark.parametrize("obj", [*POSITIONS, np.array([True, False, True, False])], ids=str)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_delete(obj, axis):
    for x in (MATRIX, np.ones((4, 4)), np.ones((4, 4, 4), "complex64")[::-1]):
        try:
            np.delete(x, obj, axis)
        except (IndexError, ValueError):
            refused(lambda xp, a, b: xp.delete(a, b, axis), x, obj)
        else:
            same(lambda xp, a, b: xp.delete(a, b, axis), x, obj)


def test_delete_from_lists_and_what_it_refuses():
    same(lambda xp: xp.delete([1, 2, 3], 1))
    same(lambda xp: xp.delete(5, 0))
    for wrong in (3, -4, [3], [1.0], [True]):
        refused(lambda xp: xp.delete([1, 2, 3], wrong))


@pytest.mark.parametrize("obj", [*POSITIONS, 4, [4, 0, 2, 2], np.array([True, False, True, False])], ids=str)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("values", [7, 2.5, [1, 2], [[1, 2, 3, 4]], [[5], [6]], np.arange(16).reshape(4, 4)], ids=str)
def test_insert(obj, axis, values):
    for x in (MATRIX, np.arange(16).reshape(4, 4).T, np.arange(4)):
        try:
            np.insert(x, obj, values, axis)
        except (IndexError, ValueError):
            refused(lambda xp, a, b, c: xp.insert(a, b, c, axis), x, obj, values)
        else:
            same(lambda xp, a, b, c: xp.insert(a, b, c, axis), x, obj, values)


def test_trim_zeros():
    padded = np.pad(CUBE + 1, 2)
    for x in (padded, padded[:, 2], np.array([0, 0, 1, 0, 2, 0]), np.zeros(3), np.zeros((0,)), padded.astype(float)):
        for trim in ("fb", "f", "b", "FB"):
            same(lambda xp, a: xp.trim_zeros(a, trim), x)
            same(lambda xp, a: xp.trim_zeros(a, trim, axis=-1), x)
    for x in ([0, 1, 0], (0, 0, 1.5), [0, 0]):
        same(lambda xp: xp.trim_zeros(x))
    refused(lambda xp: xp.trim_zeros([1], "x"))
