"""Exchange with NumPy without copies, for any strides; arrays from nested lists."""

import array
import collections
import collections.abc
import ctypes
import gc
import math
import sys
import weakref
import zlib

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv


def address(theirs):
    return theirs.__array_interface__["data"][0]


@given(zoo.twins(foreign=True))
def test_round_trips_through_numpy_share_memory(pair):
    theirs = pair.theirs
    ours = bv.asarray(theirs, copy=False)
    zoo.assert_same(ours, theirs)
    back = np.asarray(ours)
    assert back.dtype == theirs.dtype
    if theirs.size:
        assert address(back) == address(theirs)
        assert [s for s, n in zip(back.strides, back.shape) if n > 1] == [
            s for s, n in zip(theirs.strides, theirs.shape) if n > 1
        ]


@given(zoo.twins(overlapping=False, shape=zoo.shapes(min_len=1)))
def test_writes_are_visible_on_both_sides(pair):
    ours, theirs = pair
    shared = np.asarray(ours)
    assert shared.flags.writeable
    shared[...] = True
    theirs[...] = True
    zoo.assert_same(ours, theirs)
    ours[...] = False
    theirs[...] = False
    np.testing.assert_array_equal(shared, theirs)
    np.testing.assert_array_equal(np.asarray(pair.our_base), pair.their_base)


@pytest.mark.parametrize("name", zoo.ALL)
def test_every_numpy_dtype_round_trips(name):
    theirs = zoo.values(1, name, 12).reshape(3, 4)
    ours = bv.asarray(theirs)
    assert ours.dtype == zoo.dtype(name)
    for found in (np.asarray(ours), np.array(ours, copy=None), np.from_dlpack(ours), np.asarray(memoryview(ours))):
        assert found.dtype == theirs.dtype
        assert address(found) == address(theirs)


def test_bfloat16_needs_an_explicit_conversion():
    ours = bv.asarray([1.0, 2.5], dtype=bv.bfloat16)
    with pytest.raises(TypeError, match=r"astype\(float32\).*view\(uint16\)"):
        np.asarray(ours)
    with pytest.raises(BufferError, match=r"view\(uint16\)"):
        memoryview(ours)
    np.testing.assert_array_equal(np.asarray(ours, dtype=np.float64), [1.0, 2.5])
    # A request for bytes works for any dtype.
    assert b"".join([ours]) == b"\x80\x3f\x20\x40"


def test_read_only_stays_read_only():
    theirs = np.arange(6.0)
    theirs.flags.writeable = False
    ours = bv.asarray(theirs)
    with pytest.raises(ValueError):
        ours[0] = 1.0
    assert not np.asarray(ours).flags.writeable
    assert not np.from_dlpack(ours).flags.writeable
    assert memoryview(ours).readonly
    assert bv.asarray(theirs, copy=True).__dlpack__() is not None
    assert not np.asarray(bv.asarray(b"abc")).flags.writeable
    assert np.asarray(bv.asarray(bytearray(b"abc"))).flags.writeable


def test_a_broadcast_array_is_exported_read_only():
    wide = bv.broadcast_to(bv.asarray([1.0, 2.0]), (3, 2))
    assert not np.asarray(wide).flags.writeable
    assert np.asarray(wide).strides == (0, 8)


@given(zoo.twins(zoo.NUMERIC), st.booleans())
def test_byte_swapped_arrays_are_copied(pair, is_copied):
    theirs = pair.theirs.astype(pair.theirs.dtype.newbyteorder(">"))
    if theirs.itemsize > 1 and theirs.size:
        with pytest.raises(bv.exceptions.CopyError):
            bv.asarray(theirs, copy=False)
    zoo.assert_same(bv.asarray(theirs, copy=is_copied or None), pair.theirs)


@pytest.mark.parametrize("name", zoo.NUMERIC)
def test_unaligned_elements_are_copied(name):
    size = np.dtype(name).itemsize
    if size == 1:
        return
    wanted = zoo.values(3, name, 5)
    memory = np.zeros(size * 5 + 1, np.uint8)
    memory[1:] = wanted.view(np.uint8)
    crooked = memory[1:].view(name)
    with pytest.raises(ValueError, match="aligned"):
        bv.asarray(crooked, copy=False)
    zoo.assert_same(bv.asarray(crooked), wanted)
    # Strides that are not a multiple of the element size, as in a column of records.
    records = np.zeros(4, dtype=[("a", "u1"), ("b", name)])
    records["b"] = wanted[:4]
    zoo.assert_same(bv.asarray(records["b"]), wanted[:4])
    zoo.assert_same(bv.asarray(records["b"][::-1]), wanted[3::-1])


