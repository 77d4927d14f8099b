"""The Ising model: checkerboard Metropolis updates with a counter-based generator, at several temperatures."""

import numpy as np


def uniforms(counter, shape):
    """Numbers in [0, 1) from an integer hash of a counter."""
    n = int(np.prod(shape))
    x = np.arange(counter * n, (counter + 1) * n, dtype=np.uint64)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return (x >> np.uint64(11)).astype(float).reshape(shape) / 2.0**53


def neighbours(s):
    return np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1)


def sweep(s, beta, colours, counter):
    for colour in colours:
        cost = 2 * s * neighbours(s)
        accepted = uniforms(counter, s.shape) < np.exp(-beta * cost)
        s[colour & accepted] *= -1
        counter += 1
    return counter


def energy(s):
    return -(s * (np.roll(s, 1, axis=0) + np.roll(s, 1, axis=1))).mean()


def main():
    n = 48
    board = np.indices((n, n)).sum(axis=0) % 2 == 0
    colours = (board, ~board)
    temperatures = np.arange(1.5, 3.6, 0.5)
    magnetisation = np.zeros(temperatures.size)
    energies = np.zeros_like(temperatures)
    counter = 1
    for k, t in enumerate(temperatures):
        s = np.ones((n, n), dtype=int)
        samples = []
        for step in range(60):
            counter = sweep(s, 1 / t, colours, counter)
            if step >= 20:
                samples.append((abs(s.mean()), energy(s)))
        magnetisation[k], energies[k] = np.mean(samples, axis=0)
        print(f"T = {t:.1f}: |m| = {magnetisation[k]:.4f}, e = {energies[k]:.4f}")
    critical = 2 / np.log(1 + np.sqrt(2))
    print(f"critical temperature {critical:.4f}; ordered below: {(magnetisation[temperatures < critical] > 0.5).all()}")
    domains = np.count_nonzero(s != np.roll(s, 1, axis=1))
    print("walls:", domains, "up:", (s > 0).sum(), "dtype", s.dtype)
    print("\n".join("".join(".#"[(v + 1) // 2] for v in row[:24]) for row in s[:4]))
    return {"magnetisation": magnetisation, "energies": energies, "s": s, "domains": domains}
