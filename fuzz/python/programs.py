"""Random sequences of operations from several threads, compared with NumPy.

Each program runs on an array of ours and on one of NumPy. The threads of a case own alternate elements of one array, so
that an operation that writes beside its own elements changes those of another thread. Invalid arguments are drawn on
purpose: both libraries must refuse them, and nothing may change.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import campaign
import numpy as np

import belvedere as bv

DTYPES = ("int64", "int32", "uint8", "bool", "float64", "complex128")
MAX_VARIABLES = 8
MAX_ELEMENTS = 5000

#: An operation: a function of the library, and of the arrays that it takes.
Operation = Callable[..., Any]


class Pair:
    """An array of ours and one of NumPy, which should be equal."""

    def __init__(self, ours: Any, theirs: Any) -> None:
        self.ours = ours
        self.theirs = theirs

    def check(self, what: str) -> None:
        theirs = np.asarray(self.theirs)
        ours = np.asarray(self.ours)
        assert ours.shape == theirs.shape, f"{what}: shape {ours.shape}, expected {theirs.shape}"
        assert ours.dtype == theirs.dtype, f"{what}: dtype {ours.dtype}, expected {theirs.dtype}"
        assert np.array_equal(ours, theirs), f"{what}: {ours.tolist()}, expected {theirs.tolist()}"


class Program:
    """Variables, and the operations on them."""

    def __init__(self, rng: random.Random, counts: campaign.Counts, pair: Pair) -> None:
        self.rng = rng
        self.counts = counts
        self.variables = [pair]

    def run(self, length: int) -> None:
        for _ in range(length):
            x = self.rng.choice(self.variables)
            draw = self.rng.choice([self.view, self.view, self.write, self.compute, self.compute, self.fault])
            draw(x)
        for n, pair in enumerate(self.variables):
            pair.check(f"variable {n}")

    def apply(self, what: str, f: Operation, *pairs: Pair) -> Pair | None:
        """Applies an operation in both libraries; returns the results, or None if both raise."""
        self.counts.executions += 1
        results: list[Any] = []
        for library, arrays in ((bv, [it.ours for it in pairs]), (np, [it.theirs for it in pairs])):
            try:
                results.append(f(library, *arrays))
            except (ValueError, IndexError, TypeError, NotImplementedError) as error:
                results.append(error)
        failed = [isinstance(it, Exception) for it in results]
        shapes = [(it.theirs.dtype, it.theirs.shape, it.theirs.strides) for it in pairs]
        assert failed[0] == failed[1], f"{what} of {shapes}: {results!r}"
        if failed[0] or results[0] is None:
            return None
        # NumPy returns scalars where ours are arrays without axes, which can be viewed and written.
        pair = Pair(results[0], np.asarray(results[1]) if isinstance(results[1], np.generic) else results[1])
        pair.check(f"{what} of {shapes}")
        return pair

    def keep(self, pair: Pair | None) -> None:
        if pair is None or not isinstance(pair.ours, bv.Array) or pair.theirs.size > MAX_ELEMENTS:
            return
        if len(self.variables) == MAX_VARIABLES:
            del self.variables[1]
        self.variables.append(pair)

    def index(self, shape: tuple[int, ...]) -> tuple[Any, ...]:
        """Returns a basic index, mostly a valid one."""
        entries: list[Any] = []
        for length in shape[: self.rng.randrange(len(shape) + 1)]:
            ends = [None, *range(-length - 1, length + 2)]
            step = self.rng.choice([None, 1, 2, -1, -2])
            slices = slice(self.rng.choice(ends), self.rng.choice(ends), step)
            entries.append(self.rng.randrange(-length, length) if length and self.rng.random() < 0.2 else slices)
        if self.rng.random() < 0.3:
            entries.insert(self.rng.randrange(len(entries) + 1), self.rng.choice([None, ...]))
        return tuple(entries)

    def view(self, x: Pair) -> None:
        shape = x.theirs.shape
        index = self.index(shape)
        order = self.rng.sample(range(len(shape)), len(shape))
        f, what = self.rng.choice(
            [
                (lambda _, x: x[index], f"x[{index}]"),
                (lambda _, x: x.T, "x.T"),
                (lambda xp, x: xp.permute_dims(x, order), f"permute_dims {order}"),
                (lambda xp, x: xp.flip(x), "flip"),
                (lambda xp, x: xp.expand_dims(x, 0), "expand_dims"),
                (lambda xp, x: xp.broadcast_to(x, (2, *shape)), "broadcast_to"),
                (lambda _, x: x.real, "real"),
            ]
        )
        pair = self.apply(what, f, x)
        # Where NumPy returns a scalar, it is a copy, and ours is a view.
        if pair is not None and np.may_share_memory(pair.theirs, x.theirs):
            self.keep(pair)

    def alike(self, x: Pair) -> Pair:
        return self.rng.choice([it for it in self.variables if it.theirs.shape == x.theirs.shape])

    def write(self, x: Pair) -> None:
        if not x.theirs.flags.writeable or len(np.unique(addresses(x.theirs))) != x.theirs.size:
            return
        y = self.alike(x)
        index = self.index(x.theirs.shape)
        value = self.rng.choice([0, 1, 3, True])

        def assign(_: ModuleType, x: Any) -> None:
            x[index] = value

        def copy(xp: ModuleType, x: Any, y: Any) -> None:
            xp.copyto(x, y, casting="same_kind")

        def add(xp: ModuleType, x: Any, y: Any) -> None:
            xp.add(x, y, out=x, casting="same_kind")

        f, what, pairs = self.rng.choice(
            [(assign, f"x[{index}] = {value}", [x]), (copy, "copyto", [x, y]), (add, "add out", [x, y])]
        )
        self.apply(what, f, *pairs)
        x.check(f"{what}, written")

    def compute(self, x: Pair) -> None:
        y = self.alike(x)
        rank = x.theirs.ndim
        axis = self.rng.randrange(-rank, rank) if rank else None
        is_sortable = x.theirs.dtype.kind != "c" and rank > 0
        mask = np.asarray([self.rng.random() < 0.5 for _ in range(x.theirs.size)], bool).reshape(x.theirs.shape)
        choices: list[tuple[Operation, str, list[Pair]]] = [
            (lambda _, x, y: x + y, "x + y", [x, y]),
            (lambda _, x, y: x * y, "x * y", [x, y]),
            (lambda xp, x, y: xp.equal(x, y), "equal", [x, y]),
            (lambda xp, x, y: xp.where(x == y, x, y), "where", [x, y]),
            (lambda xp, x: xp.sum(x, axis=axis), f"sum {axis}", [x]),
            (lambda xp, x: xp.any(x, axis=axis), f"any {axis}", [x]),
            (lambda xp, x: xp.reshape(x, (-1,)).copy(), "reshape", [x]),
            (lambda _, x: x.astype("float64" if x.dtype != "complex128" else "complex128"), "astype", [x]),
            (lambda xp, x: x[xp.asarray(mask)], "x[mask]", [x]),
            (lambda xp, x: xp.concatenate([x, x], axis=axis) if rank else x.copy(), f"concatenate {axis}", [x]),
        ]
        if is_sortable:
            choices.append((lambda xp, x: xp.sort(x, axis=axis), f"sort {axis}", [x]))
        if rank:
            choices.append((lambda xp, x: xp.cumsum(x, axis=axis), f"cumsum {axis}", [x]))
            choices.append((lambda xp, x: xp.roll(x, 1, axis=axis), f"roll {axis}", [x]))
        f, what, pairs = self.rng.choice(choices)
        self.keep(self.apply(what, f, *pairs))

    def fault(self, x: Pair) -> None:
        """Draws invalid arguments: both libraries refuse, and nothing changes."""
        self.counts.faults += 1
        rank, size = x.theirs.ndim, x.theirs.size
        before = x.theirs.copy()

        def wrong_value(_: ModuleType, x: Any) -> None:
            x[...] = [[1, 2, 3, 4, 5, 6, 7]] * 11

        f, what = self.rng.choice(
            [
                (lambda _, x: x[(slice(None),) * rank + (0,)], "an index too many"),
                (lambda _, x: x[..., ..., 0], "two ellipses"),
                (lambda xp, x: xp.sum(x, axis=rank + 1), "an axis that does not exist"),
                (lambda xp, x: xp.reshape(x, (size + 1,)), "a shape of another size"),
                (lambda xp, x: xp.permute_dims(x, [*range(rank), rank]), "an order of another length"),
                (lambda xp, x: xp.broadcast_to(x, (*x.shape[:-1], x.shape[-1] + 2)) if rank else x[0], "a shape"),
                (lambda xp, x: xp.concatenate([x, xp.expand_dims(x, 0)], axis=0) if rank else x[0], "other ranks"),
                (lambda _, x: x[["text"]], "an index of text"),
                (wrong_value, "a value of another shape"),
            ]
        )
        self.apply(what, f, x)
        assert np.array_equal(x.theirs, before)
        x.check(f"after {what}")


def addresses(x: np.ndarray) -> np.ndarray:
    """Returns the address of each element, relative to the first."""
    steps = np.reshape(x.strides, (x.ndim, *[1] * x.ndim))
    return (np.indices(x.shape) * steps).sum(axis=0).ravel()


def case(rng: random.Random, counts: campaign.Counts) -> None:
    n_threads = rng.choice([1, 1, 2, 3])
    n = rng.choice([1, 6, 12, 24, 24, 2000])
    dtype = rng.choice(DTYPES)
    values = [rng.randrange(4) for _ in range(n * n_threads)]
    theirs = np.asarray(values, dtype)
    base = bv.asarray(values, dtype=getattr(bv, dtype))
    failures: list[BaseException] = []

    def work(t: int, seed: int) -> None:
        try:
            own = Pair(base[t::n_threads], theirs[t::n_threads])
            Program(random.Random(seed), counts, own).run(12)
        except BaseException as error:
            failures.append(error)

    seeds = [rng.randrange(1 << 60) for _ in range(n_threads)]
    threads = [threading.Thread(target=work, args=it) for it in enumerate(seeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    Pair(base, theirs).check("the memory of all threads")


if __name__ == "__main__":
    np.seterr(all="ignore")
    campaign.run(__doc__, case)
