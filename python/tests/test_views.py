"""View methods: values, strides, and that nothing is copied."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo


def assert_view(pair, ours, theirs, context=""):
    """Checks that both have the same elements at the same offsets, also after a write."""
    zoo.assert_same(ours, theirs, context=context)
    if ours.size == 0:
        return
    size = theirs.itemsize
    long = [k for k in range(ours.ndim) if ours.shape[k] > 1]
    assert [ours.strides[k] for k in long] == [theirs.strides[k] for k in long], context
    assert [ours.stride()[k] * size for k in long] == [theirs.strides[k] for k in long], context
    distance = theirs.__array_interface__["data"][0] - pair.their_base.__array_interface__["data"][0]
    assert ours.storage_offset() * size == distance, context
    assert bv.shares_memory(ours, pair.our_base), context
    pair.our_base.fill(True)
    pair.their_base.fill(1)
    zoo.assert_same(ours, theirs, context=context)
    if ours.is_writable:
        ours.fill(False)
        theirs[...] = 0
        zoo.assert_same(pair.our_base, pair.their_base, context=context)


def axes_of(y):
    return st.integers(-y.ndim, y.ndim - 1)


SOME_AXES = zoo.shapes(min_rank=1)
TWO_AXES = zoo.shapes(min_rank=2)


@given(zoo.twins(shape=zoo.shapes(min_rank=2, max_rank=2)))
def test_t_of_a_matrix(pair):
    assert_view(pair, pair.ours.T, pair.theirs.T)


@given(zoo.twins())
def test_t_reverses_the_axes(pair):
    assert_view(pair, pair.ours.T, pair.theirs.T)


@given(zoo.twins(shape=TWO_AXES))
def test_mt_swaps_the_last_two_axes(pair):
    assert_view(pair, pair.ours.mT, pair.theirs.mT)


@given(st.data())
def test_permute_and_transpose(data):
    pair = data.draw(zoo.twins())
    order = data.draw(st.permutations(range(pair.theirs.ndim)))
    order = [it - data.draw(st.sampled_from([0, len(order)])) for it in order]
    expected = pair.theirs.transpose(order)
    assert pair.ours.permute(order).stride() == pair.ours.transpose(tuple(order)).stride()
    if len(order) > 1:
        zoo.assert_same(pair.ours.permute(*order), expected)
        zoo.assert_same(pair.ours.transpose(*order), expected)
    assert_view(pair, pair.ours.permute(order), expected)


@given(zoo.twins())
def test_transpose_without_axes_reverses_them(pair):
    zoo.assert_same(pair.ours.transpose(None), pair.theirs.transpose())
    assert_view(pair, pair.ours.transpose(), pair.theirs.transpose())


@given(st.data())
def test_swapaxes_and_moveaxis(data):
    pair = data.draw(zoo.twins(shape=SOME_AXES))
    a, b = data.draw(axes_of(pair.theirs)), data.draw(axes_of(pair.theirs))
    zoo.assert_same(pair.ours.moveaxis(a, b), np.moveaxis(pair.theirs, a, b))
    zoo.assert_same(pair.ours.moveaxis([a], (b,)), np.moveaxis(pair.theirs, a, b))
    assert_view(pair, pair.ours.swapaxes(a, b), pair.theirs.swapaxes(a, b))


@given(st.data())
def test_flip(data):
    pair = data.draw(zoo.twins(shape=SOME_AXES))
    axes = tuple(data.draw(st.sets(st.integers(0, pair.theirs.ndim - 1), min_size=1)))
    zoo.assert_same(pair.ours.flip(), np.flip(pair.theirs))
    zoo.assert_same(pair.ours.flip(axes), np.flip(pair.theirs, axes))
    assert_view(pair, pair.ours.flip(*axes), np.flip(pair.theirs, axes))


@given(st.data())
def test_expand_repeats_axes_of_length_one(data):
    pair = data.draw(zoo.twins())
    lengths = [3 if n == 1 else n for n in pair.theirs.shape]
    open_lengths = [-1 if n != 1 else 3 for n in pair.theirs.shape]
    expected = np.broadcast_to(pair.theirs, (2, *lengths))
    zoo.assert_same(pair.ours.expand(2, *open_lengths), expected)
    ours = pair.ours.expand((2, *lengths))
    assert ours.size == 0 or bv.shares_memory(ours, pair.our_base)
    assert ours.size == 0 or ours.stride()[0] == 0
    zoo.assert_same(ours, expected)


@given(st.data())
def test_squeeze_and_unsqueeze(data):
    pair = data.draw(zoo.twins())
    axis = data.draw(st.integers(-pair.theirs.ndim - 1, pair.theirs.ndim))
    expected = np.expand_dims(pair.theirs, axis)
    added = pair.ours.unsqueeze(axis)
    zoo.assert_same(added, expected)
    zoo.assert_same(added.squeeze(axis), pair.theirs)
    zoo.assert_same(added.squeeze(axis=(axis,)), pair.theirs)
    assert_view(pair, added.squeeze(), expected.squeeze())


def test_only_axes_of_length_one_can_be_squeezed():
    with pytest.raises(ValueError, match="axis 1"):
        bv.zeros((1, 2)).squeeze(1)


@given(st.data())
def test_select_and_narrow(data):
    pair = data.draw(zoo.twins(shape=zoo.shapes(min_rank=1, min_len=1)))
    axis = data.draw(axes_of(pair.theirs))
    n = pair.theirs.shape[axis]
    at = data.draw(st.integers(-n, n - 1))
    zoo.assert_same(pair.ours.select(axis, at), pair.theirs.take(at, axis))
    start = data.draw(st.integers(0, n))
    length = data.draw(st.integers(0, n - start))
    index = [slice(None)] * pair.theirs.ndim
    index[axis] = slice(start, start + length)
    assert_view(pair, pair.ours.narrow(axis, start, length), pair.theirs[tuple(index)])


def test_select_and_narrow_do_not_clamp():
    x = bv.arange(5)
    for wrong in [lambda: x.select(0, 5), lambda: x.narrow(0, 3, 3), lambda: x.narrow(0, 6, 0), lambda: x.narrow(0, -6, 1)]:
        with pytest.raises(IndexError):
            wrong()
    with pytest.raises(ValueError):
        x.narrow(0, 0, -1)


@given(st.data())
def test_diagonal(data):
    pair = data.draw(zoo.twins(shape=TWO_AXES))
    a, b = data.draw(st.permutations(range(pair.theirs.ndim)))[:2]
    offset = data.draw(st.integers(-5, 5))
    expected = pair.theirs.diagonal(offset, a, b)
    expected.flags.writeable = pair.theirs.flags.writeable
    assert_view(pair, pair.ours.diagonal(offset, a, b), expected)


@given(st.data())
def test_unfold_gives_windows(data):
    pair = data.draw(zoo.twins(shape=SOME_AXES))
    axis = data.draw(axes_of(pair.theirs))
    size, step = data.draw(st.integers(0, pair.theirs.shape[axis])), data.draw(st.integers(1, 3))
    windows = np.lib.stride_tricks.sliding_window_view(pair.theirs, size, axis, writeable=True)
    index = [slice(None)] * pair.theirs.ndim
    index[axis] = slice(None, None, step)
    ours = pair.ours.unfold(axis, size, step)
    zoo.assert_same(ours, windows[tuple(index)])
    assert ours.size == 0 or bv.shares_memory(ours, pair.our_base)


@given(st.data())
def test_sliding_window_view_matches_numpy(data):
    pair = data.draw(zoo.twins())
    sizes = [data.draw(st.integers(0, n)) for n in pair.theirs.shape]
    zoo.assert_same(bv.sliding_window_view(pair.ours, sizes), np.lib.stride_tricks.sliding_window_view(pair.theirs, sizes))
    if pair.theirs.ndim:
        axis = data.draw(axes_of(pair.theirs))
        ours = bv.sliding_window_view(pair.ours, sizes[axis], axis)
        zoo.assert_same(ours, np.lib.stride_tricks.sliding_window_view(pair.theirs, sizes[axis], axis))
        assert ours.size == 0 or bv.shares_memory(ours, pair.our_base)


def test_windows_that_do_not_fit_are_refused():
    x = bv.zeros((2, 3))
    for wrong in [(3, 1), (1,), (-1, 1)]:
        with pytest.raises(ValueError):
            bv.sliding_window_view(x, wrong)
    with pytest.raises(ValueError):
        x.unfold(0, 1, 0)


@given(zoo.layouts(shape=(2, 3)))
def test_as_strided_takes_strides_in_elements(layout):
    memory = np.arange(layout.size)
    pair = zoo.twins_of(memory, layout)
    again = bv.as_strided(pair.our_base, layout.shape, layout.strides, layout.offset)
    zoo.assert_same(again, pair.theirs)
    assert again.stride() == pair.ours.stride()
    here = pair.ours.as_strided((), ())
    assert here.item() == pair.theirs[0, 0]


def test_as_strided_checks_bounds():
    x = bv.arange(6)
    for shape, strides, offset in [
        ((2, 4), (3, 1), 0), ((2,), (1,), 5), ((2,), (-1,), 0), ((7,), (1,), 0), ((2**62, 2**62), (0, 0), 0),
        ((1,), (1,), 6), ((2,), (2**62,), 0), ((2,), (-(2**63),), 0), ((2, 2), (1,), 0), ((-1,), (1,), 0), ((1,), (1,), -1),
        ((1,), (1,), 2**63 - 1),
    ]:  # fmt: skip
        with pytest.raises((ValueError, IndexError)):
            x.as_strided(shape, strides, offset)
    assert x[3:].as_strided((2,), (-1,)).tolist() == [3, 2]


@given(st.data())
def test_view_never_copies_and_reshape_copies_only_if_no_view_exists(data):
    pair = data.draw(zoo.twins(shape=zoo.shapes(min_len=1)))
    n = pair.theirs.size
    divisors = [it for it in range(1, n + 1) if n % it == 0]
    first = data.draw(st.sampled_from(divisors))
    second = data.draw(st.sampled_from([it for it in divisors if (n // first) % it == 0]))
    shape = [first, second, n // first // second]
    expected = pair.theirs.reshape(shape)
    with bv.copies() as log:
        reshaped = pair.ours.reshape(*shape)
    zoo.assert_same(reshaped, expected)
    try:
        viewed = pair.ours.view(*shape)
    except ValueError as error:
        assert len(log) == 1
        assert f"copies {pair.theirs.nbytes} bytes" in str(error)
        with pytest.raises(ValueError):
            pair.ours.reshape(shape, copy=False)
    else:
        assert len(log) == 0
        assert bv.shares_memory(reshaped, pair.our_base)
        zoo.assert_same(viewed, expected)
        zoo.assert_same(pair.ours.view(first, -1, shape[2]), expected)
        assert not bv.shares_memory(pair.ours.reshape(shape, copy=True), pair.our_base)
    # NumPy copies exactly if no view exists, except for broadcast arrays.
    if 0 not in pair.theirs.strides:
        assert np.shares_memory(expected, pair.theirs) == (len(log) == 0)


@given(st.data())
def test_view_with_a_dtype_reinterprets_bytes(data):
    pair = data.draw(zoo.twins())
    name = data.draw(st.sampled_from(zoo.ALL[1:]))
    if pair.theirs.dtype == bool or pair.theirs.ndim == 0:
        return
    try:
        expected = pair.theirs.view(name)
    except ValueError:
        with pytest.raises(ValueError):
            pair.ours.view(zoo.dtype(name))
        return
    if expected.size and any(it % expected.itemsize for it in expected.strides):
        return  # Strides that are not a multiple of the element size are refused.
    try:
        ours = pair.ours.view(zoo.dtype(name))
    except ValueError as error:
        # NumPy does not require the offset to be a multiple of the element size.
        assert "align" in str(error) or "offset" in str(error) or "stride" in str(error) or "start" in str(error)
        return
    zoo.assert_same(ours, expected)
    zoo.assert_same(pair.ours.view(dtype=name), expected)
    assert ours.size == 0 or bv.shares_memory(ours, pair.ours)


@pytest.mark.parametrize("given", ["V8", "M8[s]", "i4,f4", ">f8", np.dtype("V8"), np.ndarray])
def test_view_with_a_dtype_of_numpy_only_is_numpy_s_view(given):
    x = bv.reshape(bv.arange(6.0), (2, 3))
    for view in (x, x[:, ::-1], x.T):
        found, expected = view.view(given), np.asarray(view).view(given)
        assert type(found) is np.ndarray
        assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()
        assert np.shares_memory(found, np.asarray(x))


@pytest.mark.parametrize("given", ["S4", np.dtype("u2,u2")])
def test_view_with_a_smaller_dtype_of_numpy_only_needs_contiguous_elements(given):
    x = bv.reshape(bv.arange(6.0), (2, 3))
    assert x.view(given).shape == (2, 6)
    with pytest.raises(ValueError):
        x.T.view(given)


@pytest.mark.parametrize("given", ["spam", np.dtype("V7"), int | str, 1.5, object()])
def test_view_refuses_what_is_neither_a_shape_nor_a_dtype(given):
    with pytest.raises((TypeError, ValueError)):
        bv.arange(6.0).view(given)


@given(st.data())
def test_flatten_and_unflatten(data):
    pair = data.draw(zoo.twins(shape=SOME_AXES))
    start = data.draw(st.integers(0, pair.theirs.ndim - 1))
    end = data.draw(st.integers(start, pair.theirs.ndim - 1))
    shape = pair.theirs.shape
    joined = int(np.prod(shape[start : end + 1]))
    flat = pair.ours.flatten(start, end)
    zoo.assert_same(flat, pair.theirs.reshape(*shape[:start], joined, *shape[end + 1 :]))
    zoo.assert_same(flat.unflatten(start, shape[start : end + 1]), pair.theirs)
    zoo.assert_same(pair.ours.flatten(), pair.theirs.ravel())
    zoo.assert_same(pair.ours.ravel(), pair.theirs.ravel())


@given(st.data())
def test_split_and_chunk_are_views(data):
    pair = data.draw(zoo.twins(shape=zoo.shapes(min_rank=1, min_len=1)))
    axis = data.draw(axes_of(pair.theirs))
    n = pair.theirs.shape[axis]
    size = data.draw(st.integers(1, n))
    parts = pair.ours.split(size, axis)
    assert isinstance(parts, tuple)
    expected = np.split(pair.theirs, range(size, n, size), axis)
    assert len(parts) == len(expected)
    for ours, theirs in zip(parts, expected):
        zoo.assert_same(ours, theirs)
        assert bv.shares_memory(ours, pair.our_base)
    again = pair.ours.split([it.shape[axis] for it in expected], axis)
    assert [it.tolist() for it in again] == [it.tolist() for it in parts]
    chunks = pair.ours.chunk(size, axis)
    assert len(chunks) <= size
    zoo.assert_same(bv.concat(chunks, axis=axis), pair.theirs)


def test_invalid_splits_are_refused():
    x = bv.zeros(5)
    for wrong in [lambda: x.split(0), lambda: x.split(-1), lambda: x.split([2, 2]), lambda: x.split([2**63 - 1] * 3), lambda: x.chunk(0)]:
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError):
        x.split(2, axis=1)


def test_rearrange():
    y = np.arange(24).reshape(2, 12)
    x = bv.asarray(y, copy=True)
    ours = x.rearrange("b (h w) -> w b h", h=3)
    zoo.assert_same(ours, y.reshape(2, 3, 4).transpose(2, 0, 1))
    assert bv.shares_memory(ours, x)
    zoo.assert_same(bv.rearrange(x, "b t -> (t b)"), y.T.reshape(24))
    for pattern, sizes in [("b t -> b", {}), ("b (h w) -> b h w", {}), ("b (h w) -> b h w", {"h": 5}), ("((", {})]:
        with pytest.raises(ValueError):
            x.rearrange(pattern, **sizes)


@given(zoo.twins(zoo.COMPLEX))
def test_real_and_imaginary_parts_are_views(pair):
    for ours, theirs in [(pair.ours.real, pair.theirs.real), (pair.ours.imag, pair.theirs.imag)]:
        zoo.assert_same(ours, theirs)
        assert ours.size == 0 or bv.shares_memory(ours, pair.our_base)


def test_real_and_imag_of_real_arrays():
    x = bv.arange(3)
    assert bv.shares_memory(x.real, x)
    assert x.imag.tolist() == [0, 0, 0]


@given(zoo.twins())
def test_memory_attributes(pair):
    x, y = pair
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes) == (y.shape, y.ndim, y.size, y.itemsize, y.nbytes)
    # NumPy has the same rule for empty arrays and axes of length 1.
    assert x.is_contiguous() == y.flags.c_contiguous
    assert len(x.strides) == len(x.stride()) == x.ndim
    for k in range(x.ndim):
        assert x.stride(k) == x.stride(k - x.ndim) == x.stride()[k]
        assert x.strides[k] == x.stride()[k] * x.itemsize
    assert not x.readonly


@given(zoo.twins())
def test_contiguous_and_copy(pair):
    x, y = pair
    zoo.assert_same(x.contiguous(), y)
    assert x.contiguous().is_contiguous()
    copied = x.copy()
    zoo.assert_same(copied, y)
    assert copied.is_contiguous() and not bv.shares_memory(copied, x)
    if x.size:
        assert bv.shares_memory(x.contiguous(), x) == x.is_contiguous()


@given(zoo.twins(), zoo.twins())
def test_memory_of_different_arrays_is_not_shared(a, b):
    assert not bv.shares_memory(a.ours, b.ours)
    assert not bv.may_share_memory(a.ours, b.ours)


@given(st.data())
def test_shares_memory_is_exact(data):
    pair = data.draw(zoo.twins())
    first, second = data.draw(zoo.basic_indices(pair.theirs.shape)), data.draw(zoo.basic_indices(pair.theirs.shape))
    a, b = np.asarray(pair.theirs)[first], np.asarray(pair.theirs)[second]
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        assert bv.shares_memory(pair.ours[first], pair.ours[second]) == np.shares_memory(a, b)


def test_writable_attribute():
    x = bv.zeros(4)
    assert x.is_writable and x[::-2].is_writable
    assert not x[:1].expand(3).is_writable
    assert not x.unfold(0, 2, 1).is_writable
    assert x.unfold(0, 2, 2).is_writable
    y = np.zeros(3)
    y.flags.writeable = False
    z = bv.asarray(y)
    assert z.readonly and not z.is_writable
    with pytest.raises(ValueError):
        z.fill(1)


@given(zoo.twins(overlapping=False), st.booleans())
def test_fill_writes_every_element_and_no_other(pair, value):
    pair.ours.fill(value)
    pair.theirs[...] = value
    zoo.assert_same(pair.our_base, pair.their_base)


REDUCTIONS = ["sum", "prod", "mean", "std", "var", "min", "max", "any", "all", "argmin", "argmax"]


@pytest.mark.parametrize("name", REDUCTIONS)
@given(st.data())
def test_reductions_are_also_methods(name, data):
    x, _ = data.draw(zoo.twins(("float64",), shape=zoo.shapes(min_rank=1, min_len=1), kind="small"))
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    keepdims = data.draw(st.booleans())
    expected = getattr(bv, name)(x, axis=axis, keepdims=keepdims)
    ours = getattr(x, name)(axis, keepdims=keepdims)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(zoo.to_numpy(ours), zoo.to_numpy(expected))


def test_other_methods_are_the_functions():
    x = bv.asarray([[1.5, -2.5], [3.0, 4.0]])
    assert x.cumsum().tolist() == [1.5, -1.0, 2.0, 6.0]
    assert x.cumsum(0).tolist() == [[1.5, -2.5], [4.5, 1.5]]
    assert x.clip(0, 3).tolist() == [[1.5, 0], [3, 3]]
    assert x.clip(max=0).tolist() == [[0, -2.5], [0, 0]]
    assert x.round().tolist() == [[2, -2], [3, 4]]
    assert x.matmul(x).tolist() == (x @ x).tolist() == x.dot(x).tolist()
    assert x.astype(bv.int8).tolist() == [[1, -2], [3, 4]]
    assert not bv.shares_memory(x.astype(bv.float64), x)
    assert bv.shares_memory(x.astype(bv.float64, copy=False), x)
    assert bv.asarray([1 + 2j]).conj().tolist() == [1 - 2j]
    assert x.sum(dtype=bv.float32).dtype == bv.float32
    assert x.std(correction=1).item() == pytest.approx(np.std(np.asarray(x), ddof=1))


def test_the_number_of_threads_can_be_read_and_set():
    before = bv.get_num_threads()
    try:
        bv.set_num_threads(1)
        assert bv.get_num_threads() == 1
        with pytest.raises(ValueError):
            bv.set_num_threads(0)
        with pytest.raises(ValueError):
            bv.set_num_threads(-1)
        assert bv.get_num_threads() == 1
    finally:
        bv.set_num_threads(before)


def test_memory_statistics():
    before = bv.memory_stats()["in_use"]
    x = bv.zeros(1 << 20)
    assert bv.memory_stats()["in_use"] >= before + x.nbytes
