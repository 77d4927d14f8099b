"""NumPy or PyTorch for the benchmark: `python.py numpy|torch THREADS`.

Reads lines of JSON from standard input, answers each with one on standard output. A case is made by
`setup`, in which `r(shape...)` is the next input, and `call` is what is timed.
"""

import json
import sys
import time

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as window

library, threads = sys.argv[1], int(sys.argv[2])
if library == "torch":
    import torch

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)


known = {}


def numbers(n, seed):
    """The first numbers of a seed. They are made once, but for huge lists: many rows begin with the same."""
    if seed in known and len(known[seed]) >= n:
        return known[seed][:n]
    made = np.arange(n, dtype=np.uint32)
    made *= np.uint32(2654435761)
    made += np.uint32(seed * 97)
    made >>= np.uint32(22)
    made = made.astype(np.float32)
    made /= np.float32(1024)
    made -= np.float32(0.5)
    if n <= 1 << 25:
        known[seed] = made
    return made


def values(shape, dtype, seed):
    """The same numbers as the Rust engines have, in memory of their own."""
    found = numbers(int(np.prod(shape)), seed)
    if dtype == "uint8":
        found = (found + np.float32(0.5)) * np.float32(255)
    return found.astype(dtype, copy=len(found) <= 1 << 25).reshape(shape)


def softmax(x):
    """NumPy has none."""
    shares = np.exp(x - x.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def fingerprint(result, whole):
    """Length, sum, and sum with weights by position; of a sample if there are more elements than `whole`."""
    result = result.numpy() if library == "torch" else np.asarray(result)
    flat = result.reshape(-1)
    length = len(flat)
    flat = flat[::61] if length > whole else flat
    flat = (flat.real if np.iscomplexobj(flat) else flat).astype(np.float64)
    at = np.arange(len(flat), dtype=np.uint32) * np.uint32(40503) % np.uint32(65536)
    return [length, float(flat.sum()), float((flat * (at / 65536.0)).sum())]


def prepare(order):
    """Makes the inputs; gives what runs the call so often, and the fingerprint of its result."""
    seeds = iter(range(1, 100))

    def r(*shape, dtype=order["dtype"]):
        made = values(shape, dtype, next(seeds))
        return torch.from_numpy(made) if library == "torch" else made

    names = {"np": np, "window": window, "softmax": softmax, "r": r}
    if library == "torch":
        names["torch"] = torch
    exec(order["setup"], names)
    exec(
        "def run(times):\n    begin = clock()\n    for _ in range(times):\n"
        f"        {order['call']}\n    return clock() - begin",
        {**names, "clock": time.perf_counter_ns},
        names,
    )
    return names["run"], fingerprint(eval(order["call"], names), order["whole"])


def main():
    run = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if order["do"] == "prepare":
                run, answer = prepare(order)
            elif order["do"] == "time":
                answer = run(order["times"])
            else:
                run, answer = None, 0
        except Exception as error:
            run, answer = None, f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)


print(json.dumps(torch.__version__ if library == "torch" else np.__version__), flush=True)
main()
