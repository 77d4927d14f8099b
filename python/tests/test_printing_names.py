"""Numbers and arrays as text, with print options, in comparison with NumPy."""

import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from compare import refused, same
from hypothesis import given

import belvedere as bv

VALUES = [0.0, -0.0, 1.0, 0.1, 1 / 3, 123.456, 1e-5, 1e10, 2.5, 1.5e300, 5e-324, -2.25, 0.125, 99999.5, 1e16, 1e22]
OPTIONS = [
    {"precision": 3},
    {"precision": 0},
    {"precision": 17},
    {"suppress": True},
    {"suppress": True, "precision": 2},
    {"floatmode": "fixed", "precision": 4},
    {"floatmode": "unique"},
    {"floatmode": "maxprec_equal", "precision": 5},
    {"sign": "+"},
    {"sign": " "},
    {"threshold": 5, "edgeitems": 1},
    {"threshold": 3, "edgeitems": 2},
    {"linewidth": 30},
    {"nanstr": "NOT", "infstr": "INFINITE"},
    {"formatter": {"float_kind": lambda x: f"{x:.1f}"}},
    {"formatter": {"int": lambda x: hex(x), "bool": lambda x: "TF"[not x]}},
]


def test_bases():
    for n in (0, 1, 5, -10, 255, 2**70, -(2**70)):
        for base in (2, 3, 16, 36):
            for padding in (0, 3):
                same(lambda xp: xp.base_repr(n, base, padding))
        same(lambda xp: xp.binary_repr(n))
        for width in (3, 8, 75):
            try:
                np.binary_repr(n, width)
            except ValueError:
                refused(lambda xp: xp.binary_repr(n, width))
            else:
                same(lambda xp: xp.binary_repr(n, width))
    refused(lambda xp: xp.base_repr(1, 37))
    refused(lambda xp: xp.base_repr(1, 1))
    refused(lambda xp: xp.binary_repr(1.5))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_floats(dtype):
    keys = ("precision", "unique", "trim", "sign", "min_digits")
    choices = ((None, 0, 3, 20), (True, False), "k.0-", (False, True), (None, 2))
    for values in itertools.product(*choices):
        options = dict(zip(keys, values))
        if not options["unique"] and options["precision"] is None:
            continue
        if options["min_digits"] and options["precision"] == 0:
            continue
        for value in [*np.array(VALUES).astype(dtype), dtype and np.array(np.inf, dtype)[()]]:
            ours = bv.asarray(value)
            for name in ("format_float_positional", "format_float_scientific"):
                # NumPy keeps the point of "1.e+00" if it had to remove zeros before.
                if "scientific" in name and options["trim"] == "-":
                    continue
                expected = getattr(np, name)(value, **options)
                assert getattr(bv, name)(ours, **options) == expected, (value, name, options)
    for options in ({"pad_left": 6}, {"pad_left": 6, "pad_right": 5}, {"precision": 3, "fractional": False}):
        for value in (123.456, 2.0, -0.5, 0.00012345):
            same(lambda xp: xp.format_float_positional(value, **options))
    same(lambda xp: xp.format_float_scientific(1.5e-7, exp_digits=4, pad_left=3))
    refused(lambda xp: xp.format_float_positional(1.0, unique=False))
    refused(lambda xp: xp.format_float_positional(1.0, precision=1, min_digits=2))
    refused(lambda xp: xp.format_float_scientific(1.0, trim="x"))


@given(zoo.twins(zoo.ALL), st.sampled_from(range(len(OPTIONS))))
def test_text_with_options_matches_numpy(pair, which):
    options = OPTIONS[which]
    with bv.printoptions(**options), np.printoptions(**options):
        assert repr(pair.ours) == repr(pair.theirs)
        if pair.theirs.ndim:
            assert str(pair.ours) == str(pair.theirs)
        assert bv.array2string(pair.ours, separator=",") == np.array2string(pair.theirs, separator=",")
    assert repr(pair.ours) == repr(pair.theirs)


@given(zoo.twins(zoo.ALL))
def test_text_by_default_is_the_native_text(pair):
    assert bv.array_repr(pair.ours) == repr(pair.ours) == repr(pair.theirs)
    assert bv.array_str(pair.ours) == str(pair.ours) == str(pair.theirs)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_text_of_chosen_arrays(options):
    rng = np.random.default_rng(0)
    arrays = [
        rng.standard_normal(20),
        rng.standard_normal((3, 4)) * 1e-6,
        rng.standard_normal((2, 3, 4)).astype("float32"),
        rng.integers(-100, 100, (4, 5)),
        np.array([1e-12, 1.0, 12345.678]),
        np.array([1e9, 1.0]),
        np.array([np.nan, 1.5, -np.inf]),
        rng.standard_normal((2, 2)) + 1j * rng.standard_normal((2, 2)),
        np.arange(1200).reshape(30, 40),
        np.array([True, False]),
        np.array(0.1234567891234),
        np.zeros((0, 3)),
        np.array([np.nan, np.nan]),
    ]
    with bv.printoptions(**options), np.printoptions(**options):
        for x in arrays:
            assert repr(bv.asarray(x)) == repr(x)
            if x.ndim:
                assert str(bv.asarray(x)) == str(x)


def test_arguments_of_the_functions():
    x = np.array([[1.23456789, 2], [3e-7, 4]])
    for options in ((None, 3), (20, 3), (None, None, True), (None, 3, True)):
        for name in ("array_repr", "array_str", "array2string"):
            same(lambda xp, a: getattr(xp, name)(a, *options), x)
    same(lambda xp, a: xp.array2string(a, prefix="xxx", suffix="yyyy", max_line_width=20), x)
    same(lambda xp, a: xp.array2string(a, threshold=2, edgeitems=1, sign="+", floatmode="fixed", precision=2), x)


def test_options_are_kept_and_checked():
    assert bv.get_printoptions() == np.get_printoptions()
    with bv.printoptions(precision=3, suppress=True) as options:
        assert options["precision"] == 3
        with bv.printoptions(2):
            assert bv.get_printoptions()["precision"] == 2
        assert bv.get_printoptions()["precision"] == 3
    assert bv.get_printoptions()["precision"] == 8
    with pytest.raises(ZeroDivisionError), bv.printoptions(precision=1):
        raise ZeroDivisionError
    assert bv.get_printoptions()["precision"] == 8
    for wrong in ({"floatmode": "x"}, {"sign": "x"}, {"threshold": "a"}, {"threshold": np.nan}, {"precision": 1.5}):
        refused(lambda xp: xp.set_printoptions(**wrong))
    with bv.printoptions(override_repr=lambda x: "mine"):
        assert repr(bv.zeros(2)) == "mine"
    bv.set_printoptions(formatter={"float": lambda x: "f"})
    assert str(bv.zeros(2)) == "[f f]"
    bv.set_printoptions()
    assert str(bv.zeros(2)) == "[0. 0.]"
