"""Histograms in several dimensions, and rules for the number of bins."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .operands import as_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array
    from .._types import ArrayLike
    from ..results import HistogramResult

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

_range = range


def histogram(
    x: ArrayLike | Sequence[Any],
    /,
    bins: int | str | ArrayLike | Sequence[float] = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> HistogramResult:
    """Computes a histogram: counts and bin edges.

    ``bins`` is the number of bins between the minimum and the maximum, or over ``range``; the bin edges; or a rule, as
    ``histogram_bin_edges`` takes it.

    >>> bv.histogram(bv.asarray([1.0, 2.0, 2.5, 9.0]), bins=bv.asarray([0.0, 2.0, 4.0])).counts
    array([1, 2])
    >>> bv.histogram(bv.arange(9.0), "sqrt").counts
    array([3, 3, 3])
    """
    if isinstance(bins, str):
        return bv.histogram(x, histogram_bin_edges(x, bins, range, weights), None, density, weights)
    return bv.histogram(x, bins, range, density, weights)


def histogram_bin_edges(
    a: ArrayLike | Sequence[Any],
    bins: int | str | ArrayLike | Sequence[float] = 10,
    range: tuple[float, float] | None = None,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> Array:
    """Returns the bin edges of a histogram.

    ``bins`` is a number of bins, the edges, or a rule for the width of the bins: ``"auto"``, ``"fd"``
    (Freedman-Diaconis), ``"doane"``, ``"scott"``, ``"stone"``, ``"rice"``, ``"sturges"`` or ``"sqrt"``.

    >>> bv.histogram_bin_edges(bv.asarray([0.0, 1.0, 1.5, 4.0]), bins="sturges")
    array([0.        , 1.33333333, 2.66666667, 4.        ])
    """
    a = bv.asarray(a).reshape(-1)
    if a.dtype == bv.bool:
        a = a.astype(bv.uint8)
    if weights is not None:
        weights = bv.asarray(weights)
        if weights.size != a.size:
            raise ValueError(f"weights must have the shape of a: got {weights.size} weights for {a.size} elements")
    if isinstance(bins, str):
        if bins not in _WIDTHS:
            raise ValueError(f"{bins!r} is not a rule for bins: expected one of {', '.join(sorted(_WIDTHS))}")
        if weights is not None:
            raise TypeError("a rule for bins does not take weights: give the number of bins or the edges")
        first, last = _outer_edges(a, range)
        n = _n_bins(a, bins, first, last, range is not None)
    elif _ndim(bins) == 0:
        try:
            n = operator.index(bins)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"bins must be an integer, a string or an array, got {bins!r}") from None
        if n < 1:
            raise ValueError(f"the number of bins must be positive, got {n}")
        first, last = _outer_edges(a, range)
    else:
        return _given_edges(bins, "bins")
    dtype = bv.result_type(first, last, a)
    edges = bv.linspace(first, last, n + 1, dtype=dtype if dtype.kind in "fc" else bv.float64)
    if bool(bv.any(edges[:-1] >= edges[1:])):
        raise ValueError(f"too many bins: {n} bins between {first} and {last} have no width")
    return edges


def _ndim(value: Any) -> int:
    """Returns the number of axes of an array, a sequence or a scalar."""
    return 0 if isinstance(value, (int, float)) else bv.asarray(value).ndim


def _given_edges(bins: Any, name: str) -> Array:
    """Returns the edges as an array, if they are ordered."""
    edges = bv.asarray(bins)
    if edges.ndim != 1:
        raise ValueError(f"{name} must be a number or 1-D edges, got shape {edges.shape}")
    if bool(bv.any(edges[:-1] > edges[1:])):
        raise ValueError(f"the edges of {name} must increase monotonically")
    return edges


def _outer_edges(a: Array, limits: Any) -> tuple[Any, Any]:
    """Returns the first and the last edge."""
    if limits is not None:
        first, last = (it.item() if hasattr(it, "item") else it for it in limits)
        if first > last:
            raise ValueError(f"the first limit of range must not exceed the last, got [{first}, {last}]")
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ValueError(f"the range [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = bv.min(a).item(), bv.max(a).item()
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ValueError(f"the range of the elements, [{first}, {last}], is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _n_bins(a: Array, rule: str, first: Any, last: Any, is_limited: bool) -> int:
    """Returns the number of bins between the outer edges by a rule for their width."""
    if is_limited:
        keep = (a >= first) & (a <= last)
        a = a if bool(bv.all(keep)) else a[keep]
    if a.size == 0:
        return 1
    width = _WIDTHS[rule](a, (first, last))
    if not width:
        return 1
    if a.dtype.kind in "iu" and width < 1:
        width = 1
    return math.ceil((last - first) / width)


def _ptp(a: Array) -> Any:
    return bv.max(a).item() - bv.min(a).item()


def _sqrt(a: Array, limits: Any) -> float:
    return _ptp(a) / math.sqrt(a.size)


def _sturges(a: Array, limits: Any) -> float:
    return _ptp(a) / (math.log2(a.size) + 1.0)


def _rice(a: Array, limits: Any) -> float:
    return _ptp(a) / (2.0 * a.size ** (1.0 / 3))


def _scott(a: Array, limits: Any) -> float:
    return (24.0 * math.pi**0.5 / a.size) ** (1.0 / 3.0) * bv.std(_floats(a)).item()


def _doane(a: Array, limits: Any) -> float:
    n = a.size
    if n <= 2:
        return 0.0
    a = _floats(a)
    sigma = bv.std(a).item()
    if not sigma > 0.0:
        return 0.0
    scaled = (a - bv.mean(a)) / sigma
    skewness = bv.mean(scaled * scaled * scaled).item()
    deviation = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return _ptp(a) / (1.0 + math.log2(n) + math.log2(1.0 + abs(skewness) / deviation))


def _freedman_diaconis(a: Array, limits: Any) -> float:
    upper, lower = bv.quantile(_floats(a), bv.asarray([0.75, 0.25])).tolist()
    return 2.0 * (upper - lower) * a.size ** (-1.0 / 3.0)


def _auto(a: Array, limits: Any) -> float:
    # Half the width of "sqrt" limits the number of bins.
    return min(max(_freedman_diaconis(a, limits), _sqrt(a, limits) / 2), _sturges(a, limits))


def _stone(a: Array, limits: Any) -> float:
    n, spread = a.size, _ptp(a)
    if n <= 1 or spread == 0:
        return 0.0

    def risk(count: int) -> float:
        """Returns the estimate of the integrated squared error, by leave-one-out cross-validation."""
        shares = bv.histogram(a, count, range=limits)[0] / n
        return (2 - (n + 1) * bv.dot(shares, shares).item()) * count / spread

    return spread / min(_range(1, max(100, int(math.sqrt(n))) + 1), key=risk)


def _floats(a: Array) -> Array:
    return a if a.dtype.kind == "f" else a.astype(bv.float64)


#: The rules for the width of bins.
_WIDTHS = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}


def histogram2d(
    x: ArrayLike | Sequence[Any],
    y: ArrayLike | Sequence[Any],
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> tuple[Array, Array, Array]:
    """Computes a histogram of points ``(x, y)``: the counts, the edges of ``x`` and the edges of ``y``.

    ``bins`` is one number or one array of edges for both axes, or a pair of them.

    >>> bv.histogram2d(bv.asarray([0.0, 1.0, 1.0]), bv.asarray([0.0, 0.0, 1.0]), bins=2)[0]
    array([[1., 0.],
           [1., 1.]])
    """
    x, y = bv.asarray(x), bv.asarray(y)
    if x.shape[:1] != y.shape[:1]:
        raise ValueError(f"x and y must have the same length, got shapes {x.shape} and {y.shape}")
    if not isinstance(bins, int) and hasattr(bins, "__len__") and len(bins) not in (1, 2):
        bins = [bv.asarray(bins)] * 2
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: ArrayLike | Sequence[Any],
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: ArrayLike | Sequence[Any] | None = None,
) -> tuple[Array, list[Array]]:
    """Computes a histogram of points: the counts and the edges of each axis.

    ``sample`` is a matrix with a row for each point, or a sequence of the coordinates. ``bins`` is one number for all
    axes, or a number or the edges for each.

    >>> counts, edges = bv.histogramdd(bv.asarray([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), bins=(1, 2))
    >>> counts
    array([[2., 1.]])
    """
    columns = _columns(sample)
    n_axes = len(columns)
    if hasattr(bins, "__len__") and getattr(bins, "ndim", 1) != 0:
        if len(bins) != n_axes:
            raise ValueError(f"bins must have an entry for each of the {n_axes} axes, got {len(bins)}")
    else:
        bins = [bins] * n_axes
    if range is None:
        range = [None] * n_axes
    elif len(range) != n_axes:
        raise ValueError(f"range must have an entry for each of the {n_axes} axes, got {len(range)}")
    located = [_locate(*it) for it in zip(columns, bins, range, _range(n_axes))]
    edges = [it[0] for it in located]
    # The last bin of each axis counts the points outside.
    lengths = [len(it) for it in edges]
    flat = located[0][1]
    for (_, positions), length in zip(located[1:], lengths[1:]):
        flat = flat * length + positions
    if weights is not None:
        weights = bv.asarray(weights).astype(bv.float64, copy=False)
    counts = bv.bincount(flat, weights, minlength=math.prod(lengths)).astype(bv.float64, copy=False)
    counts = counts.reshape(tuple(lengths))[tuple(slice(0, length - 1) for length in lengths)]
    if density:
        total = bv.sum(counts)
        for k, edge in enumerate(edges):
            widths = bv.diff(edge)
            counts = counts / widths.reshape(tuple(-1 if k == it else 1 for it in _range(n_axes)))
        counts /= total
    return counts, edges


def _columns(sample: Any) -> list[Array]:
    """Returns the coordinates of each axis."""
    if getattr(sample, "ndim", 0) == 2:
        return list(bv.unstack(as_numbers(sample), axis=1))
    if isinstance(sample, (list, tuple)) and sample and all(getattr(it, "ndim", 0) == 1 for it in sample):
        columns = [as_numbers(it) for it in sample]
        if len({it.shape for it in columns}) != 1:
            raise ValueError(f"the coordinates must have the same length, got {[len(it) for it in columns]}")
        return columns
    points = bv.atleast_2d(as_numbers(bv.asarray(sample)))
    if points.ndim != 2:
        raise ValueError(f"sample must have 2 axes, got shape {points.shape}")
    return list(bv.unstack(points, axis=0))


def _locate(x: Array, bins: Any, limits: Any, k: int) -> tuple[Array, Array]:
    """Returns the edges of an axis and the bin of each element, or the number of bins for those outside."""
    if _ndim(bins) > 0:
        edges = _given_edges(bins, f"bins[{k}]")
        n = len(edges) - 1
        positions = bv.searchsorted(edges, x, side="right") - 1
        positions = bv.where(x == edges[-1], n - 1, positions)
        return edges, bv.where(positions < 0, n, positions)
    if bins < 1:
        raise ValueError(f"bins[{k}] must be positive, got {bins}")
    try:
        n = operator.index(bins)
    except TypeError:
        raise TypeError(f"bins[{k}] must be an integer or edges, got {bins!r}") from None
    first, last = _outer_edges(x, limits)
    # The limits of floats have their dtype.
    edges = bv.linspace(first, last, n + 1, dtype=x.dtype if limits is None and x.dtype.kind == "f" else bv.float64)
    x = x.astype(bv.float64, copy=False)
    inside = None if limits is None else (x >= first) & (x <= last)
    if inside is not None:
        x = bv.where(inside, x, first)
    positions = evenly_spaced_cells(edges.astype(bv.float64, copy=False), x)
    return edges, positions if inside is None else bv.where(inside, positions, n)


def is_evenly_spaced(edges: Array) -> bool:
    """Whether the distances of at least 3 edges are equal, up to a quarter."""
    n = len(edges) - 1
    if n < 2:
        return False
    first, last = edges[0].item(), edges[-1].item()
    step = (last - first) / n
    if not (0 < step < math.inf and first + step > first and last - step < last):
        return False
    return bool(bv.all(bv.abs(edges - bv.linspace(first, last, n + 1)) < step / 4))


def evenly_spaced_cells(edges: Array, x: Array) -> Array:
    """Returns for each element the position of the last edge that is not greater, or the last but one.

    A quotient finds the cell up to rounding errors, which a comparison with its edges corrects.
    """
    n = len(edges) - 1
    first, last = edges[0].item(), edges[-1].item()
    cells = x - first
    cells *= n / (last - first)
    cells = bv.clip(cells.astype(bv.int64), 0, n - 1)
    cells -= bv.astype(x < bv.take(edges, cells), bv.int64)
    cells += bv.astype(x >= bv.take(edges, cells + 1), bv.int64)
    return bv.clip(cells, 0, n - 1)
