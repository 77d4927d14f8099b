"""Runs a program written for NumPy with another library in NumPy's place.

The source is executed with an ``__import__`` that maps ``numpy`` and its submodules, so that ``import numpy as np``,
``from numpy.linalg import norm`` and ``import numpy.fft`` work unchanged.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import io
import pathlib

#: The programs: each has a function ``main`` that prints and returns its results.
FOLDER = pathlib.Path(__file__).parent / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


def _import_from(library, name, globals=None, locals=None, fromlist=(), level=0):
    """``__import__``, with ``library`` instead of ``numpy``."""
    first, *rest = name.split(".")
    if level or first != "numpy":
        return builtins.__import__(name, globals, locals, fromlist, level)
    module = importlib.import_module(".".join([library, *rest]))
    return module if fromlist else importlib.import_module(library)


def load(name: str, library: str):
    """Returns the function ``main`` of a program that imports ``library`` under NumPy's name."""
    path = FOLDER / f"{name}.py"
    scope = {
        "__name__": f"{name}_with_{library}",
        "__builtins__": {**vars(builtins), "__import__": functools.partial(_import_from, library)},
    }
    exec(compile(path.read_text(), path, "exec"), scope)
    return scope["main"]


def run(name: str, library: str) -> tuple[dict, str]:
    """Returns the results of a program and the text that it prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        results = load(name, library)()
    return results, text.getvalue()
