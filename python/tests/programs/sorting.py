"""Sorting algorithms on arrays: bubble, insertion, selection, merge, quick, heap, counting; inversions and ranks."""

import numpy as np


def bubble(a):
    swaps = 0
    for end in range(len(a) - 1, 0, -1):
        for i in range(end):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swaps += 1
    return swaps


def insertion(a):
    for i in range(1, len(a)):
        x, j = int(a[i]), i
        while j > 0 and a[j - 1] > x:
            a[j] = a[j - 1]
            j -= 1
        a[j] = x


def selection(a):
    for i in range(len(a)):
        k = i + a[i:].argmin()
        a[[i, k]] = a[[k, i]]


def merge_sort(a):
    if len(a) < 2:
        return a
    left, right = merge_sort(a[: len(a) // 2]), merge_sort(a[len(a) // 2 :])
    out = np.empty(len(a), a.dtype)
    at = np.searchsorted(left, right, side="right") + np.arange(len(right))
    is_right = np.zeros(len(a), bool)
    is_right[at] = True
    out[is_right], out[~is_right] = right, left
    return out


def quick(a):
    if a.size <= 1:
        return a
    pivot = a[a.size // 2]
    return np.concatenate([quick(a[a < pivot]), a[a == pivot], quick(a[a > pivot])])


def counting(a):
    counts = np.bincount(a)
    return np.repeat(np.arange(len(counts)), counts)


def shuffle(a):
    """Fisher-Yates with a small generator."""
    state = 7
    for i in range(len(a) - 1, 0, -1):
        state = (state * 16807) % 2147483647
        j = state % (i + 1)
        a[i], a[j] = a[j], a[i]


def main():
    a = np.arange(130) // 2
    shuffle(a)
    print("shuffled:", a[:12])
    expected = np.sort(a)
    one, two, three = a.copy(), a.copy(), np.array(a)
    swaps = bubble(one)
    insertion(two)
    selection(three)
    sortings = [one, two, three, merge_sort(a), quick(a), counting(a)]
    print("all sorted:", [np.array_equal(s, expected) for s in sortings])
    inversions = np.sum(np.triu(a[:, None] > a[None, :], k=1))
    print("swaps", swaps, "inversions", inversions)
    big = (np.arange(20000) * 7919) % 20011
    assert (merge_sort(big) == np.sort(big)).all()
    order = np.argsort(big, kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    print("ranks:", ranks[:6], "third smallest", np.partition(big, 2)[2], "top", np.sort(big)[-3:][::-1])
    table = np.array([[3, 1], [1, 2], [3, 0], [1, 1], [2, 9]])
    print(table[np.lexsort((table[:, 1], table[:, 0]))].tolist())
    rows = table[table[:, 1].argsort()]
    table.sort(axis=0)
    print(table[0], table[-1], "is sorted:", bool(np.all(table[:-1] <= table[1:])))
    return {"sorted": one, "quick": quick(a), "swaps": swaps, "inversions": inversions, "ranks": ranks, "rows": rows}
