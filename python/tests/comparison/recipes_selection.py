"""Calls of functions that select, sort and search elements, and of functions of sets."""

from __future__ import annotations

_SORT = ["f(x)", "f(v)", "f(x, 0)", "f(x, axis=None)", "f(t, axis=1)", "f(nan)", "f(z)", "f([3, 1, 2])", "f(e)", "f(s)", "f(x, axis=5)", "f(e, axis=0)"]
_KINDS = ["f(x, 0, 'stable')", "f(x, kind='mergesort')", "f(x, stable=True)", "f(x, kind='heapsort')", "f(x, kind='none')", "f(x, -1, 'stable')"]
_PARTITION = ["f(v, 2){at}", "f(x, 1){at}", "f(x, 1, 0){first}", "f(x, kth=2, axis=-1){at2}", "f(x, 5, axis=None){flat}", "f(v, 9)", "f(v, -1){last}", "f([5, 3, 4], 1){at}"]
_SETS = ["f(v, w)", "f(x, y)", "f([1, 2, 3], [2, 3, 4])", "f(v, [0, 1])", "f(nanv, nanv)", "f(v, w, assume_unique=False)", "f(ranks, ranks[0])", "f(empty, v)", "f(v, 2)", "f([3, 1, 2], [2, 1], True)"]
_INDEX_FUNCTIONS = ["f(x)", "f(m)", "f(nan)", "f(v)", "f([0, 1, 2])", "f(e)", "f(t)"]

