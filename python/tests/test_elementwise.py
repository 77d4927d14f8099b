"""Elementwise functions compared with NumPy: all layouts and dtypes, special values, scalars on both sides."""

import itertools
import math
import operator

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.special
from hypothesis import given

import belvedere as bv
import zoo

ORDERED = zoo.BOOL + zoo.INTEGERS + zoo.REALS
REAL_NUMBERS = zoo.INTEGERS + zoo.REALS

#: The function of NumPy or SciPy with a name of the table, such as ``scipy.special.erf``.
def reference(operation):
    name = operation["numpy"].split()[0]
    return operator.attrgetter(name.removeprefix("scipy."))(scipy if name.startswith("scipy.") else np)


#: Dtypes of exact operations, by the class in the table; fewer where NumPy is not exact.
EXACT_TYPES = {
    "any": zoo.ALL,
    "number": REAL_NUMBERS,
    "ordered": ORDERED,
    "real": zoo.REALS,
    "integer": zoo.UNSIGNED,
    "bits": zoo.BOOL + zoo.INTEGERS,
    "field": zoo.REALS,
    "float": zoo.REALS,
}
EXACT_TYPES_OF = {"conj": zoo.COMPLEX, "negative": zoo.NUMERIC, "positive": zoo.NUMERIC, "round": zoo.REALS}


def exact(form):
    """Returns (name, NumPy's function, dtypes) of the exact operations of a form."""
    found = [it for it in zoo.operations() if it.get("form") in form and it.get("ulps") == 0]
    return [(it["name"], reference(it), EXACT_TYPES_OF.get(it["name"], EXACT_TYPES[it["dtypes"]])) for it in found]


def near(form):
    """Returns (name, NumPy's function, dtypes, ULPs) of the inexact operations of a form."""
    found = [it for it in zoo.operations() if it.get("form") in form and it.get("ulps", 0) > 0]
    return [(it["name"], reference(it), zoo.STANDARD_REALS, it["ulps"]) for it in found if it["name"] != "erfc"]


EXACT_UNARY = exact(["unary"]) + [("imag", np.imag, zoo.COMPLEX), ("real", np.real, zoo.COMPLEX)]
NEAR_UNARY = near(["unary"]) + [
    ("abs", np.abs, zoo.COMPLEX, 2),
    # SciPy's function is less accurate.
    ("erfc", np.vectorize(math.erfc, otypes=["float64"]), ("float64",), 2),
]
EXACT_BINARY = exact(["binary", "comparison"])
NEAR_BINARY = near(["binary"])

COMPLEX_UNARY = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log10", "log1p", "log2",
    "reciprocal", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
]  # fmt: skip

NUMBERS = st.sampled_from([True, 0, 1, 3, 7, -2, 0.5, -1.5, math.inf, math.nan, 2 - 1j])


@pytest.mark.parametrize(("name", "theirs", "types"), EXACT_UNARY, ids=[it[0] for it in EXACT_UNARY])
@given(st.data())
def test_exact_unary_functions_match_numpy(name, theirs, types, data):
    pair = data.draw(zoo.twins(types))
    # The sign of a zero result differs between NumPy's loops for different processors.
    zoo.assert_same(getattr(bv, name)(pair.ours), theirs(pair.theirs), signed_zeros=name not in {"sign"})


@pytest.mark.parametrize(("name", "theirs", "types", "ulps"), NEAR_UNARY, ids=[it[0] for it in NEAR_UNARY])
@given(st.data())
def test_unary_functions_are_close_to_numpy(name, theirs, types, ulps, data):
    pair = data.draw(zoo.twins(types))
    zoo.assert_same(getattr(bv, name)(pair.ours), theirs(pair.theirs), ulps=ulps)


@pytest.mark.parametrize("name", COMPLEX_UNARY)
@given(st.data())
def test_complex_functions_are_close_to_numpy(name, data):
    pair = data.draw(zoo.twins(zoo.COMPLEX, kind="small"))
    expected = getattr(np, name)(pair.theirs)
    zoo.assert_same(getattr(bv, name)(pair.ours), expected, ulps=64, signed_zeros=False)


