"""Grids of coordinates, ranges, and arrays written as an index."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import as_shape, is_python_scalar

if TYPE_CHECKING:
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike, DTypeLike, Shape

__all__ = ["c_", "geomspace", "index_exp", "indices", "logspace", "mgrid", "ogrid", "r_", "s_"]


def indices(dimensions: Shape, dtype: DTypeLike = int, sparse: bool = False) -> Any:
    """Returns the coordinates of the elements of a shape: one array, or with ``sparse`` a tuple of open grids.

    >>> bv.indices((2, 3))[1]
    array([[0, 1, 2],
           [0, 1, 2]])
    >>> bv.indices((2, 3), sparse=True)
    (array([[0],
           [1]]), array([[0, 1, 2]]))
    """
    shape = as_shape(dimensions)
    n = len(shape)
    # A shape that no array has is refused before work that is quadratic in its length.
    bv.broadcast_to(0, shape)
    open_grid = [
        bv.reshape(bv.arange(length, dtype=dtype), shape=(1,) * k + (length,) + (1,) * (n - k - 1))
        for k, length in enumerate(shape)
    ]
    if sparse:
        return tuple(open_grid)
    result = bv.empty((n, *shape), dtype=dtype)
    for k, it in enumerate(open_grid):
        result[k] = it
    return result


def _coordinates(part: slice) -> Array:
    """Returns the coordinates of a slice; an imaginary step is the number of points, and includes the end."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, complex) or getattr(getattr(step, "dtype", None), "kind", "") == "c":
        return bv.linspace(float(start), float(part.stop), num=int(abs(complex(step))))
    values = [it if is_python_scalar(it) else it.item() for it in (start, part.stop, step)]
    return bv.arange(*values)


