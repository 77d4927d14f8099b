"""Indexing compared with NumPy: reads, writes, and views for basic indices."""

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo


def outcome(function):
    """Returns the result of a function, or the class of the exception it raises."""
    try:
        return function()
    except (IndexError, ValueError, TypeError) as error:
        return type(error)


def assert_alike(ours, theirs, context=""):
    """Checks that both returned equal elements, or both raised related exceptions."""
    if isinstance(theirs, type):
        assert isinstance(ours, type) and issubclass(ours, theirs), f"{ours}, expected {theirs} {context}"
        return
    assert not isinstance(ours, type), f"{ours}, expected {theirs!r} {context}"
    zoo.assert_same(ours, theirs, context=context)


# Reading


@given(st.data())
def test_basic_indexing_matches_numpy_and_returns_views(data):
    x, y = pair = data.draw(zoo.twins(overlapping=False))
    index = data.draw(zoo.basic_indices(y.shape))
    part = x[index]
    zoo.assert_same(part, y[index], context=index)
    # Non-empty results have the same strides.
    if part.size and isinstance(y[index], np.ndarray):
        long = [k for k in range(part.ndim) if part.shape[k] > 1]
        assert [part.strides[k] for k in long] == [y[index].strides[k] for k in long]
        assert bv.shares_memory(part, pair.our_base)


@given(st.data())
def test_writes_to_a_view_change_the_base(data):
    x, y = pair = data.draw(zoo.twins(overlapping=False))
    index = data.draw(zoo.basic_indices(y.shape))
    part = x[(*index, ...)] if ... not in index else x[index]
    part[...] = True
    y[index] = 1
    zoo.assert_same(x, y)
    zoo.assert_same(pair.our_base, pair.their_base)


@given(st.data())
def test_integer_arrays_and_masks_match_numpy(data):
    x, y = data.draw(zoo.twins())
    index = data.draw(zoo.advanced_indices(y.shape))
    picked = x[zoo.ours(index)]
    zoo.assert_same(picked, y[index], context=index)
    if any(isinstance(it, np.ndarray) for it in index) and picked.size:
        assert not bv.shares_memory(picked, x)


@given(st.data())
def test_numpy_arrays_and_lists_are_indices(data):
    x, y = data.draw(zoo.twins(("int16",)))
    index = data.draw(zoo.advanced_indices(y.shape))
    zoo.assert_same(x[index], y[index], context=index)
    if any(isinstance(it, np.ndarray) and it.size == 0 for it in index):
        return  # An empty list has no dtype of its own.
    lists = tuple(it.tolist() if isinstance(it, np.ndarray) else it for it in index)
    zoo.assert_same(x[lists], y[index], context=index)


@given(st.data())
def test_mixed_indices_match_numpy(data):
    """Includes invalid indices: too many entries, out of range, arrays that do not broadcast."""
    x, y = data.draw(zoo.twins(("int32",)))
    entry = st.one_of(
        st.integers(-5, 5),
        st.builds(slice, *[st.one_of(st.none(), st.integers(-6, 6))] * 2, st.sampled_from([None, 1, 2, -1, -3])),
        st.just(None),
        st.just(...),
        st.booleans(),
        hnp.arrays(np.int64, hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3), elements=st.integers(-4, 4)),
        hnp.arrays(np.uint8, st.sampled_from([(), (2,), (1, 3)]), elements=st.integers(0, 3)),
        hnp.arrays(bool, hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4)),
    )
    index = tuple(data.draw(st.lists(entry, max_size=4)))
    assert_alike(outcome(lambda: x[zoo.ours(index)]), outcome(lambda: y[index]), index)


MASKS = [True, False, np.True_, np.array(True), np.array(False)]


@pytest.mark.parametrize("mask", MASKS, ids=repr)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)], ids=str)
def test_a_bool_is_a_0d_mask(mask, shape):
    y = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    x = bv.asarray(y, copy=True)
    zoo.assert_same(x[mask], y[mask])
    zoo.assert_same(x[mask, ...], y[mask, ...])
    x[mask] = 7
    y[mask] = 7
    zoo.assert_same(x, y)


