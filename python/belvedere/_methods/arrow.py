"""Exchange with Arrow: pyarrow and polars ask an array for these methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._native import Array

__all__ = ["__arrow_array__", "__arrow_c_array__"]


def __arrow_array__(self: Array, /, type: Any = None) -> Any:  # noqa: A002, N807
    """Returns an Arrow array, which shares the memory of a contiguous array without bools."""
    import numpy as np
    import pyarrow

    return pyarrow.array(np.asarray(self), type=type)


def __arrow_c_array__(self: Array, /, requested_schema: Any = None) -> Any:  # noqa: N807
    """Returns the capsules of an Arrow array, for libraries other than pyarrow."""
    return self.__arrow_array__().__arrow_c_array__(requested_schema)
