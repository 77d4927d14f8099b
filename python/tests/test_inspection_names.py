"""Functions that inspect arrays and dtypes, iterate, call Python functions, and keep settings."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from compare import refused, same
from hypothesis import given

import belvedere as bv

CUBE = np.arange(24).reshape(2, 3, 4)
DTYPES = [getattr(np, name) for name in zoo.ALL]
ABSTRACT = "generic number integer signedinteger unsignedinteger inexact floating complexfloating".split()


@given(zoo.twins(zoo.ALL, kind="small"), zoo.twins(zoo.ALL, kind="small"))
def test_array_equal_matches_numpy(one, other):
    for x, y in ((one, one), (one, other)):
        for equal_nan in (False, True):
            expected = np.array_equal(x.theirs, y.theirs, equal_nan=equal_nan)
            assert bv.array_equal(x.ours, y.ours, equal_nan) is expected
        assert bv.array_equiv(x.ours, y.ours) is np.array_equiv(x.theirs, y.theirs)


def test_equality_of_python_values():
    nan = float("nan")
    for a, b in (([1, 2], [1, 2]), ([1], [1, 2]), (3, 3), ([1, nan], [1, nan]), ("a", [1]), ([1, 2], [[1, 2], [1, 2]])):
        for name in ("array_equal", "array_equiv"):
            same(lambda xp: getattr(xp, name)(a, b))
        same(lambda xp: xp.array_equal(a, b, equal_nan=True)) if a != "a" else None


@given(zoo.twins(zoo.ALL))
def test_kinds_of_numbers_match_numpy(pair):
    for name in ("iscomplex", "isreal"):
        zoo.assert_same(getattr(bv, name)(pair.ours), getattr(np, name)(pair.theirs))
    for name in ("iscomplexobj", "isrealobj"):
        assert getattr(bv, name)(pair.ours) is getattr(np, name)(pair.theirs)
    for name in ("isneginf", "isposinf"):
        if pair.theirs.dtype.kind == "c":
            with pytest.raises(TypeError):
                getattr(bv, name)(pair.ours)
        else:
            zoo.assert_same(getattr(bv, name)(pair.ours), getattr(np, name)(pair.theirs))
            out = bv.ones(pair.theirs.shape, dtype=bv.bool)
            assert getattr(bv, name)(pair.ours, out) is out
    zoo.assert_same(bv.real_if_close(pair.ours), np.real_if_close(pair.theirs))


def test_real_if_close():
    for value in ([1 + 1e-15j], [1 + 1e-3j], [2.0], 3, np.array([1 + 1e-6j], "complex64")):
        for tol in (100, 0.5, 1e13):
            same(lambda xp, a: xp.real_if_close(a, tol), value)


def test_contiguity_scalars_and_iterables():
    for x in (CUBE, CUBE.T, CUBE[0], CUBE[0].T, CUBE[:, 0], np.array(3), np.zeros((0, 3)), CUBE[::2].T):
        same(lambda xp, a: xp.isfortran(a), x)
        same(lambda xp, a: xp.iterable(a), x)
    for value in (3, 2.5, 1j, True, "a", b"a", None, [1], (1,), np.float32(3), {}):
        assert bv.isscalar(value) is np.isscalar(value)
        assert bv.iterable(value) is np.iterable(value)
    assert bv.isscalar(bv.asarray([1.5])[0])
    assert not bv.isscalar(bv.asarray([1.5]))


def test_issubdtype_has_numpys_hierarchy():
    for one in [*DTYPES, float, int, bool, complex, "f4", "int8"]:
        for name in ABSTRACT:
            expected = np.issubdtype(one, getattr(np, name))
            assert bv.issubdtype(one, getattr(bv, name)) is expected
            # NumPy's own abstract types are understood as well.
            assert bv.issubdtype(one, getattr(np, name)) is expected
        for other in [*DTYPES, float, int, "f8", bool]:
            assert bv.issubdtype(one, other) is np.issubdtype(one, other)
    for one in ABSTRACT:
        for other in ABSTRACT:
            assert bv.issubdtype(getattr(bv, one), getattr(bv, other)) is np.issubdtype(
                getattr(np, one), getattr(np, other)
            )
        assert bv.issubdtype(getattr(bv, one), bv.float64) is False
    assert bv.issubdtype(bv.ones(2, dtype=bv.bfloat16).dtype, bv.floating)
    refused(lambda xp: xp.issubdtype(5, xp.integer))


def test_abstract_types_check_instances():
    ints, floats = bv.arange(3), bv.ones(2)
    assert isinstance(ints[0], bv.integer)
    assert isinstance(np.int8(3), bv.signedinteger)
    assert isinstance(floats.sum(), (bv.floating, bv.integer))
    assert not isinstance(ints, bv.integer)
    assert not isinstance(3, bv.integer)
    assert not isinstance("a", bv.generic)
    assert issubclass(bv.float64, bv.floating)
    assert issubclass(np.float64, bv.floating)
    assert not issubclass(str, bv.generic)
    with pytest.raises(TypeError, match="abstract"):
        bv.floating(3)


def test_names_of_dtypes():
    for name in "byte short intc int_ intp long longlong ubyte ushort uintc uint uintp ulong ulonglong".split():
        assert getattr(bv, name).name == np.dtype(getattr(np, name)).name
    for name in "half single double csingle cdouble bool_".split():
        assert getattr(bv, name).name == np.dtype(getattr(np, name)).name


def test_functions_that_find_a_dtype():
    values = [0, 1, 255, 256, -1, -128, -129, 2**40, -(2**40), 2**63, 1.5, 1e10, 1e50, 65000.0, -70000.0, np.inf]
    for value in [*values, True, 1j, 1e40j, np.float64(3), np.arange(3), np.int8(3), np.nan, 3.4e38]:
        assert bv.min_scalar_type(value).name == np.min_scalar_type(value).name
    for one in DTYPES:
        for other in DTYPES:
            assert bv.promote_types(one, other).name == np.promote_types(one, other).name
    for names in (["f2"], ["f4", "i4"], ["f2", "c8"], ["i1"], ["c16", "f4"], ["f8", "c8"]):
        arrays = [np.ones(2, name) for name in names]
        assert bv.common_type(*map(bv.asarray, arrays)).name == np.dtype(np.common_type(*arrays)).name
    refused(lambda xp: xp.common_type(xp.ones(2, dtype="bool")))
    for letters in ("d", "f", "fd", "dF", "iF", "i", "", "ff", ["d", "e"]):
        assert bv.mintypecode(letters) == np.mintypecode(letters)
    assert bv.mintypecode([bv.ones(1, dtype=bv.float32), "i"]) == "f"
    for letter in "?bBhHiIlLqQfdFD":
        assert bv.typename(letter) == np.typename(letter)


@given(zoo.twins(zoo.ALL, kind="small"), st.booleans())
def test_unique_matches_numpy(pair, equal_nan):
    for flags in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (0, 1, 1)):
        flags = [bool(it) for it in flags]
        found = bv.unique(pair.ours, *flags, equal_nan=equal_nan)
        expected = np.unique(pair.theirs, *flags, equal_nan=equal_nan)
        if any(flags):
            assert len(found) == len(expected)
            for one, other in zip(found, expected):
                zoo.assert_same(one, other, signed_zeros=False)
        else:
            zoo.assert_same(found, expected, signed_zeros=False)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "float16"])
def test_unique_merges_nans(dtype):
    x = np.array([2, np.nan, 1, np.nan, 2, np.nan], dtype)
    for equal_nan in (True, False):
        same(lambda xp, a: xp.unique(a, True, True, True, equal_nan=equal_nan), x)
        same(lambda xp, a: xp.unique(a, equal_nan=equal_nan), x)
        same(lambda xp, a: xp.unique(a, return_counts=True, equal_nan=equal_nan), x.reshape(2, 3))


@pytest.mark.parametrize("shape", [(20, 2), (30, 3), (12, 7), (5, 3, 2), (0, 3), (3, 0), (6,), (1, 4)])
def test_unique_along_an_axis(shape):
    rng = np.random.default_rng(3)
    for dtype in ("int64", "uint8", "bool", "float32", "complex64"):
        x = rng.integers(0, 2, shape).astype(dtype)
        for layout in (x, x[::-1], x.copy(order="F")):
            for axis in range(x.ndim):
                if x.shape[axis] == 0 and dtype == "complex64":
                    continue
                same(lambda xp, a: xp.unique(a, True, True, True, axis), layout)
                same(lambda xp, a: xp.unique(a, axis=axis), layout)
    refused(lambda xp, a: xp.unique(a, axis=a.ndim), np.zeros(shape))


@pytest.mark.parametrize("bitorder", ["big", "little"])
@pytest.mark.parametrize("shape", [(1,), (8,), (17,), (3, 9), (2, 3, 10), (0,), (2, 0)])
def test_bits(shape, bitorder):
    x = np.random.default_rng(0).integers(-1, 2, shape)
    for axis in (None, *range(x.ndim)):
        for layout in (x, x.astype(bool), x[::-1], x.T if axis is None else x):
            same(lambda xp, a: xp.packbits(a, axis, bitorder), layout)
        octets = (x * 77).astype("uint8")
        same(lambda xp, a: xp.unpackbits(a, axis, bitorder=bitorder), octets)
        for count in (0, 3, 20, -1):
            # NumPy does not initialise the bits after the end of an empty array.
            if count != 0 and x.size == 0:
                continue
            same(lambda xp, a: xp.unpackbits(a, axis, count, bitorder), octets)
    refused(lambda xp: xp.packbits([1.5]))
    refused(lambda xp: xp.unpackbits([1]))
    refused(lambda xp: xp.packbits([1], bitorder="other"))


def test_iteration():
    for shape in ((2, 3), (), (0,), (2, 1, 2)):
        assert list(bv.ndindex(shape)) == list(np.ndindex(shape))
        assert list(bv.ndindex(*shape)) == list(np.ndindex(*shape))
    refused(lambda xp: list(xp.ndindex(-1)))
    for x in (CUBE, CUBE.T[::-1], np.array(3), np.zeros((0, 2))):
        found = [(index, element.item()) for index, element in bv.ndenumerate(bv.asarray(x))]
        assert found == [(index, element.item()) for index, element in np.ndenumerate(x)]
    one, other = bv.broadcast([1, 2], [[3], [4]]), np.broadcast([1, 2], [[3], [4]])
    for name in ("shape", "ndim", "nd", "size", "numiter", "index"):
        assert getattr(one, name) == getattr(other, name)
    assert [tuple(map(int, it)) for it in one] == [tuple(map(int, it)) for it in other]
    assert one.index == other.index == 4
    one.reset()
    assert [int(it) for it in next(one)] == [1, 3]
    refused(lambda xp: xp.broadcast([1, 2], [1, 2, 3]))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize(
    "function",
    [lambda v: v.sum(), lambda v: v[:2], lambda v: v[::-1] * 0.5, lambda v: v[:, None] * v, lambda v: 3],
    ids=["scalar", "shorter", "same", "matrix", "constant"],
)
def test_apply_along_axis(function, axis):
    for x in (CUBE, CUBE[::-1, :, ::2], CUBE.astype("float32")):
        same(lambda xp, a: xp.apply_along_axis(function, axis, a), x)


def test_apply_passes_arguments_and_refuses():
    same(lambda xp, a: xp.apply_along_axis(lambda v, k, m: v.sum() * k + m, 1, a, 3, m=2), CUBE)
    refused(lambda xp, a: xp.apply_along_axis(lambda v: v, 3, a), CUBE)
    refused(lambda xp: xp.apply_along_axis(lambda v: v, 0, xp.zeros((3, 0))))
    same(lambda xp, a: xp.apply_over_axes(lambda v, axis: xp.sum(v, axis=axis), a, [0, -1]), CUBE)
    same(lambda xp, a: xp.apply_over_axes(lambda v, axis: xp.sum(v, axis=axis, keepdims=True), a, 1), CUBE)
    refused(lambda xp, a: xp.apply_over_axes(lambda v, axis: v[0, 0], a, 1), CUBE)


def test_vectorize():
    same(lambda xp: xp.vectorize(lambda a, b: a if a > b else b)([1, 5], [[3], [4]]))
    same(lambda xp: xp.vectorize(lambda x: (x, 2.0 * x))([1, 2]))
    same(lambda xp: xp.vectorize(lambda x: x + 0.5, otypes=[int])([1, 2]))
    same(lambda xp: xp.vectorize(lambda x: x, otypes="f")([1, 2]))
    same(lambda xp: xp.vectorize(lambda x: 1 if x < 2 else 2.5)([1, 3]))
    same(lambda xp: xp.vectorize(lambda x: x)(5))
    same(lambda xp: xp.vectorize({1: 10, 2: 20}.get)([1, 2, 1]))
    same(lambda xp: xp.vectorize(lambda x: x + x)(xp.array([1, 2], dtype="int8")))
    same(lambda xp: xp.vectorize(lambda x, k=1: x * k)([1, 2], k=[3, 4]))
    same(lambda xp: xp.vectorize(lambda x, p: p[x], excluded={1})([1, 0], [10, 20]))
    same(lambda xp: xp.vectorize(lambda x, p: p[x], excluded=["p"])([1, 0], p=[10, 20]))
    same(lambda xp: xp.vectorize(lambda x: x, otypes=[float])([]))
    refused(lambda xp: xp.vectorize(lambda x: x)([]))
    refused(lambda xp: xp.vectorize(lambda x, y: x)([1, 2], [1, 2, 3]))
    decorated = bv.vectorize(otypes=[float])(lambda x: x)
    zoo.assert_same(decorated([1]), np.array([1.0]))
    assert bv.vectorize(len, doc="Text.").__doc__ == "Text."


def test_vectorize_with_a_signature():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    same(lambda xp, a, b: xp.vectorize(lambda x, y: (x * y).sum(), signature="(n),(n)->()")(a, b), a, b)
    same(lambda xp, a: xp.vectorize(lambda x: x[:2] * 2, signature="(n)->(m)")(a), a)
    same(lambda xp, a: xp.vectorize(lambda x: (x.sum(), x), signature="(n)->(),(n)")(a), a)
    refused(lambda xp, a: xp.vectorize(lambda x, y: x, signature="(n),(n)->()")(a, a[:, :2]), a)
    refused(lambda xp, a: xp.vectorize(lambda x: x, signature="(n,m)->()")(a[0]), a)
    refused(lambda xp: xp.vectorize(len, signature="(n"))


def test_settings_are_kept_and_have_no_effect():
    assert bv.geterr() == {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    before = bv.seterr(divide="ignore", over="raise")
    assert before["divide"] == "warn"
    assert bv.geterr()["over"] == "raise"
    assert float(bv.asarray(1.0) / 0) == bv.inf
    with bv.errstate(all="raise", divide="ignore"):
        assert bv.geterr() == {"divide": "ignore", "over": "raise", "under": "raise", "invalid": "raise"}
        assert np.isnan(float(bv.asarray(0.0) / 0))
    assert bv.geterr()["over"] == "raise"
    bv.seterr(**before)

    @bv.errstate(invalid="ignore")
    def inside():
        return bv.geterr()["invalid"]

    assert inside() == "ignore"
    assert bv.geterr() == before
    refused(lambda xp: xp.seterr(all="other"))
    assert bv.seterrcall(print) is None
    assert bv.seterrcall(None) is print
    assert bv.setbufsize(4096) == 8192
    assert bv.setbufsize(8192) == 4096
    assert bv.geterrcall() is None
    assert bv.getbufsize() == 8192


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
@pytest.mark.parametrize("x", [CUBE, CUBE.T, CUBE[::-1, :, ::2], CUBE[:, 0], np.array(3)], ids=lambda x: str(x.strides))
def test_nditer_has_numpys_order(x, order):
    if order == "A" and not (x.flags.c_contiguous or x.flags.f_contiguous):
        return
    ours = bv.asarray(x)
    theirs = np.asarray(ours)
    one, other = bv.nditer(ours, ["multi_index"], order=order), np.nditer(theirs, ["multi_index"], order=order)
    assert [(int(it), one.multi_index) for it in one] == [(int(it), other.multi_index) for it in other]
    for flag in ("c_index", "f_index"):
        one, other = bv.nditer(ours, [flag], order=order), np.nditer(theirs, [flag], order=order)
        while not other.finished:
            assert (int(one[0]), one.index) == (int(other[0]), other.index)
            assert one.iternext() == other.iternext()
        assert one.finished
    assert [int(v) for it in bv.nditer(ours, ["external_loop"], order=order) for v in it.reshape(-1)] == [
        int(v) for it in np.nditer(theirs, ["external_loop"], order=order) for v in it.reshape(-1)
    ]


def test_nditer_reads_and_writes_several_operands():
    found = [tuple(map(int, it)) for it in bv.nditer([CUBE[0], [1, 2, 3, 4]])]
    assert found == [tuple(map(int, it)) for it in np.nditer([CUBE[0], [1, 2, 3, 4]])]
    x = bv.arange(6).reshape(2, 3)
    with bv.nditer([x, None], op_flags=[["readonly"], ["writeonly", "allocate"]]) as it:
        for a, b in it:
            b[...] = a * 10
        zoo.assert_same(it.operands[1], np.arange(6).reshape(2, 3) * 10)
    for element in bv.nditer(x, op_flags=["readwrite"]):
        element[...] = element + 1
    zoo.assert_same(x, np.arange(1, 7).reshape(2, 3))
    with pytest.raises(ValueError):
        for element in bv.nditer(x):
            element[...] = 1
    it = bv.nditer([x, x], op_dtypes=["float64", None])
    assert it.dtypes == (bv.float64, bv.int64)
    assert (it.nop, it.ndim, it.itersize, it.shape, len(it)) == (2, 2, 6, (2, 3), 2)
    it[0]
    refused(lambda xp: xp.nditer([]))
    refused(lambda xp: xp.nditer(xp.zeros((0, 2))))
    refused(lambda xp: xp.nditer([1, 2], ["other"]))
    refused(lambda xp: xp.nditer([1, 2]).multi_index)
    refused(lambda xp: xp.nditer([xp.zeros(2), xp.zeros(3)]))
    assert list(bv.nditer(bv.zeros((0, 2)), ["zerosize_ok"])) == []
    with pytest.raises(bv.exceptions.UnsupportedError):
        bv.nditer([1], op_axes=[[0]])
