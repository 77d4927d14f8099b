"""Functions of NumPy's that are ours, with NumPy's parameters: those that we have. A call with others is NumPy's."""

from __future__ import annotations

import builtins

import numpy as np

from . import _native as bv

#: NumPy's function: ours.
FUNCTIONS: dict = {}


def _like(*names):
    """Enters a function under its own name, or under others."""

    def enter(function):
        for name in names or (function.__name__,):
            if hasattr(np, name):
                FUNCTIONS[getattr(np, name)] = function
        return function

    return enter


# Folding axes


def _fold(ours, *names):
    @_like(*names)
    def function(a, axis=None, *, keepdims=False):
        return ours(a, axis=axis, keepdims=bool(keepdims))


_fold(bv.max, "max", "amax")
_fold(bv.min, "min", "amin")
_fold(bv.all, "all")
_fold(bv.any, "any")
_fold(bv.mean, "mean")
_fold(bv.argmax, "argmax")
_fold(bv.argmin, "argmin")
_fold(bv.count_nonzero, "count_nonzero")


def _fold_as(ours, name):
    @_like(name)
    def function(a, axis=None, dtype=None, *, keepdims=False):
        return ours(a, axis=axis, dtype=dtype, keepdims=bool(keepdims))


_fold_as(bv.sum, "sum")
_fold_as(bv.prod, "prod")


def _spread(ours, name):
    @_like(name)
    def function(a, axis=None, *, ddof=0, correction=0, keepdims=False):
        return ours(a, axis=axis, correction=ddof or correction, keepdims=bool(keepdims))


_spread(bv.std, "std")
_spread(bv.var, "var")


def _scan(ours, name):
    @_like(name)
    def function(a, axis=None, dtype=None):
        if axis is None:
            a, axis = bv.reshape(a, (-1,)), 0
        return ours(a, axis=axis, dtype=dtype)


_scan(bv.cumulative_sum, "cumsum")
_scan(bv.cumulative_prod, "cumprod")


@_like()
def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return bv.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)


@_like()
def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return bv.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)


# Shapes


@_like("concatenate", "concat")
def concatenate(arrays, axis=0, *, dtype=None):
    arrays = list(arrays)
    if dtype is not None:
        arrays = [bv.astype(bv.asarray(it), dtype) for it in arrays]
    return bv.concat(arrays, axis=axis)


@_like()
def stack(arrays, axis=0):
    return bv.stack(list(arrays), axis=axis)


@_like()
def unstack(x, /, *, axis=0):
    return bv.unstack(x, axis=axis)


@_like("transpose", "permute_dims")
def transpose(a, axes=None):
    return bv.permute_dims(a, tuple(reversed(range(a.ndim))) if axes is None else axes)


@_like()
def matrix_transpose(x, /):
    return bv.matrix_transpose(x)


@_like()
def reshape(a, /, shape, *, copy=None):
    return bv.reshape(a, shape, copy=copy)


@_like()
def ravel(a):
    return bv.reshape(a, (-1,))


@_like()
def squeeze(a, axis=None):
    if axis is None:
        axis = tuple(k for k, n in enumerate(a.shape) if n == 1)
    return bv.squeeze(a, axis)


@_like()
def expand_dims(a, axis):
    return bv.expand_dims(a, axis)


@_like()
def moveaxis(a, source, destination):
    return bv.moveaxis(a, source, destination)


@_like()
def swapaxes(a, axis1, axis2):
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return bv.permute_dims(a, order)


@_like()
def broadcast_to(array, shape):
    return bv.broadcast_to(array, shape)


@_like()
def broadcast_arrays(*args):
    return bv.broadcast_arrays(*args)


@_like()
def flip(m, axis=None):
    return bv.flip(m, axis=axis)


@_like()
def flipud(m):
    return bv.flip(m, axis=0)


@_like()
def fliplr(m):
    return bv.flip(m, axis=1)


@_like()
def roll(a, shift, axis=None):
    return bv.roll(a, shift, axis=axis)


@_like()
def tile(A, reps):  # noqa: N803
    return bv.tile(A, reps if isinstance(reps, (tuple, list)) else (reps,))


@_like()
def repeat(a, repeats, axis=None):
    return bv.repeat(a, repeats, axis=axis)


