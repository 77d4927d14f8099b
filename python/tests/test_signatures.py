"""Functions that NumPy has take NumPy's arguments: by position, by NumPy's names, with lists as operands."""

import numpy as np
import pytest

import belvedere as bv
import zoo

#: Expressions that are evaluated with `xp` being NumPy and this package; operands are arrays of the one or the other.
CALLS = """
xp.sum(x, 0)
xp.sum(x, (0, 1))
xp.sum(x, 0, np.float32)
xp.sum(x, axis=1, keepdims=1)
xp.sum(x, 0, None, None, True)
xp.sum(x, initial=10)
xp.sum(x, 1, where=m)
xp.sum(x, 1, None, None, False, 5, m)
xp.sum([1.5, 2.5], dtype=int)
xp.sum([True, True, False])
xp.sum(x, 0, out=xp.zeros(4, dtype=np.int64))
xp.max(x, 0, out=xp.zeros(4, dtype=np.int64))
xp.median(x, 0, out=xp.zeros(4, dtype=np.int64))
xp.any(m, 0, out=xp.zeros(4, dtype=np.int64))
xp.mean(x, 0, out=xp.zeros(4, dtype=np.int64))
xp.prod(i, 0, out=xp.zeros(4, dtype=np.float32))
xp.prod(i, 0, np.float64)
xp.prod(i, 1, where=m, initial=2)
xp.mean(x, 0)
xp.mean(i, 0, np.float32)
xp.mean(x, 1, where=m)
xp.mean(x, dtype=np.float32)
xp.mean([1, 2, 3])
xp.mean([[1, 2], [3, 4]], 0, keepdims=True)
xp.std(x, 0)
xp.std(x, 0, ddof=1)
xp.std(x, 1, None, None, 1)
xp.std(x, axis=0, correction=1)
xp.std(x, 1, where=m)
xp.var(x, 1, where=m, ddof=1)
xp.var(x, 0, np.float32)
xp.var(x, 1, mean=xp.mean(x, 1, keepdims=True))
xp.var(c, 0)
xp.var(c, 1, where=m)
xp.max(x, 0)
xp.max(x, 1, None, True)
xp.max(x, 1, initial=2.5)
xp.max(x, 1, where=m, initial=-9.0)
xp.max(e, initial=3.0)
xp.min(i, 0, where=m, initial=99)
xp.amax(x, axis=1)
xp.amin(x)
xp.ptp(x, 0)
xp.all(m, 0)
xp.all(x, 1, where=m)
xp.any(m, 1, None, True)
xp.any(m, 1, where=m)
xp.count_nonzero(i, 1)
xp.median(x, 0)
xp.median(x, 1, None, False, True)
xp.nanmedian(n, 1)
xp.nansum(n, 0)
xp.nansum(n, 0, np.float32)
xp.nansum(n, initial=1.0)
xp.nanprod(n, 1, np.float32)
xp.nanmean(n, 1)
xp.nanmean(n, 0, np.float32)
xp.nanmean(n, 0, where=m)
xp.nanstd(n, 1, ddof=1)
xp.nanvar(n, 0, np.float32)
xp.nanvar(n, 0, where=m)
xp.nanmax(n, 0)
xp.nanmin(n, 0, initial=-1.0)
xp.argmax(x, 0)
xp.argmin(x, axis=1, keepdims=True)
xp.cumsum(x)
xp.cumsum(x, 1)
xp.cumsum(i, 0, np.float32)
xp.cumprod(x)
xp.cumprod(i, axis=1)
xp.cumulative_sum(x, axis=1, include_initial=True)
xp.zeros(3, np.float32)
xp.zeros((2, 3), int, "F")
xp.ones([2, 3], "int8")
xp.empty((0, 3), np.float32)
xp.full((2, 2), 7)
xp.full((2, 2), 7, np.float32)
xp.full((2, 3), [1, 2, 3])
xp.full((2, 3), 1.5, None, "F")
xp.zeros_like(x, np.int8)
xp.zeros_like(x, shape=(4,))
xp.ones_like(x, np.int8, "F", True, (2, 2))
xp.full_like(x, 3)
xp.full_like(x, 3, np.int16)
xp.full_like(x, 3, shape=(2,))
xp.arange(5)
xp.arange(0, 5, 1, np.float32)
xp.arange(stop=4)
xp.arange(start=1, stop=9, step=3)
xp.arange(3, dtype=np.int8)
xp.linspace(0, 1)
xp.linspace(0, 1, 5)
xp.linspace(0, 1, 5, False)
xp.linspace(0, 1, 5, True, False, np.float32)
xp.linspace(0, 1, num=4, endpoint=False, dtype=np.float32)
xp.linspace(0, 1, 5, retstep=True)[0]
xp.linspace(0, 1, 5, retstep=True)[1]
xp.linspace([0, 10], [1, 20], 3)
xp.linspace([0, 10], 5, 4, endpoint=False, axis=1)
xp.linspace(0, 1 + 2j, 3)
xp.eye(3)
xp.eye(2, 3, 1)
xp.eye(3, 4, -1, np.int8)
xp.eye(2, 3, 1, np.int8, "F")
xp.identity(3, np.float32)
xp.tril(x, 1)
xp.triu(x, k=-1)
xp.meshgrid([1, 2], [3, 4, 5])[1]
xp.meshgrid([1, 2], [3, 4, 5], [6], sparse=True, indexing="ij")[1]
xp.meshgrid([1, 2], [3, 4, 5], [6], sparse=True)[0]
xp.meshgrid([1, 2], x)[1]
xp.roll(x, 1, 0)
xp.roll(x, (1, 2), (0, 1))
xp.roll(x, shift=2, axis=1)
xp.concatenate([[1, 2], [3]])
xp.concatenate((x, x), 1)
xp.concatenate([x, x], axis=None)
xp.concatenate([i, i], dtype=np.float32)
xp.concatenate([x, x], dtype=int, casting="unsafe")
xp.concat([x, x], 1)
xp.stack([x, x], 1)
xp.stack([x, i], -1, dtype=np.float32)
xp.hstack([x, x], dtype=np.float32)
xp.vstack(([1, 2], [3, 4]))
xp.column_stack([[1, 2], [3, 4]])
xp.expand_dims(x, 0)
xp.expand_dims(x, (0, 2))
xp.flip(x, 0)
xp.flip(x, axis=(0, 1))
xp.squeeze([[[1], [2]]])
xp.squeeze([[[1], [2]]], 0)
xp.squeeze([[[1], [2]]], axis=(0, 2))
xp.moveaxis(x, 0, -1)
xp.moveaxis(x, source=0, destination=1)
xp.swapaxes(x, 0, 1)
xp.transpose(x)
xp.transpose(x, (1, 0))
xp.transpose(x, axes=(0, 1))
xp.permute_dims(x, (1, 0))
xp.ravel(x)
xp.ravel(x, "F")
xp.ravel(x.T, "K")
xp.ravel(x.T, order="A")
xp.reshape(x, (4, 3))
xp.reshape(x, (4, 3), "F")
xp.reshape(x, -1, order="F")
xp.reshape(x.T, (2, 6), "A")
xp.repeat(x, 2, 0)
xp.repeat(x, repeats=2, axis=1)
xp.repeat([1, 2, 3], [0, 2, 1])
xp.tile(x, 2)
xp.tile(x, (2, 1))
xp.tile([1, 2], reps=(2, 2))
xp.rot90(x, 1, (0, 1))
xp.split(x, 3)[1]
xp.split(x, [1, 2])[2]
xp.split(x, [1, 3], 1)[1]
xp.split(x, [-1], axis=1)[1]
xp.split(x, (1, 9), 1)[1]
xp.unstack(x, axis=1)[2]
xp.broadcast_to([1, 2, 3], (2, 3))
xp.take(x, [0, 2], 1)
xp.take(x, [[0, 1], [2, 3]])
xp.take(x, [[0, 1], [2, 3]], axis=1)
xp.take(x, 1, 0)
xp.take(x, indices=[5, -7], axis=1, mode="wrap")
xp.take(x, [50, -7], mode="clip")
xp.take_along_axis(x, xp.argsort(x, 1), 1)
xp.take_along_axis(x, xp.argsort(x, 0), axis=0)
xp.sort(x, 0)
xp.sort(x, None)
xp.sort(x, axis=-1, kind="stable")
xp.sort([3, 1, 2])
xp.argsort(x, 0)
xp.argsort(x, None, "stable")
xp.argsort(x, stable=True)
xp.partition([3, 1, 2, 0], 1)[1]
xp.partition(x, (0, 2), 1)[:, 2]
xp.percentile(x, 30)
xp.percentile(x, [10, 50], 0)
xp.percentile(x, q=[10, 50], axis=1, keepdims=True)
xp.percentile(x, 30, method="nearest")
xp.quantile(x, 0.3, 1)
xp.quantile(x, [0.2, 0.7], axis=0)
xp.nanquantile(n, 0.3, 1)
xp.searchsorted([1, 3, 5], [0, 3, 9])
xp.searchsorted([1, 3, 5], 3, "right")
xp.searchsorted([5, 1, 3], v=[2, 4], side="left", sorter=[1, 2, 0])
xp.digitize([0.5, 1.5], [0.0, 1.0, 2.0], True)
xp.bincount([0, 2, 2], [0.5, 1, 2], 5)
xp.bincount([0, 2, 2], minlength=4)
xp.histogram([1, 2, 2, 9], 4)[0]
xp.histogram([1, 2, 2, 9], 4, (0, 8))[1]
xp.histogram([1, 2, 2, 9], [0, 2, 4], None, True)[0]
xp.histogram([1, 2, 2, 9], 3, weights=[1, 2, 3, 4.5])[0]
xp.where(m)[1]
xp.where(m, x, 0)
xp.where([1, 0, 2], [1, 2, 3], [4, 5, 6])
xp.where(True, 1, 2)
xp.nonzero([0, 3, 0, 4])[0]
xp.isin([1, 2, 3], [2])
xp.isin([1, 2, 3], [2], invert=True)
xp.isin([1, 2, 3], [2], False, True)
xp.intersect1d([3, 1, 2], [2, 3, 4])
xp.intersect1d([3, 1, 3, 2], [2, 3, 4], return_indices=True)[1]
xp.intersect1d([3, 1, 3, 2], [2, 3, 4], return_indices=True)[2]
xp.setdiff1d([3, 1, 2], [2, 9])
xp.setdiff1d([3, 1, 2], [2, 9], True)
xp.union1d([3, 1], [2, 3])
xp.clip(x, 1, 5)
xp.clip(x, None, 5)
xp.clip(x, a_min=2, a_max=6)
xp.clip(x, a_min=None, a_max=6)
xp.clip(x, min=2)
xp.clip([1, 5, 9], [2, 2, 2], 8)
xp.nan_to_num(n)
xp.nan_to_num(n, nan=7.0)
xp.nan_to_num(n, True, 7.0, 1.0, -1.0)
xp.round(x)
xp.round(x, 1)
xp.round(x, decimals=2)
xp.round([15, 25, 149], -1)
xp.round([12.5, 155.0], -1)
xp.around(x, 1)
xp.rint([1, 2])
xp.rint([0.5, 1.5])
xp.angle(c)
xp.angle(c, True)
xp.angle(c, deg=True)
xp.diff(x)
xp.diff(x, 2)
xp.diff(x, 1, 0)
xp.diff(x, prepend=0)
xp.diff([1, 4, 9], 1, -1, 0, 100)
xp.diff(x, axis=0, append=[[1, 2, 3, 4]])
xp.trapezoid([1, 2, 3])
xp.trapezoid([1, 2, 3], [0, 1, 3])
xp.trapezoid(x, dx=0.5, axis=0)
xp.trapezoid(x, [0.0, 1.0, 3.0], 1.0, 0)
xp.tensordot(x, x.T, 1)
xp.tensordot(x, x, ([0, 1], [0, 1]))
xp.tensordot(x, x.T, axes=1)
xp.matmul(x, x.T)
xp.matmul(i, i.T, dtype=np.float32)
xp.dot([1, 2], [3, 4])
xp.dot(x, 2)
xp.inner([1, 2], [3, 4])
xp.outer([1, 2], [3, 4])
xp.outer(x, [1, 2])
xp.kron([1, 10], [1, 2])
xp.vecdot(x, x)
xp.matvec(x, [1, 2, 3, 4])
xp.vecmat([1, 2, 3], x)
xp.cross([1, 2, 3], [4, 5, 6])
xp.cross(x[:, :3], x[:, 1:])
xp.cross(x, x + 1, axis=0)
xp.diagonal(x)
xp.diagonal(x, 1)
xp.diagonal(xp.zeros((2, 3, 4)), 0, 1, 2)
xp.trace(x)
xp.trace(i, 1)
xp.trace(xp.ones((2, 3, 4)), 0, 1, 2, np.int32)
xp.einsum("ij->ji", x)
xp.einsum("ij,kj->ik", x, x, optimize=True)
xp.einsum(x, [0, 1], [1, 0])
xp.einsum(x, [0, 1], x, [2, 1])
xp.einsum(x, [..., 0], [..., 0])
xp.einsum("ij,ij", i, i, dtype=np.float64)
xp.isclose([1.0, 2.0], [1.0, 2.1], 0.1)
xp.isclose([1.0, np.nan], [1.0, np.nan], 1e-5, 1e-8, True)
xp.fft.fft(x, 3)
xp.fft.fft(x, 6, 0)
xp.fft.fft(x, norm="ortho")
xp.fft.fft(x, norm=None)
xp.fft.rfft([1, 2, 3])
xp.fft.irfft(c, 5, 1)
xp.fft.fftn(x, (2, 2), (0, 1))
xp.fft.fftfreq(5, 0.1)
xp.fft.rfftfreq(5, d=0.1)
xp.fft.fftshift(x, 1)
xp.fft.ifftshift(x, axes=0)
xp.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
xp.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]], upper=True)
xp.linalg.eigh([[2.0, 9.0], [1.0, 3.0]])[0]
xp.linalg.eigh([[2.0, 9.0], [1.0, 3.0]], "U")[0]
xp.linalg.eigvalsh([[2.0, 9.0], [1.0, 3.0]], UPLO="U")
xp.linalg.qr(x, "r").shape
xp.linalg.qr(x.T, mode="complete")[0].shape
xp.linalg.svd(x, False)[0].shape
xp.linalg.svd(x, compute_uv=False)
xp.linalg.matrix_rank(x, 3.0)
xp.linalg.matrix_rank(x, tol=1e-3)
xp.linalg.matrix_rank([1.0, 2.0])
xp.linalg.pinv(x, 1e-10)
xp.linalg.pinv(x, rcond=1e-10)
xp.linalg.pinv(x, rtol=1e-10)
xp.linalg.cond(x[:, :3])
xp.linalg.cond(x[:, :3], 1)
xp.linalg.cond(x[:, :3], "fro")
xp.linalg.cond(x[:, :3], np.inf)
xp.linalg.lstsq(x[:, :2], [1.0, 2.0, 4.0])[0]
xp.linalg.lstsq(x[:, :2], [1.0, 2.0, 4.0], rcond=None)[1]
xp.linalg.lstsq(x[:, :2], x[:, 2:], None)[1]
xp.sum(xp.linalg.lstsq(x[:, :2], x[:, 2:])[2])
xp.linalg.lstsq(x[:, :2], x[:, 2:])[3]
xp.linalg.lstsq([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]], [1.0, 2.0, 3.0], 1e-10)[1]
xp.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [6.0, 4.0])
xp.linalg.matrix_power(i[:, :3], 3)
xp.linalg.vector_norm(x, axis=1, ord=1)
xp.add([1, 2], 3)
xp.add(x, [1, 2, 3, 4])
xp.add(1, 2)
xp.add(i, 1, dtype=np.float32)
xp.add(x, i, dtype=np.float64)
xp.sqrt(i, dtype=np.float32)
xp.multiply(x, 2, where=m, out=xp.ones((3, 4)))
xp.absolute([-1, 2])
xp.power([1, 2, 3], 2)
xp.arctan2([1.0, -1.0], -1.0)
xp.arccos([1.0, 0.0])
xp.true_divide([1, 2], 2)
xp.mod([5, -5], 3)
xp.degrees([1.0, 2.0])
xp.radians([90.0])
xp.invert([1, 2])
xp.bitwise_not([1, 2])
xp.left_shift([1, 2], 2)
xp.right_shift([8, 4], 2)
xp.conjugate(c)
xp.greater([1, 2, 3], 2)
xp.add(m, m)
xp.add(m, True)
xp.multiply(m, ~m)
xp.floor_divide(m, True)
xp.power(m, m)
xp.remainder(True, m | True)
xp.left_shift(m, m)
xp.absolute(m)
xp.floor(m)
xp.square(m)
xp.astype(x, np.int8)
xp.can_cast(np.float64, np.float32, "same_kind")
xp.can_cast(np.int64, np.uint64, casting="same_kind")
""".split("\n")[1:-1]

