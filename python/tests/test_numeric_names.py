"""Elementwise functions, products, norms and transforms that are composed of others, compared with NumPy."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 1e-310, 5e-324, -5e-324, 1e308, -1e308, np.inf, -np.inf, np.nan]


def special(dtype):
    """Returns our and NumPy's array of special values."""
    return bv.asarray(np.asarray(SPECIAL, dtype)), np.asarray(SPECIAL, dtype)


@pytest.mark.parametrize("name", ["frexp", "modf"])
@given(pair=zoo.twins(zoo.REALS))
def test_parts_of_floats_match_numpy(name, pair):
    for ours, theirs in zip(getattr(bv, name)(pair.ours), getattr(np, name)(pair.theirs)):
        zoo.assert_same(ours, theirs)


@pytest.mark.parametrize("dtype", zoo.REALS)
@pytest.mark.parametrize("name", ["frexp", "modf"])
def test_parts_of_special_values_match_numpy(name, dtype):
    x, a = special(dtype)
    for ours, theirs in zip(getattr(bv, name)(x), getattr(np, name)(a)):
        zoo.assert_same(ours, theirs)


@pytest.mark.parametrize("dtype", zoo.REALS)
@pytest.mark.parametrize("exponent", [0, 1, -1, 12, -1022, 1023, -1074, 1024, -1500, 2000, 2**40, -(2**62)])
def test_ldexp_rounds_once(dtype, exponent):
    x, a = special(dtype)
    zoo.assert_same(bv.ldexp(x, exponent), np.ldexp(a, np.int64(exponent)))
    exponents = np.arange(len(a)) * 140 - 1000
    zoo.assert_same(bv.ldexp(x, bv.asarray(exponents)), np.ldexp(a, exponents))


@given(pair=zoo.twins(("float32", "float64")))
def test_ldexp_inverts_frexp(pair):
    x = pair.ours
    zoo.assert_same(bv.ldexp(*bv.frexp(x)), pair.theirs)


@given(pair=zoo.twins(("float32", "float64")))
def test_spacing_matches_numpy(pair):
    zoo.assert_same(bv.spacing(pair.ours), np.spacing(pair.theirs), signed_zeros=False)


def test_spacing_of_negative_half_floats_has_their_sign():
    assert bv.spacing(bv.asarray([-1.0], dtype=bv.float16)).item() == -(2.0**-10)


@given(pairs=zoo.broadcastable_twins(zoo.REALS, same=True))
def test_logaddexp2_matches_numpy(pairs):
    (x, a), (y, b) = pairs
    zoo.assert_same(bv.logaddexp2(x, y), np.logaddexp2(a, b), ulps=4, atol=1e-15)


@given(pair=zoo.twins(zoo.INTEGERS + zoo.BOOL))
def test_bitwise_count_matches_numpy(pair):
    zoo.assert_same(bv.bitwise_count(pair.ours), np.bitwise_count(pair.theirs))


@pytest.mark.parametrize("dtype", zoo.INTEGERS)
def test_bitwise_count_of_long_arrays(dtype):
    a = zoo.values(7, dtype, 70_001)
    zoo.assert_same(bv.bitwise_count(bv.asarray(a)), np.bitwise_count(a))


@given(pair=zoo.twins(zoo.BOOL + zoo.INTEGERS + zoo.REALS))
def test_fix_matches_numpy(pair):
    zoo.assert_same(bv.fix(pair.ours), np.fix(pair.theirs))


@given(pair=zoo.twins(zoo.REALS + ("int32", "int64")))
def test_fabs_matches_numpy(pair):
    zoo.assert_same(bv.fabs(pair.ours), np.fabs(pair.theirs))


@given(pair=zoo.twins(zoo.BOOL + zoo.INTEGERS + zoo.REALS))
def test_signed_infinities_match_numpy(pair):
    zoo.assert_same(bv.isposinf(pair.ours), np.isposinf(pair.theirs))
    zoo.assert_same(bv.isneginf(pair.ours), np.isneginf(pair.theirs))


@given(pairs=zoo.broadcastable_twins(zoo.INTEGERS + zoo.REALS, kind="small"))
def test_float_power_matches_numpy(pairs):
    (x, a), (y, b) = pairs
    zoo.assert_same(bv.float_power(x, y), np.float_power(a, b), ulps=4)


