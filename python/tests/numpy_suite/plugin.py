"""A pytest plugin that runs NumPy's own tests on our arrays, through NumPy's dispatch.

The test modules of NumPy are imported as they are. Then the functions that make arrays (``np.array``, ``np.zeros`` …)
are replaced in them: a result with a dtype that this package has becomes one of our arrays, on the same memory. Calls
of NumPy with it are answered by ``__array_function__`` and ``__array_ufunc__``. The assertions of ``numpy.testing`` are given
NumPy arrays again. NumPy itself is not changed: only the globals of the test modules are.
"""

from __future__ import annotations

import functools
import types

import numpy as np
import pytest

import belvedere as bv
from belvedere._numpy import DTYPES

#: The functions whose results become our arrays.
MAKERS = (
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "empty", "eye", "full", "geomspace", "identity",
    "indices", "linspace", "logspace", "ones", "tri", "zeros",
)  # fmt: skip
RANDOM_MAKERS = ("normal", "rand", "randint", "randn", "random", "random_sample", "uniform")


def to_ours(value):
    """Our array on the memory of a NumPy array, if it has a dtype of this package; other values as they are."""
    if type(value) is np.ndarray and value.dtype.name in DTYPES and value.dtype.isnative:
        return bv.asarray(value)
    return value


def to_numpy(value):
    """NumPy arrays instead of ours, in nested lists and tuples, too."""
    if isinstance(value, bv.Array):
        return np.asarray(value)
    if type(value) in (list, tuple):
        return type(value)(to_numpy(it) for it in value)
    return value


def _making(function):
    @functools.wraps(function)
    def make(*args, **kwargs):
        return to_ours(function(*args, **kwargs))

    return make


def _checking(function):
    @functools.wraps(function)
    def check(*args, **kwargs):
        return function(*map(to_numpy, args), **{name: to_numpy(it) for name, it in kwargs.items()})

    return check


def _module_like(module, replaced: dict):
    """A module with the attributes of another one, some of them replaced."""
    proxy = types.ModuleType(module.__name__)
    proxy.__getattr__ = lambda name: getattr(module, name)
    vars(proxy).update(replaced)
    return proxy


def _replacements() -> dict[int, object]:
    """What replaces an object in the globals of a test module, by the identity of the object."""
    makers = {name: _making(getattr(np, name)) for name in MAKERS}
    random = _module_like(np.random, {name: _making(getattr(np.random, name)) for name in RANDOM_MAKERS})
    names = [name for name in dir(np.testing) if name.startswith("assert_")]
    checks = {name: _checking(getattr(np.testing, name)) for name in names if name != "assert_raises"}
    checks = {name: it for name, it in checks.items() if not name.startswith(("assert_raises", "assert_warns"))}
    testing = _module_like(np.testing, checks)
    replaced: dict[int, object] = {id(np): _module_like(np, {**makers, "random": random, "testing": testing})}
    replaced |= {id(getattr(np, name)): it for name, it in makers.items()}
    replaced |= {id(getattr(np.random, name)): getattr(random, name) for name in RANDOM_MAKERS}
    replaced |= {id(getattr(np.testing, name)): it for name, it in checks.items()}
    return replaced


class OnOurArrays:
    """The plugin: replaces the makers of arrays in each test module, and marks the expected failures."""

    def __init__(self, expected: dict[str, str]):
        #: Names of tests, or their beginnings with an asterisk, with the reason why they fail.
        self.expected = expected
        self.used: set[str] = set()

    def pytest_collection_modifyitems(self, items):
        replaced = _replacements()
        for module in {item.module for item in items}:
            for name, value in list(vars(module).items()):
                if id(value) in replaced:
                    setattr(module, name, replaced[id(value)])
        for item in items:
            name = test_name(item.nodeid)
            pattern = next((it for it in self.expected if _matches(name, it)), None)
            if pattern is not None:
                self.used.add(pattern)
                item.add_marker(pytest.mark.xfail(reason=self.expected[pattern], strict=True))

    def pytest_runtest_setup(self, item):
        """Seeds NumPy's global generator: some tests compare random numbers within a few roundings."""
        np.random.seed(0)


def _matches(name: str, pattern: str) -> bool:
    """Whether a name is the pattern, or begins with it if that ends with an asterisk."""
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def test_name(nodeid: str) -> str:
    """The name of a test without the folder of its file: ``_core/test_einsum.py::TestEinsum::test_misc``."""
    path, _, rest = nodeid.partition("::")
    *_, package, _tests, file = path.split("/")
    return f"{package}/{file}::{rest}"