RANDOM = np.random.default_rng(7)
OPERANDS = {
    "x": RANDOM.normal(size=(3, 4)) * 5,
    "i": RANDOM.integers(1, 9, (3, 4)),
    "m": np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]]),
    "c": RANDOM.normal(size=(3, 4)) + 1j * RANDOM.normal(size=(3, 4)),
    "n": np.where(RANDOM.random((3, 4)) < 0.3, np.nan, RANDOM.normal(size=(3, 4))),
    "e": np.zeros(0),
}


def evaluated(xp, expression, convert=lambda it: it):
    return eval(expression, {"xp": xp, "np": np, **{name: convert(it) for name, it in OPERANDS.items()}})


@pytest.mark.parametrize("call", CALLS)
def test_a_call_has_the_result_of_numpy(call):
    expected = evaluated(np, call)
    found = evaluated(bv, call, lambda it: bv.asarray(it.copy()))
    if isinstance(expected, (tuple, bool)):
        assert found == expected
        return
    assert isinstance(found, bv.Array)
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert str(found.dtype) == str(expected.dtype)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, atol=1e-12)


#: Functions that write their result to an array that is given, as the last argument or by name.
OUTPUTS = """
xp.add(x, 1, out)
xp.add(x, x, out=out)
xp.add(x, x, out=(out,))
xp.add(1, [1, 2, 3, 4], out)
xp.sqrt(i, out)
xp.negative(x, out=out)
xp.multiply(x, 2, out, where=m)
xp.add(i, i, out, dtype=np.int64)
xp.divide(x, i, out=out, casting="unsafe")
xp.round(x, 1, out)
xp.round(x, 0, out)
xp.clip(x, 0, 1, out)
xp.clip(x, 0, 1, out=out)
xp.take(x, [1, 2, 0], 0, out)
xp.concatenate([x[:1], x[1:]], 0, out)
xp.cumsum(x, 0, None, out)
xp.cumsum(i, 1, out=out)
xp.cumprod(x, 1, out=out)
xp.matmul(x, np.eye(4), out)
xp.dot(x, np.eye(4), out=out)
xp.einsum("ij->ij", x, out=out)
xp.outer([1, 2, 3], [1, 2, 3, 4], out)
xp.stack([x[0], x[1], x[2]], 0, out)
""".split("\n")[1:-1]
REDUCED = """
xp.sum(x, 0, None, out)
xp.sum(i, axis=0, out=out)
xp.sum(x, 0, np.float32, out)
xp.prod(x, 0, out=out)
xp.mean(x, 0, None, out)
xp.mean(x, 0, out=out, where=m)
xp.std(x, 0, out=out)
xp.var(x, 0, None, out, 1)
xp.max(x, 0, out)
xp.min(i, 0, out=out)
xp.median(x, 0, out)
xp.percentile(x, 40, 0, out)
xp.ptp(x, 0, out)
xp.nansum(n, 0, out=out)
xp.nanmean(n, 0, out=out)
""".split("\n")[1:-1]


