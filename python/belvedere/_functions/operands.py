"""Operands and outputs of the composed functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import AxisError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._native import Array, DType
    from .._types import ArrayLike, DTypeLike

__all__: list[str] = []

#: The kinds of dtypes in the order in which ``same_kind`` allows a cast.
_KINDS = "buifc"

#: The elements of a block: several arrays of them fit into the second-level cache.
BLOCK_ELEMENTS = 1 << 14


def as_inexact(x: ArrayLike) -> Array:
    """Returns an array of a float or complex dtype; integers and bools are cast to ``float64``."""
    x = bv.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(bv.float64)


def as_floats(x: ArrayLike, function: str, dtype: DTypeLike | None = None) -> Array:
    """Returns an array of a real float dtype; integers and bools are cast to ``float64``, or all to ``dtype``."""
    x = as_inexact(x)
    if x.dtype.kind == "c":
        raise UnsupportedError(f"{function} is not supported for {x.dtype.name}")
    return x if dtype is None else x.astype(float_dtype(dtype, function), copy=False)


def as_same_floats(x1: ArrayLike, x2: ArrayLike, function: str, dtype: DTypeLike | None = None) -> tuple[Array, Array]:
    """Returns two arrays of one real float dtype; Python scalars take the dtype of the other operand."""
    found = bv.result_type(x1, x2) if dtype is None else float_dtype(dtype, function)
    if found.kind == "c":
        raise UnsupportedError(f"{function} is not supported for {found.name}")
    found = found if found.kind == "f" else bv.float64
    return bv.asarray(x1).astype(found, copy=False), bv.asarray(x2).astype(found, copy=False)


def float_dtype(dtype: DTypeLike, function: str) -> DType:
    """Returns the dtype, if it is a real float."""
    found = bv.empty(0, dtype=dtype).dtype
    if found.kind != "f":
        raise UnsupportedError(f"{function} has results of real float dtypes, not of {found.name}")
    return found


def as_numbers(x: ArrayLike) -> Array:
    """Returns an array whose dtype has arithmetic: bools are cast to ``int64``."""
    x = bv.asarray(x)
    return x.astype(bv.int64) if x.dtype == bv.bool else x


def matrix_product(x1: Array, x2: Array) -> Array:
    """Returns the matrix product; the sum of bools is their disjunction."""
    if x1.dtype == x2.dtype == bv.bool:
        return bv.matmul(x1.astype(bv.int64), x2.astype(bv.int64)) != 0
    return bv.matmul(as_numbers(x1), as_numbers(x2))


def normalize_axis(axis: Any, ndim: int) -> int:
    """Returns the axis counted from the front."""
    axis = axis.__index__()
    if not -ndim <= axis < ndim:
        raise AxisError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Returns the axes counted from the front; ``None`` stands for all of them."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(normalize_axis(it, ndim) for it in axes)
    if len(set(axes)) < len(axes):
        raise ValueError(f"repeated axis in {axis}")
    return axes


def can_cast_same_kind(source: DType, target: DType) -> bool:
    """Whether ``casting="same_kind"`` allows the cast."""
    return bv.can_cast(source, target) or _KINDS.index(source.kind) <= _KINDS.index(target.kind)


def along(axis: int, ndim: int, index: Any) -> tuple[Any, ...]:
    """Returns the index that applies ``index`` to one axis and takes all of the others."""
    return (slice(None),) * axis + (index,) + (slice(None),) * (ndim - axis - 1)


def in_blocks(function: Callable[[Array], Array], x: Array) -> Array:
    """Applies an elementwise function to blocks whose intermediate results stay in the cache."""
    if x.size <= 2 * BLOCK_ELEMENTS:
        return function(x)
    flat = x.reshape(-1)
    first = function(flat[:BLOCK_ELEMENTS])
    out = bv.empty(x.size, dtype=first.dtype)
    out[:BLOCK_ELEMENTS] = first
    for start in range(BLOCK_ELEMENTS, x.size, BLOCK_ELEMENTS):
        block = slice(start, start + BLOCK_ELEMENTS)
        out[block] = function(flat[block])
    return out.reshape(x.shape)


def _broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    pairs = zip(reversed(shape), reversed(target))
    return len(shape) <= len(target) and all(n in (1, wanted) for n, wanted in pairs)


def write_to(out: Any, result: Array, *, where: ArrayLike | bool = True) -> Any:
    """Writes the result to ``out``, where the mask is true, and returns ``out``; a new array if it is ``None``."""
    if out is None:
        return result
    if isinstance(out, tuple):
        (out,) = out
        return write_to(out, result, where=where)
    target = bv.asarray(out)
    if not can_cast_same_kind(result.dtype, target.dtype):
        raise UnsupportedError(f"cannot cast {result.dtype.name} to the dtype of out, {target.dtype.name}")
    if target.shape != result.shape and not _broadcasts_to(result.shape, target.shape):
        raise ValueError(f"out has shape {target.shape}, the result has shape {result.shape}")
    if where is not True:
        result = bv.where(bv.asarray(where), result, target)
    target[...] = result if result.dtype == target.dtype else result.astype(target.dtype)
    return out


def write_results(outs: Any, results: Sequence[Array], *, where: ArrayLike | bool = True) -> tuple[Any, ...]:
    """Writes several results to ``out``, a tuple with one output or ``None`` for each."""
    if outs is None:
        return tuple(results)
    if len(outs) != len(results):
        raise ValueError(f"out must have {len(results)} arrays, got {len(outs)}")
    return tuple(write_to(out, result, where=where) for out, result in zip(outs, results))
