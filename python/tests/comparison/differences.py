"""The differences from NumPy that are intended, each with its reason.

A row that no call needs any more is an error.
"""

from __future__ import annotations

import dataclasses
import fnmatch

from .evaluate import Mismatch


@dataclasses.dataclass(frozen=True)
class Difference:
    """An intended difference: of which functions, of which kind (see `Mismatch`), and why."""

    #: Patterns of function names, separated by spaces.
    functions: str
    kind: str
    reason: str
    #: A pattern of the call, as ``*dtype=*``.
    call: str = "*"
    #: The dtypes of the operands for which it occurs, separated by spaces; all, if it is empty.
    dtypes: str = ""
    #: A pattern of the description.
    detail: str = "*"

    def concerns(self, function: str) -> bool:
        """Whether a function is one of those of this row."""
        return any(fnmatch.fnmatchcase(function, pattern) for pattern in self.functions.split())

    def covers(self, it: Mismatch) -> bool:
        """Whether a difference is an instance of this row."""
        return (
            it.kind == self.kind
            and self.concerns(it.function)
            and (not self.dtypes or it.dtype in self.dtypes.split())
            and _matches(it.call, self.call)
            and _matches(it.detail, self.detail)
        )


def _matches(text: str, pattern: str) -> bool:
    """Whether a text has the parts that asterisks separate, in this order."""
    at = 0
    for part in pattern.split("*"):
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


#: Functions that need an order of the elements.
_ORDERED = (
    "less less_equal greater greater_equal minimum maximum fmin fmax max min amax amin nanmax nanmin argmax argmin "
    "nanargmax nanargmin ptp median nanmedian clip digitize apply_along_axis apply_over_axes Array.max Array.min "
    "Array.argmax Array.argmin Array.clip Array.__lt__ Array.__le__ Array.__gt__ Array.__ge__"
)
_SMALL = "bool int8 uint8 int16 uint16"

DIFFERENCES = [
    Difference("*", "scalar", "Results that NumPy returns as scalars are 0-d arrays."),
    Difference("Array.ravel Array.flatten", "view", "Both are views whenever one exists."),
    Difference("meshgrid", "view", "Views wherever they are possible: the grids are broadcast."),
    Difference("conj conjugate Array.conj Array.conjugate", "view", "The conjugate of a real array is the array."),
    Difference(
        "*",
        "dtype",
        "Integers of any width are cast to float64, so that the precision does not depend on the width.",
        dtypes=_SMALL,
        detail="float64 instead of float*",
    ),
    Difference(
        "*",
        "value",
        "NumPy computes with 8- and 16-bit integers in float16 and float32; float64 is more accurate.",
        call="*out=o*",
        dtypes=_SMALL,
    ),
    Difference("*", "written", "The same, in the output.", call="*out=o*", dtypes=_SMALL),
    Difference(_ORDERED, "refused", "Complex numbers have no order (Array API).", detail="UnsupportedError(*"),
    Difference("*", "error", "Of two mistakes the dtype is reported first.", detail="UnsupportedError(*instead of*"),
    Difference("*", "error", "Of two mistakes the shape of the output is reported first.", call="*o_wrong*"),
    Difference(
        "*",
        "refused",
        "A cast from complex to real loses the imaginary part; NumPy warns.",
        detail="*cannot cast complex*",
    ),
    Difference("*", "refused", "A 0-d array has no axis 0.", call="*s, axis=0*", detail="AxisError*"),
    Difference("array asarray asanyarray", "refused", "There is no dtype for text.", call="f('text')"),
    Difference("array asarray asanyarray", "refused", "There is no dtype for objects.", call="f(None)"),
    Difference("may_share_memory", "value", "The answer is exact; NumPy compares the bounds of the memory."),
    Difference("trim_zeros", "accepted", "Nested lists are arrays; NumPy slices the list itself.", call="f([[*"),
    Difference("unique_values", "value", "The values are sorted; NumPy's order is that of a hash table."),
]