class _Grid:
    """Makes grids of coordinates from slices: ``mgrid[0:2, 0:3]``."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        if isinstance(key, slice):
            return _coordinates(key)
        axes = [_coordinates(it) for it in key]
        dtype = bv.result_type(*[it.dtype for it in axes])
        n = len(axes)
        open_grid = [
            bv.reshape(bv.astype(it, dtype, copy=False), shape=(1,) * k + (it.size,) + (1,) * (n - k - 1))
            for k, it in enumerate(axes)
        ]
        if self.sparse:
            return tuple(open_grid)
        result = bv.empty((n, *[it.size for it in axes]), dtype=dtype)
        for k, it in enumerate(open_grid):
            result[k] = it
        return result

    def __repr__(self) -> str:
        return f"belvedere.{'ogrid' if self.sparse else 'mgrid'}"


#: Dense grids of coordinates: ``mgrid[0:2, 0:3]`` has shape ``(2, 2, 3)``. A step ``5j`` means 5 points.
mgrid = _Grid(sparse=False)

#: Open grids of coordinates: ``ogrid[0:2, 0:3]`` is a tuple of arrays of shape ``(2, 1)`` and ``(1, 3)``.
ogrid = _Grid(sparse=True)


class _Index:
    """Returns the index that it is subscripted with."""

    def __init__(self, as_tuple: bool) -> None:
        self.as_tuple = as_tuple

    def __getitem__(self, key: Any) -> Any:
        return (key,) if self.as_tuple and not isinstance(key, tuple) else key

    def __repr__(self) -> str:
        return f"belvedere.{'index_exp' if self.as_tuple else 's_'}"


#: The index itself: ``s_[1:3, ...]`` is ``(slice(1, 3), ...)``.
s_ = _Index(as_tuple=False)

#: The index as a tuple: ``index_exp[1:3]`` is ``(slice(1, 3),)``.
index_exp = _Index(as_tuple=True)


class _Concatenator:
    """Concatenates slices, numbers and arrays that are written as an index: ``r_[1:4, 0, 7]``.

    A first item ``"axis,ndim,first"`` says which axis to join, the least number of axes, and where the axes of
    arrays with fewer of them go.
    """

    def __init__(self, name: str, axis: int, ndmin: int, first: int) -> None:
        self.name, self.axis, self.ndmin, self.first = name, axis, ndmin, first

    def __getitem__(self, key: Any) -> Array:
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndmin, first = self.axis, self.ndmin, self.first
        if items and isinstance(items[0], str):
            axis, ndmin, first = self._directive(items.pop(0))
        arrays, weak = [], []
        for it in items:
            if isinstance(it, str):
                raise ValueError("special directives must be the first entry")
            x = _coordinates(it) if isinstance(it, slice) else bv.asarray(it)
            weak.append(it if is_python_scalar(it) else x.dtype)
            n_axes = 0 if is_python_scalar(it) else x.ndim
            arrays.append(self._raised(x, n_axes, ndmin, first))
        if not arrays:
            raise ValueError("need at least one array to concatenate")
        if all(is_python_scalar(it) for it in weak):
            return bv.concat(arrays, axis=axis)
        dtype = bv.result_type(*weak)
        return bv.concat([bv.astype(it, dtype, copy=False) for it in arrays], axis=axis)

    def _directive(self, text: str) -> tuple[int, int, int]:
        if text in ("r", "c"):
            raise UnsupportedError(f"{self.name}[{text!r}, …] makes a matrix: use an array with 2 axes")
        try:
            given = [int(it) for it in text.split(",")]
        except ValueError:
            raise ValueError(f"unknown special directive {text!r}") from None
        own = (self.axis, self.ndmin, self.first)
        axis, ndmin, first = (*given, *own[len(given) :])
        return axis, ndmin, first

    @staticmethod
    def _raised(x: Array, n_axes: int, ndmin: int, first: int) -> Array:
        """Returns the array with at least ``ndmin`` axes, its own ones from position ``first``."""
        n_new = max(ndmin - n_axes, 0)
        if n_axes == 0:
            return bv.reshape(x, shape=(1,) * max(ndmin, 1))
        # A negative position counts from the last place where the axes of the array fit.
        place = first if first >= 0 else n_new + first + 1
        place = min(max(place, 0), n_new)
        return bv.reshape(x, shape=(1,) * place + x.shape + (1,) * (n_new - place))

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"belvedere.{self.name}"


#: Concatenates along the first axis: ``r_[1:4, 0, 7]`` is ``[1, 2, 3, 0, 7]``.
r_ = _Concatenator("r_", 0, 1, -1)

#: Stacks 1-D arrays as columns: ``c_[[1, 2], [3, 4]]`` is ``[[1, 3], [2, 4]]``.
c_ = _Concatenator("c_", -1, 2, 0)


def _spaced(start: Array, stop: Array, num: int, endpoint: bool) -> Array:
    """Returns evenly spaced numbers along a new axis 0."""
    if start.ndim == 0 and stop.ndim == 0 and start.dtype.kind != "c" and stop.dtype.kind != "c":
        return bv.linspace(float(start), float(stop), num=num, endpoint=endpoint)
    dtype = bv.result_type(start.dtype, stop.dtype, bv.float64)
    start, stop = bv.broadcast_arrays(bv.astype(start, dtype), bv.astype(stop, dtype))
    n_steps = num - 1 if endpoint else num
    grid = bv.reshape(bv.arange(num, dtype=bv.float64), shape=(num,) + (1,) * start.ndim)
    result = bv.add(bv.multiply(grid, bv.divide(bv.subtract(stop, start), max(n_steps, 1))), start)
    if endpoint and num > 1:
        result[-1] = stop
    return result


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> Array:
    """Returns powers of a base whose exponents are evenly spaced.

    >>> bv.logspace(0, 3, 4)
    array([   1.,   10.,  100., 1000.])
    """
    n = _count(num)
    powers = bv.asarray(base)
    low, high = bv.asarray(start), bv.asarray(stop)
    if powers.ndim > 0:
        ndim = len(bv.broadcast_shapes(low.shape, high.shape, powers.shape))
        low, high, powers = [bv.reshape(it, shape=(1,) * (ndim - it.ndim) + it.shape) for it in (low, high, powers)]
    exponents = _spaced(low, high, n, endpoint)
    if powers.dtype.kind in "iub":
        powers = bv.astype(powers, bv.float64)
    result = bv.pow(powers, exponents)
    result = bv.moveaxis(result, 0, axis)
    return result if dtype is None else bv.astype(result, dtype, copy=False)


def _count(num: SupportsIndex) -> int:
    n = operator.index(num)
    if n < 0:
        raise ValueError(f"number of samples must be non-negative, got {n}")
    return n


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> Array:
    """Returns numbers from ``start`` to ``stop`` whose ratios are equal.

    >>> bv.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    """
    n = _count(num)
    low, high = bv.asarray(start), bv.asarray(stop)
    if bool(bv.any(bv.equal(low, 0))) or bool(bv.any(bv.equal(high, 0))):
        raise ValueError("a geometric sequence cannot include zero")
    kind = bv.result_type(low.dtype, high.dtype, bv.float64)
    low, high = bv.broadcast_arrays(bv.astype(low, kind), bv.astype(high, kind))
    # The sequence is computed from 1 or -1 on, so that negative and complex numbers keep their direction.
    direction = bv.divide(low, bv.abs(low))
    exponents = _spaced(bv.log10(bv.divide(low, direction)), bv.log10(bv.divide(high, direction)), n, endpoint)
    result = bv.multiply(bv.pow(bv.asarray(10.0), exponents), direction)
    if n > 0:
        result[0] = low
    if n > 1 and endpoint:
        result[-1] = high
    result = bv.moveaxis(result, 0, axis)
    return result if dtype is None else bv.astype(result, dtype, copy=False)
