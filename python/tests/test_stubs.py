"""The stubs and the package have the same names, parameters, kinds and defaults."""

import ast
import importlib
import inspect
import pathlib
import types

import pytest

import belvedere as bv

FOLDER = pathlib.Path(bv.__file__).parent
MODULES = {"__init__": bv, **{name: getattr(bv, name) for name in ("fft", "linalg", "nn", "random")}}

#: Members that every class has, or that stubs do not list.
IMPLIED = {"__doc__", "__module__", "__new__", "__weakref__", "__getattribute__", "__dict__", "__delitem__"}

#: Methods that the Python part of the package calls.
PRIVATE_METHODS = {"_add_at"}

#: Classes of returned objects that have no public name.
PRIVATE = {
    "_CopyRule": type(bv.no_copies()),
    "_FloatInfo": type(bv.finfo(bv.float32)),
    "_IntInfo": type(bv.iinfo(bv.int8)),
    "_NamespaceInfo": type(bv.__array_namespace_info__()),
}

#: Classes that only stubs have, for the signatures of calls.
CALLS = {"_Unary": bv.abs, "_Binary": bv.add}

#: A class with ``==`` has all of these, even if they return NotImplemented.
ORDER = {"__lt__", "__le__", "__gt__", "__ge__"}

#: Operators are slot wrappers, whose parameter names are the interpreter's.
SLOT = type(object.__init__)


def functions(body):
    """Returns the functions of a stub by name, with all overloads in order."""
    found: dict = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def variables(body):
    return {node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}


def classes(body):
    return {node.name: node for node in body if isinstance(node, ast.ClassDef)}


def reexported(body):
    """Returns the names that a stub re-exports: `from . import fft as fft`."""
    return {it.asname for node in body if isinstance(node, ast.ImportFrom) for it in node.names if it.asname}


def starred(body):
    """Returns the names that a stub takes from modules with annotations: `from ._functions import *`."""
    modules = [node.module for node in body if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    return {name for module in modules for name in importlib.import_module(f"belvedere.{module}").__all__}


def is_property(nodes):
    decorators = [ast.unparse(it) for it in nodes[0].decorator_list]
    return "property" in decorators


def parameters(node):
    """Returns (name, kind, default) of each parameter of a function in a stub."""
    arguments = node.args
    kinds = inspect.Parameter
    positional = [(it, kinds.POSITIONAL_ONLY) for it in arguments.posonlyargs]
    positional += [(it, kinds.POSITIONAL_OR_KEYWORD) for it in arguments.args]
    missing = [None] * (len(positional) - len(arguments.defaults))
    found = [(*it, default) for it, default in zip(positional, missing + arguments.defaults)]
    if arguments.vararg:
        found.append((arguments.vararg, kinds.VAR_POSITIONAL, None))
    found += [(it, kinds.KEYWORD_ONLY, default) for it, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        found.append((arguments.kwarg, kinds.VAR_KEYWORD, None))
    empty = inspect.Parameter.empty
    return [(it.arg, kind, empty if default is None else ast.literal_eval(default)) for it, kind, default in found]


def real_parameters(function):
    return [(it.name, it.kind, it.default) for it in inspect.signature(function).parameters.values()]


def stub(name):
    return ast.parse((FOLDER / f"{name}.pyi").read_text()).body


STUBS = {name: stub(name) for name in MODULES}
FUNCTIONS = [
    pytest.param(getattr(MODULES[name], function), nodes, id=f"{name}.{function}")
    for name, body in STUBS.items()
    for function, nodes in functions(body).items()
]
CLASSES = [
    pytest.param(PRIVATE.get(class_) or getattr(MODULES[name], class_), node, id=f"{name}.{class_}")
    for name, body in STUBS.items()
    for class_, node in classes(body).items()
    if class_ not in CALLS
]
METHODS = [
    pytest.param(value.values[0], method, nodes, id=f"{value.id}.{method}")
    for value in CLASSES
    for method, nodes in functions(value.values[1].body).items()
    if not is_property(nodes) and method != "__init__"
]


@pytest.mark.parametrize("name", MODULES)
def test_a_stub_has_the_names_of_its_module(name):
    body = STUBS[name]
    found = {*functions(body), *variables(body), *classes(body), *reexported(body), *starred(body)}
    found -= {*PRIVATE, *CALLS, "_bool", "_str"}
    assert found == set(MODULES[name].__all__)


@pytest.mark.parametrize("function, nodes", FUNCTIONS)
def test_a_function_has_the_parameters_of_its_stub(function, nodes):
    assert parameters(nodes[-1]) == real_parameters(function)


@pytest.mark.parametrize("name", CALLS)
def test_a_ufunc_has_the_parameters_of_its_stub(name):
    (call,) = functions(classes(STUBS["__init__"])[name].body)["__call__"]
    assert parameters(call)[1:] == real_parameters(CALLS[name])


@pytest.mark.parametrize("class_, node", CLASSES)
def test_a_class_has_the_members_of_its_stub(class_, node):
    found = {*functions(node.body), *variables(node.body)}
    real = {name for name, value in vars(class_).items() if not isinstance(value, types.ModuleType)}
    order = ORDER - found if not found & ORDER else set()
    assert found - {"__init__"} == real - IMPLIED - PRIVATE_METHODS - order


@pytest.mark.parametrize("class_, name, nodes", METHODS)
def test_a_method_has_the_parameters_of_its_stub(class_, name, nodes):
    method = inspect.getattr_static(class_, name)
    if isinstance(method, staticmethod | classmethod):
        method = getattr(class_, name)
    expected = parameters(nodes[-1])
    found = real_parameters(method)
    if isinstance(method, SLOT):
        assert len(expected) == len(found)
    else:
        assert expected == found
