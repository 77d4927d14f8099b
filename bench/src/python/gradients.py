"""The time of training steps, gradients and recorded operations, compared with PyTorch.

Both libraries take turns in one process on the same values, with the same number of threads; a row has the best time of
each, and the losses must agree. The memory is that by which five steps in a process of their own raise its peak. Run it as ``cargo xtask bench gradients`` with PyTorch installed for
``target/python/venv/bin/python``; ``--threads 2`` for two threads, ``--quick`` for a smoke test.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--quick", action="store_true", help="few rounds")
parser.add_argument("--only", default="", help="rows whose name contains this text")
parser.add_argument("--peak", nargs=2, metavar=("ROW", "LIBRARY"), help="only print how a row raises the peak memory, in KiB")
parser.add_argument("--output", type=pathlib.Path, help="where to write the table as Markdown")
options = parser.parse_args()

# Before either library starts its threads.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BELVEDERE_NUM_THREADS"):
    os.environ[variable] = str(options.threads)

import numpy as np

import belvedere as bv

try:
    import torch
except ImportError:
    sys.exit("PyTorch is not installed for this Python")

torch.set_num_threads(options.threads)
bv.set_num_threads(options.threads)
rng = np.random.default_rng(0)


def normal(*shape, scale=1.0):
    """Returns float32 normal numbers."""
    return (scale * rng.standard_normal(shape)).astype(np.float32)


class OfBelvedere:
    """The functions of Belvedere that the models are written with."""

    name = "Belvedere"
    relu, gelu, exp = bv.relu, bv.gelu, bv.exp

    @staticmethod
    def array(a):
        return bv.asarray(a, copy=True)

    parameter = array

    @staticmethod
    def log_softmax(x):
        return bv.log_softmax(x, axis=-1)

    @staticmethod
    def softmax(x):
        return bv.softmax(x, axis=-1)

    @staticmethod
    def conv2d(x, w, b):
        return bv.nn.conv2d(x, w, b, padding=1)

    @staticmethod
    def max_pool2d(x):
        return bv.nn.max_pool2d(x, 2)

    @staticmethod
    def layer_norm(x, w, b):
        return bv.nn.layer_norm(x, w, b)

    @staticmethod
    def gradients(loss_of, parameters):
        with bv.tape() as tape:
            tape.watch(*parameters)
            loss = loss_of(*parameters)
        return loss, tape.gradient(loss, parameters)

    @staticmethod
    def recording(watched, call):
        with bv.tape() as tape:
            tape.watch(*watched)
            return call()

    @staticmethod
    def descend(parameters, gradients, rate):
        for parameter, gradient in zip(parameters, gradients):
            parameter -= rate * gradient


class OfTorch:
    """The same of PyTorch."""

    name = "PyTorch"
    relu, exp = torch.relu, torch.exp
    softmax = staticmethod(lambda x: torch.softmax(x, -1))
    log_softmax = staticmethod(lambda x: torch.log_softmax(x, -1))
    gelu = torch.nn.functional.gelu

    @staticmethod
    def array(a):
        return torch.from_numpy(a.copy())

    @staticmethod
    def parameter(a):
        return torch.from_numpy(a.copy()).requires_grad_()

    @staticmethod
    def conv2d(x, w, b):
        return torch.nn.functional.conv2d(x, w, b, padding=1)

    @staticmethod
    def max_pool2d(x):
        return torch.nn.functional.max_pool2d(x, 2)

    @staticmethod
    def layer_norm(x, w, b):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], w, b)

    @staticmethod
    def gradients(loss_of, parameters):
        loss = loss_of(*parameters)
        return loss, torch.autograd.grad(loss, parameters)

    @staticmethod
    def recording(watched, call):
        return call()

    @staticmethod
    def descend(parameters, gradients, rate):
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients):
                parameter -= rate * gradient


def training_step(lib, loss_of, weights, rate=0.01):
    """Returns a function that changes the weights by one step of gradient descent and returns the loss."""
    parameters = [lib.parameter(a) for a in weights]

    def step():
        loss, gradients = lib.gradients(loss_of, parameters)
        lib.descend(parameters, gradients, rate)
        return loss.item()

    return step


def cross_entropy(lib, scores, rows, classes):
    """Returns the mean of the negative logarithms of the probabilities of the classes."""
    return -lib.log_softmax(scores)[rows, classes].mean()


def perceptron():
    """Two layers, 784-128-10, on 64 samples."""
    x, classes, rows = normal(64, 784), rng.integers(0, 10, 64), np.arange(64)
    weights = [normal(784, 128, scale=0.05), np.zeros(128, np.float32), normal(128, 10, scale=0.1), np.zeros(10, np.float32)]

    def make(lib):
        inputs, targets, positions = lib.array(x), lib.array(classes), lib.array(rows)

        def loss_of(w1, b1, w2, b2):
            return cross_entropy(lib, lib.relu(inputs @ w1 + b1) @ w2 + b2, positions, targets)

        return training_step(lib, loss_of, weights)

    return make


def convolutional():
    """Two convolutions, two poolings and two linear layers, on 32 images of 28 x 28."""
    x, classes, rows = normal(32, 1, 28, 28), rng.integers(0, 10, 32), np.arange(32)
    weights = [
        normal(8, 1, 3, 3, scale=0.3),
        np.zeros(8, np.float32),
        normal(16, 8, 3, 3, scale=0.1),
        np.zeros(16, np.float32),
        normal(16 * 7 * 7, 64, scale=0.05),
        np.zeros(64, np.float32),
        normal(64, 10, scale=0.1),
        np.zeros(10, np.float32),
    ]

    def make(lib):
        inputs, targets, positions = lib.array(x), lib.array(classes), lib.array(rows)

        def loss_of(k1, c1, k2, c2, w1, b1, w2, b2):
            y = lib.max_pool2d(lib.relu(lib.conv2d(inputs, k1, c1)))
            y = lib.max_pool2d(lib.relu(lib.conv2d(y, k2, c2)))
            y = lib.relu(y.reshape(32, -1) @ w1 + b1)
            return cross_entropy(lib, y @ w2 + b2, positions, targets)

        return training_step(lib, loss_of, weights)

    return make


def transformer():
    """A block with 8 heads, 256 wide, on 8 sequences of 128 tokens."""
    n, length, width, n_heads = 8, 128, 256, 8
    x, target = normal(n, length, width), normal(n, length, width)
    matrices = [normal(width, 3 * width, scale=0.06), normal(width, width, scale=0.06)]
    matrices += [normal(width, 4 * width, scale=0.06), normal(4 * width, width, scale=0.03)]
    one, zero = np.ones(width, np.float32), np.zeros(width, np.float32)
    weights = [*matrices, one, zero, one, zero]

    def make(lib):
        inputs, goal = lib.array(x), lib.array(target)

        def loss_of(to_qkv, to_out, up, down, w1, b1, w2, b2):
            y = lib.layer_norm(inputs, w1, b1) @ to_qkv
            y = y.reshape(n, length, 3, n_heads, width // n_heads)
            query, key, value = (y[:, :, i].swapaxes(1, 2) for i in range(3))
            attention = lib.softmax(query @ key.swapaxes(-1, -2) * (width // n_heads) ** -0.5)
            mixed = (attention @ value).swapaxes(1, 2).reshape(n, length, width)
            y = inputs + mixed @ to_out
            y = y + lib.gelu(lib.layer_norm(y, w2, b2) @ up) @ down
            difference = y - goal
            return (difference * difference).mean()

        return training_step(lib, loss_of, weights)

    return make


def slices(k, n=1_000_000):
    """The sum of ``k`` slices of 100 elements of one tensor of a million."""

    def make_rows():
        x = normal(n)

        def make(lib):
            parameters = [lib.parameter(x)]

            def loss_of(a):
                total = a[:100].sum()
                for i in range(1, k):
                    total = total + a[i * 900 : i * 900 + 100].sum()
                return total

            def gradient():
                loss, _ = lib.gradients(loss_of, parameters)
                return loss.item()

            return gradient

        return make

    make_rows.__doc__ = slices.__doc__
    return make_rows


ROWS = {
    "perceptron 784-128-10, batch 64": perceptron,
    "convolutional net, 28 x 28, batch 32": convolutional,
    "transformer block, 8 heads, 256 wide, 128 tokens, batch 8": transformer,
    "sum of 10 slices of 1 M elements": slices(10),
    "sum of 100 slices of 1 M elements": slices(100),
    "sum of 1000 slices of 1 M elements": slices(1000),
}


def seconds(call):
    """Returns the time of a call, and its result."""
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def measure(calls, duration):
    """Calls both in turns for this time at least, and returns the best time of each. Their results must agree."""
    best, end = [float("inf")] * 2, None
    n_rounds = 0
    while end is None or time.perf_counter() < end or n_rounds < 4:
        for turn in range(2):
            i = (n_rounds + turn) % 2
            spent, value = seconds(calls[i])
            best[i] = min(best[i], spent)
            if turn == 0:
                first = value
        # Only of the first steps: in long trainings rounding errors grow.
        if n_rounds < 4 and abs(first - value) > 1e-3 * max(1.0, abs(value)):
            sys.exit(f"the results differ: {first} and {value}")
        # The first round allocates, and chooses kernels.
        if end is None:
            best, end = [float("inf")] * 2, time.perf_counter() + duration
        n_rounds += 1
    return best


N_RECORDED = 100

# Operations on two arrays of 16 elements.
RECORDED_ROWS = {
    "x * y": lambda lib, x, y: x * y,
    "x + y": lambda lib, x, y: x + y,
    "x * 2": lambda lib, x, y: x * 2.0,
    "exp(x)": lambda lib, x, y: lib.exp(x),
    "sum(x)": lambda lib, x, y: x.sum(),
}


def recorded_calls(lib, operation):
    """Returns functions that run an operation 100 times, without and with a record of it, and return the seconds."""
    a = normal(16)
    plain = [lib.array(a), lib.array(a)]
    watched = [lib.parameter(a), lib.parameter(a)]

    def run(x, y):
        start = time.perf_counter()
        for _ in range(N_RECORDED):
            operation(lib, x, y)
        return time.perf_counter() - start

    return [lambda: run(*plain), lambda: lib.recording(watched, lambda: run(*watched))]


def recording_table(duration):
    """Yields the lines of a table: what it costs to record an operation, in nanoseconds."""
    titles = ["operation on 16 float32", "Belvedere ns", "recorded: more ns", "PyTorch ns", "recorded: more ns"]
    yield "| " + " | ".join(titles) + " |"
    yield "|---|---:|---:|---:|---:|"
    for name, operation in RECORDED_ROWS.items():
        if options.only not in name:
            continue
        calls = [call for lib in (OfBelvedere, OfTorch) for call in recorded_calls(lib, operation)]
        best, end = [float("inf")] * 4, time.perf_counter() + duration
        while time.perf_counter() < end:
            best = [min(known, call()) for known, call in zip(best, calls)]
        ours, ours_recorded, theirs, theirs_recorded = (it / N_RECORDED * 1e9 for it in best)
        cells = [ours, ours_recorded - ours, theirs, theirs_recorded - theirs]
        yield f"| `{name}` | " + " | ".join(f"{it:.0f}" for it in cells) + " |"


def resident_kib(field):
    """Returns a field of Linux' status of this process."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def peak_of_steps(name, library):
    """Returns by how many KiB five steps raise the peak memory of this process."""
    call = ROWS[name]()({lib.name: lib for lib in (OfBelvedere, OfTorch)}[library])
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = resident_kib("VmRSS")
    for _ in range(5):
        call()
    return resident_kib("VmHWM") - before


