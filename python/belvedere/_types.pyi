"""Types of arguments, for type checkers only."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias

from typing_extensions import Buffer

from . import Array, DType

class SupportsDLPack(Protocol):
    """An array of a library that exports its memory."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class NamedDType(Protocol):
    """A dtype of another library."""

    @property
    def name(self) -> str: ...

#: Arrays of this and other libraries, and Python scalars, which are weakly typed.
ArrayLike: TypeAlias = Array | complex | SupportsDLPack | Buffer

#: Nested sequences of numbers.
NestedSequence: TypeAlias = Sequence[ArrayLike | "NestedSequence"]

DTypeLike: TypeAlias = DType | NamedDType | str | type
Device: TypeAlias = Literal["cpu", "meta"]

#: One length, or any sequence of them.
Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

#: All axes, one or several.
Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None

IndexItem: TypeAlias = SupportsIndex | slice | EllipsisType | Array | SupportsDLPack | Sequence[Any] | None
Index: TypeAlias = IndexItem | tuple[IndexItem, ...]
