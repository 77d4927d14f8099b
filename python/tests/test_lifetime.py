"""Arrays come and go: their places are used again, and nothing of the one before is left in them."""

import gc
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest

import belvedere as bv

#: More than the places that are kept.
MANY = 1000


def views(x):
    """One view of each way in which views are made."""
    return [x.T, x.mT, x[1], x[1:3], x[1:, ::2], x[..., 0], x[None], x.reshape(4, 3), x.transpose(), x + 0]


def test_many_arrays_at_once_are_all_there():
    x = bv.reshape(bv.arange(12.0), (3, 4))
    for _ in range(3):
        kept = [view for _ in range(MANY // 10) for view in views(x)]
        expected = [np.asarray(view).copy() for view in views(x)]
        for i, view in enumerate(kept):
            np.testing.assert_array_equal(np.asarray(view), expected[i % len(expected)])


def test_a_place_that_is_used_again_belongs_to_the_new_array():
    x = bv.arange(4)
    address = id(x[1:])
    again = x[2:]
    assert id(again) == address, "the place that was free last"
    assert again.shape == (2,) and again[0] == 2


def test_weak_references_end_with_their_array_and_not_with_its_place():
    x = bv.arange(4)
    for _ in range(3):
        view = x[1:]
        gone = weakref.ref(view)
        assert gone() is view
        del view
        assert gone() is None
        other = x[2:]
        assert gone() is None and weakref.getweakrefcount(other) == 0


def test_a_weak_reference_may_call_back_while_the_array_goes():
    x, calls = bv.arange(4), []
    view = x[1:]
    watch = weakref.ref(view, lambda _: calls.append(x[2:].shape))
    del view
    assert calls == [(2,)] and watch() is None


def test_the_class_counts_its_arrays_and_forgets_those_that_were_not_made():
    x = bv.zeros((3, 4))
    before = sys.getrefcount(bv.Array)
    for _ in range(MANY):
        for view in views(x):
            del view
        for wrong in (lambda: x[5], lambda: x[:, 9], lambda: x.reshape(5, 5), lambda: x[0, 0, 0], lambda: x[::0]):
            with pytest.raises((IndexError, ValueError)):
                wrong()
    assert abs(sys.getrefcount(bv.Array) - before) < 10


def test_memory_goes_with_the_last_view_of_it():
    class Owner(np.ndarray):
        """NumPy's own arrays have no weak references to what owns their memory."""

    owner = np.zeros((3, 4)).view(Owner)
    gone = weakref.ref(owner)
    kept = views(bv.asarray(owner))
    del owner
    gc.collect()
    while len(kept) > 1:
        kept.pop()
    assert gone() is not None
    kept.clear()
    assert gone() is None


def test_the_collector_finds_no_arrays():
    # There is nothing to follow in them, and nobody is to find one that is not written yet.
    x = bv.zeros((3, 4))
    made = [view for _ in range(MANY // 10) for view in views(x)]
    assert not any(gc.is_tracked(view) for view in [x, *made])
    assert not any(isinstance(it, bv.Array) for it in gc.get_objects())


def test_arrays_cannot_be_made_or_derived_from_behind_the_back():
    with pytest.raises(TypeError):
        bv.Array()
    with pytest.raises(TypeError):
        object.__new__(bv.Array)
    with pytest.raises(TypeError):
        type("Derived", (bv.Array,), {})
    with pytest.raises(TypeError):
        bv.zeros(2).__class__ = type("Other", (), {})


def test_an_array_without_a_tensor_is_not_made_by_a_trick_either(monkeypatch):
    # The interpreter asks the class for memory, whatever its own `__new__` would say.
    monkeypatch.setattr(bv.Array, "__new__", lambda cls: object.__new__(cls), raising=False)
    with pytest.raises(TypeError, match="asarray, zeros and arange"):
        bv.Array()


def run(program):
    """What a program prints that has an interpreter of its own."""
    command = [sys.executable, "-c", textwrap.dedent(program)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")[:-1]


def test_the_module_can_be_loaded_again():
    assert run("""
        import importlib, sys
        import belvedere as bv
        kept = bv.arange(4)
        for name in [name for name in sys.modules if name.startswith("belvedere")]:
            del sys.modules[name]
        again = importlib.import_module("belvedere")
        print(again is bv, again.arange(4)[1:].shape, kept[2:].shape, type(again.zeros(1)) is type(kept))
    """) == ["False (3,) (2,) True"]


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module for interpreters has another name")
def test_a_second_interpreter_is_refused():
    assert run("""
        import belvedere as bv
        import _xxsubinterpreters as interpreters
        other = interpreters.create()
        try:
            interpreters.run_string(other, "import belvedere")
        except interpreters.RunFailedError as error:
            print("another interpreter" in str(error))
        interpreters.destroy(other)
        print(bv.arange(3)[1:].shape)
    """) == ["True", "(2,)"]
