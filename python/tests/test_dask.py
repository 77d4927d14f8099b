"""dask.array with our arrays as chunks, in one process and in two workers."""

import warnings

import numpy as np
import pytest

import belvedere as bv

da = pytest.importorskip("dask.array")

X = np.linspace(-3.0, 4.0, 48).reshape(6, 8)
Y = np.cos(np.arange(48.0)).reshape(6, 8)
N = np.arange(48).reshape(6, 8) % 7

#: Operations on one or two chunked arrays, with `np` and `da` as namespaces.
OPERATIONS = {
    "add": lambda xp, x, y, n: x + y,
    "add a number": lambda xp, x, y, n: 2 + x,
    "subtract": lambda xp, x, y, n: x - y,
    "multiply": lambda xp, x, y, n: x * y,
    "divide": lambda xp, x, y, n: x / (y + 3),
    "floor divide": lambda xp, x, y, n: n // 3,
    "remainder": lambda xp, x, y, n: n % 3,
    "power": lambda xp, x, y, n: x**2,
    "negative": lambda xp, x, y, n: -x,
    "absolute": lambda xp, x, y, n: abs(x),
    "compare": lambda xp, x, y, n: x < y,
    "equal": lambda xp, x, y, n: n == 3,
    "and": lambda xp, x, y, n: (x > 0) & (y > 0),
    "invert": lambda xp, x, y, n: ~(x > 0),
    "exp": lambda xp, x, y, n: xp.exp(x),
    "sqrt": lambda xp, x, y, n: xp.sqrt(abs(x)),
    "sin": lambda xp, x, y, n: xp.sin(x),
    "arctan2": lambda xp, x, y, n: xp.arctan2(x, y),
    "maximum": lambda xp, x, y, n: xp.maximum(x, y),
    "isnan": lambda xp, x, y, n: xp.isnan(x),
    "floor": lambda xp, x, y, n: xp.floor(x),
    "sum": lambda xp, x, y, n: x.sum(),
    "sum of rows": lambda xp, x, y, n: x.sum(axis=1),
    "sum, axes kept": lambda xp, x, y, n: x.sum(axis=0, keepdims=True),
    "sum of integers": lambda xp, x, y, n: n.sum(axis=0),
    "prod": lambda xp, x, y, n: (y + 2).prod(axis=1),
    "mean": lambda xp, x, y, n: x.mean(axis=0),
    "mean of integers": lambda xp, x, y, n: n.mean(),
    "std": lambda xp, x, y, n: x.std(axis=1),
    "var": lambda xp, x, y, n: x.var(),
    "var, corrected": lambda xp, x, y, n: x.var(axis=0, ddof=1),
    "min": lambda xp, x, y, n: x.min(axis=0),
    "max": lambda xp, x, y, n: x.max(),
    "any": lambda xp, x, y, n: (x > 3).any(axis=0),
    "all": lambda xp, x, y, n: (x > -9).all(),
    "argmax": lambda xp, x, y, n: y.argmax(axis=0),
    "argmin": lambda xp, x, y, n: y.argmin(axis=1),
    "cumsum": lambda xp, x, y, n: xp.cumsum(x, axis=0),
    "cumprod": lambda xp, x, y, n: xp.cumprod(y, axis=1),
    "slice": lambda xp, x, y, n: x[1:5, ::2],
    "slice backwards": lambda xp, x, y, n: x[::-1, 3],
    "new axis": lambda xp, x, y, n: x[:, None, 2:],
    "by a list": lambda xp, x, y, n: x[[4, 0, 2]],
    "transpose": lambda xp, x, y, n: x.T,
    "swapaxes": lambda xp, x, y, n: xp.swapaxes(x, 0, 1),
    "moveaxis": lambda xp, x, y, n: xp.moveaxis(x[:, :, None], 2, 0),
    "reshape": lambda xp, x, y, n: x.reshape(2, 3, 8),
    "ravel": lambda xp, x, y, n: x.ravel(),
    "squeeze": lambda xp, x, y, n: xp.squeeze(x[:, :1], axis=1),
    "expand_dims": lambda xp, x, y, n: xp.expand_dims(x, 1),
    "broadcast_to": lambda xp, x, y, n: xp.broadcast_to(x, (3, 6, 8)),
    "flip": lambda xp, x, y, n: xp.flip(x, 0),
    "roll": lambda xp, x, y, n: xp.roll(x, 2, axis=1),
    "stack": lambda xp, x, y, n: xp.stack([x, y]),
    "concatenate": lambda xp, x, y, n: xp.concatenate([x, y], axis=1),
    "where": lambda xp, x, y, n: xp.where(x > 0, x, y),
    "where with numbers": lambda xp, x, y, n: xp.where(x > 0, x, 0.0),
    "clip": lambda xp, x, y, n: xp.clip(x, -1, 1),
    "round": lambda xp, x, y, n: xp.round(x),
    "matmul": lambda xp, x, y, n: x @ y.T,
    "dot": lambda xp, x, y, n: xp.dot(x, y.T),
    "tensordot": lambda xp, x, y, n: xp.tensordot(x, y, axes=((0, 1), (0, 1))),
    "einsum": lambda xp, x, y, n: xp.einsum("ij,kj->ik", x, y),
    "outer": lambda xp, x, y, n: xp.outer(x[0], y[1]),
    "astype": lambda xp, x, y, n: x.astype("float32"),
    "take": lambda xp, x, y, n: xp.take(x, [1, 3], axis=1),
    "diff": lambda xp, x, y, n: xp.diff(x, axis=1),
    "repeat": lambda xp, x, y, n: xp.repeat(x, 2, axis=0),
    "tile": lambda xp, x, y, n: xp.tile(x, (2, 1)),
    "tril": lambda xp, x, y, n: xp.tril(x),
    "like": lambda xp, x, y, n: xp.ones_like(x) + xp.zeros_like(x),
    "standardized": lambda xp, x, y, n: (x - x.mean(axis=0)) / x.std(axis=0),
    "norms": lambda xp, x, y, n: xp.sqrt((x * x).sum(axis=1)),
}


