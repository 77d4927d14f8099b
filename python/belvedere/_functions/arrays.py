"""New arrays: conversions, copies, and arrays from buffers, files, text and functions."""

from __future__ import annotations

import itertools
import math
import operator
import os
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import (
    as_shape,
    cast,
    check_order,
    copy_in_memory_order,
    flattened,
    fortran_copy,
    is_fortran_contiguous,
    require_array,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import BinaryIO, SupportsIndex

    from typing_extensions import Buffer

    from .._native import Array
    from .._types import ArrayLike, Device, DTypeLike, NestedSequence, Shape

__all__ = [
    "array",
    "asanyarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "copyto",
    "frombuffer",
    "fromfile",
    "fromfunction",
    "fromiter",
    "fromstring",
    "require",
    "resize",
]


#: The types whose objects have no memory to share.
_PLAIN_TYPES = frozenset({list, tuple, int, float})


def array(
    object: ArrayLike | NestedSequence,  # noqa: A002
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: SupportsIndex = 0,
    like: object = None,
) -> Array:
    """Creates an array from numbers, nested sequences or another array; copies unless ``copy`` says otherwise.

    ``copy=None`` copies only if it must, ``copy=False`` raises a ``ValueError`` instead. ``order="K"`` keeps the
    order of the axes in memory. ``subok`` and ``like`` have no effect.

    >>> bv.array([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    >>> bv.array([1, 2], dtype=bv.float32, ndmin=2)
    array([[1., 2.]], dtype=float32)
    """
    if copy is True and order == "K" and ndmin == 0:
        # The fast path of most calls.
        if type(object) in _PLAIN_TYPES:
            return bv.asarray(object, dtype)
        if dtype is None and type(object) is bv.Array and object.device == "cpu":
            return copy_in_memory_order(object)
    letter = check_order(order)
    n_axes = operator.index(ndmin)
    has_memory = not isinstance(object, (list, tuple, int, float, complex))
    x = bv.asarray(object, dtype=dtype, copy=False if copy is False else None)
    if letter == "A":
        letter = "F" if is_fortran_contiguous(x) and not x.is_contiguous() else "C" if copy else "K"
    if copy and has_memory and x.device == "cpu":
        # A cast has made a copy already, unless the layout has to be another one.
        is_new = dtype is not None and getattr(object, "dtype", None) != x.dtype
        if not is_new:
            x = {"C": _row_major_copy, "F": fortran_copy, "K": copy_in_memory_order}[letter](x)
    x = _in_order(x, letter, copy)
    return x if x.ndim >= n_axes else bv.reshape(x, shape=(1,) * (n_axes - x.ndim) + x.shape)


def _row_major_copy(x: Array) -> Array:
    return x.copy()


def _in_order(x: Array, order: str, copy: bool | None) -> Array:
    """Returns the array if its elements are contiguous in the given order, else a copy that is."""
    is_ordered = order == "K" or (x.is_contiguous() if order == "C" else is_fortran_contiguous(x))
    if is_ordered:
        return x
    if copy is False:
        raise ValueError(f"the array is not contiguous in order {order!r}, and copy=False forbids a copy")
    return x.copy() if order == "C" else fortran_copy(x)


def asanyarray(
    a: ArrayLike | NestedSequence,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: Device | None = None,
    copy: bool | None = None,
    like: object = None,
) -> Array:
    """Converts to an array, without a copy if possible; the same as ``asarray``.

    >>> x = bv.arange(3)
    >>> bv.asanyarray(x) is x
    True
    """
    if device == "meta":
        return bv.asarray(a, dtype=dtype, device=device, copy=copy)
    if copy is None and order is None and isinstance(a, bv.Array) and (dtype is None or a.dtype == dtype):
        return a
    return array(a, dtype, copy=copy, order="K" if order is None else order)


def asarray_chkfinite(a: ArrayLike | NestedSequence, dtype: DTypeLike | None = None, order: str | None = None) -> Array:
    """Converts to an array; raises a ``ValueError`` if an element is NaN or infinite.

    >>> bv.asarray_chkfinite([1, 2])
    array([1, 2])
    """
    x = asanyarray(a, dtype, order)
    if x.dtype.kind in "fc" and not bool(bv.all(bv.isfinite(x))):
        raise ValueError("array must not contain infs or NaNs")
    return x


def ascontiguousarray(a: ArrayLike | NestedSequence, dtype: DTypeLike | None = None, *, like: object = None) -> Array:
    """Returns the array, or a copy if it is not contiguous in row-major order; it has at least one axis.

    >>> bv.ascontiguousarray(bv.arange(4)[::2]).stride()
    (1,)
    """
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a: ArrayLike | NestedSequence, dtype: DTypeLike | None = None, *, like: object = None) -> Array:
    """Returns the array, or a copy if it is not contiguous in column-major order; it has at least one axis.

    >>> bv.asfortranarray([[1, 2], [3, 4]]).stride()
    (1, 2)
    """
    return array(a, dtype, copy=None, order="F", ndmin=1)


