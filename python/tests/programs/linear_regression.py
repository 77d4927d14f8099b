"""Linear regression: normal equations, QR, lstsq, ridge by cross-validation, residuals and diagnostics."""

import numpy as np


def make_data(n):
    x = np.linspace(-1, 1, n)
    features = np.c_[x, x**2, np.sin(3 * x), np.abs(x)]
    y = 1.5 + features @ np.array([2.0, -1.0, 0.5, 0.0]) + 0.1 * np.cos(97 * x)
    return features, y


def design(features):
    return np.hstack((np.ones((features.shape[0], 1)), features))


def ridge(a, y, penalty):
    identity = np.identity(a.shape[1])
    identity[0, 0] = 0
    return np.linalg.inv(a.T @ a + penalty * identity) @ a.T @ y


def cross_validate(a, y, penalty, folds=5):
    errors = []
    for part in np.array_split(np.arange(len(y)), folds):
        keep = np.ones(len(y), dtype=bool)
        keep[part] = False
        beta = ridge(a[keep], y[keep], penalty)
        errors.append(((a[part] @ beta - y[part]) ** 2).mean())
    return np.mean(errors)


def main():
    features, y = make_data(5000)
    a = design(features)
    normal = np.linalg.solve(a.T @ a, a.T @ y)
    q, r = np.linalg.qr(a)
    by_qr = np.linalg.solve(r, q.T @ y)
    by_lstsq, rest, rank, singular = np.linalg.lstsq(a, y, rcond=None)
    print("coefficients", np.round(normal, 4), "rank", rank)
    print("agree:", np.allclose(normal, by_qr), np.allclose(normal, by_lstsq))
    residual = y - a.dot(normal)
    r2 = 1 - residual.var() / y.var()
    sigma2 = residual @ residual / (len(y) - a.shape[1])
    error = np.sqrt(sigma2 * np.diagonal(np.linalg.inv(a.T @ a)))
    for name, b, e in zip(["1", "x", "x2", "sin", "abs"], normal, error):
        print(f"{name:>4} {b:9.4f} +- {e:.4f}  t = {b / e:8.2f}")
    print(f"R2 {r2:.6f}  Durbin-Watson {np.sum(np.diff(residual) ** 2) / np.sum(residual**2):.4f}")
    leverage = np.sum(q**2, axis=1)
    print(f"leverage: sum {leverage.sum():.3f}, largest {leverage.max():.5f}, median {np.median(leverage):.6f}")
    penalties = np.logspace(-4, 2, 7)
    errors = np.array([cross_validate(a, y, p) for p in penalties])
    for p, e in zip(penalties, errors):
        print(f"penalty {p:8.4f}: {e:.6f}")
    print("best penalty", penalties[errors.argmin()], "condition number %.3f" % np.linalg.cond(a))
    return {"normal": normal, "error": error, "errors": errors, "rest": rest, "singular": singular}
