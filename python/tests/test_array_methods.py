"""Methods and attributes of arrays, compared with NumPy's."""

import ctypes
import io

import numpy as np
import pytest
import zoo

import belvedere as bv

A = np.random.default_rng(3).permutation(24).reshape(2, 3, 4)
LAYOUTS = {"row-major": A, "column-major": np.asfortranarray(A), "strided": A[:, ::-1, ::2], "transposed": A.transpose(1, 2, 0)}


def each(test):
    return pytest.mark.parametrize("y", LAYOUTS.values(), ids=LAYOUTS)(test)


def ours(y):
    return bv.asarray(y)


# Order


@each
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_elements_are_read_and_copied_in_an_order(y, order):
    x = ours(y)
    zoo.assert_same(x.ravel(order), y.ravel(order))
    zoo.assert_same(x.flatten(order), y.flatten(order))
    zoo.assert_same(x.flatten(order=order), y.flatten(order))
    copy = x.copy(order)
    zoo.assert_same(copy, y)
    assert not bv.shares_memory(copy, x)
    if order != "A":
        assert copy.strides == y.copy(order).strides
    cast = x.astype("float32", order=order)
    zoo.assert_same(cast, y.astype("float32"))
    if order in "CF":
        assert cast.strides == y.astype("float32", order).strides
    if order != "K":
        zoo.assert_same(x.reshape(-1, 2, order=order), y.reshape(-1, 2, order=order))
        zoo.assert_same(x.reshape((2, -1), order=order), y.reshape((2, -1), order=order))


def test_views_in_column_major_order_share_memory():
    x = bv.zeros((2, 3))
    assert bv.shares_memory(x.T.ravel("F"), x)
    assert bv.shares_memory(x.T.reshape(6, order="F"), x)
    with pytest.raises(ValueError):
        x.ravel("X")
    with pytest.raises(ValueError):
        x.reshape(6, order="K")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("name", ["int64", "int8", "uint8", "float32", "float64", "complex64", "bool"])
@pytest.mark.parametrize("to", ["int64", "int16", "uint16", "float64", "float32", "complex128"])
def test_casting_rules_are_those_of_numpy(casting, name, to):
    if np.dtype(name).kind == "c" and np.dtype(to).kind != "c" and casting == "unsafe":
        pytest.skip("a complex array is not cast to a real dtype")
    x, y = bv.ones(2, dtype=name), np.ones(2, dtype=name)
    if np.can_cast(name, to, casting):
        zoo.assert_same(x.astype(to, casting=casting), y.astype(to, casting=casting))
    else:
        with pytest.raises(TypeError, match=f"cannot cast {name} to {to}"):
            x.astype(to, casting=casting)


# Attributes


@each
def test_flags_are_those_of_numpy(y):
    x = ours(y)
    for name in ("c_contiguous", "f_contiguous", "contiguous", "aligned", "writeable", "forc", "fnc", "behaved", "carray"):
        assert getattr(x.flags, name) == getattr(y.flags, name), name
    for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "ALIGNED", "C", "F", "W"):
        assert x.flags[name] == y.flags[name]
    assert x.flags.owndata is False
    with pytest.raises(KeyError):
        x.flags["X1"]


def test_an_array_owns_its_memory_and_a_view_does_not():
    x = bv.zeros((2, 3))
    assert x.flags.owndata and x.base is None
    view = x[1:]
    assert not view.flags.owndata
    base = view.base
    assert base.size == 6 and bv.shares_memory(base, x)
    assert x[:, 1:].base is base
    assert base.base is None
    x.setflags(write=True)
    with pytest.raises(ValueError, match="toreadonly"):
        x.setflags(write=False)
    x.flags.writeable = True
    with pytest.raises(ValueError, match="writeable cannot be changed"):
        x.flags.writeable = False
    with pytest.raises(ValueError, match="writeable cannot be changed"):
        x.flags["W"] = False
    with pytest.raises(ValueError, match="other"):
        x.flags.other = True
    fixed = bv.asarray(memoryview(x).toreadonly())
    assert not fixed.flags.writeable and bv.shares_memory(fixed, x)
    with pytest.raises(ValueError, match="copy"):
        fixed.setflags(write=True)


