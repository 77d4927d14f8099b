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


def values(shape, dtype, seed):
    """The same numbers as the Rust engines have."""
    n = int(np.prod(shape))
    bits = np.arange(n, dtype=np.uint32) * np.uint32(2654435761) + np.uint32(seed * 97)
    found = (bits >> np.uint32(22)).astype(np.float32) / np.float32(1024) - np.float32(0.5)
    if dtype == "uint8":
        found = (found + np.float32(0.5)) * np.float32(255)
    return found.astype(dtype).reshape(shape)


def softmax(x):
    """NumPy has none."""
    shares = np.exp(x - x.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def fingerprint(result):
    """Length, sum, and sum with weights by position."""
    result = result.numpy() if library == "torch" else np.asarray(result)
    flat = result.reshape(-1)
    flat = (flat.real if np.iscomplexobj(flat) else flat).astype(np.float64)
    at = np.arange(len(flat), dtype=np.uint32) * np.uint32(40503) % np.uint32(65536)
    return [len(flat), float(flat.sum()), float((flat * (at / 65536.0)).sum())]


def main():
    run = None
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "prepare":
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
            run, call = names["run"], order["call"]
            answer = fingerprint(eval(call, names))
        elif order["do"] == "time":
            answer = run(order["times"])
        else:
            run = names = None
            answer = 0
        print(json.dumps(answer), flush=True)


print(json.dumps(torch.__version__ if library == "torch" else np.__version__), flush=True)
main()
