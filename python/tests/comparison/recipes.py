"""The calls that are compared: families of expressions by signature, and the functions that belong to each.

In an expression ``f`` is the function, ``xp`` the library, ``d`` the dtype under test, and other names are operands (see
`operands`). A method is called as it is written, as ``x.sum(0)``.
"""

from __future__ import annotations

import io

import numpy as np

from . import recipes_creation, recipes_elementwise, recipes_linalg, recipes_methods, recipes_reduction, recipes_selection
from . import recipes_shape
from .operands import OUTPUTS, SHAPES

#: Names whose use makes a call depend on the dtype under test.
DTYPED = {*SHAPES, *OUTPUTS, "d"}


def form(result):
    """The dtype and shape of a result whose values are unspecified or not unique."""
    if isinstance(result, (tuple, list)):
        return [form(it) for it in result]
    return str(result.dtype), tuple(result.shape)


def after(change, *arrays):
    """The operands after a function that changes them, if the function returns None."""
    assert change is None, change
    return list(arrays)


def by_steps(iterable):
    """The items of an iterable; arrays as nested lists."""
    return [it.tolist() if hasattr(it, "tolist") else it for it in iterable]


def rounded(result, digits=9):
    """The values as rounded numbers, for results with signs of zero that are not specified."""
    return np.round(np.asarray(result), digits) + 0.0


#: Functions that expressions may call.
HELPERS = {"form": form, "after": after, "by_steps": by_steps, "rounded": rounded, "io": io, "inf": np.inf}

_TABLES = (
    recipes_creation.CALLS,
    recipes_elementwise.CALLS,
    recipes_linalg.CALLS,
    recipes_methods.CALLS,
    recipes_reduction.CALLS,
    recipes_selection.CALLS,
    recipes_shape.CALLS,
)

#: The expressions of each function.
CALLS = {name: calls for table in _TABLES for names, calls in table.items() for name in names.split()}

#: Functions of both libraries that are not compared, with the reason.
NOT_COMPARED = {
    "from_dlpack": "tested in test_dlpack.py",
    "fromfile": "reads files",
    "genfromtxt": "tested with the text functions",
    "fromregex": "tested with the text functions",
    "get_include": "about the installation",
    "info": "prints documentation",
    "load": "tested in test_creation.py",
    "loadtxt": "tested with the text functions",
    "save": "tested in test_creation.py",
    "savetxt": "tested with the text functions",
    "savez": "tested with the text functions",
    "savez_compressed": "tested with the text functions",
    "show_config": "about the installation",
    "show_runtime": "about the installation",
    "test": "runs the tests of NumPy",
    "linalg.test": "runs the tests of NumPy",
    "fft.test": "runs the tests of NumPy",
    "False_": "a constant",
    "True_": "a constant",
    "getbufsize": "about the machinery of NumPy",
    "setbufsize": "about the machinery of NumPy",
    "geterrcall": "nothing warns",
    "seterrcall": "nothing warns",
    "Array.ctypes": "a protocol",
    "Array.data": "a protocol, tested in test_protocols.py",
    "Array.dump": "pickling, tested in test_pickle.py",
    "Array.dumps": "pickling, tested in test_pickle.py",
    "Array.setflags": "tested with the flags",
    "Array.tofile": "writes files",
}


def calls_of(name: str) -> list[str]:
    """The expressions for a function, a method (``Array.sum``) or a method of a ufunc (``add.reduce``)."""
    if name in CALLS:
        return CALLS[name]
    function, _, method = name.rpartition(".")
    if isinstance(getattr(np, function, None), np.ufunc):
        return recipes_elementwise.UFUNC_METHODS[method]
    ufunc = getattr(np, name, None)
    if isinstance(ufunc, np.ufunc) and ufunc.signature is None:
        return recipes_elementwise.FAMILIES[ufunc.nin, ufunc.nout]
    raise LookupError(name)


def has_recipe(name: str) -> bool:
    """Whether there are expressions for a function, or a reason for none."""
    if name in NOT_COMPARED:
        return True
    try:
        return bool(calls_of(name))
    except LookupError:
        return False
