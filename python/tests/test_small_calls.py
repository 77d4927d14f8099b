"""The fast paths of calls on few elements: single elements, 0-d arrays, short lists of indices, small products.

Each has a general twin in the core that computes the same for operands of any form, and NumPy is the oracle of both.
"""

import itertools
import operator

import numpy as np
import pytest
import zoo

import belvedere as bv

OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq, operator.ge)


def layouts_of(name, n=6):
    """Pairs of equal 1-D arrays: contiguous, with a gap, reversed, foreign."""
    flat = zoo.values(7, name, 4 * n, "any")
    for part in (slice(0, n), slice(1, 2 * n + 1, 2), slice(n, 0, -1), slice(3 * n, 2 * n, -1)):
        for foreign in (False, True):
            theirs = flat.copy()
            ours = bv.asarray(theirs.copy(), copy=not foreign)
            yield ours[part], theirs[part]


@pytest.mark.parametrize("name", zoo.ALL)
def test_elements_are_read_at_every_index(name):
    for ours, theirs in layouts_of(name):
        for i in range(-6, 6):
            zoo.assert_same(ours[i], theirs[i], context=i)
            zoo.assert_same(ours[bv.asarray(i)], theirs[i], context=i)
        for i, element in enumerate(ours):
            zoo.assert_same(element, theirs[i])
        for i in (6, -7, 2**70):
            with pytest.raises(IndexError):
                ours[i]


@pytest.mark.parametrize("name", zoo.ALL)
def test_elements_are_written_at_every_index(name):
    for ours, theirs in layouts_of(name):
        for i in range(-6, 6):
            value = theirs[(i + 3) % 6].copy()
            ours[i], theirs[i] = bv.asarray(value), value
            zoo.assert_same(ours, theirs, context=i)
            ours[i] = theirs[i] = 1
            zoo.assert_same(ours, theirs, context=i)
        for i in (6, -7):
            with pytest.raises(IndexError):
                ours[i] = 1
        zoo.assert_same(ours, theirs)


def test_elements_of_matrices_are_read_and_written():
    theirs = np.arange(12.0).reshape(3, 4)
    ours = bv.asarray(theirs.copy(), copy=True)
    for x, y in ((ours, theirs), (ours.T, theirs.T), (ours[::-1, ::2], theirs[::-1, ::2])):
        for i, j in itertools.product(range(-y.shape[0], y.shape[0]), range(-y.shape[1], y.shape[1])):
            zoo.assert_same(x[i, j], y[i, j])
            zoo.assert_same(x[bv.asarray(i), j], y[i, j])
            x[i, j] += 1
            y[i, j] += 1
            zoo.assert_same(ours, theirs)
        for index in ((y.shape[0], 0), (0, -y.shape[1] - 1), (0, 0, 0)):
            with pytest.raises(IndexError):
                x[index]


def test_an_element_that_does_not_fit_is_refused():
    x = bv.zeros(3, dtype=bv.int8)
    with pytest.raises(OverflowError):
        x[0] = 300
    with pytest.raises(ValueError, match="NaN"):
        x[0] = float("nan")
    with pytest.raises(TypeError):
        x[0] = 1j
    x[1] = 2.9
    assert x.tolist() == [0, 2, 0]
    theirs = np.zeros(3)
    theirs.flags.writeable = False
    with pytest.raises((ValueError, TypeError)):
        bv.asarray(theirs)[0] = 1.0


def test_an_element_is_assigned_from_its_own_array():
    x = bv.arange(4)
    x[0], x[3] = x[3], x[0]
    assert x.tolist() == [3, 1, 2, 0]
    x[1] = x[2:3].reshape(())
    assert x.tolist() == [3, 2, 2, 0]


def test_a_value_does_not_change_with_its_array():
    x = bv.arange(3)
    value = x[1]
    x[1] = 7
    assert value == 1


def test_iteration_sees_what_its_body_writes():
    x = bv.arange(4)
    seen = []
    for value in x:
        seen.append(int(value))
        x[len(seen) % 4] = 10 * len(seen)
    assert seen == [0, 10, 20, 30]


