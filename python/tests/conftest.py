"""What all tests share: the examples' namespace, the number of examples, and a trace if the interpreter dies."""

import faulthandler
import os

import hypothesis
import numpy as np
import pytest

import belvedere as bv

# A crash inside the native module shows which test it was in.
faulthandler.enable()

# NumPy warns of overflow and of division by zero, which the tests provoke all the time.
np.seterr(all="ignore")

# Every run does the same: a change that fails here failed because of the change.
hypothesis.settings.register_profile(
    "belvedere",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=int(os.environ.get("BELVEDERE_EXAMPLES", "25")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)
hypothesis.settings.load_profile("belvedere")


@pytest.fixture(autouse=True)
def _namespace(doctest_namespace):
    """Examples in docstrings need not import the package."""
    doctest_namespace["bv"] = bv
