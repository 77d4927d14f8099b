"""The NumPy protocols ``__array_ufunc__`` and ``__array_function__``.

NumPy dispatches a call here if an argument is an ``Array``. An operation of this package answers it if there is one with
the same parameters; otherwise NumPy computes it on the same memory. Either way the results are ``Array`` objects.

``_numpy_table`` is generated from ``operations/``; ``_numpy_functions`` has the functions whose parameters differ.
"""

from __future__ import annotations

import inspect

import numpy as np

from . import _native as bv
from . import _numpy_table
from ._native import Array
from ._numpy_functions import FUNCTIONS
from .exceptions import UnsupportedError

#: Operands with these ``__array_ufunc__`` are handled here; others handle the call themselves.
OWN_ANSWERS = (Array.__array_ufunc__, np.ndarray.__array_ufunc__)


#: Types that need no further checks.
SIMPLE = frozenset((Array, np.ndarray, np.float64, np.float32, np.int64, bool, int, float, complex))


class _NotOurs(Exception):
    """The call has a parameter that only NumPy supports."""


def _by_ufunc(names: dict) -> dict:
    """The table with NumPy's ufuncs instead of their names; other functions are left out."""
    ufuncs = {name: getattr(np, name, None) for name in names}
    return {ufunc: names[name] for name, ufunc in ufuncs.items() if isinstance(ufunc, np.ufunc)}


CALLS = _by_ufunc(_numpy_table.UFUNCS)
REDUCES = _by_ufunc(_numpy_table.REDUCES)
ACCUMULATES = _by_ufunc(_numpy_table.ACCUMULATES)


def array_ufunc(ufunc, method, inputs, kwargs):
    """Implements ``Array.__array_ufunc__``."""
    if method == "__call__" and not kwargs and ufunc in CALLS and all(type(it) in SIMPLE for it in inputs):
        # The fast path.
        try:
            return CALLS[ufunc](*inputs)
        except UnsupportedError:
            return _by_numpy(ufunc, inputs, kwargs)
    outs = kwargs.get("out", ())
    for other in (*inputs, *outs):
        answer = getattr(type(other), "__array_ufunc__", OWN_ANSWERS[0])
        if all(answer is not own for own in OWN_ANSWERS):
            return NotImplemented
    if any(isinstance(it, np.ndarray) and it.__array_priority__ > 0 for it in inputs):
        # Masked arrays and matrices have state beyond their memory.
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)
    given = {name: value for name, value in kwargs.items() if not _is_default(name, value)}
    _drop_order(given, "K")
    out = given.pop("out", (None,))[0]
    try:
        result = _our_ufunc(ufunc, method, inputs, given)
    except (_NotOurs, UnsupportedError):
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)
    return result if out is None else _write_to(result, out)


def _our_ufunc(ufunc, method, inputs, given):
    if method == "__call__" and ufunc in CALLS and not given:
        return CALLS[ufunc](*inputs)
    if method == "reduce" and ufunc in REDUCES:
        (x,) = inputs
        return REDUCES[ufunc](x, **_only(given, "axis", "dtype", "keepdims", axis=0))
    if method == "accumulate" and ufunc in ACCUMULATES:
        (x,) = inputs
        return ACCUMULATES[ufunc](x, **_only(given, "axis", "dtype", axis=0))
    raise _NotOurs


def _only(given, *names, **defaults):
    """Returns the arguments with defaults, if all of them are supported."""
    if not given.keys() <= set(names):
        raise _NotOurs
    return defaults | given


def _is_default(name, value):
    if value is np._NoValue:
        return True
    defaults = {"casting": "same_kind", "dtype": None, "initial": None, "subok": True, "where": True}
    return name in defaults and (value is defaults[name] or (isinstance(value, str) and value == defaults[name]))


def _drop_order(given, default):
    """Drops the argument ``order`` if it has its default value."""
    if given.get("order") == default:
        del given["order"]


def _write_to(result, out):
    """Writes the result to ``out`` and returns that."""
    if isinstance(out, Array):
        out[...] = result
    else:
        np.copyto(out, np.asarray(result), casting="same_kind")
    return out


def _by_numpy(function, args, kwargs):
    """Calls NumPy on the same memory, and wraps the arrays that it returns."""
    converted: dict[int, tuple] = {}
    out = kwargs.get("out")
    outs = out if isinstance(out, tuple) else (out,)

    def theirs(value):
        if isinstance(value, Array):
            if id(value) not in converted:
                converted[id(value)] = (np.asarray(value), value)
            return converted[id(value)][0]
        if type(value) in (list, tuple):
            return type(value)(theirs(item) for item in value)
        if isinstance(value, dict):
            return {name: theirs(item) for name, item in value.items()}
        return value

    def ours(value):
        for view, original in converted.values():
            if value is view:
                return original
        if any(value is out for out in outs):
            return value
        if type(value) in (np.ndarray, np.memmap) or isinstance(value, np.generic):
            return bv.asarray(value) if value.dtype.name in DTYPES else value
        if type(value) in (list, tuple):
            return type(value)(ours(item) for item in value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(ours(item) for item in value))
        return value

    return ours(function(*theirs(tuple(args)), **theirs(dict(kwargs))))


#: Dtypes that both libraries have.
DTYPES = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
}  # fmt: skip


def array_function(function, types, args, kwargs):
    """Implements ``Array.__array_function__``."""
    if not all(issubclass(it, (Array, np.ndarray)) for it in types):
        return NotImplemented
    given = {name: value for name, value in kwargs.items() if not _is_default(name, value)}
    given.pop("like", None)
    _drop_order(given, "C" if function in (np.ravel, np.reshape) else "K")
    out = given.pop("out", None)
    ours = FUNCTIONS.get(function)
    if ours is not None and _fits(ours, args, given):
        try:
            result = ours(*args, **given)
        except UnsupportedError:
            # For example, a dtype that the operation does not support.
            pass
        else:
            return result if out is None else _write_to(result, out)
    return _by_numpy(function, args, given if out is None else given | {"out": out})


def _fits(function, args, given):
    """Whether the function has all parameters that are given."""
    code = function.__code__
    n_positional, n_all = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    is_variadic = code.co_flags & inspect.CO_VARARGS
    return (len(args) <= n_positional or is_variadic) and given.keys() <= set(code.co_varnames[:n_all])
