"""Unique elements, and bits packed into bytes."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import flattened, normalized_axis
from .indexing import lexsort

if TYPE_CHECKING:
    from typing import SupportsIndex

    from .._native import Array
    from .._types import ArrayLike

__all__ = ["intersect1d", "packbits", "setdiff1d", "setxor1d", "union1d", "unique", "unpackbits"]


def intersect1d(x1: ArrayLike, x2: ArrayLike, /, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Returns the sorted distinct elements that are in both arrays.

    With ``return_indices=True``, the indices of their first occurrences in both are returned as well.

    >>> bv.intersect1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    array([2, 3])
    """
    # Numbers have a dtype of their own here, as lists do.
    return bv.intersect1d(bv.asarray(x1), bv.asarray(x2), assume_unique, return_indices)


def setdiff1d(x1: ArrayLike, x2: ArrayLike, /, assume_unique: bool = False) -> Array:
    """Returns the sorted distinct elements of ``x1`` that are not in ``x2``.

    The dtype is that of ``x1``. NaN is in no array; several of ``x1`` count as one. With ``assume_unique=True``, the
    elements stay in the order of ``x1``.

    >>> bv.setdiff1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    array([1])
    """
    x1 = bv.asarray(x1)
    result = bv.astype(bv.setdiff1d(x1, bv.asarray(x2), assume_unique), x1.dtype, copy=False)
    return result if assume_unique else _without_repeated_nan(result)


def setxor1d(x1: ArrayLike, x2: ArrayLike, /, assume_unique: bool = False) -> Array:
    """Returns the sorted distinct elements that are in exactly one of the arrays.

    NaN is in no array: one in each gives two in the result.

    >>> bv.setxor1d(bv.asarray([3, 1, 2]), bv.asarray([2, 3, 4]))
    array([1, 4])
    """
    x1, x2 = bv.asarray(x1), bv.asarray(x2)
    if not assume_unique:
        x1, x2 = unique(x1), unique(x2)
    return bv.setxor1d(x1, x2)


