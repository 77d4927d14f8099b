"""The same call in NumPy and here: results, changed arguments and errors are compared."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import zoo

import belvedere as bv


def ours(value):
    """Converts the NumPy arrays in a value to ours, with the same strides and memory of their own."""
    if isinstance(value, np.ndarray):
        return bv.asarray(np.copy(value, order="K"))
    if type(value) in (list, tuple):
        return type(value)(ours(it) for it in value)
    return value


def assert_equal(found, expected, ulps=0, context=""):
    """Compares results recursively: NumPy's scalars are arrays without axes here."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(found, (tuple, list)), f"{type(found)} {context}"
        assert len(found) == len(expected), f"{found} {expected} {context}"
        for one, other in zip(found, expected):
            assert_equal(one, other, ulps, context)
    elif isinstance(expected, (np.ndarray, np.generic)):
        zoo.assert_same(found, expected, ulps=ulps, context=context)
    else:
        assert type(found) is type(expected), f"{found!r} {expected!r} {context}"
        assert found == expected, context


def same(call, *values, ulps=0):
    """Checks that ``call(bv, …)`` and ``call(np, …)`` agree, in the result and in what they write to."""
    mine = [ours(it) for it in values]
    theirs = [np.copy(it, order="K") if isinstance(it, np.ndarray) else it for it in values]
    found, expected = call(bv, *mine), call(np, *theirs)
    assert_equal(found, expected, ulps)
    for one, other in zip(mine, theirs):
        if isinstance(other, np.ndarray):
            zoo.assert_same(one, other, context="argument")


def refused(call, *values):
    """Checks that both raise an error, and ours is of NumPy's type."""
    with pytest.raises(Exception) as theirs:  # noqa: B017, PT011
        call(np, *copy.deepcopy(values))
    kinds = tuple(it for it in (ValueError, TypeError, IndexError, KeyError) if isinstance(theirs.value, it))
    with pytest.raises(kinds or type(theirs.value)):
        call(bv, *ours(list(values)))
