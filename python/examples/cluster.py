"""A field that is larger than the memory of a cluster, in chunks that are our arrays.

A cluster of processes simulates monthly temperatures on a grid, keeps them, and spills to disk what exceeds the memory
limit of each worker. xarray names the axes and computes, for each point of the grid, the trend, the seasonal cycle and
the spread of what is left. The results are compared with what was simulated.

    python cluster.py --workers 4 --memory 2GiB --size 12GiB
    python cluster.py --scheduler tcp://host:8786 --size 200GiB

Nothing here is special to our arrays except the function that makes a chunk: dask passes chunks between processes by
pickle (protocol 5: the elements are not copied into the stream), asks for their size to decide what is spilled, and
calls NumPy's functions on them, which are answered by our operations. It needs ``dask[distributed]`` and ``xarray``.
"""

import argparse
import math
import sys

import dask
import dask.array as da
import distributed
import numpy as np
import xarray as xr
from dask.utils import format_bytes, parse_bytes

import belvedere as bv

MONTHS = 12
TREND = 0.02  # per year, at the first row of the grid; it doubles towards the last
AMPLITUDE = 8.0  # of the seasons
SPREAD = 1.5  # of the weather
CHUNK_BYTES = 2 * 2**20

#: Workers spill by the size of the arrays they hold. The other limits are for the memory of the whole process, of which
#: Python and the libraries take 150 MiB.
SPILL = {
    "distributed.worker.memory.target": 0.8,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


def months(n_years, n_rows, n_columns, years, rows):
    """Returns the simulated temperatures of a chunk as our array with the axes year, month, row and column.

    ``years`` and ``rows`` are the positions (begin, end) of the chunk in the whole field. The noise depends on them
    only, so that a chunk that is computed again, on any worker, has the same values.
    """
    n, height = years[1] - years[0], rows[1] - rows[0]
    generator = bv.random.default_rng(years[0] * n_rows + rows[0])
    weather = generator.normal(0.0, SPREAD, (n, MONTHS, height, n_columns))
    season = AMPLITUDE * bv.cos(bv.arange(MONTHS) * (2 * math.pi / MONTHS))
    row = bv.arange(rows[0], rows[1]) / n_rows
    year = bv.arange(years[0], years[1], dtype=bv.float64)
    # Broadcast views; only the sums are new memory.
    return weather + season[:, None, None] + (TREND * year)[:, None, None, None] * (1 + row)[:, None]


def simulate(n_bytes, n_rows=256, n_columns=128):
    """Returns the field, lazily, with chunks of at most ``CHUNK_BYTES``."""
    row_bytes = MONTHS * n_columns * 8
    n_years = max(20, n_bytes // (row_bytes * n_rows))
    height = max(1, n_rows // 4)
    depth = max(1, CHUNK_BYTES // (row_bytes * height))

    def chunk(block_info=None):
        years, _, rows, _ = block_info[None]["array-location"]
        return months(n_years, n_rows, n_columns, years, rows)

    def lengths(total, part):
        return (part,) * (total // part) + ((total % part,) if total % part else ())

    chunks = (lengths(n_years, depth), (MONTHS,), lengths(n_rows, height), (n_columns,))
    values = da.map_blocks(chunk, chunks=chunks, meta=bv.zeros((0, 0, 0, 0)))
    coordinates = {"year": np.arange(n_years), "month": np.arange(MONTHS), "row": np.arange(n_rows) / n_rows}
    return xr.DataArray(values, dims=("year", "month", "row", "column"), coords=coordinates, name="temperature")


def analyse(field):
    """Returns the trend, the seasonal cycle and the spread at each point of the grid, lazily."""
    annual = field.mean("month")
    year = field.year - field.year.mean()
    trend = (annual * year).sum("year") / float((year**2).sum())
    season = field.mean("year") - field.mean(("year", "month"))
    rest = field - trend * year - field.mean(("year", "month")) - season
    return xr.Dataset({"trend": trend, "season": season, "spread": rest.std(("year", "month"))})


def check(result):
    """Compares the results with what was simulated; all of them are our arrays."""
    for name, variable in result.data_vars.items():
        assert isinstance(variable.data, bv.Array), (name, type(variable.data))
    trend, season, spread = (result[name].data for name in ("trend", "season", "spread"))
    for name, found, expected in [("trend", trend, TREND * 1.5), ("spread", spread, SPREAD)]:
        mean = float(found.mean())
        assert abs(mean - expected) < 0.05 * expected, f"{name}: {mean} instead of {expected}"
    ratio = float(trend[-8:].mean()) / float(trend[:8].mean())
    assert 1.7 < ratio < 2.3, f"the trend doubles from the first row to the last, not {ratio} times"
    assert abs(float(bv.max(season, axis=0).mean()) - AMPLITUDE) < 0.1 * AMPLITUDE


def report(client, field):
    """Prints where the chunks are. Returns the number of bytes in memory and on disk."""

    def held(dask_worker):
        data = dask_worker.data
        kinds = {type(data.fast[key]).__name__ for key in list(data.fast)}
        return data.spilled_total.disk, data.fast.total_weight, kinds

    workers = client.run(held)
    disk = sum(it[0] for it in workers.values())
    memory = sum(it[1] for it in workers.values())
    print(f"{len(workers)} workers hold {format_bytes(field.nbytes)}: {format_bytes(memory)} in memory and")
    print(f"{format_bytes(disk)} on disk, in {field.data.npartitions} chunks")
    kinds = set().union(*(it[2] for it in workers.values()))
    assert kinds <= {"Array"}, kinds
    return memory, disk


def run(client, n_bytes):
    """Simulates the field, keeps it on the cluster, and analyses it there."""
    field = client.persist(simulate(n_bytes))
    distributed.wait(field)
    memory, disk = report(client, field)
    (result,) = dask.compute(analyse(field))
    check(result)
    trend, spread = float(result.trend.data.mean()), float(result.spread.data.mean())
    print(f"trend {trend:.4f} a year, spread {spread:.3f}")
    return memory, disk


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scheduler", help="the address of a cluster that is running; a local one by default")
    parser.add_argument("--workers", type=int, default=4, help="processes of the local cluster")
    parser.add_argument("--memory", default="1GiB", help="memory limit of the arrays in each of them")
    parser.add_argument("--size", default="6GiB", help="size of the field")
    given = parser.parse_args(arguments)
    n_bytes = parse_bytes(given.size)
    if given.scheduler:
        with distributed.Client(given.scheduler) as client:
            run(client, n_bytes)
        return 0
    with (
        dask.config.set(SPILL),
        distributed.LocalCluster(
            n_workers=given.workers,
            threads_per_worker=1,
            memory_limit=given.memory,
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        _, disk = run(client, n_bytes)
        limit = given.workers * parse_bytes(given.memory)
        print(f"the memory limit of all workers is {format_bytes(limit)}")
        assert n_bytes < limit or disk > 0, "a field larger than the memory is spilled"
    return 0


if __name__ == "__main__":
    sys.exit(main())