def chunked(values):
    """Returns a dask array with four chunks that are our arrays."""
    return da.from_array(bv.asarray(values, copy=True), chunks=(3, 4), asarray=False)


def result(name):
    operate = OPERATIONS[name]
    expected = operate(np, X, Y, N)
    lazy = operate(da, chunked(X), chunked(Y), chunked(N))
    return lazy, expected


def check(found, expected, name):
    assert type(found) is bv.Array, (name, type(found))
    expected = np.asarray(expected)
    assert found.shape == expected.shape, name
    assert np.dtype(found.dtype) == expected.dtype, (name, found.dtype)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", OPERATIONS)
def test_dask_chunks_are_our_arrays(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lazy, expected = result(name)
        check(lazy.compute(scheduler="synchronous"), expected, name)
    assert type(lazy._meta) is bv.Array
    if lazy.ndim:
        block = lazy.blocks[(0,) * lazy.ndim].compute(scheduler="synchronous")
        assert type(block) is bv.Array


def test_map_blocks_passes_our_arrays():
    seen = []

    def double(block):
        seen.append(type(block))
        return block * 2

    lazy = chunked(X).map_blocks(double)
    check(lazy.compute(scheduler="threads"), X * 2, "map_blocks")
    assert set(seen) == {bv.Array}
    halo = chunked(X).map_overlap(lambda block: block + 1, depth=1, boundary="none")
    check(halo.compute(scheduler="threads"), X + 1, "map_overlap")
    check(
        da.blockwise(lambda a, b: a + b, "ij", chunked(X), "ij", chunked(Y), "ij", dtype=float).compute(),
        X + Y,
        "blockwise",
    )


def test_rechunked_blocks_are_our_arrays():
    lazy = chunked(X).rechunk((2, 8))
    check(lazy.compute(scheduler="synchronous"), X, "rechunk")
    assert type(lazy.blocks[1, 0].compute(scheduler="synchronous")) is bv.Array


def test_two_processes_give_the_same_result():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, protocol="tcp"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        names = list(OPERATIONS)
        pairs = [result(name) for name in names]
        found = client.gather(client.compute([lazy for lazy, _ in pairs]))
        for name, ours, (_, expected) in zip(names, found, pairs):
            check(ours, expected, name)
        # Both workers took part, and their results are our arrays.
        held = client.persist(chunked(X).rechunk((1, 8)) + 1)
        distributed.wait(held)
        kinds = client.run(lambda dask_worker: {type(it).__name__ for it in dask_worker.data.values()})
        assert len(kinds) == 2
        assert set().union(*kinds.values()) == {"Array"}


REDUCTIONS = {
    "quantile": lambda xp, x: xp.quantile(x, [0.1, 0.5], axis=0),
    "nanpercentile": lambda xp, x: xp.nanpercentile(x, [10, 50], axis=0),
    "median": lambda xp, x: xp.median(x, axis=1),
    "nanmean": lambda xp, x: xp.nanmean(x, axis=1),
    "nanstd": lambda xp, x: xp.nanstd(x),
    "mean": lambda xp, x: xp.mean(x),
    "mean of columns": lambda xp, x: xp.mean(x, axis=0, keepdims=True),
    "variance": lambda xp, x: xp.var(x, axis=(0, 1), ddof=1),
    "histogram": lambda xp, x: xp.histogram(x, bins=10, range=(-2, 2))[0],
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_statistics_are_our_arrays(name):
    expected = REDUCTIONS[name](np, X)
    check(REDUCTIONS[name](da, chunked(X)).compute(scheduler="synchronous"), expected, name)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_percentiles_are_those_of_numpy_chunks(method):
    expected = da.percentile(da.from_array(X.ravel(), chunks=12), [10, 50, 90], method=method)
    lazy = da.percentile(da.from_array(bv.asarray(X.ravel()), chunks=12, asarray=False), [10, 50, 90], method=method)
    check(lazy.compute(scheduler="synchronous"), expected.compute(scheduler="synchronous"), method)


def test_empty_chunks_have_no_percentiles():
    lazy = da.percentile(da.from_array(bv.zeros(0), asarray=False), [50])
    with pytest.raises(ValueError, match="non-trivial"):
        lazy.compute(scheduler="synchronous")


def test_sizes_are_those_of_the_elements():
    from dask.sizeof import sizeof

    assert sizeof(bv.zeros((100, 50))) == 100 * 50 * 8
    assert sizeof(bv.broadcast_to(bv.zeros((1, 50)), (100, 50))) == 50 * 8


def test_chunks_become_numpy_arrays_on_request():
    found = chunked(X).to_backend("numpy").compute(scheduler="synchronous")
    assert type(found) is np.ndarray
    assert (found == X).all()


def test_chunks_become_our_arrays_on_request():
    lazy = da.from_array(X, chunks=3).to_backend("belvedere") * 2
    assert type(lazy._meta) is bv.Array
    check(lazy.compute(scheduler="synchronous"), X * 2, "to_backend")


CREATED = {
    "ones": lambda xp: xp.ones((4, 6)),
    "zeros": lambda xp: xp.zeros(5, dtype="float32"),
    "full": lambda xp: xp.full((2, 3), 7),
    "arange": lambda xp: xp.arange(2, 20, 3),
}


@pytest.mark.parametrize("name", CREATED)
def test_our_arrays_are_created_as_configured(name):
    import dask

    with dask.config.set({"array.backend": "belvedere"}):
        lazy = CREATED[name](da)
    assert type(lazy._meta) is bv.Array
    check(lazy.compute(scheduler="synchronous"), CREATED[name](np), name)
