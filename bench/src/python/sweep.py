"""Every function of the table of operations, beside NumPy or PyTorch, over dtypes, layouts, shapes and sizes, on one thread.

The benchmark beside it has chosen rows; this one finds the slow spots between them. The functions come from ``operations/*.toml``: those
of a form share its expressions, the others are in `OTHERS`. Both libraries take turns on operands with the same values and strides; a row is
the best of five turns. Results are compared before they are timed.

Run by ``cargo xtask bench sweep``. ``--quick`` takes a sample of about two minutes, ``--rows N`` one of that many rows (all of them take
hours), ``--only REGEX`` the rows whose name matches,
``--peer torch`` compares with PyTorch, and ``--record DIR`` keeps the table and the heat map.
"""

import os

# Before either library starts its threads.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BELVEDERE_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import collections
import json
import math
import pathlib
import platform
import random
import re
import sys
import time
import tomllib
import warnings

import numpy as np

import belvedere as bv

ROOT = pathlib.Path(__file__).parents[3]

#: The expressions of the functions of a form. `f` is the function, `x` and `y` are operands of one shape.
_ELEMENTWISE, _OF_TWO = ["f(x)"], ["f(x, y)"]
_REDUCTIONS = ["f(x)", "f(x, axis=0)", "f(x, axis=-1)"]
FORMS = {
    "unary": _ELEMENTWISE, "unary_numpy": _ELEMENTWISE, "rounding": _ELEMENTWISE, "phase": _ELEMENTWISE,
    "triangle": ["f(m)"], "whole": _ELEMENTWISE, "binary": _OF_TWO, "comparison": _OF_TWO, "set": _OF_TWO,
    "reduction": _REDUCTIONS, "extremum": _REDUCTIONS, "mean": _REDUCTIONS, "median": _REDUCTIONS, "total": _REDUCTIONS,
    "deviation": _REDUCTIONS, "test": _REDUCTIONS, "position": _REDUCTIONS, "count": _REDUCTIONS,
    "cumulative": ["f(x, axis=0)", "f(x, axis=-1)"], "along_axis": ["f(x, -1)"], "join": ["f([m, m])"],
    "transform": ["f(x)"], "transform_many": ["f(x)"], "matrix": ["f(s)"],
}  # fmt: skip

#: The expressions of other functions: `m` is an operand with two axes, `q` at most 512 × 512 of it, `s` a square matrix of at most 64 × 64, `i` indices of
#: the first axis, `c` a mask.
OTHERS = {
    "add": ["x + 1", "x.__iadd__(x)", "x[1:].__iadd__(x[:-1])"],
    "astype": ["x.astype(xp.float64)", "x.astype(xp.int32)", "x.astype(xp.uint8)"],
    "asarray": ["xp.asarray(x, copy=True)"],
    "clip": ["f(x, 2, 30)"], "where": ["f(c, x, y)"], "nonzero": ["f(c)"], "take": ["f(x, i, axis=0)"], "copy": ["x[c]"],
    "concat": ["f([x, y], axis=0)", "f([x, y], axis=-1)"], "stack": ["f([x, y], axis=0)", "f([x, y], axis=-1)"],
    "flip": ["xp.asarray(f(x), copy=True)"], "roll": ["f(x, 3, axis=-1)"], "tile": ["f(x, (2,) * x.ndim)"],
    "repeat": ["f(x, 2, axis=-1)"], "reshape": ["f(x, (-1,))"], "diff": ["f(x, axis=-1)"], "pad": ["f(x, 1)"],
    "sort": ["f(x, axis=-1)", "f(x, axis=0)"], "argsort": ["f(x, axis=-1)"], "partition": ["f(x, x.shape[-1] // 2)"],
    "searchsorted": ["f(e, x)"], "bincount": ["f(xp.reshape(x, (-1,)))"], "histogram": ["f(x, 50)"], "quantile": ["f(x, 0.3, axis=-1)"],
    "unique_values": ["f(x)"], "isin": ["f(x, e)"], "matmul": ["q @ xp.permute_dims(q, (1, 0))"], "vecdot": ["f(x, y)"],
    "einsum": ['f("ij,ij->i", m, m)', 'f("ij,kj->ik", s, s)'], "outer": ["f(m[0], m[0])"], "trace": ["f(s)"], "tensordot": ["f(s, s, axes=1)"],
    "solve": ["f(s, s)"], "qr": ["f(s)"], "svd": ["f(s)"], "eigh": ["f(s)"], "eigvalsh": ["f(s)"], "cholesky": ["f(p)"], "pinv": ["f(s)"],
}  # fmt: skip

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip

