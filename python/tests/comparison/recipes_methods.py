"""Calls of the methods and attributes of arrays; keys begin with ``Array.``."""

from __future__ import annotations

_REDUCTION = ["x.{m}()", "x.{m}(0)", "x.{m}(axis=1)", "t.{m}(axis=(0, 2))", "x.{m}(axis=0, keepdims=True)", "s.{m}()", "x.{m}(axis=9)", "x.{m}(axis=0, out=ox4)", "nan.{m}(axis=0)", "x.{m}(None)", "e.{m}(axis=0)"]
_WITH_DTYPE = [*_REDUCTION, "x.{m}(dtype=xp.float32)", "x.{m}(0, xp.float64)", "x.{m}(0, None, ox4)", "x.{m}(where=m)"]
_SPREAD = [*_WITH_DTYPE, "x.{m}(ddof=1)", "x.{m}(0, ddof=1)", "x.{m}(0, None, None, 1)"]
_EXTREME = [*_REDUCTION, "x.{m}(0, ox4)", "x.{m}(initial=2)", "x.{m}(where=m, initial=0)"]
_POSITION = ["x.{m}()", "x.{m}(0)", "x.{m}(axis=1)", "x.{m}(axis=-1, keepdims=True)", "s.{m}()", "e.{m}()", "x.{m}(axis=5)", "nan.{m}()", "nan.{m}(1)"]
_CUMULATIVE = ["x.{m}()", "x.{m}(0)", "x.{m}(axis=1)", "x.{m}(1, xp.float64)", "x.{m}(dtype=xp.float32)", "x.{m}(axis=0, out=ox)", "s.{m}()", "x.{m}(axis=4)"]
_ATTRIBUTE = ["x.{m}", "t.{m}", "s.{m}", "e.{m}", "x.T.{m}", "v[::2].{m}"]


def _named(method: str, calls: list[str]) -> list[str]:
    return [it.format(m=method) for it in calls]


_FAMILIES = {
    "sum prod": [*_WITH_DTYPE, "x.{m}(initial=3)", "x.{m}(0, None, None, True)"],
    "mean": _WITH_DTYPE,
    "std var": _SPREAD,
    "max min": _EXTREME,
    "all any": [*_REDUCTION, "x.{m}(0, None, True)", "x.{m}(where=m)"],
    "argmax argmin": _POSITION,
    "cumsum cumprod": _CUMULATIVE,
    "ndim shape size itemsize nbytes strides real imag T": _ATTRIBUTE,
    "mT": ["x.{m}", "t.{m}", "v.{m}", "s.{m}"],
    "conj conjugate": ["x.{m}()", "z.{m}()", "s.{m}()", "t.{m}()"],
    "ravel": ["x.{m}()", "x.{m}('F')", "x.{m}(order='C')", "t.{m}()", "s.{m}()", "x.T.{m}()"],
    "flatten": ["x.{m}()", "x.{m}('F')", "x.{m}(order='C')", "t.{m}()", "s.{m}()", "x.T.{m}()"],
    "tolist": ["x.{m}()", "s.{m}()", "e.{m}()", "t.{m}()"],
    "tobytes": ["x.{m}()", "x.{m}('F')", "x.T.{m}()", "s.{m}()"],
}

