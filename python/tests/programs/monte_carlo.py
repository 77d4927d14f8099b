"""Monte Carlo estimates with a hand-written linear congruential generator, Box-Muller, and a histogram."""

import numpy as np


class Lcg:
    """A linear congruential generator of 31 bits that fills arrays by jumping ahead."""

    def __init__(self, seed):
        self.state = seed

    def random(self, n):
        out = np.empty(n, dtype=np.int64)
        for i in range(min(n, 64)):
            self.state = (1103515245 * self.state + 12345) % 2**31
            out[i] = self.state
        a = pow(1103515245, 64, 2**31)
        c = int(sum(12345 * pow(1103515245, k, 2**31) for k in range(64)) % 2**31)
        for start in range(64, n, 64):
            stop = min(start + 64, n)
            out[start:stop] = (a * out[start - 64 : stop - 64] + c) % 2**31
        self.state = int(out[-1])
        return out / 2**31


def normals(generator, n):
    u, v = generator.random(n).reshape(2, -1)
    radius = np.sqrt(-2 * np.log(u + 1e-12))
    return np.concatenate((radius * np.cos(2 * np.pi * v), radius * np.sin(2 * np.pi * v)))


def main():
    generator = Lcg(42)
    points = generator.random(200000).reshape(-1, 2)
    inside = (points**2).sum(axis=1) <= 1
    running = 4 * np.cumsum(inside) / np.arange(1, inside.size + 1)
    for n in 10 ** np.arange(2, 6):
        print(f"{n:>6} points: pi is about {running[n - 1]:.5f}")
    error = 1.96 * 4 * inside.std() / np.sqrt(inside.size)
    print(f"pi in [{running[-1] - error:.4f}, {running[-1] + error:.4f}]")

    z = normals(generator, 100000)
    print(f"normal: mean {z.mean():+.4f} std {z.std():.4f} skew {np.mean(z**3):+.4f}")
    counts, edges = np.histogram(z, bins=9, range=(-4.5, 4.5))
    for count, left, right in zip(counts, edges[:-1], edges[1:]):
        print(f"[{left:+.1f}, {right:+.1f}) {'*' * int(60 * count / counts.max())}")
    integral = np.exp(-(generator.random(50000) ** 2)).mean()
    print(f"integral of exp(-x^2) over [0, 1]: {integral:.4f}")
    dice = (generator.random(60000) * 6).astype(int).reshape(-1, 2) + 1
    sums, frequency = np.unique(dice.sum(axis=1), return_counts=True)
    for total, p in zip(sums, frequency / len(dice)):
        print(f"{total:2d}: {p:.4f} {(6 - abs(total - 7)) / 36:.4f}")
    return {"running": running, "z": z, "counts": counts, "sums": sums, "frequency": frequency, "integral": integral}
