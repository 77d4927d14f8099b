"""Calls of functions that change the shape, join and split arrays."""

from __future__ import annotations

_ATLEAST = ["f(x)", "f(s)", "f(v)", "f(t)", "f(3)", "f([1, 2])", "f(v, s)", "f()", "f(e)"]
_STACKS = ["f([x, y])", "f((v, w))", "f([s, s])", "f([x])", "f([[1, 2], [3, 4]])", "f([1, 2])", "f([x, v])", "f([])", "f([v, ranks[0, [0, 1, 2, 3, 0]]])", "f([t, t])"]
_JOIN = [
    "f([x, y])", "f((x, y), 1)", "f([x, y], axis=-1)", "f([v, w, v])", "f([[1, 2], [3, 4]])", "f([x, ranks])", "f([x, y], axis=5)", "f([])", "f([x, v])", "f([s, s])", "f([t, t], axis=1)",
    "f([x, y], dtype=xp.float64)", "f([x, y], 0, dtype='f4', casting='unsafe')", "f([x, y], dtype=xp.int8)", "f([x, e])", "f([x, y], out=xp.zeros((6, 4)))", "f([v, [1, 2]])", "f((row, x[0]))",
]  # fmt: skip
_SPLIT = ["f(k44, 2)", "f(k44, [1, 3])", "f(k44, indices_or_sections=2)", "f(k44, (1,))", "f(k44, 3)", "f(k44, [])", "f(k44, [2, 9])", "f(k44, i[:2])", "f(s, 1)", "f(k44, 0)"]
_SPLIT_AXIS = [*_SPLIT, "f(k44, 2, 1)", "f(k44, 4, axis=-1)", "f(v, 2)", "f(v, [2])", "f(t, 2, 2)", "f(k44, 2, 5)"]
_TRIANGLE = ["f(x)", "f(x, 1)", "f(x, k=-1)", "f(t)", "f(q, 9)", "f(v)", "f([[1, 2], [3, 4]])", "f(s)", "f(m)"]
_MATRIX = ["f(x)", "f(t)", "f(v)", "f(s)", "f([[1, 2], [3, 4]])", "f(e)"]
_MOVED = ["f(x)", "f(v)", "f(t)", "f(s)", "f([1, 2, 3])", "f([[1, 2], [3, 4]])"]