SPECIAL = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("name", ["abs", "conj", *sorted({*COMPLEX_UNARY} - {"expm1", "reciprocal", "square"})])
def test_complex_special_values_match_numpy(name):
    x = np.asarray([complex(re, im) for re, im in itertools.product(SPECIAL, SPECIAL)])
    found, expected = np.asarray(getattr(bv, name)(bv.asarray(x))), getattr(np, name)(x)
    # The sign of these zeros is the argument's in the Array API, and that of sin(2y) in C99 and NumPy.
    if name == "tanh":
        np.copysign(expected.imag, x.imag, out=expected.imag, where=np.isinf(x.real))
    if name == "tan":
        np.copysign(expected.real, x.real, out=expected.real, where=np.isinf(x.imag))
    for ours, theirs, other in [(found.real, expected.real, expected.imag), (found.imag, expected.imag, expected.real)]:
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-14, err_msg=name)
        # If one part is NaN, an infinite or zero other part may have either sign.
        signed = ~np.isnan(theirs) & ~np.isnan(other)
        np.testing.assert_array_equal(np.signbit(ours[signed]), np.signbit(theirs[signed]), err_msg=name)


def test_expm1_of_complex_special_values_follows_the_standard():
    inf, nan = math.inf, math.nan
    cases = [
        ((0.0, 0.0), (0.0, 0.0)),
        ((-0.0, 0.0), (0.0, 0.0)),
        ((1.0, inf), (nan, nan)),
        ((1.0, nan), (nan, nan)),
        ((inf, 0.0), (inf, 0.0)),
        ((-inf, 1.0), (-1.0, 0.0)),
        ((-inf, 3.0), (-1.0, 0.0)),
        ((inf, nan), (inf, nan)),
        ((nan, 0.0), (nan, 0.0)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ]
    for given_parts, expected in cases:
        found = complex(bv.expm1(bv.asarray(complex(*given_parts))))
        np.testing.assert_array_equal([found.real, found.imag], expected, err_msg=str(given_parts))
        assert math.copysign(1.0, found.real) == math.copysign(1.0, expected[0]) or math.isnan(found.real)


@pytest.mark.parametrize("name", zoo.REALS)
def test_floor_divide_at_infinities_follows_the_standard(name):
    finite = [1.5, -1.5, 0.0, -0.0]
    infinite = [math.inf, -math.inf]
    pairs = [*itertools.product(finite, infinite), *itertools.product(infinite, finite + infinite)]
    x, y = (np.asarray(it, name) for it in zip(*pairs))
    zoo.assert_same(bv.floor_divide(bv.asarray(x), bv.asarray(y)), x / y)


@pytest.mark.parametrize("name", [it[0] for it in NEAR_UNARY if it[0] not in {"abs", "erf", "erfc"}])
@given(st.data())
def test_float_functions_of_integers_return_float64(name, data):
    pair = data.draw(zoo.twins(zoo.BOOL + zoo.INTEGERS, kind="small"))
    expected = getattr(np, name)(pair.theirs.astype(np.float64))
    zoo.assert_same(getattr(bv, name)(pair.ours), expected, ulps=3)


@pytest.mark.parametrize("name", ["ceil", "floor", "round", "trunc"])
@given(zoo.twins(zoo.INTEGERS))
def test_rounding_functions_keep_integers(name, pair):
    zoo.assert_same(getattr(bv, name)(pair.ours), pair.theirs)


@pytest.mark.parametrize("name", ["sin", "exp", "log", "sqrt", "tanh", "abs", "floor"])
@given(st.data())
def test_bfloat16_is_computed_in_float32_and_rounded(name, data):
    pair = data.draw(zoo.twins(("float32",), kind="finite"))
    ours, theirs = zoo.as_bfloat16(pair.theirs)
    _, expected = zoo.as_bfloat16(getattr(np, name)(theirs))
    found = getattr(bv, name)(ours)
    assert found.dtype == bv.bfloat16
    zoo.assert_same(found, expected, ulps=2**16)


@pytest.mark.parametrize(("name", "theirs", "types"), EXACT_BINARY, ids=[it[0] for it in EXACT_BINARY])
@given(st.data())
def test_exact_binary_functions_match_numpy(name, theirs, types, data):
    x, y = data.draw(zoo.broadcastable_twins(types, same=True))
    expected = theirs(x.theirs, y.theirs)
    zoo.assert_same(
        getattr(bv, name)(x.ours, y.ours),
        expected,
        signed_zeros=name not in {"minimum", "maximum", "fmin", "fmax"},
        context=(x, y),
    )


@pytest.mark.parametrize(("name", "theirs", "types", "ulps"), NEAR_BINARY, ids=[it[0] for it in NEAR_BINARY])
@given(st.data())
def test_binary_functions_are_close_to_numpy(name, theirs, types, ulps, data):
    x, y = data.draw(zoo.broadcastable_twins(types, same=True))
    zoo.assert_same(getattr(bv, name)(x.ours, y.ours), theirs(x.theirs, y.theirs), ulps=ulps, context=(x, y))


@given(zoo.broadcastable_twins(zoo.STANDARD_REALS, same=True, kind="finite"))
def test_logaddexp_matches_numpy(pair):
    x, y = pair
    scale = np.abs(x.theirs) + np.abs(y.theirs) + 1
    zoo.assert_same(bv.logaddexp(x.ours, y.ours), np.logaddexp(x.theirs, y.theirs), ulps=3, scale=scale)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@given(st.data())
def test_complex_arithmetic_matches_numpy(name, data):
    x, y = data.draw(zoo.broadcastable_twins(zoo.COMPLEX, same=True, kind="small"))
    zoo.assert_same(
        getattr(bv, name)(x.ours, y.ours), getattr(np, name)(x.theirs, y.theirs), ulps=4, signed_zeros=False
    )


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@given(st.data())
def test_floor_divide_and_remainder_match_numpy(name, data):
    x, y = data.draw(zoo.broadcastable_twins(zoo.INTEGERS + ("float64",), same=True, kind="small"))
    zoo.assert_same(getattr(bv, name)(x.ours, y.ours), getattr(np, name)(x.theirs, y.theirs), context=(x, y))


@given(zoo.twins(zoo.INTEGERS), st.integers(1, 7))
def test_integer_division_by_a_scalar_matches_numpy(pair, divisor):
    for name in ["floor_divide", "remainder", "fmod"]:
        expected = getattr(np, name)(pair.theirs, divisor)
        zoo.assert_same(getattr(bv, name)(pair.ours, divisor), expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", zoo.INTEGERS)
@pytest.mark.parametrize("compute", [operator.floordiv, operator.mod])
def test_long_arrays_of_integers_are_divided_by_every_kind_of_divisor(compute, name):
    limits = np.iinfo(name)
    near = [limits.min, limits.max, limits.max // 2, 0, 10]
    edges = sorted({min(max(x + by, limits.min), limits.max) for x in near for by in range(-3, 4)})
    theirs = np.concatenate([np.asarray(edges, dtype=name), zoo.values(5, name, 100, "any")])
    ours = bv.asarray(theirs.copy())
    for divisor in edges:
        expected = compute(theirs, np.asarray(divisor, dtype=name))
        zoo.assert_same(compute(ours, divisor), expected, context=divisor)
        zoo.assert_same(compute(ours[::-2], divisor), expected[::-2], context=divisor)
        zoo.assert_same(compute(divisor, ours), compute(np.asarray(divisor, dtype=name), theirs), context=divisor)
        in_place = ours.copy()
        in_place = getattr(operator, "i" + compute.__name__)(in_place, divisor)
        zoo.assert_same(in_place, expected, context=divisor)


@pytest.mark.parametrize("name", ["int64", "float64"])
@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 31, 32, 33, 100])
def test_comparisons_of_every_length_match_numpy(name, length):
    theirs = zoo.values(length, name, length, "any")
    ours, other = bv.asarray(theirs.copy()), np.flip(theirs)
    for compare in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge):
        zoo.assert_same(compare(ours, 1), compare(theirs, 1))
        zoo.assert_same(compare(1, ours), compare(1, theirs))
        zoo.assert_same(compare(ours, bv.asarray(other)), compare(theirs, other))
        zoo.assert_same(compare(ours[::-1], ours), compare(theirs[::-1], theirs))


