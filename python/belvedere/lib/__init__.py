"""Functions that NumPy has in ``numpy.lib``: views made of strides."""

from . import stride_tricks

__all__ = ["stride_tricks"]
