"""Ordinary differential equations: Euler and RK4, a pendulum, Lorenz's system, predators and prey, planets."""

import numpy as np


def euler(f, y0, t):
    y = np.zeros((len(t), len(y0)))
    y[0] = y0
    for k in range(len(t) - 1):
        y[k + 1] = y[k] + (t[k + 1] - t[k]) * f(t[k], y[k])
    return y


def rk4(f, y0, t):
    y = np.zeros((len(t), np.size(y0)))
    y[0] = y0
    for k, h in enumerate(np.diff(t)):
        k1 = f(t[k], y[k])
        k2 = f(t[k] + h / 2, y[k] + h / 2 * k1)
        k3 = f(t[k] + h / 2, y[k] + h / 2 * k2)
        k4 = f(t[k] + h, y[k] + h * k3)
        y[k + 1] = y[k] + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def pendulum(t, y):
    return np.array([y[1], -9.81 * np.sin(y[0])])


def lorenz(t, y):
    return np.array([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


def hunting(t, y):
    prey, predators = y
    return np.array([prey * (1.1 - 0.4 * predators), predators * (0.1 * prey - 0.4)])


def kepler(t, y):
    return np.concatenate([y[2:], -y[:2] / np.linalg.norm(y[:2]) ** 3])


def main():
    errors = []
    for n in (20, 40, 80):
        t = np.linspace(0, 2, n + 1)
        exact = np.exp(-t)
        errors.append([np.abs(m(lambda t, y: -y, [1.0], t)[:, 0] - exact).max() for m in (euler, rk4)])
    order = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    print("orders of Euler and RK4:", order[-1].round(2))
    t = np.linspace(0, 10, 2001)
    swing = rk4(pendulum, [1.0, 0.0], t)
    zero = np.where(np.diff(np.sign(swing[:, 0])) != 0)[0]
    energy = swing[:, 1] ** 2 / 2 - 9.81 * np.cos(swing[:, 0])
    print(f"period {2 * np.diff(t[zero]).mean():.4f}, energy constant: {np.ptp(energy) < 1e-6}")
    chaos = rk4(lorenz, (1.0, 1.0, 1.0), np.arange(0, 5, 0.005))
    print("Lorenz", chaos.shape, "ends at", np.round(chaos[-1], 3))
    animals = rk4(hunting, np.array([10, 5]), np.linspace(0, 30, 1501))
    peaks = np.flatnonzero((animals[1:-1, 0] > animals[:-2, 0]) & (animals[1:-1, 0] > animals[2:, 0])) + 1
    print("prey peaks at steps", peaks, "largest", f"{animals[:, 0].max():.3f}")
    orbit = rk4(kepler, [1, 0, 0, 0.9], np.linspace(0, 20, 2001))
    spin = orbit[:, 0] * orbit[:, 3] - orbit[:, 1] * orbit[:, 2]
    print(f"angular momentum {spin.mean():.6f}, constant: {spin.std() < 1e-6}")
    return {"order": order, "swing": swing, "chaos": chaos[:400], "animals": animals, "orbit": orbit, "peaks": peaks}
