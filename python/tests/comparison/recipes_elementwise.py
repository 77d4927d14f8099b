"""Calls of elementwise functions: those of all ufuncs, and functions that are not ufuncs in NumPy."""

from __future__ import annotations

UNARY = [
    "f(x)", "f(t)", "f(s)", "f(e)", "f(nan)", "f(3)", "f(0.5)", "f(True)", "f([1, 2, 3])", "f([[0.5, 1.5]])",
    "f(x, out=o)", "f(x, ox)", "f(x, out=(ox,))", "f(x, out=o_wrong)", "f(x, out=ox, where=m)",
    "f(x, dtype=xp.float32)", "f(x, dtype=d)", "f(x, dtype='float64')", "f()",
]  # fmt: skip

BINARY = [
    "f(x, y)", "f(x, row)", "f(column, row)", "f(t, x)", "f(x, s)", "f(e, row)", "f(x, 2)", "f(2, x)", "f(x, 1.5)",
    "f(x, True)", "f(x, [1, 2, 3, 4])", "f(3, 2)", "f([1, 2], [3, 4])", "f(x, v)", "f(x, ranks)", "f(x, m)", "f(nan, x)",
    "f(x, y, out=o)", "f(x, y, ox)", "f(x, y, out=ox, where=m)", "f(x, y, out=o_wrong)", "f(x, y, dtype=xp.float32)",
    "f(x, row, dtype='float64')", "f(x, x)", "f(x)",
]  # fmt: skip

TWO_OUTPUTS = ["f(x)", "f(s)", "f(e)", "f(nan)", "f(2.5)", "f(7)", "f([1.5, 2])", "f(x, out=(o, None))"]
TWO_OF_TWO = ["f(x, y)", "f(x, row)", "f(x, 2)", "f(7, x)", "f(nan, 2.0)", "f(7, 2)", "f(x, y, out=(ox, None))"]

#: By the numbers of inputs and outputs.
FAMILIES = {(1, 1): UNARY, (2, 1): BINARY, (1, 2): TWO_OUTPUTS, (2, 2): TWO_OF_TWO}

#: Methods of ufuncs, for the functions that have them.
UFUNC_METHODS = {
    "reduce": ["f(x)", "f(x, 1)", "f(x, axis=None)", "f(t, axis=(0, 2))", "f(x, axis=0, keepdims=True)", "f([x, y])",
               "f([1, 2, 3])", "f(e)", "f(x, dtype=xp.float64)", "f(x, out=o4)", "f(x, initial=3)", "f(x, where=m)"],
    "accumulate": ["f(x)", "f(x, 1)", "f(x, axis=-1)", "f([1, 2, 3])", "f(v, out=ov)", "f(x, dtype=xp.float64)", "f(e)"],
    "outer": ["f(v, w)", "f(x, v)", "f([1, 2], [3, 4, 5])", "f(v, 2)", "f(s, v)"],
    "at": ["after(f(ov, i), ov)", "after(f(ov, i, 2), ov)", "after(f(ov, i, v), ov)", "after(f(ox, (i[:3], i[:3]), 2), ox)"],
    "reduceat": ["f(v, [0, 2])", "f(x, [0, 1])", "f(x, [0, 2], axis=1)", "f(v, [3, 1, 4])", "f(v, [0, 9])"],
}  # fmt: skip

_PLAIN_UNARY = ["f(x)", "f(t)", "f(s)", "f(e)", "f(nan)", "f(z)", "f(3)", "f(0.5)", "f([1, 2.5])", "f()"]

