"""Allocation and deallocation of array objects: recycled objects keep nothing of the previous array."""

import gc
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest

import belvedere as bv

#: More than the free list holds.
MANY = 1000


def views(x):
    """Returns a view from each way to create one."""
    return [x.T, x.mT, x[1], x[1:3], x[1:, ::2], x[..., 0], x[None], x.reshape(4, 3), x.transpose(), x + 0]


def test_many_live_arrays_keep_their_values():
    x = bv.reshape(bv.arange(12.0), (3, 4))
    for _ in range(3):
        kept = [view for _ in range(MANY // 10) for view in views(x)]
        expected = [np.asarray(view).copy() for view in views(x)]
        for i, view in enumerate(kept):
            np.testing.assert_array_equal(np.asarray(view), expected[i % len(expected)])


def test_a_recycled_object_is_a_new_array():
    x = bv.arange(4)
    address = id(x[1:])
    again = x[2:]
    assert id(again) == address, "the object that was freed last"
    assert again.shape == (2,) and again[0] == 2


def test_weak_references_die_with_their_array_not_with_its_slot():
    x = bv.arange(4)
    for _ in range(3):
        view = x[1:]
        gone = weakref.ref(view)
        assert gone() is view
        del view
        assert gone() is None
        other = x[2:]
        assert gone() is None and weakref.getweakrefcount(other) == 0


def test_weak_reference_callbacks_run_during_deallocation():
    x, calls = bv.arange(4), []
    view = x[1:]
    watch = weakref.ref(view, lambda _: calls.append(x[2:].shape))
    del view
    assert calls == [(2,)] and watch() is None


def test_views_and_errors_do_not_leak_references_to_the_class():
    x = bv.zeros((3, 4))
    before = sys.getrefcount(bv.Array)
    for _ in range(MANY):
        for view in views(x):
            del view
        for wrong in (lambda: x[5], lambda: x[:, 9], lambda: x.reshape(5, 5), lambda: x[0, 0, 0], lambda: x[::0]):
            with pytest.raises((IndexError, ValueError)):
                wrong()
    assert abs(sys.getrefcount(bv.Array) - before) < 10


def test_memory_is_freed_with_its_last_view():
    class Owner(np.ndarray):
        """A subclass, because plain NumPy arrays do not support weak references."""

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


def test_arrays_are_not_tracked_by_the_garbage_collector():
    # Arrays hold no Python references, and an uninitialised one must not be reachable through the collector.
    x = bv.zeros((3, 4))
    made = [view for _ in range(MANY // 10) for view in views(x)]
    assert not any(gc.is_tracked(view) for view in [x, *made])
    assert not any(isinstance(it, bv.Array) for it in gc.get_objects())


def test_the_class_cannot_be_instantiated_or_subclassed():
    with pytest.raises(TypeError):
        bv.Array()
    with pytest.raises(TypeError):
        object.__new__(bv.Array)
    with pytest.raises(TypeError):
        type("Derived", (bv.Array,), {})
    with pytest.raises(TypeError):
        bv.zeros(2).__class__ = type("Other", (), {})


def test_object_new_cannot_create_an_array(monkeypatch):
    # `object.__new__` calls the allocation slot of the class directly, without its `__new__`.
    monkeypatch.setattr(bv.Array, "__new__", lambda cls: object.__new__(cls), raising=False)
    with pytest.raises(TypeError, match="asarray, zeros and arange"):
        bv.Array()


def run(program):
    """Runs a program in a separate interpreter and returns the lines it prints."""
    command = [sys.executable, "-c", textwrap.dedent(program)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")[:-1]


def test_the_module_can_be_reloaded():
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


def test_free_threaded_pythons_are_refused_with_the_reason():
    program = "import sys; sys.version += ' free-threading build'; import belvedere"
    refused = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "ImportError: belvedere does not support free-threaded Python" in refused.stderr
