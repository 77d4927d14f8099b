"""Operators compared with NumPy: binary, reflected, unary and in-place."""

import enum
import operator

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo

ARITHMETIC = ["add", "sub", "mul"]
DIVISION = ["floordiv", "mod"]
BITS = ["and_", "or_", "xor"]
COMPARISONS = ["lt", "le", "eq", "ne", "gt", "ge"]


def in_place(name):
    return getattr(operator, "i" + name.rstrip("_"))


@pytest.mark.parametrize("name", ARITHMETIC + DIVISION + ["truediv"])
@given(st.data())
def test_arithmetic_matches_numpy(name, data):
    function = getattr(operator, name)
    types = zoo.INTEGERS + ("float64",) if name in DIVISION else zoo.NUMERIC
    x, y = data.draw(zoo.broadcastable_twins(types, same=True, kind="small"))
    # NumPy divides 8-bit integers in float16; ours use the standard's default, float64.
    if name == "truediv" and x.theirs.dtype.kind in "iu":
        expected = function(x.theirs.astype(np.float64), y.theirs.astype(np.float64))
    else:
        expected = function(x.theirs, y.theirs)
    zoo.assert_same(function(x.ours, y.ours), expected, ulps=4, signed_zeros=False, context=(x, y))


@pytest.mark.parametrize("name", BITS)
@given(st.data())
def test_bitwise_operators_match_numpy(name, data):
    function = getattr(operator, name)
    x, y = data.draw(zoo.broadcastable_twins(zoo.BOOL + zoo.INTEGERS, same=True))
    zoo.assert_same(function(x.ours, y.ours), function(x.theirs, y.theirs))


@pytest.mark.parametrize("name", COMPARISONS)
@given(st.data())
def test_comparisons_match_numpy(name, data):
    function = getattr(operator, name)
    x, y = data.draw(zoo.broadcastable_twins(zoo.BOOL + zoo.INTEGERS + zoo.REALS, same=True))
    zoo.assert_same(function(x.ours, y.ours), function(x.theirs, y.theirs))


@pytest.mark.parametrize("name", ARITHMETIC + ["truediv", "floordiv", "mod", "pow"])
@given(st.data())
def test_scalars_may_be_on_either_side(name, data):
    function = getattr(operator, name)
    pair = data.draw(zoo.twins(("int64", "float32", "float64"), kind="small"))
    number = data.draw(st.sampled_from([1, 3, 2.5]))
    theirs = np.abs(pair.theirs) if name == "pow" else pair.theirs
    ours = abs(pair.ours) if name == "pow" else pair.ours
    zoo.assert_same(function(ours, number), function(theirs, number), ulps=2, signed_zeros=False)
    zoo.assert_same(function(number, ours), function(number, theirs), ulps=2, signed_zeros=False)


@pytest.mark.parametrize("name", BITS + ["lshift", "rshift"])
@given(st.data())
def test_integer_scalars_may_be_on_either_side(name, data):
    function = getattr(operator, name)
    pair = data.draw(zoo.twins(("uint8", "int64"), kind="small"))
    shift = name.endswith("shift")
    ours, theirs = (abs(pair.ours), np.abs(pair.theirs)) if shift else pair
    zoo.assert_same(function(ours, 3), function(theirs, theirs.dtype.type(3)))
    zoo.assert_same(function(3, ours), function(theirs.dtype.type(3), theirs))


@given(zoo.twins(zoo.SIGNED + zoo.REALS))
def test_unary_operators_match_numpy(pair):
    zoo.assert_same(-pair.ours, -pair.theirs)
    zoo.assert_same(+pair.ours, +pair.theirs)
    zoo.assert_same(abs(pair.ours), abs(pair.theirs))


@given(zoo.twins(zoo.BOOL + zoo.INTEGERS))
def test_invert_matches_numpy(pair):
    zoo.assert_same(~pair.ours, ~pair.theirs)


@given(zoo.twins(("int64", "float64"), kind="small"), st.sampled_from([3, -2, 2.5]))
def test_divmod_returns_quotient_and_remainder(pair, number):
    for ours, theirs in [
        (divmod(pair.ours, number), np.divmod(pair.theirs, number)),
        (divmod(number, pair.ours), np.divmod(number, pair.theirs)),
    ]:
        assert isinstance(ours, tuple)
        for mine, expected in zip(ours, theirs, strict=True):
            zoo.assert_same(mine, expected)