def test_attributes_that_never_change_say_what_to_use():
    x = bv.arange(6)
    with pytest.raises(AttributeError, match="reshape"):
        x.shape = (2, 3)
    with pytest.raises(AttributeError, match="astype"):
        x.dtype = bv.int32
    assert x.shape == (6,) and x.dtype == bv.int64


def test_real_and_imaginary_parts_are_assigned():
    z = bv.zeros(2, dtype=complex)
    z.real = [1, 2]
    z.imag -= 3
    assert z.tolist() == [1 - 3j, 2 - 3j]
    x = bv.zeros(2)
    x.real += 1.5
    assert x.tolist() == [1.5, 1.5]
    with pytest.raises(TypeError, match="no imaginary parts"):
        x.imag = 1
    with pytest.raises(ValueError):
        z.real = [1, 2, 3]


@each
def test_bytes_and_files(y, tmp_path):
    x = ours(y)
    for order in ("C", "F"):
        assert x.tobytes(order) == y.tobytes(order)
    file = io.BytesIO()
    x.tofile(file)
    assert file.getvalue() == y.tobytes()
    x.tofile(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == y.tobytes()
    x.tofile(str(tmp_path / "x"), sep=",", format="%d")
    assert (tmp_path / "x").read_text() == ",".join(str(value) for value in y.ravel())
    assert x.data.shape == y.shape
    assert bv.ones(2, dtype=bv.bfloat16).tobytes() == b"\x80\x3f\x80\x3f"


def test_ctypes():
    x = bv.arange(6).reshape(2, 3)
    pointer = x[1:].ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
    assert [pointer[i] for i in range(3)] == [3, 4, 5]
    assert list(x.ctypes.shape) == [2, 3] and list(x.ctypes.strides) == [24, 8]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_conjugate_transposes(dtype):
    y = (A + (1j * A if dtype == "complex128" else 0)).astype(dtype)
    zoo.assert_same(ours(y).mH, np.swapaxes(y, -1, -2).conj())
    zoo.assert_same(ours(y[0]).H, y[0].conj().T)
    zoo.assert_same(ours(y).conjugate(), y.conjugate())
    assert bv.shares_memory(ours(y).mH, ours(y)) == (dtype == "float64")
    for bad in (bv.zeros(3), bv.zeros((2, 2, 2))):
        with pytest.raises(ValueError):
            bad.H


# Reductions


REDUCTIONS = [
    ("sum", (0,), {}), ("sum", (), {"axis": (0, 2), "keepdims": True}), ("sum", (1, "float32"), {}),
    ("prod", (), {"dtype": "float64"}), ("max", (-1,), {}), ("min", (), {"axis": 1}), ("mean", (0,), {}),
    ("any", (2,), {}), ("all", (), {"keepdims": True}), ("std", (0,), {"ddof": 1}), ("var", (None,), {"ddof": 1}),
    ("var", (1, None, None, 1), {}), ("argmax", (1,), {}), ("argmin", (), {"axis": 0, "keepdims": True}),
    ("cumsum", (1,), {}), ("cumsum", (), {}), ("cumprod", (2, "float64"), {}), ("cumprod", (), {"dtype": "float64"}),
    ("trace", (), {}), ("trace", (1, 1, 2), {}), ("round", (-1,), {}), ("clip", (3, 9), {}), ("clip", (), {"max": 5}),
    ("diagonal", (1, 0, 2), {}), ("swapaxes", (0, 2), {}),
]  # fmt: skip


@each
@pytest.mark.parametrize("name, args, kwargs", REDUCTIONS, ids=str)
def test_methods_take_numpys_arguments(y, name, args, kwargs):
    zoo.assert_same(getattr(ours(y), name)(*args, **kwargs), getattr(y, name)(*args, **kwargs), ulps=4)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "argmax", "cumsum", "cumprod"])
def test_results_are_written_to_out(name):
    y = A[0].astype(float)
    expected = getattr(y, name)(0)
    for out in (bv.zeros(expected.shape, dtype=str(expected.dtype)), np.zeros_like(expected)):
        assert getattr(ours(y), name)(0, out=out) is out
        zoo.assert_same(bv.asarray(out), expected, ulps=4)
    with pytest.raises(ValueError):
        getattr(ours(y), name)(0, out=bv.zeros((7,), dtype=str(expected.dtype)))


# Sorting and searching


