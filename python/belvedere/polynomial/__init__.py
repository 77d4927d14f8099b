"""Polynomials in one variable, the lowest power first.

>>> p = bv.polynomial.Polynomial([1, 2, 3])
>>> p(2)
array(17.)
"""

from . import polynomial
from ._series import Polynomial

__all__ = ["Polynomial", "polynomial"]
