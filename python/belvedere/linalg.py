"""Linear algebra."""

from ._native.linalg import *  # noqa: F403  isort: skip
from ._native.linalg import __all__ as _native_names  # isort: skip
from ._functions.matrices import *  # noqa: F403  isort: skip
from ._functions.matrices import __all__ as _composed_names  # isort: skip
from .exceptions import LinAlgError as LinAlgError

__all__ = sorted({*_native_names, *_composed_names, "LinAlgError"})
