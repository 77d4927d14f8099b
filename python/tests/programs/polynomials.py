"""Polynomials and interpolation: fits of several degrees, roots, Lagrange, splines, Horner, quadrature."""

import numpy as np


def horner(coefficients, x):
    result = np.zeros_like(x)
    for c in coefficients:
        result = result * x + c
    return result


def lagrange(xs, ys, x):
    total = np.zeros(x.shape)
    for j in range(len(xs)):
        others = np.delete(xs, j)
        total += ys[j] * np.prod((x[:, None] - others) / (xs[j] - others), axis=1)
    return total


def natural_spline(x, y):
    """Second derivatives at the knots."""
    n = x.size
    h = np.diff(x)
    a = np.zeros((n, n))
    b = np.zeros(n)
    a[0, 0] = a[-1, -1] = 1
    for i in range(1, n - 1):
        a[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    return np.linalg.solve(a, b)


def evaluate(x, y, m, at):
    k = np.clip(np.searchsorted(x, at) - 1, 0, len(x) - 2)
    h, t = x[k + 1] - x[k], at - x[k]
    slope = (y[k + 1] - y[k]) / h - h * (2 * m[k] + m[k + 1]) / 6
    return y[k] + t * (slope + t * (m[k] / 2 + t * (m[k + 1] - m[k]) / (6 * h)))


def main():
    x = np.linspace(-1, 1, 20000)
    y = 1 / (1 + 25 * x**2)
    fits = np.array([np.polyfit(x, y, degree)[-3:] for degree in range(2, 12, 2)])
    for degree in (2, 6, 10):
        error = y - np.polyval(np.polyfit(x, y, degree), x)
        print(f"degree {degree:2d}: rms {np.sqrt(np.mean(error**2)):.5f}, max {np.abs(error).max():.5f}")
    knots = np.linspace(-1, 1, 11)
    chebyshev = np.cos((2 * np.arange(11) + 1) * np.pi / 22)[::-1]
    runge = [np.abs(lagrange(k, 1 / (1 + 25 * k**2), x) - y).max() for k in (knots, chebyshev)]
    print(f"Lagrange: equidistant {runge[0]:.4f}, Chebyshev {runge[1]:.4f}")
    values = 1 / (1 + 25 * knots**2)
    smooth = evaluate(knots, values, natural_spline(knots, values), x)
    linear = np.interp(x, knots, values)
    print(f"spline {np.abs(smooth - y).max():.5f}, linear {np.abs(linear - y).max():.5f}")
    p = np.poly([1.0, -2.0, 3.5])
    print("coefficients", p, "roots", np.sort(np.roots(p).real).round(6))
    print("Horner agrees:", np.allclose(horner(p, x), np.polyval(p, x)), "derivative", np.polyder(p))
    product = np.polymul(p, [1, 0, -1])
    print("product", product, "sum", np.polyadd(p, product))
    simpson = np.tile([4.0, 2.0], 100)[:-1] * 0.01 / 3
    integral = simpson @ np.exp(np.linspace(-1, 1, 201)[1:-1]) + 2 * np.cosh(1) * 0.01 / 3
    print(f"Simpson {integral:.8f}, exact {np.e - 1 / np.e:.8f}, trapezium {np.trapezoid(np.exp(x), x):.6f}")
    vandermonde = np.vander(knots, 4)
    print("Vandermonde", vandermonde.shape, f"condition {np.linalg.cond(vandermonde):.4f}")
    return {"fits": fits, "smooth": smooth, "linear": linear, "product": product, "vandermonde": vandermonde}
