"""zarr's arrays of our dtypes and with our arrays as data."""

import subprocess
import sys

import numpy as np
import pytest

import belvedere as bv

zarr = pytest.importorskip("zarr")

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", DTYPES)
def test_a_dtype_has_the_data_type_of_numpy_s(name, zarr_format):
    found = zarr.dtype.parse_data_type(getattr(bv, name), zarr_format=zarr_format)
    assert found == zarr.dtype.parse_data_type(np.dtype(name), zarr_format=zarr_format)


def test_bfloat16_is_refused():
    with pytest.raises(TypeError, match="NumPy has no bfloat16"):
        zarr.dtype.parse_data_type(bv.bfloat16, zarr_format=3)


def test_unknown_data_types_are_refused_by_zarr():
    with pytest.raises((TypeError, ValueError)):
        zarr.dtype.parse_data_type({"name": "belvedere"}, zarr_format=3)


@pytest.mark.parametrize("name", DTYPES)
def test_an_array_is_stored(name):
    x = bv.reshape(bv.arange(24) % 5, (4, 6)).astype(name)
    store = zarr.storage.MemoryStore()
    z = zarr.create_array(store=store, data=x)
    assert z.dtype == np.dtype(name)
    # Whole chunks, whose bytes zarr compares with those of the fill value.
    z[...] = x + x
    np.testing.assert_array_equal(z[...], np.asarray(x + x))
    z[...] = bv.zeros((4, 6), dtype=name)
    np.testing.assert_array_equal(z[...], np.zeros((4, 6), name))


@pytest.mark.parametrize("imports", ["belvedere as bv, zarr", "zarr, belvedere as bv"])
def test_the_order_of_imports_does_not_matter(imports):
    program = f"import {imports}; assert zarr.dtype.parse_data_type(bv.float64, zarr_format=3).item_size == 8"
    subprocess.run([sys.executable, "-c", program], check=True)
