"""The example that runs on a cluster, on a small one: more data than memory, spilled to disk, with xarray on top."""

import pathlib
import re
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parents[1] / "examples" / "cluster.py"


def test_a_field_larger_than_the_memory_of_two_workers():
    pytest.importorskip("distributed")
    pytest.importorskip("xarray")
    words = [sys.executable, str(PROGRAM), "--workers", "2", "--memory", "40MiB", "--size", "120MiB"]
    found = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stdout + found.stderr
    disk = re.search(r"^([\d.]+) MiB on disk", found.stdout, re.MULTILINE)
    assert disk and float(disk[1]) > 30, found.stdout
    assert re.search(r"trend 0\.0[23]", found.stdout), found.stdout
