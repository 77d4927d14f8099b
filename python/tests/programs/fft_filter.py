"""Filtering a noisy signal in the frequency domain, with the spectrum's peaks and a power check."""

import numpy as np
from numpy.fft import irfft, rfft, rfftfreq


def make_signal(n, rate):
    t = np.arange(n) / rate
    clean = 1.5 * np.sin(2 * np.pi * 50 * t) + 0.7 * np.cos(2 * np.pi * 120 * t + 0.3)
    noise = 0.4 * (((np.arange(n) * 7919) % 1009) / 1009 - 0.5)
    return t, clean, clean + noise


def peaks(values, count):
    """The largest local maxima, by size."""
    inner = values[1:-1]
    candidates = np.flatnonzero((inner > values[:-2]) & (inner >= values[2:])) + 1
    return candidates[np.argsort(values[candidates])[::-1][:count]]


def low_pass(signal, rate, cutoff):
    spectrum = rfft(signal)
    spectrum[rfftfreq(signal.size, 1 / rate) > cutoff] = 0
    return irfft(spectrum, n=signal.size)


def main():
    rate = 1000.0
    t, clean, noisy = make_signal(1 << 18, rate)
    spectrum = np.fft.fft(noisy)
    freqs = np.fft.fftfreq(noisy.size, d=1 / rate)
    power = np.abs(spectrum[: noisy.size // 2]) ** 2 / noisy.size
    top = np.sort(freqs[peaks(power, 2)])
    print("peaks at", " and ".join(f"{f:.1f} Hz" for f in top))
    print("Parseval:", np.isclose(np.sum(noisy**2), np.sum(np.abs(spectrum) ** 2) / noisy.size))

    filtered = low_pass(noisy, rate, 200)
    before, after = (np.sqrt(np.mean((x - clean) ** 2)) for x in (noisy, filtered))
    print(f"rms error {before:.4f} -> {after:.4f}, gain {20 * np.log10(before / after):.2f} dB")

    shifted = np.fft.fftshift(freqs)
    print("from", shifted[0], "to", shifted[-1], "strictly increasing:", np.all(np.diff(shifted) > 0))
    window = np.hanning(256)
    frames = noisy[: 256 * 128].reshape(-1, 256) * window
    spectrogram = 10 * np.log10(np.abs(np.fft.rfft(frames, axis=1)) ** 2 + 1e-12)
    print("spectrogram", spectrogram.shape, f"loudest bin {spectrogram.mean(axis=0).argmax()}")
    phase = np.angle(spectrum[peaks(power, 1)[0]])
    return {"power": power, "filtered": filtered, "spectrogram": spectrogram[:4], "phase": phase, "top": top}
