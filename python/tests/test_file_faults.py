"""File objects that fail, end early or return too much: an exception, and the arrays stay usable."""

import io

import numpy as np
import pytest

import belvedere as bv


class Unreliable(io.BytesIO):
    """A file that raises, ends or returns too much from a call on."""

    def __init__(self, data, calls, fault):
        super().__init__(data)
        self.calls, self.fault = calls, fault

    def _next(self, n):
        self.calls -= 1
        if self.calls >= 0:
            return None
        if self.fault == "raise":
            raise OSError("no more")
        return b"" if self.fault == "end" else bytes(n + 1)

    def read(self, n=-1):
        failed = self._next(max(n, 0))
        return super().read(n) if failed is None else failed

    def readinto(self, buffer):
        failed = self._next(len(buffer))
        return super().readinto(buffer) if failed is None else len(failed)

    def write(self, data):
        failed = self._next(len(data))
        return super().write(data) if failed is None else len(failed)


X = bv.reshape(bv.arange(600, dtype=bv.float64), (20, 30))


def written(save):
    """The bytes that a function writes."""
    file = io.BytesIO()
    save(file, X)
    return file.getvalue()


READERS = {
    "npy": (lambda file: bv.load(file), written(bv.save)),
    "npz": (lambda file: bv.load(file)["arr_0"], written(bv.savez)),
    "compressed": (lambda file: bv.load(file)["arr_0"], written(bv.savez_compressed)),
    "text": (lambda file: bv.loadtxt(file), written(bv.savetxt)),
}


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_ends_early_is_an_error(name):
    read, data = READERS[name]
    assert np.array_equal(np.asarray(read(io.BytesIO(data))), np.asarray(X))
    # A text that ends after a line is a shorter text.
    for length in range(0, len(data), 1 if len(data) < 6000 else 7) if name != "text" else ():
        with pytest.raises(Exception) as info:  # noqa: PT011  zipfile has exceptions of its own
            read(io.BytesIO(data[:length]))
        assert not isinstance(info.value, (SystemError, MemoryError)), (length, info.value)


@pytest.mark.parametrize("fault", ["raise", "end", "excess"])
@pytest.mark.parametrize("name", ["npy", "npz", "compressed"])
def test_a_read_that_fails_is_an_error(name, fault):
    read, data = READERS[name]
    for calls in range(40):
        try:
            result = read(Unreliable(data, calls, fault))
        except Exception as error:
            assert not isinstance(error, (SystemError, MemoryError)), (calls, error)  # noqa: PT017
        else:
            assert np.array_equal(np.asarray(result), np.asarray(X)), calls
            break
    else:
        pytest.fail("the file is read in fewer than 40 calls")


@pytest.mark.parametrize("save", [bv.save, bv.savez, bv.savez_compressed, bv.savetxt])
def test_a_write_that_fails_is_an_error(save):
    x = bv.copy(X)
    for calls in range(100):
        try:
            save(Unreliable(b"", calls, "raise"), x)
        except OSError:
            x[0, 0] = calls
        else:
            break
    else:
        pytest.fail("the file is written in fewer than 100 calls")
    assert calls > 1