@pytest.mark.parametrize("call, shape", [(call, (3, 4)) for call in OUTPUTS] + [(call, (4,)) for call in REDUCED])
def test_a_result_is_written_to_out(call, shape):
    theirs = np.full(shape, 7.0)
    memory = np.full((*shape[:-1], shape[-1] * 2), 7.0)
    # An output with gaps: every second column.
    ours = bv.asarray(memory)[..., ::2]
    expected = eval(call, {"xp": np, "np": np, "out": theirs, **OPERANDS})
    found = eval(call, {"xp": bv, "np": np, "out": ours, **{k: bv.asarray(v) for k, v in OPERANDS.items()}})
    assert expected is theirs
    assert found is ours
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6)
    assert (memory[..., 1::2] == 7.0).all()


def test_out_may_be_memory_of_numpy_and_may_overlap_the_operands():
    out = np.zeros(3)
    bv.add([1, 2, 3], 1, out=out)
    assert out.tolist() == [2, 3, 4]
    x = bv.arange(6)
    bv.add(x[:5], x[1:], out=x[1:])
    assert x.tolist() == [0, 1, 3, 5, 7, 9]


#: Calls that NumPy refuses, and the exception; `o` and `k` are arrays of 3 by 4 floats and integers, `v` a vector of 3.
REFUSED = {
    "xp.add(x, x, v)": ValueError,
    "xp.add(x, x, k)": TypeError,
    "xp.add(x, x, [0.0] * 4)": TypeError,
    "xp.add(x, 1, axes=3)": TypeError,
    "xp.add(x, 1, dtype=np.int64)": TypeError,
    "xp.add(x, 1, out=o, casting='none')": ValueError,
    "xp.add(x, 1, where=i)": TypeError,
    "xp.sqrt(x, k)": TypeError,
    "xp.sum(x, 0, None, o)": ValueError,
    "xp.std(x, 0, out=xp.zeros(4, dtype=np.int64))": TypeError,
    "xp.ptp(x, 0, out=xp.zeros(4, dtype=np.int64))": TypeError,
    "xp.nanmean(x, 0, out=xp.zeros(4, dtype=np.int64))": TypeError,
    "xp.matmul(x, np.eye(4), out=k)": TypeError,
    "xp.clip(x, 0, 1, out=k)": TypeError,
    "xp.max(x, 0, out=v)": ValueError,
    "xp.max(x, where=m)": ValueError,
    "xp.concatenate([x, x], out=o)": ValueError,
    "xp.concatenate([x[:1], x[1:]], dtype=np.int64)": TypeError,
    "xp.concatenate([x[:1], x[1:]], out=o, dtype=np.float64)": TypeError,
    "xp.subtract(m, m)": TypeError,
    "xp.negative(m)": TypeError,
    "xp.split(x, 2)": ValueError,
    "xp.split(x, 2, 5)": IndexError,
    "xp.take(x, 99)": IndexError,
    "xp.take(x, 1, mode='other')": ValueError,
    "xp.where(m, x)": ValueError,
    "xp.std(x, ddof=1, correction=1)": ValueError,
    "xp.cumulative_sum(x)": ValueError,
    "xp.sort(x, kind='bogo')": ValueError,
    "xp.reshape(x, (4, 3), 'X')": ValueError,
    "xp.add([1, 2], [1, 2, 3])": ValueError,
    "xp.mean([[1, 2], [3]])": ValueError,
    "xp.squeeze(x, 0)": ValueError,
    "xp.arange()": TypeError,
    "xp.clip(x, 1, 2, a_min=3, a_max=4)": (TypeError, ValueError),
    "xp.linalg.eigh([[1.0]], 'X')": ValueError,
}