def test_results_are_written_to_out():
    x = bv.asarray([1.5, -2.25])
    fraction, integral = bv.zeros(2), bv.zeros(2, dtype=bv.float32)
    result = bv.modf(x, out=(fraction, integral))
    assert result[0] is fraction and result[1] is integral
    assert fraction.tolist() == [0.5, -0.25] and integral.tolist() == [1.0, -2.0]
    out = bv.zeros((3, 2))
    assert bv.fabs(x, out) is out and out.tolist() == [[1.5, 2.25]] * 3
    out = bv.asarray([7.0, 7.0])
    bv.fabs(x, out=out, where=bv.asarray([True, False]))
    assert out.tolist() == [1.5, 7.0]
    with pytest.raises(TypeError, match="cast"):
        bv.fabs(x, out=bv.zeros(2, dtype=bv.int64))
    with pytest.raises(ValueError, match="shape"):
        bv.fabs(x, out=bv.zeros(3))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.fabs(xp.asarray([1j])),
        lambda xp: xp.frexp(xp.asarray([1j])),
        lambda xp: xp.ldexp(1.0, 1.5),
        lambda xp: xp.isposinf(xp.asarray([1j])),
        lambda xp: xp.bitwise_count(xp.asarray([1.0])),
        lambda xp: xp.spacing(xp.asarray([1j])),
        lambda xp: xp.vdot(xp.asarray([1, 2]), xp.asarray([1])),
        lambda xp: xp.matvec(xp.asarray([1, 2]), xp.asarray([1, 2])),
        lambda xp: xp.linalg.norm(xp.ones((2, 2, 2)), 1),
        lambda xp: xp.linalg.norm(xp.ones((2, 2)), 3),
        lambda xp: xp.linalg.norm(xp.ones((2, 2)), "fro", axis=0),
        lambda xp: xp.linalg.norm(xp.ones((2, 2)), axis=(0, 0)),
        lambda xp: xp.linalg.norm(xp.ones((2, 2)), axis=2),
        lambda xp: xp.linalg.multi_dot([xp.ones((2, 2))]),
        lambda xp: xp.linalg.multi_dot([xp.ones((2, 2)), xp.ones((3, 2))]),
        lambda xp: xp.linalg.tensorinv(xp.ones((2, 2)), ind=0),
        lambda xp: xp.fft.rfft2(xp.ones((2, 2)) * 1j),
    ],
)
def test_what_numpy_refuses_is_refused(call):
    with pytest.raises((TypeError, ValueError, IndexError)) as theirs:
        call(np)
    bases = {TypeError: TypeError, ValueError: ValueError}
    with pytest.raises(next((it for base, it in bases.items() if isinstance(theirs.value, base)), IndexError)):
        call(bv)


@given(pairs=st.sampled_from(zoo.FLOATS).flatmap(lambda it: zoo.broadcastable_twins((it,), kind="small")))
def test_vdot_matches_numpy(pairs):
    (x, a), (y, b) = pairs
    if a.size == b.size:
        zoo.assert_same(bv.vdot(x, y), np.vdot(a, b), ulps=8, signed_zeros=False)


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_matvec_and_vecmat_match_numpy(dtype):
    m = zoo.values(1, dtype, 60, "small").reshape(5, 3, 4)
    v, w = zoo.values(2, dtype, 4, "small"), zoo.values(3, dtype, 15, "small").reshape(5, 3)
    zoo.assert_same(bv.matvec(bv.asarray(m), bv.asarray(v)), np.matvec(m, v))
    zoo.assert_same(bv.vecmat(bv.asarray(w), bv.asarray(m)), np.vecmat(w, m))


ORDERS = [None, "fro", "nuc", 0, 1, -1, 2, -2, 3, 0.5, -1.5, math.inf, -math.inf]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", [(7,), (4, 5), (3, 4, 5)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "bool"])
def test_norm_matches_numpy(dtype, shape, order):
    a = zoo.values(5, dtype, math.prod(shape), "small").reshape(shape)
    for axis in (None, 0, -1, (0, 1), (1, 0), (-1, 0)):
        for keepdims in (False, True):
            try:
                expected = np.linalg.norm(a, order, axis, keepdims)
            except (ValueError, IndexError):
                with pytest.raises(ValueError):
                    bv.linalg.norm(bv.asarray(a), order, axis, keepdims)
            else:
                found = bv.linalg.norm(bv.asarray(a), order, axis, keepdims)
                zoo.assert_same(found, expected, ulps=64, atol=1e-14, context=(axis, keepdims))


def test_norm_of_no_elements_and_of_a_scalar():
    assert bv.linalg.norm([]).item() == 0.0
    assert bv.linalg.norm(-5).item() == 5.0


def test_products_of_many_matrices_match_numpy():
    rng = np.random.default_rng(0)
    chain = [rng.normal(size=it) for it in ((10, 30), (30, 5), (5, 60), (60, 8), (8,))]
    for factors in (chain, chain[:2], chain[:3], [chain[4], chain[3].T, chain[2].T], [chain[4], chain[4]]):
        found = bv.linalg.multi_dot([bv.asarray(it) for it in factors])
        zoo.assert_same(found, np.linalg.multi_dot(factors), atol=1e-9)


