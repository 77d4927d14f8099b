"""Gradients: tapes, and functions that return the gradients of others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _native

if TYPE_CHECKING:
    from types import TracebackType

    from .. import Array

__all__ = ["Tape", "grad", "no_tape", "stop_gradient", "tape", "value_and_grad"]


def _arrays(tree: Any) -> list[Array]:
    """Returns the arrays of nested lists, tuples and dicts, in their order."""
    if isinstance(tree, dict):
        return [x for value in tree.values() for x in _arrays(value)]
    if isinstance(tree, (list, tuple)):
        return [x for value in tree for x in _arrays(value)]
    if isinstance(tree, _native.Array):
        return [tree]
    raise TypeError(f"gradients are of arrays, and of lists, tuples and dicts of them, got {type(tree).__name__}")


def _with_leaves(tree: Any, leaves: Any) -> Any:
    """Returns nested containers with other arrays in the place of theirs."""
    if isinstance(tree, dict):
        return {key: _with_leaves(value, leaves) for key, value in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_with_leaves(value, leaves) for value in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(_with_leaves(value, leaves) for value in tree)
    return next(leaves)


class Tape:
    """A record of the operations of a thread on watched arrays, from which gradients are computed.

    Views cost nothing, and writes through views are ordinary operations. A tape is entered with ``with``; ``watch`` may be
    called before or inside of the block.
    """

    def __init__(self, persistent: bool = False) -> None:
        self._tape = _native._Tape(persistent)

    def __enter__(self) -> Tape:
        self._tape.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._tape.exit()

    def watch(self, *trees: Any) -> None:
        """Asks for the gradients of arrays as they are now: arrays, and lists, tuples and dicts of them.

        >>> x = bv.asarray([1.0, 2.0])
        >>> with bv.tape() as tape:
        ...     tape.watch(x)
        ...     x[0] *= 3.0
        ...     y = bv.sum(x * x)
        >>> tape.gradient(y, x)
        array([18.,  4.])
        """
        for x in _arrays(list(trees)):
            self._tape.watch(x)

    def gradient(self, result: Array, sources: Any, seed: Array | None = None) -> Any:
        """Returns the gradient of a result with respect to watched arrays, in the containers that they are given in.

        The result has one element, unless there is a seed of its shape and dtype: then the gradient is that of
        ``sum(seed * result)``. The gradient of a view of a watched array is a view of its gradient, and zero where nothing
        flows. It consumes the tape, unless that is persistent.

        >>> w, b = bv.asarray([[1.0, 2.0], [3.0, 4.0]]), bv.asarray([0.0, 0.0])
        >>> with bv.tape() as tape:
        ...     tape.watch(w, b)
        ...     y = bv.sum(w[:, ::-1] @ bv.asarray([1.0, 10.0]) + b)
        >>> tape.gradient(y, {"row": w[0], "bias": b})
        {'row': array([10.,  1.]), 'bias': array([1., 1.])}
        """
        gradients = self._tape.gradients(result, _arrays(sources), seed)
        return _with_leaves(sources, iter(gradients))

    def report(self) -> str:
        """Returns what the tape holds: entries, leases, and the copies made because saved elements were overwritten.

        >>> x = bv.asarray([1.0, 2.0])
        >>> with bv.tape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.report()
        '2 entries, 2 leases of 16 bytes'
        """
        return self._tape.report()


def tape(persistent: bool = False) -> Tape:
    """Returns a context manager that records operations, to compute gradients of their results.

    ``gradient`` consumes what was recorded, unless the tape is persistent.

    >>> x = bv.asarray(3.0)
    >>> with bv.tape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    array(6.)
    """
    return Tape(persistent)


class _NoTape:
    def __init__(self) -> None:
        self._scope = _native._NoTape()

    def __enter__(self) -> None:
        self._scope.enter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._scope.exit()


def no_tape() -> _NoTape:
    """Returns a context manager inside of which no tape records: results are constants.

    >>> x = bv.asarray(3.0)
    >>> with bv.tape() as tape:
    ...     tape.watch(x)
    ...     with bv.no_tape():
    ...         c = x * x
    ...     y = c * x
    >>> tape.gradient(y, x)
    array(9.)
    """
    return _NoTape()


def stop_gradient(x: Array, /) -> Array:
    """Returns a copy of an array that is a constant for all tapes.

    >>> x = bv.asarray(3.0)
    >>> with bv.tape() as tape:
    ...     tape.watch(x)
    ...     y = x * bv.stop_gradient(x)
    >>> tape.gradient(y, x)
    array(3.)
    """
    with no_tape():
        return x.copy()


def _positions(argnums: int | tuple[int, ...]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def value_and_grad(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., tuple[Any, Any]]:
    """Returns a function that returns the value of another one and its gradient with respect to some of its arguments.

    The arguments are arrays, or lists, tuples and dicts of arrays; the gradient of each is in the same containers. The
    function returns a single element. Several ``argnums`` give a tuple.

    >>> value, (dx, dy) = bv.value_and_grad(lambda x, y: bv.sum(x * y), (0, 1))(bv.asarray([1.0, 2.0]), bv.asarray([3.0, 4.0]))
    >>> value, dx, dy
    (array(11.), array([3., 4.]), array([1., 2.]))
    """

    @functools.wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> tuple[Any, Any]:
        positions = _positions(argnums)
        sources = tuple(arguments[n] for n in positions)
        with tape() as record:
            record.watch(*sources)
            value = function(*arguments, **options)
        gradients = record.gradient(value, sources)
        return value, gradients[0] if isinstance(argnums, int) else gradients

    return wrapped


def grad(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Returns a function that computes the gradient of another one with respect to some of its arguments.

    It may be applied repeatedly, for derivatives of higher order.

    >>> cube = lambda x: x * x * x
    >>> bv.grad(cube)(bv.asarray(2.0)), bv.grad(bv.grad(cube))(bv.asarray(2.0))
    (array(12.), array(12.))
    """
    with_value = value_and_grad(function, argnums)

    @functools.wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        return with_value(*arguments, **options)[1]

    return wrapped
