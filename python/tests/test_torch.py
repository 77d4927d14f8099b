"""PyTorch's data loaders with our arrays as samples."""

import numpy as np
import pytest

import belvedere as bv

torch = pytest.importorskip("torch")

X = bv.reshape(bv.arange(24.0), (8, 3))


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return {"x": X[i], "label": (X[i, 0] > 9, i)}


def test_a_loader_collates_our_arrays():
    batches = list(torch.utils.data.DataLoader(Samples(), batch_size=4))
    for batch, part in zip(batches, (X[:4], X[4:]), strict=True):
        assert batch["x"].dtype == torch.float64
        np.testing.assert_array_equal(batch["x"].numpy(), np.asarray(part))
        np.testing.assert_array_equal(batch["label"][0].numpy(), np.asarray(part[:, 0] > 9))


def test_a_batch_is_a_copy():
    x = bv.zeros(3)
    batch = torch.utils.data.default_collate([x, x])
    batch[0] = 1
    assert x.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "bfloat16", "float32", "complex64"])
def test_a_batch_has_the_dtype_of_the_samples(dtype):
    batch = torch.utils.data.default_collate([bv.ones((2, 2), dtype=dtype)] * 3)
    assert str(batch.dtype) == f"torch.{dtype}" and batch.shape == (3, 2, 2)


def test_samples_may_be_read_only_or_strided():
    read_only = bv.asarray(np.broadcast_to(np.arange(3.0), (2, 3)))
    batch = torch.utils.data.default_collate([read_only, X[:2], X[:4:2], bv.ones((3, 2)).T])
    np.testing.assert_array_equal(batch[0].numpy(), np.asarray(read_only))
    np.testing.assert_array_equal(batch[2].numpy(), np.asarray(X[:4:2]))


def test_samples_of_different_shapes_are_refused():
    with pytest.raises(RuntimeError, match="size"):
        torch.utils.data.default_collate([bv.zeros(3), bv.zeros(4)])
