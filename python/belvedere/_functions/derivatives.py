"""Derivatives of functions: products with Jacobians, checkpoints, and functions with a rule of their own."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .containers import LEAF, arrays_in, arrays_of, matching_arrays, separate, with_arrays
from .gradients import grad, recorded, tape

__all__ = ["checkpoint", "custom_rule", "hessian", "jacobian", "jvp", "vjp"]


def vjp(function: Callable[..., Any], /, *arguments: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Returns the value of a function, and a function of seeds that returns the gradients of its arguments.

    The gradients are those of ``sum(seed * value)``, a tuple with one for each argument. The arguments and the value are
    arrays, or lists, tuples and dicts of arrays; the seed is in the containers of the value. The second function can be called
    any number of times.

    >>> value, pullback = bv.vjp(lambda x, y: x * y, bv.asarray([1.0, 2.0]), bv.asarray([3.0, 4.0]))
    >>> pullback(bv.asarray([1.0, 0.0]))
    (array([3., 0.]), array([1., 0.]))
    >>> pullback(bv.asarray([0.0, 1.0]))
    (array([0., 4.]), array([0., 2.]))
    """
    sources = separate(arguments, ())
    with tape(persistent=True) as record:
        record.watch(*sources)
        value = function(*sources)
    results, arrays = arrays_of(value), arrays_of(sources)

    def pullback(seed: Any, /) -> tuple[Any, ...]:
        seeds = matching_arrays(value, seed, "the seed")
        gradients = record._tape.gradients_with(results, arrays, seeds)
        return with_arrays(sources, iter(gradients))

    return value, pullback


def jvp(function: Callable[..., Any], arguments: Sequence[Any], tangents: Sequence[Any], /) -> tuple[Any, Any]:
    """Returns the value of a function, and its derivative in the direction of tangents of its arguments.

    The arguments are a list or tuple of what the function is called with; the tangents are in the same containers.

    >>> def shifted_product(x):
    ...     y = x.copy()
    ...     y[1:] *= x[:-1]
    ...     return y
    >>> bv.jvp(shifted_product, (bv.asarray([1.0, 2.0, 3.0]),), (bv.asarray([1.0, 0.0, 0.0]),))
    (array([1., 2., 6.]), array([1., 2., 0.]))
    """
    sources = separate(tuple(arguments), ())
    with tape() as record:
        record.watch(*sources)
        value = function(*sources)
    directions = matching_arrays(sources, tangents, "the tangents")
    derivatives = record._tape.jvp(arrays_of(value), arrays_of(sources), directions)
    return value, with_arrays(value, iter(derivatives))


def jacobian(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Returns a function that computes the derivatives of each element of the value of another one.

    They are arrays of the shape of the value, followed by that of the argument; with containers, those of the value contain
    those of the argument. It costs a gradient for each element of the value, or of the arguments if those are fewer.

    >>> bv.jacobian(lambda x: x * x[::-1])(bv.asarray([1.0, 2.0]))
    array([[2., 1.],
           [2., 1.]])
    """

    @functools.wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        record, value, sources = recorded(function, argnums, arguments, options)
        rows = record._tape.jacobian(arrays_of(value), arrays_of(sources))
        blocks = (with_arrays(sources, iter(row)) for row in rows)
        return with_arrays(value, (it[0] if isinstance(argnums, int) else it for it in blocks))

    return wrapped


def hessian(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Returns a function that computes the second derivatives of another one, which returns a single element.

    It costs a gradient of the gradient for each element of the arguments.

    >>> bv.hessian(lambda x: bv.prod(x))(bv.asarray([2.0, 3.0, 4.0]))
    array([[0., 4., 3.],
           [4., 0., 2.],
           [3., 2., 0.]])
    """
    return functools.wraps(function)(jacobian(grad(function, argnums), argnums))


def checkpoint(function: Callable[..., Any], /) -> Callable[..., Any]:
    """Returns a function of which a tape saves the arguments only: the gradient calls it again.

    That takes the time of a second call, and the memory of one call at a time. The arguments are objects of any kind, and lists,
    tuples and dicts of them; the function returns arrays, or containers of arrays. Arrays that it captures have gradients,
    too, but may not be overwritten before the gradient is computed. Generators of random numbers draw the same numbers again.
    The function may write only to memory that it has allocated itself.

    >>> x = bv.asarray([1.0, 2.0])
    >>> with bv.tape() as tape:
    ...     tape.watch(x)
    ...     y = bv.sum(bv.checkpoint(lambda x: bv.sin(x) * bv.exp(x) * x)(x))
    >>> tape.report()
    <TapeReport: 3 entries, 1 lease of 16 bytes>
    >>> bv.allclose(tape.gradient(y, x), bv.grad(lambda x: bv.sum(bv.sin(x) * bv.exp(x) * x))(x))
    True
    """

    @functools.wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        given, template = (arguments, options), []

        def call(arrays: list[Any]) -> list[Any]:
            own_arguments, own_options = with_arrays(given, iter(arrays))
            value = function(*own_arguments, **own_options)
            template[:] = [with_arrays(value, itertools.repeat(LEAF))]
            return arrays_of(value)

        results = _native._checkpoint(call, arrays_in(given))
        return with_arrays(template[0], iter(results))

    return wrapped


class _CustomRule:
    """A function with a derivative rule of its own."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._rule: Callable[..., Any] | None = None

    def pullback(self, rule: Callable[..., Any], /) -> Callable[..., Any]:
        """Sets the rule: a function of the gradient of the value, and of the arguments, that returns their gradients."""
        self._rule = rule
        return rule

    def __call__(self, *arguments: Any) -> Any:
        function, rule, template = self._function, self._rule, []
        name = getattr(function, "__qualname__", repr(function))
        if rule is None:
            raise TypeError(f"{name} has no rule: decorate one with @{name}.pullback")

        def call(arrays: list[Any]) -> list[Any]:
            value = function(*with_arrays(arguments, iter(arrays)))
            template[:] = [with_arrays(value, itertools.repeat(LEAF))]
            return arrays_of(value)

        def pull(gradients: list[Any], arrays: list[Any]) -> list[Any]:
            own = with_arrays(arguments, iter(arrays))
            found = rule(with_arrays(template[0], iter(gradients)), *own)
            found = (found,) if len(arguments) == 1 else found
            return matching_arrays(arguments, found, f"the result of the rule of {name}")

        results = _native._custom_rule(call, pull, arrays_in(arguments))
        return with_arrays(template[0], iter(results))


def custom_rule(function: Callable[..., Any], /) -> _CustomRule:
    """Decorates a function whose derivative rule is given: another function, decorated with its ``pullback``.

    The rule takes the gradient of the value, then the arguments as they were, and returns the gradient of each argument: a
    tuple if there are several, ``None`` for an argument that the value does not depend on. The function itself is not recorded.
    It may write only to memory that it has allocated itself, and an array with a gradient that it reads must be an argument.

    >>> @bv.custom_rule
    ... def rounded(x):
    ...     return bv.round(x)
    >>> @rounded.pullback
    ... def _(gradient, x):
    ...     return gradient
    >>> bv.grad(lambda x: bv.sum(rounded(x) ** 2))(bv.asarray([0.4, 1.7]))
    array([0., 4.])
    """
    return _CustomRule(function)
