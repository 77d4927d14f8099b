"""How operations on all threads share the processors with other work.

The same calls run alone, beside a process that spins, after calls of PyTorch whose threads still spin, and inside tasks of dask. A
row has the median time on one thread and on all threads, beside NumPy's in the same surroundings; all take turns. Run it as
``cargo xtask bench threads``; the surroundings whose library is not installed for ``target/python/venv/bin/python`` are skipped.
"""

import argparse
import contextlib
import importlib.util
import multiprocessing
import pathlib
import statistics
import time

import numpy as np

import belvedere as bv

#: The number of tasks that dask runs at once, each with an array of its own.
N_TASKS = 8


def spin():
    """Occupies a processor."""
    while True:
        pass


@contextlib.contextmanager
def beside_nothing():
    yield lambda: None


@contextlib.contextmanager
def beside_a_process():
    """Another process occupies a processor."""
    process = multiprocessing.get_context("spawn").Process(target=spin, daemon=True)
    process.start()
    time.sleep(1.0)  # until its interpreter has started
    try:
        yield lambda: None
    finally:
        process.kill()
        process.join()


@contextlib.contextmanager
def beside_torch():
    """PyTorch has just used its threads, which spin for a while before they sleep."""
    import torch

    torch.set_num_threads(bv.get_num_threads())
    x = torch.ones(1 << 20)
    yield lambda: x.add_(1.0)


SURROUNDINGS = {"alone": beside_nothing, "a process that spins": beside_a_process, "after PyTorch": beside_torch}


def calls(library):
    """Returns the calls by name; those of both libraries have the same operands."""
    rng = np.random.default_rng(0)

    def make(*shape):
        return library.asarray(rng.random(shape, dtype=np.float32), copy=True)

    a, b, large, matrix = make(1024, 1024), make(1024, 1024), make(4096, 4096), make(512, 512)
    return {
        "sum of 1 M": lambda: library.sum(a),
        "sum of 16 M": lambda: library.sum(large),
        "a + b of 1 M": lambda: a + b,
        "a += b of 1 M": lambda: a.__iadd__(b),
        "exp of 1 M": lambda: library.exp(a),
        "copy of a transposed 4096²": lambda: library.copy(large.T),
        "sort of 1 M": lambda: library.sort(a, axis=1),
        "512² matmul": lambda: matrix @ matrix,
    }


def tasks(library):
    """The same calls as tasks of dask, whose threads run several at once."""
    import dask

    def in_tasks(call):
        return lambda: dask.compute(*[dask.delayed(call, pure=False)() for _ in range(N_TASKS)], scheduler="threads")

    return {name: in_tasks(call) for name, call in calls(library).items() if "16 M" not in name and "4096" not in name}


def race(turns, before, duration):
    """Calls each in turns for this time at least; returns the median seconds of each."""
    spent = [[] for _ in turns]
    end = time.perf_counter() + duration
    while time.perf_counter() < end or len(spent[0]) < 5:
        for call, times in zip(turns, spent):
            before()
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
    return [statistics.median(times[1:]) for times in spent]


def on_threads(n, call):
    def run():
        bv.set_num_threads(n)
        call()

    return run


def rows(surroundings, ours, theirs, before, options):
    for name, call in ours.items():
        if options.only in f"{surroundings} {name}":
            turns = [theirs[name], on_threads(1, call), on_threads(options.threads, call)]
            numpy, one, all_ = race(turns, before, 0.3 if options.quick else 3.0)
            yield [surroundings, name, *(f"{it * 1e6:.0f}" for it in (numpy, one, all_)), f"{numpy / all_:.2f}", f"{one / all_:.2f}"]


def all_rows(options):
    ours, theirs = calls(bv), calls(np)
    for surroundings, enter in SURROUNDINGS.items():
        if surroundings == "after PyTorch" and importlib.util.find_spec("torch") is None:
            print("PyTorch is not installed", flush=True)
            continue
        with enter() as before:
            yield from rows(surroundings, ours, theirs, before, options)
    if importlib.util.find_spec("dask") is None:
        print("dask is not installed", flush=True)
        return
    yield from rows(f"{N_TASKS} tasks of dask", tasks(bv), tasks(np), lambda: None, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=bv.get_num_threads(), help="instead of all")
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--only", default="", help="rows whose name contains this text")
    parser.add_argument("--record", type=pathlib.Path, metavar="DIR", help="where to keep the table")
    options = parser.parse_args()
    n = options.threads
    titles = ["surroundings", "call", "NumPy µs", "1 thread µs", f"{n} threads µs", f"NumPy ÷ {n} threads", f"1 thread ÷ {n} threads"]
    lines = [
        f"# Threads that share the processors\n\nMedian times in turns, float32; NumPy {np.__version__} has one thread but for its matmul.\n",
        "| " + " | ".join(titles) + " |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    print("\n".join(lines))
    for row in all_rows(options):
        lines.append("| " + " | ".join(row) + " |")
        print(lines[-1], flush=True)
    if options.record:
        (options.record / "threads.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
