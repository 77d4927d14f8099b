"""Arrays of unusual layouts, in pairs: one of ours and an equal one of NumPy that share no memory.

A test draws `twins(...)`, applies the same operation to both, and compares with `assert_same`::

    @given(zoo.twins(zoo.FLOATS))
    def test_sin_matches_numpy(pair):
        zoo.assert_same(bv.sin(pair.ours), np.sin(pair.theirs), ulps=2)

Layouts are drawn, not made by slicing, so they do not depend on the code under test: each axis has a stride of
either sign, with or without gaps, stride 0, or the stride of another axis, as in sliding windows.
"""

from __future__ import annotations

import dataclasses
import math
import pathlib
import tomllib

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np

import belvedere as bv

BOOL = ("bool",)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
REALS = ("float16", "float32", "float64")
STANDARD_REALS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATS = REALS + COMPLEX
NUMERIC = INTEGERS + FLOATS
#: All dtypes that NumPy also has. NumPy lacks ``bfloat16``; see `as_bfloat16`.
ALL = BOOL + NUMERIC

EXTREMES = {"i": (0, 1, -1, 2), "u": (0, 1, 2), "f": (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)}


@dataclasses.dataclass(frozen=True)
class Twins:
    """Two equal arrays, and the flat base array of each."""

    ours: bv.Array
    theirs: np.ndarray
    our_base: bv.Array
    their_base: np.ndarray

    def __iter__(self):
        return iter((self.ours, self.theirs))

    def __repr__(self):
        steps = tuple(step // self.theirs.itemsize for step in self.theirs.strides)
        return f"Twins({self.theirs.dtype}, shape={self.theirs.shape}, strides={steps}, values={self.theirs.tolist()})"

    def _repr_pretty_(self, printer, _cycle):
        printer.text(repr(self))


def dtype(name: str) -> bv.DType:
    """Returns our dtype of a name."""
    return getattr(bv, name)


def values(seed: int, name: str, n: int, kind: str = "any") -> np.ndarray:
    """Returns `n` elements of a dtype: ``"any"`` with all extremes, ``"finite"``, or ``"small"`` ones from -8 to 8.

    Sums and products of a few small values are exact in every dtype but the 8-bit integers.
    """
    rng = np.random.default_rng(seed)
    target = np.dtype(name)
    if target.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if target.kind == "c":
        parts = np.empty(2 * n, _part(target))
        parts[:] = values(seed, parts.dtype.name, 2 * n, kind)
        return parts.view(target)
    if kind == "small":
        lowest = 0 if target.kind == "u" else -8
        return rng.integers(lowest, 9, n).astype(target)
    if target.kind in "iu":
        limits = np.iinfo(target)
        drawn = rng.integers(limits.min, limits.max, n, dtype=target, endpoint=True)
        small = rng.integers(max(limits.min, -8), 9, n).astype(target)
        drawn = np.where(rng.random(n) < 0.5, small, drawn)
        extremes = [*EXTREMES[target.kind], limits.min, limits.max]
    else:
        limits = np.finfo(target)
        exponents = rng.uniform(-1, 1, n) * (3 if rng.random() < 0.7 else -math.log10(limits.tiny) * 0.8)
        drawn = (rng.choice([-1.0, 1.0], n) * 10.0**exponents).astype(target)
        extremes = [*EXTREMES["f"], limits.max, limits.min, limits.tiny, limits.smallest_subnormal]
        if kind == "finite":
            drawn = rng.uniform(-100, 100, n).astype(target)
            extremes = [0.0, -0.0, 1.0, -1.0]
    positions = np.flatnonzero(rng.random(n) < 0.25)
    drawn[positions] = np.asarray(extremes, target)[rng.integers(0, len(extremes), len(positions))]
    return drawn


def _part(target: np.dtype) -> np.dtype:
    return np.dtype(f"float{target.itemsize * 4}")


def shapes(max_rank: int = 4, max_len: int = 4, min_rank: int = 0, min_len: int = 0) -> st.SearchStrategy[tuple]:
    """Draws shapes, including (), length 1 and length 0."""
    lengths = [*range(min_len, max_len + 1), *range(max(2, min_len), max_len + 1)]
    return st.lists(st.sampled_from(lengths), min_size=min_rank, max_size=max_rank).map(tuple)


def broadcastable(n: int, max_rank: int = 4, max_len: int = 4) -> st.SearchStrategy[tuple]:
    """Draws `n` shapes that broadcast together."""
    drawn = hnp.mutually_broadcastable_shapes(num_shapes=n, min_dims=0, max_dims=max_rank, min_side=0, max_side=max_len)
    return drawn.map(lambda it: it.input_shapes)


@dataclasses.dataclass(frozen=True)
class Layout:
    """A layout: in a flat memory of `size` elements, at `offset` plus index times `strides`."""

    shape: tuple
    strides: tuple
    offset: int
    size: int


@st.composite
def layouts(draw, shape: tuple, overlapping: bool = True) -> Layout:
    """Draws layouts of a shape. Without `overlapping` they are injective, hence writable."""
    rank = len(shape)
    if draw(st.integers(0, 3)) == 0:
        order, steps, gaps, margin = list(range(rank)), [1] * rank, [0] * rank, 0
    else:
        order = draw(st.permutations(range(rank)))
        steps = draw(st.lists(st.sampled_from([1, 1, -1, 2, -2, 3]), min_size=rank, max_size=rank))
        gaps = draw(st.lists(st.integers(0, 2), min_size=rank, max_size=rank))
        margin = draw(st.integers(0, 3))
    strides = [0] * rank
    length = 1
    # The last axis in the order is the innermost.
    for axis in reversed(order):
        strides[axis] = steps[axis] * length
        length *= max(shape[axis] - 1, 0) * abs(steps[axis]) + 1 + gaps[axis]
    if overlapping and rank > 0:
        fate = draw(st.sampled_from(["as it is", "as it is", "broadcast", "window"]))
        axis = draw(st.integers(0, rank - 1))
        if fate == "broadcast":
            strides[axis] = 0
        if fate == "window":
            strides[axis] = strides[draw(st.integers(0, rank - 1))]
    reach = [max(n - 1, 0) * stride for n, stride in zip(shape, strides)]
    offset = margin - sum(it for it in reach if it < 0)
    size = offset + sum(it for it in reach if it > 0) + 1 + margin
    return Layout(shape, tuple(strides), offset, size)


@st.composite
def twins(
    draw,
    dtypes: tuple | st.SearchStrategy = ALL,
    shape: tuple | st.SearchStrategy | None = None,
    *,
    kind: str = "any",
    overlapping: bool = True,
    foreign: bool | None = None,
) -> Twins:
    """Draws a pair of equal arrays.

    `dtypes` are names or a strategy of them, `shape` is one or a strategy. Our memory is our own, or that of a NumPy
    array which nobody else knows (`foreign`). For writing, `overlapping=False`.
    """
    name = draw(dtypes if isinstance(dtypes, st.SearchStrategy) else st.sampled_from(dtypes))
    if shape is None:
        shape = shapes()
    if isinstance(shape, st.SearchStrategy):
        shape = draw(shape)
    layout = draw(layouts(shape, overlapping))
    if foreign is None:
        foreign = draw(st.booleans())
    return twins_of(values(draw(st.integers(0, 2**32 - 1)), name, layout.size, kind), layout, foreign)


def twins_of(memory: np.ndarray, layout: Layout, foreign: bool = False) -> Twins:
    """Returns the pair of views of a flat array with a layout. Ours is a view of a copy of it."""
    our_base = bv.asarray(memory.copy(), copy=not foreign)
    ours = our_base.as_strided(layout.shape, layout.strides, layout.offset)
    strides = [stride * memory.itemsize for stride in layout.strides]
    theirs = np.lib.stride_tricks.as_strided(memory[layout.offset :], layout.shape, strides)
    return Twins(ours, theirs, our_base, memory)


@st.composite
def broadcastable_twins(
    draw, dtypes: tuple | st.SearchStrategy = ALL, n: int = 2, *, same: bool = False, **options
) -> list[Twins]:
    """Draws pairs whose shapes broadcast together; all of one dtype if `same`."""
    if same and not isinstance(dtypes, st.SearchStrategy):
        dtypes = st.just(draw(st.sampled_from(dtypes)))
    return [draw(twins(dtypes, shape, **options)) for shape in draw(broadcastable(n))]


def basic_indices(shape: tuple) -> st.SearchStrategy:
    """Draws basic indices: integers, slices of either sign, `None` and `...`."""
    return hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True)