def test_an_integer_divided_by_zero_is_zero():
    for name in zoo.INTEGERS:
        x = bv.asarray([1, 0, 5], dtype=zoo.dtype(name))
        assert not bv.any(bv.floor_divide(x, 0))
        assert not bv.any(bv.remainder(x, 0))


@given(st.data())
def test_integer_powers_match_numpy(data):
    x, y = data.draw(zoo.broadcastable_twins(zoo.INTEGERS, same=True, kind="small"))
    exponents = np.abs(y.theirs)
    found = bv.pow(x.ours, bv.abs(y.ours))
    zoo.assert_same(found, np.power(x.theirs, exponents))


@given(st.data())
def test_float_powers_are_close_to_numpy(data):
    x, y = data.draw(zoo.broadcastable_twins(("float64",), same=True))
    zoo.assert_same(bv.pow(x.ours, y.ours), np.power(x.theirs, y.theirs), ulps=2, context=(x, y))


def test_negative_integer_exponents_are_refused():
    x = bv.asarray([1, 2])
    for power in [lambda: x**-1, lambda: bv.pow(x, bv.asarray([2, -3])), lambda: 2 ** bv.asarray([-1])]:
        with pytest.raises(ValueError, match="-"):
            power()


@given(zoo.twins(zoo.INTEGERS), st.integers(0, 70))
def test_shifts_beyond_the_bit_width_match_numpy(pair, by):
    width = pair.theirs.itemsize * 8
    left = [bv.bitwise_left_shift(pair.ours, min(by, 100)), bv.bitwise_right_shift(pair.ours, min(by, 100))]
    if by < width:
        zoo.assert_same(left[0], pair.theirs << pair.theirs.dtype.type(by))
        zoo.assert_same(left[1], pair.theirs >> pair.theirs.dtype.type(by))
    else:
        zoo.assert_same(left[0], np.zeros_like(pair.theirs))
        zoo.assert_same(left[1], np.where(pair.theirs < 0, -1, 0).astype(pair.theirs.dtype))


