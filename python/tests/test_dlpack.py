"""DLPack import and export: both versions, invalid capsules, and ownership."""

import ctypes
import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class OldManaged(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


NEW, OLD = b"dltensor_versioned", b"dltensor"


class Producer:
    """An array of an unknown library, in either version of the protocol."""

    def __init__(self, shape=(3,), strides=None, is_old=False, has_lengths=True, **fields):
        self.memory = (ctypes.c_double * 12)(*range(12))
        self.lists = ((ctypes.c_int64 * len(shape))(*shape), strides and (ctypes.c_int64 * len(strides))(*strides))
        self.n_deleted = 0
        self.deleter = DELETER(self.delete)
        self.is_old = is_old
        self.managed = (OldManaged if is_old else Managed)(deleter=self.deleter)
        if not is_old:
            self.managed.major = 1
        tensor = self.managed.tensor
        tensor.data, tensor.device_kind, tensor.ndim = ctypes.addressof(self.memory), 1, len(shape)
        tensor.code, tensor.bits, tensor.lanes = 2, 64, 1
        if has_lengths:
            tensor.shape = self.lists[0]
        if strides:
            tensor.strides = self.lists[1]
        for name, value in fields.items():
            setattr(self.managed if hasattr(self.managed, name) else tensor, name, value)
        self.capsule = api.PyCapsule_New(ctypes.addressof(self.managed), OLD if is_old else NEW, None)

    def delete(self, _):
        self.n_deleted += 1

    def __dlpack__(self, **options):
        if self.is_old and options:
            raise TypeError("an older library")
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("is_old", [False, True])
def test_an_imported_tensor_shares_memory_and_is_released_once(is_old):
    producer = Producer((2, 3), (6, 2), is_old)
    x = bv.from_dlpack(producer)
    assert x.tolist() == [[0, 2, 4], [6, 8, 10]]
    producer.memory[6] = -1
    if is_old:
        # Versions before 1.0 do not say that memory may be written.
        with pytest.raises(ValueError, match="read-only"):
            x[0, 1] = 50.0
    else:
        x[0, 1] = 50.0
        assert producer.memory[2] == 50
    part = x[1:]
    del x
    gc.collect()
    assert producer.n_deleted == 0
    assert part.tolist() == [[-1, 8, 10]]
    del part
    assert producer.n_deleted == 1
    with pytest.raises(BufferError, match="consumed before"):
        bv.from_dlpack(producer)
    assert api.PyCapsule_IsValid(producer.capsule, b"used_" + (OLD if is_old else NEW))


def test_strides_may_be_missing_negative_or_zero():
    assert bv.from_dlpack(Producer((2, 2))).tolist() == [[0, 1], [2, 3]]
    backwards = Producer((3,), (-2,), byte_offset=5 * 8)
    assert bv.from_dlpack(backwards).tolist() == [5, 3, 1]
    same = bv.from_dlpack(Producer((2, 2), (0, 1)))
    assert same.tolist() == [[0, 1], [0, 1]]
    with pytest.raises(ValueError):
        same[...] = 1.0
    assert bv.from_dlpack(Producer((0, 2), data=None)).shape == (0, 2)
    assert bv.from_dlpack(Producer(())).item() == 0


def test_the_read_only_flag_is_imported():
    x = bv.from_dlpack(Producer(flags=1))
    with pytest.raises(ValueError):
        x[0] = 1.0
    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError, match="copy"):
        x.__dlpack__()


def test_memory_that_was_exported_as_read_only_stays_so_when_it_comes_back():
    x = bv.arange(6.0)
    fixed = bv.broadcast_to(x[:1], (3,))
    capsule = fixed.__dlpack__(max_version=(1, 0))
    data = Managed.from_address(api.PyCapsule_GetPointer(capsule, NEW)).tensor.data
    # Another library exports the memory again, and does not pass the flag on.
    again = bv.from_dlpack(Producer((3,), data=data))
    with pytest.raises(ValueError, match="read-only"):
        again[0] = 7.0
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    kept = x.__dlpack__(max_version=(1, 0))
    bv.from_dlpack(Producer((3,), data=data))[0] = 7.0
    assert x.tolist() == [7, 1, 2, 3, 4, 5]
    del capsule, kept


