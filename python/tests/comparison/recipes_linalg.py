"""Calls of products, linear algebra and Fourier transforms."""

from __future__ import annotations

_PRODUCT = ["f(q, r)", "f(x, row)", "f(three, x)", "f(v, w)", "f(p, q)", "f(x, x)", "f([[1, 2], [3, 4]], [[1, 0], [0, 1]])", "f(q, o[:, :3])", "f(e, k44)", "f(x, s)", "f(q, 2)", "f(m, k44)", "f(v, pair)"]
_OUTER = ["f(v, w)", "f(v, [1, 2])", "f([1, 2], [3, 4])", "f(x, pair)", "f(s, v)"]
_SQUARE = ["f(spd)", "f(spds)", "f(general)", "f(q + 9 * xp.eye(3))", "f(p + 9 * xp.eye(3))", "f([[2, 1], [1, 3]])", "f(x)", "f(v)", "f(xp.zeros((0, 0)))", "f(xp.zeros((2, 2)))", "f(xp.ones((2, 2), dtype=xp.float32) + xp.eye(2, dtype=xp.float32))"]
_VECTORS = ["f(spd)", "f(spds)", "f([[2, 1], [1, 3]])", "f(x)", "f(v)"]
_EINSUM = [
    "f('ij->ji', x)", "f('ij,jk->ik', q, r)", "f('ii', q)", "f('ii->i', q)", "f('ij->', x)", "f('i,i', v, w)", "f('i,j', v, w)", "f('ij,j', x, row)", "f('...ij,jk->...ik', p, q)", "f('ij', x)",
    "f(x, [0, 1], [1, 0])", "f(q, [0, 1], r, [1, 2], [0, 2])", "f(x, [0, 1])", "f('ij,ij->i', x, y)", "f('ijk->kj', t)", "f('ij->k', x)", "f('ij,k->i', x)", "f('i i', v)", "f('ij, jk', q, r)",
    "f('ij,jk,kl->il', q, r, q)", "f('ij->ji', [[1, 2], [3, 4]])", "f('ij,jk->ik', q, r, optimize=True)", "f('ij,jk->ik', q, r, dtype='complex128')", "f('ij->i', x, out=o3)", "f('...i->...', t)", "f(',ij->ij', s, x)",
    "f('ab,ba', q, r)", "f('iij->j', p[:, :2])", "f('i->ii', v)", "f('', s)", "f('ij->ji', x, casting='unsafe', dtype=xp.float32)", "f('ijkl', x)", "f('bij,bjk->bik', p, p)",
]  # fmt: skip
_NORM = ["f(v)", "f(x)", "f(t)", "f(v, 1)", "f(v, inf)", "f(v, -inf)", "f(v, 3)", "f(v, 0)", "f(x, axis=0)", "f(x, axis=1, keepdims=True)", "f(x, 1, 0)", "f([3, 4])", "f(s)", "f(x, None, 1, True)", "f(e)"]
_MATRIX_NORM = ["f(x, 'fro')", "f(x, 'nuc')", "f(x, 1)", "f(x, -1)", "f(x, 2)", "f(x, -2)", "f(x, inf)", "f(t, axis=(1, 2))", "f(t, 'fro', (0, 2))", "f(x, 3)", "f(x, 'none')", "f(t, 1, axis=(0, 1), keepdims=True)"]
_TRANSFORM = ["f(v)", "f(x)", "f(wide)", "f(x, 6)", "f(x, 3)", "f(x, n=5, axis=0)", "f(x, axis=0)", "f(x, None, 0)", "f([1, 2, 3, 4])", "f(x, norm='ortho')", "f(x, norm='forward')", "f(x, None, -1, 'ortho')", "f(x, 0)", "f(x, axis=5)", "f(s)", "f(e, axis=0)",
              "f(x, norm='none')", "f(z)"]  # fmt: skip
_TRANSFORM_MANY = ["f(x)", "f(t)", "f(x, (2, 6))", "f(t, axes=(0, 2))", "f(t, (3, 4), (1, 2))", "f(x, s=(4, 4), axes=(0, 1))", "f([[1, 2], [3, 4]])", "f(x, norm='ortho')", "f(x, axes=(0,))", "f(t, axes=(1, 1))", "f(x, (2, 6, 3))", "f(x, axes=(0, 7))",
                   "f(x, norm='forward')"]  # fmt: skip

