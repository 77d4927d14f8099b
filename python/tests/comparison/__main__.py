"""Prints the differences from NumPy that are not listed, a line for each call.

``python -m comparison abs add``: for these functions.
"""

from __future__ import annotations

import sys
import warnings

import test_against_numpy

from . import evaluate
from .differences import DIFFERENCES


def main(names: list[str]) -> None:
    """Prints the kind, the call, the dtypes and a description, for some functions or all."""
    warnings.simplefilter("ignore")
    for name in names or test_against_numpy.COMPARED:
        calls: dict[tuple, list[evaluate.Mismatch]] = {}
        for it in evaluate.mismatches(name):
            if not any(row.covers(it) for row in DIFFERENCES):
                calls.setdefault((it.kind, it.call), []).append(it)
        for (kind, call), found in calls.items():
            dtypes = ",".join(sorted({it.dtype for it in found}))
            print(f"{name}: {kind}: {call} [{dtypes}] {found[0].detail}")


if __name__ == "__main__":
    main(sys.argv[1:])
