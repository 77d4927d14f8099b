"""Calls of reductions, cumulative functions and statistics."""

from __future__ import annotations

_REDUCTION = [
    "f(x)", "f(x, 0)", "f(x, axis=1)", "f(x, axis=-1)", "f(t, axis=(0, 2))", "f(x, axis=())", "f(x, axis=None)", "f(x, axis=0, keepdims=True)",
    "f(t, axis=1, keepdims=True)", "f(x, keepdims=True)", "f(s)", "f(s, axis=0)", "f(e)", "f(e, axis=0)", "f(e, axis=1)", "f(nan)", "f(nan, axis=1)",
    "f([1, 2, 3])", "f(3)", "f([[1.5, 2], [3, 4]], 0)", "f(x, axis=5)", "f(x, axis=(0, 0))", "f(x, axis=0, out=o4)", "f(x, 1, out=ox3)",
    "f(x, axis=0, out=o3)", "f([x, y], axis=0)",
]  # fmt: skip
_DTYPE = ["f(x, dtype=xp.float32)", "f(x, 0, xp.float64)", "f(x, dtype=xp.int32)", "f(x, axis=1, dtype='complex128')", "f(x, dtype=d)"]
_DTYPED_OUT = [*_DTYPE, "f(x, 0, None, ox4)", "f(x, 0, None, ox4, True)"]
_WHERE = ["f(x, where=m)", "f(x, axis=0, where=m)", "f(x, axis=1, where=row > 0, keepdims=True)", "f(nan, where=m)"]
_INITIAL = ["f(x, initial=3)", "f(x, axis=0, initial=2)", "f(e, initial=1)", "f(x, initial=2, where=m)", "f(x, 0, initial=None)"]
_DDOF = ["f(x, ddof=1)", "f(x, axis=0, ddof=2)", "f(x, correction=1)", "f(x, 0, None, None, 1)", "f(x, mean=x.mean(0, keepdims=True), axis=0)"]
_CUMULATIVE = [
    "f(x)", "f(v)", "f(x, 0)", "f(x, axis=1)", "f(t, axis=-2)", "f(x, axis=None)", "f(s)", "f(e)", "f(e, axis=0)", "f([1, 2, 3])", "f(4)", "f(x, axis=7)",
    "f(x, dtype=xp.float32)", "f(x, 1, xp.float64)", "f(x, axis=0, out=o)", "f(x, 1, None, ox)", "f(nan, axis=1)", "f(v, out=ov)", "f(x, dtype=d, axis=0)",
]  # fmt: skip
_POSITION = [
    "f(x)", "f(x, 0)", "f(x, axis=1)", "f(x, axis=-1, keepdims=True)", "f(t, axis=1)", "f(s)", "f(e)", "f(e, axis=1)", "f(nan)", "f(nan, axis=0)", "f([3, 9, 2])",
    "f(x, axis=3)", "f(x, keepdims=True)", "f(x, axis=(0, 1))", "f(x, 0, out=xp.zeros(4, dtype=xp.int64))", "f(x, axis=0, out=o4)", "f(4)",
]  # fmt: skip
_QUANTILE = [
    "f(x, {half})", "f(x, {half}, 0)", "f(x, {three}, axis=1)", "f(t, {half}, axis=(0, 2))", "f(x, {three}, keepdims=True)", "f(x, {half}, axis=0, keepdims=True)",
    "f(x, {half}, method='lower')", "f(x, {three}, method='nearest')", "f(x, {half}, method='midpoint')", "f(x, {half}, 0, method='higher')",
    "f([1, 2, 3, 4], {half})", "f(nan, {half})", "f(nan, {half}, axis=0)", "f(x, 3000)", "f(e, {half})", "f(x, {three}, method='weibull')",
    "f(x, {half}, axis=0, out=o4)", "f(v, {three}, method='inverted_cdf')", "f(x, {half}, method='none')", "f(s, {half})", "f(v, {matrix})",
]  # fmt: skip


def _quantile(scale: float) -> list[str]:
    numbers = {"half": 0.5 * scale, "three": [0.1 * scale, 0.25 * scale, scale], "matrix": [[0, 0.5 * scale], [scale, 0.75 * scale]]}
    return [it.format(**numbers) for it in _QUANTILE]


_HISTOGRAM = [
    "f(x)", "f(v, 4)", "f(x, bins=3, range=(0, 3))", "f(v, [0, 1, 2, 4])", "f(v, bins=ascending[[0, 1, 2, 4]])", "f([1, 2, 2, 5], 3)", "f(v, range=(3, 1))",
    "f(v, [2, 1, 0])", "f(v, 0)", "f(wide, 'auto')", "f(wide, bins='sturges')", "f(v, 3, (0, 2), w)", "f(v, 3, weights=w)", "f(e)",
]  # fmt: skip
_COVARIANCE = ["f(x)", "f(v)", "f(x, rowvar=False)", "f(v, w)", "f(x, y)", "f([[1, 2, 4], [2, 1, 0]])", "f(x, None, False)", "f(t)"]