CALLS: dict[str, list[str]] = {
    "real imag iscomplex isreal iscomplexobj isrealobj i0 sinc": _PLAIN_UNARY,
    "isneginf isposinf fix": [*_PLAIN_UNARY, "f(nan, out=ob)", "f(nan, ob)"],
    "angle": [*_PLAIN_UNARY, "f(z, True)", "f(z, deg=True)"],
    "nan_to_num": [*_PLAIN_UNARY, "f(nan, nan=3.0)", "f(nan, posinf=9.0, neginf=-9.0)", "f(nan, False)", "f(x, copy=False)",
                   "f(nan, copy=False, nan=1.0)", "f(nan, True, 5.0)"],
    "real_if_close": ["f(x)", "f(z)", "f(x + 1e-18j)", "f(x + 1e-9j, tol=1e9)", "f([1 + 0j, 2])", "f(s)"],
    "round around": ["f(x)", "f(x, 1)", "f(x, decimals=-1)", "f(x, 2, ox)", "f(x, out=o)", "f(2.675, 2)", "f(17, -1)",
                     "f([1.25, 3.35], 1)", "f(nan, 1)", "f(s)", "f(e)", "f(z, 1)"],
    "clip": ["f(x, 0, 2)", "f(x, 1, None)", "f(x, None, 2)", "f(x, a_min=0, a_max=2)", "f(x, min=0, max=2)", "f(x, row, 3)",
             "f(x, 0.5, 2.5)", "f(x, 0, 2, ox)", "f(x, 0, 2, out=o)", "f(5, 0, 2)", "f([1, 7], 2, 5)", "f(nan, 0, 1)",
             "f(x, 3, 1)", "f(x)", "f(x, s, None)"],
    "isclose allclose": ["f(x, y)", "f(x, x)", "f(x, x + 1)", "f(x, row)", "f(nan, nan)", "f(nan, nan, equal_nan=True)",
                         "f(1.0, 1.0 + 1e-9)", "f(x, 1, 0.5)", "f(x, 1, 0, 1)", "f([1, 2], [1, 3])", "f(x, v)",
                         "f(x, y, rtol=1.0, atol=3.0)", "f(e, e)"],
    "array_equal array_equiv": ["f(x, y)", "f(x, x)", "f(x, row)", "f(nan, nan)", "f([1, 2], [1, 2])", "f(x, v)",
                                "f(row, [row, row])", "f(1, 1)", "f(e, e)"],
    "where": ["f(m, x, y)", "f(m, x, 0)", "f(m, 1, x)", "f(x, 1, 2)", "f(x > 0, x, row)", "f(x)", "f(m)", "f(mv)",
              "f([True, False], [1, 2], 3)", "f(m, x, nan)", "f(True, x, y)", "f(m, x)", "f(m, 1.5, True)", "f(e)"],
    "interp": ["f([0.5, 1.5], [0, 1, 2], [3, 4, 8])", "f(v, ascending, w)", "f(1.25, [0, 1, 2], [1.0, 2, 4])",
               "f(v, [0, 1, 2], [1, 5, 3], left=-9, right=9)", "f(v, [0, 1, 2], [1, 5, 3], period=3)", "f(x, [0, 3], [1, 2])",
               "f(0.5, [0, 1], [1j, 2])", "f(v, [0, 1], [1, 2, 3])"],
    "unwrap": ["f(v)", "f(x)", "f(x, axis=0)", "f(x, 2)", "f(x, discont=1.0)", "f(x, period=4)", "f([0, 3, 6, 9, 12.5])"],
    "piecewise": ["f(x, [x > 0], [1, 2])", "f(x, [m, ~m], [3, 4])", "f(v, [mv], [7])", "f(v, mv, [lambda a: a + 1, 0])",
                  "f(1.5, [True], [2])", "f(x, [m], [1, 2, 3])"],
    "select": ["f([m, ~m], [x, y])", "f([m], [x], 5)", "f([m, m], [1, 2], default=3)", "f([mv], [v])", "f([], [])", "f([m], [x, y])",
               "f([row > 0, row < 0], [1.5, x])"],
    "vectorize": ["f(lambda a, b: a + 2 * b)(x, y)", "f(lambda a: a > 0)(x)", "f(lambda a, b: a * b)(v, 2)",
                  "f(lambda a: a, otypes=[xp.float64])(ranks)", "f(lambda a: (a, -a))(ranks)",
                  "f(lambda a: a.sum(), signature='(n)->()')(x)"],
    "frompyfunc": ["f(lambda a, b: a + b, 2, 1).nin"],
    "gradient": ["f(v)", "f(x)", "f(x, 2)", "f(x, axis=0)", "f(x, 2.0, axis=1)", "f(wide, edge_order=2)", "f(x, axis=(0, 1))",
                 "f(v, ascending + [0, 1, 2, 3, 4])", "f([1, 2, 4, 7])", "f(x, 1, 2)", "f(s)", "f(x, axis=2)", "f([1])"],
    "diff": ["f(v)", "f(x)", "f(x, 2)", "f(x, axis=0)", "f(x, 1, 0)", "f(x, n=0)", "f(v, prepend=0)", "f(v, append=w)",
             "f(x, axis=0, prepend=row[None])", "f([1, 4, 9])", "f(s)", "f(x, -1)", "f(e)", "f(v, n=7)"],
    "ediff1d": ["f(v)", "f(x)", "f(v, 9)", "f(v, to_begin=0)", "f(v, [9], [1, 2])", "f([1, 4, 9])", "f(empty)"],
    "convolve correlate": ["f(v, w)", "f(v, pair)", "f(pair, v)", "f(v, w, 'same')", "f(v, pair, mode='valid')", "f([1, 2, 3], [0, 1])",
                           "f(v, 2)", "f(z, v)", "f(v, empty)", "f(x, v)", "f(v, w, 'none')", "f(v, z, 'full')"],
    "trapezoid": ["f(v)", "f(x)", "f(x, axis=0)", "f(v, w)", "f(v, dx=0.5)", "f(x, row)", "f(x, [0, 1, 3], axis=0)", "f([1, 2, 3])", "f(s)"],
    "heaviside": BINARY,
    "polyval": ["f([1, 2, 3], v)", "f(v, 2)", "f(v, x)", "f([3, 0, 1], 5)", "f(pair, w)"],
    "polyadd polysub polymul": ["f(v, w)", "f(v, pair)", "f([1, 2], [3])", "f(3, v)", "f(pair, v)"],
    "polydiv": ["f([1.0, 5, 6], [1.0, 2])", "f([2, 0, 1], [1])", "f(v + 0.0, [1.0, 1])", "f([1.0], [1.0, 2, 3])"],
    "polyder polyint": ["f([1, 2, 3])", "f(v)", "f(v, 2)", "f(v, m=1)", "f([5])", "f(v, 0)", "f(v, -1)"],
    "polyfit": ["f([0, 1, 2, 3], [1, 3, 7, 13], 2)", "f(ascending, v, 1)", "f([0, 1, 2, 3], row, 1)", "f([0.0, 1, 2], [1, 2, 5], 1, w=[1, 2, 1])",
                "f([0, 1, 2, 3.0, 5], v, 1, cov=True)", "f([0, 1, 2], tall[:3], 1)", "f([0, 1], [1, 2, 3], 1)", "f([0.0, 1], [1, 2], -1)"],
    "poly": ["f([1, 2, 3])", "f(v)", "f([])", "f([1j, -1j])", "f(general)", "f(x)"],
    "roots": ["xp.sort(xp.real(f([1, -6, 11, -6])))", "xp.sort(xp.abs(f([1, 0, 1])))", "f([0, 0, 0])", "xp.sort(f([2.0, -3, 0]))", "f(x)", "f([5])"],
    "vander": ["f(v)", "f(v, 3)", "f([1, 2, 3], increasing=True)", "f(v, N=2)", "f(x)", "f([1, 2], 0)"],
}  # fmt: skip