def test_required_copies_are_logged_and_can_be_forbidden():
    crooked = np.frombuffer(bytes(17), np.uint8)[1:].view(np.float64)
    swapped = np.arange(3, dtype=np.dtype("i4").newbyteorder(">"))
    for theirs, n_bytes in ((crooked, 16), (swapped, 12)):
        with bv.copies() as log:
            bv.asarray(theirs)
        assert [it.bytes for it in log] == [n_bytes]
        assert log[0].reason == "the memory is unaligned or has the other byte order"
        with bv.no_copies(), pytest.raises(bv.exceptions.CopyError):
            bv.asarray(theirs)
    with bv.no_copies(), bv.copies() as log:
        bv.asarray(np.arange(5.0)[::-2])
        bv.asarray([1, 2, 3], dtype=bv.float32)
        bv.asarray(np.float32(1))
        np.asarray(bv.asarray([1, 2]))
    assert [it for it in log if it.reason != "it was requested"] == []


def test_a_column_of_aligned_records_is_a_view():
    records = np.zeros(4, dtype=[("a", "f4"), ("b", "f4")])
    column = bv.asarray(records["b"], copy=False)
    column[2] = 7.0
    assert records["b"].tolist() == [0, 0, 7, 0]


def test_unsupported_dtypes_are_refused():
    for theirs in (
        np.array(["a"]),
        np.array([None]),
        np.zeros(2, "i4,f4"),
        np.zeros(2, "M8[s]"),
        np.zeros(2, "S3"),
        np.zeros(2, np.longdouble),
        np.zeros(2, np.clongdouble),
    ):
        with pytest.raises(TypeError):
            bv.asarray(theirs)
    for other in ("12", None, object(), {}, {1, 2}, (i for i in range(2)), np.float32, [None], ["a"], [[1], "b"]):
        with pytest.raises(TypeError):
            bv.asarray(other)


SCALARS = [np.bool_(True), np.int8(-3), np.uint64(2**64 - 1), np.float16(1.5), np.float32(2.5), np.float64(0.1)]
SCALARS += [np.complex64(1 + 2j), np.complex128(2j)]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda it: type(it).__name__)
def test_a_numpy_scalar_is_a_0d_array(scalar):
    ours = bv.asarray(scalar)
    zoo.assert_same(ours, np.asarray(scalar))
    ours[...] = False
    assert np.asarray(ours) == 0


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 1)])
def test_0d_and_empty_arrays_are_exchanged(shape):
    theirs = np.zeros(shape, np.int16)
    ours = bv.asarray(theirs, copy=False)
    zoo.assert_same(ours, theirs)
    assert np.asarray(ours).shape == shape
    assert np.from_dlpack(ours).shape == shape
    assert np.asarray(memoryview(ours)).shape == shape


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_arrays_of_the_array_module_share_memory(code):
    theirs = array.array(code, [1, 2, 3])
    ours = bv.asarray(theirs, copy=False)
    theirs[1] = 7
    assert ours.tolist() == [1, 7, 3]
    assert ours.dtype.itemsize == theirs.itemsize
    with pytest.raises(BufferError):
        theirs.append(4)
    del ours
    theirs.append(4)


@pytest.mark.parametrize("format", "?bBhHiIlLqQnNfd")
def test_every_buffer_format_is_supported(format):
    theirs = memoryview(bytearray(16)).cast("B").cast(format)
    ours = bv.asarray(theirs, copy=False)
    assert ours.shape == theirs.shape
    assert ours.dtype.itemsize == theirs.itemsize
    kinds = {"?": "bool", "f": "float32", "d": "float64"}
    sign = "int" if format.islower() else "uint"
    assert ours.dtype.name == kinds.get(format, f"{sign}{8 * theirs.itemsize}")


def test_indirect_buffers_and_strings_are_refused():
    with pytest.raises(TypeError):
        bv.asarray(memoryview(bytearray(4)).cast("c"))
    assert bv.asarray(memoryview(bytes(range(12))).cast("B", (3, 4))[::2]).tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]


def test_ctypes_arrays_share_memory():
    theirs = ((ctypes.c_int16 * 3) * 2)((1, 2, 3), (4, 5, 6))
    ours = bv.asarray(theirs, copy=False)
    theirs[1][2] = 9
    assert ours.tolist() == [[1, 2, 3], [4, 5, 9]]


def numbers():
    integers = st.integers(-(2**63), 2**64 - 1)
    return st.one_of(st.booleans(), st.integers(-3, 3), integers, st.floats(), st.complex_numbers())