CALLS: dict[str, list[str]] = {
    "sort": _SORT + _KINDS,
    "argsort": [*(it.replace("f(", "f(", 1) for it in _SORT if it not in ("f(x)", "f(x, 0)", "f(x, axis=None)", "f(t, axis=1)", "f(v)")), "f(x, 0, 'stable')", "f(x, kind='stable')", "f(t, 1, stable=True)",
                "f(v, kind='stable')", "f(x, axis=None, kind='stable')", "f(x, kind='none')"],
    "sort_complex": ["f(x)", "f(z)", "f([3, 1, 2])", "f(v)"],
    "lexsort": ["f((v, w))", "f([v])", "f((row, ranks[0]))", "f(x)", "f(x, axis=0)", "f((x, ranks), 1)", "f(([1, 1, 0], [2, 1, 3]))", "f(())"],
    "partition": [it.format(at="[..., 1:2]", first="[1]", at2="[..., 2]", flat="[5]", last="[-1]") for it in _PARTITION if "v, 2" not in it] + ["f(v, 2)[2]", "f(v, [1, 3])[[1, 3]]", "f(x, 9)"],
    "argpartition": ["v[f(v, 2)[2]]", "xp.take_along_axis(x, f(x, 1), -1)[:, 1]", "xp.take_along_axis(x, f(x, 1, 0), 0)[1]", "f(x, 9)", "form(f(x, 2, axis=-1))", "form(f(x, 2, axis=None))", "form(f([3, 1, 2], 1))"],
    "nonzero argwhere flatnonzero": [*_INDEX_FUNCTIONS, "f(s)", "f(3)"],
    "take": ["f(x, 1)", "f(x, i)", "f(x, i, 0)", "f(x, ij, axis=1)", "f(x, [0, 1], 1)", "f(v, [-1, 2])", "f([5, 6, 7], [0, 2])", "f(x, 99)", "f(x, 99, mode='wrap')", "f(x, [-1, 99], mode='clip')", "f(x, i, axis=5)",
             "f(x, [0, 3], axis=0)", "f(x, [0, 1, 2], 1, ox[:, :3])", "f(x, [], 0)", "f(x, 1.0)", "f(s, 0)", "f(x, [0], 0, None, 'wrap')", "f(x, indices=1, axis=0)", "f(x, [True, False])"],
    "take_along_axis": ["f(x, ranks % 3, 0)", "f(x, ranks % 4, 1)", "f(x, ranks % 4, axis=-1)", "f(v, i)", "f(x, i, None)", "f(x, ranks, 1)", "f(x, ij, 1)", "f(x, ranks % 4)"],
    "put_along_axis": ["after(f(ox, ranks[:, :1] % 4, 9, 1), ox)", "after(f(ox, ranks[:1] % 3, 5, axis=0), ox)", "after(f(ov, i, v, 0), ov)", "after(f(ox, ranks % 4, values=y, axis=1), ox)", "f(ox, ranks, 1, 1)", "after(f(ov, i, 3, None), ov)"],
    "put": ["after(f(ov, [0, 2], 9), ov)", "after(f(ox, [0, 5], [1, 0]), ox)", "after(f(ov, i, v), ov)", "f(ov, 99, 1)", "after(f(ov, [9, -9], 1, mode='clip'), ov)", "after(f(ov, [7], 2, 'wrap'), ov)", "after(f(ov, 1, 3), ov)"],
    "putmask": ["after(f(ox, m, y), ox)", "after(f(ox, m, 3), ox)", "after(f(ox, m, [1, 0]), ox)", "f(ox, mv, 1)", "after(f(ov, ov > 5, 1), ov)"],
    "place": ["after(f(ox, m, [5, 6]), ox)", "after(f(ov, mv, v), ov)", "after(f(ov, [1, 0, 0, 0, 1], [3]), ov)", "f(ov, mv, [])"],
    "choose": ["f([0, 1, 1, 0, 1], [v, w])", "f(ranks % 2, [x, y])", "f(ranks, [x, y])", "f(ranks, [x, y], mode='wrap')", "f([0, 1], [5, 6])", "f(ranks, (x, y), None, 'clip')", "f(1, [v, w])"],
    "compress": ["f([True, False, True], x, 0)", "f(mv, v)", "f([0, 1], x)", "f([1, 0], x, axis=1)", "f(m.ravel(), x)", "f([1] * 9, v)", "f([True], x, 5)"],
    "extract": ["f(m, x)", "f(mv, v)", "f([1, 0], [3, 4])", "f(x, x)"],
    "unique": ["f(x)", "f(v)", "f(nanv)", "f([3, 1, 1])", "f(v, True)", "f(v, return_inverse=True)", "f(x, return_counts=True)", "f(x, True, True, True)", "f(x, axis=0)", "f(x, axis=1, return_index=True)", "f(e)", "f(empty)", "f(s)",
               "f(nanv, equal_nan=False)", "f(x, axis=0, return_inverse=True, return_counts=True)", "f(z)", "f(x, axis=4)", "f(ranks, return_inverse=True)"],
    "unique_all unique_counts unique_inverse unique_values": ["f(x)", "f(v)", "f([3, 1, 1])", "f(e)", "f(s)", "f(ranks)"],
    "intersect1d": [*_SETS, "f(v, w, return_indices=True)"],
    "union1d": ["f(v, w)", "f(x, y)", "f([1, 2], [2, 3])", "f(empty, v)", "f(v, 2)", "f(nanv, v)", "f(ranks, v)"],
    "setdiff1d setxor1d": _SETS,
    "isin": ["f(x, y)", "f(x, [1, 2])", "f(v, w, invert=True)", "f(2, v)", "f([1, 2, 3], [2])", "f(x, 1)", "f(v, w, True)", "f(ranks, u8)", "f(nanv, nanv)", "f(x, empty)", "f(x, [1, 2], kind='sort')"],
    "unravel_index": ["f(5, (3, 4))", "f([1, 11], (3, 4))", "f(i[:3], (3, 4))", "f(5, (3, 4), 'F')", "f(5, shape=(3, 4), order='F')", "f(12, (3, 4))", "f(ij, (2, 3))", "f(-1, (3, 4))", "f(1.0, (3, 4))", "f([], (2, 2))", "f(0, ())"],
    "ravel_multi_index": ["f((1, 2), (3, 4))", "f(([0, 1], [2, 3]), (3, 4))", "f((ij, ij), (3, 3))", "f((1, 2), (3, 4), order='F')", "f((5, 2), (3, 4))", "f((5, 9), (3, 4), mode='wrap')", "f((5, 9), (3, 4), 'clip')",
                          "f((5, 9), (3, 4), ('clip', 'wrap'))", "f([[1, 2], [0, 1]], (3, 4))"],
    "packbits": ["f(m)", "f(mv)", "f(m, axis=0)", "f(m, 1, 'little')", "f(ranks)", "f([1, 0, 1])", "f(x)", "f(m, bitorder='little')"],
    "unpackbits": ["f(u8)", "f(u8, axis=0)", "f(u8, 1)", "f(u8, axis=1, count=3)", "f(u8, bitorder='little')", "f(u8, count=-4)", "f(x)", "f(u8, 1, None, 'little')"],
    "apply_along_axis": ["f(xp.sum, 0, x)", "f(lambda a: a[::-1], 1, x)", "f(xp.sort, axis=-1, arr=t)", "f(lambda a: a[:2], 0, x)", "f(xp.max, 1, x, keepdims=True)", "f(lambda a: 3, 0, x)", "f(xp.sum, 5, x)", "f(lambda a: xp.outer(a, a), 1, x)"],
    "apply_over_axes": ["f(xp.sum, t, (0, 2))", "f(xp.sum, x, 0)", "f(xp.max, t, [0, -1])"],
}  # fmt: skip
