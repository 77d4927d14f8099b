"""Pickling and copying preserve elements, shape, dtype and the read-only flag."""

import copy
import pickle

import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@given(zoo.twins())
def test_arrays_of_any_layout_round_trip(pair):
    ours, theirs = pair
    for protocol in PROTOCOLS:
        back = pickle.loads(pickle.dumps(ours, protocol))
        zoo.assert_same(back, theirs)
        if ours.size:
            assert not bv.shares_memory(ours, back)
            back[...] = False


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_bfloat16_round_trips(protocol, shape):
    ours, expected = zoo.as_bfloat16(np.linspace(-3, 3, int(np.prod(shape)), dtype=np.float32).reshape(shape))
    back = pickle.loads(pickle.dumps(ours, protocol))
    assert back.dtype is bv.bfloat16
    zoo.assert_same(back, expected)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_read_only_flag_round_trips(protocol):
    back = pickle.loads(pickle.dumps(bv.asarray(b"abc"), protocol))
    assert bytes(back) == b"abc"
    with pytest.raises(ValueError):
        back[0] = 1


def test_protocol_5_buffers_are_not_copied():
    ours = bv.asarray(np.arange(1000.0), copy=True)
    buffers = []
    small = pickle.dumps(ours, 5, buffer_callback=buffers.append)
    assert len(small) < 300
    assert len(buffers) == 1
    back = pickle.loads(small, buffers=buffers)
    assert bv.shares_memory(ours, back)
    # Read-only buffers are copied if the pickled array was writable.
    back = pickle.loads(small, buffers=[bytes(buffers[0])])
    back[0] = 5.0
    assert back[0].item() == 5.0


def test_unaligned_buffers_are_copied_to_aligned_memory():
    ours = bv.asarray([1.5, 2.5])
    buffers = []
    small = pickle.dumps(ours, 5, buffer_callback=buffers.append)
    crooked = memoryview(bytearray(b"\0" + bytes(buffers[0])))[1:]
    assert pickle.loads(small, buffers=[crooked]).tolist() == [1.5, 2.5]


def test_a_corrupt_pickle_is_an_error():
    unpickle, (_, dtype, shape, writable) = bv.asarray([1.0, 2.0]).__reduce_ex__(4)
    for content in (b"", b"1234567", b"12345678", bytes(24)):
        with pytest.raises((ValueError, BufferError)):
            unpickle(content, dtype, shape, writable)
    for odd in ((-5,), (2**62, 4), (3,)):
        with pytest.raises((ValueError, BufferError, MemoryError, OverflowError)):
            unpickle(bytes(16), dtype, odd, writable)
    with pytest.raises(TypeError):
        unpickle([1, 2], dtype, shape, writable)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_dtypes_round_trip_as_the_same_objects(protocol):
    for name in (*zoo.ALL, "bfloat16"):
        dtype = zoo.dtype(name)
        assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype
    assert copy.deepcopy(bv.float32) is bv.float32


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_share_no_memory(duplicate):
    memory = np.arange(6.0)
    ours = bv.asarray(memory)[::-2]
    there = duplicate(ours)
    assert there.tolist() == [5, 3, 1]
    there[0] = 0.0
    assert memory[5] == 5.0
    read_only = duplicate(bv.asarray(b"abc"))
    read_only[0] = 1


def test_deepcopy_preserves_identity():
    ours = bv.asarray([1, 2])
    first, second = copy.deepcopy([ours, ours])
    assert first is second
    assert first is not ours
    first, second = pickle.loads(pickle.dumps([ours, ours]))
    assert first is second


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_generators_continue_where_they_were(protocol):
    rng = bv.random.default_rng(7)
    rng.normal(size=5)
    there = pickle.loads(pickle.dumps(rng, protocol))
    for duplicate in (there, copy.deepcopy(rng)):
        expected = pickle.loads(pickle.dumps(rng)).random(3)
        zoo.assert_same(duplicate.random(3), np.asarray(expected))
    with pytest.raises(ValueError):
        rng.__reduce__()[0](b"123")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda lens: pickle.loads(pickle.dumps(lens))])
def test_lenses_are_pickled_with_their_elements(duplicate):
    x = bv.asarray([[1, 2], [3, 4]])
    lens = x.T.lens().reshape(4).pad([(1, 1)], value=7)
    there = duplicate(lens)
    assert there.copy().tolist() == lens.copy().tolist() == [7, 1, 3, 2, 4, 7]
    x[...] = 0
    assert there.copy().tolist() == [7, 1, 3, 2, 4, 7]