@given(st.data())
def test_nested_lists_match_numpy(data):
    shape = data.draw(zoo.shapes(max_rank=3))
    n = math.prod(shape)
    some = data.draw(st.sampled_from([st.booleans(), st.integers(-5, 5), st.floats(), numbers()]))
    flat = np.empty(n, object)
    flat[:] = data.draw(st.lists(some, min_size=n, max_size=n))
    nested = flat.reshape(shape).tolist()
    if data.draw(st.booleans()) and isinstance(nested, list):
        nested = tuple(nested)
    zoo.assert_same(bv.asarray(nested), np.asarray(nested))


@given(st.sampled_from(zoo.ALL), st.lists(st.one_of(st.booleans(), st.integers(0, 100), st.floats(0, 100)), max_size=4))
def test_scalars_are_cast_to_the_given_dtype(name, values):
    zoo.assert_same(bv.asarray(values, dtype=zoo.dtype(name)), np.asarray(values, dtype=name))
    if values:
        zoo.assert_same(bv.asarray(values[0], dtype=name), np.asarray(values[0], dtype=name))


def test_out_of_range_scalars_are_refused():
    for value, name in ((300, "uint8"), (-1, "uint64"), (2**63, "int64"), (2**64, "uint64"), (1e300, "int64")):
        with pytest.raises(OverflowError):
            bv.asarray([value], dtype=name)
    with pytest.raises(OverflowError):
        bv.asarray(2**64)
    with pytest.raises(ValueError):
        bv.asarray([math.nan], dtype=bv.int32)
    with pytest.raises(TypeError):
        bv.asarray([1j], dtype=bv.float32)
    assert bv.asarray(2**70, dtype=bv.float64).item() == 2.0**70
    assert bv.asarray([2**70], dtype=bv.complex64).item() == 2.0**70


@pytest.mark.parametrize(
    ("ragged", "position"),
    [([1, [2]], "[1]"), ([[1], 2], "[1]"), ([[1, 2], [3]], "[1]"), ([[[1], [2]], [[3], [4, 5]]], "[1, 1]"), ([[], [1]], "[1]")],
)
def test_ragged_lists_are_refused_with_their_position(ragged, position):
    with pytest.raises(ValueError, match="ragged") as error:
        bv.asarray(ragged)
    assert f"at index {position}," in str(error.value)


def test_recursive_and_too_deep_lists_are_refused():
    endless = []
    endless.append(endless)
    both = []
    both.extend([both, both])
    behind = [np.zeros(2)]
    behind.append(behind)
    deep = 1
    for _ in range(65):
        deep = [deep]
    for nested in (endless, both, behind, deep):
        with pytest.raises(ValueError):
            bv.asarray(nested)
    assert bv.asarray(deep[0]).ndim == 64


def test_lists_of_arrays_are_stacked():
    rows = [np.arange(3), [4, 5, 6], bv.asarray([7.5, 8, 9])]
    zoo.assert_same(bv.asarray(rows), np.asarray([np.asarray(it) for it in rows]))
    zoo.assert_same(bv.asarray([[np.float32(1), 2], [3, np.int8(4)]]), np.asarray([[np.float32(1), 2], [3, np.int8(4)]]))
    zoo.assert_same(bv.asarray(rows, dtype=bv.int16), np.asarray([[0, 1, 2], [4, 5, 6], [7, 8, 9]], np.int16))
    with pytest.raises(ValueError):
        bv.asarray([np.arange(3), np.arange(4)])


def test_other_sequences_are_accepted_as_lists():
    class Squares:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            if i >= 3:
                raise IndexError
            return i * i

    collections.abc.Sequence.register(Squares)
    assert bv.asarray(Squares()).tolist() == [0, 1, 4]
    assert bv.asarray(range(3)).tolist() == [0, 1, 2]
    assert bv.asarray(collections.deque([1, 2])).tolist() == [1, 2]


def test_sequences_with_a_wrong_length_are_errors():
    class Longer(list):
        def __len__(self):
            return 5

    class Broken(list):
        def __getitem__(self, i):
            raise RuntimeError("broken")

    class Endless(list):
        def __len__(self):
            return sys.maxsize

    with pytest.raises(IndexError):
        bv.asarray(Longer([1, 2]))
    for endless in (Endless([1, 2]), range(10**18), [range(10**18)]):
        with pytest.raises(MemoryError):
            bv.asarray(endless)
    with pytest.raises(RuntimeError, match="broken"):
        bv.asarray([[1, 2], Broken([1, 2])])