@pytest.mark.parametrize("name", ARITHMETIC + DIVISION + BITS + ["truediv"])
@given(st.data())
def test_in_place_operators_write_to_the_same_memory(name, data):
    types = zoo.INTEGERS if name in BITS else ("float32", "float64") if name == "truediv" else zoo.NUMERIC
    if name in DIVISION:
        types = zoo.INTEGERS + ("float64",)
    pair = data.draw(zoo.twins(types, kind="small", overlapping=False))
    other = data.draw(zoo.twins((pair.theirs.dtype.name,), pair.theirs.shape, kind="small"))
    function = in_place(name)
    before = pair.ours
    after = function(pair.ours, other.ours)
    assert after is before
    theirs = pair.theirs
    function(theirs, other.theirs)
    zoo.assert_same(after, theirs, ulps=2, signed_zeros=False)
    # The memory between the elements is unchanged.
    zoo.assert_same(pair.our_base, pair.their_base, ulps=2, signed_zeros=False)


def test_in_place_operators_keep_the_object():
    for name in ["add", "sub", "mul", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"]:
        x = y = bv.asarray([5, 6, 7])
        expected = getattr(operator, name)(np.asarray([5, 6, 7]), 2)
        x = in_place(name)(x, 2)
        assert x is y
        zoo.assert_same(x, expected)
    x = y = bv.asarray([5.0, 6.0])
    x /= 2
    assert x is y
    zoo.assert_same(x, np.asarray([2.5, 3.0]))


def test_in_place_operators_are_visible_in_all_views():
    x = bv.zeros((3, 4))
    row = x[1]
    row += 5
    x[:, ::-2] -= 1
    expected = np.zeros((3, 4))
    expected[1] += 5
    expected[:, ::-2] -= 1
    zoo.assert_same(x, expected)


def test_overlapping_operands_are_read_before_written():
    ours, theirs = bv.arange(10), np.arange(10)
    ours[1:] += ours[:-1]
    theirs[1:] += theirs[:-1].copy()
    zoo.assert_same(ours, theirs)
    ours += ours[::-1]
    theirs += theirs[::-1].copy()
    zoo.assert_same(ours, theirs)


def test_in_place_operators_refuse_to_change_dtype_or_shape():
    x = bv.asarray([1, 2])
    for wrong in [1.5, bv.asarray([0.5, 0.5]), 1j]:
        with pytest.raises(TypeError):
            x += wrong
    with pytest.raises(TypeError):
        x /= 2
    with pytest.raises(ValueError, match="2"):
        x += bv.ones((3, 2), dtype=bv.int64)
    with pytest.raises(OverflowError, match="300"):
        y = bv.asarray([1], dtype=bv.uint8)
        y += 300
    zoo.assert_same(x, np.asarray([1, 2]))


def test_in_place_operators_cast_to_a_narrower_dtype_of_the_same_kind():
    x = bv.asarray([1.0, 2.0], dtype=bv.float32)
    x += bv.asarray([0.5, 0.5])
    zoo.assert_same(x, np.asarray([1.5, 2.5], np.float32))


def test_read_only_arrays_raise_value_error():
    x = np.arange(3)
    x.flags.writeable = False
    y = bv.asarray(x, copy=False)
    with pytest.raises(ValueError):
        y += 1
    assert x.tolist() == [0, 1, 2]


@given(st.data())
def test_matmul_operator_matches_numpy(data):
    n, k, m = (data.draw(st.integers(0, 4)) for _ in range(3))
    x = data.draw(zoo.twins(("int64", "float64", "complex128"), (n, k), kind="small"))
    y = data.draw(zoo.twins((x.theirs.dtype.name,), (k, m), kind="small"))
    zoo.assert_same(x.ours @ y.ours, x.theirs @ y.theirs, signed_zeros=False)


def test_in_place_matmul_writes_to_the_left_operand():
    x = y = bv.asarray([[1.0, 2.0], [3.0, 4.0]])
    x @= bv.asarray([[0.0, 1.0], [1.0, 0.0]])
    assert x is y
    zoo.assert_same(x, np.asarray([[2.0, 1.0], [4.0, 3.0]]))
    x @= x
    zoo.assert_same(y, np.asarray([[8.0, 5.0], [20.0, 13.0]]))
    with pytest.raises(ValueError, match="shape"):
        x @= bv.ones((2, 1))


def test_matmul_refuses_scalars():
    for product in [lambda: bv.ones(2) @ 2, lambda: 2 @ bv.ones(2)]:
        with pytest.raises(ValueError):
            product()


def test_pow_has_no_modulus():
    x = bv.asarray([2, 3])
    zoo.assert_same(pow(x, 2), np.asarray([4, 9]))
    zoo.assert_same(pow(x, 2, None), np.asarray([4, 9]))
    with pytest.raises((TypeError, ValueError)):
        pow(x, 2, 5)


class Foreign:
    """An operand with its own reflected operators."""

    def __radd__(self, other):
        return "radd"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __eq__(self, other):
        return "eq"

    def __gt__(self, other):
        return "gt"

    def __rpow__(self, other):
        return "rpow"


class WithUfunc(Foreign):
    """An array-like operand with its own reflected operators."""

    __array_ufunc__ = None

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("nobody may ask")


@pytest.mark.parametrize("other", [Foreign(), WithUfunc()])
def test_unknown_operands_get_the_reflected_operator(other):
    x = bv.ones(2)
    assert x + other == "radd"
    assert x @ other == "rmatmul"
    assert (x == other) == "eq"
    assert (x < other) == "gt"
    assert x**other == "rpow"
    y = x
    y += other
    assert y == "radd"


def test_unsupported_operands_raise_type_error():
    x = bv.ones(2)
    for wrong in ["x", b"xy", object(), None, {1: 2}]:
        for attempt in [lambda w: x + w, lambda w: w - x, lambda w: x < w, lambda w: x @ w, lambda w: x**w]:
            with pytest.raises(TypeError):
                attempt(wrong)
    zoo.assert_same(x == None, np.ones(2) == None)  # noqa: E711
    zoo.assert_same(x != "x", np.ones(2) != "x")
    assert (x == object()) is False


def test_subclasses_of_numbers_are_scalars():
    class Level(enum.IntEnum):
        HIGH = 3

    class Length(float):
        pass

    zoo.assert_same(bv.asarray([1], dtype=bv.int8) + Level.HIGH, np.asarray([4], np.int8))
    zoo.assert_same(bv.asarray([1], dtype=bv.float32) * Length(2.5), np.asarray([2.5], np.float32))


def test_integers_beyond_64_bits_raise_overflow_error():
    x = bv.asarray([1, 2])
    for large in [2**64, -(2**63) - 1, 10**30]:
        for attempt in [lambda it: x + it, lambda it: it * x, lambda it: bv.add(x, it)]:
            with pytest.raises(OverflowError):
                attempt(large)


def test_integers_beyond_64_bits_can_be_compared():
    for name in ["int8", "int64", "uint64", "float64"]:
        x = bv.asarray([0, 1], dtype=zoo.dtype(name))
        for large in [2**64, 10**30, 10**400]:
            for yes in [x < large, x <= large, large > x, x != large, x > -large, bv.less(x, large)]:
                assert bv.all(yes)
            for no in [x == large, x > large, large < x, bv.less(large, x), bv.equal(x, -large)]:
                assert not bv.any(no)
    assert bv.all(bv.asarray([2.0**70]) == 2**70)


def test_operators_with_numpy_arrays_share_memory():
    ours, theirs = bv.ones((2, 3)), np.arange(6.0).reshape(2, 3)[::-1]
    for name in ["add", "mul", "sub", "lt", "eq"]:
        zoo.assert_same(getattr(operator, name)(ours, theirs), getattr(operator, name)(np.ones((2, 3)), theirs))
    ours += theirs
    zoo.assert_same(ours, 1 + theirs)


def test_arrays_are_not_hashable():
    with pytest.raises(TypeError):
        hash(bv.ones(2))
