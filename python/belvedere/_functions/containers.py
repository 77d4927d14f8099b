"""Nested lists, tuples and dicts of arrays, as arguments and results of functions that are differentiated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _native

if TYPE_CHECKING:
    from .. import Array

#: Stands for an array in containers whose arrays are not kept.
LEAF = object()


def arrays_in(tree: Any) -> list[Array]:
    """Returns the arrays of nested lists, tuples and dicts, in their order; other objects are skipped."""
    if isinstance(tree, dict):
        return [x for value in tree.values() for x in arrays_in(value)]
    if isinstance(tree, (list, tuple)):
        return [x for value in tree for x in arrays_in(value)]
    return [tree] if isinstance(tree, _native.Array) else []


def arrays_of(tree: Any) -> list[Array]:
    """Returns the arrays of nested lists, tuples and dicts, in their order; other objects are an error."""
    if isinstance(tree, dict):
        return [x for value in tree.values() for x in arrays_of(value)]
    if isinstance(tree, (list, tuple)):
        return [x for value in tree for x in arrays_of(value)]
    if isinstance(tree, _native.Array):
        return [tree]
    raise TypeError(f"gradients are of arrays, and of lists, tuples and dicts of them, got {type(tree).__name__}")


def matching_arrays(template: Any, tree: Any, what: str) -> list[Array | None]:
    """Returns the arrays of containers like those of a template, in the order of the template; ``None`` for all of one.

    Objects in the place of what is no array in the template are skipped.
    """
    needed = arrays_in(template)
    if tree is None or not needed:
        return [None] * len(needed)
    if isinstance(template, dict):
        keys = [key for key, value in template.items() if arrays_in(value)]
        if not isinstance(tree, dict) or not set(keys) <= set(tree) <= set(template):
            given = list(tree) if isinstance(tree, dict) else type(tree).__name__
            raise ValueError(f"{what} needs a dict with the keys {keys}, got {given}")
        return [x for key in keys for x in matching_arrays(template[key], tree[key], what)]
    if isinstance(template, (list, tuple)):
        if not isinstance(tree, (list, tuple)) or len(tree) != len(template):
            given = f"{len(tree)} items" if isinstance(tree, (list, tuple)) else type(tree).__name__
            raise ValueError(f"{what} needs {len(template)} items, got {given}")
        return [x for own, value in zip(template, tree, strict=True) for x in matching_arrays(own, value, what)]
    if not isinstance(tree, _native.Array):
        raise TypeError(f"{what} needs an array, got {type(tree).__name__}")
    return [tree]


def with_arrays(tree: Any, leaves: Iterator[Any]) -> Any:
    """Returns nested containers with other objects in the place of their arrays."""
    if isinstance(tree, dict):
        return {key: with_arrays(value, leaves) for key, value in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(with_arrays(value, leaves) for value in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(with_arrays(value, leaves) for value in tree)
    return next(leaves) if tree is LEAF or isinstance(tree, _native.Array) else tree


def separate(sources: Any, others: Any) -> Any:
    """Returns containers of arrays; an array that shares elements with an earlier one or with others is copied.

    Gradients belong to memory: arguments that share elements would have one gradient, the sum of theirs.
    """
    arrays = arrays_of(sources)
    copies = dict(_native._separate(arrays, arrays_in(others)))
    return with_arrays(sources, iter([copies.get(n, x) for n, x in enumerate(arrays)])) if copies else sources