@pytest.mark.parametrize("left", zoo.ALL)
def test_operators_of_0d_arrays_promote_as_those_of_arrays(left):
    for right in zoo.ALL:
        x, y = (np.asarray([1, 2]).astype(name) for name in (left, right))
        for apply in OPERATORS:
            ours = bv.asarray(x, copy=True), bv.asarray(y, copy=True)
            try:
                # The general path, which has its own comparison with NumPy.
                expected = np.asarray(apply(*ours))
            except TypeError:
                with pytest.raises(TypeError):
                    apply(ours[0][1], ours[1][1])
                continue
            zoo.assert_same(apply(ours[0][1], ours[1][1]), expected[1], ulps=1, context=(apply, right))
            zoo.assert_same(apply(ours[0][1], ours[1]), np.asarray(apply(ours[0][1:], ours[1])), ulps=1, context=(apply, right))
            zoo.assert_same(apply(ours[0], ours[1][1]), np.asarray(apply(ours[0], ours[1][1:])), ulps=1, context=(apply, right))


@pytest.mark.parametrize("names", list(itertools.product(zoo.ALL, repeat=2)))
def test_lists_of_0d_arrays_have_their_common_dtype(names):
    values = [zoo.values(3, name, 3, "any")[1] for name in names]
    ours = [bv.asarray(value) for value in values]
    with np.errstate(all="ignore"):
        zoo.assert_same(bv.array(ours), np.array(values))
        zoo.assert_same(bv.array([ours, ours]), np.array([values, values]))


def test_lists_of_0d_arrays_and_numbers():
    one, half = bv.asarray(1, dtype=bv.int8), bv.asarray(0.5, dtype=bv.float32)
    assert bv.array([one, 2]).dtype == bv.int64
    assert bv.array([2, one]).dtype == bv.int64
    assert bv.array([one, True]).dtype == bv.int8
    assert bv.array([half, 2.0]).tolist() == [0.5, 2.0]
    assert bv.array([half, half], dtype=bv.int16).tolist() == [0, 0]
    with pytest.raises(ValueError):
        bv.array([one, [1, 2]])


@pytest.mark.parametrize("name", zoo.ALL)
def test_short_lists_of_indices_gather_and_scatter(name):
    for ours, theirs in layouts_of(name):
        for list_ in ([0], [5, -6, 2], [1, 1, 3], [-1, 0, 5, 5, 2, 2, 4]):
            index = np.asarray(list_)
            zoo.assert_same(ours[bv.asarray(list_)], theirs[index])
            zoo.assert_same(ours[list_], theirs[list_])
            values = zoo.values(11, name, len(list_), "any")
            ours[bv.asarray(list_)] = bv.asarray(values)
            theirs[index] = values
            zoo.assert_same(ours, theirs, context=list_)
            ours[list_] = theirs[list_] = 1
            zoo.assert_same(ours, theirs, context=list_)


@pytest.mark.parametrize("name", zoo.ALL)
def test_short_masks_select_and_assign(name):
    for bits, (ours, theirs) in zip((0, 1, 0b101010, 0b111111), layouts_of(name)):
        mask = np.asarray([bool(bits >> i & 1) for i in range(6)])
        zoo.assert_same(ours[bv.asarray(mask)], theirs[mask])
        values = zoo.values(13, name, int(mask.sum()), "any")
        ours[bv.asarray(mask)] = bv.asarray(values)
        theirs[mask] = values
        zoo.assert_same(ours, theirs, context=bits)
        ours[bv.asarray(mask)] = theirs[mask] = 0
        zoo.assert_same(ours, theirs, context=bits)


def test_lists_for_both_axes_of_a_matrix():
    theirs = np.arange(12.0).reshape(3, 4)
    ours = bv.asarray(theirs, copy=True)
    rows, columns = np.asarray([0, -1, 2, 0]), np.asarray([3, 0, -4, 3])
    for x, y in ((ours, theirs), (ours[:, ::-1], theirs[:, ::-1])):
        zoo.assert_same(x[bv.asarray(rows), bv.asarray(columns)], y[rows, columns])
        x[bv.asarray(rows), bv.asarray(columns)] -= 1
        y[rows, columns] -= 1
        zoo.assert_same(ours, theirs)


