"""Linear algebra by hand: LU, Gram-Schmidt, power iteration, the QR algorithm and conjugate gradients."""

import numpy as np
from numpy import linalg as la


def make_matrix(n):
    i, j = np.ogrid[1 : n + 1, 1 : n + 1]
    return 1.0 / (i + j) + np.diag(np.arange(1.0, n + 1))


def lu(a):
    """Factors with row exchanges: the permutation and both triangles in one matrix."""
    a, p = a.copy(), np.arange(len(a))
    for k in range(len(a) - 1):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            p[[k, pivot]] = p[[pivot, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return p, a


def gram_schmidt(a):
    q = np.zeros_like(a)
    for k in range(a.shape[1]):
        v = a[:, k] - q[:, :k] @ (q[:, :k].T @ a[:, k])
        q[:, k] = v / la.norm(v)
    return q, q.T @ a


def power_iteration(a, steps=800):
    v = np.ones(len(a))
    for _ in range(steps):
        v = a @ v
        v /= la.norm(v)
    return v @ a @ v, v


def qr_algorithm(a, steps=200):
    for _ in range(steps):
        q, r = la.qr(a)
        a = r @ q
    return np.sort(np.diag(a))


def conjugate_gradients(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    for step in range(len(b)):
        ap = a @ p
        alpha = (r @ r) / (p @ ap)
        x += alpha * p
        new = r - alpha * ap
        if la.norm(new) < 1e-10:
            break
        p = new + (new @ new) / (r @ r) * p
        r = new
    return x, step


def main():
    a = make_matrix(40)
    b = np.arange(40.0)
    p, packed = lu(a[::-1])
    lower, upper = np.tril(packed, -1) + np.eye(40), np.triu(packed)
    print("LU:", np.allclose(lower @ upper, a[::-1][p]), f"det {np.prod(np.diag(upper)):.4e} {la.det(a):.4e}")
    q, r = gram_schmidt(a)
    print("orthogonal:", np.allclose(q.T @ q, np.eye(40)), "triangular:", np.allclose(r, np.triu(r)))
    value, vector = power_iteration(a)
    print(f"largest eigenvalue {value:.6f}, {la.eigvalsh(a)[-1]:.6f}")
    print("QR algorithm:", np.allclose(qr_algorithm(a[:12, :12]), la.eigvalsh(a[:12, :12])))
    x, steps = conjugate_gradients(a, b)
    print("conjugate gradients:", np.allclose(x, la.solve(a, b)), "steps", steps)
    c = la.cholesky(a)
    print(f"Cholesky: log det {2 * np.log(np.diag(c)).sum():.6f} {la.slogdet(a)[1]:.6f}")
    print("norms: %.4f %.4f %.4f %.4f" % (la.norm(a), la.norm(a, 1), la.norm(a, np.inf), la.norm(a, 2)))
    print("rank", la.matrix_rank(np.outer(b, b)), "trace", f"{np.trace(a):.4f}", f"{a.trace():.4f}")
    u, s, vt = la.svd(a[:, :10])
    print("SVD", u.shape, s.shape, vt.shape, np.allclose(u[:, :10] * s @ vt, a[:, :10]))
    angle = np.arccos(np.clip(np.dot(b, vector) / (la.norm(b) * la.norm(vector)), -1, 1))
    print(f"angle {np.degrees(angle):.4f}, cross {np.cross([1, 0, 0], [0, 1, 0])}", np.kron(np.eye(2), b[:2]).shape)
    inverse, pseudo = la.inv(a), la.pinv(a[:, :10])
    return {"packed": packed, "p": p, "x": x, "s": s, "inverse": inverse, "pseudo": pseudo, "cholesky": c}
