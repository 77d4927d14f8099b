"""Elementary functions are within one unit in the last place, measured against NumPy's extended precision."""

import numpy as np
import pytest

import belvedere as bv

EXTENDED = np.longdouble
pytestmark = pytest.mark.skipif(np.finfo(EXTENDED).nmant < 63, reason="NumPy's longdouble is no wider than float64")

NUMPY = {"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "asin": "arcsin", "acos": "arccos", "atan": "arctan"}
FUNCTIONS = [*NUMPY, *"sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p cbrt".split()]


def units(found, exact, dtype):
    """Returns the differences in units in the last place."""
    info = np.finfo(dtype)
    exponent = np.maximum(np.floor(np.log2(np.abs(exact))), info.minexp)
    return np.abs(found.astype(EXTENDED) - exact) / np.exp2(exponent - info.nmant)


def samples(dtype, n=20_000):
    rng, info = np.random.default_rng(3), np.finfo(dtype)
    sign = rng.choice([-1.0, 1.0], n)
    return np.concatenate(
        [
            sign * np.exp2(rng.uniform(info.minexp, info.maxexp - 1, n)),
            sign * np.exp2(rng.uniform(-30, 10, n)),
            rng.uniform(-20, 20, n),
            1 + sign * np.exp2(rng.uniform(-50, 0, n)),
            rng.integers(1, 10**6, n) * (np.pi / 2),
            sign * rng.uniform(1e5, 1e8, n),
            [1e-9, 1e22, 0.5, 1.0],
        ]
    ).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_within_one_unit(name, dtype):
    x = samples(dtype)
    twin = getattr(np, NUMPY.get(name, name))
    with np.errstate(all="ignore"):
        exact, found = twin(x.astype(EXTENDED)), np.asarray(getattr(bv, name)(x))
        regular = np.isfinite(exact) & (np.abs(exact) < np.finfo(dtype).max) & (x != 0)
        error = units(found[regular], exact[regular], dtype)
    worst = np.argmax(np.nan_to_num(error, nan=np.inf))
    assert error[worst] <= 1, f"{name}({x[regular][worst]!r}): {error[worst]:.3f} units"
    assert (np.isnan(found) == np.isnan(exact)).all()


@pytest.mark.parametrize("name", ["sin", "cos", "log", "log1p"])
def test_common_functions_are_nearly_correctly_rounded(name):
    x = samples(np.float64)
    x = x[np.abs(x) < 1e6]
    with np.errstate(all="ignore"):
        exact, found = getattr(np, name)(x.astype(EXTENDED)), np.asarray(getattr(bv, name)(x))
        regular = np.isfinite(exact) & (exact != 0)
        error = units(found[regular], exact[regular], np.float64)
    assert error.max() <= 0.66, x[regular][np.argmax(error)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hypotenuses_are_within_one_unit(dtype):
    rng, n = np.random.default_rng(5), 50_000
    info = np.finfo(dtype)
    x = np.exp2(rng.uniform(info.minexp, info.maxexp - 2, n)).astype(dtype)
    for y in (x * rng.uniform(0, 2, n), x * np.exp2(rng.uniform(-30, 0, n)), rng.permutation(x)):
        y = y.astype(dtype)
        exact = np.hypot(x.astype(EXTENDED), y.astype(EXTENDED))
        regular = np.abs(exact) < info.max
        pairs = np.empty(n, dtype=np.result_type(dtype, np.complex64))
        pairs.real, pairs.imag = x, -y
        for found, most in ((bv.hypot(x, y), 0.52), (bv.abs(bv.asarray(pairs)), 0.87)):
            error = units(np.asarray(found)[regular], exact[regular], dtype)
            assert error.max() <= most, (x[regular][np.argmax(error)], y[regular][np.argmax(error)])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_angles_are_within_one_unit(dtype):
    y, x = samples(dtype), np.random.default_rng(6).permutation(samples(dtype))
    for y, x in ((y, x), (y, y * np.random.default_rng(7).uniform(-2, 2, y.size).astype(dtype))):
        exact = np.arctan2(y.astype(EXTENDED), x.astype(EXTENDED))
        error = units(np.asarray(bv.atan2(y, x)), exact, dtype)
        assert error.max() <= 1, (y[np.argmax(error)], x[np.argmax(error)])


def test_cosine_near_zero_is_one():
    assert float(bv.cos(1e-9)) == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_are_within_one_unit(dtype):
    rng, n = np.random.default_rng(4), 20_000
    info = np.finfo(dtype)
    pairs = [
        (np.exp2(rng.uniform(-3, 3, n)), rng.uniform(-20, 20, n)),
        (np.exp2(rng.uniform(info.minexp - 20, info.maxexp - 1, n)), rng.uniform(-1, 1, n)),
        (1 + rng.uniform(-0.5, 0.5, n) * np.exp2(rng.uniform(-20, -1, n)), np.exp2(rng.uniform(0, 20, n))),
        (-rng.integers(1, 30, n).astype(float), rng.integers(-20, 20, n).astype(float)),
    ]
    for x, y in ((x.astype(dtype), y.astype(dtype)) for x, y in pairs):
        with np.errstate(all="ignore"):
            exact = np.power(x.astype(EXTENDED), y.astype(EXTENDED))
            found = np.asarray(bv.pow(bv.asarray(x), bv.asarray(y)))
            regular = np.isfinite(exact) & (np.abs(exact) < info.max) & (exact != 0)
            error = units(found[regular], exact[regular], dtype)
        worst = np.argmax(error)
        assert error[worst] <= 1, (x[regular][worst], y[regular][worst], error[worst])
    one = bv.asarray(np.float64([2.5]))
    np.testing.assert_array_equal(np.asarray(one**1.7), np.asarray(one ** bv.asarray([1.7])))


def print_table():
    """Prints the greatest error of each function beside NumPy's: `python python/tests/test_accuracy.py`."""
    print(f"{'function':10}{'float32':>10}{'NumPy':>10}{'float64':>10}{'NumPy':>10}")
    for name in FUNCTIONS:
        row = f"{name:10}"
        for dtype in (np.float32, np.float64):
            x, twin = samples(dtype, 1_000_000), getattr(np, NUMPY.get(name, name))
            with np.errstate(all="ignore"):
                exact = twin(x.astype(EXTENDED))
                regular = np.isfinite(exact) & (np.abs(exact) < np.finfo(dtype).max) & (x != 0)
                for found in (np.asarray(getattr(bv, name)(x)), twin(x)):
                    row += f"{units(found[regular], exact[regular], dtype).max():10.3f}"
        print(row, flush=True)


if __name__ == "__main__":
    print_table()
