"""Run lengths of a sequence with diff and nonzero: coding, decoding, streaks, gaps, and groups by key."""

import numpy as np


def encode(x):
    """The value and the length of each run."""
    change = np.nonzero(np.diff(x))[0] + 1
    starts = np.concatenate(([0], change))
    lengths = np.diff(np.append(starts, len(x)))
    return x[starts], lengths


def decode(values, lengths):
    return np.repeat(values, lengths)


def longest_streak(flags):
    padded = np.r_[0, flags.astype(np.int8), 0]
    edges = np.diff(padded)
    begin, end = np.where(edges == 1)[0], np.where(edges == -1)[0]
    if begin.size == 0:
        return 0, 0
    k = (end - begin).argmax()
    return begin[k], end[k] - begin[k]


def fill_gaps(x):
    """Replaces each nan by the last number before it."""
    index = np.where(np.isnan(x), 0, np.arange(len(x)))
    np.maximum.accumulate(index, out=index)
    return x[index]


def group_sums(keys, values):
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return keys[starts], np.add.reduceat(values, starts), np.maximum.reduceat(values, starts)


def main():
    i = np.arange(100000)
    x = ((np.sin(i / 50) + np.sin(i / 17.0)) * 2).round().astype(np.int16)
    values, lengths = encode(x)
    print(f"{x.size} elements in {values.size} runs, ratio {x.nbytes / (values.nbytes + lengths.nbytes):.2f}")
    print("decoded:", np.array_equal(decode(values, lengths), x), x.dtype, values.dtype, lengths.dtype)
    print("first runs:", list(zip(values[:5].tolist(), lengths[:5].tolist())))
    start, length = longest_streak(x > 0)
    print(f"longest positive streak: {length} from {start}")
    counts = np.bincount(lengths)
    common = np.argsort(counts)[::-1][:3]
    print("commonest lengths:", [(int(n), int(counts[n])) for n in common])
    signal = np.where(i % 13 == 5, np.nan, np.cos(i / 100))
    signal[0] = 1.0
    filled = fill_gaps(signal)
    print(np.isnan(signal).sum(), "gaps, left", np.isnan(filled).sum(), f"mean {filled.mean():.6f}")
    names, sums, largest = group_sums(i * 7919 % 10, (i % 101).astype(float))
    for name, s, m in zip(names[:3], sums, largest):
        print(f"group {name}: sum {s:.1f}, largest {m:.0f}")
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    print("bits", bits.shape, bits.sum(), np.packbits(bits, axis=1).ravel()[[0, 100, 255]])
    weekly = lengths[: len(lengths) // 7 * 7].reshape(-1, 7)
    print("weekly:", weekly.shape, weekly.max(axis=0))
    return {"values": values, "lengths": lengths, "filled": filled, "sums": sums, "bits": bits, "counts": counts}
