"""Arrays without memory: shapes, dtypes and strides as always, and no values."""

import copy
import json
import pickle

import numpy as np
import pytest

import belvedere as bv


def test_creation_functions_take_the_device():
    for x in [
        bv.zeros((10**9, 10**6), device="meta"),
        bv.ones(3, device="meta"),
        bv.empty(3, device="meta"),
        bv.full((2, 3), 7, device="meta"),
        bv.arange(10**15, device="meta"),
        bv.arange(0.0, 1e15, device="meta"),
        bv.linspace(0, 1, 10**12, device="meta"),
        bv.eye(10**6, device="meta"),
        bv.fft.fftfreq(8, device="meta"),
        bv.asarray([[1, 2], [3, 4]], device="meta"),
        bv.astype(bv.zeros(3), bv.float32, device="meta"),
        bv.zeros(3).to_device("meta"),
    ]:
        assert x.device == "meta"
    assert bv.zeros(3).device == "cpu"
    assert bv.__array_namespace_info__().devices() == ("cpu",)


def test_like_functions_follow_the_device():
    x = bv.zeros((2, 3), device="meta")
    assert bv.zeros_like(x).device == bv.ones_like(x).device == bv.full_like(x, 7).device == "meta"
    assert bv.ones_like(x, device="cpu").tolist() == [[1.0] * 3] * 2
    assert bv.zeros_like(bv.ones(3), device="meta").device == "meta"


def test_operations_have_the_shapes_and_dtypes_of_numpy():
    a = np.zeros((3, 4), dtype=np.int32)
    x = bv.asarray(a).to_device("meta")
    for ours, numpys in [
        (x + 1.5, a + 1.5),
        (x.T @ x, a.T @ a),
        (bv.sum(x, axis=0), a.sum(axis=0, dtype=np.int64)),
        (bv.mean(x, axis=1, keepdims=True), a.mean(axis=1, keepdims=True)),
        (x[1:, ::2], a[1:, ::2]),
        (x[[0, 2]], a[[0, 2]]),
        (bv.concat([x, x]), np.concatenate([a, a])),
        (bv.where(x > 0, x, 0), np.where(a > 0, a, 0)),
        (bv.sort(x, axis=0), np.sort(a, axis=0)),
        (bv.einsum("ij,kj->ik", x, x), np.einsum("ij,kj->ik", a, a)),
    ]:
        assert ours.device == "meta"
        assert (ours.shape, str(ours.dtype)) == (numpys.shape, str(numpys.dtype))


def test_index_arrays_and_masks_need_no_memory():
    a, index = np.zeros((3, 4)), np.asarray([[2, 0], [1, 1]])
    x, at = bv.asarray(a), bv.asarray(index)
    meta_x, meta_at = x.to_device("meta"), at.to_device("meta")
    for values, indices in [(meta_x, meta_at), (meta_x, at), (x, meta_at)]:
        for ours, numpys in [
            (values[indices], a[index]),
            (values[:, indices], a[:, index]),
            (values[indices[0], indices[1]], a[index[0], index[1]]),
            (bv.take(values, indices[0], axis=1), np.take(a, index[0], axis=1)),
            (bv.take_along_axis(values, indices[:, :1], axis=0), a[:2]),
            (bv.nn.embedding(values, indices), a[index]),
            (bv.searchsorted(values[:, 0], indices), index),
        ]:
            assert ours.device == "meta"
            assert ours.shape == numpys.shape
    meta_x[meta_at] = 1.0
    meta_x[meta_x > 0] = 1.0
    assert meta_x[meta_at[0, 0]].shape == (4,)
    assert bv.nn.one_hot(meta_at, 3).shape == (2, 2, 3)
    with pytest.raises(ValueError, match=r"index_assign needs the values of a tensor of shape \[2, 2\]"):
        x[meta_at] = 1.0


def test_what_needs_values_is_an_error():
    x = bv.zeros((2, 3), device="meta")
    for needs_values in [
        lambda: x.tolist(),
        lambda: float(x[0, 0]),
        lambda: bool(bv.all(x == x)),
        lambda: bv.nonzero(x),
        lambda: x[x > 0],
        lambda: np.asarray(x),
        lambda: memoryview(x),
        lambda: x.__dlpack__(),
        lambda: x.to_device("cpu"),
        lambda: bv.zeros((2, 3)).__setitem__(0, x[0]),
    ]:
        with pytest.raises((ValueError, BufferError), match="meta"):
            needs_values()
    assert repr(x) == "array(<no values>, shape=(2, 3), dtype=float64, device='meta')"
    assert repr(x[0]) == "array(<no values>, shape=(3,), dtype=float64, device='meta')"


