"""The table of operations and the package agree in both directions."""

import inspect
import pathlib
import tomllib

import pytest

import belvedere as bv
import zoo
from belvedere import _functions, _random_state
from belvedere._functions import matrices, transforms

NAMESPACES = {"": bv, **{name: getattr(bv, name) for name in ("fft", "linalg", "nn", "random")}}
#: The functions that are composed of others, by namespace.
COMPOSED = {
    "": _functions.__all__,
    "fft": transforms.__all__,
    "linalg": matrices.__all__,
    "random": _random_state.__all__,
}
TABLE = zoo.operations()
FUNCTIONS = [it for it in TABLE if "form" in it or "signature" in it]
#: What elementwise functions have behind their operands, as NumPy's ufuncs.
UFUNC = "out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True)"
#: The forms whose functions have no parameters but operands, axes, and those that say where the result is written.
FORMS = {
    "unary": f"(x, /, {UFUNC}",
    "binary": f"(x1, x2, /, {UFUNC}",
    "comparison": f"(x1, x2, /, {UFUNC}",
    "rounding": "(x, /, decimals=0, out=None)",
    "reduction": "(x, /, axis=None, out=None, keepdims=False)",
    "extremum": "(x, /, axis=None, out=None, keepdims=False, initial=None, where=True)",
    "total": "(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)",
    "mean": "(x, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True)",
    "test": "(x, /, axis=None, out=None, keepdims=False, *, where=True)",
}

#: Names in the table that are no second names: `numpy.array` copies where `asarray` does not.
OTHER_CALLS = {"array"}

#: The dtypes that a class of the table accepts.
CLASSES = {
    "any": zoo.ALL,
    "number": zoo.NUMERIC,
    "ordered": zoo.BOOL + zoo.INTEGERS + zoo.REALS,
    "real": zoo.INTEGERS + zoo.REALS,
    "integer": zoo.INTEGERS,
    "bits": zoo.BOOL + zoo.INTEGERS,
    "field": zoo.ALL,
    "float": zoo.BOOL + zoo.INTEGERS + zoo.REALS,
}


#: Functions that take bools as NumPy's do, which the operations of the library do not.
OF_BOOLS = {
    *"abs add bitwise_left_shift bitwise_right_shift ceil floor floor_divide".split(),
    *"fmod multiply pow remainder round square trunc".split(),
}


def namespaces(operation):
    """The namespaces that have the function."""
    own = operation["category"] if operation["category"] in NAMESPACES else ""
    return {own, operation["also"]} if "also" in operation else {own}


def second_names(operation, namespace):
    """The names of NumPy that are the same function in a namespace."""
    own = operation["category"] if operation["category"] in NAMESPACES else ""
    taken = {it["name"] for it in FUNCTIONS if own in namespaces(it)} | OTHER_CALLS
    found = [name.rpartition(".") for name in operation.get("numpy", "").split()]
    return {name for prefix, _, name in found if prefix == own == namespace and name not in taken}


def is_function(value):
    return inspect.isbuiltin(value) or inspect.isfunction(value) or isinstance(value, bv.ufunc)


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_function_is_in_the_table_and_every_row_is_a_function(namespace):
    module = NAMESPACES[namespace]
    # A composed function may extend a native one, which has a row: `load` reads file objects.
    native = {it["name"] for it in FUNCTIONS if namespace in namespaces(it)}
    composed = set(COMPOSED.get(namespace, ())) - native
    exported = {name for name in module.__all__ if is_function(getattr(module, name)) and name not in composed}
    assert exported == native.union(*(second_names(it, namespace) for it in FUNCTIONS))


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_a_second_name_is_the_same_function(namespace):
    module = NAMESPACES[namespace]
    for it in FUNCTIONS:
        for name in second_names(it, namespace):
            assert getattr(module, name) is getattr(module, it["name"])


def test_every_member_of_arrays_is_in_the_table_and_every_row_is_a_member():
    public = {name for name in vars(bv.Array) if not name.startswith("_")}
    assert public == {it["name"] for it in TABLE if "method" in it or "attribute" in it}
    for it in TABLE:
        for operator in it.get("operators", "").split():
            assert operator in vars(bv.Array)


@pytest.mark.parametrize("operation", FUNCTIONS, ids=lambda it: it["name"])
def test_the_docstring_begins_with_the_summary_of_the_table(operation):
    for namespace in namespaces(operation):
        function = getattr(NAMESPACES[namespace], operation["name"])
        assert inspect.getdoc(function).splitlines()[0] == operation["doc"]
        if operation.get("form") in FORMS:
            assert str(inspect.signature(function)) == FORMS[operation["form"]]


@pytest.mark.parametrize("operation", [it for it in FUNCTIONS if it.get("form") in FORMS], ids=lambda it: it["name"])
@pytest.mark.parametrize("dtype", zoo.ALL)
def test_the_dtypes_are_those_of_the_table(operation, dtype):
    x = bv.ones(2, dtype=dtype)
    function = getattr(bv, operation["name"])
    operands = (x, x) if operation["form"] in ("binary", "comparison") else (x,)
    if dtype in CLASSES[operation["dtypes"]] or (dtype in zoo.BOOL and operation["name"] in OF_BOOLS):
        function(*operands)
    else:
        with pytest.raises(bv.exceptions.UnsupportedError):
            function(*operands)


@pytest.mark.parametrize("operation", [it for it in TABLE if it.get("view") == "always"], ids=lambda it: it["name"])
def test_functions_that_return_views_say_so(operation):
    assert "view" in operation["doc"] or "parts" in operation["doc"] or "never a copy" in operation["doc"]


def test_names_of_numpy_exist():
    import numpy as np
    import scipy

    for it in TABLE:
        if it["category"] in ("array", "expression"):
            continue
        for name in it.get("numpy", "").split():
            root, _, rest = name.partition(".")
            value = {"scipy": scipy}.get(root, np)
            if root == "einops":
                continue
            for part in (rest if root == "scipy" else name).split("."):
                __import__("scipy.special")
                value = getattr(value, part)


def test_the_table_is_valid_toml():
    files = list((pathlib.Path(__file__).parents[2] / "operations").glob("*.toml"))
    assert len(files) == len({it["category"] for it in TABLE})
    for file in files:
        assert tomllib.loads(file.read_text())
