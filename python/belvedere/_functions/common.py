"""Arguments that many functions read: axes, layouts, Python scalars, casts and outputs."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import AxisError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._native import Array, DType
    from .._types import ArrayLike

__all__: list[str] = []


def normalized_axis(axis: Any, ndim: int) -> int:
    """Returns the axis as a number from 0 to ``ndim - 1``."""
    k = operator.index(axis)
    if not -ndim <= k < ndim:
        raise AxisError(f"axis {k} is out of bounds for array of dimension {ndim}")
    return k % ndim


def normalized_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Returns one axis, several or all (``None``) as a tuple of distinct numbers from 0 to ``ndim - 1``."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    found = tuple(normalized_axis(axis, ndim) for axis in axes)
    if len(set(found)) != len(found):
        raise ValueError(f"repeated axis in {tuple(axes)}")
    return found


def as_shape(shape: Any) -> tuple[int, ...]:
    """Returns one length or a sequence of lengths as a tuple."""
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(operator.index(n) for n in shape)


def flattened(x: Array) -> Array:
    """Returns the elements in row-major order: a view if one exists."""
    return bv.reshape(x, shape=(-1,)) if x.ndim != 1 else x


def reversed_axes(x: Array) -> Array:
    """Returns the view with the axes in reverse order."""
    return bv.permute_dims(x, axes=tuple(reversed(range(x.ndim)))) if x.ndim > 1 else x


def is_fortran_contiguous(x: Array) -> bool:
    """Tests whether the elements are contiguous in column-major order."""
    return reversed_axes(x).is_contiguous()


def fortran_copy(x: Array) -> Array:
    """Returns a copy whose elements are contiguous in column-major order."""
    return reversed_axes(reversed_axes(x).copy())


def copy_in_memory_order(x: Array) -> Array:
    """Returns a contiguous copy with the axes in the order that they have in memory."""
    if x.ndim < 2 or x.is_contiguous():
        return x.copy()
    strides = x.stride()
    order = sorted(range(x.ndim), key=lambda k: (-abs(strides[k]), k))
    back = sorted(range(x.ndim), key=order.__getitem__)
    return bv.permute_dims(bv.permute_dims(x, axes=tuple(order)).copy(), axes=tuple(back))


def is_python_scalar(value: object) -> bool:
    """Tests whether the value is a Python number, which has no dtype of its own."""
    return type(value) in (bool, int, float, complex)


def require_array(value: object, name: str) -> Array:
    """Checks that a function can write to the argument."""
    if not isinstance(value, bv.Array):
        raise TypeError(f"{name} must be an Array, which the function writes to, got {type(value).__name__}")
    return value


def cast(value: Any, dtype: DType, casting: str = "unsafe") -> Array:
    """Returns the value as an array of a dtype, if the rule ``casting`` allows the cast.

    A Python scalar must be in the range of the dtype; the rule applies to the result type of both.
    """
    if is_python_scalar(value):
        if not bv.can_cast(bv.result_type(dtype, value), dtype, casting):
            raise TypeError(f"cannot cast {value!r} to {dtype.name} according to the rule {casting!r}")
        return bv.asarray(value, dtype=dtype)
    x = bv.asarray(value)
    if not bv.can_cast(x.dtype, dtype, casting):
        raise TypeError(f"cannot cast {x.dtype.name} to {dtype.name} according to the rule {casting!r}")
    return bv.astype(x, dtype, copy=False)


def as_arrays(values: Sequence[Any]) -> list[Array]:
    """Returns the operands as arrays."""
    return [bv.asarray(value) for value in values]


def check_order(order: str | None, allowed: str = "CFAK") -> str:
    """Returns the memory order as an upper-case letter."""
    letter = "K" if order is None else order.upper()
    if letter not in allowed or len(letter) != 1:
        raise ValueError(f"order must be one of {', '.join(map(repr, allowed))}, got {order!r}")
    return letter


def write_to(
    out: Any,
    result: Array,
    *,
    where: ArrayLike | bool = True,
    broadcasts: bool = False,
    casting: str = "same_kind",
) -> Any:
    """Writes the result to ``out``, where the mask is true, and returns ``out``; returns the result if it is ``None``.

    ``out`` has the shape of the result, or one that it broadcasts to if ``broadcasts`` is set, as in NumPy's ufuncs.
    """
    if out is None:
        return result
    if isinstance(out, tuple):
        (out,) = out
        return write_to(out, result, where=where, broadcasts=broadcasts, casting=casting)
    target = bv.asarray(out, copy=False)
    if not bv.can_cast(result.dtype, target.dtype, casting):
        raise TypeError(f"cannot cast {result.dtype.name} to {target.dtype.name}, the dtype of out")
    if target.shape != result.shape and not (broadcasts and _broadcasts_to(result.shape, target.shape)):
        raise ValueError(f"out has shape {target.shape}, the result has shape {result.shape}")
    if where is not True:
        result = bv.where(bv.asarray(where), result, target)
    target[...] = result
    return out


def _broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    pairs = zip(reversed(shape), reversed(target))
    return len(shape) <= len(target) and all(n in (1, wanted) for n, wanted in pairs)
