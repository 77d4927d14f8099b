"""Random walks: displacement, first passage, returns to the origin, the arcsine law; in one and two dimensions."""

import numpy as np


def steps(walkers, n):
    """Steps of +1 and -1 from a multiplicative hash of the position."""
    i = np.arange(walkers * n, dtype=np.uint32).reshape(walkers, n)
    i = (i ^ (i >> 16)) * np.uint32(0x45D9F3B)
    i = (i ^ (i >> 16)) * np.uint32(0x45D9F3B)
    return np.where((i >> 16) & 1, 1, -1).astype(np.int8)


def main():
    walkers, n = 1000, 600
    walk = np.cumsum(steps(walkers, n), axis=1)
    print("walk", walk.shape, walk.dtype)
    mean_square = (walk.astype(float) ** 2).mean(axis=0)
    slope = np.polyfit(np.arange(1, n + 1), mean_square, 1)[0]
    print(f"<x^2> grows with slope {slope:.3f}")
    hits = np.abs(walk) >= 30
    reached = hits.any(axis=1)
    first = hits[reached].argmax(axis=1)
    print(f"{reached.sum()} of {walkers} reach 30, on average after {first.mean():.1f} steps, fastest {first.min()}")
    returns = (walk == 0).sum(axis=1)
    print("returns to 0: mean %.3f, max %d, never %d" % (returns.mean(), returns.max(), (returns == 0).sum()))
    positive = (walk > 0).mean(axis=1)
    hist, _ = np.histogram(positive, bins=5, range=(0, 1))
    print("time on the positive side:", hist)
    highest = np.maximum.accumulate(walk, axis=1)[:, -1]
    values, counts = np.unique(highest, return_counts=True)
    print("commonest maximum:", values[counts.argmax()], "quartiles", np.quantile(highest, [0.25, 0.5, 0.75]))

    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    choice = (steps(400, 500) + 1) + (steps(400, 1000)[:, ::2] + 1) // 2
    path = moves[choice].cumsum(axis=1)
    distance = np.sqrt((path**2).sum(axis=2))
    print("plane", path.shape, f"final distance {distance[:, -1].mean():.2f} +- {distance[:, -1].std():.2f}")
    visited = [len(set(map(tuple, p.tolist()))) for p in path[:50]]
    print(f"sites visited: {np.mean(visited):.1f}")
    return {"mean_square": mean_square, "slope": slope, "first": first, "returns": returns, "distance": distance}