CALLS: dict[str, list[str]] = {
    "sum prod nansum nanprod": _REDUCTION + _DTYPED_OUT + _WHERE + _INITIAL,
    "mean nanmean": _REDUCTION + _DTYPED_OUT + _WHERE,
    "std var nanstd nanvar": _REDUCTION + _DTYPE + _WHERE + _DDOF,
    "max min amax amin nanmax nanmin": [*_REDUCTION, *_WHERE, *_INITIAL, "f(x, 0, ox4)", "f(x, 0, ox4, True)"],
    "all any": [*_REDUCTION, *_WHERE, "f(x, 0, ob[0])", "f(x, None, None, True)"],
    "ptp": [*_REDUCTION, "f(x, 0, ox4)"],
    "count_nonzero": [it for it in _REDUCTION if "out" not in it],
    "median nanmedian": [*_REDUCTION, "f(x, 0, None, True)", "f(x.copy(), overwrite_input=True)"],
    "argmax argmin nanargmax nanargmin": _POSITION,
    "cumsum cumprod nancumsum nancumprod": _CUMULATIVE,
    "cumulative_sum cumulative_prod": [
        "f(v)", "f(x)", "f(x, axis=0)", "f(x, axis=1, include_initial=True)", "f(x, axis=-1, dtype=xp.float64)", "f(x, axis=0, out=ox)", "f([1, 2, 3])",
        "f(v, include_initial=True)", "f(x, axis=5)", "f(s)", "f(e, axis=0)",
    ],
    "quantile nanquantile": _quantile(1),
    "percentile nanpercentile": _quantile(100),
    "average": [
        "f(x)", "f(x, 0)", "f(x, axis=1)", "f(x, weights=y)", "f(x, axis=0, weights=[1, 2, 1])", "f(x, 1, [1, 0, 2, 1], True)", "f(v, weights=w + 9, returned=True)",
        "f(x, axis=(0, 1))", "f(x, axis=0, keepdims=True)", "f(x, weights=[1, 2])", "f([1, 2, 6])", "f(v, weights=[0, 0, 0, 0, 0])", "f(e)",
    ],
    "cov": [*_COVARIANCE, "f(x, bias=True)", "f(x, ddof=0)", "f(x, fweights=[1, 2, 1, 3])", "f(x, aweights=[1.0, 0.5, 2, 1])", "f(x, dtype=xp.float32)", "f(v, bias=True)"],
    "corrcoef": [*_COVARIANCE, "f(x, dtype=xp.float32)"],
    "histogram": [*_HISTOGRAM, "f(v, 3, density=True)", "f(v, 3, (0, 2), True)"],
    "histogram_bin_edges": _HISTOGRAM,
    "histogram2d": ["f(v, w)", "f(v, w, 3)", "f(v, w, bins=[2, 3])", "f(v, w, bins=[[0, 1, 2], [0, 2, 5]])", "f(v, w, 2, [[0, 2], [0, 3]])", "f(v, w, density=True)",
                    "f(v, w, 2, weights=v)", "f(v, pair)"],
    "histogramdd": ["f(tall)", "f(tall, 2)", "f(tall, bins=[2, 3, 1])", "f(tall, 2, [[0, 2], [0, 3], [0, 1]])", "f(tall, 2, density=True)", "f((v, w), 3)"],
    "bincount": ["f(ranks[0])", "f([0, 1, 1, 5])", "f(ranks[0], row)", "f(ranks[0], minlength=9)", "f(ranks[0], None, 8)", "f(v)", "f([])", "f([-1])", "f(x)",
                 "f(u8[0])", "f([1, 2], [0.5, 0.25])", "f([1, 2], [0.5])"],
    "digitize": ["f(v, [0, 1, 2])", "f(x, ascending[[0, 1, 2, 4]])", "f(v, [3, 1, 0])", "f(v, [0, 1, 2], True)", "f(1.5, [0, 1, 2])", "f(v, [0, 2, 1])",
                 "f([0.5, 9], [1, 2], right=True)", "f(z, [1, 2])"],
    "searchsorted": ["f(ascending, v)", "f(ascending, 1.5)", "f(ascending, 1.5, 'right')", "f(ascending, x, side='right')", "f([1, 2, 4], [3, 0])", "f(v, 1, 'left', xp.argsort(v))",
                     "f(v, w, sorter=xp.argsort(v))", "f(xp.sort(v), w)", "f(xp.sort(v), w, side='right')", "f(x, 1)", "f(ascending, v, 'middle')", "f(ascending, nanv)"],
}  # fmt: skip
