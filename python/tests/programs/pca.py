"""Principal component analysis by the covariance matrix and by the SVD, with a reconstruction."""

import numpy as np


def make_data(n, d):
    t = np.linspace(0, 1, n)
    columns = [np.sin((k + 1) * np.pi * t) / (k + 1) + 0.01 * np.cos(37 * (k + 1) * t) for k in range(d)]
    return np.stack(columns, axis=1) + np.arange(d)


def fix_signs(vectors):
    """Makes the largest entry of each column positive."""
    rows = np.argmax(np.abs(vectors), axis=0)
    return vectors * np.sign(vectors[rows, np.arange(vectors.shape[1])])


def main():
    data = make_data(20000, 12)
    mean = data.mean(0)
    centred = data - mean
    cov = np.cov(centred, rowvar=False)
    values, vectors = np.linalg.eigh(cov)
    values, vectors = values[::-1], fix_signs(vectors[:, ::-1])
    explained = values / values.sum()
    print("explained variance:", np.round(explained[:5], 4))
    print("90 % with", np.searchsorted(np.cumsum(explained), 0.9) + 1, "components")

    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    print("SVD:", u.shape, s.shape, vt.shape)
    print("same variances:", np.allclose(s**2 / (len(data) - 1), values))

    scores = centred @ vectors[:, :3]
    restored = scores @ vectors[:, :3].T + mean
    error = np.sqrt(np.mean((data - restored) ** 2))
    print(f"reconstruction error with 3 components: {error:.5f}")

    standard = (data - mean) / data.std(axis=0, ddof=1)
    correlation = standard.T @ standard / (len(data) - 1)
    print("largest correlation off the diagonal: %.4f" % np.max(np.abs(correlation - np.eye(12))))
    assert np.allclose(correlation, np.corrcoef(data, rowvar=False))
    whitened = scores / np.sqrt(values[:3])
    print(np.round(np.cov(whitened.T), 6) + 0.0)
    return {"values": values, "scores": scores, "error": error, "correlation": correlation, "mean": mean}
