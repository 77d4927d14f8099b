"""Edges of an image: Sobel gradients by windows, directions, thresholds, thinning, and a Hough transform."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SOBEL = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])


def make_image(n):
    y, x = np.indices((n, n))
    image = np.zeros((n, n))
    image[(x > n // 4) & (x < n // 2)] = 1.0
    image[np.abs(y - x) < 6] = 0.5
    return image


def gradients(image):
    windows = sliding_window_view(image, (3, 3))
    gx = np.einsum("ijkl,kl->ij", windows, SOBEL)
    gy = np.tensordot(windows, SOBEL.T, axes=((2, 3), (0, 1)))
    return gx, gy


def thin(size):
    """Keeps horizontal maxima only."""
    kept = size.copy()
    kept[:, 1:-1][(size[:, 1:-1] < size[:, :-2]) | (size[:, 1:-1] < size[:, 2:])] = 0
    return kept


def hough(mask, angles):
    ys, xs = np.nonzero(mask)
    rho = np.rint(np.outer(xs, np.cos(angles)) + np.outer(ys, np.sin(angles))).astype(int)
    offset = -rho.min()
    votes = np.zeros((rho.max() + offset + 1, len(angles)), dtype=int)
    for k in range(len(angles)):
        np.add.at(votes[:, k], rho[:, k] + offset, 1)
    return votes, offset


def main():
    image = make_image(400)
    gx, gy = gradients(image)
    print("gradients", gx.shape, gx.min(), gx.max(), gy.min(), gy.max())
    size = np.hypot(gx, gy)
    direction = np.degrees(np.arctan2(gy, gx))[size > 0]
    counts, _ = np.histogram(direction, bins=np.arange(-180, 181, 45))
    print("directions:", counts)
    strong = thin(size) > 0.6 * size.max()
    print(strong.sum(), "strong pixels;", f"{100 * strong.mean():.2f} % of the image")
    angles = np.deg2rad(np.arange(0, 180, 3))
    votes, offset = hough(strong, angles)
    row, column = np.unravel_index(np.argmax(votes), votes.shape)
    print(f"strongest line: rho {row - offset}, angle {np.rad2deg(angles[column]):.0f}, votes {votes[row, column]}")
    gradient_y, gradient_x = np.gradient(image)
    print("central differences:", gradient_x.shape, f"{np.abs(gradient_y).sum():.2f}")
    rows = np.where(strong.any(axis=1))[0]
    print("rows with edges:", rows[:5], "...", rows[-1])
    return {"gx": gx, "gy": gy, "size": size, "votes": votes, "strong": strong, "gradient": gradient_x}
