"""The heat equation: explicit steps on a plate, Crank-Nicolson on a rod, Jacobi for the steady state."""

import numpy as np


def laplacian(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def plate(n, steps, r=0.2):
    u = np.zeros((n, n))
    u[n // 4 : n // 2, n // 4 : n // 2] = 100
    u[0, :], u[:, -1] = 50, np.linspace(50, 0, n)
    heat = [u.sum()]
    for _ in range(steps):
        u[1:-1, 1:-1] += r * laplacian(u)
        heat.append(u.sum())
    return u, np.array(heat)


def thomas(lower, diagonal, upper, rhs):
    """Solves a tridiagonal system."""
    n = len(rhs)
    c, d = np.zeros(n), np.zeros(n)
    c[0], d[0] = upper[0] / diagonal[0], rhs[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / m
        d[i] = (rhs[i] - lower[i] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def crank_nicolson(u, r, steps):
    n = len(u)
    off, diagonal = np.full(n, -r / 2), np.full(n, 1 + r)
    for _ in range(steps):
        rhs = (1 - r) * u
        rhs[1:] += r / 2 * u[:-1]
        rhs[:-1] += r / 2 * u[1:]
        u = thomas(off, diagonal, off, rhs)
    return u


def jacobi(u, tolerance):
    for step in range(5000):
        new = u.copy()
        new[1:-1, 1:-1] = u[1:-1, 1:-1] + laplacian(u) / 4
        if np.max(np.abs(new - u)) < tolerance:
            return new, step
        u = new
    return u, step


def main():
    u, heat = plate(120, 400)
    print("plate", u.shape, f"hottest {u[1:-1, 1:-1].max():.3f}, mean {u.mean():.3f}")
    print("heat:", np.round(heat[::100], 1))
    print(u[::30, ::30].round(2))
    x = np.linspace(0, 1, 102)[1:-1]
    rod = crank_nicolson(np.sin(np.pi * x), 2.0, 40)
    rate = -np.log(rod.max() / np.sin(np.pi * x).max()) / (40 * 2.0 / 101**2)
    print(f"decay rate {rate:.4f}, exact {np.pi**2:.4f}")
    edge = np.zeros((40, 40))
    edge[0] = 1
    steady, steps = jacobi(edge, 1e-4)
    print(f"steady after {steps} steps, centre {steady[20, 20]:.4f}, symmetric {np.allclose(steady, steady[:, ::-1])}")
    levels = np.digitize(steady, np.arange(0.1, 1, 0.1))
    print("levels:", np.bincount(levels.flatten()))
    return {"u": u, "heat": heat, "rod": rod, "steady": steady, "levels": levels}
