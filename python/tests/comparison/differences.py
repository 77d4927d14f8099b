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


DIFFERENCES = [
    Difference("*", "scalar", "Results that NumPy returns as scalars are 0-d arrays."),
    Difference("Array.ravel Array.flatten", "view", "Both are views whenever one exists."),
]
