"""Inputs that a stranger can hand to the package: files, text, pickles, memory of other objects, indices, sources.

Valid inputs are drawn and then damaged. Each must be accepted or refused with an exception: no crash, no panic (which
is no ``Exception``), and no more work than the input is large. What is accepted is printed and copied, which reads all
of it.
"""

from __future__ import annotations

import array
import io
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import campaign
import numpy as np

import belvedere as bv

#: Arrays with more elements are not printed or copied: views such as broadcasts may be huge.
MAX_ELEMENTS = 100_000

INTEGERS = (0, 1, -1, 2, 3, 7, 64, 65, -(2**63), 2**63 - 1, 2**64, 10**18, 10**30, -(10**30))


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Returns bytes with a few changes: replaced, removed, repeated or cut."""
    out = bytearray(data)
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        at = rng.randrange(len(out) + 1)
        length = rng.choice([1, 1, 2, 8, 100])
        match rng.randrange(4):
            case 0:
                out[at : at + length] = rng.randbytes(length)
            case 1:
                del out[at : at + length]
            case 2:
                out[at:at] = out[at : at + length] * rng.choice([1, 1, 50])
            case _:
                del out[at:]
    return bytes(out)


def drawn_array(rng: random.Random) -> np.ndarray:
    shape = [rng.randrange(5) for _ in range(rng.randrange(4))]
    dtype = rng.choice(
        ["bool", "int8", "<i4", ">i4", "int64", "uint64", "float16", "f8", ">f8", "c8", "c16", "U3", "O", "M8[s]"]
    )
    return np.zeros(shape, dtype)


def any_value(rng: random.Random, depth: int = 2) -> Any:
    """Returns any Python object."""
    scalars: list[Any] = [
        None,
        ...,
        True,
        False,
        1.5,
        float("nan"),
        "",
        "a b -> b a",
        "float32",
        b"\0",
        object(),
        slice(None),
        np.int64(3),
    ]
    scalars += [
        slice(rng.choice(INTEGERS), None, rng.choice(INTEGERS)),
        bv.zeros(2),
        np.ones(3),
        bv.float32,
        rng.choice(INTEGERS),
    ]
    if depth == 0 or rng.random() < 0.6:
        return rng.choice(scalars)
    items = [any_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return rng.choice([items, tuple(items), {str(k): it for k, it in enumerate(items)}])


def read_npy(rng: random.Random) -> Any:
    file = io.BytesIO()
    np.save(file, drawn_array(rng), allow_pickle=True)
    return bv.load(io.BytesIO(damaged(rng, file.getvalue())))


def read_npz(rng: random.Random) -> Any:
    file = io.BytesIO()
    save = rng.choice([np.savez, np.savez_compressed])
    save(file, a=drawn_array(rng), b=drawn_array(rng))
    with bv.load(io.BytesIO(damaged(rng, file.getvalue()))) as archive:
        return [archive[name] for name in archive.files]


def read_text(rng: random.Random) -> Any:
    words = ["1", "-2.5", "nan", "1e999", "0x1p3", "a", " ", ",", "\n", "\n", "#", "'", "\0", "1+2j", "é", "9" * 400]
    text = "".join(rng.choice(words) + rng.choice([" ", ",", "\n"]) for _ in range(rng.randrange(30)))
    options = {
        "delimiter": rng.choice([None, ","]),
        "skip_header" if rng.random() < 0.1 else "max_rows": rng.choice([None, 2]),
    }
    reader = rng.choice([bv.loadtxt, bv.genfromtxt])
    if rng.random() < 0.3:
        return bv.fromstring(text, sep=rng.choice([" ", ","]))
    return reader(io.StringIO(text), **options)


def read_bytes(rng: random.Random) -> Any:
    data = rng.randbytes(rng.randrange(40))
    return bv.frombuffer(data, dtype=any_value(rng, 0), count=rng.choice([-1, *INTEGERS]), offset=rng.choice(INTEGERS))


def restore_pickle(rng: random.Random) -> Any:
    objects = [bv.zeros((2, 3)), bv.arange(6)[::2], bv.random.default_rng(1), bv.float32, bv.add, bv.asarray([True])]
    x = rng.choice(objects)
    pickled = pickle.dumps(x, protocol=rng.randrange(2, 6))
    assert pickle.loads(pickled) is not None
    reduced = x.__reduce_ex__(rng.randrange(2, 6))
    if isinstance(reduced, str):
        return reduced
    make, arguments, *rest = reduced
    arguments = [any_value(rng) if rng.random() < 0.3 else it for it in arguments]
    arguments = [damaged(rng, bytes(it)) if isinstance(it, (bytes, bytearray)) else it for it in arguments]
    made = make(*arguments)
    state = any_value(rng) if rng.random() < 0.5 else (rest[0] if rest else None)
    if state is not None and hasattr(made, "__setstate__"):
        made.__setstate__(state)
    return made


class Described:
    """An object with any description of its memory, which is 256 bytes long."""

    def __init__(self, rng: random.Random) -> None:
        self.memory = (np.arange(32.0), np.zeros(1))
        valid = {
            "shape": (2, 2),
            "typestr": "<f8",
            "version": 3,
            "strides": None,
            "data": (self.memory[0].ctypes.data, False),
        }
        key = rng.choice(list(valid))
        # A pointer, a typestr or a stride that leads elsewhere cannot be recognised: those are not drawn.
        values = {
            "shape": any_value,
            "typestr": any_value,
            "version": any_value,
            "data": lambda rng: any_value(rng, 0),
            "strides": lambda _: (8, 8),
        }
        value = values[key](rng)
        if key == "shape" and isinstance(value, tuple) and all(isinstance(it, int) and it > 1 for it in value):
            value = (2, 2)
        if key == "data" and isinstance(value, (int, np.integer)):
            value = None
        self.__array_interface__ = {**valid, key: value}


class Exporter:
    """An object with any result of ``__dlpack__``."""

    def __init__(self, rng: random.Random) -> None:
        self.capsule = rng.choice([any_value(rng), bv.zeros(3).__dlpack__(), np.zeros(3).__dlpack__(), bv.zeros(3)])
        self.device = rng.choice([(1, 0), (2, 0), any_value(rng)])

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> Any:
        return self.device


def import_memory(rng: random.Random) -> Any:
    match rng.randrange(4):
        case 0:
            return bv.asarray(Described(rng))
        case 1:
            exporter = Exporter(rng)
            bv.from_dlpack(exporter)
            # A capsule that was consumed is refused.
            return bv.from_dlpack(exporter)
        case 2:
            data = memoryview(bytearray(rng.randbytes(24))).cast(rng.choice("bBhHiIlLqQfd?c"))
            return bv.asarray(data[:: rng.choice([1, 2, -1])])
        case _:
            return bv.asarray(array.array(rng.choice("bBhHiIlLqQfd"), bytes(24)), dtype=any_value(rng, 0))


def index_array(rng: random.Random) -> Any:
    x = bv.reshape(bv.arange(24), (2, 3, 4))
    index = any_value(rng, 2)
    if rng.random() < 0.5:
        x[index] = any_value(rng, 1)
    return x[index]


def explain_source(rng: random.Random) -> Any:
    words = [
        "x",
        "=",
        "arange(12)",
        ".T",
        "[::2]",
        "(",
        ")",
        "[",
        "]",
        ",",
        "*",
        "**",
        "10**18",
        "reshape(3, 4)",
        "print(x, x)",
        "\n",
        ";",
        "+",
        "'a -> a'",
        "lambda",
        "zeros((0, 0, 10**18))",
        ".sum()",
        "...",
        "None",
        "-1",
        "é",
    ]
    source = "".join(rng.choice(words) for _ in range(rng.choice([3, 8, 30])))
    return str(bv.explain("x = arange(12)\n" + source))


def use_notation(rng: random.Random) -> Any:
    words = ["a", "b", "c", " ", "(", ")", "->", ",", "...", "1", "2", "é", "ij", "jk"]
    text = "".join(rng.choice(words) + rng.choice(["", " "]) for _ in range(rng.choice([2, 6, 12, 3000])))
    operands = [bv.ones([rng.randrange(4) for _ in range(rng.randrange(4))]) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.5:
        return bv.rearrange(operands[0], text, a=rng.choice(INTEGERS))
    return bv.einsum(text, *operands)


def call_function(rng: random.Random) -> Any:
    """Calls any public function with any arguments."""
    name = rng.choice(FUNCTIONS)
    return getattr(bv, name)(*[any_value(rng) for _ in range(rng.randrange(4))])


#: Functions that write files, wait, or change settings of the process.
LEFT_OUT = (
    "save",
    "tofile",
    "fromfile",
    "load",
    "memmap",
    "test",
    "set_",
    "trace",
    "clear_",
    "device",
    "no_copies",
    "log_",
)
FUNCTIONS = [it for it in bv.__all__ if callable(getattr(bv, it)) and not it.startswith(LEFT_OUT)]
FUNCTIONS = [it for it in FUNCTIONS if not isinstance(getattr(bv, it), type)]

INPUTS: list[Callable[[random.Random], Any]] = [
    read_npy,
    read_npz,
    read_text,
    read_bytes,
    restore_pickle,
    import_memory,
    index_array,
    explain_source,
    use_notation,
    call_function,
]


def case(rng: random.Random, counts: campaign.Counts) -> None:
    for draw in INPUTS:
        counts.executions += 1
        try:
            result = draw(rng)
        except Exception:
            counts.faults += 1
            continue
        results = result if isinstance(result, (list, tuple)) else [result]
        for x in results:
            if isinstance(x, bv.Array) and x.size <= MAX_ELEMENTS:
                repr(x)
                x.copy()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    campaign.run(__doc__, case)
