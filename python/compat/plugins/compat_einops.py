"""Makes the backend of this package the only one that einops' tests collect."""

import einops.tests
from einops._backends import AbstractBackend

import belvedere  # noqa: F401  (defines the backend)


def collect_test_backends(symbolic=False, layers=False):
    if symbolic or layers:
        return []
    (kind,) = [kind for kind in AbstractBackend.__subclasses__() if kind.framework_name == "belvedere"]
    backend = kind()
    # Some tests run for backends of known names only; what they do for NumPy applies to our arrays.
    backend.framework_name = "numpy"
    return [backend]


einops.tests.collect_test_backends = collect_test_backends
