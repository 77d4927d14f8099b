"""Methods and attributes of the memory of arrays."""

from __future__ import annotations

import ctypes as _ctypes
import os
import weakref
from typing import IO, TYPE_CHECKING, Any

from .. import _native as bv

if TYPE_CHECKING:
    from .._native import Array

__all__ = ["base", "ctypes", "data", "flags", "setflags", "tobytes", "tofile"]


def tobytes(self: Array, /, order: str | None = "C") -> bytes:
    """Returns the bytes of the elements, in row-major order or for ``order="F"`` in column-major order.

    >>> bv.asarray([[1, 2], [3, 4]], dtype=bv.uint8).tobytes("F")
    b'\\x01\\x03\\x02\\x04'
    """
    # The buffer protocol has no bfloat16.
    x = self.view(bv.uint16) if self.dtype == bv.bfloat16 else self
    return memoryview(x).tobytes(order=order)


def tofile(self: Array, /, fid: str | os.PathLike[str] | IO[Any], sep: str = "", format: str = "%s") -> None:
    """Writes the elements to a file in row-major order: as bytes, or as text with a separator.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     bv.asarray([1, 2], dtype=bv.uint8).tofile(file)
    ...     _ = file.seek(0)
    ...     file.read()
    b'\\x01\\x02'
    """
    if isinstance(fid, (str, os.PathLike)):
        with open(fid, "wb") as file:
            return self.tofile(file, sep, format)
    if sep == "":
        fid.write(self.tobytes())
        return None
    text = sep.join(format % value for value in self.ravel().tolist())
    try:
        fid.write(text.encode())
    except TypeError:
        fid.write(text)
    return None


def setflags(
    self: Array, /, write: bool | None = None, align: bool | None = None, uic: bool | None = None
) -> None:
    """Checks flags: those of an array cannot be changed, so that only their present values are accepted.

    >>> bv.zeros(3).setflags(write=True)
    >>> bv.asarray(memoryview(bv.zeros(3)).toreadonly()).flags.writeable
    False
    """
    writeable = self.flags.writeable
    if write is not None and bool(write) != writeable:
        if writeable:
            raise ValueError("the array stays writable: asarray(memoryview(x).toreadonly()) is a read-only view")
        raise ValueError("the array stays read-only: x.copy() is writable")
    if align is not None and not align:
        raise ValueError("arrays are always aligned")
    if uic:
        raise ValueError("arrays have no base to write back to")


class Flags:
    """What is known of the memory of an array, as attributes and by NumPy's names: ``x.flags["C_CONTIGUOUS"]``."""

    __slots__ = (
        "c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy",
    )  # fmt: skip

    _NAMES = {
        "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous",
        "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
        "OWNDATA": "owndata", "O": "owndata",
        "WRITEABLE": "writeable", "W": "writeable",
        "ALIGNED": "aligned", "A": "aligned",
        "WRITEBACKIFCOPY": "writebackifcopy", "X": "writebackifcopy",
        "FNC": "fnc", "FORC": "forc", "BEHAVED": "behaved", "B": "behaved", "CARRAY": "carray", "CA": "carray",
        "FARRAY": "farray", "FA": "farray",
    }  # fmt: skip

    def __init__(self, x: Array) -> None:
        whole, _, is_foreign = x._memory()
        owns_data = whole is None and not is_foreign
        values = (x.is_contiguous(), x.transpose().is_contiguous(), owns_data, x.is_writable, True, False)
        for name, value in zip(self.__slots__, values):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__slots__ or bool(value) != getattr(self, name):
            raise ValueError(f"the flag {name} cannot be changed: see Array.setflags")

    def __setitem__(self, name: str, value: object) -> None:
        if self[name] != bool(value):
            setattr(self, self._NAMES[name], value)

    @property
    def contiguous(self) -> bool:
        """Tests whether the elements are contiguous in row-major order."""
        return self.c_contiguous

    @property
    def fnc(self) -> bool:
        """Tests whether the elements are contiguous in column-major order only."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """Tests whether the elements are contiguous in row-major or column-major order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def behaved(self) -> bool:
        """Tests whether the elements are aligned and writable."""
        return self.aligned and self.writeable

    @property
    def carray(self) -> bool:
        """Tests whether the elements are aligned, writable and contiguous in row-major order."""
        return self.behaved and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Tests whether the elements are aligned, writable and contiguous in column-major order only."""
        return self.behaved and self.fnc

    @property
    def num(self) -> int:
        """Returns NumPy's number of the flags."""
        bits = {"c_contiguous": 1, "f_contiguous": 2, "owndata": 4, "aligned": 0x100, "writeable": 0x400}
        return sum(bit for name, bit in bits.items() if getattr(self, name))

    def __getitem__(self, name: str) -> bool:
        if name not in self._NAMES:
            raise KeyError(f"unknown flag {name!r}")
        return getattr(self, self._NAMES[name])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self.num == other.num

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


class CTypes:
    """The address, shape and strides of an array, for ``ctypes``."""

    def __init__(self, x: Array) -> None:
        self._array = x
        self.data: int = x.__array_interface__["data"][0]

    @property
    def _as_parameter_(self) -> _ctypes.c_void_p:
        return _ctypes.c_void_p(self.data)

    @property
    def shape(self) -> Any:
        """Returns the lengths of the axes as a ctypes array."""
        return self.shape_as(_ctypes.c_ssize_t)

    @property
    def strides(self) -> Any:
        """Returns the strides in bytes as a ctypes array."""
        return self.strides_as(_ctypes.c_ssize_t)

    def data_as(self, obj: Any) -> Any:
        """Returns the address as a ctypes pointer, which keeps the array alive."""
        pointer = _ctypes.cast(self._as_parameter_, obj)
        pointer._array = self._array
        return pointer

    def shape_as(self, obj: Any) -> Any:
        """Returns the lengths of the axes as an array of a ctypes integer type."""
        return (obj * self._array.ndim)(*self._array.shape)

    def strides_as(self, obj: Any) -> Any:
        """Returns the strides in bytes as an array of a ctypes integer type."""
        return (obj * self._array.ndim)(*self._array.strides)


#: The arrays that ``base`` has returned, by address, size and dtype, while they are used.
_bases: weakref.WeakValueDictionary[tuple[int, int, str], Array] = weakref.WeakValueDictionary()


def _base(self: Array) -> Array | None:
    """Returns the whole memory as an array with one axis, or None if this array is all of it.

    Views of the same memory have the same base while it is used.
    """
    whole = self._memory()[0]
    if whole is None:
        return None
    key = (whole._memory()[1], whole.nbytes, whole.dtype.name)
    return _bases.setdefault(key, whole)


def _flags(self: Array) -> Flags:
    """Returns what is known of the memory: contiguity, ownership, whether it can be written."""
    return Flags(self)


def _data(self: Array) -> memoryview:
    """Returns the memory as a ``memoryview``."""
    return memoryview(self)


def _ctypes_of(self: Array) -> CTypes:
    """Returns the address, shape and strides for ``ctypes``."""
    return CTypes(self)


base = property(_base)
ctypes = property(_ctypes_of)
data = property(_data)
flags = property(_flags)
