"""The calls that are compared, read from ``calls/*.txt``: names of functions, and expressions below them.

In an expression ``f`` is the function, ``xp`` the library, ``d`` the dtype under test, and other names are operands
(see `operands`). A method is called as it is written, as ``x.sum(0)``. ``@name`` stands for a family of expressions
that functions with a common signature share; in the family of a method ``{m}`` is its name and ``{o}`` its operator.
"""

from __future__ import annotations

import io
import pathlib

import numpy as np

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

#: The symbols of special methods.
OPERATORS = {
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__floordiv__": "//", "__mod__": "%",
    "__and__": "&", "__or__": "|", "__xor__": "^", "__lshift__": "<<", "__rshift__": ">>",
    "__lt__": "<", "__le__": "<=", "__eq__": "==", "__ne__": "!=", "__gt__": ">", "__ge__": ">=",
}  # fmt: skip

#: The families of ufuncs, by their numbers of inputs and outputs.
UFUNC_FAMILIES = {(1, 1): "@unary", (2, 1): "@binary", (1, 2): "@two_outputs", (2, 2): "@two_of_two"}


def _blocks(text: str):
    """Yields the names and the items of each block: lines of names that end with a colon, and indented items."""
    names: list[str] = []
    items: list[str] = []
    for line in [*text.splitlines(), "end:"]:
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" "):
            items += [it.strip() for it in line.split("; ")]
            continue
        if items:
            yield names, [it.removesuffix(";") for it in items]
            names, items = [], []
        names += line.removesuffix(":").split()


def _read(path: pathlib.Path) -> dict[str, list[str]]:
    """The expressions of each function and family of a file, with the families in them expanded."""
    calls: dict[str, list[str]] = {}
    for names, items in _blocks(path.read_text()):
        expanded = [call for it in items for call in (calls[it] if it.startswith("@") else [it])]
        for name in names:
            method = name.rpartition(".")[2]
            replaced = [it.replace("{o}", OPERATORS.get(method, "{o}")) for it in expanded]
            calls[name] = replaced if name.startswith("@") else [it.replace("{m}", method) for it in replaced]
    return calls


_FILES = {path.stem: _read(path) for path in sorted((pathlib.Path(__file__).parent / "calls").glob("*.txt"))}

#: The expressions of each function.
CALLS = {name: calls for file in _FILES.values() for name, calls in file.items() if not name.startswith("@")}

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
    "seterr": "it would change the settings of other tests; test_inspection_names has it",
    "seterrcall": "nothing warns",
    "Array.ctypes": "a protocol",
    "Array.data": "a protocol, tested in test_protocols.py",
    "Array.dump": "pickling, tested in test_pickle.py",
    "Array.dumps": "pickling, tested in test_pickle.py",
    "Array.setflags": "tested with the flags",
    "Array.tofile": "writes files",
    "poly1d": "a class, with tests of its own",
}


def calls_of(name: str) -> list[str]:
    """The expressions for a function, a method (``Array.sum``) or a method of a ufunc (``add.reduce``)."""
    if name in CALLS:
        return CALLS[name]
    function, _, method = name.rpartition(".")
    if isinstance(getattr(np, function, None), np.ufunc):
        return _FILES["elementwise"][f"@{method}"]
    ufunc = getattr(np, name, None)
    if isinstance(ufunc, np.ufunc) and ufunc.signature is None:
        return _FILES["elementwise"][UFUNC_FAMILIES[ufunc.nin, ufunc.nout]]
    raise LookupError(name)


def has_recipe(name: str) -> bool:
    """Whether there are expressions for a function, or a reason for none."""
    if name in NOT_COMPARED:
        return True
    try:
        return bool(calls_of(name))
    except LookupError:
        return False
