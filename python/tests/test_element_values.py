"""0-d arrays as values: hashes, comparisons and conversions, and objects that iterations and comparisons return again.

An element is read without a claim until it is written, and an object that nothing else refers to is returned again. Neither
may be visible: a value that is kept does not change, and one that is written is read as it is.
"""

import itertools
import math
import operator
import sys
import threading
import weakref
from collections import Counter

import numpy as np
import pytest
import zoo

import belvedere as bv

COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)
INTEGERS = [0, 1, -1, -2, 7, 2**31, -(2**31), 2**53 + 1, 2**61 - 2, 2**61 - 1, 2**61, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, 2.0**61, 1e300, -5e-324, math.inf, -math.inf, math.nan, 2.0**53, 2.0**63]


@pytest.mark.parametrize("value", INTEGERS)
def test_integers_hash_as_in_python(value):
    assert hash(bv.asarray([value])[0]) == hash(value)
    assert hash(bv.asarray(value)) == hash(value)


@pytest.mark.parametrize("value", [it for it in FLOATS if not math.isnan(it)])
def test_floats_hash_as_in_python(value):
    assert hash(bv.asarray([value])[0]) == hash(value)


@pytest.mark.parametrize("name", zoo.ALL)
def test_all_dtypes_hash_as_their_numpy_scalars(name):
    theirs = zoo.values(3, name, 20, "any")
    for ours, scalar in zip(bv.asarray(theirs.copy()), theirs):
        if scalar == scalar:
            assert hash(ours) == hash(scalar.item())


def test_the_hash_of_nan_is_that_of_the_object():
    x, y = bv.asarray([math.nan, math.nan])
    kept = [float(i) for i in range(100)]
    assert hash(x) == hash(x) and {x: 1}[x] == 1 and y not in {x: 1}
    assert len(kept) == 100


def test_other_shapes_are_not_hashable():
    with pytest.raises(TypeError, match="only 0-d arrays are hashable"):
        hash(bv.asarray([1]))


@pytest.mark.parametrize("compare", COMPARISONS)
def test_elements_are_compared_as_numpy_scalars(compare):
    for values in (INTEGERS, FLOATS):
        ours, theirs = bv.asarray(values), np.asarray(values)
        for i, j in itertools.product(range(len(values)), repeat=2):
            zoo.assert_same(compare(ours[i], ours[j]), compare(theirs[i], theirs[j]), context=(i, j))
            # With Python scalars on either side.
            zoo.assert_same(compare(ours[i], values[j]), compare(theirs[i], values[j]), context=(i, j))
            zoo.assert_same(compare(values[i], ours[j]), compare(values[i], theirs[j]), context=(i, j))