def copy(a: ArrayLike | NestedSequence, order: str = "K", subok: bool = False) -> Array:
    """Returns a copy of the array.

    >>> x = bv.zeros(2)
    >>> y = bv.copy(x)
    >>> y[0] = 1
    >>> x
    array([0., 0.])
    """
    return array(a, copy=True, order=order)


def copyto(dst: Array, src: ArrayLike, casting: str = "same_kind", where: ArrayLike | bool = True) -> None:
    """Copies values to another array, broadcast to its shape, where the mask is true.

    >>> x = bv.zeros(3)
    >>> bv.copyto(x, [1, 2, 3], where=[True, False, True])
    >>> x
    array([1., 0., 3.])
    """
    target = require_array(dst, "dst")
    values = cast(src, target.dtype, casting)
    if where is True:
        target[...] = bv.broadcast_to(values, shape=target.shape)
        return
    mask = bv.asarray(where) if hasattr(where, "dtype") else bv.asarray(where, dtype=bv.bool)
    if mask.dtype != bv.bool:
        raise TypeError(f"where must have dtype bool, got {mask.dtype.name}")
    mask = bv.broadcast_to(mask, shape=target.shape)
    target[...] = bv.where(mask, bv.broadcast_to(values, shape=target.shape), target)


def require(
    a: ArrayLike | NestedSequence,
    dtype: DTypeLike | None = None,
    requirements: str | list[str] | None = None,
    *,
    like: object = None,
) -> Array:
    """Returns the array, or a copy if it does not meet the requirements.

    They are ``"C"`` and ``"F"`` (contiguous in row-major or column-major order), ``"W"`` (writable), ``"O"``
    (owns its memory: always a copy of an array), ``"A"`` (aligned) and ``"E"`` (no subclass), which every array is.

    >>> bv.require(bv.arange(4)[::2], requirements=["C", "W"]).stride()
    (1,)
    """
    names = {"C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F_CONTIGUOUS": "F", "FORTRAN": "F", "ALIGNED": "A"}
    names |= {"WRITEABLE": "W", "OWNDATA": "O", "ENSUREARRAY": "E"} | {letter: letter for letter in "CFAWOE"}
    wanted = {names[it.upper()] for it in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError("cannot specify both 'C' and 'F' order")
    order = "C" if "C" in wanted else "F" if "F" in wanted else "K"
    x = asanyarray(a, dtype, order)
    is_shared = "O" in wanted and not isinstance(a, (list, tuple)) and bv.shares_memory(x, bv.asarray(a))
    return array(x, order=order) if is_shared or ("W" in wanted and not x.is_writable) else x


def frombuffer(
    buffer: Buffer,
    dtype: DTypeLike = float,
    count: SupportsIndex = -1,
    offset: SupportsIndex = 0,
    *,
    like: object = None,
) -> Array:
    """Returns a view of a buffer as a 1-D array; it is read-only if the buffer is.

    Elements that are unaligned, because of ``offset``, are copied.

    >>> bv.frombuffer(bytearray([1, 0, 2, 0]), dtype=bv.int16)
    array([1, 2], dtype=int16)
    """
    kind = bv.dtype(dtype)
    view = memoryview(buffer).cast("B")
    start, n = operator.index(offset), operator.index(count)
    if not 0 <= start <= view.nbytes:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({view.nbytes}), got {start}")
    n_bytes = view.nbytes - start
    if n < 0 and n_bytes % kind.itemsize != 0:
        raise ValueError(f"buffer size must be a multiple of element size ({kind.itemsize}), got {n_bytes} bytes")
    n = n_bytes // kind.itemsize if n < 0 else n
    if n * kind.itemsize > n_bytes:
        raise ValueError(f"buffer is smaller than requested size: {n_bytes} bytes, {n * kind.itemsize} requested")
    if n == 0:
        return bv.empty((0,), dtype=kind)
    elements = bv.asarray(view)[start : start + n * kind.itemsize]
    try:
        return elements.view(kind)
    except ValueError:
        return elements.copy().view(kind)


def fromfile(
    file: str | os.PathLike[str] | BinaryIO,
    dtype: DTypeLike = float,
    count: SupportsIndex = -1,
    sep: str = "",
    offset: SupportsIndex = 0,
    *,
    like: object = None,
) -> Array:
    """Reads a 1-D array from a file of plain binary elements, or of text if ``sep`` is not empty.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "x.bin")
    >>> _ = open(path, "wb").write(bytes([1, 0, 2, 0]))
    >>> bv.fromfile(path, dtype=bv.int16)
    array([1, 2], dtype=int16)
    """
    if isinstance(file, (str, bytes, os.PathLike)):
        with open(file, "rb") as opened:
            return fromfile(opened, dtype, count, sep, offset)
    n = operator.index(count)
    if sep:
        if operator.index(offset):
            raise TypeError("offset is only for binary files")
        return fromstring(file.read().decode("latin-1"), dtype, n, sep=sep)
    kind = bv.dtype(dtype)
    file.seek(operator.index(offset), os.SEEK_CUR)
    data = file.read() if n < 0 else file.read(n * kind.itemsize)
    whole = len(data) - len(data) % kind.itemsize
    # A bytearray, so that the array is writable.
    return frombuffer(bytearray(data[:whole]), kind)


def fromstring(
    string: str | bytes, dtype: DTypeLike = float, count: SupportsIndex = -1, *, sep: str, like: object = None
) -> Array:
    """Reads a 1-D array from text with numbers that ``sep`` separates.

    >>> bv.fromstring("1, 2, 3", dtype=int, sep=",")
    array([1, 2, 3])
    """
    if not sep:
        raise ValueError("sep must not be empty: use frombuffer for binary elements")
    text = string.decode("latin-1") if isinstance(string, bytes) else string
    parts = text.split() if sep.isspace() else [part.strip() for part in text.split(sep.strip())]
    if parts and not parts[-1]:
        parts.pop()
    n = operator.index(count)
    parts = parts if n < 0 else parts[:n]
    kind = bv.dtype(dtype)
    read: Any = complex if kind.kind == "c" else float if kind.kind == "f" else int
    try:
        return bv.asarray([read(part) for part in parts], dtype=kind)
    except ValueError:
        raise ValueError(f"cannot read all of the text as {kind.name} elements with separator {sep!r}") from None


def fromfunction(function: Callable[..., Any], shape: Shape, *, dtype: DTypeLike = float, **kwargs: Any) -> Any:
    """Calls a function with the arrays of coordinates along each axis of a shape, and returns its result.

    >>> bv.fromfunction(lambda i, j: i + j, (2, 3), dtype=int)
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    from .grids import indices

    kwargs.pop("like", None)
    return function(*indices(as_shape(shape), dtype=dtype), **kwargs)


def fromiter(
    iter: Iterable[Any],  # noqa: A002
    dtype: DTypeLike,
    count: SupportsIndex = -1,
    *,
    like: object = None,
) -> Array:
    """Creates a 1-D array from the items of an iterable.

    >>> bv.fromiter((k * k for k in range(4)), dtype=float)
    array([0., 1., 4., 9.])
    """
    n = operator.index(count)
    items = list(iter if n < 0 else itertools.islice(iter, n))
    if len(items) < n:
        raise ValueError(f"iterator too short: expected {n} items, got {len(items)}")
    return bv.asarray(items, dtype=dtype) if items else bv.empty((0,), dtype=dtype)


def resize(a: ArrayLike | NestedSequence, new_shape: Shape) -> Array:
    """Returns a new array of a shape, filled with repeated copies of the elements in row-major order.

    >>> bv.resize([1, 2, 3], (2, 4))
    array([[1, 2, 3, 1],
           [2, 3, 1, 2]])
    """
    x, shape = flattened(bv.asarray(a)), as_shape(new_shape)
    if any(n < 0 for n in shape):
        raise ValueError(f"all elements of new_shape must be non-negative, got {shape}")
    size = math.prod(shape)
    if x.size == 0 or size == 0:
        return bv.zeros(shape, dtype=x.dtype)
    n_times = -(-size // x.size)
    repeated = bv.reshape(bv.broadcast_to(x, shape=(n_times, x.size)), shape=(-1,), copy=True)
    return bv.reshape(repeated[:size], shape=shape)