CALLS: dict[str, list[str]] = {
    "reshape": ["f(x, (4, 3))", "f(x, -1)", "f(x, (2, -1))", "f(x, 12)", "f(x, (3, 4), 'F')", "f(x, (4, 3), order='F')", "f(x, shape=(6, 2))", "f(x, (5, 2))", "f(x, (-1, -1))", "f([1, 2, 3, 4], (2, 2))",
                "f(x, (4, 3), copy=True)", "f(x, [2, 6])", "f(s, (1, 1))", "f(e, (4, 0))", "f(x, (3, 2, 2))", "f(x, (4, 3), order='A')", "f(x.T, (2, 6))", "f(x, (4, 3), copy=False)"],
    "ravel": ["f(x)", "f(x, 'F')", "f(x, order='K')", "f(t)", "f(s)", "f(e)", "f([[1, 2], [3, 4]])", "f(x.T)", "f(x, 'A')", "f(3)"],
    "resize": ["f(x, (2, 2))", "f(x, (5, 4))", "f(v, 3)", "f([1, 2], (2, 3))", "f(x, (0,))", "f(v, (-1,))"],
    "transpose": ["f(x)", "f(t)", "f(t, (2, 0, 1))", "f(t, [1, 0, 2])", "f(t, axes=(0, -1, 1))", "f(v)", "f(s)", "f([[1, 2], [3, 4]])", "f(t, (0, 1))", "f(t, (0, 0, 1))", "f(x, None)"],
    "permute_dims": ["f(x, (1, 0))", "f(t, (2, 0, 1))", "f(t, axes=(0, -1, 1))", "f(t, (0, 0, 1))", "f(x, (0, 5))", "f(x)"],
    "swapaxes": ["f(x, 0, 1)", "f(t, 0, -1)", "f(t, axis1=1, axis2=2)", "f(x, 0, 2)", "f([[1, 2]], 0, 1)", "f(x, 0, 0)"],
    "moveaxis": ["f(t, 0, -1)", "f(t, (0, 1), (1, 0))", "f(t, source=[0], destination=[2])", "f(t, 0, 3)", "f(t, (0, 0), (1, 2))", "f(t, (0, 1), (2,))", "f([[1, 2]], 0, 1)"],
    "rollaxis": ["f(t, 2)", "f(t, 1, 3)", "f(t, 0, 2)", "f(t, axis=-1, start=1)", "f(t, 5)"],
    "squeeze": ["f(one)", "f(one, 0)", "f(one, axis=(0, 2))", "f(one, 1)", "f(x)", "f(s)", "f([[1, 2]])", "f(one, axis=7)", "f(one, axis=())", "f(one, axis=(0, 0))"],
    "expand_dims": ["f(x, 0)", "f(x, axis=-1)", "f(x, (0, 2))", "f(v, 1)", "f([1, 2], 0)", "f(x, 5)", "f(x, (0, 0))", "f(s, 0)", "f(x)"],
    "atleast_1d atleast_2d atleast_3d": _ATLEAST,
    "broadcast_to": ["f(row, (3, 4))", "f(s, (2, 2))", "f(column, (3, 5))", "f(x, (2, 3, 4))", "f([1, 2], (2, 2))", "f(x, (3, 3))", "f(v, 5)", "f(x, shape=(1, 3, 4))", "f(x, (4,))", "f(e, (2, 0, 4))"],
    "broadcast_arrays": ["f(x, row)", "f(column, row)", "f(s, v)", "f([1, 2], [[3], [4]])", "f(x, v)", "f(x)", "f()", "f(x, y)", "f(x, 3)"],
    "concatenate concat": [*_JOIN, "f([x, y], axis=None)", "f((x, y), axis=None)"],
    "stack": [*_JOIN, "f([v, w], 1)", "f([v, w], axis=-1)", "f([x, y], axis=2)"],
    "hstack vstack": [*_STACKS, "f([x, y], dtype=xp.float64)", "f([v, w], dtype='f4', casting='unsafe')"],
    "dstack column_stack row_stack": _STACKS,
    "block": ["f([x, y])", "f([[x, y], [y, x]])", "f([v, 1, w])", "f([[q, tall[:3]], [1, 2]])", "f(x)", "f([[1, 2], [3, 4]])", "f([[x], [v]])", "f([])"],
    "unstack": ["f(x)", "f(x, axis=1)", "f(t, axis=-1)", "f(s)", "f(x, axis=4)"],
    "split array_split": _SPLIT_AXIS,
    "hsplit vsplit": [*_SPLIT, "f(v, 5)", "f(t, [1])"],
    "dsplit": [it.replace("k44", "p") for it in _SPLIT] + ["f(k44, 2)", "f(t, 2)", "f(t, [1, 3])"],
    "flip": [*_MOVED, "f(x, 0)", "f(t, axis=(0, 2))", "f(x, axis=-1)", "f(x, 4)", "f(x, (0, 0))", "f(x, None)", "f(e)"],
    "flipud fliplr": _MOVED,
    "rot90": [*_MOVED, "f(x, 2)", "f(x, -1)", "f(t, 1, (1, 2))", "f(t, k=3, axes=(2, 0))", "f(x, 1, (0, 0))", "f(x, 4)", "f(x, 1, (0, 5))"],
    "roll": ["f(x, 1)", "f(x, 1, 0)", "f(x, -2, axis=1)", "f(x, (1, 2), (0, 1))", "f(v, 2)", "f([1, 2, 3], 1)", "f(x, 1, axis=(0, 1))", "f(x, 7)", "f(e, 1)", "f(x, 1, 5)", "f(s, 1)", "f(x, (1, 2), 0)", "f(x, shift=1)"],
    "tile": ["f(x, 2)", "f(x, (2, 1))", "f(v, (2, 2))", "f(s, 3)", "f([1, 2], 2)", "f(x, [1, 2, 1])", "f(x, counts)", "f(x, 0)", "f(x, reps=2)", "f(x, ())", "f(x, (2, -1))"],
    "repeat": ["f(x, 2)", "f(x, 2, 0)", "f(x, [1, 0, 2], axis=0)", "f(v, 3)", "f(x, counts, 0)", "f([1, 2], 2)", "f(3, 4)", "f(x, repeats=2, axis=1)", "f(x, -1)", "f(x, [1, 2])", "f(x, 2, 7)", "f(s, 2)", "f(x, [2], 1)"],
    "pad": ["f(v, 2)", "f(x, 1)", "f(x, (1, 2))", "f(x, ((1, 0), (0, 2)))", "f(v, 1, constant_values=7)", "f(v, (2, 1), 'constant', constant_values=(3, 4))", "f(v, 2, 'edge')", "f(x, 1, mode='reflect')",
            "f(v, 3, 'symmetric')", "f(v, 2, 'wrap')", "f(v, 2, 'mean')", "f(v, 2, 'maximum', stat_length=2)", "f(v, 2, 'minimum')", "f(v, 2, 'median')", "f(v, 2, 'linear_ramp', end_values=9)",
            "f(v, 7, 'reflect')", "f(v, 2, 'reflect', reflect_type='odd')", "f(v, -1)", "f(v, 2, 'none')", "f([1, 2], 1)", "f(s, 0)", "f(e, ((1, 1), (0, 0)))", "f(x, {0: 1})", "f(v, 1, 'empty')[1:-1]", "f(x, 0)"],
    "append": ["f(x, y)", "f(x, y, 0)", "f(x, y, axis=1)", "f(v, 3)", "f(v, [1, 2])", "f([1, 2], 3)", "f(x, row, axis=0)", "f(x, row[None], 0)", "f(v, 1.5)", "f(e, x)"],
    "insert": ["f(v, 1, 9)", "f(v, [1, 3], 9)", "f(v, [1, 3], [7, 8])", "f(x, 1, 5, axis=0)", "f(x, 1, row, 0)", "f(x, 0, three, axis=1)", "f(x, 2, 9)", "f([1, 2], 0, 5)", "f(v, slice(0, 2), 9)", "f(v, 9, 1)", "f(v, -1, 1)",
               "f(v, mv, 3)"],
    "delete": ["f(v, 1)", "f(v, [0, 2])", "f(x, 1, 0)", "f(x, [0, 1], axis=1)", "f(x, 2)", "f(v, slice(1, 3))", "f(v, mv)", "f([1, 2, 3], 0)", "f(v, 9)", "f(v, -1)", "f(x, slice(None, None, 2), 1)", "f(v, [])"],
    "trim_zeros": ["f([0, 0, 1, 2, 0])", "f(v)", "f([0, 1, 0], 'f')", "f([0, 1, 0], trim='b')", "f([0, 0])", "f(x)", "f([[0, 0], [0, 1]], axis=0)"],
    "tril triu": _TRIANGLE,
    "matrix_transpose": _MATRIX,
    "diagonal": ["f(x)", "f(x, 1)", "f(t)", "f(t, 0, 1, 2)", "f(t, offset=-1, axis1=2, axis2=0)", "f(v)", "f([[1, 2], [3, 4]])", "f(x, 9)", "f(x, 0, 0, 0)", "f(x, 0, 0, 5)"],
    "trace": ["f(x)", "f(x, 1)", "f(t)", "f(t, 0, 1, 2)", "f(x, offset=-1, dtype=xp.float64)", "f(v)", "f([[1, 2], [3, 4]])", "f(p, 0, 1, 2, xp.float32)", "f(q, out=xp.zeros(()))", "f(x, 9)"],
    "fill_diagonal": ["after(f(oq, 5), oq)", "after(f(ox, 2), ox)", "after(f(oq, [1, 2, 3]), oq)", "after(f(xp.ones((5, 2)), 7, True))", "after(f(oq, three), oq)", "f(ov, 1)", "after(f(oq, val=0, wrap=True), oq)"],
    "copyto": ["after(f(ox, y), ox)", "after(f(ox, 3), ox)", "after(f(ox, row), ox)", "after(f(ox, nan), ox)", "after(f(ox, y, where=m), ox)", "after(f(ox, 1.5, casting='unsafe'), ox)", "f(ox, v)", "after(f(o, x), o)",
               "after(f(ox, [1, 2, 3, 4], 'unsafe', m), ox)"],
    "lib.stride_tricks.sliding_window_view": ["f(v, 3)", "f(x, (2, 2))", "f(x, 2, axis=1)", "f(x, 2, 0)", "f(v, 9)", "f(x, (2, 2, 2))", "f([1, 2, 3], 2)", "f(x, (2, 3), (0, 1))", "f(v, window_shape=2, writeable=False)", "f(v, 0)"],
    "lib.stride_tricks.as_strided": ["f(v, (3,))", "f(v.copy(), (2, 2), (v.itemsize, v.itemsize))", "f(v.copy(), shape=(2,))", "f(v)", "f(v.copy(), (0,), (8,))"],
}  # fmt: skip