#: The shapes of a size, of one to four axes, with odd lengths among them. A row uses one of them, chosen by its name.
SHAPES = {
    "1": [(1,), (1, 1)],
    "16": [(16,), (4, 4), (2, 2, 4), (5, 3, 1)],
    "4K": [(4096,), (64, 64), (63, 65), (15, 16, 17), (8, 8, 8, 8)],
    "64K": [(65536,), (256, 256), (255, 257), (31, 64, 33)],
    "1M": [(1 << 20,), (1024, 1024), (1023, 1025), (64, 127, 129), (32, 32, 32, 32)],
    "4M": [(1 << 22,), (2048, 2048), (127, 181, 183)],
}
QUICK_SIZES = ["16", "4K", "1M"]

#: How an operand is made from a contiguous array of `bases`.
LAYOUTS = {
    "C": lambda xp, base, shape: base,
    "T": lambda xp, base, shape: xp.permute_dims(base, tuple(range(len(shape)))[::-1]),
    "step": lambda xp, base, shape: base[(slice(None, None, 2),) * len(shape)],
    "flip": lambda xp, base, shape: xp.flip(base),
    "broadcast": lambda xp, base, shape: xp.broadcast_to(base, shape),
}

#: Seconds of a turn, and the number of turns of each library.
TURN_SECONDS, N_TURNS = 3e-3, 5

#: Rows below this ratio are behind.
BEHIND = 0.9

Row = collections.namedtuple("Row", "ratio function expression size dtype layout shape theirs ours")


def cases(pattern):
    """Yields the name of each function in the table, its category, the peer's names, and an expression."""
    for file in sorted((ROOT / "operations").glob("*.toml")):
        for name, record in tomllib.loads(file.read_text()).items():
            expressions = FORMS.get(record.get("form"), []) + OTHERS.get(name, [])
            for expression in expressions if file.stem != "expression" else []:
                if re.search(pattern, f"{name} {expression}"):
                    yield name, file.stem, record, expression


def resolved(module, path):
    """The function of a module with this dotted name, or None."""
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


def our_function(name, category):
    return resolved(bv, name) or resolved(bv, f"{category}.{name}")


def peer_function(peer, name, category, record):
    """The peer's function of an operation: by the name in the table, or by ours if both follow the standard."""
    known = record.get(peer.__name__)
    names = ([known] if isinstance(known, str) else list(known or [])) + [name, f"{category}.{name}"]
    found = (resolved(peer, it) for names_ in names for it in names_.split())
    return next((it for it in found if it is not None), None)


def bases(shape, layout):
    """The shape of the contiguous array that an operand of a layout views."""
    if layout == "T":
        return shape[::-1]
    if layout == "step":
        return tuple(2 * n for n in shape)
    return (1,) + shape[1:] if layout == "broadcast" else shape


