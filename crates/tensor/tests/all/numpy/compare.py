"""Answers the questions of a session: `compare.py FOLDER`.

See session.rs for the files. The questions come from the tests beside this file, so they are
evaluated as they are.
"""

import io
import pathlib
import sys
import warnings

import numpy as np
import scipy.signal  # noqa: F401, in questions
import scipy.special  # noqa: F401, in questions
from numpy.lib.stride_tricks import sliding_window_view as window  # noqa: F401, in questions


def text(value):
    """What is printed, as an array of bytes."""
    return np.frombuffer(str(value).encode(), np.uint8)


def put(base, index, value):
    """The array after `base[index] = value`, as if the value had been copied first."""
    base[index] = np.array(value)
    return base


def after(statement, everywhere, names):
    """The array `a` after a statement."""
    exec(statement, everywhere, names)
    return names["a"]


def in_torch(text, changes, names):
    """What PyTorch says to an expression, or the array `a` after a statement."""
    import torch

    names = {name: torch.from_numpy(value) for name, value in names.items()}
    if changes:
        exec(text, {"torch": torch}, names)
        return names["a"].numpy()
    return eval(text, {"torch": torch}, names).resolve_conj().numpy()


def wide(value):
    """The same numbers with as many digits as there are."""
    return value.astype(np.clongdouble if value.dtype.kind == "c" else np.longdouble)


def saved(value):
    """The file that NumPy writes, as an array of bytes."""
    file = io.BytesIO()
    np.save(file, value)
    return np.frombuffer(file.getvalue(), np.uint8)


def swapped(value):
    """The same numbers with their bytes in the other order."""
    return value.astype(value.dtype.newbyteorder("S"))


def main(folder):
    # Divisions by zero and the like are part of the questions.
    np.seterr(all="ignore")
    questions = (folder / "questions.txt").read_text().splitlines()
    statuses = []
    with open(folder / "inputs.bin", "rb") as inputs, open(folder / "results.bin", "wb") as results:
        for question in questions:
            n_inputs, expression = question.split("\t")
            names = {name: np.load(inputs) for name in "abcvimzsn"[: int(n_inputs)]}
            try:
                answer = eval(expression, globals(), names)
            except (IndexError, OverflowError, TypeError, ValueError) as error:
                statuses.append(f"{type(error).__name__}: {error}".replace("\n", " "))
                continue
            np.save(results, np.asarray(answer, order="K"))
            statuses.append("ok")
    (folder / "statuses.txt").write_text("\n".join(statuses))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(pathlib.Path(sys.argv[1]))
