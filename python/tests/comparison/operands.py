"""The operands of the calls: the same values and the same layout in each library, in separate memory.

A call is an expression such as ``f(x, axis=0)``. The names in it are operands, built when the expression first uses
them; ``SHAPES`` lists them.
"""

from __future__ import annotations

import itertools

import numpy as np

import belvedere as bv

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip

#: Operands of the dtype under test, with their shapes.
SHAPES = {
    "x": (3, 4), "y": (3, 4), "row": (4,), "column": (3, 1), "v": (5,), "w": (5,), "t": (2, 3, 4), "s": (),
    "e": (0, 4), "q": (3, 3), "r": (3, 3), "p": (2, 3, 3), "tall": (5, 3), "one": (1, 3, 1), "empty": (0,), "n8": (8,),
    "pair": (2,), "three": (3,), "k44": (4, 4),
}  # fmt: skip

#: The transformations that give an operand its layout; each keeps the shape.
LAYOUTS = {
    "contiguous": lambda a: a,
    "column-major": lambda a: np.asfortranarray(a) if a.ndim else a,
    "reversed": lambda a: a[::-1].copy()[::-1] if a.ndim else a,
    "strided": lambda a: _strided(a),
    "transposed": lambda a: np.ascontiguousarray(np.moveaxis(a, 0, -1)).transpose(*_rotated(a.ndim)) if a.ndim else a,
    "broadcast": lambda a: np.broadcast_to(a[..., :1], a.shape) if a.ndim and a.size else a,
}


def _rotated(n: int) -> tuple:
    return (n - 1, *range(n - 1)) if n else ()


def _strided(a: np.ndarray) -> np.ndarray:
    """Every other element of a larger array along each axis."""
    wide = np.zeros([2 * n for n in a.shape], a.dtype)
    view = wide[(slice(None, None, 2),) * a.ndim] if a.ndim else wide
    view[...] = a
    return view


def _values(name: str, dtype: np.dtype, shape: tuple) -> np.ndarray:
    """Small values, which sums and products of a few keep exact; half integers for floats, other ones for each name."""
    rng = np.random.default_rng([*name.encode()])
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        return rng.integers(0, 7, shape).astype(dtype)
    if dtype.kind == "i":
        return rng.integers(-4, 6, shape).astype(dtype)
    drawn = rng.integers(-7, 10, shape) / 2
    return (drawn + 1j * rng.integers(-5, 6, shape) / 2 if dtype.kind == "c" else drawn).astype(dtype)


def _special(name: str) -> np.ndarray | None:
    """Operands with a dtype of their own."""
    rng = np.random.default_rng([*name.encode()])
    match name:
        case "m":  # a mask for x
            return rng.integers(0, 2, (3, 4)).astype(bool)
        case "mv":  # a mask for v
            return np.array([True, False, True, True, False])
        case "i":  # indices along axis 0 of x
            return np.array([2, 0, 1, -1, 0])
        case "ij":  # a matrix of indices
            return np.array([[0, 2], [1, 1]])
        case "counts":
            return np.array([1, 0, 2])
        case "nan":  # a matrix with NaN and infinities
            return np.array([[1.0, np.nan, 3.0, -np.inf], [np.nan, 2.0, -0.0, 5.5], [0.5, 0.0, np.inf, np.nan]])
        case "nanv":
            return np.array([2.0, np.nan, -1.0, np.inf, np.nan, 2.0])
        case "spd":  # a symmetric positive definite matrix
            return np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]])
        case "spds":
            return np.stack([_special("spd"), 2 * _special("spd") + np.eye(3)])
        case "general":  # a matrix with complex eigenvalues
            return np.array([[0.0, 2.0, 0.5], [-2.0, 0.0, 1.0], [0.0, 1.0, 3.0]])
        case "z":  # complex numbers with all kinds of parts
            return np.array([1 + 2j, -1j, 0.0, 3.0, -2 + 0.5j])
        case "u8":
            return np.array([[3, 255, 16], [128, 0, 7]], np.uint8)
        case "wide":  # a longer signal
            return np.sin(np.arange(16.0)) + np.arange(16) % 3
        case "ascending":
            return np.array([-2.0, 0.0, 1.5, 1.5, 4.0])
        case "ranks":
            return np.array([[3, 1, 2, 1], [0, 5, 4, 4], [2, 2, 9, 7]])
        case "o":  # outputs, whose first values are never zero by chance
            return np.full((3, 4), 7.0)
        case "o4":
            return np.full(4, 7.0)
        case "o3":
            return np.full(3, 7.0)
        case "oc":
            return np.full((3, 4), 7 + 1j)
        case "ob":
            return np.full((3, 4), True)
        case "oi":
            return np.full((3, 4), 7)
        case "o_wrong":
            return np.full((5, 2), 7.0)
    return None


#: Operands of the dtype under test that results are written to, with their shapes.
OUTPUTS = {"ox": (3, 4), "ox4": (4,), "ox3": (3,), "ov": (5,), "oq": (3, 3)}


def _memory(name: str, dtype: str, layout: str) -> np.ndarray | None:
    """The operand with a name, or None if there is none."""
    if name in SHAPES:
        values = np.asarray(_values(name, np.dtype(dtype), SHAPES[name]))
        return LAYOUTS[layout](values)
    if name in OUTPUTS:
        return np.full(OUTPUTS[name], 1, dtype)
    return _special(name)


class Operands(dict):
    """The names that an expression may use, for one library; operands are made on demand."""

    def __init__(self, library, dtype: str, layout: str, **names):
        super().__init__(xp=library, **names)
        self.library, self.dtype, self.layout = library, dtype, layout
        self.arrays: dict[str, object] = {}

    def __missing__(self, name):
        if name == "d":
            self["d"] = getattr(self.library, self.dtype)
            return self["d"]
        array = _memory(name, self.dtype, self.layout)
        if array is None:
            raise KeyError(name)
        if self.library is bv:
            array = bv.asarray(array)
        self[name] = self.arrays[name] = array
        return array


def sampled(seed: str, n_dtypes: int = len(DTYPES)):
    """Pairs of a dtype and a layout: every dtype once, each with another layout, in an order that the seed shifts."""
    start = sum(seed.encode())
    layouts = itertools.islice(itertools.cycle(LAYOUTS), start % len(LAYOUTS), None)
    step = len(DTYPES) // n_dtypes
    return list(zip(DTYPES[start % step :: step][:n_dtypes], layouts))
