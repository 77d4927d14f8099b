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
    module.array_creation_dispatch.register_backend("belvedere", _backend(module))


def _backend(module: ModuleType):
    """Returns the backend ``"belvedere"`` for ``x.to_backend`` and the setting ``array.backend``."""

    def create(name, *args, **kwargs):
        import dask
        import dask.array as da

        with dask.config.set({"array.backend": "numpy"}):
            return getattr(da, name)(*args, **kwargs)

    class BelvedereBackend(module.NumpyBackendEntrypoint):
        """Creates dask arrays whose chunks are our arrays; those of ``dask.array.random`` stay NumPy's."""

        @classmethod
        def to_backend_dispatch(cls):
            return lambda x, **kwargs: bv.asarray(x)

        @classmethod
        def to_backend(cls, data, **kwargs):
            if isinstance(data._meta, bv.Array):
                return data
            return data.map_blocks(bv.asarray, dtype=data.dtype, meta=bv.asarray(data._meta), **kwargs)

        @staticmethod
        def ones(*args, meta=None, **kwargs):
            return create("ones", *args, meta=bv.empty(()) if meta is None else meta, **kwargs)

        @staticmethod
        def zeros(*args, meta=None, **kwargs):
            return create("zeros", *args, meta=bv.empty(()) if meta is None else meta, **kwargs)

        @staticmethod
        def empty(*args, meta=None, **kwargs):
            return create("empty", *args, meta=bv.empty(()) if meta is None else meta, **kwargs)

        @staticmethod
        def full(*args, meta=None, **kwargs):
            return create("full", *args, meta=bv.empty(()) if meta is None else meta, **kwargs)

        @classmethod
        def arange(cls, *args, **kwargs):
            return cls.to_backend(create("arange", *args, **kwargs))

    return BelvedereBackend()


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
