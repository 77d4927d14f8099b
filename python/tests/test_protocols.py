"""Protocols: NumPy's ufuncs and functions on our arrays, and the namespace for other libraries."""

import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

A = np.linspace(-2.0, 2.0, 12).reshape(3, 4)
B = np.arange(12.0).reshape(3, 4) - 3.5
C = np.arange(12).reshape(3, 4)
D = C % 2 == 0

UFUNCS = [
    getattr(np, name)
    for name in """
    absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor cbrt ceil conjugate
    copysign cos cosh deg2rad degrees divide equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod gcd
    greater greater_equal heaviside hypot invert isfinite isinf isnan lcm ldexp left_shift less less_equal log log10 log1p
    log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter
    not_equal positive power rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh spacing sqrt square
    subtract tan tanh trunc
    """.split()
]


def ours(values):
    return bv.asarray(values, copy=True)


def operands(ufunc):
    """Returns arguments for the function."""
    for some in ([A, B], [C, C + 1], [D, ~D]):
        some = some[: ufunc.nin]
        try:
            return some, ufunc(*some)
        except TypeError:
            continue
    raise AssertionError(ufunc)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda it: it.__name__)
def test_ufuncs_return_our_arrays(ufunc):
    theirs, expected = operands(ufunc)
    zoo.assert_same(ufunc(*(ours(it) for it in theirs)), expected, ulps=4)
    if ufunc.nin == 2:
        zoo.assert_same(ufunc(theirs[0], ours(theirs[1])), expected, ulps=4)
        zoo.assert_same(ufunc(ours(theirs[0]), theirs[1]), expected, ulps=4)
    out = ours(np.zeros_like(expected))
    assert ufunc(*(ours(it) for it in theirs), out=out) is out
    zoo.assert_same(out, expected, ulps=4)
    there = np.zeros_like(expected)
    assert ufunc(*(ours(it) for it in theirs), out=there) is there
    zoo.assert_same(ours(there), expected, ulps=4)


def test_operators_with_numpy_arrays_return_our_arrays_on_both_sides():
    for left, right in ((A, ours(B)), (ours(A), B)):
        zoo.assert_same(left + right, A + B)
        zoo.assert_same(left < right, A < B)
        zoo.assert_same(left @ right.T, A @ B.T, ulps=4)
    theirs = A.copy()
    theirs += ours(B)
    assert type(theirs) is np.ndarray
    np.testing.assert_array_equal(theirs, A + B)
    zoo.assert_same(np.float32(2) * ours(A.astype(np.float32)), np.float32(2) * A.astype(np.float32))
    zoo.assert_same(np.float64(2) * ours(A.astype(np.float32)), np.float64(2) * A.astype(np.float32))


@pytest.mark.parametrize("axis", [0, 1, None, -1, (0, 1)])
def test_ufunc_reduce_and_accumulate_return_our_arrays(axis):
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.hypot, np.logaddexp):
        if isinstance(axis, tuple) and ufunc is np.hypot:
            continue
        for keepdims in (False, True):
            try:
                expected = ufunc.reduce(A, axis=axis, keepdims=keepdims)
            except ValueError:
                continue
            zoo.assert_same(ufunc.reduce(ours(A), axis=axis, keepdims=keepdims), expected, ulps=8, atol=1e-14)
    if isinstance(axis, int):
        for ufunc in (np.add, np.multiply, np.maximum):
            zoo.assert_same(ufunc.accumulate(ours(A), axis=axis), ufunc.accumulate(A, axis=axis), ulps=8)


def test_other_ufunc_methods_are_numpys_on_the_same_memory():
    zoo.assert_same(np.add.reduce(ours(A)), np.add.reduce(A), ulps=4)
    zoo.assert_same(np.add.reduce(ours(A), initial=10.0), np.add.reduce(A, initial=10.0), ulps=4)
    zoo.assert_same(np.add.reduce(ours(A), where=ours(D)), np.add.reduce(A, where=D), ulps=4)
    zoo.assert_same(np.add.outer(ours(A[0]), B[1]), np.add.outer(A[0], B[1]))
    zoo.assert_same(np.add.reduceat(ours(A[0]), [0, 2]), np.add.reduceat(A[0], [0, 2]))
    x = ours(C)
    np.add.at(x, ([0, 0], [1, 1]), 5)
    assert x[0, 1].item() == 11
    zoo.assert_same(np.add(ours(C), ours(C), dtype=np.float32), np.add(C, C, dtype=np.float32))
    zoo.assert_same(np.add(ours(A), 1, where=D, out=ours(B)), np.add(A, 1, where=D, out=B.copy()))
    whole, part = np.divmod(ours(C), 5), np.modf(ours(A))
    for found, expected in zip((*whole, *part), (*np.divmod(C, 5), *np.modf(A))):
        zoo.assert_same(found, expected)