def union1d(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Returns the sorted distinct elements of both arrays.

    All NaNs count as one.

    >>> bv.union1d(bv.asarray([3, 1]), bv.asarray([2, 3]))
    array([1, 2, 3])
    """
    return _without_repeated_nan(bv.union1d(x1, x2))


def _without_repeated_nan(values: Array) -> Array:
    """Returns the sorted values with one NaN, if there are several."""
    return values[: _n_distinct(values, equal_nan=True)]


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,  # noqa: A002
) -> Any:
    """Returns the sorted unique elements, or the unique parts along an axis in lexicographic order.

    On request also the positions of the first of each, the positions of the elements among the unique ones, and
    the number of each. NaNs count as equal unless ``equal_nan=False`` or an axis is given, as in NumPy.

    >>> bv.unique([3, 1, 3])
    array([1, 3])
    >>> bv.unique([3, 1, 3], return_counts=True)
    (array([1, 3]), array([1, 2]))
    >>> bv.unique([[1, 2], [0, 5], [1, 2]], axis=0)
    array([[0, 5],
           [1, 2]])
    """
    x = bv.asarray(ar)
    if axis is not None:
        parts = _unique_parts(x, normalized_axis(axis, x.ndim))
        wanted = (True, return_index, return_inverse, return_counts)
        chosen = tuple(it for it, flag in zip(parts, wanted) if flag)
        return chosen[0] if len(chosen) == 1 else chosen
    if not (return_index or return_inverse or return_counts):
        values = bv.unique_values(x)
        n = _n_distinct(values, equal_nan)
        return values[:n]
    if not return_index and not return_inverse:
        values, counts = bv.unique_counts(x)
        n = _n_distinct(values, equal_nan)
        return values[:n], _merged(counts, n)
    values, indices, inverse, counts = bv.unique_all(x)
    n = _n_distinct(values, equal_nan)
    if n < values.size:
        inverse = bv.minimum(inverse, n - 1)
    extra = [(return_index, indices[:n]), (return_inverse, inverse), (return_counts, _merged(counts, n))]
    return (values[:n], *[it for flag, it in extra if flag])


def _n_distinct(values: Array, equal_nan: bool) -> int:
    """Returns how many of the sorted values are distinct if NaNs are equal: they are at the end."""
    if not equal_nan or values.dtype.kind not in "fc" or values.size < 2 or not bool(bv.isnan(values[-1])):
        return values.size
    n_nans = int(bv.sum(bv.isnan(values)))
    return values.size - n_nans + 1


def _merged(counts: Array, n: int) -> Array:
    """Returns the counts with those after the n-th added to it."""
    if n < counts.size:
        counts[n - 1] = bv.sum(counts[n - 1 :])
    return counts[:n]


#: Rows with more columns are sorted by the first ones alone, if these are distinct.
_FIRST_COLUMNS = 4


def _unique_parts(x: Array, axis: int) -> tuple[Array, Array, Array, Array]:
    """Returns the unique parts along an axis, with their positions, the inverse and their counts."""
    moved = bv.moveaxis(x, axis, 0)
    n = moved.shape[0]
    width = moved.size // n if n else 0
    rows = bv.reshape(moved, shape=(n, width))
    # The first column is the last key.
    columns = [rows[:, k] for k in reversed(range(width))]
    order = bv.arange(n)
    is_first = bv.zeros((n,), dtype=bv.bool)
    is_first[:1] = True
    for keys in (columns[-_FIRST_COLUMNS:], columns):
        if n == 0 or not keys:
            break
        order = lexsort(keys)
        ordered = bv.take(rows, order, axis=0)
        is_first[1:] = bv.any(bv.not_equal(ordered[1:], ordered[:-1]), axis=1)
        n_keys = len(keys)
        if n_keys == width or bool(bv.all(bv.any(bv.not_equal(ordered[1:, :n_keys], ordered[:-1, :n_keys]), axis=1))):
            break
    starts = bv.nonzero(is_first)[0]
    indices = order[starts]
    inverse = bv.empty((n,), dtype=bv.int64)
    inverse[order] = bv.cumulative_sum(bv.astype(is_first, bv.int64), axis=0) - 1
    counts = bv.diff(bv.concat([starts, bv.asarray([n])], axis=0))
    return bv.take(x, indices, axis=axis), indices, inverse, counts


def _axis_of_bits(x: Array, axis: Any) -> tuple[Array, int]:
    return (flattened(x), 0) if axis is None else (x, normalized_axis(axis, x.ndim))


def _check_bitorder(bitorder: str) -> None:
    if bitorder not in ("big", "little"):
        raise ValueError(f"bitorder must be 'big' or 'little', got {bitorder!r}")


#: The product of 8 bytes that are 0 or 1, as a little-endian integer, with this factor has them as bits of its highest
#: byte: byte i is shifted to bit 63 - i, or to bit 56 + i.
_GATHER_BITS = {"big": 0x8040201008040201, "little": 0x0102040810204080}


@functools.cache
def _bits_of_bytes(bitorder: str) -> Array:
    """Returns the 8 bits of each byte from 0 to 255, as a little-endian integer of 8 bytes that are 0 or 1."""
    shifts = bv.asarray(list(range(7, -1, -1) if bitorder == "big" else range(8)))
    bits = bv.bitwise_and(bv.bitwise_right_shift(bv.arange(256)[:, None], shifts), 1)
    return flattened(bv.astype(bits, bv.uint8)).view(bv.uint64)


def packbits(a: ArrayLike, /, axis: SupportsIndex | None = None, bitorder: str = "big") -> Array:
    """Packs elements, of which each is a bit that is set if it is not zero, into bytes along an axis.

    The array is flattened if there is no axis, and padded with zero bits at its end.

    >>> bv.packbits([1, 0, 1])
    array([160], dtype=uint8)
    """
    x = bv.asarray(a)
    if x.dtype.kind not in "iub":
        raise TypeError(f"packbits takes an integer or bool dtype, got {x.dtype.name}")
    _check_bitorder(bitorder)
    x, k = _axis_of_bits(x, axis)
    bits = bv.moveaxis(x if x.dtype == bv.bool else bv.not_equal(x, 0), k, -1)
    n = bits.shape[-1]
    n_bytes = -(-n // 8)
    padded = bv.zeros((*bits.shape[:-1], n_bytes * 8), dtype=bv.bool)
    padded[..., :n] = bits
    if padded.size == 0:
        return bv.moveaxis(bv.zeros((*bits.shape[:-1], n_bytes), dtype=bv.uint8), -1, k)
    products = bv.multiply(padded.view(bv.uint64), bv.asarray(_GATHER_BITS[bitorder], dtype=bv.uint64))
    return bv.moveaxis(bv.astype(bv.bitwise_right_shift(products, 56), bv.uint8), -1, k)


def unpackbits(
    a: ArrayLike, /, axis: SupportsIndex | None = None, count: SupportsIndex | None = None, bitorder: str = "big"
) -> Array:
    """Unpacks bytes into bits, as elements of ``uint8``, along an axis.

    ``count`` is the number of bits of the result, or, if it is negative, how many to leave out at the end.

    >>> bv.unpackbits(bv.asarray([5], dtype=bv.uint8))
    array([0, 0, 0, 0, 0, 1, 0, 1], dtype=uint8)
    """
    x = bv.asarray(a)
    if x.dtype != bv.uint8:
        raise TypeError(f"unpackbits takes dtype uint8, got {x.dtype.name}")
    _check_bitorder(bitorder)
    x, k = _axis_of_bits(x, axis)
    moved = bv.moveaxis(x, k, -1)
    spread = bv.take(_bits_of_bytes(bitorder), flattened(moved), axis=0)
    bits = bv.reshape(spread.view(bv.uint8), shape=(*moved.shape[:-1], moved.shape[-1] * 8))
    if count is not None:
        n, wanted = bits.shape[-1], operator.index(count)
        if wanted < 0 and -wanted > n:
            raise ValueError(f"count {wanted} leaves out more than all {n} bits")
        padded = bv.zeros((*bits.shape[:-1], max(wanted - n, 0)), dtype=bv.uint8)
        bits = bv.concat([bits, padded], axis=-1) if wanted > n else bits[..., : wanted if wanted >= 0 else n + wanted]
    return bv.moveaxis(bits, -1, k)
