"""Dtypes: objects, names, promotion, limits and casts."""

import copy
import itertools
import math
import pickle
import subprocess
import sys

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo

OURS = [zoo.dtype(name) for name in (*zoo.ALL, "bfloat16")]


def test_each_dtype_is_one_object():
    for dtype in OURS:
        assert bv.zeros(1, dtype=dtype).dtype is dtype
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.deepcopy(dtype) is dtype
        assert dtype == dtype
        assert repr(dtype) == f"belvedere.{dtype.name}"
        assert str(dtype) == dtype.name
    assert len(set(OURS)) == len(OURS)
    assert sum(a == b for a, b in itertools.product(OURS, OURS)) == len(OURS)


@pytest.mark.parametrize("name", zoo.ALL)
def test_a_dtype_equals_numpys_of_the_same_name(name):
    ours, theirs = zoo.dtype(name), np.dtype(name)
    assert (ours.itemsize, ours.alignment, ours.kind) == (theirs.itemsize, theirs.alignment, theirs.kind)
    assert np.dtype(ours) == theirs
    assert ours == theirs
    assert theirs == ours
    assert ours == theirs.type
    assert ours == name
    assert ours != theirs.newbyteorder(">") or theirs.itemsize == 1
    assert ours.is_complex == (theirs.kind == "c")
    assert ours.is_floating_point == (theirs.kind == "f")
    assert ours.is_signed == (theirs.kind in "ifc")
    for named in [name, theirs, theirs.type, theirs.str, theirs.str.lstrip("<>|")]:
        assert bv.zeros(1, dtype=named).dtype is ours


def test_python_types_are_dtypes():
    assert bv.zeros(1, dtype=bool).dtype is bv.bool
    assert bv.zeros(1, dtype=int).dtype is bv.int64
    assert bv.zeros(1, dtype=float).dtype is bv.float64
    assert bv.zeros(1, dtype=complex).dtype is bv.complex128


def test_invalid_dtypes_are_refused():
    names = ["float31", "", "g", "f3", "é4", "f99999999999999999999", ">f4", "ff", "object", "U3"]
    foreign = [np.dtype("U3"), np.dtype("M8[s]"), np.dtype(">f4"), np.zeros(3)]
    for given_type in [*names, *foreign, str, list, 5, b"f4", object()]:
        with pytest.raises(TypeError, match="dtype"):
            bv.zeros(1, dtype=given_type)
        assert bv.float32 != given_type


def test_numpy_has_no_bfloat16():
    assert bv.bfloat16.itemsize == 2
    assert bv.bfloat16.kind == "f"
    with pytest.raises(TypeError):
        np.dtype(bv.bfloat16)


@given(st.lists(st.sampled_from(zoo.ALL), min_size=1, max_size=4))
def test_result_type_matches_numpy(names):
    ours = bv.result_type(*map(zoo.dtype, names))
    assert ours.name == np.result_type(*names).name
    arrays = [bv.zeros((2, 1), dtype=zoo.dtype(name)) for name in names]
    assert bv.result_type(*arrays) is ours


@given(st.sampled_from(zoo.ALL), st.lists(st.sampled_from([True, 1, -1, 300, 0.5, math.inf, 1j]), max_size=3))
def test_python_scalars_are_weakly_typed(name, numbers):
    expected = np.result_type(np.dtype(name), *numbers).name
    assert bv.result_type(zoo.dtype(name), *numbers).name == expected
    assert bv.result_type(*numbers, bv.zeros(2, dtype=zoo.dtype(name))).name == expected


def test_numpy_scalars_keep_their_dtype():
    assert bv.result_type(bv.float32, np.float64(1)) is bv.float64
    assert bv.result_type(bv.int8, np.zeros(3, np.int16)) is bv.int16


def test_result_type_without_arguments_is_an_error():
    with pytest.raises(ValueError):
        bv.result_type()
    with pytest.raises(TypeError):
        bv.result_type(bv.int8, "x")


def test_can_cast_matches_numpy():
    for a, b in itertools.product(zoo.ALL, zoo.ALL):
        expected = np.can_cast(a, b)
        assert bv.can_cast(zoo.dtype(a), zoo.dtype(b)) is expected, (a, b)
        assert bv.can_cast(bv.zeros(1, dtype=zoo.dtype(a)), zoo.dtype(b)) is expected
    assert bv.can_cast(bv.bfloat16, bv.float32)
    assert not bv.can_cast(bv.float16, bv.bfloat16)


KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]


@given(st.sampled_from(zoo.ALL), st.lists(st.sampled_from(KINDS + list(zoo.ALL)), min_size=1, max_size=3))
def test_isdtype_matches_numpy(name, kinds):
    ours = tuple(kind if kind in KINDS else zoo.dtype(kind) for kind in kinds)
    theirs = tuple(kind if kind in KINDS else np.dtype(kind) for kind in kinds)
    assert bv.isdtype(zoo.dtype(name), ours) is np.isdtype(np.dtype(name), theirs)
    assert bv.isdtype(zoo.dtype(name), ours[0]) is np.isdtype(np.dtype(name), theirs[0])


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="real"):
        bv.isdtype(bv.float32, "real")
    with pytest.raises(TypeError):
        bv.isdtype(bv.float32, 5)


@pytest.mark.parametrize("name", zoo.FLOATS)
def test_finfo_matches_numpy(name):
    for given_type in [zoo.dtype(name), bv.zeros((), dtype=zoo.dtype(name)), name]:
        ours, theirs = bv.finfo(given_type), np.finfo(name)
        for attribute in ["eps", "max", "min", "smallest_normal"]:
            found = getattr(ours, attribute)
            assert type(found) is float
            assert found == float(getattr(theirs, attribute))
        assert ours.bits == theirs.bits
        assert ours.dtype == theirs.dtype
        assert ours.dtype.name in repr(ours)


@pytest.mark.parametrize("name", zoo.INTEGERS)
def test_iinfo_matches_numpy(name):
    ours, theirs = bv.iinfo(zoo.dtype(name)), np.iinfo(name)
    assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)
    assert ours.dtype is zoo.dtype(name)
    assert name in repr(ours)


def test_finfo_and_iinfo_refuse_other_dtypes():
    for wrong in [bv.int8, bv.bool]:
        with pytest.raises(TypeError, match=wrong.name):
            bv.finfo(wrong)
    for wrong in [bv.float32, bv.bool, bv.complex64]:
        with pytest.raises(TypeError, match=wrong.name):
            bv.iinfo(wrong)


@given(zoo.twins(zoo.ALL, kind="small"), st.sampled_from(zoo.ALL))
def test_astype_matches_numpy(pair, name):
    if pair.theirs.dtype.kind == "c" and name in zoo.INTEGERS + zoo.REALS:
        with pytest.raises(TypeError):
            bv.astype(pair.ours, zoo.dtype(name))
        return
    zoo.assert_same(bv.astype(pair.ours, zoo.dtype(name)), pair.theirs.astype(name))


def test_astype_copies_unless_the_dtype_is_equal_and_copy_is_false():
    x = bv.ones(3)
    same = bv.astype(x, bv.float64)
    same += 1
    assert bv.all(x == 1)
    assert bv.astype(x, bv.float64, copy=False) is x
    assert bv.astype(x, bv.float32, copy=False).dtype is bv.float32
    assert bv.astype(x, bv.float32, device="cpu").dtype is bv.float32
    with pytest.raises(ValueError, match="gpu"):
        bv.astype(x, bv.float32, device="gpu")


def test_namespace_info_matches_the_standard():
    info = bv.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert info.default_device() == "cpu"
    assert info.devices() == ("cpu",)
    assert bv.zeros((1,) * 64).ndim == 64
    with pytest.raises(ValueError, match="65"):
        bv.zeros((1,) * 65)
    default = info.default_dtypes()
    assert default == {
        "real floating": bv.float64,
        "complex floating": bv.complex128,
        "integral": bv.int64,
        "indexing": bv.int64,
    }
    assert bv.zeros(1).dtype is default["real floating"]
    assert bv.arange(1).dtype is default["integral"]
    assert bv.argsort(bv.arange(3)).dtype is default["indexing"]
    standard = zoo.BOOL + zoo.INTEGERS + zoo.STANDARD_REALS + zoo.COMPLEX
    assert info.dtypes() == {name: zoo.dtype(name) for name in standard}
    assert list(info.dtypes(kind=("bool", "signed integer"))) == [*zoo.BOOL, *zoo.SIGNED]
    assert list(info.dtypes(kind="numeric", device="cpu")) == [*standard[1:]]
    for wrong, error in [("real", ValueError), (("bool", "x"), ValueError), (5, TypeError)]:
        with pytest.raises(error):
            info.dtypes(kind=wrong)