@given(zoo.broadcastable_twins(zoo.SIGNED, same=True, kind="small"))
def test_gcd_and_lcm_match_numpy(pair):
    x, y = pair
    zoo.assert_same(bv.gcd(x.ours, y.ours), np.gcd(x.theirs, y.theirs))
    zoo.assert_same(bv.lcm(x.ours, y.ours), np.lcm(x.theirs, y.theirs))


@given(zoo.broadcastable_twins(zoo.NUMERIC, kind="small"))
def test_mixed_dtypes_promote_as_in_numpy(pair):
    x, y = pair
    for name in ["add", "multiply", "subtract"]:
        expected = getattr(np, name)(x.theirs, y.theirs)
        zoo.assert_same(getattr(bv, name)(x.ours, y.ours), expected, ulps=1, signed_zeros=False, context=(x, y))


@given(zoo.broadcastable_twins(zoo.INTEGERS))
def test_integers_of_mixed_dtypes_are_compared_exactly(pair):
    x, y = pair
    # NumPy 2 also compares signed integers and uint64 exactly.
    for name in ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]:
        expected = getattr(np, name)(x.theirs, y.theirs)
        zoo.assert_same(getattr(bv, name)(x.ours, y.ours), expected, context=(name, x, y))


@given(zoo.twins(zoo.NUMERIC, kind="small"), NUMBERS)
def test_scalars_take_the_dtype_of_the_array(pair, number):
    for name in ["add", "multiply"]:
        for left in [True, False]:
            ours = (number, pair.ours) if left else (pair.ours, number)
            theirs = (number, pair.theirs) if left else (pair.theirs, number)
            try:
                expected = getattr(np, name)(*theirs)
            except OverflowError:
                with pytest.raises(OverflowError):
                    getattr(bv, name)(*ours)
                continue
            zoo.assert_same(getattr(bv, name)(*ours), expected, ulps=2, signed_zeros=False, context=(pair, number))


@given(zoo.broadcastable_twins(ORDERED, 3, same=True))
def test_clip_matches_numpy(three):
    x, low, high = three
    expected = np.clip(x.theirs, low.theirs, high.theirs)
    zoo.assert_same(bv.clip(x.ours, low.ours, high.ours), expected, signed_zeros=False)
    zoo.assert_same(bv.clip(x.ours, min=low.ours), np.maximum(x.theirs, low.theirs), signed_zeros=False)
    zoo.assert_same(bv.clip(x.ours, max=high.ours), np.minimum(x.theirs, high.theirs), signed_zeros=False)
    zoo.assert_same(bv.clip(x.ours), x.theirs)


@given(zoo.twins(REAL_NUMBERS, kind="small"))
def test_clip_accepts_scalars(pair):
    zoo.assert_same(bv.clip(pair.ours, 1, 5), np.clip(pair.theirs, 1, 5))


def test_clip_propagates_nan():
    x = bv.asarray([1.0, math.nan])
    assert bv.all(bv.isnan(bv.clip(x, math.nan, 2.0)))
    assert bv.all(bv.isnan(bv.clip(x, 0.0, math.nan)))
    assert bv.isnan(bv.clip(x, 0.0, 2.0))[1]


def test_real_and_imaginary_parts_are_views():
    x = bv.asarray([1 + 2j, 3 + 4j])
    real, imag = bv.real(x), bv.imag(x)
    real += 10
    imag *= 2
    assert [complex(it) for it in x] == [11 + 4j, 13 + 8j]


