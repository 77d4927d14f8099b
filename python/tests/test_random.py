"""Random numbers: reproducible by seed, with the requested distribution, thread-safe."""

import copy
import threading

import numpy as np
import pytest
import zoo

import belvedere as bv

DRAWS = {
    "random": lambda rng: rng.random((3, 4)),
    "standard_normal": lambda rng: rng.standard_normal((3, 4), dtype=bv.float32),
    "normal": lambda rng: rng.normal(2.0, 3.0, (3, 4)),
    "uniform": lambda rng: rng.uniform(-1.0, 5.0, (3, 4)),
    "exponential": lambda rng: rng.exponential(2.0, (3, 4)),
    "integers": lambda rng: rng.integers(-5, 9, (3, 4)),
    "bernoulli": lambda rng: rng.bernoulli(0.5, (3, 4)),
    "permutation": lambda rng: rng.permutation(12),
    "choice": lambda rng: rng.choice(12, 12),
}


@pytest.mark.parametrize("name", DRAWS)
def test_equal_seeds_give_equal_numbers(name):
    draw, rng = DRAWS[name], bv.random.default_rng(7)
    first, second = draw(rng), draw(rng)
    assert bool(bv.all(draw(bv.random.default_rng(7)) == first))
    assert not bool(bv.all(first == second))
    assert not bool(bv.all(first == draw(bv.random.default_rng(8))))


def test_unseeded_generators_differ():
    draws = [bv.random.default_rng().random(4) for _ in range(2)]
    assert not bool(bv.all(draws[0] == draws[1]))


def test_a_copied_generator_continues_identically():
    rng = bv.random.default_rng(1)
    rng.random(3)
    again, deep = copy.copy(rng), copy.deepcopy(rng)
    expected = rng.random(5)
    assert bool(bv.all(again.random(5) == expected)) and bool(bv.all(deep.random(5) == expected))


def test_distributions_have_their_moments():
    rng, n = bv.random.default_rng(3), 40_000
    moments = {
        "random": (rng.random(n), 0.5, 1 / np.sqrt(12)),
        "normal": (rng.normal(2.0, 3.0, n), 2.0, 3.0),
        "standard_normal": (rng.standard_normal(n), 0.0, 1.0),
        "uniform": (rng.uniform(-1.0, 5.0, n), 2.0, 6 / np.sqrt(12)),
        "exponential": (rng.exponential(2.0, n), 2.0, 2.0),
        "bernoulli": (bv.astype(rng.bernoulli(0.25, n), bv.float64), 0.25, np.sqrt(0.1875)),
        "integers": (bv.astype(rng.integers(0, 10, n), bv.float64), 4.5, np.sqrt(99 / 12)),
    }
    for name, (x, mean, deviation) in moments.items():
        assert abs(float(bv.mean(x)) - mean) < 5 * deviation / np.sqrt(n), name
        assert abs(float(bv.std(x)) - deviation) < 0.05 * deviation, name


def test_integers_cover_the_range_with_and_without_endpoint():
    rng = bv.random.default_rng(3)
    zoo.assert_same(bv.unique_values(rng.integers(3, size=200)), np.arange(3))
    zoo.assert_same(bv.unique_values(rng.integers(-1, 2, 200, endpoint=True)), np.arange(-1, 3))
    assert rng.integers(0, 2**64, 10, dtype=bv.uint64).dtype == bv.uint64
    assert rng.integers(5).shape == ()


def test_permutations_are_complete():
    rng = bv.random.default_rng(3)
    x = bv.reshape(bv.arange(12), (4, 3))
    zoo.assert_same(bv.sort(rng.permutation(x), axis=0), np.arange(12).reshape(4, 3))
    rng.shuffle(x, axis=1)
    zoo.assert_same(bv.sort(x, axis=1), np.arange(12).reshape(4, 3))
    zoo.assert_same(bv.sort(rng.choice(5, 5, replace=False)), np.arange(5))
    zoo.assert_same(rng.choice(bv.asarray([7, 8]), 3, p=[0.0, 1.0]), np.array([8, 8, 8]))


def test_threads_sharing_a_generator_draw_different_numbers():
    rng, found = bv.random.default_rng(1), []
    threads = [threading.Thread(target=lambda: found.append(rng.random(10_000))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bv.unique_values(bv.concat(found)).size == 80_000
    first, second = rng.spawn(2)
    assert not bool(bv.all(first.random(4) == second.random(4)))


WRONG = {
    "a seed that is negative": (lambda _: bv.random.default_rng(-1), (ValueError, OverflowError)),
    "a negative deviation": (lambda rng: rng.normal(0.0, -1.0, 3), ValueError),
    "no integers between": (lambda rng: rng.integers(3, 3, 3), ValueError),
    "an integer that is a float": (lambda rng: rng.integers(0.5), TypeError),
    "more than there are": (lambda rng: rng.choice(3, 4, replace=False), ValueError),
    "chances of another number": (lambda rng: rng.choice(3, 4, p=[1.0]), ValueError),
    "a type for which there is none": (lambda rng: rng.random(3, dtype=bv.int32), TypeError),
    "more memory than there is": (lambda rng: rng.random((2**60,)), (MemoryError, ValueError)),
    "more generators than memory": (lambda rng: rng.spawn(2**60), MemoryError),
    "a negative shape": (lambda rng: rng.random((-3,)), ValueError),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_invalid_arguments_are_refused(wrong):
    call, error = WRONG[wrong]
    with pytest.raises(error):
        call(bv.random.default_rng(1))
