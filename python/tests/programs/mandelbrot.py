"""The Mandelbrot set: escape times on a grid, a Julia set, and the area by counting."""

import numpy as np


def escape_times(c, steps):
    z = np.zeros_like(c)
    times = np.full(c.shape, steps, dtype=int)
    alive = np.ones(c.shape, dtype=bool)
    for n in range(steps):
        z[alive] = z[alive] ** 2 + c[alive]
        escaped = alive & (z.real**2 + z.imag**2 > 4.0)
        times[escaped] = n
        alive &= ~escaped
    return times


def julia(c, n, steps):
    x = np.linspace(-1.5, 1.5, n)
    z = x[np.newaxis, :] + 1j * x[:, np.newaxis]
    count = np.zeros(z.shape, dtype=np.int32)
    for _ in range(steps):
        inside = np.abs(z) <= 2
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def main():
    y, x = np.ogrid[-1.25:1.25:240j, -2:0.5:320j]
    c = x + 1j * y
    times = escape_times(c, 40)
    print("grid", c.shape, c.dtype, "times", times.dtype)
    inside = times == times.max()
    area = inside.mean() * 2.5 * 2.5
    print(f"area about {area:.3f}")
    palette = " .:-=+*#%@"
    shades = np.clip(times * 10 // 41, 0, 9)
    for row in shades[::20, ::8]:
        print("".join(palette[shade] for shade in row))
    hist, edges = np.histogram(times, bins=8, range=(0, 40))
    for count, left in zip(hist, edges):
        print(f"{left:5.1f}: {count}")
    fractal = julia(-0.8 + 0.156j, 300, 30)
    print("julia", fractal.min(), fractal.max(), f"{fractal.mean():.3f}")
    symmetric = np.array_equal(fractal, fractal[::-1, ::-1])
    print("symmetric:", symmetric)
    return {"times": times, "area": area, "julia": fractal, "hist": hist, "edges": edges}
