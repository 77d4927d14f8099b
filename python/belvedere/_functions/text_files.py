"""Arrays in text files: a row in each line."""

from __future__ import annotations

import bz2
import contextlib
import csv
import gzip
import itertools
import lzma
import operator
import os
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import reversed_axes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .._native import Array, DType
    from .._types import ArrayLike, DTypeLike

__all__ = ["genfromtxt", "loadtxt", "savetxt"]

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".lzma": lzma.open}


@contextlib.contextmanager
def _opened(file: Any, mode: str, encoding: str | None) -> Iterator[Any]:
    """Opens a file name, of a compressed file as well; passes on a file object or a sequence of lines."""
    if isinstance(file, (str, os.PathLike)):
        opener = _OPENERS.get(os.path.splitext(os.fspath(file))[1], open)
        with opener(file, mode, encoding=encoding, newline="" if "w" in mode else None) as opened:
            yield opened
    else:
        yield file


def _lines(file: Iterable[str | bytes], encoding: str | None) -> Iterator[str]:
    for line in file:
        yield (line.decode(encoding or "latin-1") if isinstance(line, bytes) else line).rstrip("\r\n")


def _without_comment(line: str, marks: Sequence[str]) -> str:
    for mark in marks:
        line = line.partition(mark)[0]
    return line


def _marks(comments: str | bytes | Sequence[str | bytes] | None) -> list[str]:
    """Returns the texts that begin a comment."""
    if comments is None:
        return []
    given = [comments] if isinstance(comments, (str, bytes)) else comments
    return [it.decode("latin-1") if isinstance(it, bytes) else it for it in given]


def _reader(dtype: DType) -> Callable[[str], Any]:
    """Returns the function that reads an element of the dtype."""
    if dtype.kind == "c":
        return lambda text: complex(text.replace(" ", ""))
    return float if dtype.kind == "f" else int


def _columns(usecols: Any) -> list[int] | None:
    if usecols is None:
        return None
    try:
        return [operator.index(usecols)]
    except TypeError:
        return [operator.index(it) for it in usecols]


def _chosen(rows: list[list[str]], columns: list[int] | None) -> list[list[str]]:
    """Returns the chosen columns of all rows, which must have the same length unless columns are chosen."""
    if columns is None:
        for i, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ValueError(
                    f"the number of columns changed from {len(rows[0])} to {len(row)} at row {i + 1}; "
                    "use usecols to select columns that all rows have"
                )
        return rows
    try:
        return [[row[k] for k in columns] for row in rows]
    except IndexError:
        i = next(i for i, row in enumerate(rows) if any(not -len(row) <= k < len(row) for k in columns))
        raise ValueError(f"usecols {columns} is out of range at row {i + 1} with {len(rows[i])} columns") from None


def _elements(rows: list[list[str]], dtype: DType, converters: dict[int, Callable[[str], Any]]) -> Array:
    """Returns the texts as a matrix."""
    read = _reader(dtype)
    n = len(rows[0])
    try:
        if not converters:
            values = list(map(read, itertools.chain.from_iterable(rows)))
        else:
            functions = [converters.get(k, read) for k in range(n)]
            values = [function(text) for row in rows for function, text in zip(functions, row)]
    except ValueError:
        for i, row in enumerate(rows):
            for k, text in enumerate(row):
                try:
                    converters.get(k, read)(text)
                except ValueError:
                    raise ValueError(
                        f"could not convert string {text!r} to {dtype.name} at row {i}, column {k + 1}"
                    ) from None
        raise
    return bv.reshape(bv.asarray(values, dtype=dtype), shape=(len(rows), n))


def _with_rank(x: Array, ndmin: int, unpack: bool | None) -> Array:
    """Returns a matrix with as few axes as allowed, and its transpose if ``unpack``."""
    if x.ndim == 2 and ndmin < 2:
        x = bv.reshape(x, shape=tuple(n for n in x.shape if n != 1))
    if x.ndim < ndmin:
        x = bv.reshape(x, shape=(-1,) if ndmin == 1 else (x.size, 1))
    return reversed_axes(x) if unpack else x


def _numbered(converters: Any, columns: list[int] | None, n: int) -> dict[int, Callable[[str], Any]]:
    """Returns the converters by the position of their column among the chosen ones."""
    if converters is None:
        return {}
    if callable(converters):
        return dict.fromkeys(range(n if columns is None else len(columns)), converters)
    if columns is None:
        return {operator.index(k) % n: function for k, function in converters.items()}
    return {i: converters[k] for i, k in enumerate(columns) if k in converters}


