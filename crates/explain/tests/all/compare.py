"""What NumPy says to expressions, one a line: an error, or shape, strides in elements and values."""

import sys

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

for line in sys.stdin:
    names = {**vars(np), "np": np, "sliding_window_view": sliding_window_view}
    names["x"] = np.arange(24).reshape(2, 3, 4)
    try:
        result = eval(line, names)
    except Exception:
        print("error")
        continue
    found = np.asarray(result)
    shape = " ".join(map(str, found.shape))
    strides = " ".join(str(stride // found.itemsize) for stride in found.strides)
    values = " ".join(repr(complex(value).real) for value in found.ravel())
    shares = isinstance(result, np.ndarray) and np.shares_memory(found, names["x"])
    print(f"{shape};{strides};{values};{found.dtype};{int(shares)}")
