"""Callbacks that raise: the exception reaches the caller, no array stays borrowed, and nothing is leaked."""

import gc
import sys
from collections.abc import Sequence

import pytest

import belvedere as bv

N = 1000


class Boom(Exception):
    """The exception of the callbacks."""


class Raising:
    """An object each of whose special methods raises, and which has only the ones that are named."""

    def __new__(cls, *names):
        def fails(self, *args, **kwargs):
            raise Boom

        return object.__new__(type("Raising", (), dict.fromkeys(names, fails)))


class Late(Sequence):
    """A sequence whose last item raises."""

    def __len__(self):
        return 100

    def __getitem__(self, i):
        if i == 99:
            raise Boom
        return float(i)


def fails(*args, **kwargs):
    """A function that raises."""
    raise Boom


def fails_later(count):
    """A function that raises when it is called for the last of some times."""
    calls = iter(range(count))

    def function(x, *args):
        if next(calls) == count - 1:
            raise Boom
        return x

    return function


def items():
    """Numbers, and then an exception."""
    yield from range(N)
    raise Boom


CALLS = {
    "apply_along_axis": lambda x: bv.apply_along_axis(fails_later(3), 0, x.reshape(10, -1)),
    "apply_over_axes": lambda x: bv.apply_over_axes(fails, x, [0]),
    "fromfunction": lambda x: bv.fromfunction(fails, (3, 3)),
    "fromiter": lambda x: bv.fromiter(items(), dtype=bv.float64),
    "piecewise": lambda x: bv.piecewise(x, [x >= 1], [fails]),
    "vectorize": lambda x: bv.vectorize(fails_later(3))(x),
    "array of a sequence": lambda x: bv.array(Late()),
    "array of nested sequences": lambda x: bv.array([[1.0] * 100, Late()]),
    "add of a sequence": lambda x: x[:100] + bv.asarray(Late()),
    "a value": lambda x: x.__setitem__(slice(0, 100), Late()),
    "an index": lambda x: x[Raising("__index__")],
    "the start of a slice": lambda x: x[Raising("__index__") :],
    "an index in a tuple": lambda x: x[None, Raising("__index__")],
    "a shape": lambda x: x.reshape(Raising("__index__")),
    "an axis": lambda x: bv.sum(x, axis=Raising("__index__")),
    "a condition": lambda x: bv.sum(x, keepdims=Raising("__bool__")),
    "a dtype": lambda x: bv.astype(x, Raising("__eq__", "__hash__", "__str__", "__repr__")),
    "__array__": lambda x: bv.asarray(Raising("__array__")),
    "__array_interface__": lambda x: bv.asarray(type("Interface", (), {"__array_interface__": property(fails)})()),
    "__dlpack__": lambda x: bv.from_dlpack(Raising("__dlpack__", "__dlpack_device__")),
    "__float__": lambda x: x.__setitem__(0, Raising("__float__")),
    "__array_ufunc__": lambda x: bv.add(x, Raising("__array_ufunc__", "__array__")),
    "a reflected operator": lambda x: x + Raising("__radd__"),
    "a reader": lambda x: bv.load(type("Reader", (), {"read": fails, "seek": fails, "tell": fails})()),
    "a writer": lambda x: bv.save(type("Writer", (), {"write": fails})(), x),
    "a formatter": lambda x: bv.array2string(x[:3], formatter={"float_kind": fails}),
}

#: Calls that raise a ``TypeError`` for the argument instead of the exception of the callback, or do not call it.
TYPE_ERRORS = {"a shape", "an axis", "__float__", "__array_ufunc__"}


@pytest.mark.parametrize("name", CALLS)
def test_an_exception_in_a_callback_borrows_and_leaks_nothing(name):
    call = CALLS[name]
    x = bv.ones(N)

    def attempt():
        with pytest.raises(TypeError if name in TYPE_ERRORS else Boom):
            call(x)

    attempt()
    # Nothing is borrowed: operations that write and read succeed, and views can be exported for writing.
    x[...] = 1.0
    memoryview(x)[0] = 1.0
    assert float(bv.sum(x)) == N
    # No reference to the array is left behind, whatever the first call has imported or cached.
    gc.collect()
    before = sys.getrefcount(x)
    for _ in range(10):
        attempt()
    gc.collect()
    assert sys.getrefcount(x) == before


def test_an_exception_in_the_callback_of_errors_reaches_the_caller():
    x = bv.ones(N)
    before = bv.geterrcall()
    bv.seterrcall(fails)
    try:
        with bv.errstate(all="call"):
            outcome = None
            try:
                outcome = x / 0.0
            except Boom:
                pass
            # Whether errors of elements are reported is the library's choice; a callback that raises ends the call.
            assert outcome is None or bool(bv.all(bv.isinf(outcome)))
    finally:
        bv.seterrcall(before)
    x[...] = 2.0
    assert float(x[0]) == 2.0