@pytest.mark.parametrize("compare", COMPARISONS)
def test_elements_of_different_kinds_are_compared_exactly(compare):
    for x, y in itertools.product(INTEGERS, [it for it in FLOATS if math.isfinite(it)]):
        integer, floating = bv.asarray([x])[0], bv.asarray([y])[0]
        assert bool(compare(floating, x)) == bool(compare(np.float64(y), x))
        assert bool(compare(integer, y)) == bool(compare(np.int64(x), y))
    for beyond in (2**64, -(2**70), 10**400):
        assert bool(compare(bv.asarray([5])[0], beyond)) == compare(5, beyond)
        assert bool(compare(bv.asarray([5.0])[0], beyond)) == compare(5.0, beyond)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("compute", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_arithmetic_of_elements_is_that_of_arrays(compute):
    for first, second in itertools.product([INTEGERS, FLOATS], repeat=2):
        for x, y in itertools.product(first, second):
            theirs = compute(np.asarray([x]), np.asarray([y]))[0]
            zoo.assert_same(compute(bv.asarray(x), bv.asarray([y])[0]), theirs, context=(x, y))
            # Python scalars are cast to the dtype of the array, on either side.
            theirs = compute(np.asarray([x]), y)[0], compute(y, np.asarray([x]))[0]
            zoo.assert_same(compute(bv.asarray(x), y), theirs[0], context=(x, y))
            zoo.assert_same(compute(y, bv.asarray(x)), theirs[1], context=(x, y))


def test_arithmetic_of_elements_with_other_scalars():
    for x, y in itertools.product([bv.asarray(5), bv.asarray(2.5)], [True, 2j, 2**63 - 1, np.float32(3), np.int8(3)]):
        theirs = np.asarray([x.item()])
        zoo.assert_same(x * y, (theirs * y)[0], context=(x, y))
        zoo.assert_same(y - x, (y - theirs)[0], context=(x, y))
    with pytest.raises(OverflowError):
        bv.asarray(5) + 2**63
    with pytest.raises(TypeError):
        bv.asarray(5) + None


def test_arithmetic_of_elements_is_traced():
    x = bv.asarray(2.5)
    with bv.trace() as events:
        x * x
        1 - x
    assert [it.op for it in events] == ["mul", "sub"]


def test_results_of_comparisons_are_new_arrays():
    x, y = bv.asarray([1, 2])
    first, second = x < y, x < y
    assert first is not second and first.dtype == bv.bool and first.shape == ()
    first[...] = False
    assert not first and second and (x < y)
    view = (x < y).reshape(1)
    assert not x > y
    view[0] = False
    assert (x < y) and not view[0]


def test_a_result_with_a_weak_reference_is_not_returned_again():
    x, y = bv.asarray([1, 2])
    reference = weakref.ref(x < y)
    answer = x < y
    assert reference() is None or reference() is not answer


def test_elements_that_are_kept_do_not_change():
    x = bv.arange(50)
    assert [int(it) for it in list(x)] == list(range(50))
    kept, views, arrays, references = [], [], [], []
    for i, element in enumerate(x):
        if i % 3 == 0:
            kept.append(element)
        elif i % 3 == 1:
            views.append(element.reshape(1))
        else:
            arrays.append(np.asarray(element))
        references.append(weakref.ref(element))
    assert [int(it) for it in kept] == list(range(0, 50, 3))
    assert [int(it[0]) for it in views] == list(range(1, 50, 3))
    assert [int(it) for it in arrays] == list(range(2, 50, 3))
    alive = [int(it()) for it in references if it() is not None]
    assert set(range(0, 50, 3)) <= set(alive)


def test_selected_elements_that_are_kept_do_not_change():
    x, y = bv.arange(50), bv.reshape(bv.arange(50), (5, 10))
    assert [int(it) for it in [x[i] for i in range(50)]] == list(range(50))
    assert [int(it) for it in [y[i, j] for i in range(5) for j in range(10)]] == list(range(50))
    first, view, array, other = x[3], x[4].reshape(1), np.asarray(x[5]), y[-1, -1]
    x[6], y[0, 0]
    assert (int(first), int(view[0]), int(array), int(other)) == (3, 4, 5, 49)
    assert int(x[1] + x[2] * x[3]) == 7 and x[1] is not x[1]
    element = x[7]
    element[...] = 100
    assert int(element) == 100 and int(x[7]) == 7
    for wrong in (lambda: x[50], lambda: y[5, 0], lambda: y[0, -11], lambda: y[0, 0, 0]):
        with pytest.raises(IndexError):
            wrong()


def test_assignments_to_elements_match_numpy():
    values = [2.5, -0.0, 7, True, 2**40, np.float32(1.5), np.int8(3), bv.asarray(4.5), bv.asarray(6)]
    for dtype, value in itertools.product(["float64", "float32", "int64", "int32", "bool"], values):
        x, y = bv.zeros((2, 3), dtype=dtype), np.zeros((2, 3), dtype)
        if dtype == "int32" and isinstance(value, int) and value == 2**40:
            with pytest.raises(OverflowError):
                x[1, 2] = value
            continue
        given = value.item() if isinstance(value, bv.Array) else value
        x[1, 2], x[-1][0], x[0, -2] = value, value, value
        y[1, 2], y[-1, 0], y[0, -2] = given, given, given
        zoo.assert_same(x, y, context=(dtype, value))
    with pytest.raises(TypeError):
        del x[0, 0]


def test_elements_that_are_written_are_not_returned_again():
    x = bv.arange(6)
    for i, element in enumerate(x):
        assert int(element) == i
        element[...] = 100
        assert int(element) == 100
    assert x.tolist() == list(range(6))


def test_two_iterations_do_not_share_elements():
    x = bv.arange(5)
    assert [(int(a), int(b)) for a, b in zip(x, x)] == [(i, i) for i in range(5)]
    both = iter(x)
    assert [int(a) * 10 + int(b) for a, b in itertools.zip_longest(both, both, fillvalue=9)] == [1, 23, 49]
    assert list(map(int, itertools.chain(both, both))) == []


def test_an_exhausted_iterator_stays_exhausted():
    rows = iter(bv.arange(2))
    assert len(list(rows)) == 2 and list(rows) == [] and next(rows, None) is None


@pytest.mark.parametrize("name", ["bool", "int32", "int64", "float32", "float64", "complex128"])
def test_a_value_is_read_as_it_was_written_last(name):
    x = bv.ones(3, dtype=name)
    writes = {
        "assignment": lambda s: s.__setitem__(..., 0),
        "fill": lambda s: s.fill(0),
        "view": lambda s: s.reshape(1).__setitem__(0, 0),
        "output": lambda s: bv.multiply(s, 0 if name != "bool" else False, out=s),
        "numpy": lambda s: np.asarray(s).fill(0),
        "memoryview": lambda s: np.frombuffer(s, dtype=name).fill(0),
        "dlpack": lambda s: np.from_dlpack(s).fill(0),
    }
    for how, write in writes.items():
        for s in (x[1], next(iter(x)), x[0] * x[1], x[:1].sum().astype(name)):
            assert s == 1 and bool(s) and complex(s) == 1, how
            write(s)
            assert s == 0 and not s and complex(s) == 0 and hash(s) == 0, how
            assert (s + s) == 0 and bv.asarray([s, s]).tolist() == [0, 0], how
    assert x.tolist() == [1, 1, 1]


def test_a_write_through_numpy_after_the_export():
    s = bv.asarray([1.5])[0]
    shared = np.asarray(s)
    for value in (2.5, 3.5):
        shared[...] = value
        assert float(s) == value and s * 2 == 2 * value and s == value


def test_counters_of_elements_count():
    values = np.arange(3000) * 16807 % 2147483647 % 6 + 1
    counter = Counter(bv.asarray(values))
    assert {int(k): n for k, n in counter.items()} == Counter(values.tolist())
    assert [counter[k] for k in range(1, 7)] == [Counter(values.tolist())[k] for k in range(1, 7)]
    floats = Counter(bv.asarray(values / 7))
    assert {float(k): n for k, n in floats.items()} == Counter((values / 7).tolist())


def test_references_are_released():
    x = bv.arange(4)
    element = next(iter(x))
    rows = iter(x)
    last = next(rows)
    assert sys.getrefcount(last) == sys.getrefcount(element) + 1
    del rows
    assert sys.getrefcount(last) == sys.getrefcount(element)


def test_threads_compare_and_iterate():
    x, failures = bv.arange(2000), []

    def count():
        for _ in range(5):
            if Counter(x % 7) != Counter([int(it) % 7 for it in x]):
                failures.append("counts differ")
            if [int(a) for a in x if a > 1000] != list(range(1001, 2000)):
                failures.append("comparisons differ")

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_lists_of_numbers_and_elements():
    x, i = bv.asarray([1.5, 2.5]), bv.asarray([3, 4])
    cases = [
        ([x[0], x[1]], [1.5, 2.5], "float64"),
        ([x[0], 2, -1.0], [1.5, 2.0, -1.0], "float64"),
        ([1.0, i[0]], [1.0, 3.0], "float64"),
        ((i[0], 7), [3, 7], "int64"),
        ([1, True], [1, 1], "int64"),
        ([1, 2.5], [1.0, 2.5], "float64"),
        ([1, 2j], [1, 2j], "complex128"),
        ([True, False], [True, False], "bool"),
        ([2**63], [2**63], "uint64"),
        ([], [], "float64"),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]], "int64"),
        (list(range(200)), list(range(200)), "int64"),
    ]
    for given, expected, dtype in cases:
        array = bv.array(given)
        assert array.tolist() == expected and array.dtype == dtype, given
        array[...] = 0
    assert x.tolist() == [1.5, 2.5]
    assert bv.array([1, 2], dtype=bv.float64).dtype == bv.float64
    with pytest.raises(ValueError, match="ragged"):
        bv.array([1.0, [2.0]])


