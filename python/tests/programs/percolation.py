"""Percolation on a square lattice: clusters by label propagation, spanning clusters and their sizes."""

import numpy as np


def lattice(n, p, seed):
    values = (np.arange(n * n) * 2654435761 + seed * 97531) % 2**32
    values ^= values >> 15
    values = values * 2246822519 % 2**32
    return ((values ^ (values >> 13)) / 2**32 < p).reshape(n, n)


def label(grid):
    """Gives each cluster the smallest index of its sites, by repeated minima over the neighbours."""
    none = grid.size
    labels = np.where(grid, np.arange(grid.size).reshape(grid.shape), none)
    while True:
        padded = np.pad(labels, 1, constant_values=none)
        beside = [padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]]
        around = np.minimum.reduce([labels, *beside])
        new = np.where(grid, around, none)
        if (new == labels).all():
            return labels
        labels = new


def spans(labels, none):
    top, bottom = labels[0], labels[-1]
    both = np.intersect1d(top[top < none], bottom[bottom < none])
    return both.size > 0


def main():
    n = 40
    probabilities = [0.4, 0.5, 0.55, 0.6, 0.65, 0.7]
    largest = np.zeros((len(probabilities), 6))
    spanning = np.zeros_like(largest, dtype=bool)
    for i, p in enumerate(probabilities):
        for seed in range(6):
            grid = lattice(n, p, seed)
            labels = label(grid)
            names, sizes = np.unique(labels[grid], return_counts=True)
            largest[i, seed] = sizes.max() / grid.sum()
            spanning[i, seed] = spans(labels, grid.size)
        print(f"p = {p:.2f}: largest cluster {largest[i].mean():.3f}, spans {spanning[i].sum()} of 6")
    crossing = np.interp(0.5, spanning.mean(axis=1), probabilities)
    print(f"half of the lattices span at p = {crossing:.3f}")

    grid = lattice(n, 0.55, 1)
    labels = label(grid)
    names, inverse, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    compact = inverse.reshape(labels.shape)
    print("clusters:", len(names) - 1, "largest", np.sort(sizes[:-1])[::-1][:5])
    distribution = np.bincount(sizes[:-1])
    print("sizes 1 to 6:", distribution[1:7], "mean size %.3f" % np.average(sizes[:-1], weights=sizes[:-1]))
    rows, columns = np.where(compact == sizes[:-1].argmax())
    print(f"largest reaches over {np.ptp(rows) + 1} rows and {np.ptp(columns) + 1} columns")
    return {"largest": largest, "spanning": spanning, "compact": compact, "sizes": sizes, "crossing": crossing}
