"""Makes this package the only array library of scikit-learn's array API tests."""

from sklearn.utils import _array_api


def yield_namespaces(include_numpy_namespaces=True):
    yield "belvedere"


def yield_namespace_device_dtype_combinations(include_numpy_namespaces=True):
    yield "belvedere", None, "float64"
    yield "belvedere", None, "float32"


_array_api.yield_namespaces = yield_namespaces
_array_api.yield_namespace_device_dtype_combinations = yield_namespace_device_dtype_combinations


def pytest_collection_modifyitems(config, items):
    """Keeps the tests that have this package among their parameters."""
    kept = [item for item in items if "belvedere" in item.name]
    config.hook.pytest_deselected(items=[item for item in items if "belvedere" not in item.name])
    items[:] = kept
