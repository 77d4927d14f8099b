"""Out of memory is a ``MemoryError`` in every public function: it ends no process and changes no operand."""

import os
import pathlib
import subprocess
import sys

import pytest

import belvedere as bv

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc are Linux's")

#: Functions that are not called: they change settings, read and write files, or print.
SKIPPED = {
    "allow_copies", "no_copies", "copies", "errstate", "explain", "fromfile", "genfromtxt", "load", "loadtxt",
    "printoptions", "save", "savetxt", "savez", "savez_compressed", "set_num_threads", "set_printoptions", "setbufsize",
    "seterr", "seterrcall", "vectorize", "Array.dump", "Array.dumps", "Array.tofile",
}  # fmt: skip

#: Functions that make an array for each of the 60 000 items of an operand. Each takes less than 4 KiB, and such allocations
#: abort (SECURITY.md); all of them together exceed the limit.
MANY_SMALL = {"choose", "Array.choose"}

#: Functions with results, temporary memory or lists of each kind: all that run without ``BELVEDERE_FULL``.
SAMPLE = [
    "add", "matmul", "sum", "take", "where", "concat", "vstack", "astype", "cumulative_sum", "cummax", "cumprod", "logcumsumexp",
    "sort", "argsort", "unique", "unique_all", "quantile", "histogram", "searchsorted", "einsum", "fft.fft", "fft.rfft",
    "linalg.svd", "linalg.eigh", "linalg.qr", "nn.layer_norm", "Array.tolist", "Array.copy", "Generator.permutation",
    "Generator.normal",
]  # fmt: skip

IS_FULL = "BELVEDERE_FULL" in os.environ


def functions():
    """The names of all public functions and methods."""
    owners = {"": bv, "linalg.": bv.linalg, "fft.": bv.fft, "nn.": bv.nn, "Array.": bv.Array}
    owners["Generator."] = bv.random.Generator
    for prefix, owner in owners.items():
        for name in sorted(dir(owner)):
            value = getattr(owner, name)
            is_function = callable(value) and not isinstance(value, type) and not name.startswith("_")
            if is_function and prefix + name not in SKIPPED | MANY_SMALL:
                yield prefix + name


def run(names):
    """Calls functions in a child, and returns its output and how it ended."""
    script = pathlib.Path(__file__).parent / "memory_limit.py"
    # Allocations of 64 KiB are pages of their own, so that the limit is exact; 256 KiB are left for small ones.
    tunables = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TOP_PAD_": "262144", "MALLOC_ARENA_MAX": "1"}
    environment = {**os.environ, **tunables, "PYTHONMALLOC": "malloc", "BELVEDERE_CALLS": "8" if IS_FULL else "2"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as child:
        try:
            output, errors = child.communicate("\n".join(names), timeout=1200)
        except subprocess.TimeoutExpired:
            # Its last line names the function that did not end.
            child.kill()
            output, errors = child.communicate()
    return child.returncode, output, errors


def test_out_of_memory_is_an_error_in_every_function():
    names = list(functions())
    assert len(names) > 500, names
    failures, n_calls, n_errors = [], 0, 0
    assert set(SAMPLE) <= set(names)
    names = names if IS_FULL else SAMPLE
    while names:
        status, output, errors = run(names)
        rows = [line.split() for line in output.splitlines()]
        done = [row for row in rows if len(row) == 3]
        n_calls += sum(int(row[1]) for row in done)
        n_errors += sum(int(row[2]) for row in done)
        if status == 0:
            break
        failed = rows[-1][0]
        failures.append(f"{failed} (exit {status}): {errors.strip()[-300:]}")
        names = names[names.index(failed) + 1 :]
    print(f"faults injected: {n_errors} in {n_calls} calls")
    assert not failures, "\n".join(failures)
    assert n_errors > (1000 if IS_FULL else 50), (n_calls, n_errors)
