"""Every function and method that NumPy and this package have, on the same arguments.

`comparison/recipes*.py` has the calls, by family of signatures; each is evaluated for several dtypes and layouts in
both libraries and compared: value, dtype, shape, whether the result is a view of an operand, what is written to the
operands, or that both refuse. `comparison/differences.py` lists the intended differences with their reasons.
"""

import types

import numpy as np
import pytest

import belvedere as bv
from comparison import evaluate, recipes
from comparison.differences import DIFFERENCES

# NumPy warns of casts and of statistics of nothing.
pytestmark = pytest.mark.filterwarnings("ignore")

NAMESPACES = ("", "linalg.", "fft.", "lib.stride_tricks.")
#: Special methods that have recipes; other ones are protocols with tests of their own.
SPECIAL = [name for name in recipes.CALLS if name.startswith("Array.__")]


def _is_compared(value) -> bool:
    """Whether it is a function or an object that is used as one; dtypes, constants and modules are not."""
    if isinstance(value, (types.ModuleType, bool, int, float, str, dict, list, type(None))):
        return False
    if isinstance(value, type):
        return not issubclass(value, (np.generic, np.ndarray, BaseException, np.dtype, np.ufunc))
    return True


def _shared_functions():
    for prefix in NAMESPACES:
        try:
            theirs, ours = (evaluate.resolve(it, prefix[:-1]) if prefix else it for it in (np, bv))
        except AttributeError:
            continue
        for name in sorted({*dir(theirs)} & {*dir(ours)}):
            if not name.startswith("_") and _is_compared(getattr(theirs, name)):
                yield prefix + name
                yield from _ufunc_methods(prefix + name, getattr(ours, name), getattr(theirs, name))


def _ufunc_methods(name, ours, theirs):
    if isinstance(theirs, np.ufunc) and theirs.nin == 2 and theirs.nout == 1 and theirs.signature is None:
        yield from (f"{name}.{it}" for it in ("reduce", "accumulate", "outer", "at", "reduceat") if hasattr(ours, it))


FUNCTIONS = list(_shared_functions())
METHODS = sorted(
    f"Array.{name}" for name in {*dir(np.ndarray)} & {*dir(bv.Array)} if not name.startswith("_")
) + SPECIAL  # fmt: skip


COMPARED = [it for it in [*FUNCTIONS, *METHODS] if it not in recipes.NOT_COMPARED and recipes.has_recipe(it)]


@pytest.mark.parametrize("name", COMPARED)
def test_the_results_are_numpys(name):
    unexpected = [it for it in evaluate.mismatches(name) if not any(row.covers(it) for row in DIFFERENCES)]
    kinds = sorted({it.kind for it in unexpected})
    text = "\n".join(str(it) for it in unexpected[:25])
    assert not unexpected, f"{len(unexpected)} differences ({', '.join(kinds)}):\n{text}"


def test_every_function_has_a_recipe():
    assert [name for name in [*FUNCTIONS, *METHODS] if not recipes.has_recipe(name)] == []


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: f"{row.functions}-{row.kind}")
def test_every_difference_occurs(row):
    assert any(row.covers(it) for name in COMPARED if row.concerns(name) for it in evaluate.mismatches(name))
