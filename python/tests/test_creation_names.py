"""Functions that make arrays: conversions, copies, buffers, text and functions."""

import io

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from compare import refused, same
from hypothesis import given

import belvedere as bv

MATRIX = np.arange(12.0).reshape(3, 4)


@given(zoo.twins(zoo.ALL), st.sampled_from("KACF"))
def test_array_copies_in_the_order_that_is_asked_for(pair, order):
    found = bv.array(pair.ours, order=order)
    zoo.assert_same(found, pair.theirs)
    assert not bv.shares_memory(found, pair.ours)
    expected = np.array(pair.theirs, order=order)
    if pair.theirs.size > 1 and 0 not in pair.theirs.strides and order in "CF":
        assert np.asarray(found).flags["C_CONTIGUOUS"] == expected.flags["C_CONTIGUOUS"]
        assert np.asarray(found).flags["F_CONTIGUOUS"] == expected.flags["F_CONTIGUOUS"]


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
@pytest.mark.parametrize("x", [MATRIX, MATRIX.T, MATRIX[:, ::2], np.ones((2, 3, 4)).transpose(2, 0, 1)])
def test_copies_have_the_strides_of_numpys(x, order):
    ours = bv.array(bv.asarray(x), order=order)
    assert ours.stride() == tuple(it // 8 for it in np.array(x, order=order).strides)
    assert bv.copy(bv.asarray(x), order=order).stride() == ours.stride()


@pytest.mark.parametrize("values", [3, 2.5, True, 1j, [], [1, 2], [[1, 2], [3, 4.5]], (1, (2,))[:1], range(3)])
def test_array_of_python_values(values):
    same(lambda xp: xp.array(values))
    same(lambda xp: xp.array(values, dtype="complex64", ndmin=3))


def test_array_without_a_copy():
    x = bv.asarray(MATRIX.copy())
    assert bv.shares_memory(bv.array(x, copy=None), x)
    assert bv.shares_memory(bv.array(x, copy=False), x)
    for call in (
        lambda xp, a: xp.array(a, dtype="float32", copy=False),
        lambda xp, a: xp.array(a, order="F", copy=False),
        lambda xp, a: xp.array([1, 2], copy=False),
        lambda xp, a: xp.array(a, order="X"),
    ):
        refused(call, MATRIX)


def test_conversions_return_the_same_array_if_they_can():
    x = bv.asarray(MATRIX.copy())
    assert bv.asanyarray(x) is x
    assert bv.shares_memory(bv.ascontiguousarray(x), x)
    assert bv.shares_memory(bv.asfortranarray(x.T), x)
    assert not bv.shares_memory(bv.asfortranarray(x), x)
    assert not bv.shares_memory(bv.ascontiguousarray(x.T), x)
    for name in ("asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite"):
        for value in (3, [1, 2], MATRIX.T, MATRIX[::-1]):
            same(lambda xp, a: getattr(xp, name)(a), value)
            same(lambda xp, a: getattr(xp, name)(a, "complex64"), value)
    for wrong in ([1.0, np.nan], [np.inf], [1j * np.inf]):
        refused(lambda xp: xp.asarray_chkfinite(wrong))


def test_require():
    for requirements in (None, [], "C", ["F"], ["C", "W", "O"], ["ALIGNED", "WRITEABLE"], ["f_contiguous"]):
        for x in (MATRIX, MATRIX.T, MATRIX[:, ::2]):
            same(lambda xp, a: xp.require(a, None, requirements), x)
            same(lambda xp, a: xp.require(a, "float32", requirements), x)
            flags = np.asarray(bv.require(bv.asarray(x), requirements=requirements)).flags
            expected = np.require(x, requirements=requirements).flags
            if {"C", "F", "f_contiguous"} & set(requirements or ()):
                assert flags.c_contiguous == expected.c_contiguous
    refused(lambda xp, a: xp.require(a, None, ["C", "F"]), MATRIX)
    refused(lambda xp, a: xp.require(a, None, ["X"]), MATRIX)
    readonly = bv.asarray(b"abc")
    assert bv.require(readonly, requirements="W").is_writable


@given(zoo.twins(zoo.ALL, overlapping=False), zoo.twins(zoo.ALL, overlapping=False), st.booleans())
def test_copyto_matches_numpy(target, source, masked):
    if source.theirs.shape != target.theirs.shape:
        source_ours, source_theirs = source.ours.reshape(-1)[:1], source.theirs.reshape(-1)[:1]
        if source_ours.size == 0:
            return
    else:
        source_ours, source_theirs = source
    mask = np.arange(target.theirs.size).reshape(target.theirs.shape) % 2 == 0
    options, our_options = ({"where": mask}, {"where": bv.asarray(mask)}) if masked else ({}, {})
    if not np.can_cast(source_theirs.dtype, target.theirs.dtype, "same_kind"):
        with pytest.raises(TypeError):
            bv.copyto(target.ours, source_ours, **our_options)
        return
    bv.copyto(target.ours, source_ours, **our_options)
    np.copyto(target.theirs, source_theirs, **options)
    if source_theirs.dtype.kind in "bui" or source_theirs.dtype == target.theirs.dtype:
        zoo.assert_same(target.ours, target.theirs)


def test_copyto_of_numbers():
    for value in (1, True, 2.5, 1j, 300):
        for name in ("int8", "bool", "float32", "complex64"):

            def call(xp, a, value=value, casting="same_kind"):
                xp.copyto(a, value, casting)

            x = np.zeros(3, name)
            try:
                call(np, x.copy())
            except (TypeError, OverflowError) as error:
                with pytest.raises(type(error)):
                    call(bv, bv.zeros(3, dtype=name))
            else:
                same(call, x)
    refused(lambda xp, a: xp.copyto([1], a), MATRIX)
    same(lambda xp, a: xp.copyto(a, 1, where=[1, 0, 1, 0]), MATRIX)
    refused(lambda xp, a: xp.copyto(a, 1, where=xp.array([1, 0, 1, 0])), MATRIX)
    refused(lambda xp, a: xp.copyto(a, a[:2]), MATRIX)
    refused(lambda xp, a: xp.copyto(a, 1, casting="other"), MATRIX)


@pytest.mark.parametrize("name", zoo.ALL)
def test_frombuffer_is_a_view(name):
    data = bytearray(range(1, 65)) if name != "bool" else bytearray([0, 1] * 32)
    for options in ({}, {"count": 2}, {"offset": 16}, {"offset": 16, "count": 1}, {"offset": 3, "count": 1}):
        zoo.assert_same(bv.frombuffer(data, name, **options), np.frombuffer(data, name, **options))
    x = bv.frombuffer(data, name)
    x[0] = True
    assert data[: x.itemsize] == np.ones(1, name).tobytes()
    assert not bv.frombuffer(bytes(data), name).is_writable


def test_frombuffer_refuses_what_does_not_fit():
    for options in ({"offset": 9}, {"offset": -1}, {"count": 2}, {"offset": 1}):
        refused(lambda xp: xp.frombuffer(b"12345678", **options))
    refused(lambda xp: xp.frombuffer("text"))
    same(lambda xp: xp.frombuffer(b""))


def test_fromfile(tmp_path):
    path = tmp_path / "x.bin"
    values = np.arange(10.0)
    path.write_bytes(values.tobytes() + b"abc")
    for options in ({}, {"count": 3}, {"offset": 16}, {"dtype": "int32", "count": 5}):
        same(lambda xp: xp.fromfile(path, **options))
        with open(path, "rb") as ours, open(path, "rb") as theirs:
            ours.seek(8)
            theirs.seek(8)
            zoo.assert_same(bv.fromfile(ours, **options), np.fromfile(theirs, **options))
    assert bv.fromfile(path).is_writable
    zoo.assert_same(bv.fromfile(io.BytesIO(values.tobytes())), values)
    path.write_text("1 2\n3.5")
    same(lambda xp: xp.fromfile(path, sep=" "))


def test_fromstring():
    for text, sep in (("1 2 3", " "), ("1,2,3", ","), ("1, 2 , 3 ", ","), ("1;2;", ";"), ("1\n2\t3", " "), ("", " ")):
        for dtype in ("float64", "int64", "float32"):
            same(lambda xp: xp.fromstring(text, dtype, sep=sep))
        same(lambda xp: xp.fromstring(text, float, 2, sep=sep) if text else xp.zeros(0))
    refused(lambda xp: xp.fromstring("1 x", sep=" "))
    refused(lambda xp: xp.fromstring("12345678", sep=""))


def test_fromiter_and_fromfunction():
    same(lambda xp: xp.fromiter((k * k for k in range(5)), float))
    same(lambda xp: xp.fromiter(range(5), "int8", 3))
    same(lambda xp: xp.fromiter([], "int8"))
    same(lambda xp: xp.fromiter([1.5, 2], int))
    refused(lambda xp: xp.fromiter([1, 2], int, 3))
    same(lambda xp: xp.fromfunction(lambda i, j: i * 10 + j, (3, 4)))
    same(lambda xp: xp.fromfunction(lambda i, j, k: i == j + k, (3, 4), dtype=int, k=1))
    same(lambda xp: xp.fromfunction(lambda i: i, (3,), dtype="float32"))


@pytest.mark.parametrize("shape", [(2,), 7, (3, 5), (0,), (2, 0), (), (4, 3)])
def test_resize(shape):
    for x in (MATRIX, MATRIX.T, np.arange(3), np.array(5), np.zeros((0, 2))):
        same(lambda xp, a: xp.resize(a, shape), x)
    refused(lambda xp, a: xp.resize(a, (-1, 2)), MATRIX)
