"""The class ``nditer``: a loop in Python over the elements of several arrays, in the order of memory."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import cast, check_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._native import Array, DType
    from .._types import ArrayLike, DTypeLike

__all__ = ["nditer"]

#: Flags of NumPy that change nothing here: there are no buffers, no objects and no overlapping copies.
_WITHOUT_EFFECT = {
    "buffered",
    "common_dtype",
    "copy_if_overlap",
    "delay_bufalloc",
    "grow_inner",
    "growinner",
    "ranged",
    "reduce_ok",
    "refs_ok",
    "zerosize_ok",
}
_WITH_EFFECT = {"c_index", "external_loop", "f_index", "multi_index"}


class nditer:  # noqa: N801
    """Iterates over the elements of one array or several broadcast arrays, as views without axes.

    The order is that of memory (``"K"``), row-major or column-major. Operands are read-only unless ``op_flags`` says
    ``["readwrite"]`` or ``["writeonly"]``; an operand ``None`` is a new array. Every element is a step of Python: it
    is for convenience, not for speed. ``op_axes`` and ``itershape`` are not supported.

    >>> x = bv.asarray([[1, 2], [3, 4]])
    >>> with bv.nditer(x, op_flags=["readwrite"]) as it:
    ...     for element in it:
    ...         element[...] = 2 * element
    >>> x
    array([[2, 4],
           [6, 8]])
    """

    def __init__(
        self,
        op: ArrayLike | Sequence[ArrayLike | None],
        flags: Sequence[str] | None = None,
        op_flags: Sequence[Any] | None = None,
        op_dtypes: DTypeLike | Sequence[DTypeLike | None] | None = None,
        order: str = "K",
        casting: str = "safe",
        op_axes: Any = None,
        itershape: Any = None,
        buffersize: int = 0,
    ) -> None:
        if op_axes is not None or itershape is not None:
            raise UnsupportedError("nditer supports neither op_axes nor itershape: use views and broadcast_to")
        self._flags = set(flags or ())
        unknown = self._flags - _WITH_EFFECT - _WITHOUT_EFFECT
        if unknown:
            raise ValueError(f"unknown iterator flags: {', '.join(sorted(unknown))}")
        operands = list(op) if isinstance(op, (list, tuple)) and _is_several(op) else [op]
        if not operands:
            raise ValueError("nditer needs at least one operand")
        self.operands = self._prepared(operands, _per_operand(op_flags, len(operands)), op_dtypes, casting)
        self.nop = len(operands)
        self._shape = self.operands[0].shape
        self.itersize = math.prod(self._shape)
        if self.itersize == 0 and "zerosize_ok" not in self._flags:
            raise ValueError("iteration of zero-sized operands is not enabled: use the flag zerosize_ok")
        self._place(check_order(order))
        self.reset()

    def _prepared(self, operands: list[Any], modes: list[set[str]], dtypes: Any, casting: str) -> tuple[Array, ...]:
        """Returns the operands with their common shape; those that are only read cannot be written to."""
        kinds = _dtypes(dtypes, len(operands))
        arrays = [None if it is None else bv.asarray(it) for it in operands]
        given = [it for it in arrays if it is not None]
        shape = bv.broadcast_shapes(*[it.shape for it in given])
        found = []
        for x, mode, kind in zip(arrays, modes, kinds):
            if x is None:
                found.append(bv.zeros(shape, dtype=kind or bv.result_type(*[it.dtype for it in given])))
                continue
            is_written = bool(mode & {"readwrite", "writeonly"})
            if kind is not None and kind != x.dtype:
                if is_written:
                    raise UnsupportedError("nditer does not cast operands that it writes to: use astype")
                x = cast(x, kind, casting)
            if is_written:
                if x.shape != shape:
                    raise ValueError(f"an operand that is written to has shape {x.shape}, expected {shape}")
                found.append(x)
            else:
                found.append(bv.broadcast_to(bv.asarray(memoryview(x).toreadonly()), shape=shape))
        return tuple(found)

    def _place(self, order: str) -> None:
        """Sets the views in whose row-major order the elements follow each other."""
        n = len(self._shape)
        strides = [it.stride() for it in self.operands]
        self._axes, self._flipped = list(range(n)), [False] * n
        if order == "F":
            self._axes.reverse()
        elif order in "KA":
            self._axes.sort(key=lambda k: [-abs(it[k]) for it in strides])
            self._flipped = [all(it[k] <= 0 for it in strides) and any(it[k] < 0 for it in strides) for k in range(n)]
        flips = tuple(k for k in range(n) if self._flipped[k])
        views = [bv.flip(it, axis=flips) if flips else it for it in self.operands]
        self._views = [bv.permute_dims(it, axes=tuple(self._axes)) for it in views]
        if "external_loop" in self._flags:
            self._views = _rows(self._views)

    def reset(self) -> None:
        """Begins the iteration again.

        >>> it = bv.nditer([1, 2])
        >>> _ = next(it)
        >>> it.reset()
        >>> int(next(it))
        1
        """
        outer = self._views[0].shape
        outer = outer[:-1] if "external_loop" in self._flags else outer
        self._indices = itertools.product(*map(range, outer))
        self._current: tuple[int, ...] | None = next(self._indices, None)
        self._is_new = True
        #: The number of steps that have been made.
        self.iterindex = 0

    @property
    def finished(self) -> bool:
        """Whether there are no more elements."""
        return self._current is None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The common shape of the operands."""
        return self._shape

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """The dtypes of the operands."""
        return tuple(it.dtype for it in self.operands)

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The index of the current elements; needs the flag ``multi_index``."""
        if "multi_index" not in self._flags:
            raise ValueError("the iterator is not tracking a multi-index: use the flag multi_index")
        return self._index()

    def _index(self) -> tuple[int, ...]:
        if self._current is None:
            raise ValueError("the iterator is past the end")
        index = [0] * len(self._shape)
        for k, i in zip(self._axes, self._current):
            index[k] = self._shape[k] - 1 - i if self._flipped[k] else i
        return tuple(index)

    @property
    def index(self) -> int:
        """The position of the current elements in the flattened array; needs the flag ``c_index`` or ``f_index``."""
        if not self._flags & {"c_index", "f_index"}:
            raise ValueError("the iterator is not tracking an index: use the flag c_index or f_index")
        position = 0
        pairs = list(zip(self._index(), self._shape))
        for i, n in pairs if "c_index" in self._flags else reversed(pairs):
            position = position * n + i
        return position

    @property
    def value(self) -> Any:
        """The current element, or a tuple of those of all operands."""
        if self._current is None:
            raise ValueError("the iterator is past the end")
        found = tuple(it[(*self._current, ...)] for it in self._views)
        return found[0] if len(found) == 1 else found

    def __getitem__(self, i: int) -> Array:
        if self._current is None:
            raise ValueError("the iterator is past the end")
        return self._views[i][(*self._current, ...)]

    def __setitem__(self, i: int, value: ArrayLike) -> None:
        self[i][...] = value

    def __len__(self) -> int:
        return self.nop

    def iternext(self) -> bool:
        """Goes to the next element and returns whether there is one.

        >>> it = bv.nditer([1, 2])
        >>> it.iternext(), it.iternext()
        (True, False)
        """
        self._current = next(self._indices, None)
        self.iterindex += 1
        return self._current is not None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._is_new:
            self._is_new = False
        else:
            self.iternext()
        if self._current is None:
            raise StopIteration
        return self.value

    def close(self) -> None:
        """Ends the iteration.

        >>> bv.nditer([1, 2]).close()
        """
        self._current, self._indices = None, iter(())

    def __enter__(self) -> nditer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_several(op: Any) -> bool:
    """Tests whether a sequence is one of operands: it has an array, a sequence or None."""
    return not op or any(it is None or hasattr(it, "__len__") or isinstance(it, bv.Array) for it in op)


def _per_operand(op_flags: Any, n: int) -> list[set[str]]:
    """Returns the flags of each operand."""
    if op_flags is None:
        return [set() for _ in range(n)]
    if all(isinstance(it, str) for it in op_flags):
        return [set(op_flags) for _ in range(n)]
    if len(op_flags) != n:
        raise ValueError(f"op_flags must have an item for each of {n} operands, got {len(op_flags)}")
    return [set(it) for it in op_flags]


def _dtypes(dtypes: Any, n: int) -> list[DType | None]:
    """Returns the dtype that each operand is cast to."""
    given = list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes]
    given = given * n if len(given) == 1 else given
    return [None if it is None else bv.dtype(it) for it in given]


def _rows(views: list[Array]) -> list[Array]:
    """Returns the views with all elements in one row if that needs no copy, else in as few axes as they have."""
    try:
        return [bv.reshape(it, shape=(-1,), copy=False) for it in views]
    except ValueError:
        return views