def test_a_trace_shows_the_memory_of_a_program_that_would_not_fit():
    w = bv.zeros((10**6, 10**6), dtype=bv.float32, device="meta")
    with bv.trace() as t:
        y = w @ w.T
        z = bv.reshape(y.T, (10**12,))
        z += 1
    assert [(it.op, it.kind) for it in t] == [
        ("T", "view"),
        ("matmul", "new"),
        ("T", "view"),
        ("reshape", "copy"),
        ("add", "in place"),
    ]
    assert t.bytes_copied == 4 * 10**12
    assert max(line["peak_bytes"] for line in t.by_line()) == 8 * 10**12
    assert len(json.loads(t.to_json())) == 5


def test_unknown_devices_are_refused():
    with pytest.raises(ValueError, match="unknown device gpu; the devices are cpu and meta"):
        bv.zeros(3, device="gpu")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_have_the_layout_and_no_values(protocol):
    x = bv.zeros((10**6, 3, 10**6), dtype=bv.float32, device="meta")
    for array in [x, x.T if x.ndim == 2 else x.mT, x[5:, ::-1, ::7], bv.broadcast_to(x[0, 0], (4, 10**6)), x[:0]]:
        content = pickle.dumps(array, protocol)
        back = pickle.loads(content)
        assert len(content) < 300
        assert (back.device, back.dtype) == ("meta", bv.float32)
        assert (back.shape, back.strides) == (array.shape, array.strides)


def test_a_corrupt_pickle_is_an_error():
    unpickle, (dtype, axes, start) = bv.zeros((2, 3), device="meta").__reduce_ex__(4)
    assert unpickle(dtype, axes, start).shape == (2, 3)
    for odd in [([(2, -3)], 0), ([(2**62, 4)], 0), ([(2**62, 1)], 0), ([(-1, 1)], 0), ([(2, 1)], -1)]:
        with pytest.raises((ValueError, OverflowError, MemoryError)):
            unpickle(dtype, *odd)


def test_copies_have_the_layout_of_copies_in_memory():
    for x in [bv.zeros((2, 3)), bv.zeros((2, 3)).T, bv.zeros((4, 6))[::2, ::-1]]:
        meta = x.to_device("meta")
        for function in (copy.copy, copy.deepcopy):
            back, expected = function(meta), function(x)
            assert (back.device, back.dtype) == ("meta", x.dtype)
            assert (back.shape, back.strides) == (expected.shape, expected.strides)


def test_like_functions_of_numpy_follow_the_device():
    x = bv.zeros((2, 3), dtype=bv.float32, device="meta")
    for function in (np.zeros_like, np.ones_like, np.empty_like, lambda it, **options: np.full_like(it, 3, **options)):
        assert (function(x).device, function(x).dtype, function(x).shape) == ("meta", bv.float32, (2, 3))
        assert function(x, shape=(4,), dtype=bv.int8).device == "meta"
        assert function(bv.zeros(3)).device == "cpu"


def test_conversions_honour_the_device():
    theirs = np.zeros((3, 4), dtype=np.float32).T
    for make in (bv.asarray, bv.from_dlpack):
        for copied in (None, False):
            x = make(theirs, device="meta", copy=copied)
            assert (x.device, x.shape, x.strides) == ("meta", (4, 3), theirs.strides)
        assert make(theirs, device="meta", copy=True).strides == make(theirs, copy=True).strides
        assert make(bv.zeros(3), device="meta").device == "meta"
        meta = bv.zeros((2, 3), device="meta")
        assert make(meta).device == make(meta, device="meta").device == "meta"
        with pytest.raises(ValueError, match=r"shape \[2, 3\] on device meta"):
            make(meta, device="cpu")
    big = bv.broadcast_to(bv.zeros(1), (10**14,))
    assert bv.asarray(big, dtype=bv.int8, device="meta").dtype == bv.int8
    assert bv.asarray(big, device="meta", copy=True).shape == (10**14,)


def test_memory_cannot_be_exported():
    x = bv.zeros((2, 3), device="meta")
    for export in [
        lambda: x.__dlpack__(),
        lambda: x.__dlpack__(copy=True),
        lambda: x.__dlpack_device__(),
        lambda: np.from_dlpack(x),
        lambda: memoryview(x),
        lambda: np.asarray(x),
    ]:
        with pytest.raises(BufferError, match=r"an array of shape \[2, 3\] on device meta has no memory to share"):
            export()


def test_descriptions_say_that_there_are_no_values():
    x = bv.zeros((2, 3), device="meta").T
    text = bv.explain(x)
    assert "float64, shape [3, 2], strides [1, 3]" in text and "no values" in text
    assert "0x" not in text and " at " not in text
    for text in (repr(x), str(x), x._repr_html_(), bv.explain(x, draw=True)):
        assert "no values" in text and "float64" in text and "meta" in text
    assert "0x" not in bv.explain(x.lens().reshape(6))
