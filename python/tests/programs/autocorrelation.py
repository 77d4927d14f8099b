"""Autocorrelation of a series: by definition, by np.correlate and by the FFT; its period and a forecast."""

import numpy as np


def make_series(n):
    t = np.arange(n)
    noise = (t * 16807 % 2147483647 % 1000) / 1000 - 0.5
    return 10 + 3 * np.sin(2 * np.pi * t / 24) + 1.2 * np.cos(2 * np.pi * t / 168) + noise


def by_definition(x, lags):
    x = x - x.mean()
    variance = np.dot(x, x)
    return np.array([1.0 if k == 0 else np.dot(x[:-k], x[k:]) / variance for k in range(lags)])


def by_correlate(x, lags):
    x = x - np.mean(x)
    full = np.correlate(x, x, mode="full")[x.size - 1 :]
    return full[:lags] / full[0]


def by_fft(x, lags):
    x = x - np.average(x)
    n = 2 ** int(np.ceil(np.log2(2 * len(x))))
    spectrum = np.fft.fft(x, n)
    full = np.fft.ifft(spectrum * np.conjugate(spectrum)).real
    return full[:lags] / full[0]


def solve_yule_walker(r, order):
    i = np.arange(order)
    toeplitz = r[np.abs(i[:, None] - i)]
    return np.linalg.solve(toeplitz, r[1 : order + 1])


def main():
    x = make_series(12000)
    r = by_definition(x, 200)
    print("three ways agree:", np.allclose(r, by_correlate(x, 200)), np.allclose(r, by_fft(x, 200)))
    is_peak = (r[1:-1] > r[:-2]) & (r[1:-1] > r[2:])
    lags = np.where(is_peak)[0] + 1
    print("peaks:", lags[:5], "period", lags[np.argmax(r[lags])])
    bound = 1.96 / np.sqrt(len(x))
    print(f"{(np.abs(r) > bound).sum()} of {len(r)} lags are significant (|r| > {bound:.4f})")

    order = 24
    phi = solve_yule_walker(r, order)
    history = list(x[-order:] - x.mean())
    for _ in range(12):
        history.append(np.dot(phi, history[: -order - 1 : -1]))
    forecast = np.asarray(history[order:]) + x.mean()
    print("forecast:", " ".join(f"{v:.2f}" for v in forecast))
    residual = (x - x.mean())[order:].copy()
    for k, c in enumerate(phi, start=1):
        residual -= c * (x - x.mean())[order - k : -k]
    print(f"residual std {residual.std():.4f}, kurtosis {np.mean(residual**4) / residual.var() ** 2:.3f}")
    return {"r": r, "phi": phi, "forecast": forecast, "residual": residual, "lags": lags}
