"""NumPy's functions on our arrays.

NumPy hands a call over when an argument is one of ours. What we have under some name is done by us; everything else
is done by NumPy on the same memory. Either way arrays come back as ours.

The tables are few lines each: NumPy's names for what we call otherwise, and NumPy's parameters for what takes more than
an array.
"""

from __future__ import annotations

import inspect

import numpy as np

from . import _native as bv
from ._native import Array
from ._numpy_functions import FUNCTIONS
from .exceptions import UnsupportedError

#: NumPy's names of functions of elements that have another one in the standard.
OTHER_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
}

#: Functions of elements that have the same name.
SAME_NAMES = """
    add bitwise_and bitwise_or bitwise_xor ceil copysign cos cosh divide equal exp expm1 floor floor_divide greater
    greater_equal hypot isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not
    logical_or logical_xor matmul maximum minimum multiply negative nextafter not_equal positive reciprocal remainder
    sign signbit sin sinh sqrt square subtract tan tanh trunc vecdot
""".split()

#: What folding an axis with a function is called.
FOLDS = {
    "add": "sum",
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}

#: And what going along an axis is called.
SCANS = {"add": "cumulative_sum", "multiply": "cumulative_prod"}

#: The arrays that we do the work for. Others do it themselves.
OWN_ANSWERS = (Array.__array_ufunc__, np.ndarray.__array_ufunc__)


#: The types of most operands.
SIMPLE = frozenset((Array, np.ndarray, np.float64, np.float32, np.int64, bool, int, float, complex))


class _NotOurs(Exception):
    """The call has an argument that only NumPy knows."""


def _ours(names: dict[str, str]) -> dict:
    found = {}
    for name, our_name in names.items():
        if hasattr(np, name) and hasattr(bv, our_name):
            found[getattr(np, name)] = getattr(bv, our_name)
    return found


CALLS = _ours({name: name for name in SAME_NAMES} | OTHER_NAMES)
REDUCES = _ours(FOLDS)
ACCUMULATES = _ours(SCANS)


def array_ufunc(ufunc, method, inputs, kwargs):
    """What ``Array.__array_ufunc__`` gives."""
    if method == "__call__" and not kwargs and ufunc in CALLS and all(type(it) in SIMPLE for it in inputs):
        # Most calls are of this kind, and short.
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
        # Masked arrays and matrices are more than their memory.
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)
    given = {name: value for name, value in kwargs.items() if not _is_default(name, value)}
    _drop_order(given, "K")
    out = given.pop("out", (None,))[0]
    try:
        result = _our_ufunc(ufunc, method, inputs, given)
    except (_NotOurs, UnsupportedError):
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)
    return result if out is None else _written(result, out)


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
    """The arguments, if we have all of them."""
    if not given.keys() <= set(names):
        raise _NotOurs
    return defaults | given


def _is_default(name, value):
    if value is np._NoValue:
        return True
    defaults = {"casting": "same_kind", "dtype": None, "initial": None, "subok": True, "where": True}
    return name in defaults and (value is defaults[name] or (isinstance(value, str) and value == defaults[name]))


def _drop_order(given, default):
    """An order of elements in memory that is the usual one need not be asked for."""
    if given.get("order") == default:
        del given["order"]


def _written(result, out):
    """The result, written to where it was wanted."""
    if isinstance(out, Array):
        out[...] = result
    else:
        np.copyto(out, np.asarray(result), casting="same_kind")
    return out


def _by_numpy(function, args, kwargs):
    """What NumPy makes of the same memory."""
    seen: dict[int, tuple] = {}
    out = kwargs.get("out")
    outs = out if isinstance(out, tuple) else (out,)

    def theirs(value):
        if isinstance(value, Array):
            if id(value) not in seen:
                seen[id(value)] = (np.asarray(value), value)
            return seen[id(value)][0]
        if type(value) in (list, tuple):
            return type(value)(theirs(item) for item in value)
        if isinstance(value, dict):
            return {name: theirs(item) for name, item in value.items()}
        return value

    def ours(value):
        for view, original in seen.values():
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


#: The types that both have.
DTYPES = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
}  # fmt: skip


def array_function(function, types, args, kwargs):
    """What ``Array.__array_function__`` gives."""
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
            # Such as sums of truth values.
            pass
        else:
            return result if out is None else _written(result, out)
    return _by_numpy(function, args, given if out is None else given | {"out": out})


def _fits(function, args, given):
    """Whether a function of ours has all of the parameters."""
    code = function.__code__
    n_positional, n_all = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    is_variadic = code.co_flags & inspect.CO_VARARGS
    return (len(args) <= n_positional or is_variadic) and given.keys() <= set(code.co_varnames[:n_all])
