"""Markov chains: stationary distribution three ways, absorption of the gambler, weather over a year."""

import numpy as np


def stationary(p):
    """The left eigenvector of the eigenvalue 1."""
    values, vectors = np.linalg.eig(p.T)
    v = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    return v / v.sum()


def by_power(p, steps=200):
    return np.linalg.matrix_power(p, steps)[0]


def by_equations(p):
    n = len(p)
    a = np.vstack([p.T - np.eye(n), np.ones(n)])
    b = np.zeros(n + 1)
    b[-1] = 1
    return np.linalg.lstsq(a, b, rcond=None)[0]


def gambler(n, p):
    t = np.zeros((n + 1, n + 1))
    t[0, 0] = t[n, n] = 1
    for i in range(1, n):
        t[i, i + 1] = p
        t[i, i - 1] = 1 - p
    return t


def simulate(p, start, n):
    cumulative = p.cumsum(axis=1)
    states = [start]
    for k in range(n - 1):
        u = (k * 0.6180339887498949) % 1.0
        states.append(int(np.searchsorted(cumulative[states[-1]], u, side="right")))
    return np.array(states)


def main():
    weather = np.array([[0.8, 0.15, 0.05], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])
    assert np.allclose(weather.sum(axis=1), 1)
    for method in (stationary, by_power, by_equations):
        print(f"{method.__name__:>14}:", np.round(method(weather), 6))
    t = gambler(60, 0.48)
    inner = slice(1, -1)
    q, r = t[inner, inner], t[inner][:, [0, -1]]
    fundamental = np.linalg.inv(np.eye(len(q)) - q)
    absorbed = fundamental @ r
    duration = fundamental.sum(axis=1)
    print(f"ruin from 30: {absorbed[29, 0]:.4f}, expected duration {duration[29]:.2f}")
    days = simulate(weather, 0, 5000)
    share = np.bincount(days) / days.size
    names = ["sun", "cloud", "rain"]
    print(", ".join(f"{name} {x:.3f}" for name, x in zip(names, share)))
    pairs = np.zeros((3, 3), dtype=int)
    for a, b in zip(days[:-1], days[1:]):
        pairs[a, b] += 1
    estimate = pairs / pairs.sum(axis=1, keepdims=True)
    print(estimate.round(3))
    entropy = -np.sum(stationary(weather)[:, None] * weather * np.log2(weather))
    print(f"entropy rate {entropy:.5f} bits")
    return {"pi": stationary(weather), "absorbed": absorbed, "pairs": pairs, "estimate": estimate, "entropy": entropy}
