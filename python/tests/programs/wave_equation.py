"""The wave equation: a plucked string with its spectrum, and a membrane in two dimensions."""

import numpy as np


def pluck(n, where):
    x = np.linspace(0, 1, n)
    return x, np.where(x < where, x / where, (1 - x) / (1 - where))


def string(u, steps, c=0.9):
    """Leapfrog steps with fixed ends; the displacement at each step."""
    previous = u.copy()
    frames = np.zeros((steps, u.size))
    for k in range(steps):
        following = np.zeros_like(u)
        following[1:-1] = 2 * u[1:-1] - previous[1:-1] + c**2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        if k == 0:
            following[1:-1] = u[1:-1] + c**2 / 2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        previous, u = u, following
        frames[k] = u
    return frames


def membrane(n, steps):
    y, x = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    inside = x**2 + y**2 < 1
    u = np.exp(-40 * ((x - 0.3) ** 2 + y**2)) * inside
    v = np.zeros(u.shape)
    energy = []
    for _ in range(steps):
        force = np.zeros_like(u)
        force[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        v += 0.4 * force
        u += 0.4 * v
        u[~inside] = 0
        v[~inside] = 0
        gy, gx = np.diff(u, axis=0), np.diff(u, axis=1)
        energy.append(0.5 * np.sum(v**2) + 0.5 * (np.sum(gy**2) + np.sum(gx**2)))
    return u, inside, np.array(energy)


def main():
    x, start = pluck(201, 0.3)
    frames = string(start, 2000)
    print("frames", frames.shape, f"min {frames.min():.3f} max {frames.max():.3f}")
    spectrum = np.abs(np.fft.rfft(frames[:, 60] * np.hamming(len(frames))))
    peak = spectrum[1:].argmax() + 1
    print(f"frequency {peak / 2000:.5f}, expected {0.9 / (2 * 200):.5f}")
    modes = 2 * np.trapezoid(start[:, None] * np.sin(np.outer(x, np.arange(1, 7)) * np.pi), x, axis=0)
    print("modes:", np.round(modes, 4))
    print("nodes of a mode vanish:", np.allclose(np.sin(np.pi * 2 * x[[0, 100, 200]]), 0))
    u, inside, energy = membrane(121, 150)
    print("membrane", u.shape, inside.sum(), "points inside", f"{energy.max() / energy.min():.3f}")
    profile = u[60, ::10]
    print("profile:", " ".join(f"{value:+.3f}" for value in profile))
    crossing = np.nonzero(np.diff(np.signbit(u[60])))[0]
    print("sign changes at", crossing)
    return {"spectrum": spectrum, "modes": modes, "u": u, "energy": energy, "last": frames[-1]}
