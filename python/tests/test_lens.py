"""Lenses: view operations beyond strides, without a copy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo


@st.composite
def movements(draw, x, y):
    """Applies one view operation to both."""
    rank = y.ndim
    kinds = ["reshape", "flatten", "permute", "flip", "pad", "unsqueeze", "index", "transpose"]
    if rank:
        kinds += ["tile", "repeat", "narrow", "swapaxes", "squeeze"]
    kind = draw(st.sampled_from(kinds))
    axis = draw(st.integers(0, max(rank - 1, 0)))
    if kind == "reshape":
        n = y.size
        first = draw(st.sampled_from([it for it in range(1, n + 1) if n % it == 0] or [1]))
        return x.reshape(first, -1) if n else x.reshape(0), y.reshape((first, n // first) if n else 0)
    if kind == "flatten":
        return (x.flatten(), y.reshape(-1)) if rank else (x.unsqueeze(0), y.reshape(1))
    if kind == "permute":
        order = draw(st.permutations(range(rank)))
        return x.permute(order), y.transpose(order)
    if kind == "transpose":
        return x.transpose(), y.transpose()
    if kind == "flip":
        return x.flip(), np.flip(y)
    if kind == "pad":
        widths = [(draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in range(rank)]
        return x.pad(widths), np.pad(y, widths) if rank else y
    if kind == "unsqueeze":
        return x.unsqueeze(axis), np.expand_dims(y, axis)
    if kind == "index":
        index = draw(zoo.basic_indices(y.shape))
        return x[index], np.asarray(y[index])
    if kind == "tile":
        times = [draw(st.integers(1, 2)) for _ in range(rank)]
        return x.tile(times), np.tile(y, times)
    if kind == "repeat":
        return x.repeat(2, axis), np.repeat(y, 2, axis)
    if kind == "narrow":
        n = y.shape[axis]
        start = draw(st.integers(0, n))
        return x.narrow(axis, start, n - start), np.moveaxis(np.moveaxis(y, axis, 0)[start:], 0, axis)
    if kind == "swapaxes":
        return x.swapaxes(axis, -1), y.swapaxes(axis, -1)
    return x.squeeze(), y.squeeze()


@given(st.data())
def test_chains_of_view_operations_match_copies_in_numpy(data):
    pair = data.draw(zoo.twins(shape=zoo.shapes(max_rank=3, max_len=3)))
    with bv.no_copies():
        x, y = pair.ours.lens(), pair.theirs
        for _ in range(data.draw(st.integers(0, 4))):
            x, y = data.draw(movements(x, y))
            assert (x.shape, x.ndim, x.size, x.dtype.name) == (y.shape, y.ndim, y.size, y.dtype.name)
            if y.size > 200 or y.ndim > 6:
                break
        zoo.assert_same(x.copy(), y)
        zoo.assert_same(x.materialize(), y)
    zoo.assert_same(x.to_array(), y)


def test_padding_may_have_any_value():
    lens = bv.asarray([1, 2]).lens().pad([(1, 2)], value=7)
    assert lens.copy().tolist() == [7, 1, 2, 7, 7]
    with pytest.raises((ValueError, OverflowError)):
        bv.asarray([1], dtype=bv.int8).lens().pad([(1, 1)], value=1000)


def test_a_lens_that_strides_can_express_is_a_view():
    x = bv.arange(12).reshape(3, 4)
    lens = x.T.lens().reshape(12)
    assert lens.depth == 2
    with bv.no_copies():
        part = lens[:6:3].to_array()
    assert bv.shares_memory(part, x)


def test_later_writes_are_visible_through_a_lens():
    x = bv.zeros((2, 2))
    lens = x.T.lens().reshape(4)
    x[0, 1] = 5
    assert lens.copy().tolist() == [0, 0, 5, 0]


def test_a_lens_has_a_repr():
    lens = bv.zeros((2, 3), dtype=bv.float32).lens()
    assert repr(lens) == "Lens(shape=(2, 3), dtype=float32)"
    assert repr(lens.reshape(6)) == "Lens(shape=(6,), dtype=float32)"
    assert str(lens.pad([(0, 1), (0, 0)])) == str(np.zeros((3, 3), np.float32))
    assert lens.T.shape == lens.mT.shape == (3, 2)
    assert len(lens) == 2
    with pytest.raises(TypeError):
        len(lens[0, 0])


def test_advanced_indexing_of_a_lens_is_refused():
    with pytest.raises(IndexError, match="lens"):
        bv.zeros(3).lens()[bv.asarray([0])]


def test_invalid_view_operations_are_refused():
    lens = bv.zeros((2, 3)).lens()
    for wrong in [
        lambda: lens.reshape(5), lambda: lens.permute(0, 0), lambda: lens.squeeze(0), lambda: lens.pad([(1, 1)]),
        lambda: lens.narrow(0, 1, 5), lambda: lens[5], lambda: lens.repeat(2**63 - 1),
        lambda: lens.pad([(2**63 - 1, 1), (0, 0)]), lambda: lens.tile(2**62, 2**62),
    ]:  # fmt: skip
        with pytest.raises((ValueError, IndexError)):
            wrong()
