"""Strided arrays that share memory: the Array API standard without implicit copies."""

from . import _supported  # noqa: F401  isort: skip
from ._native import *  # noqa: F403  isort: skip
from ._native import __all__ as _native_names  # isort: skip
from ._functions import *  # noqa: F403  isort: skip
from ._functions import __all__ as _composed_names  # isort: skip

from . import _methods, _ufunc, emath, exceptions, fft, lib, linalg, nn, polynomial, random, testing  # noqa: F401
from ._left_out import explanation as _explanation

_modules = ("emath", "exceptions", "fft", "lib", "linalg", "nn", "polynomial", "random", "testing")
_names = {*_native_names, *_composed_names, *_modules}
__all__ = sorted(name for name in _names if name.startswith("__") or not name.startswith("_"))

from . import _interop as _interop  # isort: skip

_interop.install()


def __getattr__(name: str) -> object:
    # Python and its tools ask for optional dunder names of every module.
    if name.startswith("__"):
        raise AttributeError(f"belvedere has no {name!r}")
    raise AttributeError(_explanation(name, tuple(__all__)))


def __dir__() -> list[str]:
    return __all__
