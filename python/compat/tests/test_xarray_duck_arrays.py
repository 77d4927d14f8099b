"""xarray's tests of duck arrays, with this package as the only array library.

The tests import the library by its name and check that every result is still one of its arrays. Expected failures of
other libraries do not apply.
"""

import pytest
from xarray.tests import test_duck_array_wrapping as suite

suite.NAMESPACE_ARRAYS.clear()
suite.NAMESPACE_ARRAYS["belvedere"] = {"attrs": {"array": "Array", "constructor": "asarray"}, "xfails": {}}
# The classes are parametrized with this list, which is read when tests are collected.
suite.NAMESPACES[:] = [pytest.param("belvedere")]

TestTopLevelMethods = suite.TestTopLevelMethods
TestDataArrayMethods = suite.TestDataArrayMethods