def values(rng, shape, dtype):
    """Random values for which every function is defined: positive, below 1 if they are floats."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(1, 50, shape).astype(dtype)
    real = rng.random(shape) * 0.9 + 0.05
    return (real + 1j * rng.random(shape) if kind == "c" else real).astype(dtype)


class Torch:
    """PyTorch, with the names of the Array API standard that the operands and expressions use."""

    def __init__(self):
        import torch

        torch.set_num_threads(1)
        self.__name__, self.module = "torch", torch
        self.permute_dims, self.version = torch.permute, torch.__version__

    def __getattr__(self, name):
        return getattr(self.module, name)

    def asarray(self, x, copy=None):
        return x.clone() if isinstance(x, self.module.Tensor) else self.module.from_numpy(np.array(x))


def operands(library, dtype, layout, shape):
    """The operands of a row by name, with the same values for both libraries."""
    rng = np.random.default_rng(1)
    made = {}
    for name in "xy":
        base = library.asarray(values(rng, bases(shape, layout), dtype), copy=True)
        made[name] = LAYOUTS[layout](library, base, shape)
    # One axis becomes two of about the same length: products of the rows of a long column do not fit into memory.
    n_rows = math.isqrt(shape[0]) if len(shape) == 1 else shape[0]
    made["m"] = made["x"] if len(shape) == 2 else library.reshape(made["x"], (n_rows, -1))
    made["q"] = made["m"][:512, :512]
    side = min(64, *made["m"].shape)
    made["s"] = made["m"][:side, :side]
    made["p"] = library.asarray(np.eye(side, dtype=dtype) * 2, copy=True)
    made["i"] = library.asarray(rng.integers(0, shape[0], shape[0]))
    made["c"] = library.asarray(rng.random(shape) < 0.5)
    made["e"] = library.asarray(np.sort(values(rng, (1000,), dtype)))
    return {**made, "xp": library}


def turn(call, n_calls):
    """The seconds of a call, as the mean of a turn."""
    start = time.perf_counter()
    for _ in range(n_calls):
        call()
    return (time.perf_counter() - start) / n_calls


def best_times(calls):
    """The seconds of each call: the best of its turns, which alternate."""
    counts = [max(1, min(2000, int(TURN_SECONDS / max(turn(it, 1), 1e-7)))) for it in calls]
    turns = [[turn(call, n) for call, n in zip(calls, counts)] for _ in range(N_TURNS)]
    return [min(times) for times in zip(*turns)]


def is_same(ours, theirs):
    """Whether two results have the same shape and about the same values; only arrays are compared."""
    try:
        mine, expected = np.asarray(ours), np.asarray(theirs)
        loose = 1e-2 if expected.dtype in (np.float16, np.float32, np.complex64) else 1e-6
        return mine.shape == expected.shape and np.allclose(mine, expected, loose, loose, equal_nan=True)
    except (TypeError, ValueError):
        return True


def measure(case, peer, dtype, layout, shape):
    """Returns the microseconds of a call, theirs and ours; or a text: why there is no row."""
    name, category, record, expression = case
    functions = [peer_function(peer, name, category, record), our_function(name, category)]
    if functions[0] is None and "f(" in expression:
        return None
    compiled = compile(expression, name, "eval")
    scopes = [{**operands(it, dtype, layout, shape), "f": f} for it, f in zip((peer, bv), functions)]
    calls = [eval(compile(f"lambda: {expression}", name, "eval"), scope) for scope in scopes]
    try:
        expected = eval(compiled, scopes[0])
    except Exception:  # What the peer does not compute is no row, whatever it raises.
        return None
    try:
        if "__iadd__" not in expression and not is_same(eval(compiled, scopes[1]), expected):
            return "differs"
        return [seconds * 1e6 for seconds in best_times(calls)]
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"


def rows_of(options, peer):
    """Measures all rows, or a sample of them; returns them, and why others have none."""
    chooser = random.Random(1)
    planned = []
    for case in cases(options.only):
        for size in QUICK_SIZES if options.quick else SHAPES:
            for dtype in DTYPES:
                for layout in LAYOUTS if size != "1" else ["C"]:
                    planned.append((case, size, dtype, layout, chooser.choice(SHAPES[size])))
    if options.rows is not None:
        planned = chooser.sample(planned, min(len(planned), options.rows))
    rows, refused = [], collections.Counter()
    for n, (case, size, dtype, layout, shape) in enumerate(planned):
        if n % 50 == 0:
            print(f"\r{n} of {len(planned)} {case[0]:<30}", end="", file=sys.stderr)
        found = measure(case, peer, dtype, layout, shape)
        if isinstance(found, list):
            theirs, ours = found
            rows.append(Row(theirs / ours, case[0], case[3], size, dtype, layout, shape, theirs, ours))
        elif found is not None:
            refused[f"{case[0]}: {case[3]} of {dtype}: {found}"] += 1
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    return rows, refused


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def grouped(rows, key):
    """The ratios of the rows by a field."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[getattr(row, key)].append(row.ratio)
    return groups


