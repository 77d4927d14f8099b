"""xarray's tests of libraries that implement the array API standard, with this package instead of array-api-strict."""

from xarray.tests import test_array_api as suite

import belvedere

suite.xp = belvedere
suite.Array = belvedere.Array

from xarray.tests.test_array_api import *  # noqa: E402, F403
