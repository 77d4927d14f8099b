"""Black-Scholes prices of options, their Greeks, put-call parity and implied volatility by bisection."""

import math

import numpy as np


def normal_cdf(x):
    """An approximation by a polynomial (Abramowitz and Stegun 26.2.17)."""
    k = 1 / (1 + 0.2316419 * np.abs(x))
    tail = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    tail *= k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    return np.where(x >= 0, 1 - tail, tail)


def price(spot, strike, rate, sigma, years, kind="call"):
    d1 = (np.log(spot / strike) + (rate + sigma**2 / 2) * years) / (sigma * np.sqrt(years))
    d2 = d1 - sigma * np.sqrt(years)
    discounted = strike * np.exp(-rate * years)
    if kind == "call":
        return spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    return discounted * normal_cdf(-d2) - spot * normal_cdf(-d1)


def implied(target, spot, strike, rate, years):
    low, high = np.full_like(target, 1e-3), np.full_like(target, 3.0)
    for _ in range(50):
        middle = (low + high) / 2
        too_high = price(spot, strike, rate, middle, years) > target
        high = np.where(too_high, middle, high)
        low = np.where(too_high, low, middle)
    return (low + high) / 2


def main():
    spot, rate = 100.0, 0.03
    strikes, years = np.meshgrid(np.linspace(60, 140, 1601), np.array([0.25, 0.5, 1.0, 2.0]))
    calls = price(spot, strikes, rate, 0.2, years)
    puts = price(spot, strikes, rate, 0.2, years, "put")
    print("calls", calls.shape, calls.dtype)
    print("at the money:", np.round(calls[:, 800], 3), np.round(puts[:, 800], 3))
    parity = calls - puts - (spot - strikes * np.exp(-rate * years))
    print("put-call parity:", np.allclose(parity, 0, atol=1e-9))
    smile = 0.2 + 0.1 * (np.log(strikes / spot)) ** 2
    vols = implied(price(spot, strikes, rate, smile, years), spot, strikes, rate, years)
    print("implied volatility found:", np.abs(vols - smile)[:, 400:1200].max() < 1e-9)
    h = 0.01
    delta = (price(spot + h, strikes, rate, 0.2, years) - price(spot - h, strikes, rate, 0.2, years)) / (2 * h)
    print("deltas:", " ".join(f"{x:.3f}" for x in delta[2, ::400]))
    single = price(spot, 105.0, rate, 0.25, 0.75)
    print(f"one option: {float(single):.4f}; total of the book {calls.sum():,.2f}")
    assert math.isclose(single, float(price(spot, np.array([105.0]), rate, 0.25, 0.75)[0]))
    cheapest = np.unravel_index(calls.argmin(), calls.shape)
    print("cheapest call: strike", strikes[cheapest], "years", years[cheapest])
    return {"calls": calls, "puts": puts, "vols": vols[:, 400:1200], "delta": delta, "single": single}
