"""Counting with Python's containers: array elements as keys of dicts, sets and Counters; text tables; files."""

import io
from collections import Counter, defaultdict

import numpy as np

TABLE = """# day, station, rain, warm
1, 3, 0.5, 11.5
1, 4, 1.5, 12.0
2, 3, 0.0, 14.5
2, 5, 2.5, 10.0
3, 3, 4.0, 9.5
3, 4, 0.0, 13.0
"""


def by_station(table):
    groups = defaultdict(list)
    for row in table:
        groups[int(row[1])].append(row[2])
    return {station: np.array(values) for station, values in sorted(groups.items())}


def histogram(values):
    counts = {}
    for v in values:
        counts[v] = counts.get(v, 0) + 1
    return counts


def main():
    table = np.loadtxt(io.StringIO(TABLE), delimiter=",")
    print("table", table.shape, table.dtype)
    for station, rain in by_station(table).items():
        print(f"station {station}: {rain.sum():.1f} mm on {len(rain)} days, mean {rain.mean():.2f}")
    wettest = table[table[:, 2].argmax()]
    print("wettest:", wettest, "day", int(wettest[0]))

    rolls = np.arange(30000) * 16807 % 2147483647 % 6 + 1
    counter = Counter(rolls)
    print("rolls:", [counter[k] for k in range(1, 7)], "sum", sum(counter.values()))
    assert histogram(rolls.tolist()) == dict(Counter(rolls.tolist()))
    seen = set(rolls[:100])
    print("seen:", sorted(int(v) for v in seen), 3 in seen, 7 in rolls, rolls[0] in seen)
    lookup = {rolls[0]: "first", 100: "other"}
    print(lookup[rolls[0]], len({float(v) for v in table[:, 3]}))
    longest = max(rolls[:50])
    print("max of an iteration:", int(longest), "sum", sum(rolls[:50].tolist()), "sorted", sorted(rolls[:5].tolist()))
    words = "the cat and the dog and the bird".split()
    names = sorted(set(words))
    codes = np.array([names.index(w) for w in words])
    order = np.argsort(-np.bincount(codes), kind="stable")
    for k in order[:3]:
        print(f"{names[k]:>5}: {'#' * np.bincount(codes)[k]}")
    buffer = io.StringIO()
    np.savetxt(buffer, table[:2], fmt="%.2f", delimiter=";")
    print(buffer.getvalue().strip())
    stored = io.BytesIO()
    np.save(stored, table)
    stored.seek(0)
    again = np.load(stored)
    print("same after a file:", np.array_equal(again, table), "bytes", len(table.tobytes()))
    rows = [tuple(r) for r in np.unique(table[:, :2].astype(int), axis=0).tolist()]
    print(rows[:2], any(table[:, 2] > 3), all(v >= 0 for v in table.flat), [round(v, 1) for v in table[0].tolist()])
    pairs = np.array(list(enumerate(codes)))
    return {"table": table, "codes": codes, "order": order, "again": again, "pairs": pairs}
