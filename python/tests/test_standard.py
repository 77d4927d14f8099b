"""Everything that the Array API standard names is there, with the standard's signature.

`array_api/*.json` has the names and signatures of a version of the standard, chapter by chapter.
"""

import inspect
import json
import pathlib

import pytest

import belvedere as bv

VERSIONS = ("2024.12", "2025.12")
STANDARDS = {
    version: json.loads((pathlib.Path(__file__).parent / "array_api" / f"{version}.json").read_text())
    for version in VERSIONS
}

#: Where a chapter's names are, if not in the main namespace.
PLACES = {
    "array_object.attributes": bv.Array,
    "array_object.methods": bv.Array,
    "data_type_object.methods": bv.DType,
    "fft": bv.fft,
    "linalg": bv.linalg,
}

REFLECTED = "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()


def names(kind=lambda signature: True):
    """All (chapter, name, signature) of all versions, each once."""
    found = {}
    for chapters in STANDARDS.values():
        for chapter, entries in chapters.items():
            for name, signature in entries.items():
                if kind(signature):
                    found[chapter, name] = signature
    return [pytest.param(*key, signature, id=".".join(key)) for key, signature in sorted(found.items())]


def place(chapter, name):
    if chapter == "info" and name != "__array_namespace_info__":
        return bv.__array_namespace_info__()
    return PLACES.get(chapter, bv)


def parsed(signature):
    """A signature from its text."""
    scope: dict = {}
    exec(f"def function{signature}: ...", scope)
    return inspect.signature(scope["function"])


@pytest.mark.parametrize("chapter, name, signature", names())
def test_the_name_is_there(chapter, name, signature):
    assert hasattr(place(chapter, name), name)
    if place(chapter, name) is bv:
        assert name in bv.__all__ or name.startswith("__"), f"{name} is not in __all__"


@pytest.mark.parametrize("chapter, name, signature", names(lambda it: it.startswith("(")))
def test_the_signature_is_that_of_the_standard(chapter, name, signature):
    function = getattr(place(chapter, name), name)
    found = list(inspect.signature(function).parameters.values())
    expected = list(parsed(signature).parameters.values())
    is_slot = type(function) is type(object.__init__)
    for wanted in expected:
        if wanted.kind is inspect.Parameter.KEYWORD_ONLY:
            own = next((it for it in found if it.name == wanted.name), None)
            assert own is not None, f"{name} has no {wanted.name}"
        else:
            assert found, f"{name} has no {wanted.name}"
            own = found.pop(0)
            # Operators are methods of the interpreter's own making, with names of its own.
            assert is_slot or own.name == wanted.name, f"{name} has {own.name}, expected {wanted.name}"
        assert own.kind == wanted.kind, f"{name}: {own.name} is {own.kind.description}"
        assert own.default == wanted.default, f"{name}: {own.name} is {own.default!r} by default"
    # What the standard does not have must be given by name, and need not be given.
    extra = [it for it in found if it.name not in {wanted.name for wanted in expected} and not is_slot]
    for own in extra:
        assert own.kind is inspect.Parameter.KEYWORD_ONLY, f"{name}: {own.name} is not given by name"
        assert own.default is not inspect.Parameter.empty, f"{name}: {own.name} must be given"


@pytest.mark.parametrize("name", REFLECTED)
def test_operators_take_an_array_on_either_side_and_in_place(name):
    assert hasattr(bv.Array, f"__{name}__")
    assert hasattr(bv.Array, f"__r{name}__")
    assert hasattr(bv.Array, f"__i{name}__")


def test_the_constants_are_numbers():
    assert (bv.e, bv.pi, bv.inf) == (2.718281828459045, 3.141592653589793, float("inf"))
    assert bv.nan != bv.nan
    assert bv.newaxis is None


def test_the_namespace_is_found_from_an_array():
    array = bv.asarray([1, 2])
    assert array.__array_namespace__() is bv
    for version in VERSIONS:
        assert array.__array_namespace__(api_version=version) is bv
    with pytest.raises(ValueError, match="1999.12"):
        array.__array_namespace__(api_version="1999.12")
