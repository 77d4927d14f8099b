"""Makes this package the only array library of scipy's fixture ``xp``."""

import pytest

import belvedere

_fixture = pytest.fixture


def fixture(*args, **kwargs):
    """Replaces the parameters of the fixture ``xp`` of scipy/conftest.py."""
    if "params" not in kwargs:
        return _fixture(*args, **kwargs)

    def decorate(function):
        known = function.__globals__.get("xp_known_backends")
        if function.__name__ == "xp" and known is not None:
            known.add("belvedere")
            mark = pytest.mark.array_api_backends
            kwargs["params"] = [pytest.param(belvedere, id="belvedere", marks=mark)]
        return _fixture(*args, **kwargs)(function)

    return decorate


pytest.fixture = fixture
