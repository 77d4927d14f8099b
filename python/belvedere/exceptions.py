"""The exceptions of Belvedere. Each is one of Python's own as well, so that code written for NumPy catches it."""


class AxisError(ValueError, IndexError):
    """There is no such axis, or one is named twice."""


class CopyError(ValueError):
    """A copy would be needed, and was forbidden: by ``copy=False``, or by ``no_copies``."""


class LinAlgError(ValueError):
    """A matrix for which there is no result."""


class UnsupportedError(TypeError, NotImplementedError):
    """The operation does not exist for elements of this type."""


__all__ = ["AxisError", "CopyError", "LinAlgError", "UnsupportedError"]
