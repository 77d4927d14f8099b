"""Evaluates a call in both libraries and lists how the outcomes differ."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

import belvedere as bv

from . import recipes
from .operands import DTYPES, Operands, sampled

#: Relative tolerances. The ULPs of elementwise functions are tested in ``test_elementwise.py``.
RTOL = {"float16": 4e-3, "float32": 4e-6, "complex64": 4e-6, "float64": 1e-12, "complex128": 1e-12}

#: The most calls of one function; expressions beyond it are evaluated for fewer dtypes.
MOST_CALLS = 220


@dataclasses.dataclass(frozen=True)
class Mismatch:
    """One difference of the outcomes of a call."""

    function: str
    #: The kind of difference: refused, accepted, error, type, scalar, length, dtype, shape, value, view, copy, written.
    kind: str
    call: str
    dtype: str
    layout: str
    detail: str

    def __str__(self):
        return f"{self.kind}: {self.call} of {self.dtype}, {self.layout}: {self.detail}"


@dataclasses.dataclass
class Outcome:
    """The result of a call or its exception, and the operands after it."""

    result: object
    error: Exception | None
    operands: Operands


def evaluate(library, function, call: str, dtype: str, layout: str) -> Outcome:
    """Evaluates a call with one library; ``f`` in it is the function."""
    operands = Operands(library, dtype, layout, f=function, **recipes.HELPERS)
    try:
        return Outcome(eval(_compiled(call), operands), None, operands)
    except Exception as error:
        return Outcome(None, error, operands)


@functools.cache
def _compiled(call: str):
    return compile(call, call, "eval")


def compare(ours: Outcome, theirs: Outcome):
    """Yields the kind and a description of each difference."""
    if isinstance(ours.error, (NameError, KeyError)) and isinstance(theirs.error, (NameError, KeyError)):
        raise AssertionError(f"the recipe is wrong: {theirs.error}")
    if theirs.error is not None and ours.error is not None:
        expected = _builtin_class(theirs.error)
        if not isinstance(ours.error, expected):
            yield "error", f"{_text(ours.error)} instead of {_text(theirs.error)}"
    elif ours.error is not None:
        yield "refused", f"{_text(ours.error)} instead of {_short(theirs.result)}"
    elif theirs.error is not None:
        yield "accepted", f"{_short(ours.result)} instead of {_text(theirs.error)}"
    else:
        yield from _compare_values(ours.result, theirs.result, RTOL.get(theirs.operands.dtype, 0))
        yield from _compare_views(ours, theirs)
    for name, array in theirs.operands.arrays.items():
        if name in ours.operands.arrays and ours.error is None and theirs.error is None:
            mine = np.asarray(ours.operands.arrays[name])
            if mine.shape != array.shape or not _is_close(mine, array, RTOL.get(theirs.operands.dtype, 0)):
                yield "written", f"{name} is {_short(mine)} instead of {_short(array)}"


def _builtin_class(error: Exception) -> type:
    """The nearest class of Python that the error belongs to."""
    return next(it for it in type(error).__mro__ if it.__module__ == "builtins")


def _text(error: Exception) -> str:
    return f"{type(error).__name__}({str(error).splitlines()[0][:120] if str(error) else ''})"


def _short(value) -> str:
    return " ".join(repr(value).split())[:120]


def _compare_values(ours, theirs, rtol: float):
    if isinstance(theirs, (np.ndarray, np.generic)):
        if not isinstance(ours, bv.Array):
            yield "type", f"{_short(ours)} instead of {_short(theirs)}"
            return
        if isinstance(theirs, np.generic):
            yield "scalar", "a 0-d array"
        yield from _compare_arrays(ours, np.asarray(theirs), rtol)
    elif isinstance(theirs, (tuple, list)):
        is_named = hasattr(theirs, "_fields")
        if not isinstance(ours, (tuple, list)) or not (is_named or isinstance(ours, type(theirs))):
            yield "type", f"{type(ours).__name__} instead of {type(theirs).__name__}"
        if not isinstance(ours, (tuple, list)) or len(ours) != len(theirs):
            yield "length", f"{_short(ours)} instead of {_short(theirs)}"
            return
        for mine, their in zip(ours, theirs):
            yield from _compare_values(mine, their, rtol)
    elif isinstance(theirs, (np.dtype, type)):
        if str(ours) != str(np.dtype(theirs)):
            yield "value", f"{ours} instead of {theirs}"
    else:
        if type(ours) is not type(theirs):
            yield "type", f"{type(ours).__name__} instead of {type(theirs).__name__}"
        if isinstance(theirs, (bool, int, float, complex, str, bytes, dict, slice)) and not _is_equal(ours, theirs):
            yield "value", f"{_short(ours)} instead of {_short(theirs)}"


def _is_equal(ours, theirs) -> bool:
    return bool(ours == theirs) or (ours != ours and theirs != theirs)


def _compare_arrays(ours: bv.Array, theirs: np.ndarray, rtol: float):
    if str(ours.dtype) != str(theirs.dtype):
        yield "dtype", f"{ours.dtype} instead of {theirs.dtype}"
    if tuple(ours.shape) != theirs.shape:
        yield "shape", f"{tuple(ours.shape)} instead of {theirs.shape}"
    elif not _is_close(np.asarray(ours), theirs, rtol):
        yield "value", f"{_short(np.asarray(ours))} instead of {_short(theirs)}"


def _is_close(ours: np.ndarray, theirs: np.ndarray, rtol: float) -> bool:
    """Whether values agree up to the rounding errors of the coarsest dtype; `rtol` is that of the operands."""
    if theirs.dtype.name not in DTYPES:
        return ours.dtype == theirs.dtype
    if theirs.dtype.kind not in "fc":
        return np.array_equal(ours, theirs)
    coarser = max(rtol, *(RTOL.get(it.dtype.name, 0) for it in (ours, theirs)))
    finite = np.abs(theirs[np.isfinite(theirs)]).astype(float)
    scale = max(finite.max(initial=0), 1e-300)
    return np.allclose(ours, theirs, rtol=coarser, atol=coarser * scale, equal_nan=True)


def _compare_views(ours: Outcome, theirs: Outcome):
    """A result that shares memory with an operand must do so in both libraries."""
    for mine, their in zip(_arrays(ours.result), _arrays(theirs.result)):
        if not (isinstance(mine, bv.Array) and isinstance(their, np.ndarray)) or their.size == 0:
            continue
        for name, operand in theirs.operands.arrays.items():
            if name not in ours.operands.arrays:
                continue
            is_view = np.shares_memory(their, operand)
            if is_view != bv.shares_memory(mine, ours.operands.arrays[name]):
                yield ("copy" if is_view else "view"), f"of {name}"


def _arrays(result):
    if isinstance(result, (tuple, list)):
        for item in result:
            yield from _arrays(item)
    else:
        yield result


def resolve(library, name: str):
    """The function with a name such as ``linalg.norm``; for a method, the class."""
    value = library
    for part in name.split("."):
        value = getattr(value, part)
    return value


@functools.cache
def mismatches(name: str) -> tuple[Mismatch, ...]:
    """All differences of a function or, with a name such as ``Array.sum``, of a method."""
    calls = recipes.calls_of(name)
    is_method = name.startswith("Array.")
    functions = [None, None] if is_method else [resolve(it, name) for it in (bv, np)]
    n_dtypes = len(DTYPES) if len(calls) * len(DTYPES) <= MOST_CALLS else 7 if len(calls) * 7 <= MOST_CALLS else 2
    found = []
    for call in calls:
        for dtype, layout in sampled(name + call, n_dtypes):
            with np.errstate(all="ignore"):
                theirs = evaluate(np, functions[1], call, dtype, layout)
                ours = evaluate(bv, functions[0], call, dtype, layout)
                differences = list(compare(ours, theirs))
            found += [Mismatch(name, kind, call, dtype, layout, detail) for kind, detail in differences]
            if not set(theirs.operands) & recipes.DTYPED:
                break
    return tuple(found)