def loadtxt(
    fname: Any,
    dtype: DTypeLike = float,
    comments: str | Sequence[str] | None = "#",
    delimiter: str | None = None,
    converters: dict[int, Callable[[str], Any]] | Callable[[str], Any] | None = None,
    skiprows: int = 0,
    usecols: int | Sequence[int] | None = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: object = None,
) -> Array:
    """Reads a matrix from a text file, or from lines, with the same number of columns in each line.

    >>> bv.loadtxt(["# x y", "1 2", "3 4"])
    array([[1., 2.],
           [3., 4.]])
    """
    kind = bv.dtype(dtype)
    if ndmin not in (0, 1, 2):
        raise ValueError(f"ndmin must be 0, 1 or 2, got {ndmin}")
    for mark in (delimiter, quotechar):
        if mark is not None and len(mark) != 1:
            raise TypeError(f"a delimiter or quote must be a single character or None, got {mark!r}")
    marks, columns = _marks(comments), _columns(usecols)
    with _opened(fname, "rt", encoding) as file:
        lines = itertools.islice(_lines(file, encoding), skiprows, None)
        texts: Iterator[str] = (_without_comment(line, marks) for line in lines) if marks else lines
        split: Iterable[list[str]]
        if quotechar is not None:
            split = csv.reader(texts, delimiter=delimiter or " ", quotechar=quotechar, skipinitialspace=not delimiter)
        else:
            split = (line.split(delimiter) for line in texts)
        kept = (row for row in split if row and (len(row) > 1 or row[0].strip()))
        rows = list(kept if max_rows is None else itertools.islice(kept, max_rows))
    if not rows:
        return _with_rank(bv.empty((0,), dtype=kind), ndmin, unpack)
    n = len(rows[0])
    matrix = _elements(_chosen(rows, columns), kind, _numbered(converters, columns, n))
    return _with_rank(matrix, ndmin, unpack)


def genfromtxt(
    fname: Any,
    dtype: DTypeLike | None = float,
    comments: str | None = "#",
    delimiter: str | int | Sequence[int] | None = None,
    skip_header: int = 0,
    skip_footer: int = 0,
    converters: dict[int, Callable[[str], Any]] | None = None,
    missing_values: Any = None,
    filling_values: Any = None,
    usecols: int | Sequence[int] | None = None,
    names: Any = None,
    excludelist: Any = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space: str = "_",
    autostrip: bool = False,
    case_sensitive: bool | str = True,
    defaultfmt: str = "f%i",
    unpack: bool | None = None,
    usemask: bool = False,
    loose: bool = True,
    invalid_raise: bool = True,
    max_rows: int | None = None,
    encoding: str | None = None,
    *,
    ndmin: int = 0,
    like: object = None,
) -> Array:
    """Reads a matrix from a text file, or from lines, in which elements may be missing.

    A missing element, or one that is not a number, becomes NaN, or -1 for integers, or the value in
    ``filling_values``. ``dtype=None`` chooses integers, real or complex numbers. Columns with names or different
    dtypes would be records, which are not supported: ``names`` and ``usemask`` are refused.

    >>> bv.genfromtxt(["1,,3", "4,5,x"], delimiter=",")
    array([[ 1., nan,  3.],
           [ 4.,  5., nan]])
    """
    if names is not None or usemask:
        raise UnsupportedError("genfromtxt supports neither names, which make records, nor masked arrays")
    marks, columns = _marks(comments), _columns(usecols)
    with _opened(fname, "rt", encoding) as file:
        lines = list(itertools.islice(_lines(file, encoding), skip_header, None))
    rows = [_fields(text, delimiter) for text in (_without_comment(line, marks) for line in lines) if text.strip()]
    rows = rows[: len(rows) - skip_footer] if skip_footer else rows
    rows = rows if max_rows is None else rows[:max_rows]
    if not rows:
        return bv.empty((0,), dtype=bv.dtype(dtype))
    n = len(rows[0])
    wrong = [i for i, row in enumerate(rows) if columns is None and len(row) != n]
    if wrong and invalid_raise:
        raise ValueError(f"row {wrong[0] + 1} has {len(rows[wrong[0]])} columns instead of {n}")
    rows = [row for row in rows if columns is not None or len(row) == n]
    rows = _chosen(rows, columns)
    kind = _found_dtype(rows, missing_values) if dtype is None else bv.dtype(dtype)
    own = _numbered(converters, columns, n)
    places = list(range(n)) if columns is None else [k % n for k in columns]
    fillings = [_per_column(filling_values, k) for k in places]
    missing = [_per_column(missing_values, k) for k in places]
    functions = [own.get(i) or _tolerant(kind, fillings[i], missing[i], loose) for i in range(len(rows[0]))]
    return _with_rank(_elements(rows, kind, dict(enumerate(functions))), ndmin, unpack)


