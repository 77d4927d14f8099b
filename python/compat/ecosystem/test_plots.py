"""matplotlib's functions with our arrays as data."""

import numpy as np
import pytest

import belvedere as bv

plt = pytest.importorskip("matplotlib.pyplot")

X = bv.linspace(0.0, 1.0, 12)
Y = bv.sin(X)
Z = bv.reshape(bv.arange(48.0), (6, 8))
IMAGE = bv.astype(bv.reshape(bv.arange(48) * 5, (4, 4, 3)), bv.uint8)

PLOTS = {
    "plot": lambda ax: ax.plot(X, Y),
    "plot a matrix": lambda ax: ax.plot(Z),
    "plot with a format": lambda ax: ax.plot(X, Y, "o--"),
    "scatter": lambda ax: ax.scatter(X, Y),
    "scatter with sizes and colors": lambda ax: ax.scatter(X, Y, s=20 * X + 1, c=Y),
    "bar": lambda ax: ax.bar(X, Y),
    "barh": lambda ax: ax.barh(X, Y),
    "hist": lambda ax: ax.hist(Y, bins=5),
    "hist with our bins": lambda ax: ax.hist(Y, bins=bv.linspace(0.0, 1.0, 4)),
    "hist2d": lambda ax: ax.hist2d(X, Y, bins=4),
    "hexbin": lambda ax: ax.hexbin(X, Y, gridsize=5),
    "imshow": lambda ax: ax.imshow(Z),
    "imshow of colors": lambda ax: ax.imshow(IMAGE),
    "imshow of a view": lambda ax: ax.imshow(Z.T[::-1]),
    "matshow": lambda ax: ax.matshow(Z),
    "pcolormesh": lambda ax: ax.pcolormesh(Z),
    "pcolormesh with edges": lambda ax: ax.pcolormesh(bv.arange(9), bv.arange(7), Z),
    "contour": lambda ax: ax.contour(Z),
    "contourf with coordinates": lambda ax: ax.contourf(bv.arange(8), bv.arange(6), Z),
    "fill_between": lambda ax: ax.fill_between(X, Y, 0.0),
    "fill_between where": lambda ax: ax.fill_between(X, Y, where=Y > 0.5),
    "errorbar": lambda ax: ax.errorbar(X, Y, yerr=X / 10),
    "errorbar of both sides": lambda ax: ax.errorbar(X, Y, yerr=bv.stack([X / 10, X / 5])),
    "boxplot": lambda ax: ax.boxplot(Z),
    "boxplot of lists": lambda ax: ax.boxplot([X, Y]),
    "violinplot": lambda ax: ax.violinplot(Z),
    "pie": lambda ax: ax.pie(X[1:5]),
    "stem": lambda ax: ax.stem(X, Y),
    "step": lambda ax: ax.step(X, Y),
    "stairs": lambda ax: ax.stairs(Y[:-1], X),
    "stackplot": lambda ax: ax.stackplot(X, Y, Y + 1),
    "quiver": lambda ax: ax.quiver(X, Y, Y, X),
    "streamplot": lambda ax: ax.streamplot(bv.arange(8), bv.arange(6), Z, Z),
    "semilogy": lambda ax: ax.semilogy(X, Y + 1),
    "loglog": lambda ax: ax.loglog(X + 1, Y + 1),
    "vlines": lambda ax: ax.vlines(X, 0, Y),
    "hlines": lambda ax: ax.hlines(Y, 0, X),
    "axvline": lambda ax: ax.axvline(X[3]),
    "limits": lambda ax: (ax.set_xlim(X[0], X[-1]), ax.set_ylim(bv.min(Y), bv.max(Y))),
    "ticks": lambda ax: ax.set_xticks(X[::4]),
    "text": lambda ax: ax.text(X[1], Y[1], "here"),
    "annotate": lambda ax: ax.annotate("here", (X[1], Y[1]), xytext=(X[2], Y[2])),
    "tripcolor": lambda ax: ax.tripcolor(X, Y**2, bv.cos(X * 9)),
    "spy": lambda ax: ax.spy(Z > 20),
    "psd": lambda ax: ax.psd(Y, NFFT=8),
    "ecdf": lambda ax: ax.ecdf(Y),
}


@pytest.fixture
def ax():
    figure, ax = plt.subplots(figsize=(2, 2), dpi=40)
    yield ax
    figure.canvas.draw()
    plt.close(figure)


@pytest.mark.parametrize("name", PLOTS)
def test_plot(ax, name):
    PLOTS[name](ax)


def test_a_line_has_the_data():
    figure, ax = plt.subplots()
    (line,) = ax.plot(X, Y)
    np.testing.assert_array_equal(line.get_ydata(), np.asarray(Y))
    line.set_ydata(Y * 2)
    figure.canvas.draw()
    plt.close(figure)


def test_surfaces_in_three_dimensions():
    figure, ax = plt.subplots(subplot_kw={"projection": "3d"})
    x, y = bv.meshgrid(bv.arange(8.0), bv.arange(6.0))
    ax.plot_surface(x, y, Z)
    ax.scatter(X, Y, X)
    figure.canvas.draw()
    plt.close(figure)


def test_colors_are_mapped():
    colors = plt.get_cmap("viridis")(X)
    assert colors.shape == (12, 4)


def test_images_are_saved(tmp_path):
    plt.imsave(tmp_path / "a.png", Z)
    plt.imsave(tmp_path / "b.png", IMAGE)
    assert bv.asarray(plt.imread(tmp_path / "b.png")).shape == (4, 4, 4)