def test_a_wrong_index_writes_nothing():
    x = bv.arange(4)
    for index in ([0, 4], [-5, 1]):
        with pytest.raises(IndexError):
            x[bv.asarray(index)]
        with pytest.raises(IndexError):
            x[bv.asarray(index)] = 9
    for values in ([1, 2, 3], [[1], [2]]):
        with pytest.raises(ValueError):
            x[bv.asarray([0, 1])] = bv.asarray(values)
        with pytest.raises(ValueError):
            x[bv.asarray([True, True, False, False])] = bv.asarray(values)
    with pytest.raises(IndexError):
        x[bv.asarray([True, False])]
    assert x.tolist() == [0, 1, 2, 3]


def test_values_that_share_memory_are_read_first():
    theirs = np.arange(6)
    ours = bv.arange(6)
    index = np.asarray([0, 1, 2, 3, 4, 5])
    ours[bv.asarray(index)] = ours[::-1]
    theirs[index] = theirs[::-1].copy()
    zoo.assert_same(ours, theirs)
    ours[ours] = 7
    theirs[theirs.copy()] = 7
    zoo.assert_same(ours, theirs)


@pytest.mark.parametrize("name", zoo.ALL)
def test_short_arrays_are_concatenated(name):
    pairs = list(layouts_of(name))
    ours, theirs = [it[0] for it in pairs], [it[1] for it in pairs]
    for axis in (0, -1, None):
        zoo.assert_same(bv.concat(ours, axis=axis), np.concatenate(theirs, axis=axis))
    zoo.assert_same(bv.concat([ours[0], ours[1][:0]]), theirs[0])
    zoo.assert_same(bv.append(ours[2], ours[0][1]), np.append(theirs[2], theirs[0][1]))
    zoo.assert_same(bv.append(ours[2], 1), np.append(theirs[2], 1))
    with pytest.raises((ValueError, IndexError)):
        bv.concat([ours[0], ours[0][1]])


@pytest.mark.parametrize("name", ("int8", "int64", "float32", "float64", "complex128"))
def test_small_products_of_vectors_and_matrices(name):
    shapes = [((k,), (k,)) for k in (1, 3, 15, 16, 63, 64, 65)]
    shapes += [((m, k), (k,)) for m in (1, 2, 5) for k in (1, 2, 17)]
    shapes += [((k,), (k, n)) for k in (1, 2, 17) for n in (1, 2, 5)]
    for left, right in shapes:
        x, y = (np.arange(1, 1 + np.prod(shape)).reshape(shape) % 7 - 3 for shape in (left, right))
        x, y = x.astype(name), y.astype(name)
        for a, b in ((x, y), (x[..., ::-1], y), (x.T.copy().T, y.T.copy().T)):
            # Integers of this size are exact in every dtype.
            mine = bv.asarray(a), bv.asarray(b)
            zoo.assert_same(mine[0] @ mine[1], a @ b, signed_zeros=False, context=(left, right))
            zoo.assert_same(bv.dot(*mine), np.dot(a, b), signed_zeros=False, context=(left, right))
    for left, right in (((3,), (4,)), ((2, 3), (2,)), ((3,), (2, 3))):
        with pytest.raises(ValueError):
            bv.ones(left, dtype=name) @ bv.ones(right, dtype=name)


@pytest.mark.parametrize("name", ("float32", "float64"))
def test_a_row_times_a_matrix(name):
    sizes = list(itertools.product((1, 7, 8, 9, 100, 301), (1, 3, 4, 15, 33, 47, 300)))
    # Columns of a few elements, in a product that is not small.
    sizes += [(k, 5000) for k in range(1, 9)]
    for k, n in sizes:
        row, matrix = (np.arange(size) % 5 - 2.0 for size in (k, k * n))
        row, matrix = row.astype(name), matrix.astype(name).reshape(k, n)
        expected = row @ matrix
        for b in (matrix, np.asfortranarray(matrix)):
            zoo.assert_same(bv.asarray(row) @ bv.asarray(b), expected, context=(k, n))
            zoo.assert_same(bv.asarray(b).T @ bv.asarray(row), expected, context=(k, n))
        doubled = np.repeat(row, 2)
        zoo.assert_same(bv.asarray(doubled)[::2] @ bv.asarray(matrix), expected, context=(k, n))