ODD = {
    "another device": dict(device_kind=2),
    "another version": dict(major=2),
    "a negative rank": dict(ndim=-1),
    "an absurd rank": dict(ndim=10**6),
    "a rank above the limit": dict(ndim=65),
    "no lengths": dict(has_lengths=False),
    "a negative length": dict(shape_=(-1,)),
    "an absurd length": dict(shape_=(2**62, 2**62)),
    "an absurd stride": dict(shape_=(2, 2), strides_=(2**62, 2**62)),
    "no memory": dict(data=None),
    "a vector type": dict(lanes=4),
    "an unknown type": dict(code=3),
    "four bits": dict(bits=4),
    "crooked memory": dict(byte_offset=1),
}


@pytest.mark.parametrize("odd", ODD)
def test_invalid_tensors_are_refused_and_not_consumed(odd):
    fields = dict(ODD[odd])
    producer = Producer(fields.pop("shape_", (3,)), fields.pop("strides_", None), **fields)
    with pytest.raises((BufferError, ValueError)):
        bv.from_dlpack(producer)
    assert producer.n_deleted == 0
    assert api.PyCapsule_IsValid(producer.capsule, NEW)


@pytest.mark.parametrize("what", [None, 1, "text", (1, 2), np.zeros(1)])
def test_objects_that_are_not_capsules_are_refused(what):
    class Liar:
        def __dlpack__(self, **_):
            return what

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(BufferError):
        bv.from_dlpack(Liar())
    with pytest.raises((AttributeError, TypeError)):
        bv.from_dlpack(what if not isinstance(what, np.ndarray) else [1])


@given(zoo.twins())
def test_numpy_imports_our_arrays(pair):
    ours, theirs = pair
    there = np.from_dlpack(ours)
    np.testing.assert_array_equal(there, theirs)
    assert there.dtype == theirs.dtype
    back = bv.from_dlpack(there)
    zoo.assert_same(back, theirs)
    if ours.size:
        assert bv.shares_memory(ours, back)


def managed(capsule, name):
    kind = Managed if name == NEW else OldManaged
    return kind.from_address(api.PyCapsule_GetPointer(capsule, name))


def test_capsule_names_match_their_version():
    x = bv.asarray([[1.0, 2.0, 3.0]])[:, ::-1]
    assert x.__dlpack_device__() == (1, 0)
    for version in (None, (0, 8)):
        capsule = x.__dlpack__(max_version=version)
        assert managed(capsule, OLD).tensor.strides[1] == -1
    for version in ((1, 0), (1, 3), (2, 0)):
        capsule = x.__dlpack__(max_version=version)
        given = managed(capsule, NEW)
        assert (given.major, given.flags) == (1, 0)
        assert given.tensor.shape[:2] == [1, 3]


def test_read_only_arrays_are_exported_with_the_flag():
    wide = bv.broadcast_to(bv.asarray([1.0, 2.0, 3.0]), (2, 3))
    capsule = wide.__dlpack__(max_version=(1, 0))
    assert managed(capsule, NEW).flags == 1
    with pytest.raises(BufferError):
        wide.__dlpack__()
    capsule = wide.__dlpack__(copy=True)
    assert managed(capsule, OLD).tensor.strides[0] == 3


def test_unsupported_requests_are_refused():
    x = bv.asarray([1.0])
    assert x.__dlpack__(dl_device=(1, 0), stream=None, copy=False) is not None
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        x.__dlpack__(stream=1)
    with pytest.raises(TypeError):
        x.__dlpack__((1, 0))
    with pytest.raises(TypeError):
        x.__dlpack__(max_version=1)


def test_copy_true_exports_a_copy():
    theirs = np.arange(3.0)
    copied = bv.from_dlpack(theirs, copy=True)
    copied[0] = 9.0
    assert theirs[0] == 0
    shared = bv.from_dlpack(theirs, copy=False, device="cpu")
    shared[0] = 9.0
    assert theirs[0] == 9
    ours = bv.from_dlpack(shared, copy=True)
    ours[0] = 1.0
    assert theirs[0] == 9
    with pytest.raises(ValueError):
        bv.from_dlpack(theirs, device="cuda")


def test_an_unconsumed_capsule_is_freed():
    theirs = np.zeros(3)
    gone = weakref.ref(theirs)
    x = bv.asarray(theirs)
    del theirs
    for version in (None, (1, 0)):
        capsule = x.__dlpack__(max_version=version)
    del x
    gc.collect()
    assert gone() is not None
    del capsule
    gc.collect()
    assert gone() is None


