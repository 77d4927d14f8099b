"""The entry in zarr's registry that makes zarr take our dtypes: ``zarr.save(path, x)``."""

from __future__ import annotations

from types import ModuleType

from .. import _native as bv

#: The key of the entry. No file has a data type of this name: arrays are stored with the data types of zarr.
KEY = "belvedere"


def register(module: ModuleType) -> None:
    """Adds the entry, given ``zarr.core.dtype``: zarr asks each entry of its registry for the data type of a dtype."""

    registry, mismatch = module.data_type_registry, module.DataTypeValidationError

    class BelvedereDType(module.ZDType):
        """Finds zarr's data type of a dtype of ours; it has no instances."""

        @classmethod
        def from_native_dtype(cls, dtype):
            if type(dtype) is not bv.DType:
                raise mismatch(f"expected a dtype of belvedere, got {dtype!r}")
            # That of int32 tests by `isinstance`, and takes ours, too; two entries would be an error.
            for entry in registry.contents.values():
                if entry is not cls and takes(entry, dtype):
                    raise mismatch(f"{entry.__name__} takes {dtype!r}")
            return registry.match_dtype(dtype.__numpy_dtype__)

        @classmethod
        def from_json(cls, data, *, zarr_format):
            raise mismatch(f"no file has a data type of belvedere, got {data!r}")

    def takes(entry, dtype):
        try:
            entry.from_native_dtype(dtype)
        except mismatch:
            return False
        return True

    registry.register(KEY, BelvedereDType)
