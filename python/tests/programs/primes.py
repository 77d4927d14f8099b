"""Number theory: a sieve, twin primes, factorisation, Goldbach, Ulam's spiral, gcd tables and last digits."""

from collections import Counter

import numpy as np


def sieve(n):
    is_prime = np.ones(n + 1, dtype=bool)
    is_prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = False
    return is_prime


def factorise(n, primes):
    factors = []
    for p in primes:
        if p * p > n:
            break
        while n % p == 0:
            factors.append(int(p))
            n //= p
    return factors + [int(n)] if n > 1 else factors


def spiral(n):
    """Numbers in a square spiral, from the middle outwards."""
    square = np.array([[1]])
    while len(square) < n:
        side = len(square)
        start = square.max()
        square = np.rot90(square)
        column = np.arange(start + 1, start + 1 + side)[::-1].reshape(-1, 1)
        square = np.hstack([square, column]) if side == square.shape[0] else square
        top = np.arange(start + side + 1, start + 2 * side + 2)[::-1]
        square = np.vstack((top, square))
    return square


def main():
    is_prime = sieve(2000000)
    primes = np.flatnonzero(is_prime)
    print(primes.size, "primes, the last", primes[-3:])
    gaps = np.diff(primes)
    twins = primes[:-1][gaps == 2]
    print(f"{twins.size} twins, widest gap {gaps.max()} after {primes[gaps.argmax()]}")
    print("commonest gaps:", sorted((int(g), n) for g, n in Counter(gaps.tolist()).most_common(3)))
    digits = Counter(int(p) % 10 for p in primes[:5000])
    print("last digits:", {d: digits[d] for d in sorted(digits)})
    for n in (360, 9973, 1001 * 17, 65536):
        print(n, "=", " x ".join(str(f) for f in factorise(n, primes)))
    checkpoints = np.array([100, 1000, 10000, 100000])
    counts = np.searchsorted(primes, checkpoints, side="right")
    ratio = counts * np.log(checkpoints) / checkpoints
    print("prime number theorem:", ratio.round(4))
    small = primes[primes < 100]
    sums = np.unique(np.add.outer(small, small))
    evens = np.arange(4, 100, 2)
    print("Goldbach:", np.isin(evens, sums).all())
    square = spiral(9)
    print(square.shape, is_prime[square].sum(), "primes in the spiral")
    print("\n".join("".join("*" if cell else "." for cell in row) for row in is_prime[square]))
    table = np.gcd.outer(np.arange(1, 201), np.arange(1, 201))
    coprime = (table == 1).mean()
    print(f"coprime pairs {coprime:.4f}, 6/pi^2 = {6 / np.pi**2:.4f}, lcm of 1..20 = {np.lcm.reduce(np.arange(1, 21))}")
    return {"primes": primes, "gaps": gaps, "twins": twins, "ratio": ratio, "square": square, "coprime": coprime}
