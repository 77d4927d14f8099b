"""Manipulation and joining functions compared with NumPy, and whether they copy."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv


@st.composite
def twins_and_axes(draw, min_rank=0):
    """Draws a pair and some of its axes, as positive or negative numbers."""
    pair = draw(zoo.twins(shape=zoo.shapes(min_rank=min_rank)))
    rank = pair.theirs.ndim
    axes = draw(st.permutations(range(rank)))[: draw(st.integers(0, rank))]
    return pair, tuple(axis - rank * draw(st.integers(0, 1)) for axis in axes)


def assert_view(view, pair):
    """Checks that a view shares memory with its base and that writes are visible."""
    if view.size > 0:
        assert bv.shares_memory(view, pair.our_base)


@given(twins_and_axes())
def test_flip_is_a_view(drawn):
    pair, axes = drawn
    view = bv.flip(pair.ours, axis=axes)
    zoo.assert_same(view, np.flip(pair.theirs, axes))
    zoo.assert_same(bv.flip(pair.ours), np.flip(pair.theirs))
    assert_view(view, pair)


@given(zoo.twins(), st.data())
def test_permute_dims_is_a_view(pair, data):
    order = data.draw(st.permutations(range(pair.theirs.ndim)))
    view = bv.permute_dims(pair.ours, order)
    zoo.assert_same(view, np.transpose(pair.theirs, order))
    assert_view(view, pair)


@given(twins_and_axes(), st.data())
def test_moveaxis_is_a_view(drawn, data):
    pair, source = drawn
    to = tuple(data.draw(st.permutations(range(pair.theirs.ndim)))[: len(source)])
    view = bv.moveaxis(pair.ours, source, to)
    zoo.assert_same(view, np.moveaxis(pair.theirs, source, to))
    assert_view(view, pair)


@given(zoo.twins(shape=zoo.shapes(max_rank=3)), st.data())
def test_expand_dims_and_squeeze_are_views_and_inverse(pair, data):
    rank = pair.theirs.ndim
    n_new = data.draw(st.integers(0, 3))
    axes = tuple(data.draw(st.permutations(range(rank + n_new)))[:n_new])
    view = bv.expand_dims(pair.ours, axes)
    zoo.assert_same(view, np.expand_dims(pair.theirs, axes))
    assert_view(view, pair)
    back = bv.squeeze(view, axes)
    zoo.assert_same(back, pair.theirs)
    assert_view(back, pair)


@given(zoo.twins(shape=zoo.shapes(max_rank=3)), st.data())
def test_broadcast_to_is_a_view(pair, data):
    front = data.draw(zoo.shapes(max_rank=2))
    shape = front + tuple(n if n != 1 else data.draw(st.integers(0, 4)) for n in pair.theirs.shape)
    view = bv.broadcast_to(pair.ours, shape)
    zoo.assert_same(view, np.broadcast_to(pair.theirs, shape))
    assert_view(view, pair)


@given(zoo.broadcastable_twins(n=3))
def test_broadcast_arrays_are_views_of_the_common_shape(pairs):
    theirs = np.broadcast_arrays(*[it.theirs for it in pairs])
    views = bv.broadcast_arrays(*[it.ours for it in pairs])
    assert isinstance(views, tuple)
    for pair, view, expected in zip(pairs, views, theirs, strict=True):
        zoo.assert_same(view, expected)
        assert_view(view, pair)
    assert bv.broadcast_shapes(*[it.theirs.shape for it in pairs]) == theirs[0].shape


@given(zoo.twins(shape=zoo.shapes(min_rank=1)), st.data())
def test_stack_inverts_unstack_which_returns_views(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    parts = bv.unstack(pair.ours, axis=axis)
    assert isinstance(parts, tuple)
    for part, expected in zip(parts, np.unstack(pair.theirs, axis=axis), strict=True):
        zoo.assert_same(part, expected)
        assert_view(part, pair)
    if parts:
        zoo.assert_same(bv.stack(parts, axis=axis), pair.theirs)


def test_writes_to_a_view_change_the_base():
    base = bv.zeros((2, 3))
    ways = {
        "flip": lambda x: bv.flip(x),
        "permute_dims": lambda x: bv.permute_dims(x, (1, 0)),
        "moveaxis": lambda x: bv.moveaxis(x, 0, 1),
        "expand_dims": lambda x: bv.expand_dims(x, 1),
        "squeeze": lambda x: bv.squeeze(bv.expand_dims(x, 0), 0),
        "unstack": lambda x: bv.unstack(x)[1],
        "reshape": lambda x: bv.reshape(x, (3, 2)),
        "matrix_transpose": lambda x: bv.matrix_transpose(x),
        "diagonal": lambda x: bv.linalg.diagonal(x),
        "split": lambda x: bv.split(x, 3, axis=1)[1],
        "chunk": lambda x: bv.chunk(x, 2)[0],
        "atleast_3d": lambda x: bv.atleast_3d(x),
        "einsum": lambda x: bv.einsum("ij->ji", x),
    }
    for number, (name, way) in enumerate(ways.items(), start=1):
        way(base)[...] = number
        assert bv.any(base == number), name


@given(zoo.twins(), st.data())
def test_reshape_copies_if_necessary_or_requested(pair, data):
    shape = data.draw(st.sampled_from(shapes_of(pair.theirs.size)))
    expected = np.reshape(pair.theirs, shape)
    reshaped = bv.reshape(pair.ours, shape)
    copied = bv.reshape(pair.ours, shape, copy=True)
    zoo.assert_same(reshaped, expected)
    zoo.assert_same(copied, expected)
    assert not bv.shares_memory(copied, pair.our_base)
    try:
        view = bv.reshape(pair.ours, shape, copy=False)
    except ValueError as error:
        assert "copy" in str(error) or "view" in str(error)
        assert not bv.shares_memory(reshaped, pair.our_base)
        with pytest.raises(ValueError):
            np.reshape(pair.theirs, shape, copy=False)
    else:
        zoo.assert_same(view, expected)
        assert_view(view, pair)
        assert_view(reshaped, pair)


def shapes_of(size):
    """Returns shapes with `size` elements, some with a length of -1."""
    found = [(size,), (-1,), (1, size), (size, 1)]
    found += [(n, size // n) for n in (2, 3, 4, 6) if size % n == 0]
    found += [(n, -1) for n in (2, 3) if size % n == 0 and size > 0]
    found += [()] if size == 1 else []
    return [it for it in found if not (size == 0 and -1 in it and 0 in it)]


@given(st.lists(zoo.twins(shape=zoo.shapes(min_rank=1, max_rank=1)), min_size=1, max_size=4))
def test_concat_promotes_dtypes(pairs):
    expected = np.concatenate([it.theirs for it in pairs])
    zoo.assert_same(bv.concat([it.ours for it in pairs]), expected)
    zoo.assert_same(bv.concat(tuple(it.ours for it in pairs), axis=None), expected)


@given(zoo.twins(shape=zoo.shapes(min_rank=1)), st.data())
def test_concat_works_along_every_axis(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    flipped = bv.flip(pair.ours), np.flip(pair.theirs)
    zoo.assert_same(bv.concat([pair.ours, flipped[0]], axis=axis), np.concatenate([pair.theirs, flipped[1]], axis))
    zoo.assert_same(bv.concat([pair.ours, flipped[0]], axis=None), np.concatenate([pair.theirs, flipped[1]], None))


@given(zoo.twins(), st.data())
def test_stack_inserts_an_axis(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim - 1, pair.theirs.ndim))
    zoo.assert_same(bv.stack([pair.ours] * 3, axis=axis), np.stack([pair.theirs] * 3, axis))


@given(zoo.twins(shape=zoo.shapes(min_rank=1)), st.data())
def test_repeat_takes_one_count_or_one_for_each_element(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    n = pair.theirs.shape[axis]
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.int64)
    zoo.assert_same(bv.repeat(pair.ours, 2, axis=axis), np.repeat(pair.theirs, 2, axis))
    zoo.assert_same(bv.repeat(pair.ours, bv.asarray(counts), axis=axis), np.repeat(pair.theirs, counts, axis))
    zoo.assert_same(bv.repeat(pair.ours, 3), np.repeat(pair.theirs, 3))


@given(zoo.twins(shape=zoo.shapes(max_rank=3)), st.lists(st.integers(0, 3), max_size=4))
def test_tile_matches_numpy(pair, times):
    zoo.assert_same(bv.tile(pair.ours, times), np.tile(pair.theirs, times))


@given(twins_and_axes(), st.data())
def test_roll_matches_numpy(drawn, data):
    pair, axes = drawn
    shifts = tuple(data.draw(st.integers(-9, 9)) for _ in axes)
    if axes:
        # NumPy does not accept an empty tuple of axes.
        zoo.assert_same(bv.roll(pair.ours, shifts, axis=axes), np.roll(pair.theirs, shifts, axes))
    zoo.assert_same(bv.roll(pair.ours, -2), np.roll(pair.theirs, -2))


@given(zoo.twins(shape=zoo.shapes(max_rank=3, min_len=1)), st.data())
def test_pad_matches_numpy(pair, data):
    rank = pair.theirs.ndim
    widths = [(data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))) for _ in range(rank)]
    if not widths:
        return
    mode = data.draw(st.sampled_from(["edge", "reflect", "symmetric", "wrap"]))
    zoo.assert_same(bv.pad(pair.ours, widths, mode), np.pad(pair.theirs, widths, mode), context=mode)
    value = pair.theirs.dtype.kind == "b" or 1
    found = bv.pad(pair.ours, widths, constant_values=value)
    zoo.assert_same(found, np.pad(pair.theirs, widths, constant_values=value))
    zoo.assert_same(bv.pad(pair.ours, 2), np.pad(pair.theirs, 2))
    zoo.assert_same(bv.pad(pair.ours, [1, 2]), np.pad(pair.theirs, [1, 2]))


@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack"])
@given(data=st.data())
def test_stack_functions_match_numpy(name, data):
    shape = data.draw(zoo.shapes(min_rank=1, max_rank=2 if name == "column_stack" else 3))
    pairs = [data.draw(zoo.twins(shape=shape)) for _ in range(2)]
    expected = getattr(np, name)([it.theirs for it in pairs])
    zoo.assert_same(getattr(bv, name)([it.ours for it in pairs]), expected)


@given(zoo.twins())
def test_atleast_functions_match_numpy(pair):
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        view = getattr(bv, name)(pair.ours)
        zoo.assert_same(view, getattr(np, name)(pair.theirs), context=name)
        assert_view(view, pair)


@given(zoo.twins(shape=zoo.shapes(min_rank=1)), st.integers(1, 5), st.data())
def test_concat_inverts_split_which_returns_views(pair, size, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    for parts in (pair.ours.split(size, axis), bv.chunk(pair.ours, size, axis=axis), bv.split(pair.ours, [size], axis)):
        for part in parts:
            assert_view(part, pair)
        if parts:
            zoo.assert_same(bv.concat(parts, axis=axis), pair.theirs)


def test_an_array_is_accepted_as_a_sequence_of_arrays():
    x = bv.reshape(bv.arange(6), (2, 3))
    zoo.assert_same(bv.concat(x), np.arange(6))
    zoo.assert_same(bv.stack(x, axis=1), np.arange(6).reshape(2, 3).T)


WRONG = {
    "an axis that is not there": (lambda x: bv.flip(x, axis=2), IndexError),
    "an axis twice": (lambda x: bv.flip(x, axis=(0, 0)), ValueError),
    "too few axes": (lambda x: bv.permute_dims(x, (0,)), ValueError),
    "a float for an axis": (lambda x: bv.expand_dims(x, 0.5), TypeError),
    "an axis that is longer than 1": (lambda x: bv.squeeze(x, 0), ValueError),
    "a shape of another size": (lambda x: bv.reshape(x, (5,)), ValueError),
    "a shape that does not broadcast": (lambda x: bv.broadcast_to(x, (3, 2)), ValueError),
    "a count that is negative": (lambda x: bv.repeat(x, -1), ValueError),
    "counts that are negative": (lambda x: bv.tile(x, (-1,)), ValueError),
    "no arrays": (lambda _: bv.concat([]), ValueError),
    "no arrays to stack": (lambda _: bv.stack([]), ValueError),
    "arrays of other shapes": (lambda x: bv.stack([x, bv.ones(2)]), ValueError),
    "arrays that do not fit": (lambda x: bv.concat([x, bv.ones((2, 2))]), ValueError),
    "more elements than memory": (lambda x: bv.tile(x, (2**62,)), (ValueError, MemoryError)),
    "more repetitions than memory": (lambda x: bv.repeat(x, 2**62), (ValueError, MemoryError)),
    "more parts than memory": (lambda x: bv.unstack(bv.broadcast_to(x, (2**58, 2, 3))), MemoryError),
    "a text for an array": (lambda _: bv.flip("abc"), TypeError),
    "a mode that does not exist": (lambda x: bv.pad(x, 1, "other"), ValueError),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_invalid_arguments_are_refused(wrong):
    call, error = WRONG[wrong]
    with pytest.raises(error):
        call(bv.ones((2, 3)))


ENDLESS = {
    "flip": lambda x, numbers: bv.flip(x, axis=numbers),
    "sum": lambda x, numbers: bv.sum(x, axis=numbers),
    "squeeze": bv.squeeze,
    "reshape": bv.reshape,
    "roll": bv.roll,
    "tile": bv.tile,
    "pad": bv.pad,
    "tensordot": lambda x, numbers: bv.tensordot(x, x, axes=numbers),
    "concat": lambda _, numbers: bv.concat(numbers),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_huge_counts_are_refused_immediately(name):
    for numbers in (range(2**60), bv.broadcast_to(bv.asarray(0), (2**60,))):
        with pytest.raises((ValueError, MemoryError)):
            ENDLESS[name](bv.ones((2, 3)), numbers)


@given(zoo.twins(shape=zoo.shapes(min_rank=2)), st.integers(-9, 9))
def test_rot90_is_a_view(pair, turns):
    view = bv.rot90(pair.ours, turns, (1, 0))
    zoo.assert_same(view, np.rot90(pair.theirs, turns, (1, 0)))
    zoo.assert_same(bv.rot90(pair.ours), np.rot90(pair.theirs))
    assert_view(view, pair)
