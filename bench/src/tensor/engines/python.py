"""NumPy or PyTorch for the benchmark: `python.py numpy|torch THREADS`.

Reads requests from standard input, one line of JSON each, and writes an answer to each to standard output. A case is a
statement `setup`, in which `r(shape...)` is the next input, and an expression `call`, which is timed.
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


cached = {}


def numbers(n, seed):
    """Returns the first `n` inputs of a seed. Up to 2**25 are cached, since many rows have the same inputs."""
    if seed in cached and len(cached[seed]) >= n:
        return cached[seed][:n]
    made = np.arange(n, dtype=np.uint32)
    made *= np.uint32(2654435761)
    made += np.uint32(seed * 97)
    made >>= np.uint32(22)
    made = made.astype(np.float32)
    made /= np.float32(1024)
    made -= np.float32(0.5)
    if n <= 1 << 25:
        cached[seed] = made
    return made


def values(shape, dtype, seed):
    """Returns an input with the values that the Rust engines have, in memory of its own."""
    found = numbers(int(np.prod(shape)), seed)
    if dtype == "uint8":
        found = (found + np.float32(0.5)) * np.float32(255)
    return found.astype(dtype, copy=len(found) <= 1 << 25).reshape(shape)


def softmax(x):
    """Computes softmax along axis 1, which NumPy does not have."""
    exponentials = np.exp(x - x.max(1, keepdims=True))
    return exponentials / exponentials.sum(1, keepdims=True)


def fingerprint(result, whole):
    """Returns the length, the sum, and the sum weighted by position; of a sample if the length exceeds `whole`."""
    result = result.numpy() if library == "torch" else np.asarray(result)
    flat = result.reshape(-1)
    length = len(flat)
    flat = flat[::61] if length > whole else flat
    flat = (flat.real if np.iscomplexobj(flat) else flat).astype(np.float64)
    at = np.arange(len(flat), dtype=np.uint32) * np.uint32(40503) % np.uint32(65536)
    return [length, float(flat.sum()), float((flat * (at / 65536.0)).sum())]


def prepare(request):
    """Creates the inputs. Returns a function that times a number of calls, and the fingerprint of the result."""
    seeds = iter(range(1, 100))

    def r(*shape, dtype=request["dtype"]):
        made = values(shape, dtype, next(seeds))
        return torch.from_numpy(made) if library == "torch" else made

    names = {"np": np, "window": window, "softmax": softmax, "r": r}
    if library == "torch":
        names["torch"] = torch
    exec(request["setup"], names)
    exec(
        "def run(times):\n    begin = clock()\n    for _ in range(times):\n"
        f"        {request['call']}\n    return clock() - begin",
        {**names, "clock": time.perf_counter_ns},
        names,
    )
    return names["run"], fingerprint(eval(request["call"], names), request["whole"])


def main():
    run = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "prepare":
                run, answer = prepare(request)
            elif request["do"] == "time":
                answer = run(request["times"])
            else:
                run, answer = None, 0
        except Exception as error:
            run, answer = None, f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)


print(json.dumps(torch.__version__ if library == "torch" else np.__version__), flush=True)
main()