@pytest.mark.parametrize("call, exception", REFUSED.items(), ids=REFUSED)
def test_what_numpy_refuses_is_refused(call, exception):
    extra = {"o": np.zeros((3, 4)), "k": np.zeros((3, 4), int), "v": np.zeros(3)}
    for xp, convert in ((np, lambda it: it), (bv, bv.asarray)):
        names = {name: convert(it) for name, it in {**OPERANDS, **extra}.items()}
        with pytest.raises(exception):
            eval(call, {"xp": xp, "np": np, **names})


def test_errors_say_what_was_given():
    with pytest.raises(TypeError, match="cannot cast float64 to int64"):
        bv.add(bv.ones(3), 1.5, out=bv.zeros(3, bv.int64))
    with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(4,\) could not be broadcast"):
        bv.add(bv.ones((2, 3)), bv.ones(4))
    with pytest.raises(ValueError, match=r"out must have shape \(4,\).*\(3,\)"):
        bv.ptp(bv.ones((3, 4)), 0, bv.zeros(3))


def test_put_along_axis_takes_values_by_name():
    x = bv.asarray([[3, 1], [2, 4]])
    bv.put_along_axis(x, indices=[[0], [1]], values=0, axis=1)
    assert x.tolist() == [[0, 1], [2, 0]]
    bv.put_along_axis(x, [1, 2], [7, 8], None)
    assert x.tolist() == [[0, 7], [8, 0]]


