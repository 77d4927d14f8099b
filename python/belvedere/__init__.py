"""Strided arrays that share memory: the Array API standard without implicit copies."""

from ._native import *  # noqa: F403  isort: skip
from ._native import __all__ as _native_names  # isort: skip
from ._functions import *  # noqa: F403  isort: skip
from ._functions import __all__ as _composed_names  # isort: skip

from . import exceptions, fft, linalg, nn, random

_names = {*_native_names, *_composed_names, "exceptions", "fft", "linalg", "nn", "random"}
__all__ = sorted(name for name in _names if name.startswith("__") or not name.startswith("_"))

from . import _interop as _interop  # isort: skip

_interop.install()
