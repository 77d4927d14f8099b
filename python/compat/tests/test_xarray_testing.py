"""The test base classes of xarray-array-testing, with this package's arrays."""

import hypothesis.strategies as st
import pytest
from xarray_array_testing.base import DuckArrayTestMixin
from xarray_array_testing.creation import CreationTests
from xarray_array_testing.indexing import IndexingTests
from xarray_array_testing.reduction import ReductionTests

import belvedere as bv


class OurArrays(DuckArrayTestMixin):
    """How the base classes create and recognize our arrays."""

    @property
    def xp(self):
        return bv

    @staticmethod
    def array_type(op):
        return bv.Array

    @staticmethod
    def array_strategy_fn(*, shape, dtype):
        if dtype.name not in (
            "float32",
            "float64",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
        ):
            pytest.skip(f"the package has no {dtype}")
        return st.builds(bv.ones, shape=st.just(shape), dtype=st.just(getattr(bv, dtype.name)))


class TestCreation(CreationTests, OurArrays):
    pass


class TestReduction(ReductionTests, OurArrays):
    pass


class TestIndexing(IndexingTests, OurArrays):
    pass
