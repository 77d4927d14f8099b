"""NumPy's names: each is ours, or left out with a reason, and an unknown name says which is meant."""

import inspect

import numpy as np
import pytest
import zoo
from compare import refused, same

import belvedere as bv
from belvedere._left_out import LEFT_OUT, RENAMED

#: Modules of NumPy whose public names are compared, with their prefix in the list of names that are left out.
MODULES = {"": (np, bv), "linalg.": (np.linalg, bv.linalg), "fft.": (np.fft, bv.fft)}


def names(module):
    return getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]


@pytest.mark.parametrize("prefix", MODULES)
def test_every_name_of_numpy_is_ours_or_left_out(prefix):
    theirs, ours = MODULES[prefix]
    missing = [f"{prefix}{name}" for name in names(theirs) if not hasattr(ours, name)]
    assert sorted(name for name in missing if name not in LEFT_OUT) == []


def test_names_that_are_left_out_are_not_ours():
    assert [name for name in (*LEFT_OUT, *RENAMED) if "." not in name and hasattr(bv, name)] == []
    assert [name for name in RENAMED.values() if not hasattr(bv, name)] == []


def test_unknown_names_are_explained():
    for name, expected in (
        ("matrix", "there is no matrix class"),
        ("trapz", "use trapezoid"),
        ("aranje", "did you mean 'arange'"),
        ("float128", "64 bits"),
        ("xyzzyxyzzy", "belvedere has no 'xyzzyxyzzy'$"),
    ):
        with pytest.raises(AttributeError, match=expected):
            getattr(bv, name)
        assert not hasattr(bv, name)
    assert getattr(bv, "missing", 3) == 3
    with pytest.raises(ImportError):
        exec("from belvedere import matrix")
    assert not hasattr(bv, "__wrapped__")
    assert set(dir(bv)) == set(bv.__all__)


@pytest.mark.parametrize("name", [name for name in np.__all__ if inspect.isfunction(getattr(np, name))])
def test_composed_functions_have_numpys_parameters(name):
    """Every parameter of NumPy's function is one of ours, in the same order, with the same default."""
    ours = getattr(bv, name, None)
    if not inspect.isfunction(ours):
        return
    theirs = [it for it in inspect.signature(getattr(np, name)).parameters.values() if it.name != "like"]
    found = inspect.signature(ours).parameters
    assert [it for it in found if it in {one.name for one in theirs}] == [it.name for it in theirs]
    for it in theirs:
        assert found[it.name].kind == it.kind or it.kind == it.POSITIONAL_ONLY, it.name
        if isinstance(it.default, (int, float, str, bool, type(None))):
            assert found[it.name].default == it.default, it.name


def test_constants():
    for name in ("euler_gamma", "True_", "False_", "little_endian", "pi", "e"):
        assert getattr(bv, name) == getattr(np, name)
    assert isinstance(bv.zeros(2), bv.ndarray)
    assert isinstance(bv.float32, bv.dtype)
    assert not isinstance(3, bv.dtype)
    for value in ("f4", "d", int, float, np.int8, np.dtype("c8"), None, bv.float16):
        expected = np.dtype("float16") if value is bv.float16 else np.dtype(value)
        assert bv.dtype(value).name == expected.name
    refused(lambda xp: xp.dtype("nonsense"))


def test_stride_tricks():
    x = np.arange(12.0).reshape(3, 4)
    for call in (
        lambda xp, a: xp.lib.stride_tricks.as_strided(a, (2, 3, 2), (32, 8, 8)),
        lambda xp, a: xp.lib.stride_tricks.as_strided(a, strides=(32, 0)),
        lambda xp, a: xp.lib.stride_tricks.as_strided(a[1:, 1:], (2, 2), (32, 16)),
        lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, (2, 2)),
        lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, 3, axis=1),
    ):
        same(call, x)
        ours = bv.asarray(x.copy())
        assert bv.shares_memory(call(bv, ours), ours)
    refused(lambda xp, a: xp.lib.stride_tricks.as_strided(a, (2, 2), (8,)), x)
    for shape, strides in (((100,), (8,)), ((2,), (3,))):
        with pytest.raises(ValueError):
            bv.lib.stride_tricks.as_strided(bv.asarray(x), shape, strides)
    assert not bv.lib.stride_tricks.as_strided(bv.asarray(x), (2, 2), (32, 16), writeable=False).is_writable
    view = bv.lib.stride_tricks.as_strided(bv.asarray(x)[1:], (2, 2), (32, 16), writeable=False)
    zoo.assert_same(view, x[1:, ::2])


nan, inf = float("nan"), float("inf")
COMPARED = [
    ([1, 2], [1, 2]),
    ([1, 2], [1, 3]),
    ([1, 2], [1, 2, 3]),
    ([1.0, nan], [1.0, nan]),
    ([1.0, nan], [1.0, 2.0]),
    ([1.0, inf], [1.0, inf]),
    ([1.0, inf], [1.0, -inf]),
    (3, [3, 3]),
    (3, 3.0000001),
    (1.0, 1.00001),
    ([[1, 2]], [1, 2]),
    ([], []),
    ([1j, 2], [1j, 2]),
    ([True], [False]),
    (np.float32([1, 2]), [1, 2]),
]


@pytest.mark.parametrize(
    "name",
    ["assert_allclose", "assert_array_equal", "assert_equal", "assert_array_almost_equal", "assert_almost_equal"],
)
@pytest.mark.parametrize("actual, desired", COMPARED, ids=str)
def test_assertions_agree_with_numpys(name, actual, desired):
    for options in ({}, {"strict": True}) if name in ("assert_allclose", "assert_array_equal") else ({},):
        try:
            getattr(np.testing, name)(actual, desired, **options)
        except AssertionError:
            with pytest.raises(AssertionError, match="(?s)equal"):
                getattr(bv.testing, name)(actual, desired, **options)
        else:
            getattr(bv.testing, name)(actual, desired, **options)


def test_messages_of_assertions():
    with pytest.raises(AssertionError, match=r"(?s)not equal.*mine.*1 of 4 elements differ, the first at \(1, 0\)"):
        bv.testing.assert_array_equal([[1, 2], [3, 4]], [[1, 2], [5, 4]], "mine")
    with pytest.raises(AssertionError, match=r"shapes \(2,\), \(3,\) mismatch"):
        bv.testing.assert_allclose([1, 2], [1, 2, 3])
    with pytest.raises(AssertionError):
        bv.testing.assert_equal({"a": 1}, {"a": 2})
    with pytest.raises(AssertionError):
        bv.testing.assert_equal("a", "b")
    bv.testing.assert_equal({"a": [bv.ones(2), "x"]}, {"a": [1, "x"]})
    bv.testing.assert_array_less([1, 2], 3)
    with pytest.raises(AssertionError):
        bv.testing.assert_array_less([1, 3], 3)
    bv.testing.assert_(True)
    with pytest.raises(AssertionError, match="text"):
        bv.testing.assert_(False, "text")
    with bv.testing.assert_raises(ValueError):
        raise ValueError
    bv.testing.assert_raises(ValueError, int, "a")
    bv.testing.assert_raises_regex(ValueError, "invalid", int, "a")
    with pytest.raises(AssertionError):
        bv.testing.assert_raises(ValueError, int, "3")