@_like()
def diff(a, n=1, axis=-1, prepend=None, append=None):
    return bv.diff(a, n=n, axis=axis, prepend=prepend, append=append)


# Choosing and ordering


@_like()
def where(condition, /, *values):
    return bv.where(condition, *values) if values else bv.nonzero(condition)


@_like()
def nonzero(a):
    return bv.nonzero(a)


@_like()
def take(a, indices, axis=None):
    if axis is None:
        a, axis = bv.reshape(a, (-1,)), 0
    indices = bv.asarray(indices)
    if indices.ndim == 1:
        return bv.take(a, indices, axis=axis)
    axis = range(a.ndim)[axis]
    flat = bv.take(a, bv.reshape(indices, (-1,)), axis=axis)
    return bv.reshape(flat, (*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]))


@_like()
def take_along_axis(arr, indices, axis=-1):
    return bv.take_along_axis(arr, indices, axis=axis)


@_like()
def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    return bv.clip(a, min if a_min is None else a_min, max if a_max is None else a_max)


@_like("round", "around")
def round(a, decimals=0):
    return bv.round(a) if decimals == 0 else bv.asarray(np.round(np.asarray(a), decimals))


@_like()
def sort(a, axis=-1, *, stable=None):
    if axis is None:
        a, axis = bv.reshape(a, (-1,)), 0
    return bv.sort(a, axis=axis)


@_like()
def argsort(a, axis=-1, *, stable=None):
    if axis is None:
        a, axis = bv.reshape(a, (-1,)), 0
    return bv.argsort(a, axis=axis)


@_like()
def searchsorted(a, v, side="left", sorter=None):
    return bv.searchsorted(a, v, side=side, sorter=sorter)


def _triangle(ours, name):
    @_like(name)
    def function(m, k=0):
        return ours(m, k=k)


for _name in ("tril", "triu"):
    if hasattr(bv, _name):
        _triangle(getattr(bv, _name), _name)


# Products


@_like()
def dot(a, b):
    a, b = bv.asarray(a), bv.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return bv.multiply(a, b)
    if b.ndim <= 2:
        return bv.matmul(a, b)
    return bv.tensordot(a, b, axes=((a.ndim - 1,), (b.ndim - 2,)))


@_like()
def tensordot(a, b, axes=2):
    if isinstance(axes, builtins.int):
        return bv.tensordot(a, b, axes=axes)
    pair = tuple((k,) if isinstance(k, builtins.int) else tuple(k) for k in axes)
    return bv.tensordot(a, b, axes=pair)


@_like()
def einsum(subscripts, /, *operands, optimize=False):
    return bv.einsum(subscripts, *operands)


@_like()
def outer(a, b):
    return bv.multiply(bv.reshape(a, (-1, 1)), bv.reshape(b, (1, -1)))


# Arrays from arrays


def _filled(make, name):
    @_like(name)
    def function(a, dtype=None, *, shape=None, device=None):
        return make(a.shape if shape is None else shape, dtype=a.dtype if dtype is None else dtype)


_filled(bv.empty, "empty_like")
_filled(bv.ones, "ones_like")
_filled(bv.zeros, "zeros_like")


@_like()
def full_like(a, fill_value, dtype=None, *, shape=None, device=None):
    return bv.full(a.shape if shape is None else shape, fill_value, dtype=a.dtype if dtype is None else dtype)


@_like()
def copy(a):
    return bv.asarray(a, copy=True)


@_like()
def astype(x, dtype, /, *, copy=True):
    return bv.astype(x, dtype, copy=copy)


@_like("array")
def array(object, dtype=None, *, copy=True):
    return bv.asarray(object, dtype=dtype, copy=copy or None)


@_like("asarray", "asanyarray")
def asarray(a, dtype=None, *, copy=None, device=None):
    return bv.asarray(a, dtype=dtype, copy=copy)


@_like()
def shape(a):
    return a.shape


@_like()
def ndim(a):
    return a.ndim


@_like()
def size(a, axis=None):
    return a.size if axis is None else a.shape[axis]


@_like()
def real(val):
    return bv.real(val)


@_like()
def imag(val):
    return bv.imag(val)
