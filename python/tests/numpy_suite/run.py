"""Runs NumPy's own tests of its functions on our arrays: ``python run.py [options of pytest]``.

``expected_failures.txt`` lists the tests that fail, with the reasons. A test of the list that passes is an error, so
that the list stays as short as it can be. ``--failures`` prints the name and the error of each failure, one a line.
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest
from plugin import OnOurArrays, test_name

FOLDER = pathlib.Path(__file__).parent
MODULES = (
    "_core/tests/test_einsum.py",
    "_core/tests/test_function_base.py",
    "_core/tests/test_indexing.py",
    "_core/tests/test_item_selection.py",
    "_core/tests/test_numeric.py",
    "_core/tests/test_shape_base.py",
    "fft/tests/test_helper.py",
    "fft/tests/test_pocketfft.py",
    "lib/tests/test_arraypad.py",
    "lib/tests/test_arraysetops.py",
    "lib/tests/test_function_base.py",
    "lib/tests/test_histograms.py",
    "lib/tests/test_index_tricks.py",
    "lib/tests/test_nanfunctions.py",
    "lib/tests/test_polynomial.py",
    "lib/tests/test_shape_base.py",
    "lib/tests/test_stride_tricks.py",
    "lib/tests/test_twodim_base.py",
    "linalg/tests/test_linalg.py",
)


def expected_failures() -> dict[str, str]:
    """The patterns of the list with their reasons: lines of a reason that ends with a colon, and indented patterns."""
    failures: dict[str, str] = {}
    reason = ""
    for line in (FOLDER / "expected_failures.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            failures[line.strip()] = reason
        else:
            reason = line.strip().rstrip(":")
    return failures


class Report:
    """Counts the outcomes, and prints failures in one line each if asked to."""

    def __init__(self, is_listing: bool):
        self.is_listing = is_listing
        self.counts = {"passed": 0, "failed": 0, "expected": 0, "skipped": 0}

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        is_expected = hasattr(report, "wasxfail")
        outcome = "expected" if is_expected and report.skipped else report.outcome
        self.counts[outcome] += 1
        if self.is_listing and outcome == "failed":
            text = str(report.longrepr)
            lines = [it[1:].strip() for it in text.splitlines() if it.startswith("E ")]
            print(f"\n{test_name(report.nodeid)}  # {lines[0] if lines else text.splitlines()[-1]}")


def main(words: list[str]) -> int:
    """Runs the tests and prints how many passed."""
    is_listing = "--failures" in words
    words = [it for it in words if it != "--failures"]
    root = pathlib.Path(np.__file__).parent
    plugin, report = OnOurArrays(expected_failures()), Report(is_listing)
    options = ["--quiet", "-p", "no:cacheprovider", "-W", "ignore", "--rootdir", str(root), "-c", "/dev/null"]
    options += ["-m", "not slow", "--tb=no" if is_listing else "--tb=short"]
    code = pytest.main([*options, *words, *(str(root / it) for it in MODULES)], plugins=[plugin, report])
    tests = report.counts["passed"] + report.counts["failed"] + report.counts["expected"]
    passed, expected = report.counts["passed"], report.counts["expected"]
    print(f"NumPy's own tests on our arrays: {passed} of {tests} pass, {expected} are expected to fail")
    unused = [it for it in expected_failures() if it not in plugin.used]
    if unused and not words:
        print("no test has these names of expected_failures.txt:", *unused, sep="\n  ")
        return 1
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