def test_tensor_equations_match_numpy():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(4, 6, 8, 3))
    zoo.assert_same(bv.linalg.tensorinv(bv.asarray(a)), np.linalg.tensorinv(a), atol=1e-9)
    a, b = rng.normal(size=(6, 4, 2, 3, 4)), rng.normal(size=(6, 4))
    zoo.assert_same(bv.linalg.tensorsolve(bv.asarray(a), bv.asarray(b)), np.linalg.tensorsolve(a, b), atol=1e-9)
    a, b = rng.normal(size=(3, 4, 2, 6, 4)), rng.normal(size=(4, 6))
    found = bv.linalg.tensorsolve(bv.asarray(a), bv.asarray(b), axes=(0, 2, 4))
    zoo.assert_same(found, np.linalg.tensorsolve(a, b, axes=(0, 2, 4)), atol=1e-9)
    with pytest.raises(bv.linalg.LinAlgError):
        bv.linalg.tensorsolve(bv.ones((2, 3)), bv.ones(2))
    assert bv.linalg.LinAlgError is bv.exceptions.LinAlgError


@pytest.mark.parametrize("dtype", ["float64", "complex128", "float32", "complex64", "int64"])
@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_transforms_of_two_axes_match_numpy(name, dtype):
    a = zoo.values(3, dtype, 4 * 6 * 7, "small").reshape(4, 6, 7)
    if name == "rfft2" and a.dtype.kind == "c":
        return
    both = {"s": (3, 4), "axes": (1, 0), "norm": "forward"}
    for how in ({}, {"s": (5, 8)}, {"axes": (0, 1)}, {"norm": "ortho"}, both):
        expected = getattr(np.fft, name)(a, **how)
        atol = 1e-2 if expected.dtype.name in ("float32", "complex64") else 1e-10
        zoo.assert_same(getattr(bv.fft, name)(bv.asarray(a), **how), expected, atol=atol, context=how)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
@pytest.mark.parametrize("name", ["sqrt", "log", "log10", "log2", "arccos", "arcsin", "arctanh"])
def test_functions_beyond_their_real_domain_match_numpy(name, dtype):
    for values in ([0.5, 0.25, 1.0], [-2.0, 3.0, 0.5], [2.0, 3.0, 4.0]):
        a = np.asarray(values).astype(dtype)
        found, expected = getattr(bv.emath, name)(bv.asarray(a)), getattr(np.emath, name)(a)
        zoo.assert_same(found, expected, ulps=4, atol=1e-7 if dtype == "float32" else 1e-15)


@pytest.mark.parametrize("base, exponent", [([2, 4], 2), ([2, 4], -2), ([-2, 4], 0.5), ([2.0, -4.0], [0.5, 2.0])])
def test_powers_beyond_their_real_domain_match_numpy(base, exponent):
    zoo.assert_same(bv.emath.power(base, exponent), np.emath.power(base, exponent), ulps=4, atol=1e-15)
    zoo.assert_same(bv.emath.logn(3, base), np.emath.logn(3, base), ulps=4)


def test_dtypes_and_tuples_of_outputs_are_those_of_ufuncs():
    x = bv.asarray([1, -2], dtype=bv.int16)
    assert bv.fabs(x, dtype=bv.float32).dtype == bv.float32
    assert bv.logaddexp2(bv.asarray([1.0], dtype=bv.float16), 2).dtype == bv.float16
    out = bv.zeros(2)
    assert bv.fabs(x, out=(out,)) is out and out.tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="float"):
        bv.fabs(x, dtype=bv.int64)


def test_products_of_bools_are_bools():
    a, v = np.array([[True, False], [True, True]]), np.array([True, False])
    x, w = bv.asarray(a), bv.asarray(v)
    zoo.assert_same(bv.matvec(x, w), np.matvec(a, v))
    zoo.assert_same(bv.vecmat(w, x), np.vecmat(v, a))
    zoo.assert_same(bv.linalg.multi_dot([x, x, w]), np.linalg.multi_dot([a, a, v]))


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_a_repeated_axis_is_transformed_twice(name):
    a = zoo.values(3, "float64", 4 * 6, "small").reshape(4, 6)
    for how in ({"axes": (1, 1)}, {"axes": (0, 0), "s": (3, 5)}):
        zoo.assert_same(getattr(bv.fft, name)(bv.asarray(a), **how), getattr(np.fft, name)(a, **how), atol=1e-12)
