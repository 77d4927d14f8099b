"""The functions that dask calls on chunks that are our arrays, where its own assume NumPy's.

Most of dask's functions go through NumPy's dispatch and need nothing. The ones here create arrays (``empty``, counts),
or have no implementation for types that dask does not know (``percentile``).
"""

from __future__ import annotations

import math
from types import ModuleType

from .. import _native as bv


def register(module: ModuleType) -> None:
    """Registers our arrays, given ``dask.array.backends``."""
    import numpy as np

    module.empty_lookup.register(bv.Array, _empty)
    module.numel_lookup.register(bv.Array, _count)
    module.to_numpy_dispatch.register(bv.Array, lambda x, **kwargs: np.asarray(x, **kwargs))
    percentile = module.percentile_lookup.dispatch(np.ndarray)
    module.percentile_lookup.register(bv.Array, _percentile_by(percentile))


def register_sizes(module: ModuleType) -> None:
    """Registers the size of our arrays, given ``dask.sizeof``: workers compare it with their memory limit."""
    module.sizeof.register(bv.Array, _size_of)


def _empty(shape, dtype=None, order="C", **kwargs):
    return bv.empty(shape, dtype=_dtype(dtype))


def _dtype(dtype):
    """Returns our dtype of NumPy's."""
    import numpy as np

    return None if dtype is None else getattr(bv, np.dtype(dtype).name)


def _count(x, axis=None, keepdims=False, dtype=float, **kwargs):
    """Counts the elements along axes, as a reduction does."""
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    axes = {i % x.ndim for i in axes}
    count = math.prod(x.shape[i] for i in axes)
    lengths = [(i, 1 if i in axes else n) for i, n in enumerate(x.shape)]
    shape = tuple(n for i, n in lengths if keepdims or i not in axes)
    return bv.full(shape, count, dtype=_dtype(dtype))


def _percentile_by(percentile):
    """Returns dask's percentiles of a chunk, on the same memory, as our arrays."""
    import numpy as np

    def our_percentile(a, q, method="linear"):
        values, count = percentile(np.asarray(a), np.asarray(q), method)
        return None if values is None else bv.asarray(values), count

    return our_percentile


def _size_of(x):
    """Returns the number of bytes that the elements occupy; a broadcast axis counts once."""
    return math.prod(n for n, stride in zip(x.shape, x.strides) if stride != 0) * x.dtype.itemsize
