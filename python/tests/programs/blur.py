"""Blurring an image: box and Gaussian kernels, separable and direct convolution, sharpening, thumbnails."""

import numpy as np


def make_image(h, w):
    y, x = np.mgrid[0:h, 0:w]
    image = 127 + 80 * np.sin(x / 9.0) * np.cos(y / 13.0)
    image[(x - w // 2) ** 2 + (y - h // 2) ** 2 < (h // 4) ** 2] = 255
    return image.astype(np.uint8)


def convolve2d(image, kernel):
    """Direct convolution with reflected borders."""
    kh, kw = kernel.shape
    padded = np.pad(image, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode="reflect")
    out = np.zeros(image.shape, dtype=float)
    for dy in range(kh):
        for dx in range(kw):
            out += kernel[kh - 1 - dy, kw - 1 - dx] * padded[dy : dy + image.shape[0], dx : dx + image.shape[1]]
    return out


def gaussian(radius, sigma):
    x = np.arange(-radius, radius + 1)
    kernel = np.exp(-(x**2) / (2 * sigma**2))
    return kernel / kernel.sum()


def separable(image, kernel):
    rows = np.apply_along_axis(np.convolve, 1, image.astype(float), kernel, "same")
    return np.apply_along_axis(lambda column: np.convolve(column, kernel, mode="same"), 0, rows)


def main():
    image = make_image(360, 480)
    print("image", image.shape, image.dtype, image.min(), image.max())
    box = convolve2d(image, np.ones((5, 5)) / 25)
    g = gaussian(4, 1.5)
    smooth = convolve2d(image, np.outer(g, g))
    fast = separable(image, g)
    inner = (slice(4, -4), slice(4, -4))
    print("separable agrees inside:", np.allclose(smooth[inner], fast[inner]))
    sharp = np.clip(image + 1.5 * (image - smooth), 0, 255).round().astype(np.uint8)
    print(f"means: box {box.mean():.3f} gaussian {smooth.mean():.3f} sharp {sharp.mean():.3f}")
    thumbnail = image.reshape(36, 10, 48, 10).mean(axis=(1, 3))
    print("thumbnail", thumbnail.shape)
    print(thumbnail[:3, :6].astype(int))
    mirrored = np.fliplr(image)
    montage = np.vstack([np.hstack([image, mirrored]), np.hstack([np.flipud(image), image[::-1, ::-1]])])
    print("montage", montage.shape, "symmetric", np.array_equal(montage, montage[::-1]))
    return {"box": box, "smooth": smooth, "fast": fast, "sharp": sharp, "thumbnail": thumbnail, "montage": montage}
