"""The backend that makes einops' functions take our arrays: ``einops.rearrange(x, "h w -> w h")``."""

from __future__ import annotations

from types import ModuleType

from .. import _native as bv

#: einops finds its backends by weak references; these keep ours alive.
BACKENDS: list[type] = []


def register(module: ModuleType) -> None:
    """Defines the backend, given ``einops._backends``: einops finds the subclasses of its base class."""

    class BelvedereBackend(module.AbstractBackend):
        """Operations on our arrays. Results are views wherever the pattern allows it."""

        framework_name = "belvedere"

        def is_appropriate_type(self, tensor):
            return isinstance(tensor, bv.Array)

        def from_numpy(self, x):
            return bv.asarray(x)

        def to_numpy(self, x):
            import numpy as np

            return np.asarray(x)

        def arange(self, start, stop):
            return bv.arange(start, stop)

        def reshape(self, x, shape):
            return bv.reshape(x, tuple(shape))

        def transpose(self, x, axes):
            return bv.permute_dims(x, tuple(axes))

        def stack_on_zeroth_dimension(self, tensors):
            return bv.stack(tensors)

        def add_axis(self, x, new_position):
            return bv.expand_dims(x, axis=new_position)

        def add_axes(self, x, n_axes, pos2len):
            # Broadcast axes instead of the copies that `tile` would make.
            for position in pos2len:
                x = self.add_axis(x, position)
            return bv.broadcast_to(x, tuple(pos2len.get(i, n) for i, n in enumerate(x.shape)))

        def tile(self, x, repeats):
            return bv.tile(x, repeats)

        def concat(self, tensors, axis):
            return bv.concat(tensors, axis=axis)

        def is_float_type(self, x):
            return x.dtype.is_floating_point

        def einsum(self, pattern, *x):
            return bv.einsum(pattern, *x)

    BACKENDS.append(BelvedereBackend)