@each
def test_sorting_is_in_place_and_argsort_is_not(y):
    for axis in (-1, 0, 1):
        x, expected = bv.asarray(y, copy=True), y.copy()
        assert x.sort(axis) is None
        expected.sort(axis)
        zoo.assert_same(x, expected)
        zoo.assert_same(ours(y).argsort(axis), y.argsort(axis, kind="stable"))
    zoo.assert_same(ours(y).argsort(None), y.argsort(None, kind="stable"))
    part = bv.asarray(y, copy=True)
    part.partition(1, 0)
    zoo.assert_same(part[1], np.partition(y, 1, 0)[1])
    assert ours(y).argpartition(3, None)[3] == y.argsort(None)[3]
    with pytest.raises(ValueError):
        ours(y).sort(order="f")


def test_searching():
    y = np.array([1, 3, 5, 7])
    for args in [([0, 3, 9],), (3, "right"), ([6, 2], "left", [0, 1, 2, 3])]:
        zoo.assert_same(ours(y).searchsorted(*args), y.searchsorted(*args))
    for mine, expected in zip(ours(A % 3).nonzero(), (A % 3).nonzero(), strict=True):
        zoo.assert_same(mine, expected)


# Gather and scatter


@each
def test_take_put_compress_choose_and_repeat(y):
    x = ours(y)
    for args in [([0, 1],), ([[1, 0], [0, 1]], 1), (1, 0), ([-1], 2), ([3, 0],)]:
        zoo.assert_same(x.take(*args), y.take(*args))
    for mode in ("wrap", "clip"):
        zoo.assert_same(x.take([5, -9], 1, mode=mode), y.take([5, -9], 1, mode=mode))
    zoo.assert_same(x.compress([True, False, True], 1), y.compress([True, False, True], 1))
    zoo.assert_same(x.compress([False, True]), y.compress([False, True]))
    zoo.assert_same(x.repeat(2), y.repeat(2))
    if y.shape[1] == 3:
        zoo.assert_same(x.repeat([1, 0, 2], 1), y.repeat([1, 0, 2], 1))
    mine, theirs = bv.asarray(y, copy=True), y.copy()
    for z in (mine, theirs):
        z.put([0, -1, 2], [70, 80])
        z.put(1, 90)
        z.put([100, -100], 60, mode="wrap")
    zoo.assert_same(mine, theirs)
    for z in (x, y):
        with pytest.raises(IndexError):
            z.take([99])
        with pytest.raises(IndexError):
            z.put([99], 1)


def test_choose():
    y = np.array([[2, 0], [1, 2]])
    choices = [[1, 2], [[3.5], [4.5]], 9]
    zoo.assert_same(ours(y).choose(choices), y.choose(np.broadcast_arrays(*choices)))
    zoo.assert_same(ours(y + 4).choose(choices, mode="wrap"), (y + 4).choose(np.broadcast_arrays(*choices), mode="wrap"))
    with pytest.raises(ValueError):
        ours(y + 4).choose(choices)


@each
def test_flat(y):
    x = ours(y)
    assert len(x.flat) == y.size
    assert list(x.flat) == list(y.flat)
    for key in (3, -1, slice(2, 9, 3), [1, 5], y.ravel() > 7):
        zoo.assert_same(x.flat[key], y.flat[key])
    mine, theirs = bv.asarray(y, copy=True), y.copy()
    for z in (mine, theirs):
        z.flat[4] = 100
        z.flat[1:7] = [5, 6]
        z.flat[[0, -1]] = 9
    zoo.assert_same(mine, theirs)
    mine.flat = 7
    assert bool((mine == 7).all())
    it = x.flat
    next(it)
    assert (it.index, it.coords) == (1, np.unravel_index(1, y.shape))
    with pytest.raises(IndexError):
        x.flat[y.size]


def test_flat_iterates_over_every_layout_and_reads_elements_when_they_are_reached():
    y = np.arange(60).reshape(3, 4, 5)
    for part in (y, y.T, y[::2, ::-1], y[:, 1], y[:, :, 2:4], y[0:0], y[1, 2, ::-2], y[:, 0, 0], y[1, 2, 3, ...]):
        elements = bv.asarray(part).flat
        for at, (mine, theirs) in enumerate(zip(elements, part.flat, strict=True), start=1):
            assert mine == theirs and elements.index in (at, 0)
    for x in (bv.arange(6), bv.arange(12)[::2], bv.arange(6).reshape(2, 3).T):
        elements = x.flat
        next(elements)
        x.flat[3] = 100
        assert [int(it) for it in elements] == x.ravel().tolist()[1:]


