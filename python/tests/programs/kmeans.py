"""k-means clustering of points in the plane: Lloyd's algorithm, with the elbow of the inertia."""

import numpy as np


def make_points(n):
    """Three clouds of points from a low-discrepancy sequence."""
    i = np.arange(n)
    u = np.column_stack(((i * 0.754877666) % 1.0, (i * 0.569840291) % 1.0))
    centres = np.array([[0, 0], [4, 1], [1, 5]])
    return centres[i % 3] + 1.8 * (u - 0.5)


def assign(points, centres):
    distances = np.linalg.norm(points[:, np.newaxis, :] - centres, axis=2)
    return np.argmin(distances, axis=1), distances.min(axis=1)


def kmeans(points, k, steps=25):
    centres = points[np.linspace(0, len(points) - 1, k).astype(int)].copy()
    for step in range(steps):
        labels, _ = assign(points, centres)
        new = np.array([points[labels == j].mean(axis=0) for j in range(k)])
        if np.allclose(new, centres):
            break
        centres = new
    labels, distances = assign(points, centres)
    return centres, labels, (distances**2).sum(), step


def main():
    points = make_points(6000)
    print("points", points.shape, points.dtype)
    inertias = []
    for k in range(1, 7):
        centres, labels, inertia, steps = kmeans(points, k)
        inertias.append(inertia)
        print(f"k={k}: inertia {inertia:10.3f} after {steps} steps, sizes {np.bincount(labels, minlength=k)}")
    centres, labels, inertia, _ = kmeans(points, 3)
    order = np.lexsort((centres[:, 1], centres[:, 0]))
    print(np.round(centres[order], 3))
    drops = -np.diff(inertias)
    print("elbow at", np.argmax(drops[:-1] / drops[1:]) + 2)
    return {"centres": centres[order], "labels": labels, "inertias": np.array(inertias), "spread": points.std(0)}