def test_asarray_copies_only_on_request():
    theirs = np.arange(4.0)
    ours = bv.asarray(theirs)
    assert bv.asarray(ours) is ours
    assert bv.asarray(ours, copy=False) is ours
    assert bv.asarray(ours, dtype=bv.float64) is ours
    copied = bv.asarray(ours, copy=True)
    copied[0] = 9.0
    assert theirs[0] == 0.0
    for other in (ours, theirs):
        with pytest.raises(bv.exceptions.CopyError):
            bv.asarray(other, dtype=bv.float32, copy=False)
        assert bv.asarray(other, dtype=bv.float32).dtype == bv.float32
    with pytest.raises(ValueError, match="no memory"):
        bv.asarray([1, 2], copy=False)
    with pytest.raises(ValueError):
        bv.asarray(1, device="gpu")


def test_the_base_may_be_deleted_first():
    theirs = np.arange(5.0)
    ours = bv.asarray(theirs)[1:]
    gone = weakref.ref(theirs)
    del theirs
    gc.collect()
    assert gone() is not None
    assert ours.tolist() == [1, 2, 3, 4]
    del ours
    assert gone() is None
    back = np.asarray(bv.asarray([1, 2, 3]))[1:]
    gc.collect()
    assert back.tolist() == [2, 3]


def test_references_are_released():
    theirs = np.zeros(10)
    before = sys.getrefcount(theirs)
    for _ in range(100):
        ours = bv.asarray(theirs)
        np.asarray(ours)
        np.from_dlpack(ours)
        ours.__dlpack__()
        memoryview(ours)
        bv.from_dlpack(ours)
        bv.from_dlpack(theirs)
        with pytest.raises(TypeError):
            bv.asarray(np.array([None]))
    del ours
    bv.asarray(0)
    assert sys.getrefcount(theirs) == before


def test_our_memory_is_recognised_when_reimported():
    ours = bv.asarray([1, 2, 3, 4])
    back = bv.asarray(np.asarray(ours)[::-1][1:])
    back[0] = 30
    assert ours.tolist() == [1, 2, 30, 4]
    assert bv.shares_memory(ours, back)


def test_our_memory_reimported_read_only_stays_read_only():
    ours = bv.asarray([1, 2, 3, 4])
    theirs = np.asarray(ours)
    theirs.flags.writeable = False
    for back in (bv.asarray(theirs), bv.from_dlpack(theirs), bv.asarray(theirs)[1:]):
        with pytest.raises(ValueError, match="read-only"):
            back[0] = 5
        assert not np.asarray(back).flags.writeable
    ours[0] = 7
    assert back[0].item() == 2
    assert bv.asarray(theirs)[0].item() == 7


def test_getsizeof_counts_memory_but_not_broadcast_elements():
    assert 8000 < sys.getsizeof(bv.zeros(1000)) < 9000
    assert sys.getsizeof(bv.broadcast_to(bv.zeros(1), (10**9,))) < 1000


@pytest.mark.parametrize("order", ["rows", "columns", "steps"])
def test_buffers_report_their_contiguity(order):
    memory = bv.asarray(np.arange(12, dtype=np.int32).reshape(3, 4), copy=True)
    x = {"rows": memory, "columns": memory.T, "steps": memory[:, ::2]}[order]
    assert memoryview(x).tolist() == x.tolist()
    assert memoryview(x).contiguous == (order != "steps")
    assert memoryview(x).c_contiguous == (order == "rows")
    assert memoryview(x).f_contiguous == (order == "columns")
    if order == "rows":
        assert bytes(x) == np.asarray(x).tobytes()
        assert bytearray(x) == np.asarray(x).tobytes()
    else:
        with pytest.raises(BufferError, match="contiguous"):
            zlib.crc32(x)


def test_a_broadcast_array_larger_than_memory_is_not_exported_as_a_buffer():
    x = bv.broadcast_to(bv.asarray(1.0), (2**61,))
    with pytest.raises(BufferError, match="address space"):
        memoryview(x)
    with pytest.raises((BufferError, TypeError, ValueError, MemoryError)):
        np.asarray(x)


def test_a_read_only_array_refuses_a_writable_buffer():
    x = bv.asarray(b"abcd")
    with pytest.raises(TypeError):
        (ctypes.c_char * 4).from_buffer(x)
    y = bv.asarray(b"abcd", copy=True)
    (ctypes.c_char * 4).from_buffer(y)[0] = b"z"
    assert bytes(y) == b"zbcd"


