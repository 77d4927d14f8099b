"""Methods of arrays that are composed of functions, one module for each topic.

The native class has the methods that a program calls in its inner loops; these call functions of the package. Each module
lists its methods in ``__all__``, and they become members of ``Array`` here.
"""

from .._native import Array
from . import arrow, flat, gathering, joining, memory, sorting

for _module in (arrow, flat, gathering, joining, memory, sorting):
    for _name in _module.__all__:
        setattr(Array, _name, getattr(_module, _name))
