"""This package under the name of the array library in dask's tests of chunks that are not NumPy's."""

import numpy as np

import belvedere
from belvedere import *  # noqa: F403
from belvedere import Array as ndarray  # noqa: F401
from belvedere import fft, linalg, random  # noqa: F401

#: The version that the tests ask for.
__version__ = "13.0.0"

asnumpy = np.asarray
# CuPy's method that copies to the host.
ndarray.get = lambda self: np.asarray(self)


def __getattr__(name):
    """Names that NumPy has and this package does not are reported as missing from this package."""
    return getattr(belvedere, name)