def test_reductions_of_lists_of_arrays():
    rows = [np.asarray(it, dtype=np.float64).reshape(2, 3) for it in np.random.default_rng(1).normal(size=(5, 6))]
    rows[1][0, 0] = math.nan
    ours = [bv.asarray(it.copy()) for it in rows]
    for name in ("minimum", "maximum", "fmin", "fmax"):
        theirs = getattr(np, name).reduce(rows)
        zoo.assert_same(getattr(bv, name).reduce(ours), theirs)
        zoo.assert_same(getattr(bv, name).reduce(ours, axis=1), getattr(np, name).reduce(rows, axis=1))
        zoo.assert_same(getattr(bv, name).reduce(ours[:1]), getattr(np, name).reduce(rows[:1]))
        zoo.assert_same(getattr(bv, name).reduce(ours, initial=0.5), getattr(np, name).reduce(rows, initial=0.5))
    mixed = [bv.asarray([1, 5]), bv.asarray([2.5, 1.0])]
    assert bv.minimum.reduce(mixed).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError):
        bv.minimum.reduce([bv.asarray([1, 2]), bv.asarray([1, 2, 3])])
    mask = bv.asarray([[True, False], [True, True]])
    zoo.assert_same(
        bv.minimum.reduce([bv.asarray([1, 2]), bv.asarray([3, 4])], where=mask, initial=9),
        np.minimum.reduce([[1, 2], [3, 4]], where=np.asarray(mask), initial=9),
    )