def report(rows, refused, peer, version, is_sample):
    """The tables as Markdown."""
    behind = [row for row in rows if row.ratio < BEHIND]
    lines = [
        f"# Sweep beside {peer} {version}",
        "",
        f"One thread, best of {N_TURNS} turns, {platform.machine()}, Python {platform.python_version()}. "
        f"{'A sample of ' if is_sample else ''}{len(rows)} rows, geometric mean {mean([it.ratio for it in rows]):.2f} ({peer} ÷ Belvedere), "
        f"{len(behind)} below {BEHIND} ({len(behind) / len(rows):.1%}).",
    ]
    for key in ("size", "dtype", "layout", "function"):
        lines += ["", f"| {key} | rows | geometric mean | worst | below {BEHIND} |", "|---|---:|---:|---:|---:|"]
        for name, ratios in grouped(rows, key).items():
            n_behind = sum(it < BEHIND for it in ratios)
            lines.append(f"| {name} | {len(ratios)} | {mean(ratios):.2f} | {min(ratios):.2f} | {n_behind} |")
    lines += ["", f"| {peer} ÷ Belvedere | row | {peer} µs | Belvedere µs |", "|---:|---|---:|---:|"]
    for row in sorted(behind)[:100]:
        name = f"{row.function}: `{row.expression}`, {row.dtype}, {row.layout}, {'×'.join(map(str, row.shape))}"
        lines.append(f"| {row.ratio:.2f} | {name} | {row.theirs:.2f} | {row.ours:.2f} |")
    if refused:
        lines += ["", f"Without a row, because Belvedere refuses or differs where {peer} computes:", ""]
        lines += [f"- {reason} ({n})" for reason, n in refused.most_common(40)]
    return "\n".join(lines) + "\n"


def colour(ratio):
    """Red below 1, white at 1, green above; saturated at a factor of 8."""
    strength = max(-1.0, min(1.0, math.log(ratio) / math.log(8)))
    fade = round(255 * (1 - abs(strength)))
    return f"rgb({fade},{200 + fade * 55 // 255},{fade})" if strength > 0 else f"rgb({235 + fade * 20 // 255},{fade},{fade})"


def heat_map(rows, peer):
    """An SVG: a line for each function, a cell for each dtype, the ratio as colour and number."""
    cells = collections.defaultdict(list)
    for row in rows:
        cells[row.function, row.dtype].append(row.ratio)
    functions = sorted({row.function for row in rows})
    left, top, width, height = 130, 60, 58, 15
    size = (left + width * len(DTYPES) + 10, top + height * len(functions) + 10)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" font-family="monospace" font-size="10">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="8" y="18" font-size="13">{peer}\'s time ÷ Belvedere\'s, geometric mean over layouts and sizes</text>',
    ]
    for k, dtype in enumerate(DTYPES):
        parts.append(f'<text x="{left + k * width + 4}" y="{top - 6}" font-size="9">{dtype}</text>')
    for n, function in enumerate(functions):
        y = top + n * height
        parts.append(f'<text x="8" y="{y + 11}">{function}</text>')
        for k, dtype in enumerate(DTYPES):
            if ratios := cells.get((function, dtype)):
                x, ratio = left + k * width, mean(ratios)
                parts.append(f'<rect x="{x}" y="{y}" width="{width - 2}" height="{height - 1}" fill="{colour(ratio)}"/>')
                parts.append(f'<text x="{x + width - 8}" y="{y + 11}" text-anchor="end">{ratio:.2f}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a sample, in about two minutes")
    parser.add_argument("--only", default="", metavar="REGEX", help="functions and expressions that match")
    parser.add_argument("--peer", choices=["numpy", "torch"], default="numpy")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all rows")
    parser.add_argument("--record", type=pathlib.Path, metavar="DIR", help="where to keep the table and the heat map")
    parser.add_argument("--rows", type=int, help="a sample of this many planned rows; 2400 with --quick, else all")
    options = parser.parse_args()
    if options.quick and options.rows is None:
        options.rows = 2400
    warnings.filterwarnings("ignore")
    bv.set_num_threads(1)
    peer, version = (np, np.__version__) if options.peer == "numpy" else ((it := Torch()), it.version)
    rows, refused = rows_of(options, peer)
    if not rows:
        sys.exit(f"error: no row matches {options.only!r}")
    name = {"numpy": "NumPy", "torch": "PyTorch"}[options.peer]
    text = report(rows, refused, name, version, options.rows is not None)
    print(text)
    if options.json:
        options.json.write_text(json.dumps([row._asdict() for row in rows]))
    if options.record:
        stem = "sweep" if options.peer == "numpy" else "sweep-torch"
        (options.record / f"{stem}.md").write_text(text)
        (options.record / f"{stem}.svg").write_text(heat_map(rows, name))


if __name__ == "__main__":
    main()