def _fields(line: str, delimiter: Any) -> list[str]:
    """Splits a line by a text, or into fields of one or several widths."""
    if delimiter is None or isinstance(delimiter, str):
        return [it.strip() for it in line.split(delimiter)]
    if isinstance(delimiter, int):
        return [line[i : i + delimiter].strip() for i in range(0, len(line), delimiter)]
    ends = list(itertools.accumulate(delimiter))
    return [line[i:j].strip() for i, j in zip([0, *ends], ends)]


def _per_column(values: Any, k: int) -> Any:
    """Returns the item for a column of a value, a sequence of values or a dictionary."""
    if isinstance(values, dict):
        return values.get(k)
    if isinstance(values, (list, tuple)):
        return values[k] if k < len(values) else None
    return values


def _tolerant(dtype: DType, filling: Any, missing: Any, loose: bool) -> Callable[[str], Any]:
    """Returns the function that reads an element, or the filling value if it is missing."""
    read = _reader(dtype)
    default = {"f": bv.nan, "c": complex(bv.nan, 0), "b": False}.get(dtype.kind, -1)
    value = default if filling is None else filling
    absent = {"", *(missing.split(",") if isinstance(missing, str) else [])}

    def element(text: str) -> Any:
        if text in absent:
            return value
        if dtype.kind == "b" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        try:
            return read(text)
        except ValueError:
            if not loose:
                raise
            return value

    return element


def _found_dtype(rows: list[list[str]], missing: Any) -> DType:
    """Returns the dtype of elements that are all integers, real or complex numbers."""
    texts = [it for row in rows for k, it in enumerate(row) if it and it != _per_column(missing, k)]
    for dtype in (bv.int64, bv.float64, bv.complex128):
        with contextlib.suppress(ValueError):
            for text in texts:
                _reader(dtype)(text)
            return dtype
    raise UnsupportedError("genfromtxt found text that is not a number: arrays of text are not supported")


def savetxt(
    fname: Any,
    X: ArrayLike,  # noqa: N803
    fmt: str | Sequence[str] = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Writes an array with 1 or 2 axes to a text file, a row in each line.

    >>> import io
    >>> file = io.StringIO()
    >>> bv.savetxt(file, [[1, 2], [3, 4]], fmt="%d", delimiter=",")
    >>> file.getvalue()
    '1,2\\n3,4\\n'
    """
    x = bv.asarray(X)
    if x.ndim not in (1, 2):
        raise ValueError(f"savetxt takes an array with 1 or 2 axes, got shape {x.shape}")
    rows = bv.reshape(x, shape=(-1, 1)) if x.ndim == 1 else x
    is_complex = x.dtype.kind == "c"
    line = _row_format(fmt, delimiter, rows.shape[1], is_complex) + newline
    with _opened(fname, "wt", encoding or "latin-1") as file:

        def write(text: str) -> None:
            try:
                file.write(text)
            except TypeError:
                file.write(text.encode(encoding or "latin-1"))

        if header:
            write(comments + header.replace("\n", "\n" + comments) + newline)
        for row in rows.tolist():
            values = [part for it in row for part in (it.real, it.imag)] if is_complex else row
            text = line % tuple(values)
            write(text.replace("+-", "-") if is_complex else text)
        if footer:
            write(comments + footer.replace("\n", "\n" + comments) + newline)


def _row_format(fmt: Any, delimiter: str, n: int, is_complex: bool) -> str:
    """Returns the format of a row of ``n`` elements."""
    if isinstance(fmt, (list, tuple)):
        if len(fmt) != n:
            raise AttributeError(f"fmt has {len(fmt)} formats for {n} columns")
        return delimiter.join(fmt)
    if not isinstance(fmt, str):
        raise ValueError(f"fmt must be a text or a sequence of texts, got {fmt!r}")
    n_formats = fmt.count("%")
    if n_formats == 1:
        return delimiter.join([f" ({fmt}+{fmt}j)" if is_complex else fmt] * n)
    if n_formats != (2 * n if is_complex else n):
        raise ValueError(f"fmt has {n_formats} formats for {n} columns: {fmt}")
    return fmt
