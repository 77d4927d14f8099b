"""Gradients: tapes, and functions that return the gradients of others."""

from __future__ import annotations

import functools
import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _native
from .containers import arrays_of, separate, with_arrays

if TYPE_CHECKING:
    from types import TracebackType

    from .. import Array

__all__ = ["Tape", "grad", "no_tape", "stop_gradient", "tape", "value_and_grad"]


class Tape:
    """A record of the operations of a thread on watched arrays, from which gradients are computed.

    Views cost nothing, and writes through views are ordinary operations. A tape is entered with ``with``; ``watch`` may be
    called before or inside of the block.
    """

    def __init__(self, persistent: bool = False, anomalies: bool = False) -> None:
        self._tape = _native._Tape(persistent, anomalies)

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
        for x in arrays_of(list(trees)):
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
        arrays = arrays_of(sources)
        if seed is None:
            gradients = self._tape.gradients(result, arrays)
        else:
            gradients = self._tape.gradients_with([result], arrays, [seed])
        return with_arrays(sources, iter(gradients))

    def report(self) -> TapeReport:
        """Returns what the tape holds. Printed, it is a table with a row for each line: entries, and the bytes that they save.

        Saved arrays are leased, not copied. If saved elements are overwritten, their old values are kept: a second table has
        the line of each such write, the line that had saved the elements, and the bytes.

        >>> x = bv.asarray([1.0, 2.0])
        >>> with bv.tape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        ...     x[0] = 5.0
        >>> print(tape.report())
        3 entries, 2 leases of 16 bytes, 8 bytes kept from writes
        entries  operation  saves            line
              1  watch                       ...
              1  mul        16 bytes leased  ...
              1  assign                      ...
           kept  write   line of the write   saved by
        8 bytes  assign  ...
        """
        return TapeReport(self._tape.report())


class TapeReport:
    """What a tape held when it was asked: a table as text, pictures in a notebook."""

    def __init__(self, report: Any) -> None:
        self._report = report

    def lines(self) -> list[dict[str, Any]]:
        """Returns a dict for each operation and source line: op, line, entries, leases, leased_bytes and copied_bytes.

        >>> x = bv.asarray([1.0, 2.0])
        >>> with bv.tape() as tape:
        ...     tape.watch(x)
        ...     y = bv.exp(x)
        >>> [(line["op"], line["leased_bytes"]) for line in tape.report().lines()]
        [('watch', 0), ('exp', 16)]
        """
        return self._report.lines()

    def copies(self) -> list[dict[str, Any]]:
        """Returns a dict for each write that has overwritten saved elements: op, line, saved_by, and the bytes that were kept.

        >>> x = bv.asarray([1.0, 2.0])
        >>> with bv.tape() as tape:
        ...     tape.watch(x)
        ...     y = bv.exp(x)
        ...     x[0] = 0.0
        >>> [(it["op"], it["bytes"]) for it in tape.report().copies()]
        [('assign', 8)]
        """
        return self._report.copies()

    def draw(self) -> str:
        """Returns pictures of the arrays' memory as SVG: the elements that are watched, saved and written.

        Overwritten elements whose old values are kept have a dot. A notebook shows the table and the pictures.

        >>> x = bv.asarray([1.0, 2.0])
        >>> with bv.tape() as tape:
        ...     tape.watch(x)
        ...     y = bv.exp(x)
        ...     x[0] = 0.0
        >>> tape.report().draw().startswith("<svg")
        True
        """
        return self._report.svg()

    def __str__(self) -> str:
        return self._report.text()

    def __repr__(self) -> str:
        return f"<TapeReport: {str(self).splitlines()[0]}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre><details><summary>memory</summary>{self.draw()}</details>"


def tape(persistent: bool = False, anomalies: bool = False) -> Tape:
    """Returns a context manager that records operations, to compute gradients of their results.

    ``gradient`` consumes what was recorded, unless the tape is persistent. With ``anomalies`` it raises an exception that names
    the operation and the line whose gradient was the first with NaN or infinite elements.

    >>> x = bv.asarray(3.0)
    >>> with bv.tape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    array(6.)
    """
    return Tape(persistent, anomalies)


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


def _positions(argnums: int | tuple[int, ...], n: int) -> tuple[int, ...]:
    positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not all(-n <= it < n for it in positions):
        raise TypeError(f"argnums {argnums} of a call with {n} positional arguments")
    return tuple(it % n for it in positions)


def recorded(
    function: Callable[..., Any], argnums: int | tuple[int, ...], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Tape, Any, tuple[Any, ...]]:
    """Calls a function; returns the tape, the value, and the arguments with respect to which it is differentiated."""
    positions = _positions(argnums, len(arguments))
    others = [value for n, value in enumerate(arguments) if n not in positions]
    sources = separate(tuple(arguments[n] for n in positions), [others, options])
    given = list(arguments)
    for n, source in zip(positions, sources, strict=True):
        given[n] = source
    with tape() as record:
        record.watch(*sources)
        value = function(*given, **options)
    return record, value, sources


def value_and_grad(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., tuple[Any, Any]]:
    """Returns a function that returns the value of another one and its gradient with respect to some of its arguments.

    The arguments are arrays, or lists, tuples and dicts of arrays; the gradient of each is in the same containers. The
    function returns a single element. Several ``argnums`` give a tuple. Arguments that share elements have gradients of
    their own: one of them is copied.

    >>> value, (dx, dy) = bv.value_and_grad(lambda x, y: bv.sum(x * y), (0, 1))(bv.asarray([1.0, 2.0]), bv.asarray([3.0, 4.0]))
    >>> value, dx, dy
    (array(11.), array([3., 4.]), array([1., 2.]))
    """

    @functools.wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> tuple[Any, Any]:
        record, value, sources = recorded(function, argnums, arguments, options)
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
