"""Operands of the numerical functions, and several outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import write_to

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._native import Array, DType
    from .._types import ArrayLike, DTypeLike

__all__: list[str] = []

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
    found = bv.dtype(dtype)
    if found.kind != "f":
        raise UnsupportedError(f"{function} has results of real float dtypes, not of {found.name}")
    return found


def as_numbers(x: ArrayLike) -> Array:
    """Returns an array whose dtype has arithmetic: bools are cast to ``int64``."""
    x = bv.asarray(x)
    return x.astype(bv.int64) if x.dtype == bv.bool else x


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


def write_results(outs: Any, results: Sequence[Array], *, where: ArrayLike | bool = True) -> tuple[Any, ...]:
    """Writes several results to ``out``, a tuple with one output or ``None`` for each."""
    if outs is None:
        return tuple(results)
    if len(outs) != len(results):
        raise ValueError(f"out must have {len(results)} arrays, got {len(outs)}")
    return tuple(write_to(out, result, where=where, broadcasts=True) for out, result in zip(outs, results))
