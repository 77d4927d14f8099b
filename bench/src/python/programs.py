"""The time of the programs of ``python/tests/programs``, with NumPy and with Belvedere in its place, on one thread.

Both libraries take turns in one process; a row has the medians over all rounds. A program that does not run with
Belvedere has the reason in its row. Run it as ``python bench/src/python/programs.py``; ``--quick`` is a smoke test.
"""

import os

# Before either library starts its threads.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BELVEDERE_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import contextlib
import io
import math
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "python" / "tests"))

import program_runner

LIBRARIES = ("belvedere", "numpy")


def milliseconds(main):
    """The time of one call, with the output discarded."""
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.perf_counter()
        main()
        return (time.perf_counter() - start) * 1e3


def measure(name, n_rounds):
    """Returns the milliseconds of a program: ours, and NumPy's."""
    mains = [program_runner.load(name, library) for library in LIBRARIES]
    for main in mains:
        milliseconds(main)
    samples = [[], []]
    for round_ in range(n_rounds):
        for turn in range(2):
            engine = (round_ + turn) % 2
            samples[engine].append(milliseconds(mains[engine]))
    return [statistics.median(it) for it in samples]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="programs whose name contains this text")
    parser.add_argument("--output", type=pathlib.Path, help="where to write the table as Markdown")
    options = parser.parse_args()
    lines = ["| program | Belvedere ms | NumPy ms | NumPy ÷ Belvedere |", "|---|---:|---:|---:|"]
    ratios = []
    for name in program_runner.NAMES:
        if options.only not in name:
            continue
        print(f"\r{name:<40}\r", end="", file=sys.stderr)
        try:
            ours, theirs = measure(name, 3 if options.quick else 15)
        except Exception as error:
            lines.append(f"| {name} | {type(error).__name__}: {str(error).splitlines()[0]} | | |")
            continue
        ratios.append(theirs / ours)
        lines.append(f"| {name} | {ours:.1f} | {theirs:.1f} | {theirs / ours:.2f} |")
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        lines.append(f"| geometric mean of {len(ratios)} | | | {mean:.2f} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(text)


if __name__ == "__main__":
    main()