def test_constants():
    assert (bv.e, bv.pi, bv.inf, bv.newaxis) == (math.e, math.pi, math.inf, None)
    assert math.isnan(bv.nan)
    assert bv.__array_api_version__ == "2025.12"
    assert bv.__version__.count(".") == 2


# NumPy's names, codes and attributes

#: NumPy's names of dtypes that are attributes of both packages.
NUMPY_NAMES = (
    "bool_", "int_", "intc", "intp", "long", "longlong", "short", "byte", "ubyte", "ushort", "uintc", "uint", "uintp",
    "ulong", "ulonglong", "half", "single", "double", "csingle", "cdouble",
)  # fmt: skip


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_numpys_names_are_attributes_and_dtypes(name):
    expected = np.dtype(getattr(np, name))
    assert getattr(bv, name) == expected
    assert bv.dtype(getattr(np, name)) == expected
    if name not in ("bool_", "int_"):
        assert bv.dtype(name) == np.dtype(name)


@pytest.mark.parametrize("code", [*"?bhilqBHILQefdFD", "float", "int", "complex", "bool", "=f4", "|u1", "<i8", "b1", "c8"])
def test_codes_are_those_of_numpy(code):
    assert bv.dtype(code) == np.dtype(code)
    assert bv.zeros(1, dtype=code).dtype == np.dtype(code)


@pytest.mark.parametrize("name", zoo.ALL)
def test_attributes_are_those_of_numpy(name):
    ours, theirs = zoo.dtype(name), np.dtype(name)
    for attribute in (
        "byteorder", "char", "str", "num", "type", "isnative", "shape", "names", "fields", "descr", "hasobject",
        "subdtype", "isbuiltin", "itemsize", "alignment", "kind", "name", "ndim",
    ):  # fmt: skip
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
    assert ours.base is ours
    assert ours.newbyteorder("=") is ours
    if theirs.itemsize > 1:
        with pytest.raises(TypeError, match="byte order"):
            ours.newbyteorder()


def test_the_class_returns_the_object_of_anything():
    assert bv.dtype is bv.DType and isinstance(bv.float32, bv.dtype)
    assert bv.dtype() is bv.dtype(None) is bv.float64
    assert bv.dtype(bv.int8) is bv.int8
    assert bv.dtype(bv.zeros(2, dtype=bv.int16)) is bv.int16
    assert bv.dtype(np.dtype("f4")) is bv.float32
    with pytest.raises(TypeError, match="unsupported dtype"):
        bv.dtype("object")


def test_a_dtype_converts_to_it():
    three = bv.float32(3)
    assert (three.shape, three.dtype, three.item()) == ((), bv.float32, 3.0)
    zoo.assert_same(bv.float32([1, 2]), np.float32([1, 2]))
    zoo.assert_same(bv.int8(bv.asarray([1.7])), np.int8([1]))
    assert bv.int64() == 0 and bv.complex128(1j) == 1j and bool(bv.bool_(1)) is True
    x = bv.zeros(2)
    assert not bv.shares_memory(bv.float64(x), x)
    with pytest.raises(OverflowError):
        bv.uint8(300)


@pytest.mark.parametrize("name", zoo.ALL)
def test_a_dtype_has_the_hash_of_numpys(name):
    assert hash(zoo.dtype(name)) == hash(np.dtype(name))
    assert {np.dtype(name): 1}[zoo.dtype(name)] == 1
    assert {zoo.dtype(name), np.dtype(name), np.dtype(name)} == {np.dtype(name)}


def test_the_hash_is_the_same_before_numpy_is_imported():
    program = (
        "import sys, belvedere as bv\n"
        "assert 'numpy' not in sys.modules\n"
        "before = {name: hash(getattr(bv, name)) for name in ('float64', 'int8', 'bool', 'complex64')}\n"
        "import numpy as np\n"
        "assert all(value == hash(np.dtype(name)) == hash(getattr(bv, name)) for name, value in before.items())\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
