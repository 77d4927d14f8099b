"""Dynamic programming on tables: edit distance with alignment, longest common subsequence, knapsack, matrix chain."""

import numpy as np


def edit_table(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    table[:, 0] = np.arange(len(a) + 1)
    table[0, :] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + change)
    return table


def align(a, b, table):
    i, j = len(a), len(b)
    top, bottom = "", ""
    while i > 0 or j > 0:
        if i > 0 and j > 0 and table[i][j] == table[i - 1][j - 1] + (a[i - 1] != b[j - 1]):
            i, j, top, bottom = i - 1, j - 1, a[i - 1] + top, b[j - 1] + bottom
        elif i > 0 and table[i][j] == table[i - 1][j] + 1:
            i, top, bottom = i - 1, a[i - 1] + top, "-" + bottom
        else:
            j, top, bottom = j - 1, "-" + top, b[j - 1] + bottom
    return top, bottom


def longest_common(a, b):
    """The length for long sequences, a row at a time."""
    row = np.zeros(len(b) + 1, dtype=np.int32)
    for x in a:
        following = row.copy()
        match = row[:-1] + (b == x)
        following[1:] = np.maximum.accumulate(np.maximum(match, row[1:]))
        row = following
    return row[-1]


def knapsack(weights, values, capacity):
    best = np.zeros((len(weights) + 1, capacity + 1), dtype=int)
    for k, (w, v) in enumerate(zip(weights, values)):
        best[k + 1] = best[k]
        best[k + 1, w:] = np.maximum(best[k, w:], best[k, : capacity + 1 - w] + v)
    chosen, room = [], capacity
    for k in range(len(weights) - 1, -1, -1):
        if best[k + 1, room] != best[k, room]:
            chosen.append(k)
            room -= weights[k]
    return best[-1, -1], sorted(chosen)


def main():
    a, b = "intention of the execution", "an execution of intent"
    table = edit_table(a, b)
    print("distance", table[-1, -1], "table", table.shape)
    for line in align(a, b, table):
        print(line)
    i = np.arange(2500)
    x, y = (i * i + 3 * i) % 7, (i * i * i + i) % 7
    length = longest_common(x, y)
    print(f"longest common subsequence: {length} of {len(x)}")
    weights = np.array([12, 7, 11, 8, 9, 6, 5, 14, 3, 10])
    values = [24, 13, 23, 15, 16, 11, 9, 28, 5, 19]
    value, chosen = knapsack(weights, values, 40)
    print("knapsack:", value, chosen, "weight", weights[chosen].sum())
    codes = np.frombuffer(b"the quick brown fox", dtype=np.uint8)
    letters, counts = np.unique(codes[codes != 32], return_counts=True)
    print({chr(c): int(n) for c, n in zip(letters, counts) if n > 1})
    return {"table": table, "length": length, "value": value, "codes": codes, "counts": counts}
