"""Every name of the Array API standard exists, with the standard's signature.

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

#: The namespace of a chapter's names, if not the main one.
PLACES = {
    "array_object.attributes": bv.Array,
    "array_object.methods": bv.Array,
    "data_type_object.methods": bv.DType,
    "fft": bv.fft,
    "linalg": bv.linalg,
}

REFLECTED = "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()


def names(kind=lambda signature: True):
    """Yields each (chapter, name, signature) of all versions once."""
    found = {}
    for chapters in STANDARDS.values():
        for chapter, entries in chapters.items():
            for name, signature in entries.items():
                if kind(signature):
                    found[chapter, name] = signature
    return [pytest.param(*key, signature, id=".".join(key)) for key, signature in sorted(found.items())]


def namespace_of(chapter, name):
    if chapter == "info" and name != "__array_namespace_info__":
        return bv.__array_namespace_info__()
    return PLACES.get(chapter, bv)


def parsed(signature):
    """Parses a signature."""
    scope: dict = {}
    exec(f"def function{signature}: ...", scope)
    return inspect.signature(scope["function"])


@pytest.mark.parametrize("chapter, name, signature", names())
def test_the_name_exists(chapter, name, signature):
    assert hasattr(namespace_of(chapter, name), name)
    if namespace_of(chapter, name) is bv:
        assert name in bv.__all__ or name.startswith("__"), f"{name} is not in __all__"


@pytest.mark.parametrize("chapter, name, signature", names(lambda it: it.startswith("(")))
def test_the_signature_matches_the_standard(chapter, name, signature):
    function = getattr(namespace_of(chapter, name), name)
    found = list(inspect.signature(function).parameters.values())
    expected = list(parsed(signature).parameters.values())
    is_slot = type(function) is type(object.__init__)
    kinds = inspect.Parameter
    for wanted in expected:
        if wanted.kind is kinds.KEYWORD_ONLY:
            own = next((it for it in found if it.name == wanted.name), None)
            assert own is not None, f"{name} has no {wanted.name}"
            # It may be given by position as well, where NumPy's may.
            allowed = (kinds.KEYWORD_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        else:
            assert found, f"{name} has no {wanted.name}"
            own = found.pop(0)
            by_position = wanted.kind is kinds.POSITIONAL_ONLY
            # Operators are slot wrappers, whose parameter names are the interpreter's.
            assert is_slot or by_position or own.name == wanted.name, f"{name} has {own.name}, expected {wanted.name}"
            allowed = (wanted.kind, kinds.POSITIONAL_OR_KEYWORD) if by_position else (wanted.kind,)
        assert own.kind in allowed, f"{name}: {own.name} is {own.kind.description}"
        if wanted.default is not kinds.empty:
            assert own.default == wanted.default, f"{name}: {own.name} is {own.default!r} by default"
    # Parameters beyond the standard are optional.
    extra = [it for it in found if it.name not in {wanted.name for wanted in expected} and not is_slot]
    for own in extra:
        assert own.default is not kinds.empty, f"{name}: {own.name} must be given"


@pytest.mark.parametrize("name", REFLECTED)
def test_operators_have_reflected_and_in_place_forms(name):
    assert hasattr(bv.Array, f"__{name}__")
    assert hasattr(bv.Array, f"__r{name}__")
    assert hasattr(bv.Array, f"__i{name}__")


def test_the_constants_have_their_values():
    assert (bv.e, bv.pi, bv.inf) == (2.718281828459045, 3.141592653589793, float("inf"))
    assert bv.nan != bv.nan
    assert bv.newaxis is None


def test_the_namespace_is_found_from_an_array():
    array = bv.asarray([1, 2])
    assert array.__array_namespace__() is bv
    assert array.__array_namespace__(api_version="2025.12") is bv
    with pytest.raises(ValueError, match="1999.12"):
        array.__array_namespace__(api_version="1999.12")


def test_the_namespace_of_earlier_versions_returns_lists():
    array = bv.asarray([1, 2])
    for version in ("2021.12", "2022.12", "2023.12", "2024.12"):
        xp = array.__array_namespace__(api_version=version)
        assert xp.__array_api_version__ == "2024.12"
        assert isinstance(xp.meshgrid(array, array, indexing="ij"), list)
        assert isinstance(xp.broadcast_arrays(array, array), list)
        assert xp.__array_namespace_info__().devices() == ["cpu"]
        assert xp.__array_namespace_info__().default_device() == "cpu"
    assert {name for name in bv.__all__ if getattr(xp, name) is not getattr(bv, name)} == {
        "meshgrid",
        "broadcast_arrays",
        "__array_api_version__",
        "__array_namespace_info__",
    }
    assert isinstance(bv.meshgrid(array, array), tuple)
    assert isinstance(bv.broadcast_arrays(array, array), tuple)
    assert bv.__array_namespace_info__().devices() == ("cpu",)