@given(zoo.broadcastable_twins(zoo.FLOATS, same=True, kind="finite"), st.booleans())
def test_isclose_matches_numpy(pair, equal_nan):
    x, y = pair
    near = y.theirs * y.theirs.dtype.type(1 + 1e-6)
    for left, right in [(x.theirs, y.theirs), (near, y.theirs)]:
        ours = bv.asarray(left, copy=True), bv.asarray(right, copy=True)
        options = {"rtol": 1e-2, "atol": 1e-3, "equal_nan": equal_nan}
        zoo.assert_same(bv.isclose(*ours, **options), np.isclose(left, right, **options))
        assert bv.allclose(*ours, **options) is np.allclose(left, right, **options)


def test_isclose_supports_equal_nan():
    x = bv.asarray([math.nan, 1.0, math.inf])
    assert not bv.allclose(x, x)
    assert bv.allclose(x, x, equal_nan=True)


def test_lerp_interpolates():
    x, y = bv.asarray([0.0, 10.0]), bv.asarray([1.0, 20.0])
    zoo.assert_same(bv.lerp(x, y, 0.25), np.asarray([0.25, 12.5]))
    zoo.assert_same(bv.lerp(x, y, bv.asarray([0.0, 1.0])), np.asarray([0.0, 20.0]))


@given(zoo.twins(zoo.ALL))
def test_nan_to_num_matches_numpy(pair):
    zoo.assert_same(bv.nan_to_num(pair.ours), np.nan_to_num(pair.theirs))
    options = {"nan": 1.5, "posinf": 2.5, "neginf": -2.5}
    zoo.assert_same(bv.nan_to_num(pair.ours, **options), np.nan_to_num(pair.theirs, **options))


@given(zoo.twins(("float64",), kind="finite"))
def test_special_functions_are_close_to_scipy(pair):
    inside = np.tanh(pair.theirs / 40)
    ours = bv.asarray(inside, copy=True)
    zoo.assert_same(bv.erfinv(ours), scipy.special.erfinv(inside), ulps=4)
    odds = (inside + 1) / 2
    ours = bv.asarray(odds, copy=True)
    zoo.assert_same(bv.logit(ours), scipy.special.logit(odds), ulps=4, atol=1e-15)
    zoo.assert_same(bv.rsqrt(ours), 1 / np.sqrt(odds), ulps=2)
    zoo.assert_same(bv.sinc(pair.ours), np.sinc(pair.theirs), ulps=8, atol=1e-16)


@given(zoo.twins(zoo.COMPLEX, kind="small"))
def test_deg2rad_and_rad2deg_match_numpy(pair):
    zoo.assert_same(bv.angle(pair.ours), np.angle(pair.theirs), ulps=2)


UNKNOWN = [
    (lambda x: bv.subtract(x, x), zoo.BOOL),
    (lambda x: bv.negative(x), zoo.BOOL),
    (lambda x: bv.bitwise_and(x, x), zoo.FLOATS),
    (lambda x: bv.bitwise_left_shift(x, 1), zoo.FLOATS),
    (lambda x: bv.less(x, x), zoo.COMPLEX),
    (lambda x: bv.floor(x), zoo.COMPLEX),
    (lambda x: bv.remainder(x, x), zoo.COMPLEX),
    (lambda x: bv.atan2(x, x), zoo.COMPLEX),
]


def test_unsupported_dtypes_raise_type_error():
    for function, types in UNKNOWN:
        for name in types:
            with pytest.raises(TypeError, match=name):
                function(bv.ones(2, dtype=zoo.dtype(name)))


def test_shapes_that_do_not_broadcast_raise_value_error():
    with pytest.raises(ValueError, match="3.*2|2.*3"):
        bv.add(bv.ones(2), bv.ones(3))


def test_arguments_of_other_types_raise_type_error():
    for wrong in ["x", b"xy", None, object(), {1: 2}]:
        with pytest.raises(TypeError):
            bv.add(bv.ones(2), wrong)
    with pytest.raises(TypeError):
        bv.sin("x")


def test_numpy_arrays_and_lists_are_operands():
    zoo.assert_same(bv.add(bv.ones(2), [1, 2]), np.asarray([2.0, 3.0]))
    x = np.arange(6.0).reshape(2, 3)[:, ::-1]
    zoo.assert_same(bv.add(bv.ones((2, 3)), x), 1 + x)
    zoo.assert_same(bv.sin(x), np.sin(x), ulps=2)
    zoo.assert_same(bv.add(bv.ones(2, dtype=bv.float32), np.float64(1.5)), np.full(2, 2.5))
    zoo.assert_same(bv.add(bv.ones(2, dtype=bv.int8), np.int16(1000)), np.full(2, 1001, np.int16))