def test_a_consumed_capsule_is_freed_by_its_consumer():
    x = bv.asarray([1.0, 2.0])
    capsule = x.__dlpack__(max_version=(1, 0))
    content = managed(capsule, NEW)
    api.PyCapsule_SetName(capsule, b"used_dltensor_versioned")
    del capsule
    gc.collect()
    assert content.tensor.shape[0] == 2
    del x
    content.deleter(ctypes.addressof(content))


def test_memory_may_be_released_by_a_detached_thread():
    theirs = np.zeros(3)
    gone = weakref.ref(theirs)
    capsule = bv.asarray(theirs).__dlpack__(max_version=(1, 0))
    del theirs
    content = managed(capsule, NEW)
    api.PyCapsule_SetName(capsule, b"used_dltensor_versioned")
    # Functions called through ctypes run detached from the interpreter.
    thread = threading.Thread(target=content.deleter, args=(ctypes.addressof(content),))
    thread.start()
    thread.join()
    bv.asarray(0)
    gc.collect()
    assert gone() is None


def test_memory_may_be_released_detached_inside_of_a_callback():
    # In a process of its own: reference counts that change without the GIL may crash it.
    program = """
import ctypes, sys, weakref, numpy as np, belvedere as bv
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
used = b"used_dltensor"
def export(x):
    capsule = x.__dlpack__()
    managed = api.PyCapsule_GetPointer(capsule, b"dltensor")
    api.PyCapsule_SetName(capsule, used)
    # The deleter is the last field of the struct. Functions called through ctypes run detached.
    return managed, ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.c_void_p.from_address(managed + 56).value)
class Source:
    def __init__(self, x):
        self.managed, self.delete = export(x)
    def __array__(self, dtype=None, copy=None):
        self.delete(self.managed)
        return np.zeros(1)
for _ in range(100):
    theirs = np.zeros(10)
    gone = weakref.ref(theirs)
    source = Source(bv.asarray(theirs))
    del theirs
    bv.asarray(source)
    bv.zeros(1).sum()
    assert gone() is None
"""
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert outcome.returncode == 0, outcome.stderr


def test_the_interpreter_may_exit_while_memory_is_shared():
    program = """
import threading, numpy as np, belvedere as bv, sys, time
theirs = np.zeros(10)
ours = bv.asarray(theirs)
back = np.asarray(ours)
by_capsule = np.from_dlpack(ours)
unused = ours.__dlpack__(max_version=(1, 0))
own = bv.asarray([1.0, 2.0])
class Holder:
    def __del__(self, x=bv.asarray(theirs)):
        bv.asarray
sys.keeps = [ours, back, unused, own, Holder()]
big = bv.asarray(np.ones(1 << 20))
def work():
    while True:
        (big + big)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
print("end")
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


torch_types = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("name", torch_types)
def test_pytorch_shares_memory_both_ways(name):
    torch = pytest.importorskip("torch")
    theirs = torch.arange(6).to(getattr(torch, name)).reshape(2, 3).T
    for take in (bv.from_dlpack, bv.asarray):
        x = take(theirs)
        assert x.dtype == getattr(bv, name)
        assert x.stride() == theirs.stride()
        back = torch.from_dlpack(x)
        assert (back.data_ptr(), back.dtype) == (theirs.data_ptr(), theirs.dtype)
    ours = bv.asarray([[1, 0], [1, 1]], dtype=name)
    there = torch.from_dlpack(ours)
    there[0, 0] = 0
    assert bv.astype(ours, bv.bool).tolist() == [[False, False], [True, True]]


def test_pytorch_gets_a_clear_error_for_negative_strides():
    torch = pytest.importorskip("torch")
    x = bv.asarray([1.0, 2.0, 3.0])[::-1]
    for take in (torch.from_dlpack, torch.as_tensor):
        with pytest.raises(BufferError, match=r"negative strides.*copy\(\)"):
            take(x)
    assert torch.from_dlpack(x.copy()).tolist() == [3.0, 2.0, 1.0]
    assert np.from_dlpack(x).tolist() == [3.0, 2.0, 1.0]


def test_errors_of_pytorch_are_passed_on():
    torch = pytest.importorskip("torch")
    with pytest.raises(BufferError, match="gradient"):
        bv.asarray(torch.zeros(2, requires_grad=True))