@st.composite
def advanced_indices(draw, shape: tuple) -> tuple:
    """Draws advanced indices: integer arrays and masks mixed with slices and integers."""
    items: list = []
    axis = 0
    lengths = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=3))
    while axis < len(shape):
        n = shape[axis]
        choices = ["slice", "slice", "mask", "stop"] + (["array", "array", "integer"] if n > 0 else [])
        choice = draw(st.sampled_from(choices))
        if choice == "stop":
            break
        if choice == "slice":
            items.append(draw(st.slices(n)))
        elif choice == "integer":
            items.append(draw(st.integers(-n, n - 1)))
        elif choice == "array":
            # Index arrays broadcast with each other: axes may be missing or of length 1.
            n_missing = draw(st.integers(0, len(lengths) - 1))
            drawn = tuple(draw(st.sampled_from([it, 1])) for it in lengths[n_missing:])
            items.append(draw(hnp.arrays(np.int64, drawn, elements=st.integers(-n, n - 1))))
        elif any(isinstance(it, np.ndarray) for it in items):
            # A mask broadcasts with other index arrays by its number of true elements, so it is used alone.
            items.append(slice(None))
        else:
            rank = draw(st.integers(1, min(2, len(shape) - axis)))
            items.append(draw(hnp.arrays(bool, shape[axis : axis + rank])))
            axis += rank - 1
            lengths = (1,)
        axis += 1
    return tuple(items)


