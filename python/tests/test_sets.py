"""Set functions: unique, isin and set operations."""

import hypothesis.strategies as st
import numpy as np
import zoo
from hypothesis import given

import belvedere as bv

DISTINCT = zoo.BOOL + zoo.INTEGERS + zoo.REALS


@given(zoo.twins(DISTINCT, kind="small"))
def test_unique_matches_numpy(pair):
    expected = np.unique_all(pair.theirs)
    found = bv.unique_all(pair.ours)
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    for name in found._fields:
        zoo.assert_same(getattr(found, name), getattr(expected, name), context=name, signed_zeros=False)
    counts, inverse = bv.unique_counts(pair.ours), bv.unique_inverse(pair.ours)
    assert counts._fields == ("values", "counts")
    assert inverse._fields == ("values", "inverse_indices")
    for values in (counts.values, inverse.values, bv.unique_values(pair.ours)):
        zoo.assert_same(values, expected.values, signed_zeros=False)
    zoo.assert_same(counts.counts, expected.counts)
    zoo.assert_same(inverse.inverse_indices, expected.inverse_indices)


def test_each_nan_is_distinct():
    found = bv.unique_counts(bv.asarray([bv.nan, 1.0, bv.nan]))
    zoo.assert_same(found.values, [1.0, np.nan, np.nan])
    zoo.assert_same(found.counts, np.array([1, 1, 1]))


@given(zoo.twins(zoo.INTEGERS, kind="small"), zoo.twins(zoo.INTEGERS, kind="small"), st.booleans())
def test_isin_matches_numpy(x, among, invert):
    # NumPy compares uint64 with signed integers as floats; small ones are exact there.
    zoo.assert_same(bv.isin(x.ours, among.ours, invert=invert), np.isin(x.theirs, among.theirs, invert=invert))
    zoo.assert_same(bv.isin(x.ours, 3, invert=invert), np.isin(x.theirs, 3, invert=invert))
    zoo.assert_same(bv.isin(3, among.ours, invert=invert), np.isin(3, among.theirs, invert=invert))


@given(zoo.twins(("int32",), kind="small"), zoo.twins(("int32",), kind="small"))
def test_set_operations_match_numpy(x, y):
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        zoo.assert_same(getattr(bv, name)(x.ours, y.ours), getattr(np, name)(x.theirs, y.theirs), context=name)