def test_objects_with_array_are_converted():
    class Column:
        def __init__(self):
            self.values = np.arange(3)

        def __array__(self, dtype=None, copy=None):
            return self.values

    column = Column()
    bv.asarray(column)[0] = 9
    assert column.values[0] == 9


@given(zoo.twins())
def test_npy_files_match_numpy(tmp_path_factory, pair):
    path = tmp_path_factory.mktemp("files") / "x.npy"
    ours, theirs = pair
    bv.save(path, ours)
    found = np.load(path)
    assert found.dtype == theirs.dtype
    np.testing.assert_array_equal(found, theirs)
    np.save(path, theirs)
    zoo.assert_same(bv.load(str(path)), theirs)


def test_invalid_files_are_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        bv.load(tmp_path / "missing.npy")
    with pytest.raises(OSError):
        bv.save(tmp_path / "missing" / "x.npy", bv.asarray(1))
    (tmp_path / "text.npy").write_text("no array")
    with pytest.raises(ValueError):
        bv.load(tmp_path / "text.npy")
    np.save(tmp_path / "object.npy", np.array([None]), allow_pickle=True)
    with pytest.raises((TypeError, ValueError)):
        bv.load(tmp_path / "object.npy")


# The array interface


class Described:
    """An object that describes its memory in a dictionary, as images of PIL do."""

    def __init__(self, interface, owner=None):
        self.__array_interface__ = interface
        self.owner = owner


@given(zoo.twins())
def test_the_array_interface_is_that_of_numpy(pair):
    x, y = pair
    interface = x.__array_interface__
    theirs = np.asarray(x).__array_interface__
    assert interface["shape"] == theirs["shape"] and interface["typestr"] == theirs["typestr"]
    assert interface["descr"] == theirs["descr"] and interface["version"] == theirs["version"] == 3
    assert interface["data"][1] is theirs["data"][1]
    zoo.assert_same(bv.asarray(np.asarray(Described(interface, x))), y)


@given(zoo.twins())
def test_described_memory_is_shared(pair):
    y = pair.theirs
    described = Described(y.__array_interface__, y)
    x = bv.asarray(described)
    zoo.assert_same(x, y)
    if y.size:
        assert np.shares_memory(np.asarray(x), y)
        assert x.readonly is not y.flags.writeable


def test_described_bytes_are_shared_read_only():
    pixels = np.arange(12, dtype=np.uint8)
    interface = {"shape": (2, 2, 3), "typestr": "|u1", "version": 3, "data": pixels.tobytes()}
    x = bv.asarray(Described(interface))
    assert x.tolist() == pixels.reshape(2, 2, 3).tolist()
    assert x.readonly
    wide = Described({"shape": (2,), "typestr": "<f4", "version": 3, "data": np.float32([1, 2, 3]).tobytes(), "offset": 4})
    assert bv.asarray(wide).tolist() == [2, 3]
    swapped = np.array([1.5, 2.5], dtype=">f8")
    assert bv.asarray(Described(swapped.__array_interface__, swapped)).tolist() == [1.5, 2.5]
    with pytest.raises(ValueError):
        bv.asarray(Described(swapped.__array_interface__, swapped), copy=False)


def test_invalid_descriptions_are_refused():
    good = np.arange(3).__array_interface__
    for change in ({"typestr": "|O8"}, {"strides": (8, 8)}, {"mask": 1}, {"data": None}, {"typestr": "<U3"}, {"shape": None}):
        with pytest.raises((TypeError, ValueError)):
            bv.asarray(Described({**good, **change}))
    with pytest.raises((ValueError, BufferError, IndexError)):
        bv.asarray(Described({"shape": (9,), "typestr": "|u1", "version": 3, "data": b"abc"}))
    for other in (bv.zeros(2, device="meta"), bv.zeros(2, dtype=bv.bfloat16)):
        assert not hasattr(other, "__array_interface__")


def test_ranges_and_mixed_sequences_are_arrays():
    zoo.assert_same(bv.asarray(range(5)), np.asarray(range(5)))
    mixed = [bv.asarray(1), np.float64(2.5), 3, np.int8(4)]
    zoo.assert_same(bv.asarray(mixed), np.asarray([1, 2.5, 3, 4]))
    nested = [bv.asarray([1, 2]), [3, 4.5], (5, np.int64(6)), range(7, 9), np.array([9, 10])]
    zoo.assert_same(bv.asarray(nested), np.asarray([[1, 2], [3, 4.5], [5, 6], [7, 8], [9, 10]]))
    for refused in ((i for i in range(3)), {1, 2}, "abc", None, object()):
        with pytest.raises(TypeError):
            bv.asarray(refused)
