"""NumPy functions with NumPy's parameters, as far as they are supported; NumPy answers calls with other parameters.

Functions that only pass their arguments on are in ``_numpy_table``, which is generated from ``operations/``.
"""

from __future__ import annotations

import builtins

import numpy as np

from . import _native as bv
from . import _numpy_table

#: NumPy functions, and the functions that answer them.
FUNCTIONS: dict = {getattr(np, name): function for name, function in _numpy_table.FUNCTIONS.items() if hasattr(np, name)}


def _implements(*names):
    """Adds a function to the table, under its own name or under others."""

    def enter(function):
        for name in names or (function.__name__,):
            if hasattr(np, name):
                FUNCTIONS[getattr(np, name)] = function
        return function

    return enter


# Cumulative functions


def _scan(ours, name):
    @_implements(name)
    def function(a, axis=None, dtype=None):
        if axis is None:
            a, axis = bv.reshape(a, (-1,)), 0
        return ours(a, axis=axis, dtype=dtype)


_scan(bv.cumulative_sum, "cumsum")
_scan(bv.cumulative_prod, "cumprod")


# Shapes


@_implements("concatenate", "concat")
def concatenate(arrays, axis=0, *, dtype=None):
    arrays = list(arrays)
    if dtype is not None:
        arrays = [bv.astype(bv.asarray(it), dtype) for it in arrays]
    return bv.concat(arrays, axis=axis)


@_implements("transpose", "permute_dims")
def transpose(a, axes=None):
    return bv.permute_dims(a, tuple(reversed(range(a.ndim))) if axes is None else axes)


@_implements()
def squeeze(a, axis=None):
    if axis is None:
        axis = tuple(k for k, n in enumerate(a.shape) if n == 1)
    return bv.squeeze(a, axis)


@_implements()
def swapaxes(a, axis1, axis2):
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return bv.permute_dims(a, order)


@_implements()
def tile(A, reps):  # noqa: N803
    return bv.tile(A, reps if isinstance(reps, (tuple, list)) else (reps,))


# Choosing and ordering


@_implements()
def where(condition, /, *values):
    return bv.where(condition, *values) if values else bv.nonzero(condition)


@_implements()
def take(a, indices, axis=None):
    if axis is None:
        a, axis = bv.reshape(a, (-1,)), 0
    indices = bv.asarray(indices)
    if indices.ndim == 1:
        return bv.take(a, indices, axis=axis)
    axis = range(a.ndim)[axis]
    flat = bv.take(a, bv.reshape(indices, (-1,)), axis=axis)
    return bv.reshape(flat, (*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]))


@_implements("round", "around")
def round(a, decimals=0):
    return bv.round(a) if decimals == 0 else bv.asarray(np.round(np.asarray(a), decimals))


@_implements()
def sort(a, axis=-1, *, stable=None):
    if axis is None:
        a, axis = bv.reshape(a, (-1,)), 0
    return bv.sort(a, axis=axis)


@_implements()
def argsort(a, axis=-1, *, stable=None):
    if axis is None:
        a, axis = bv.reshape(a, (-1,)), 0
    return bv.argsort(a, axis=axis)


# Products


@_implements()
def dot(a, b):
    a, b = bv.asarray(a), bv.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return bv.multiply(a, b)
    if b.ndim <= 2:
        return bv.matmul(a, b)
    return bv.tensordot(a, b, axes=((a.ndim - 1,), (b.ndim - 2,)))


@_implements()
def tensordot(a, b, axes=2):
    if isinstance(axes, builtins.int):
        return bv.tensordot(a, b, axes=axes)
    pair = tuple((k,) if isinstance(k, builtins.int) else tuple(k) for k in axes)
    return bv.tensordot(a, b, axes=pair)


@_implements()
def outer(a, b):
    return bv.multiply(bv.reshape(a, (-1, 1)), bv.reshape(b, (1, -1)))


# Arrays from arrays


def _filled(make, name):
    @_implements(name)
    def function(a, dtype=None, *, shape=None, device=None):
        return make(
            a.shape if shape is None else shape,
            dtype=a.dtype if dtype is None else dtype,
            device=a.device if device is None else device,
        )


_filled(bv.empty, "empty_like")
_filled(bv.ones, "ones_like")
_filled(bv.zeros, "zeros_like")


@_implements()
def full_like(a, fill_value, dtype=None, *, shape=None, device=None):
    return bv.full(
        a.shape if shape is None else shape,
        fill_value,
        dtype=a.dtype if dtype is None else dtype,
        device=a.device if device is None else device,
    )


@_implements()
def shape(a):
    return a.shape


@_implements()
def ndim(a):
    return a.ndim


@_implements()
def size(a, axis=None):
    return a.size if axis is None else a.shape[axis]