@pytest.mark.parametrize("bound", [2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**40], ids=str)
def test_slices_with_huge_bounds_clamp(bound):
    x, y = bv.arange(5), np.arange(5)
    for part in [
        slice(bound), slice(-bound), slice(bound, None), slice(-bound, None), slice(None, None, bound),
        slice(None, None, -bound), slice(-bound, bound, 2), slice(bound, -bound, -1), slice(3, -bound, -2),
    ]:  # fmt: skip
        zoo.assert_same(x[part], y[part], context=part)


def test_objects_with_index_are_indices():
    class Third:
        def __index__(self):
            return 2

    x = bv.arange(5) * 10
    for third in [2, np.int8(2), np.uint64(2), np.array(2), bv.asarray(2), bv.asarray(2, dtype=bv.uint8), Third()]:
        assert x[third].item() == 20
        assert x[third].shape == ()
        assert x[third:].tolist() == [20, 30, 40]
        assert not bv.shares_memory(x[third], x)
        assert bv.shares_memory(x[third, ...], x)


WRONG = [
    (1.5,), (np.float64(1.0),), ("a",), (b"a",), ({},), (1j,), (object(),), (np.array([1.5]),), ([1.5],),
    ([0.0],), ([[0], [1, 2]],), (10**30,), (-(10**30),), (3,), (-4,), (0, 0, 0), (..., ...), (None, 4), (0, slice(0, 1), 0),
    (np.zeros((4,), bool),), (np.zeros((3, 3), bool),), (np.array([3]),), (np.array([-4]),), ([0, 1], [0, 1, 2]),
    (np.array(5),), ([],  [0, 7]),
]  # fmt: skip


@pytest.mark.parametrize("index", WRONG, ids=repr)
def test_invalid_indices_raise_the_same_exception_as_numpy(index):
    y = np.arange(6).reshape(3, 2)
    x = bv.asarray(y, copy=True)
    for index in [index, index[0]] if len(index) == 1 else [index]:
        with pytest.raises((IndexError, ValueError)) as theirs:
            y[index]
        with pytest.raises(theirs.type):
            x[index]
        with pytest.raises(theirs.type):
            x[index] = 1
    assert x.tolist() == y.tolist()


def test_a_step_of_zero_raises_value_error():
    with pytest.raises(ValueError, match="step"):
        bv.arange(3)[::0]


def test_error_messages_contain_the_values():
    x = bv.zeros((2, 3))
    with pytest.raises(IndexError, match="index 5 is out of range for axis 1 of length 3"):
        x[0, 5]
    with pytest.raises(IndexError, match="got 3 indices for 2 axes"):
        x[0, 0, 0]
    with pytest.raises(IndexError, match="float32"):
        x[bv.zeros(2, dtype=bv.float32)]


# Writing


@given(st.data())
def test_assignment_to_basic_indices_matches_numpy(data):
    x, y = pair = data.draw(zoo.twins(overlapping=False))
    index = data.draw(zoo.basic_indices(y.shape))
    shapes = hnp.broadcastable_shapes(y[index].shape, max_dims=y[index].ndim, min_side=0, max_side=4)
    shape = data.draw(shapes)
    given_ours, given_theirs = data.draw(zoo.twins((y.dtype.name,), shape))
    ours = outcome(lambda: x.__setitem__(index, given_ours))
    theirs = outcome(lambda: y.__setitem__(index, given_theirs))
    assert ours == theirs
    zoo.assert_same(pair.our_base, pair.their_base, context=index)


@given(st.data())
def test_assignment_to_advanced_indices_matches_numpy(data):
    x, y = pair = data.draw(zoo.twins(overlapping=False))
    index = data.draw(zoo.advanced_indices(y.shape))
    given_ours, given_theirs = data.draw(zoo.twins((y.dtype.name,), y[index].shape))
    x[zoo.ours(index)] = given_ours
    y[index] = given_theirs
    zoo.assert_same(pair.our_base, pair.their_base, context=index)


