"""Adds this package to the backends of array-api-extra's tests, and leaves out the others."""

from array_api_extra._lib import _backends

Backend = _backends.Backend
member = object.__new__(Backend)
member._name_ = "BELVEDERE"
member._value_ = "belvedere"
member.__objclass__ = Backend
member._sort_order_ = len(Backend._member_names_)
Backend._member_map_["BELVEDERE"] = member
Backend._value2member_map_["belvedere"] = member
# The enum is iterated through this list; the other members stay reachable by name.
Backend._member_names_[:] = ["BELVEDERE"]


def pytest_configure(config):
    """Registers the markers of a plugin that the tests do not need."""
    config.addinivalue_line("markers", "thread_unsafe: does not run in several threads")
    config.addinivalue_line("markers", "parallel_threads(n): runs in n threads")


def pytest_collection_modifyitems(config, items):
    """Leaves out the tests of one other library."""
    others = [item for item in items if {"da", "jnp", "torch"} & set(item.fixturenames)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
