"""Refuses interpreters that the native module cannot be used in, before it is imported."""

import sys

#: Free-threaded builds say so in their version, from 3.13 on.
IS_FREE_THREADED = "free-threading" in sys.version

if IS_FREE_THREADED:
    raise ImportError(
        "belvedere does not support free-threaded Python (3.13t, 3.14t): its arrays are allocated from a list that the "
        "GIL protects, and its wheels use the stable ABI, which these builds do not have. Use a Python with the GIL, "
        f"for example python{sys.version_info.major}.{sys.version_info.minor}."
    )
