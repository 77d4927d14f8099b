"""Histogram equalisation of a grey image, and of each channel of a colour image; Otsu's threshold."""

import numpy as np


def make_image(h, w):
    ramp = np.linspace(0, 1, w) ** 2.2
    image = np.tile(ramp, (h, 1)) * np.linspace(0.3, 0.8, h)[:, None]
    return (255 * image).astype(np.uint8)


def equalise(channel):
    hist = np.bincount(channel.ravel(), minlength=256)
    cdf = hist.cumsum()
    low = cdf[cdf > 0][0]
    table = np.round((cdf - low) * 255.0 / (channel.size - low)).clip(0, 255).astype(np.uint8)
    return table[channel]


def otsu(image):
    """The threshold with the largest variance between the two classes."""
    hist, _ = np.histogram(image, bins=256, range=(0, 256))
    p = hist / hist.sum()
    weight = np.cumsum(p)
    mean = np.cumsum(p * np.arange(256))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (mean[-1] * weight - mean) ** 2 / (weight * (1 - weight))
    return np.nanargmax(np.where(np.isfinite(between), between, np.nan)), between


def main():
    grey = make_image(300, 400)
    print("grey", grey.shape, grey.dtype, "mean", f"{grey.mean():.2f}", "std", f"{grey.std():.2f}")
    flat = equalise(grey)
    print("equalised: mean", f"{flat.mean():.2f}", "std", f"{flat.std():.2f}")
    print("percentiles", np.percentile(flat, [5, 25, 50, 75, 95]))
    threshold, between = otsu(grey)
    mask = grey > threshold
    print("Otsu's threshold", threshold, "foreground", f"{np.mean(mask):.3f}")
    colour = np.dstack([grey, 255 - grey, np.rot90(grey[:300, :300], 1).repeat(4, axis=1)[:, ::3][:, :400]])
    print("colour", colour.shape, colour.dtype)
    balanced = np.stack([equalise(colour[..., k]) for k in range(3)], axis=-1)
    luma = balanced @ np.array([0.299, 0.587, 0.114])
    print("luma", luma.dtype, np.round(luma[::100, ::150], 2))
    swapped = colour[..., ::-1]
    print("channels swapped:", np.shares_memory(swapped, colour), swapped[0, 0], swapped[-1, -1])
    levels = np.unique(flat)
    print(levels.size, "levels, gaps", np.unique(np.diff(levels)))
    return {"flat": flat, "threshold": threshold, "balanced": balanced, "luma": luma, "levels": levels}
