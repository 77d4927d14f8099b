"""Shared settings: the namespace of doctests, the number of examples, and a traceback on a crash."""

import faulthandler
import os

import hypothesis
import numpy as np
import pytest

import belvedere as bv

# A crash inside the native module shows which test it was in.
faulthandler.enable()

# The tests cause overflow and division by zero on purpose, of which NumPy warns.
np.seterr(all="ignore")

# Runs are deterministic: a new failure is caused by a change.
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
    """Makes the package available to doctests."""
    doctest_namespace["bv"] = bv