def ours(index):
    """Converts the arrays of an index to ours."""
    if isinstance(index, tuple):
        return tuple(ours(it) for it in index)
    return bv.asarray(index, copy=True) if isinstance(index, np.ndarray) else index


def as_bfloat16(array: np.ndarray) -> tuple[bv.Array, np.ndarray]:
    """Returns values rounded to ``bfloat16``: our array, and a NumPy array of ``float32`` with the same values."""
    bits = np.asarray(array, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    expected = np.where(np.isnan(array), np.float32(np.nan), rounded.view(np.float32))
    return bv.astype(bv.asarray(expected, copy=True), bv.bfloat16), expected


def to_numpy(array: bv.Array) -> np.ndarray:
    """Converts our array to NumPy; ``bfloat16`` to ``float32``."""
    if array.dtype == bv.bfloat16:
        array = bv.astype(array, bv.float32)
    result = np.asarray(array)
    assert result.dtype != object, f"NumPy does not understand {type(array).__name__}"
    return result


def assert_same(
    ours, theirs, *, ulps: float = 0, scale=None, atol: float = 0.0, signed_zeros: bool = True, context: object = ""
) -> None:
    """Checks shape, dtype and values: NaNs at the same indices, zeros of the same sign, the rest within `ulps`.

    An ULP is that of the larger value, or of `scale` (for sums: the sum of magnitudes). Values close to zero may
    differ by `atol`. Dtypes are compared by name.
    """
    assert isinstance(ours, bv.Array), f"{type(ours)} {context}"
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape, f"shape {ours.shape}, expected {theirs.shape} {context}"
    name = "float32" if ours.dtype == bv.bfloat16 else ours.dtype.name
    assert name == theirs.dtype.name, f"dtype {ours.dtype.name}, expected {theirs.dtype.name} {context}"
    found = to_numpy(ours)
    if theirs.dtype.kind == "c":
        _assert_complex(found, theirs, ulps, scale, atol, signed_zeros, context)
    elif theirs.dtype.kind == "f":
        _assert_real(found, theirs, ulps, scale, atol, signed_zeros, context)
    else:
        np.testing.assert_array_equal(found, theirs, err_msg=str(context))


def _assert_complex(found, expected, ulps, scale, atol, signed_zeros, context) -> None:
    if scale is None and ulps > 0:
        # The smaller part of a complex result is accurate relative to the larger one.
        magnitude = np.maximum(np.abs(expected.real), np.abs(expected.imag))
        scale = np.where(np.isfinite(magnitude), magnitude, 0)
    _assert_real(found.real, expected.real, ulps, scale, atol, signed_zeros, f"{context} (real part)")
    _assert_real(found.imag, expected.imag, ulps, scale, atol, signed_zeros, f"{context} (imaginary part)")


def _assert_real(found, expected, ulps, scale, atol, signed_zeros, context) -> None:
    exact = (found == expected) | (np.isnan(found) & np.isnan(expected))
    if signed_zeros and ulps == 0 and atol == 0:
        exact &= np.isnan(expected) | (np.signbit(found) == np.signbit(expected))
    finite = np.isfinite(found) & np.isfinite(expected)
    size = np.maximum(np.abs(found), np.abs(expected))
    if scale is not None:
        size = np.maximum(size, np.abs(scale)).astype(expected.dtype)
    allowed = ulps * np.spacing(np.where(np.isfinite(size), size, 0)).astype(np.float64) + atol
    apart = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    good = exact | (finite & (apart <= allowed) & ((ulps > 0) | (atol > 0)))
    if np.all(good):
        return
    at = np.argwhere(~np.atleast_1d(good))[0]
    mine, wanted = np.atleast_1d(found)[tuple(at)], np.atleast_1d(expected)[tuple(at)]
    raise AssertionError(f"at {tuple(map(int, at))}: {mine!r}, expected {wanted!r} {context}")


def operations():
    """Returns the table of operations: a dictionary for each, with its name and category."""
    folder = pathlib.Path(__file__).parents[2] / "operations"
    return [
        {"name": name, "category": file.stem, **operation}
        for file in sorted(folder.glob("*.toml"))
        for name, operation in tomllib.loads(file.read_text()).items()
    ]