def test_adding_at_indices_matches_numpy():
    rng = np.random.default_rng(6)
    many, mask = rng.integers(-7, 7, 3000), rng.random(7) < 0.5
    pairs = (rng.integers(0, 7, 50), rng.integers(-5, 5, 50))
    cases = [
        ((7,), many, rng.standard_normal(3000)),
        ((7,), many.reshape(30, 100), 2),
        ((7,), many.astype(np.int8)[::3], rng.standard_normal(1000)),
        ((7,), mask, 1.5),
        ((7,), [0, 0, -1], [1, 2, 3]),
        ((7,), slice(1, None, 2), 4),
        ((7, 5), many[:20], rng.standard_normal((20, 5))),
        ((7, 5), (slice(None), np.array([1, 1, 4])), rng.standard_normal((7, 3))),
        ((7, 5), pairs, rng.standard_normal(50)),
        ((7, 5), (2, 3), 1),
    ]
    for dtype in (np.float64, np.float32, np.int16, np.complex128):
        for shape, index, values in cases:
            values = np.asarray(values).astype(dtype) if np.ndim(values) else dtype(values).item()
            given = np.zeros(shape, dtype)
            expected, found = given.copy(), bv.asarray(given)
            np.add.at(expected, index, values)
            bv.add.at(found, index, values)
            zoo.assert_same(found, expected)
            strided = bv.zeros((*shape, 2), dtype=found.dtype)[..., 1]
            bv.add.at(strided, index, values)
            zoo.assert_same(strided, expected)
    for index in ([7], [-8], [[0], [9]]):
        x = bv.zeros(7)
        with pytest.raises(IndexError):
            bv.add.at(x, index, 1)
        assert not bv.any(x)
    with pytest.raises(ValueError):
        bv.add.at(bv.zeros(7), [1, 2], [1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        bv.add.at(bv.zeros(7, dtype=bv.int64), [1], 0.5j)
    same = bv.asarray([1, 2, 0])
    bv.add.at(same, same, same)
    zoo.assert_same(same, np.asarray([1, 3, 2]))


FUNCTIONS = {
    "sum": lambda x: np.sum(x, axis=0),
    "sum as": lambda x: np.sum(x, dtype=np.float32, keepdims=True),
    "sum where": lambda x: np.sum(x, where=D),
    "prod": lambda x: np.prod(x, axis=-1),
    "mean": lambda x: np.mean(x, axis=(0, 1)),
    "std": lambda x: np.std(x, ddof=1),
    "var": lambda x: np.var(x, axis=1, keepdims=True),
    "max": lambda x: np.max(x, axis=0),
    "amin": lambda x: np.amin(x),
    "any": lambda x: np.any(x > 1, axis=0),
    "all": lambda x: np.all(x > -5),
    "argmax": lambda x: np.argmax(x, axis=1),
    "argmin": lambda x: np.argmin(x),
    "count_nonzero": lambda x: np.count_nonzero(x > 0, axis=0),
    "cumsum": lambda x: np.cumsum(x),
    "cumprod": lambda x: np.cumprod(x, axis=1),
    "median": lambda x: np.median(x, axis=0),
    "percentile": lambda x: np.percentile(x, [25, 50]),
    "nanmean": lambda x: np.nanmean(x, axis=0),
    "ptp": lambda x: np.ptp(x, axis=0),
    "concatenate": lambda x: np.concatenate([x, x], axis=1),
    "concatenate flat": lambda x: np.concatenate([x, A], axis=None),
    "concatenate as": lambda x: np.concatenate([x, x], dtype=np.float32),
    "stack": lambda x: np.stack([x, A], axis=-1),
    "vstack": lambda x: np.vstack([x, x]),
    "hstack": lambda x: np.hstack([x, x]),
    "transpose": lambda x: np.transpose(x),
    "transpose by": lambda x: np.transpose(x[None], (1, 2, 0)),
    "reshape": lambda x: np.reshape(x, (4, -1)),
    "reshape by columns": lambda x: np.reshape(x, (4, -1), order="F"),
    "ravel": lambda x: np.ravel(x),
    "ravel by columns": lambda x: np.ravel(x, order="F"),
    "squeeze": lambda x: np.squeeze(x[None, :, None]),
    "squeeze one": lambda x: np.squeeze(x[None, :, None], axis=0),
    "expand_dims": lambda x: np.expand_dims(x, (0, -1)),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 4)),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[:1])[1],
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "flip": lambda x: np.flip(x, 1),
    "fliplr": lambda x: np.fliplr(x),
    "flipud": lambda x: np.flipud(x),
    "rot90": lambda x: np.rot90(x),
    "roll": lambda x: np.roll(x, (1, 2), axis=(0, 1)),
    "tile": lambda x: np.tile(x, 2),
    "repeat": lambda x: np.repeat(x, [1, 2, 0], axis=0),
    "pad": lambda x: np.pad(x, 1),
    "diff": lambda x: np.diff(x, axis=0),
    "diff twice": lambda x: np.diff(x, 2),
    "where": lambda x: np.where(x > 0, x, 0),
    "nonzero": lambda x: np.nonzero(x > 0)[1],
    "where alone": lambda x: np.where(x > 0)[0],
    "take": lambda x: np.take(x, [[0, 2], [1, 1]], axis=1),
    "take flat": lambda x: np.take(x, [3, 5]),
    "take clipped": lambda x: np.take(x, [3, 50], mode="clip"),
    "take_along_axis": lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1),
    "clip": lambda x: np.clip(x, -1, 1),
    "clip above": lambda x: np.clip(x, None, 1),
    "clip by name": lambda x: np.clip(x, min=0),
    "round": lambda x: np.round(x),
    "round more": lambda x: np.round(x, 2),
    "sort": lambda x: np.sort(-x, axis=0),
    "sort flat": lambda x: np.sort(-x, axis=None),
    "argsort": lambda x: np.argsort(-x),
    "searchsorted": lambda x: np.searchsorted(x[0], [0.0, -1.5]),
    "unique": lambda x: np.unique(x > 0),
    "tril": lambda x: np.tril(x, 1),
    "triu": lambda x: np.triu(x),
    "trace": lambda x: np.trace(x),
    "diagonal": lambda x: np.diagonal(x),
    "dot": lambda x: np.dot(x, x.T),
    "dot of numbers": lambda x: np.dot(x, 2.0),
    "dot of vectors": lambda x: np.dot(x[0], x[1]),
    "dot of more": lambda x: np.dot(x, np.stack([x.T, x.T])),
    "tensordot": lambda x: np.tensordot(x, x, axes=([0, 1], [0, 1])),
    "tensordot of one": lambda x: np.tensordot(x, x, axes=(1, 1)),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "outer": lambda x: np.outer(x, x[0]),
    "inner": lambda x: np.inner(x, x),
    "kron": lambda x: np.kron(x, x),
    "cross": lambda x: np.cross(x.T, x.T[::-1]),
    "zeros_like": lambda x: np.zeros_like(x),
    "ones_like": lambda x: np.ones_like(x, dtype=np.int8, shape=(2,)),
    "full_like": lambda x: np.full_like(x, 3),
    "copy": lambda x: np.copy(x),
    "asarray": lambda x: np.asarray([1, 2], like=x),
    "array": lambda x: np.array(x.tolist(), like=x),
    "norm": lambda x: np.linalg.norm(x),
    "inv": lambda x: np.linalg.inv(x[:, :3] + 3 * np.eye(3)),
    "fft": lambda x: np.fft.fft(x),
    "histogram": lambda x: np.histogram(x, bins=4)[1],
    "gradient": lambda x: np.gradient(x)[0],
    "interp": lambda x: np.interp([0.5], x[0], x[1]),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1])[0],
    "split": lambda x: np.split(x, 2, axis=1)[1],
    "insert": lambda x: np.insert(x, 1, 5.0, axis=0),
    "isclose": lambda x: np.isclose(x, x + 1e-12),
    "real": lambda x: np.real(x),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "apply_along_axis": lambda x: np.sum(np.cumsum(x, axis=0), axis=0),
    "svd": lambda x: np.linalg.svd(x).S,
    "qr": lambda x: abs(np.linalg.qr(x)[1]),
    "convolve": lambda x: np.convolve(x[0], x[1]),
    "cov": lambda x: np.cov(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numpy_functions_return_our_arrays(name):
    found, expected = FUNCTIONS[name](ours(A)), FUNCTIONS[name](A)
    zoo.assert_same(found, expected, ulps=16, atol=1e-13)


def test_results_that_are_not_arrays_are_unchanged():
    x = ours(A)
    assert np.shape(x) == (3, 4)
    assert np.ndim(x) == 2
    assert np.size(x, 1) == 4
    assert np.allclose(x, A) is True
    assert np.array_equal(x, A) is True
    assert np.result_type(x, np.float32) == np.float64
    assert np.shares_memory(x, x)
    assert "-2." in np.array2string(np.asarray(x))


def test_the_out_argument_is_written():
    out = bv.zeros((4,))
    assert np.sum(ours(A), axis=0, out=out) is out
    zoo.assert_same(out, np.sum(A, axis=0), ulps=2)
    there = np.zeros(4)
    assert np.mean(ours(A), axis=0, out=there) is there
    np.testing.assert_allclose(there, np.mean(A, axis=0))
    x = ours(A)
    np.copyto(x, 7.0)
    assert x[2, 3].item() == 7
    np.put(x, [0], 1.0)
    np.fill_diagonal(x, 5.0)
    assert x[0, 0].item() == 5
    with pytest.raises(TypeError):
        np.add(ours(A), 1, out=bv.zeros((3, 4), dtype=bv.int32))


def test_views_made_by_numpy_share_memory():
    x = ours(A)
    for view in (np.transpose(x), np.reshape(x, (12,)), np.flip(x), np.diagonal(x), np.split(x, 2, axis=1)[0], np.rot90(x)):
        assert bv.shares_memory(x, view)


def test_other_dispatching_types_are_deferred_to():
    class Unit:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "ufunc"

        def __array_function__(self, func, types, args, kwargs):
            return "function"

    x = ours(A)
    assert x + Unit() == "radd"
    assert np.add(x, Other()) == "ufunc"
    assert np.concatenate([x, Other()]) == "function"
    masked = np.ma.masked_array(A, mask=D)
    for found in (np.add(x, masked), np.add(masked, x), x + masked, masked + x):
        assert isinstance(found, np.ma.MaskedArray)
        np.testing.assert_array_equal(found.mask, D)


def test_unsupported_dtypes_fall_back_to_numpy():
    zoo.assert_same(np.add(ours(D), ~D), D + ~D)
    zoo.assert_same(np.add.reduce(ours(D)), np.add.reduce(D))


def test_numpy_only_functions_refuse_bfloat16():
    x = bv.asarray([1.0, 2.0], dtype=bv.bfloat16)
    assert np.add(x, x).dtype is bv.bfloat16
    with pytest.raises(TypeError, match="bfloat16"):
        np.frompyfunc(float, 1, 1)(x)


@pytest.mark.parametrize("name", zoo.ALL)
def test_numpy_accepts_our_dtypes(name):
    dtype = zoo.dtype(name)
    assert np.dtype(dtype) == np.dtype(name)
    assert np.zeros(2, dtype=dtype).dtype == np.dtype(name)
    assert np.dtype(name) == dtype
    assert dtype == np.dtype(name)
    assert np.issubdtype(dtype, np.generic)
    assert np.promote_types(dtype, np.bool_) == np.dtype(name)


def test_bfloat16_is_not_a_numpy_dtype():
    with pytest.raises(TypeError):
        np.dtype(bv.bfloat16)


def test_array_namespace_finds_the_package():
    compat = pytest.importorskip("array_api_compat")
    x = bv.asarray([1.0, 2.0])
    assert compat.is_array_api_obj(x)
    assert compat.array_namespace(x) is bv
    assert compat.array_namespace(x, bv.asarray(1)) is bv
    assert compat.device(x) == "cpu"
    assert compat.size(x) == 2
    assert x.__array_namespace__() is bv
    assert x.__array_namespace__(api_version="2025.12") is bv


EINOPS = [
    ("b c h w -> b (c h w)", {}),
    ("b (c d) h w -> b h w d c", {"d": 2}),
    ("b c (h p) (w q) -> b (h w) (p q c)", {"p": 2, "q": 2}),
    ("b c h w -> w h c b", {}),
    ("b c h w -> b 1 c h w 1", {}),
    ("... w -> w ...", {}),
]


@pytest.mark.parametrize(("pattern", "sizes"), EINOPS)
def test_einops_rearranges_our_arrays(pattern, sizes):
    einops = pytest.importorskip("einops")
    array_api = pytest.importorskip("einops.array_api")
    theirs = np.arange(2 * 4 * 6 * 8).reshape(2, 4, 6, 8)
    zoo.assert_same(array_api.rearrange(ours(theirs), pattern, **sizes), einops.rearrange(theirs, pattern, **sizes))


def test_einops_reduces_and_repeats_our_arrays():
    array_api = pytest.importorskip("einops.array_api")
    zoo.assert_same(array_api.reduce(ours(A), "a b -> a", "sum"), A.sum(axis=1), ulps=2)
    zoo.assert_same(array_api.repeat(ours(A), "a b -> a c b", c=2), np.stack([A, A], axis=1))


@given(zoo.broadcastable_twins(zoo.REALS, 2, kind="finite"))
def test_numpy_operators_agree_over_all_layouts(pairs):
    (x, a), (y, b) = pairs
    zoo.assert_same(a + y, a + b)
    zoo.assert_same(np.multiply(x, b), a * b)