CALLS: dict[str, list[str]] = {
    f"Array.{name}": _named(name, calls) for names, calls in _FAMILIES.items() for name in names.split()
}
CALLS |= {
    "Array.argpartition": ["v[v.argpartition(2)[2]]", "form(x.argpartition(1))", "form(x.argpartition(1, axis=0))", "x.argpartition(9)"],
    "Array.argsort": ["x.argsort(kind='stable')", "x.argsort(0, 'stable')", "x.argsort(axis=None, kind='stable')", "x.argsort(stable=True)", "nan.argsort()", "x.argsort(axis=9)"],
    "Array.astype": ["x.astype(xp.float64)", "x.astype(d)", "x.astype(dtype=xp.int32)", "x.astype('f4')", "x.astype(float)", "x.astype(int)", "x.astype(bool)", "x.astype(d, copy=False)", "x.astype(xp.float32, casting='safe')", "x.astype(xp.complex64)",
                     "x.astype(xp.float64, 'C', 'unsafe', True, True)", "x.astype('object')"],
    "Array.base": ["(x.base is None, x[1:].base is None)[1:]"],
    "Array.byteswap": ["x.byteswap()", "ov.byteswap(True)"],
    "Array.choose": ["(ranks % 2).choose([x, y])", "(ranks % 2).choose((x, 5), mode='clip')"],
    "Array.clip": ["x.clip(0, 2)", "x.clip(1)", "x.clip(max=2)", "x.clip(min=0, max=2)", "x.clip(None, 2)", "x.clip(row, 5)", "x.clip(0, 2, ox)", "x.clip(0, 2, out=o)", "x.clip()", "x.clip(0.5, 1.5)"],
    "Array.compress": ["x.compress([True, False], axis=0)", "v.compress(mv)", "x.compress([0, 1, 1], 1)"],
    "Array.copy": ["x.copy()", "x.copy('C')", "x.T.copy(order='K')", "s.copy()"],
    "Array.device": ["str(x.device)[:3]"],
    "Array.diagonal": ["x.diagonal()", "x.diagonal(1)", "t.diagonal(0, 1, 2)", "x.diagonal(offset=-1)", "v.diagonal()"],
    "Array.dot": ["x.dot(row)", "q.dot(r)", "v.dot(w)", "v.dot(2)", "q.dot(r, oq)", "x.dot(v)", "q.dot([[1, 0, 0], [0, 1, 0], [0, 0, 1]])"],
    "Array.dtype": ["str(x.dtype)", "x.dtype == d", "x.dtype.name", "x.dtype.kind", "x.dtype.itemsize", "x.dtype.char", "x.dtype.str", "x.dtype.byteorder", "x.dtype.num", "x.dtype == 'float64'"],
    "Array.fill": ["after(ox.fill(3), ox)", "after(ox.fill(1.5), ox)", "after(ox[:, ::2].fill(2), ox)", "ox.fill(ov)", "after(ox.fill(s), ox)"],
    "Array.flags": ["x.flags.c_contiguous", "x.flags['F_CONTIGUOUS']", "x.flags.writeable", "x.flags.forc", "x.T.flags.f_contiguous", "x.flags.aligned", "x.flags['C']", "x.flags.contiguous"],
    "Array.flat": ["by_steps(x.flat)", "x.flat[3]", "x.flat[2:5]", "len(x.flat)", "x.flat[[0, 5]]", "x.T.flat[1:4]"],
    "Array.item": ["s.item()", "x.item(3)", "x.item(1, 2)", "x.item((0, 1))", "x.item()", "x.item(99)", "v.item(-1)"],
    "Array.nonzero": ["x.nonzero()", "m.nonzero()", "v.nonzero()", "e.nonzero()", "s.nonzero()"],
    "Array.partition": ["(after(o[0].partition(1)), o[0, 1])[1]", "ov.partition(9)"],
    "Array.put": ["after(ov.put([0, 2], 9), ov)", "after(ox.put(i, v), ox)", "ov.put(99, 1)", "after(ov.put([9], 1, 'wrap'), ov)"],
    "Array.repeat": ["x.repeat(2)", "x.repeat(2, 0)", "x.repeat([1, 0, 2], axis=0)", "v.repeat(3)", "x.repeat(counts, 0)", "s.repeat(2)", "x.repeat(2, axis=9)", "x.repeat([1, 2])"],
    "Array.reshape": ["x.reshape(4, 3)", "x.reshape((2, 6))", "x.reshape(-1)", "x.reshape(2, -1)", "x.reshape((4, 3), order='F')", "x.reshape(4, 3, order='F')", "x.reshape(5)", "x.T.reshape(12)", "s.reshape(1, 1)", "x.reshape([3, 4])",
                      "x.reshape(4, 3, copy=True)", "x.reshape(())", "x.T.reshape(2, 6)"],
    "Array.resize": ["after(ov.resize(3))", "after(xp.arange(6).resize((2, 3)))"],
    "Array.round": ["x.round()", "x.round(1)", "x.round(decimals=-1)", "nan.round(2)", "x.round(1, ox)", "s.round(1)", "x.round(out=o)"],
    "Array.searchsorted": ["ascending.searchsorted(v)", "ascending.searchsorted(1.5, 'right')", "ascending.searchsorted([0, 9], side='left')", "v.searchsorted(w, sorter=v.argsort())"],
    "Array.sort": ["after(ox.sort(), ox)", "after(ranks.sort(0), ranks)", "after(nan.sort(axis=1), nan)", "after(ranks.sort(axis=-1, kind='stable'), ranks)", "ox.sort(axis=4)", "after(nanv.sort(), nanv)", "after(ranks[:, ::2].sort(), ranks)"],
    "Array.squeeze": ["one.squeeze()", "one.squeeze(0)", "one.squeeze(axis=(0, 2))", "one.squeeze(1)", "x.squeeze()", "s.squeeze()"],
    "Array.swapaxes": ["x.swapaxes(0, 1)", "t.swapaxes(0, -1)", "x.swapaxes(0, 2)"],
    "Array.take": ["x.take(1)", "x.take(i)", "x.take(i, 0)", "x.take(ij, axis=1)", "x.take(99)", "x.take([0, 99], mode='wrap')", "v.take([-1, 0])", "x.take([0], 1, None, 'clip')"],
    "Array.to_device": ["x.to_device('cpu')"],
    "Array.trace": ["x.trace()", "x.trace(1)", "t.trace(0, 1, 2)", "x.trace(offset=-1, dtype=xp.float64)", "v.trace()"],
    "Array.transpose": ["x.transpose()", "t.transpose(2, 0, 1)", "t.transpose((1, 0, 2))", "t.transpose([0, 2, 1])", "x.transpose(None)", "t.transpose(0, 1)", "t.transpose(0, 0, 1)", "v.transpose()", "t.transpose(-1, 0, 1)"],
    "Array.view": ["x.view()", "x.copy().view(xp.uint8)", "ranks.view(xp.float64)", "ranks.view('int32')", "x.copy().view(d)", "ranks.view(dtype=xp.int16)", "u8.view(xp.int8)", "u8.view(xp.int16)"],
    "Array.__getitem__": ["x[1]", "x[1, 2]", "x[-1]", "x[1:, ::2]", "x[..., 0]", "x[None]", "x[:, None, 1]", "x[i]", "x[i, 1]", "x[[0, 1], [2, 3]]", "x[m]", "x[:, [0, 0]]", "x[ij]", "v[mv]", "x[x > 0]", "x[5]", "x[:, 9]", "x[1.0]", "x[0, 0, 0]",
                          "t[:, i, 0]", "t[[0, 1], :, [1, 2]]", "s[()]", "s[...]", "x[True]", "x[()]", "x[xp.ix_([0, 1], [1, 2])]" , "x[[]]", "x[[True, False, True]]", "x['a']", "x[mv]", "v[s0] if False else v[0]", "x[(0, 1)]", "x[[[0, 1]]]", "t[..., None, 1:]",
                          "v[xp.argsort(w)]", "x[-4]", "x[slice(None, None, -1)]", "x[i[0]]", "x[i[0], i[1]]", "x[i[0]:]"],
    "Array.__setitem__": ["ox.__setitem__(1, 5)", "ox.__setitem__((0, 0), 2)", "ox.__setitem__(m, 3)", "ox.__setitem__((slice(None), 1), [5, 6, 7])", "ox.__setitem__(..., row)", "ox.__setitem__(i[:2], 2.0)", "ox.__setitem__(0, 1.5)",
                          "ox.__setitem__(slice(None), [[1], [2], [3]])", "ox.__setitem__(..., xp.ones((1, 1, 4)))", "ox.__setitem__(m, [1, 2])", "ov.__setitem__(i, v)", "ox.__setitem__(0, ox[1])", "ov.__setitem__(slice(1, None), ov[:-1])",
                          "ox.__setitem__(0, [1, 2])", "ox.__setitem__(9, 0)", "ox.__setitem__(0, s)", "ox.__setitem__((0, 0), [3])", "ox.__setitem__((0, 0), xp.ones(1))", "ob.__setitem__(0, 2)", "oi.__setitem__(0, 2.7)", "oi.__setitem__(0, nan[0])",
                          "ox.__setitem__(0, 1j)", "ox.__setitem__(0, 300)"],
    "Array.__len__": ["len(x)", "len(s)", "len(e)"],
    "Array.__iter__": ["list(x)", "list(v)", "list(s)", "by_steps(t)", "list(e)", "[type(a.item()).__name__ for a in v]"],
    "Array.__contains__": ["1 in x", "99 in v", "2.5 in nan"],
    "Array.__bool__": ["bool(s)", "bool(x)", "bool(v[:1])", "bool(empty)"],
    "Array.__float__": ["float(s)", "float(v[0])", "float(v[:1])", "float(x)", "complex(s)", "int(s)", "int(v[0])"],
    "Array.__index__": ["[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][s]", "range(10)[ranks[0, 0]]", "[1, 2][v[:1]]"],
    "Array.__format__": ["f'{s}'", "f'{v}'", "f'{nan[0, 0]:.3f}'", "f'{ranks[0, 0]:5d}'", "f'{x:.2f}'", "f'{nan[2, 0]:8.2%}'", "f'{z[0]:.2f}'", "format(nan[0, 0], '')", "'%.3f' % nan[0, 0]", "f'{ranks[0, 0]:>6}'", "f'{ranks[0, 0]:.1f}'"],
    "Array.__round__": ["round(nan[2, 0], 1)", "round(nan[1, 3])", "round(s)"],
    "Array.__repr__": ["repr(x)", "repr(v)", "repr(e)", "repr(nan)", "repr(t)", "repr(z)", "repr(m)", "repr(xp.arange(2000))", "repr(xp.ones(3, dtype=xp.float32) / 3)", "repr(wide)"],
    "Array.__str__": ["str(x)", "str(v)", "str(e)", "str(nan)", "str(t)", "str(z)", "str(s)", "str(xp.arange(2000).reshape(40, 50))", "str(wide * 1e10)", "str(nan[0, 0])"],
    "Array.__hash__": ["hash(x)"],
    "Array.__matmul__": ["q @ r", "x @ row", "v @ w", "x @ x", "v @ 2", "q @ [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "[1, 2, 3] @ q"],
    "Array.__divmod__": ["divmod(x, 2)", "divmod(7, x)", "divmod(x, y)"],
    "Array.__pow__": ["x ** 2", "x ** 0.5", "2 ** x", "x ** y", "x ** -1", "x ** 3", "pow(x, 2)", "x ** 2j", "x ** s", "x ** True"],
}  # fmt: skip

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">", "ge": ">=",
}  # fmt: skip
_BINARY = ["x {o} y", "x {o} row", "x {o} 2", "2 {o} x", "x {o} 1.5", "x {o} True", "x {o} [1, 2, 3, 4]", "[1, 2, 3, 4] {o} x", "x {o} s", "x {o} ranks", "x {o} v", "x {o} 300", "x {o} -1", "x {o} None", "x {o} 'a'"]
CALLS |= {f"Array.__{name}__": [it.format(o=symbol) for it in _BINARY] for name, symbol in _OPERATORS.items()}
CALLS |= {
    f"Array.__i{name}__": [f"ox.__i{name}__({it})" for it in ("y", "2", "1.5", "row", "t", "ranks", "True", "nan")]
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
}
CALLS |= {f"Array.__{name}__": [f"{symbol}{it}" for it in ("x", "s", "e")] for name, symbol in {"neg": "-", "pos": "+", "invert": "~"}.items()}
CALLS["Array.__abs__"] = ["abs(x)", "abs(s)", "abs(z)"]
