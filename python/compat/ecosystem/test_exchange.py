"""Arrays passed to and from PyTorch and JAX: values, dtypes, shared memory, and operators of mixed operands."""

import numpy as np
import pytest

import belvedere as bv

DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


def ours(dtype="float64", shape=(3, 4)):
    return bv.asarray(np.arange(12).reshape(shape).astype(dtype), copy=True)


class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_from_dlpack_both_ways(self, torch, dtype):
        x = ours(dtype)
        there = torch.from_dlpack(x)
        assert str(there.dtype) == f"torch.{dtype}"
        back = bv.from_dlpack(there)
        assert back.dtype == getattr(bv, dtype)
        np.testing.assert_array_equal(np.asarray(back), np.asarray(x))

    def test_memory_is_shared(self, torch):
        x = ours()
        torch.from_dlpack(x)[0, 0] = 7
        assert float(x[0, 0]) == 7
        t = torch.zeros(3)
        bv.from_dlpack(t)[1] = 5
        assert float(t[1]) == 5

    def test_strided_views_are_exchanged(self, torch):
        x = ours()
        np.testing.assert_array_equal(torch.from_dlpack(x.T).numpy(), np.asarray(x).T)
        t = torch.arange(12.0).reshape(3, 4)
        np.testing.assert_array_equal(np.asarray(bv.from_dlpack(t.T)), t.T.numpy())

    @pytest.mark.xfail(reason="torch.asarray reads the buffer, and returns its elements in one dimension")
    def test_asarray_takes_our_arrays(self, torch):
        np.testing.assert_array_equal(torch.asarray(ours()).numpy(), np.asarray(ours()))

    @pytest.mark.parametrize("function", ["tensor", "as_tensor"])
    def test_constructors_take_our_arrays(self, torch, function):
        np.testing.assert_array_equal(getattr(torch, function)(ours()).numpy(), np.asarray(ours()))

    def test_asarray_takes_tensors(self, torch):
        t = torch.arange(6.0).reshape(2, 3)
        np.testing.assert_array_equal(np.asarray(bv.asarray(t)), t.numpy())
        assert bv.asarray(t).dtype == bv.float32

    def test_a_tensor_is_indexed_by_shared_memory(self, torch):
        t = torch.arange(12.0).reshape(3, 4)
        for index in (bv.asarray([2, 0]), ours() > 4):
            np.testing.assert_array_equal(t[torch.from_dlpack(index)].numpy(), t.numpy()[np.asarray(index)])

    @pytest.mark.parametrize("length", [3, 40])
    def test_a_tensor_is_indexed_by_1d_arrays(self, torch, length):
        t = torch.arange(2.0 * length).reshape(length, 2)
        for index in (bv.asarray([2, 0]), bv.arange(length) // 2, bv.arange(length) % 2 == 0):
            np.testing.assert_array_equal(t[index].numpy(), t.numpy()[np.asarray(index)])

    def test_a_tensor_refuses_our_2d_arrays_as_indices(self, torch):
        # PyTorch reads a sequence of sequences as a tuple of indices, one a row; an error is better than other elements.
        t = torch.arange(12.0).reshape(3, 4)
        for index in (ours() > 4, bv.ones((3, 4), dtype=bv.bool)):
            with pytest.warns(UserWarning, match="non-tuple sequence"), pytest.raises((IndexError, TypeError)):
                t[index]

    def test_gradients_do_not_leak(self, torch):
        t = torch.zeros(3, requires_grad=True)
        with pytest.raises((TypeError, RuntimeError, ValueError, BufferError)):
            bv.from_dlpack(t)
        assert bv.from_dlpack(t.detach()).shape == (3,)

    def test_a_data_loader_batches_our_arrays(self, torch):
        data = torch.utils.data.TensorDataset(torch.from_dlpack(ours("float32")))
        (batch,) = next(iter(torch.utils.data.DataLoader(data, batch_size=2)))
        assert batch.shape == (2, 4)
        rows = [(row, row[0] > 3) for row in ours("float32")]
        batch, labels = next(iter(torch.utils.data.DataLoader(rows, batch_size=2)))
        np.testing.assert_array_equal(batch.numpy(), np.asarray(ours("float32"))[:2])
        assert labels.tolist() == [False, True]


class TestJax:
    @pytest.fixture
    def jax(self):
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        return jax

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_from_dlpack_both_ways(self, jax, dtype):
        x = ours(dtype)
        there = jax.numpy.from_dlpack(x)
        assert str(there.dtype) == dtype
        np.testing.assert_array_equal(np.asarray(bv.from_dlpack(there)), np.asarray(x))

    def test_bfloat16_is_read(self, jax):
        j = jax.numpy.arange(3, dtype=jax.numpy.bfloat16)
        for found in (bv.asarray(j), bv.from_dlpack(j), bv.asarray(j, copy=True)):
            assert found.dtype == bv.bfloat16 and found.tolist() == [0, 1, 2]

    @pytest.mark.parametrize("function", ["array", "asarray"])
    def test_constructors_take_our_arrays(self, jax, function):
        np.testing.assert_array_equal(np.asarray(getattr(jax.numpy, function)(ours())), np.asarray(ours()))

    def test_immutable_arrays_stay_immutable(self, jax):
        j = jax.numpy.zeros(3)
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            bv.from_dlpack(j)[0] = 9
        assert float(j[0]) == 0

    def test_functions_take_our_arrays(self, jax):
        x = ours()
        np.testing.assert_allclose(np.asarray(jax.numpy.sin(np.asarray(x))), np.sin(np.asarray(x)))
        np.testing.assert_allclose(np.asarray(jax.jit(lambda a: a * 2)(jax.numpy.asarray(x))), np.asarray(x) * 2)
        np.testing.assert_allclose(np.asarray(bv.asarray(jax.numpy.ones(3)) + 1), 2)

    def test_gradients_are_our_arrays_again(self, jax):
        gradient = jax.grad(lambda a: (a**2).sum())(jax.numpy.asarray(ours()))
        np.testing.assert_allclose(np.asarray(bv.asarray(gradient)), 2 * np.asarray(ours()))
