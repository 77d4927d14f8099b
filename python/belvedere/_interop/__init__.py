"""Registration with libraries that keep tables of array types or dtypes: dask, einops, PyTorch, zarr.

None of them is imported here. If one is loaded already, this package is registered at once; otherwise right after
the module with its table is executed, by a finder in ``sys.meta_path``. The libraries have no hook for array types that
they do not know themselves, and a program that imports both must not depend on the order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType


def _register_einops(module: ModuleType) -> None:
    from . import einops_backend

    einops_backend.register(module)


def _register_dask(module: ModuleType) -> None:
    from . import dask_dispatch

    dask_dispatch.register(module)


def _register_dask_sizes(module: ModuleType) -> None:
    from . import dask_dispatch

    dask_dispatch.register_sizes(module)


def _register_torch(module: ModuleType) -> None:
    from . import torch_collation

    torch_collation.register(module)


def _register_zarr(module: ModuleType) -> None:
    from . import zarr_dtype

    zarr_dtype.register(module)


#: What is called with a module, once, after it is imported.
_PENDING: dict[str, Callable[[ModuleType], None]] = {
    "dask.array.backends": _register_dask,
    "dask.sizeof": _register_dask_sizes,
    "einops._backends": _register_einops,
    "torch.utils.data._utils.collate": _register_torch,
    "zarr.core.dtype": _register_zarr,
}


class _Loader:
    """Loads a module as the loader of its library does, and registers this package afterwards."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module has no trace of this class, in case it is reloaded or asked for its source.
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _register(module)


class _Finder:
    """Finds the modules in ``_PENDING``, by the other finders; all others are not its business."""

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        if name not in _PENDING:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


def _register(module: ModuleType) -> None:
    """Registers this package, once. A library that has changed its tables stays importable, without our arrays."""
    register = _PENDING.pop(module.__name__, None)
    try:
        if register is not None:
            register(module)
    except (AttributeError, ImportError, TypeError):
        pass
    if not _PENDING and _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


_FINDER = _Finder()


def install() -> None:
    """Registers this package with the libraries that are loaded, and with the others when they are imported."""
    for name in list(_PENDING):
        module = sys.modules.get(name)
        if module is not None:
            _register(module)
    if _PENDING:
        sys.meta_path.insert(0, _FINDER)
