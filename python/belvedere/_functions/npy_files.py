"""Files in NumPy's formats ``.npy`` and ``.npz``, by name or as file objects."""

from __future__ import annotations

import ast
import contextlib
import math
import mmap
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import _native as bv
from ..exceptions import UnsupportedError
from .common import flattened, is_fortran_contiguous, reversed_axes

if TYPE_CHECKING:
    from typing import BinaryIO

    from .._native import Array, DType
    from .._types import ArrayLike

__all__ = ["load", "save", "savez", "savez_compressed"]

_MAGIC = b"\x93NUMPY"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: The header is padded so that the elements begin at a multiple of it.
_ALIGNMENT_BYTES = 64


def load(
    file: str | os.PathLike[str] | BinaryIO,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """Reads an array from a file in NumPy's ``.npy`` format.

    The arrays of an ``.npz`` file are returned by name, and read when they are asked for. With ``mmap_mode``
    (``"r"``, ``"r+"`` or ``"c"``) the elements of an ``.npy`` file stay in the file. Pickled objects are refused.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> bv.save(path, bv.asarray([[0.5], [1.5]]))
    >>> bv.load(path)
    array([[0.5],
           [1.5]])
    """
    if not isinstance(file, (str, bytes, os.PathLike)):
        start = file.read(len(_MAGIC))
        file.seek(-len(start), os.SEEK_CUR)
        if start[:4] in _ZIP:
            return NpzFile(file)
        return _read(file)
    opened = open(file, "rb")  # noqa: SIM115  an archive keeps it open
    try:
        start = opened.read(len(_MAGIC))
        opened.seek(0)
        if start[:4] in _ZIP:
            return NpzFile(opened, owned=opened)
        if not start:
            raise EOFError("no data left in file")
        if mmap_mode is not None:
            return _mapped(opened, file, mmap_mode)
    except BaseException:
        opened.close()
        raise
    opened.close()
    return bv.load(file)


def save(file: str | os.PathLike[str] | BinaryIO, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Writes an array to a file in NumPy's ``.npy`` format.

    A file name gets the ending ``.npy`` if it has none. Elements that are contiguous in row-major or column-major
    order are written without a copy.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> bv.save(path, bv.asarray([1, 2, 3]))
    >>> bv.load(path)
    array([1, 2, 3])
    """
    if isinstance(file, (str, os.PathLike)):
        bv.save(_with_ending(file, ".npy"), bv.asarray(arr))
    else:
        _write(file, bv.asarray(arr))


def _with_ending(file: str | os.PathLike[str], ending: str) -> str:
    name = os.fspath(file)
    return name if name.endswith(ending) else name + ending


def savez(
    file: str | os.PathLike[str] | BinaryIO, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None:
    """Writes several arrays to one ``.npz`` file: under their keywords, or as ``arr_0``, ``arr_1`` ….

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npz")
    >>> bv.savez(path, bv.arange(3), y=[1.5])
    >>> found = bv.load(path)
    >>> found["arr_0"], found["y"]
    (array([0, 1, 2]), array([1.5]))
    """
    _write_archive(file, args, kwds, zipfile.ZIP_STORED)


def savez_compressed(
    file: str | os.PathLike[str] | BinaryIO, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None:
    """Writes several arrays to one compressed ``.npz`` file, as ``savez`` does.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npz")
    >>> bv.savez_compressed(path, zeros=bv.zeros(1000))
    >>> bv.load(path)["zeros"].shape, os.path.getsize(path) < 1000
    ((1000,), True)
    """
    _write_archive(file, args, kwds, zipfile.ZIP_DEFLATED)


def _write_archive(file: Any, args: tuple[Any, ...], named: dict[str, Any], compression: int) -> None:
    numbered = {f"arr_{i}": it for i, it in enumerate(args)}
    for name in named.keys() & numbered.keys():
        raise ValueError(f"cannot use both a positional array and the keyword {name}")
    arrays = {name: bv.asarray(it) for name, it in (named | numbered).items()}
    target = _with_ending(file, ".npz") if isinstance(file, (str, os.PathLike)) else file
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, x in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                _write(entry, x)


class NpzFile(Mapping[str, Any]):
    """The arrays of an ``.npz`` file by name; each is read when it is asked for."""

    def __init__(self, file: Any, owned: BinaryIO | None = None) -> None:
        self.zip = zipfile.ZipFile(file)
        self._owned = owned
        self._names = self.zip.namelist()
        #: The names of the arrays.
        self.files = [name.removesuffix(".npy") for name in self._names]

    def __getitem__(self, key: str) -> Any:
        name = key if key in self._names else f"{key}.npy"
        if name not in self._names:
            raise KeyError(f"{key} is not a file in the archive")
        with self.zip.open(name) as entry:
            return _read(entry) if name.endswith(".npy") else entry.read()

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __contains__(self, key: object) -> bool:
        return key in self._names or key in self.files

    def close(self) -> None:
        """Closes the file."""
        self.zip.close()
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            self.close()

    def __repr__(self) -> str:
        return f"NpzFile with keys: {', '.join(self.files)}"


def _header(file: Any) -> tuple[str, bool, tuple[int, ...]]:
    """Reads the header: the description of the dtype, whether the order is column-major, and the shape."""
    start = file.read(len(_MAGIC) + 2)
    if not start:
        raise EOFError("no data left in file")
    if not start.startswith(_MAGIC):
        raise ValueError("the file is not in the .npy format; pickled objects are not read")
    wide = start[len(_MAGIC)] > 1
    (n,) = struct.unpack("<I" if wide else "<H", file.read(4 if wide else 2))
    try:
        fields = ast.literal_eval(file.read(n).decode("utf-8" if start[len(_MAGIC)] > 2 else "latin-1"))
        return fields["descr"], bool(fields["fortran_order"]), tuple(fields["shape"])
    except (SyntaxError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"the header of the .npy file cannot be read: {error}") from None


def _described(text: Any) -> tuple[DType, bool]:
    """Returns the dtype of a description such as ``"<f8"``, and whether its byte order is swapped."""
    if text == "<V2":
        return bv.bfloat16, False
    if isinstance(text, str) and text[1:2] in ("b", "i", "u", "f", "c"):
        with contextlib.suppress(TypeError):
            return bv.dtype({"b1": "bool"}.get(text[1:], text[1:])), text[0] == ">"
    raise UnsupportedError(f"the dtype {text!r} of the .npy file is not supported")


def _shaped(elements: Array, is_fortran: bool, shape: tuple[int, ...]) -> Array:
    if is_fortran:
        return reversed_axes(bv.reshape(elements, shape=tuple(reversed(shape))))
    return bv.reshape(elements, shape=shape)


def _read(file: Any) -> Array:
    """Reads an array from a file object."""
    text, is_fortran, shape = _header(file)
    dtype, is_swapped = _described(text)
    n_bytes = math.prod(shape) * dtype.itemsize
    data = bytearray(file.read(n_bytes))
    if len(data) < n_bytes:
        raise ValueError(f"the file ends after {len(data)} of {n_bytes} bytes of elements")
    if n_bytes == 0:
        return bv.empty(shape, dtype=dtype)
    octets = bv.asarray(data)
    if is_swapped:
        width = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
        octets = flattened(bv.flip(bv.reshape(octets, shape=(-1, width)), axis=1).contiguous())
    return _shaped(octets.view(dtype), is_fortran, shape)


def _mapped(file: BinaryIO, path: Any, mode: str) -> Array:
    """Returns the array whose elements are those of the file; writes go to the file only in mode ``"r+"``."""
    access = {"r": mmap.ACCESS_READ, "r+": mmap.ACCESS_WRITE, "c": mmap.ACCESS_COPY}
    if mode not in access:
        raise ValueError(f"mmap_mode must be one of 'r', 'r+', 'c', got {mode!r}")
    text, is_fortran, shape = _header(file)
    dtype, is_swapped = _described(text)
    offset, n_bytes = file.tell(), math.prod(shape) * dtype.itemsize
    file.close()
    if is_swapped or n_bytes == 0:
        return bv.load(path)
    with open(path, "r+b" if mode == "r+" else "rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=access[mode])
    elements = bv.asarray(memoryview(mapped))[offset : offset + n_bytes].view(dtype)
    return _shaped(elements, is_fortran, shape)


def _write(file: Any, x: Array) -> None:
    """Writes an array to a file object."""
    is_fortran = is_fortran_contiguous(x) and not x.is_contiguous()
    order = {"b": "|", "i": "<", "u": "<", "f": "<", "c": "<"}[x.dtype.kind] if x.dtype.itemsize > 1 else "|"
    text = "<V2" if x.dtype == bv.bfloat16 else f"{order}{x.dtype.kind}{x.dtype.itemsize}"
    header = f"{{'descr': {text!r}, 'fortran_order': {is_fortran}, 'shape': {x.shape}, }}".encode("latin-1")
    n_before = len(_MAGIC) + 4
    n_blocks = -(-(n_before + len(header) + 1) // _ALIGNMENT_BYTES)
    header = header.ljust(n_blocks * _ALIGNMENT_BYTES - n_before - 1) + b"\n"
    file.write(_MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header)
    if x.size:
        elements = flattened((reversed_axes(x) if is_fortran else x).contiguous())
        file.write(memoryview(elements.view(bv.uint8)))