# PyTorch's


def test_pytorch_names():
    x = ours(A)
    zoo.assert_same(x.gather(1, A[:, :2] % 3), np.take_along_axis(A, A[:, :2] % 3, 1))
    zoo.assert_same(x.gather(-1, A[:1, :2] % 4), np.take_along_axis(A[:1, :2], A[:1, :2] % 4, -1))
    zoo.assert_same(x.index_select(2, [3, 0]), A[..., [3, 0]])
    zoo.assert_same(x.masked_select(A > 5), A[A > 5])
    zoo.assert_same(x.movedim(0, -1), np.moveaxis(A, 0, -1))
    zoo.assert_same(x.repeat_interleave(2, 1), np.repeat(A, 2, 1))
    for mine, expected in zip(x.unbind(1), np.moveaxis(A, 1, 0), strict=True):
        zoo.assert_same(mine, expected)
        assert bv.shares_memory(mine, x)
    for sections in (2, 3, 5, [1, 3], [-1, 9]):
        for mine, expected in zip(x.tensor_split(sections, 2), np.array_split(A, sections, 2), strict=True):
            zoo.assert_same(mine, expected)
    assert bv.zeros((1, 3)).expand_as(bv.zeros((2, 3))).shape == (2, 3)
    assert bv.shares_memory(x.view_as(bv.zeros((4, 6))), x)
    assert x[0].t().shape == (4, 3) and bv.zeros(3).t().shape == (3,)
    with pytest.raises(ValueError):
        x.t()


# Operators


def test_operators_of_bools_are_those_of_numpy():
    y, z = np.array([True, True, False, False]), np.array([True, False, True, False])
    zoo.assert_same(ours(y) + ours(z), y + z)
    zoo.assert_same(ours(y) * ours(z), y * z)
    zoo.assert_same(~ours(y), ~y)
    zoo.assert_same(ours(y) + 1, y + 1)
    zoo.assert_same(2.5 * ours(y), 2.5 * y)
    for operation in (lambda x: x - x, lambda x: -x):
        with pytest.raises(TypeError):
            operation(y)
        with pytest.raises(TypeError):
            operation(ours(y))


def test_operators_take_lists():
    x = bv.asarray([1, 2])
    zoo.assert_same(x + [1, 2], np.array([2, 4]))
    zoo.assert_same([1.5, 2] * x, np.array([1.5, 4]))
    zoo.assert_same(x @ [[1, 2], [3, 4]], np.array([7, 10]))
    zoo.assert_same([[1, 2], [3, 4]] @ x, np.array([5, 11]))
    zoo.assert_same(x == [1, 3], np.array([True, False]))
    zoo.assert_same((1, 1) - x, np.array([0, -1]))


def test_negative_powers_of_integers_are_refused():
    with pytest.raises(ValueError):
        np.array([2, 3]) ** -1
    with pytest.raises(ValueError):
        bv.asarray([2, 3]) ** -1
    zoo.assert_same(bv.asarray([2.0, 4.0]) ** -1, np.array([0.5, 0.25]))


def test_errors_of_shapes_name_them():
    with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(4,\) could not be broadcast"):
        bv.zeros((2, 3)) + bv.zeros(4)
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\) and \(1,\) could not be broadcast: "):
        bv.broadcast_arrays(bv.zeros(2), bv.zeros(3), bv.zeros(1))
    with pytest.raises(ValueError, match=r"shapes \(2, 2\) and \(3,\) could not be broadcast: "):
        bv.broadcast_shapes((2, 2), (3,))
    with pytest.raises(ValueError, match=r"shapes \(4,\) and \(2, 3\)"):
        [1, 2, 3, 4] * bv.zeros((2, 3))
    x = bv.zeros((2, 3))
    with pytest.raises(ValueError, match=r"\(4,\)"):
        x += bv.zeros(4)
    with pytest.raises(ValueError, match=r"shape \(4,\) does not broadcast to shape \(2, 3\)"):
        x[...] = bv.zeros(4)
