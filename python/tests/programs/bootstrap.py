"""Resampling statistics: bootstrap intervals, a permutation test, jackknife, and NumPy's generator for shapes."""

import numpy as np


def sample(n):
    """Log-normal quantiles, by a rational approximation of the normal ones."""
    p = (np.arange(n) + 0.5) / n
    t = np.sqrt(-2 * np.log(np.minimum(p, 1 - p)))
    z = t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t**2)
    return np.exp(0.5 * np.where(p < 0.5, -z, z))


def indices(rows, n):
    """Positions in 0..n-1 from a linear congruential sequence."""
    state = np.arange(rows * n, dtype=np.uint64)
    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    state = (state ^ (state >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return ((state >> np.uint64(33)) % np.uint64(n)).astype(int).reshape(rows, n)


def interval(values, level=0.95):
    return np.quantile(values, [(1 - level) / 2, (1 + level) / 2])


def main():
    x = sample(120)
    print(f"mean {x.mean():.4f}, median {np.median(x):.4f}, std {x.std(ddof=1):.4f}")
    resamples = x[indices(2000, x.size)]
    means, medians = resamples.mean(axis=1), np.median(resamples, axis=1)
    print("mean:   [%.4f, %.4f]" % tuple(interval(means)))
    print("median: [{:.4f}, {:.4f}]".format(*interval(medians)))
    bias = means.mean() - x.mean()
    print(f"bias {bias:+.5f}, standard error {means.std():.5f}, formula {x.std(ddof=1) / np.sqrt(x.size):.5f}")
    jackknife = np.array([np.delete(x, i).mean() for i in range(x.size)])
    error = np.sqrt((x.size - 1) * jackknife.var())
    print(f"jackknife error {error:.5f}")

    a, b = x[::2] + 0.15, x[1::2]
    pooled = np.concatenate((a, b))
    observed = a.mean() - b.mean()
    shuffled = pooled[np.argsort(indices(3000, pooled.size), axis=1, kind="stable")]
    differences = shuffled[:, : a.size].mean(axis=1) - shuffled[:, a.size :].mean(axis=1)
    p_value = (np.abs(differences) >= abs(observed)).mean()
    print(f"difference {observed:.4f}, p = {p_value:.4f}")
    trimmed = np.sort(x)[x.size // 10 : -x.size // 10].mean()
    skew = (((x - x.mean()) / x.std()) ** 3).mean()
    print(f"trimmed mean {trimmed:.4f}, skewness {skew:.4f}, range {np.ptp(x):.4f}")
    rng = np.random.default_rng(12345)
    noise = rng.normal(0.0, 1.0, size=(200, 50))
    choice = rng.integers(0, 10, size=1000)
    print("generator:", noise.shape, noise.dtype, choice.min() >= 0, choice.max() < 10, abs(noise.mean()) < 0.1)
    print("sorted permutation:", np.array_equal(np.sort(rng.permutation(50)), np.arange(50)))
    return {"means": means, "medians": medians, "error": error, "differences": differences, "p": p_value}