@given(st.data())
def test_assignment_casts_to_the_dtype_of_the_array(data):
    x, y = data.draw(zoo.twins(overlapping=False))
    name = data.draw(st.sampled_from(zoo.ALL))
    value_ours, value_theirs = data.draw(zoo.twins((name,), y.shape, kind="small"))
    if np.dtype(name).kind == "c" and y.dtype.kind in "iuf":
        # NumPy warns and discards the imaginary parts.
        with pytest.raises(TypeError, match="cannot cast complex"):
            x[...] = value_ours
    else:
        x[...] = value_ours
        y[...] = value_theirs
    zoo.assert_same(x, y)


@given(st.data())
def test_overlapping_assignment_reads_before_writing(data):
    x, y = pair = data.draw(zoo.twins(shape=zoo.shapes(min_rank=1), overlapping=False))
    target = data.draw(zoo.basic_indices(y.shape))
    source = data.draw(zoo.basic_indices(y.shape))
    ours = outcome(lambda: x.__setitem__(target, x[source]))
    theirs = outcome(lambda: y.__setitem__(target, np.array(y[source])))
    # Leading axes of length 1 of the value are dropped, except for a single element.
    assert (theirs is None) == (ours is None)
    zoo.assert_same(pair.our_base, pair.their_base)


def test_the_last_value_of_a_repeated_index_is_kept():
    x = bv.zeros(3)
    x[bv.asarray([1, 1, 2, 1])] = bv.asarray([1.0, 2.0, 3.0, 4.0])
    assert x.tolist() == [0, 4, 3]


def test_scalars_lists_and_numpy_arrays_can_be_assigned():
    x = bv.zeros((2, 3))
    x[0] = 1
    x[1] = [4, 5, 6]
    x[:, 0] = np.array([7, 8], np.int8)
    x[0, 1:] = (2.5, 3.5)
    x[1, 1] = np.float32(0.5)
    assert x.tolist() == [[7, 2.5, 3.5], [8, 0.5, 6]]


def test_out_of_range_scalars_are_refused_and_nothing_is_written():
    x = bv.zeros(3, dtype=bv.uint8)
    for value in [300, -1, 1j, float("nan"), float("inf"), 1e9]:
        with pytest.raises((OverflowError, ValueError, TypeError)):
            x[1:] = value
    with pytest.raises((OverflowError, ValueError)):
        x[0] = 2**70
    assert x.tolist() == [0, 0, 0]


def test_augmented_assignment_writes_through_any_index():
    y = np.arange(12).reshape(3, 4)
    x = bv.asarray(y, copy=True)
    base = x
    for index in [..., 1, (slice(None), 2), ([0, 2], [1, 1]), y % 3 == 0]:
        x[zoo.ours(index)] += 100
        y[index] += 100
    zoo.assert_same(x, y)
    assert base is x


def test_overlapping_views_are_not_writable():
    whole = bv.broadcast_to(bv.zeros(1), (3,))
    with pytest.raises(ValueError):
        whole[0:2] = 1
    with pytest.raises(ValueError):
        bv.arange(5).unfold(0, 3, 1)[...] = 1
    with pytest.raises(TypeError):
        del bv.zeros(3)[0]


# Iteration


@given(zoo.twins(shape=zoo.shapes(min_rank=1)))
def test_iteration_is_over_the_first_axis(pair):
    x, y = pair
    assert len(x) == len(y)
    parts = list(x)
    assert len(parts) == len(y)
    for part, expected in zip(parts, y):
        zoo.assert_same(part, expected)
        assert not part.size or bv.shares_memory(part, x) == (x.ndim > 1)


def test_a_0d_array_is_not_iterable():
    x = bv.asarray(3)
    with pytest.raises(TypeError):
        iter(x)
    with pytest.raises(TypeError):
        len(x)
    with pytest.raises(IndexError):
        x[0]


def test_an_exhausted_iterator_stays_exhausted():
    rows = iter(bv.zeros((2, 1)))
    assert rows.__length_hint__() == 2
    next(rows)
    assert rows.__length_hint__() == 1
    next(rows)
    for _ in range(3):
        with pytest.raises(StopIteration):
            next(rows)
    assert rows.__length_hint__() == 0


def test_contains_finds_elements():
    x = bv.asarray([[1.0, float("nan")], [3.0, 4.0]])
    assert 3 in x
    assert 5 not in x
    assert float("nan") not in x
    assert bv.asarray([3.0, 0.0]) in x
