"""Allocation and deallocation of array objects: recycled objects keep nothing of the previous array."""

import gc
import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import weakref
from pathlib import Path

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


CLASSES = {
    "Lens": "bv.Lens",
    "DType": "bv.DType",
    "ufunc": "type(bv.add)",
    "Info": "type(bv.__array_namespace_info__())",
    "finfo": "type(bv.finfo(bv.float32))",
    "iinfo": "type(bv.iinfo(bv.int32))",
    "Event": "bv.Event",
    "Trace": "bv.Trace",
    "CopyRule": "type(bv.no_copies())",
    "ArrayIterator": "type(iter(bv.zeros((3, 3))))",
    "ImportedBuffer": "next(type(it) for it in gc.get_objects() if type(it).__name__ == 'ImportedBuffer')",
}


@pytest.mark.parametrize("change", ["cls.__new__ = lambda cls: object.__new__(cls)", "del cls.__new__", ""])
@pytest.mark.parametrize("name", CLASSES)
def test_object_new_creates_no_empty_object(name, change):
    # In a process of its own: a class that was changed stays so, and an empty object ends the process.
    assert run(f"""
        import array, gc
        import belvedere as bv
        imported = bv.asarray(array.array("d", [1.0]))
        cls = {CLASSES[name]}
        cls.__new__ = None
        {change or "pass"}
        for create in (lambda: cls(), lambda: object.__new__(cls)):
            try:
                print(create())
            except TypeError as error:
                print("TypeError")
    """) == ["TypeError", "TypeError"]


def test_an_empty_generator_is_refused():
    # The subclass has an allocation slot of its own, so the object exists; its methods find that it is empty.
    assert run("""
        import pickle
        import belvedere as bv
        class Derived(bv.random.Generator):
            pass
        bv.random.Generator.__new__ = lambda cls: object.__new__(cls)
        for cls in (bv.random.Generator, Derived, bv.random.RandomState):
            empty = object.__new__(cls)
            for use in (empty.random, pickle.dumps, lambda it: it.spawn(2), lambda it: it.__copy__()):
                try:
                    use() if use == empty.random else use(empty)
                except TypeError as error:
                    assert "without Generator.__new__" in str(error), error
                else:
                    print("a generator without state draws numbers")
    """) == []


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


EMBEDDING = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Initializes the interpreter of the library argv[1] twice, and runs argv[2] each time. */
int main(int argc, char **argv) {
    (void)argc;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 3;
    void (*initialize)(void) = (void (*)(void))dlsym(library, "Py_Initialize");
    int (*run)(const char *) = (int (*)(const char *))dlsym(library, "PyRun_SimpleString");
    int (*finalize)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
    for (int i = 0; i < 2; i++) {
        initialize();
        if (run(argv[2]) != 0 || finalize() != 0) return 4;
    }
    return 0;
}
"""


def test_an_interpreter_that_is_initialized_again_is_refused(tmp_path):
    library = Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LDLIBRARY"))
    if shutil.which("cc") is None or library.suffix != ".so" or not library.exists():
        pytest.skip("needs a C compiler and Python as a shared library")
    (tmp_path / "embed.c").write_text(EMBEDDING)
    subprocess.run(["cc", "embed.c", "-o", "embed", "-ldl"], cwd=tmp_path, check=True)
    program = textwrap.dedent(f"""
        import sys
        sys.path[:0] = {[path for path in sys.path if path]!r}
        try:
            import belvedere as bv
            print(bv.arange(3)[1:].shape, flush=True)
        except ImportError as error:
            print(error, flush=True)
    """)
    environment = dict(os.environ, PYTHONHOME=sys.base_prefix)
    command = [str(tmp_path / "embed"), str(library), program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.splitlines()
    assert first == "(2,)"
    assert "no second Py_Initialize" in second


def test_free_threaded_pythons_are_refused_with_the_reason():
    program = "import sys; sys.version += ' free-threading build'; import belvedere"
    refused = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "ImportError: belvedere does not support free-threaded Python" in refused.stderr
