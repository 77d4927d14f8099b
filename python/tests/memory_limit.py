"""Calls public functions with little memory left, in a process of its own: see ``test_memory_limit.py``.

Each line of the input is the name of a function or method. It is called with each tuple of operands that it accepts,
first with 64 MB, and then with ``RLIMIT_AS`` so that its first, its second, … large allocation fails. The process
prints ``name calls errors`` for each; it ends with an error if an operand has changed or another exception is raised.
"""

import contextlib
import io
import os
import resource
import sys
import warnings

import numpy as np

import belvedere as bv

warnings.simplefilter("ignore")

#: An array of float64 has 480 KB: large enough for pages of its own, and too small for the cache of freed memory.
N = 60_000


def operands():
    """The operands by name."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal(N)
    values = {
        "x": x,
        "p": np.abs(x) % 0.9 + 0.05,
        "a": x.reshape(200, 300),
        "c": x[:30_000] + 1j * x[30_000:],
        "i": rng.integers(0, 200, N),
        "u": rng.integers(0, 255, 8 * N).astype(np.uint8),
        "m": x > 0,
        "s": np.cov(x.reshape(100, 600)) + np.eye(100),
        "t": np.float64(2.5),
        "k": np.array([1.0, -2.0, 3.0]),
    }
    return {name: bv.asarray(np.ascontiguousarray(value)) for name, value in values.items()}


#: The operands of a call, tried in this order; those that a function refuses without a limit are left out.
ARGUMENTS = [
    "x", "a", "p", "c", "i", "u", "m", "s", "x x", "a a", "i i", "m m", "c c", "s s", "p p", "x t", "x 0", "a 0", "a 1",
    "a 2", "a i", "a i 0", "i 2", "x p p", "m x x", "m x", "x m", "x i x", "x x x", "[x,x]", "[a,a]", "a [0,1]",
    "a (300,200)", "(250,250)", "60000", "x 60000", "a (2,3)", "a a.T", "i (200,)", "x p 60000", "p 60000",
    "2.0 60000", "2.0 3.0 60000", "2.0 3.0 4.0 60000", "5 0.5 60000", "0 9 60000", "60000 0.5", "'ij,kj->ik' a a",
    "'ii->i' s", "'a b -> b a' a", "0.0 1.0 60000", "1.0 2.0 60000", "x [0.2,0.5]", "a 1 0", "x.T x", "",
]  # fmt: skip

#: Functions whose work is the product of the lengths of two operands, and the operands that they are called with instead.
QUADRATIC = {"convolve", "correlate", "poly", "polydiv", "polymul", "polyval"}
FEW_COEFFICIENTS = ["k x", "x k", "k c", "k i", "k a", "k"]

#: The bytes above those in use for the first calls, which succeed, and for the attempts: less than one result, two,
#: and so on.
ENOUGH = 64_000_000
ROOM = [100_000, 600_000, 1_100_000, 1_700_000, 3_000_000]

#: How many tuples of operands a function is called with.
MAX_CALLS = int(os.environ.get("BELVEDERE_CALLS", "3"))


def in_use():
    """The bytes of address space in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


@contextlib.contextmanager
def limited(room):
    """Limits the address space to what is in use and some bytes more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (in_use() + room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def bits(arrays):
    """Copies of the elements, by name."""
    return {name: np.array(np.asarray(array)) for name, array in arrays.items()}


def has_changed(arrays, before):
    """Whether an element of an operand is another one, or has other bits."""
    return any(not np.array_equal(np.asarray(array), before[name], equal_nan=True) for name, array in arrays.items())


def attempts(name, function, is_method):
    """Calls a function with each tuple of operands, and yields whether the call raised a ``MemoryError``."""
    arrays = operands()
    before = bits(arrays)
    n_accepted = 0
    for text in FEW_COEFFICIENTS if name in QUADRATIC else ARGUMENTS:
        if n_accepted == MAX_CALLS:
            break
        arguments = [f"({it})" for it in text.split()]
        if is_method and (not text or arguments[0][1:-1] not in arrays):
            continue
        call = f"f({', '.join(arguments)})"
        scope = {"f": function, **arrays}
        try:
            # Twice: the first call allocates what is kept.
            with limited(ENOUGH):
                eval(call, scope)
                eval(call, scope)
        except Exception:
            if has_changed(arrays, before):
                arrays = operands()
            continue
        n_accepted += 1
        is_in_place = has_changed(arrays, before)
        for room in ROOM:
            if is_in_place:
                arrays = operands()
            try:
                with limited(room):
                    eval(call, {"f": function, **arrays})
            except MemoryError:
                if has_changed(arrays, before):
                    raise AssertionError(f"{name}: {call} has changed an operand") from None
                yield True
            else:
                yield False
                break


def resolve(name):
    """The function or method of a name, and whether it is a method."""
    owner, _, rest = name.partition(".")
    if owner == "Array":
        return getattr(bv.Array, rest), True
    if owner == "Generator":
        return lambda *args: getattr(bv.random.default_rng(1), rest)(*args), False
    value = bv
    for part in name.split("."):
        value = getattr(value, part)
    return value, False


def main():
    """Calls the functions that are named on the standard input."""
    for name in sys.stdin.read().split():
        print(name, end=" ", flush=True)
        function, is_method = resolve(name)
        with contextlib.redirect_stdout(io.StringIO()):
            outcomes = list(attempts(name, function, is_method))
        print(len(outcomes), sum(outcomes), flush=True)


if __name__ == "__main__":
    main()