def test_nan_to_num_replaces_in_place():
    x = bv.asarray([1.0, bv.nan])
    assert bv.nan_to_num(x, copy=False) is x
    assert x.tolist() == [1.0, 0.0]


def test_a_part_of_a_split_is_a_view_and_the_method_takes_lengths():
    x = bv.arange(6)
    parts = bv.split(x, 3)
    assert isinstance(parts, list)
    assert all(bv.shares_memory(part, x) for part in parts)
    assert [part.tolist() for part in x.split(4)] == [[0, 1, 2, 3], [4, 5]]


def test_column_major_results_are_column_major():
    for x in (bv.zeros((2, 3), order="F"), bv.full((2, 3), 1, order="F"), bv.zeros_like(bv.ones((2, 3)), order="F")):
        assert bv.asarray(x).strides == np.zeros((2, 3), order="F").strides or x.T.is_contiguous()
    x = bv.zeros((3, 2)).T
    assert bv.shares_memory(bv.ravel(x, "F"), x)
    assert bv.shares_memory(bv.reshape(x, (3, 2), "F"), x)
    zoo.assert_same(bv.reshape(x, (3, 2), "F"), np.zeros((3, 2)))


def test_operators_take_lists():
    x = bv.asarray([1, 2])
    assert (x + [1, 2]).tolist() == [2, 4]
    assert ([1, 2] * x).tolist() == [1, 4]
    assert (x == [1, 3]).tolist() == [True, False]
    assert (x @ [3, 4]).tolist() == 11