CALLS: dict[str, list[str]] = {
    "matmul linalg.matmul": [*_PRODUCT, "f(q, r, out=oq)", "f(q, r, oq)", "f(q, r, dtype=xp.float64)", "f(p, p)"],
    "dot": [*_PRODUCT, "f(3, 4)", "f(p, p)", "f(q, r, oq)", "f(q, r, out=oq)", "f(v, 2)"],
    "inner": [*_PRODUCT, "f(3, 4)", "f(p, p)", "f(x, row)", "f(t, row)"],
    "vdot": ["f(v, w)", "f(x, y)", "f([1, 2], [3, 4])", "f(z, z)", "f(v, pair)", "f(3, 4)", "f(s, s)"],
    "vecdot linalg.vecdot": ["f(v, w)", "f(x, row)", "f(x, y, axis=0)", "f(t, row)", "f([1, 2], [3, 4])", "f(v, pair)", "f(z, z)", "f(x, y, axis=-1)"],
    "matvec": ["f(x, row)", "f(p, three)", "f(q, v)", "f([[1, 2], [3, 4]], [1, 1])"],
    "vecmat": ["f(three, x)", "f(three, p)", "f(v, q)", "f([1, 1], [[1, 2], [3, 4]])"],
    "outer": [*_OUTER, "f(v, w, xp.zeros((5, 5)))"],
    "linalg.outer": _OUTER,
    "kron": ["f(x, pair)", "f(q, xp.eye(2))", "f(v, w)", "f([1, 2], [[1, 1]])", "f(s, v)", "f(t, pair)", "f(2, x)"],
    "cross": ["f(q, r)", "f(three, [1, 2, 3])", "f(x, y)", "f(q, r, axis=0)", "f(p, three)", "f([1, 0, 0], [0, 1, 0])", "f(q, r, 0, 0, 0)", "f(v, w)"],
    "linalg.cross": ["f(q, r)", "f(three, [1, 2, 3])", "f(x, y)", "f(q, r, axis=0)", "f([1, 0, 0], [0, 1, 0])"],
    "tensordot linalg.tensordot": ["f(q, r)", "f(q, r, 1)", "f(q, r, axes=0)", "f(t, x, axes=([1, 2], [0, 1]))", "f(t, x, ((1,), (0,)))", "f(t, row, axes=(2, 0))", "f(v, w, 1)", "f(x, v, 1)", "f(x, x, ([0], [1]))", "f([1, 2], [3, 4], 1)",
                                   "f(x, y, axes=[[0, 1], [0, 1]])"],
    "einsum": _EINSUM,
    "einsum_path": ["f('ij,jk,kl->il', q, r, q)[0]", "f('ij,jk->ik', q, r, optimize='greedy')[0]"],
    "linalg.norm": _NORM + _MATRIX_NORM,
    "linalg.vector_norm": ["f(v)", "f(x)", "f(x, axis=0)", "f(x, axis=(0, 1), keepdims=True)", "f(v, ord=1)", "f(v, ord=inf)", "f(v, ord=-inf)", "f(v, ord=0)", "f(v, ord=3)", "f([3, 4])", "f(s)", "f(x, axis=4)"],
    "linalg.matrix_norm": ["f(x)", "f(t)", "f(x, ord='nuc')", "f(x, ord=1)", "f(x, ord=inf)", "f(x, ord=2)", "f(t, keepdims=True)", "f(v)", "f(x, ord=-2)"],
    "linalg.det linalg.inv": _SQUARE,
    "linalg.slogdet": _SQUARE,
    "linalg.cholesky": [*_VECTORS, "f(general)", "f(spd, upper=True)", "f(-spd)"],
    "linalg.eigvalsh": [*_VECTORS, "f(spd, 'U')", "f(spd, UPLO='L')", "f(spd, 'X')", "f(q)"],
    "linalg.eigh": ["(lambda r: (r[0], r[1] * r[0][..., None, :] @ xp.linalg.inv(r[1])))(f(spd))", "form(f(spds))", "f(spds)[0]", "f(spd, 'U').eigenvalues", "form(f(q))", "f(x)", "f(spd, 'X')"],
    "linalg.eigvals": ["xp.sort(f(spd))", "xp.sort(xp.real(f(general)))", "form(f(q))", "form(f(spds))", "f(x)", "f(v)", "xp.sort(f([[2, 0], [0, 3]]))"],
    "linalg.eig": ["xp.sort(f(spd)[0])", "form(f(general))", "form(f(spd).eigenvectors)", "(lambda r: xp.real(r[1] * r[0] @ xp.linalg.inv(r[1])))(f(general))", "f(x)", "form(f(q))"],
    "linalg.svdvals": ["f(x)", "f(t)", "f(tall)", "f(v)", "f([[3, 0], [0, 4]])"],
    "linalg.svd": ["f(x)[1]", "form(f(x))", "form(f(x, False))", "form(f(tall, full_matrices=False))", "f(x, compute_uv=False)", "f(t, True, False)", "(lambda r: r[0] * r[1] @ r[2])(f(tall + 0.5, full_matrices=False))", "f(v)", "f(x).S",
                   "form(f(x).Vh)", "form(f(t))"],
    "linalg.qr": ["(lambda r: r[0] @ r[1])(f(tall))", "form(f(tall))", "form(f(x))", "form(f(tall, 'complete'))", "form(f(tall, mode='complete'))", "xp.abs(f(tall, mode='r'))", "f(tall, 'none')", "f(v)", "form(f(p))", "form(f(tall).Q)", "xp.abs(f(tall).R)"],
    "linalg.solve": ["f(spd, three)", "f(spd, q)", "f(spds, p)", "f(q + 9 * xp.eye(3), three)", "f([[2, 1], [1, 3]], [1, 2])", "f(spd, v)", "f(x, three)", "f(xp.zeros((2, 2)), [1.0, 2])", "f(spds, three)", "f(spd, x)"],
    "linalg.lstsq": ["f(tall + 9 * xp.eye(5, 3), v)", "f(tall + 9 * xp.eye(5, 3), v, rcond=None)", "f(tall + 9 * xp.eye(5, 3), v[:, None], None)", "f([[1.0, 0], [0, 2], [0, 0]], [1.0, 2, 3], 1e-3)", "f(spd, three, rcond=-1)", "f(tall, x)", "f(spd, x)"],
    "linalg.pinv": ["f(spd)", "f(tall + 9 * xp.eye(5, 3))", "f(p + 9 * xp.eye(3))", "f([[1.0, 2], [2, 4]])", "f(spd, rcond=0.5)", "f(spd, rtol=0.5)", "f(spd, 1e-9, True)", "f(spd, hermitian=True)", "f(v)"],
    "linalg.matrix_rank": ["f(x)", "f(spd)", "f(t)", "f([[1.0, 2], [2, 4]])", "f(spd, 3.5)", "f(spd, tol=3.5)", "f(spd, rtol=0.5)", "f(spd, hermitian=True)", "f(v)", "f(xp.zeros((2, 2)))"],
    "linalg.matrix_power": ["f(q, 2)", "f(q, 0)", "f(q, 1)", "f(q, 5)", "f(p, 3)", "f(spd, -1)", "f(spd, -2)", "f(x, 2)", "f([[1, 1], [1, 0]], 9)", "f(q, 1.5)"],
    "linalg.cond": ["f(spd)", "f(spds)", "f(spd, 1)", "f(spd, 'fro')", "f(spd, p=inf)", "f(spd, 2)", "f(spd, -2)", "f(tall + 9 * xp.eye(5, 3))", "f(v)", "f([[2, 0], [0, 1]])"],
    "linalg.multi_dot": ["f([q, r])", "f([q, r, spd])", "f([three, q, three])", "f([x])", "f((q, x, row))", "f([q, v])"],
    "linalg.tensorinv": ["f(xp.eye(4).reshape(2, 2, 4), 2) ", "f(xp.eye(24).reshape(4, 6, 8, 3))", "f(xp.eye(4) * 2, ind=1)", "f(x)"],
    "linalg.tensorsolve": ["f(xp.eye(6).reshape(2, 3, 6), xp.ones((2, 3)))", "f(spd, [1.0, 2, 3])", "f(x, three)"],
    "linalg.matrix_transpose": ["f(x)", "f(t)", "f(v)", "f([[1, 2], [3, 4]])"],
    "linalg.diagonal": ["f(x)", "f(t)", "f(x, offset=1)", "f(q, offset=-1)", "f([[1, 2], [3, 4]])", "f(v)"],
    "linalg.trace": ["f(x)", "f(t)", "f(x, offset=1)", "f(x, dtype=xp.float32)", "f([[1, 2], [3, 4]])", "f(v)"],
    "fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft": [*_TRANSFORM, "f(x, out=xp.zeros((3, 4), dtype=xp.complex128))"],
    "fft.fftn fft.ifftn fft.rfftn fft.irfftn": _TRANSFORM_MANY,
    "fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2": [*_TRANSFORM_MANY, "f(v)"],
    "fft.fftfreq fft.rfftfreq": ["f(5)", "f(8)", "f(8, 0.5)", "f(8, d=0.1)", "f(n=4)", "f(0)", "f(2.5)", "f(5, 2)"],
    "fft.fftshift fft.ifftshift": ["f(v)", "f(x)", "f(x, 0)", "f(t, axes=(0, 2))", "f([1, 2, 3])", "f(x, axes=-1)", "f(x, 5)"],
}  # fmt: skip
