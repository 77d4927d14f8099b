"""Option prices on a binomial tree: European, American with early exercise, a barrier, and convergence."""

import numpy as np


def tree(spot, strike, rate, sigma, years, n, american=False, put=True, barrier=None):
    dt = years / n
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    discount = np.exp(-rate * dt)
    sign = -1 if put else 1
    prices = spot * up ** np.arange(n, -n - 1, -2)
    values = np.maximum(sign * (prices - strike), 0)
    for step in range(n - 1, -1, -1):
        values = discount * (p * values[:-1] + (1 - p) * values[1:])
        if american or barrier:
            prices = spot * up ** np.arange(step, -step - 1, -2)
        if american:
            values = np.maximum(values, sign * (prices - strike))
        if barrier:
            values[prices >= barrier] = 0
    return values[0]


def exercise_boundary(spot, strike, rate, sigma, years, n):
    """The highest price at which the American put is exercised, for each step; nan where none is."""
    dt = years / n
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    boundary = np.full(n, np.nan)
    values = np.maximum(strike - spot * up ** np.arange(n, -n - 1, -2.0), 0)
    for step in reversed(range(n)):
        prices = spot * up ** np.arange(step, -step - 1, -2.0)
        hold = np.exp(-rate * dt) * (p * values[:-1] + (1 - p) * values[1:])
        now = strike - prices
        exercised = now > hold + 1e-12
        if exercised.any():
            boundary[step] = prices[exercised].max()
        values = np.maximum(hold, now)
    return boundary


def main():
    market = (100.0, 105.0, 0.04, 0.25, 1.0)
    sizes = [10, 50, 100, 400, 800]
    european = np.array([tree(*market, n) for n in sizes])
    american = np.array([tree(*market, n, american=True) for n in sizes])
    for n, e, a in zip(sizes, european, american):
        print(f"{n:4d} steps: European {e:.5f}  American {a:.5f}  premium {a - e:.5f}")
    call = tree(*market, 300, put=False)
    knocked = tree(*market, 300, put=False, barrier=130)
    print(f"call {call:.4f}, with a barrier at 130 {knocked:.4f}")
    boundary = exercise_boundary(*market, 300)
    print("exercise from step", np.flatnonzero(~np.isnan(boundary))[0], "last", f"{boundary[-1]:.3f}")
    print(f"range {np.nanmin(boundary):.3f} to {np.nanmax(boundary):.3f}, mean {np.nanmean(boundary):.3f}")
    order = np.log(np.abs(european[:-1] - european[-1]))
    print("errors shrink:", (np.diff(order) < 0).tolist())
    return {"european": european, "american": american, "boundary": boundary, "knocked": knocked}
