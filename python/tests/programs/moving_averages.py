"""Moving averages of a price series: simple by cumulative sums, weighted, exponential; crossovers, drawdown."""

import numpy as np


def prices(n):
    day = np.arange(n)
    return 100 + 0.01 * day + 8 * np.sin(day / 40) + 3 * np.sin(day / 7.3) + (day * 37 % 11) / 11


def simple(x, n):
    total = np.cumsum(np.insert(x, 0, 0.0))
    return (total[n:] - total[:-n]) / n


def weighted(x, n):
    weights = np.arange(1, n + 1)
    return np.convolve(x, weights[::-1], "valid") / weights.sum()


def exponential(x, alpha):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
    return out


def main():
    price = prices(200000)
    fast, slow = simple(price, 20), simple(price, 100)
    fast = fast[-len(slow) :]
    above = fast > slow
    crossings = np.flatnonzero(np.diff(above.astype(int)))
    print(f"{price.size} prices, {crossings.size} crossings, first at {crossings[:4].tolist()}")
    wma = weighted(price, 15)
    ema = exponential(price[:4000], 2 / 21)
    print(f"last averages: {slow[-1]:.4f} {wma[-1]:.4f} {ema[-1]:.4f}")

    peak = np.maximum.accumulate(price)
    drawdown = 1 - price / peak
    worst = drawdown.argmax()
    print(f"largest drawdown {drawdown[worst]:.2%} on day {worst}")
    returns = np.diff(np.log(price))
    volatility = returns.reshape(-1, 1)[:199950].reshape(-1, 50).std(axis=1, ddof=1) * np.sqrt(252)
    print("volatility:", np.array2string(volatility[:4], precision=3))
    position = np.where(above, 1, -1)
    gain = np.sum(position[:-1] * returns[-len(position) + 1 :])
    print("gain of the strategy: {:+.4f}".format(gain))
    smooth = np.median(np.lib.stride_tricks.sliding_window_view(price, 5), axis=-1)
    print("median filter", smooth.shape, f"{np.abs(smooth - price[2:-2]).max():.3f}")
    return {"slow": slow, "wma": wma, "ema": ema, "crossings": crossings, "drawdown": drawdown, "smooth": smooth}
