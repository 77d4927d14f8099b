"""The NumPy protocols ``__array_ufunc__`` and ``__array_function__``.

NumPy passes a call on to this module if an argument is an ``Array``. The function of this package with the same name
answers it. If that refuses the arguments, NumPy decides, on the same memory: it computes the result, or raises its own
error. Either way the arrays among the results are ``Array`` objects.
"""

from __future__ import annotations

import numpy as np

import belvedere as bv

from ._native import Array
from .exceptions import CopyError

#: Operands with these ``__array_ufunc__`` are handled here; others handle the call themselves.
OWN_ANSWERS = (Array.__array_ufunc__, np.ndarray.__array_ufunc__)

#: Types that need no further checks.
SIMPLE = frozenset((Array, np.ndarray, np.float64, np.float32, np.int64, bool, int, float, complex))

#: What a function raises for arguments that it does not take. ``CopyError`` is none: NumPy would copy.
REFUSALS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NotImplementedError)

#: Functions that NumPy answers: they return dtypes, and its callers expect its own; or they call a function of the
#: caller, which must not be called a second time after an error.
BY_NUMPY = {
    "can_cast", "common_type", "min_scalar_type", "promote_types", "result_type",
    "apply_along_axis", "apply_over_axes", "fromfunction", "piecewise",
}  # fmt: skip


def _shared_functions(theirs, ours) -> dict:
    """NumPy's functions and ufuncs in a namespace, and the functions of the same names."""
    names = [name for name in ours.__all__ if hasattr(theirs, name) and name not in BY_NUMPY]
    pairs = {getattr(theirs, name): getattr(ours, name) for name in names if callable(getattr(theirs, name))}
    return {function: own for function, own in pairs.items() if not isinstance(function, type) and callable(own)}


FUNCTIONS = {
    **_shared_functions(np, bv),
    **_shared_functions(np.linalg, bv.linalg),
    **_shared_functions(np.fft, bv.fft),
    **_shared_functions(np.lib.stride_tricks, bv.lib.stride_tricks),
}

#: Functions whose results must be ours: NumPy's would be an array of another library.
ALWAYS_OURS = {np.empty_like, np.full_like, np.ones_like, np.zeros_like}


def array_ufunc(ufunc, method, inputs, kwargs):
    """Implements ``Array.__array_ufunc__``."""
    ours = FUNCTIONS.get(ufunc)
    if method != "__call__":
        ours = getattr(ours, method, None)
    elif ours is not None and not kwargs and all(type(it) in SIMPLE for it in inputs):
        # The fast path.
        return _answer(ours, ufunc, inputs, kwargs)
    outs = kwargs.get("out", ())
    for other in (*inputs, *outs):
        answer = getattr(type(other), "__array_ufunc__", OWN_ANSWERS[0])
        if all(answer is not own for own in OWN_ANSWERS):
            return NotImplemented
    if any(_has_state(type(it)) for it in inputs):
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)
    given = dict(kwargs)
    if len(outs) == 1:
        (given["out"],) = outs
    return _answer(ours, getattr(ufunc, method), inputs, kwargs, given)


def array_function(function, types, args, kwargs):
    """Implements ``Array.__array_function__``."""
    if not all(issubclass(it, (Array, np.ndarray)) for it in types):
        return NotImplemented
    kwargs = {name: value for name, value in kwargs.items() if value is not np._NoValue and name != "like"}
    if any(_has_state(it) for it in types):
        return _by_numpy(function, args, kwargs)
    return _answer(FUNCTIONS.get(function), function, args, kwargs)


def _has_state(type_) -> bool:
    """Whether arrays of a type have state beyond their memory, as masked arrays and matrices do."""
    return issubclass(type_, np.ndarray) and type_ not in (np.ndarray, np.memmap)


def _answer(ours, theirs, args, kwargs, given=None):
    """Calls our function, and NumPy's if there is none or it refuses the arguments.

    ``given`` are the keyword arguments of ours, if they differ from NumPy's.
    """
    if ours is None:
        return _by_numpy(theirs, args, kwargs)
    given = kwargs if given is None else given
    try:
        result = ours(*args, **given)
    except CopyError:
        raise
    except REFUSALS:
        if theirs in ALWAYS_OURS:
            raise
        return _by_numpy(theirs, args, kwargs)
    # An output of NumPy's is returned as it is.
    return given["out"] if isinstance(given.get("out"), np.ndarray) else result


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
