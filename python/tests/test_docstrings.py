"""Docstrings: every public function and method has a summary and an example that runs."""

import doctest
import inspect
import pathlib
import re
import types

import pytest

import belvedere as bv

NAMES = ("emath", "fft", "linalg", "nn", "polynomial", "random", "testing")
NAMESPACES = {"bv": bv, **{f"bv.{name}": getattr(bv, name) for name in NAMES}}
NAMESPACES |= {"bv.lib.stride_tricks": bv.lib.stride_tricks, "bv.polynomial.polynomial": bv.polynomial.polynomial}
FOLDER = pathlib.Path(__file__).parent.parent
PAGES = {page: page.read_text() for page in (FOLDER / "README.md", FOLDER.parent / "README.md")}


def public_objects():
    """Yields the functions and classes of all namespaces, and the public members of the classes."""
    found = {}
    for prefix, namespace in NAMESPACES.items():
        for name in namespace.__all__:
            value = getattr(namespace, name)
            if isinstance(value, types.ModuleType) or not callable(value):
                continue
            found.setdefault(f"{prefix}.{name}", value)
            if inspect.isclass(value) and not issubclass(value, BaseException):
                members = {it: member for it, member in vars(value).items() if not it.startswith("_")}
                found.update({f"{prefix}.{name}.{it}": member for it, member in members.items()})
    return found


OBJECTS = public_objects()
CALLABLE = [name for name, value in OBJECTS.items() if not inspect.isclass(value) and callable(value)]


def examples(name):
    return doctest.DocTestParser().get_doctest(inspect.getdoc(OBJECTS[name]) or "", {"bv": bv}, name, None, 0)


def run(test):
    report: list = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("name", OBJECTS)
def test_it_has_a_docstring(name):
    first = (inspect.getdoc(OBJECTS[name]) or "").split("\n\n")[0]
    assert first.endswith((".", ":")), f"{name} does not begin with a sentence: {first!r}"


@pytest.mark.parametrize("name", CALLABLE)
def test_it_has_an_example(name):
    assert examples(name).examples, f"{name} has no example"


@pytest.mark.parametrize("name", OBJECTS)
def test_its_examples_run(name):
    run(examples(name))


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "```pycon" in text], ids=str)
def test_examples_in_documents_run(page):
    blocks = re.findall(r"```pycon\n(.*?)```", PAGES[page], re.DOTALL)
    run(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0))
