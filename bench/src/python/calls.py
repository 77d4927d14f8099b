"""The cost of a call from Python, compared with NumPy, on arrays so small that the call dominates.

Both libraries take turns in one process (see `turns.rs` for why): in each round each has one turn, a batch of calls
timed as a whole, and the first one rotates from round to round. A row's numbers are medians over all rounds.

Run by `cargo xtask bench python`; `--quick` is a smoke test. Results go to stdout and, as Markdown, to the file given
with `--output`.
"""

import argparse
import math
import pathlib
import platform
import statistics
import sys
import timeit

import numpy as np

import belvedere as bv

#: The name of each row, the statement that is timed, and whether the goal is to be faster than NumPy.
CASES = [
    ("a + b, 16 elements", "a + b", True),
    ("a + 1.0, 16 elements", "a + 1.0", True),
    ("x[2:5]", "x[2:5]", True),
    ("x[1:, ::2]", "x[1:, ::2]", True),
    ("x[3]", "x[3]", True),
    ("x[:, None]", "x[:, None]", True),
    ("x[3, 4]", "x[3, 4]", False),
    ("x.T", "x.T", True),
    ("x.reshape(4, 16)", "x.reshape(4, 16)", True),
    ("x.reshape(-1)", "x.reshape(-1)", True),
    ("x.transpose(1, 0)", "x.transpose(1, 0)", True),
    ("xp.reshape(x, (4, 16))", "reshape(x, (4, 16))", True),
    ("xp.permute_dims(x, (1, 0))", "permute_dims(x, (1, 0))", True),
    ("for row in x, 8 rows", "for row in x: pass", True),
    ("a[:] = 2.0, 16 elements", "a[:] = 2.0", False),
    ("a[3] = 2.0", "a[3] = 2.0", False),
    ("a.copy(), 16 elements", "a.copy()", False),
    ("xp.sum(a), 16 elements", "sum(a)", False),
    ("xp.sin(a), 16 elements", "sin(a)", False),
    ("a @ a, 16 elements", "a @ a", False),
    ("xp.asarray(NumPy array)", "asarray(n)", False),
    ("float(a[3])", "float(a[3])", False),
]


def scope(library):
    """The globals of the statements: operands, and functions of the library without an attribute lookup."""
    n = np.linspace(0.0, 1.0, 16)
    names = ["reshape", "permute_dims", "sum", "sin", "asarray"]
    values = {name: getattr(library, name) for name in names}
    a, b = (library.asarray(n.copy()) for _ in range(2))
    return {**values, "n": n, "a": a, "b": b, "x": library.reshape(library.arange(64.0), (8, 8))}


def check(statement, ours, theirs):
    """Exits with an error unless both results agree; the result of a statement without a value is ``a``."""

    def result(names):
        try:
            return np.asarray(eval(statement, names))
        except SyntaxError:
            exec(statement, names)
            return np.asarray(names["a"])

    mine, expected = result(ours), result(theirs)
    if mine.shape != expected.shape or not np.allclose(mine, expected):
        sys.exit(f"error: {statement} gives {mine}, and {expected} with NumPy")


def measure(statement, n_rounds, n_calls):
    """Returns the nanoseconds of a call: ours, and NumPy's."""
    scopes = [scope(bv), scope(np)]
    check(statement, *scopes)
    timers = [timeit.Timer(statement, globals=it) for it in scopes]
    samples = [[], []]
    for round_ in range(n_rounds):
        for turn in range(2):
            engine = (round_ + turn) % 2
            timers[engine].timeit(n_calls // 10)
            samples[engine].append(timers[engine].timeit(n_calls) / n_calls * 1e9)
    return [statistics.median(it) for it in samples]


def report(rows):
    """Returns the table as Markdown, with the goals that are met or missed."""
    lines = [
        "| call | Belvedere ns | NumPy ns | NumPy ÷ Belvedere | goal |",
        "|---|---:|---:|---:|---|",
    ]
    ratios = []
    for name, has_goal, ours, theirs in rows:
        ratio = theirs / ours
        ratios.append(ratio)
        goal = ("met" if ratio > 1 else "missed") if has_goal else ""
        lines.append(f"| `{name}` | {ours:.0f} | {theirs:.0f} | {ratio:.2f} | {goal} |")
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    lines.append(f"| geometric mean | | | {mean:.2f} | |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="rows that contain this text")
    parser.add_argument("--output", type=pathlib.Path, help="where to write the table as Markdown")
    options = parser.parse_args()
    n_rounds, n_calls = (5, 500) if options.quick else (301, 1000)
    rows = []
    for name, statement, has_goal in CASES:
        if options.only in name:
            print(f"\r{name:<40}\r", end="", file=sys.stderr)
            rows.append((name, has_goal, *measure(statement, n_rounds, n_calls)))
    about = f"{platform.python_implementation()} {platform.python_version()}, NumPy {np.__version__}"
    text = f"Calls from Python ({about}; medians of {n_rounds} rounds)\n\n{report(rows)}\n"
    print(text)
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(text)


if __name__ == "__main__":
    main()