def peak_mebibytes(name, library):
    """Returns the same of a new process, in MiB."""
    command = [sys.executable, __file__, "--threads", str(options.threads), "--peak", name, library]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1024


def main():
    if options.peak is not None:
        print(peak_of_steps(*options.peak))
        return
    head = f"Best times in turns with PyTorch {torch.__version__}, {options.threads} thread(s), float32."
    titles = ["gradients", "Belvedere ms", "PyTorch ms", "PyTorch ÷ Belvedere", "Belvedere MiB", "PyTorch MiB"]
    lines = [head, "", "| " + " | ".join(titles) + " |", "|---|---:|---:|---:|---:|---:|"]
    print("\n".join(lines))
    for name, make_row in ROWS.items():
        if options.only not in name:
            continue
        make = make_row()
        ours, theirs = measure([make(lib) for lib in (OfBelvedere, OfTorch)], 0.2 if options.quick else 4.0)
        peaks = " | ".join(f"{peak_mebibytes(name, lib.name):.1f}" for lib in (OfBelvedere, OfTorch))
        lines.append(f"| {name} | {ours * 1e3:.3f} | {theirs * 1e3:.3f} | {theirs / ours:.2f} | {peaks} |")
        print(lines[-1], flush=True)
    lines.append("")
    print()
    for line in recording_table(0.1 if options.quick else 2.0):
        lines.append(line)
        print(line, flush=True)
    if options.output is not None:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
