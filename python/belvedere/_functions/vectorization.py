"""The class ``vectorize``: a Python function called for each element."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import flattened

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._native import Array
    from .._types import DTypeLike

__all__ = ["vectorize"]


class vectorize:  # noqa: N801
    """A function that calls a Python function for each element of its broadcast arguments.

    ``otypes`` are the dtypes of the results, else those of the first call. ``excluded`` are the positions and names
    of arguments that are passed on as they are. With a ``signature`` such as ``"(n),(n)->()"``, the function takes
    and returns arrays. It is for convenience, not for speed: every call is one of Python.

    >>> larger = bv.vectorize(lambda a, b: a if a > b else b)
    >>> larger([1, 5], 3)
    array([3, 5])
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any] | None = None,
        otypes: str | list[DTypeLike] | None = None,
        doc: str | None = None,
        excluded: set[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self.otypes = None if otypes is None else [bv.dtype(it) for it in otypes]
        self.excluded = set() if excluded is None else set(excluded)
        self.cache = cache
        self.signature = signature
        self._core = None if signature is None else _parsed(signature)
        self.pyfunc: Callable[..., Any] | None = None
        self._doc = doc
        if pyfunc is not None:
            self._set_function(pyfunc)

    def _set_function(self, pyfunc: Callable[..., Any]) -> None:
        self.pyfunc = pyfunc
        functools.update_wrapper(self, pyfunc, updated=())
        if self._doc is not None:
            self.__doc__ = self._doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.pyfunc is None:
            # The decorator has been called with options.
            self._set_function(args[0])
            return self
        names = [name for name in kwargs if name not in self.excluded]
        places = [i for i in range(len(args)) if i not in self.excluded]
        arrays = [bv.asarray(args[i]) for i in places] + [bv.asarray(kwargs[name]) for name in names]
        pyfunc = self.pyfunc

        def call(*values: Any) -> Any:
            positional, named = list(args), dict(kwargs)
            for i, value in zip(places, values):
                positional[i] = value
            named.update(zip(names, values[len(places) :]))
            return pyfunc(*positional, **named)

        call = pyfunc if len(places) == len(args) and not kwargs else call
        return self._elementwise(call, arrays) if self._core is None else self._by_signature(call, arrays)

    def _elementwise(self, call: Callable[..., Any], arrays: list[Array]) -> Any:
        if not arrays:
            raise ValueError("the function needs at least one argument that is not excluded")
        shape = bv.broadcast_shapes(*[it.shape for it in arrays])
        spread = [flattened(bv.broadcast_to(it, shape=shape)) for it in arrays]
        columns = [it.tolist() for it in spread]
        if not columns[0]:
            if self.otypes is None:
                raise ValueError("cannot call vectorize on size 0 inputs unless otypes is set")
            empty = [bv.empty(shape, dtype=it) for it in self.otypes]
            return empty[0] if len(empty) == 1 else tuple(empty)
        results = list(map(call, *columns))
        first = results[0]
        if self.otypes is None:
            # As in NumPy, the first elements are passed on once more, with their dtype, to find that of the result. A
            # function that takes only Python numbers, such as a dictionary's, decides by its first result.
            with contextlib.suppress(TypeError, ValueError):
                first = call(*[it[0] for it in spread])
        if isinstance(results[0], tuple):
            lists = list(zip(*results, strict=True))
            return tuple(self._collected(it, i, shape, one) for i, (it, one) in enumerate(zip(lists, first)))
        return self._collected(results, 0, shape, first)

    def _collected(self, values: Any, i: int, shape: tuple[int, ...], first: Any) -> Array:
        """Returns the results of all calls as an array of the dtype of a first one."""
        dtype = bv.asarray(first).dtype if self.otypes is None else self.otypes[i]
        return bv.reshape(bv.asarray(list(values), dtype=dtype), shape=shape)

    def _by_signature(self, call: Callable[..., Any], arrays: list[Array]) -> Any:
        assert self._core is not None
        inputs, outputs = self._core
        if len(arrays) != len(inputs):
            raise TypeError(f"the signature {self.signature} has {len(inputs)} arguments, got {len(arrays)}")
        sizes: dict[str, int] = {}
        for x, core in zip(arrays, inputs):
            if x.ndim < len(core):
                raise ValueError(f"an argument of shape {x.shape} has fewer axes than ({', '.join(core)})")
            for name, n in zip(core, x.shape[x.ndim - len(core) :]):
                if sizes.setdefault(name, n) != n:
                    raise ValueError(f"inconsistent size for core dimension {name!r}: {n} and {sizes[name]}")
        loops = [x.shape[: x.ndim - len(core)] for x, core in zip(arrays, inputs)]
        shape = bv.broadcast_shapes(*loops)
        spread = [bv.broadcast_to(x, shape=(*shape, *x.shape[len(loop) :])) for x, loop in zip(arrays, loops)]
        results: list[Array] = []
        for index in itertools.product(*map(range, shape)):
            found = call(*[x[index] for x in spread])
            parts = found if isinstance(found, tuple) and len(outputs) != 1 else (found,)
            if len(parts) != len(outputs):
                raise ValueError(f"wrong number of outputs: expected {len(outputs)}, got {len(parts)}")
            values = [bv.asarray(it) for it in parts]
            if not results:
                dtypes = self.otypes or [it.dtype for it in values]
                results = [bv.empty((*shape, *it.shape), dtype=dtype) for it, dtype in zip(values, dtypes)]
            for target, value in zip(results, values):
                target[index] = bv.astype(value, target.dtype, copy=False)
        if not results:
            if self.otypes is None:
                raise ValueError("cannot call vectorize on size 0 inputs unless otypes is set")
            results = [
                bv.empty((*shape, *[sizes[name] for name in core]), dtype=dtype)
                for core, dtype in zip(outputs, self.otypes)
            ]
        return results[0] if len(results) == 1 else tuple(results)


def _parsed(signature: str) -> tuple[list[list[str]], list[list[str]]]:
    """Returns the names of the core axes of all arguments and all results."""
    text = re.sub(r"\s", "", signature)
    one = r"\((?:\w+(?:,\w+)*)?\)"
    if not re.fullmatch(rf"(?:{one}(?:,{one})*)?->{one}(?:,{one})*", text):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    sides = []
    for side in text.split("->"):
        sides.append([it[1:-1].split(",") if it != "()" else [] for it in re.findall(one, side)])
    return sides[0], sides[1]
