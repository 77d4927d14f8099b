"""The exceptions of Belvedere: subclasses of Python's, so that code written for NumPy catches them."""


class AxisError(ValueError, IndexError):
    """An axis is out of range or repeated."""


class CopyError(ValueError):
    """A copy is needed and forbidden, by ``copy=False`` or ``no_copies``."""


class LinAlgError(ValueError):
    """A linear algebra operation has no result for the given matrix."""


class UnsupportedError(TypeError, NotImplementedError):
    """The operation does not support the dtype."""


__all__ = ["AxisError", "CopyError", "LinAlgError", "UnsupportedError"]
