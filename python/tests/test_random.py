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


#: Continuous distributions: parameters, and the cumulative distribution function.
CONTINUOUS = [
    ("beta", (2.0, 3.0), lambda x: x**2 * (6 - 8 * x + 3 * x**2)),
    ("beta", (0.5, 0.5), lambda x: 2 / np.pi * np.arcsin(np.sqrt(x))),
    ("chisquare", (2.0,), lambda x: -np.expm1(-x / 2)),
    ("f", (2.0, 4.0), lambda x: 1 - (1 + x / 2) ** -2.0),
    ("exponential", (2.0,), lambda x: -np.expm1(-x / 2)),
    ("gamma", (2.0, 3.0), lambda x: 1 - np.exp(-x / 3) * (1 + x / 3)),
    ("gumbel", (1.0, 2.0), lambda x: np.exp(-np.exp(-(x - 1) / 2))),
    ("laplace", (1.0, 2.0), lambda x: 0.5 - np.sign(x - 1) * 0.5 * np.expm1(-np.abs(x - 1) / 2)),
    ("logistic", (1.0, 2.0), lambda x: 1 / (1 + np.exp(-(x - 1) / 2))),
    ("pareto", (3.0,), lambda x: 1 - (1 + x) ** -3.0),
    ("power", (3.0,), lambda x: x**3),
    ("rayleigh", (2.0,), lambda x: -np.expm1(-(x**2) / 8)),
    ("standard_cauchy", (), lambda x: 0.5 + np.arctan(x) / np.pi),
    ("standard_exponential", (), lambda x: -np.expm1(-x)),
    ("standard_gamma", (1.0,), lambda x: -np.expm1(-x)),
    ("standard_t", (2.0,), lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x))),
    ("triangular", (0.0, 1.0, 5.0), lambda x: np.where(x < 1, x**2 / 5, 1 - (5 - x) ** 2 / 20)),
    ("uniform", (1.0, 3.0), lambda x: (x - 1) / 2),
    ("vonmises", (0.0, 0.0), lambda x: (x + np.pi) / (2 * np.pi)),
    ("weibull", (2.0,), lambda x: -np.expm1(-(x**2))),
]

#: Distributions by their mean and variance.
MOMENTS = [
    ("binomial", (100, 0.3), 30, 21),
    ("binomial", (10, 0.7), 7, 2.1),
    ("geometric", (0.25,), 4, 12),
    ("hypergeometric", (40, 60, 30), 12, 30 * 0.4 * 0.6 * 70 / 99),
    ("hypergeometric", (5, 6, 4), 20 / 11, 4 * 30 / 121 * 7 / 10),
    ("lognormal", (0.0, 0.5), np.exp(0.125), np.expm1(0.25) * np.exp(0.25)),
    ("logseries", (0.5,), 1 / np.log(2), (2 * np.log(2) - 1) / np.log(2) ** 2),
    ("negative_binomial", (3, 0.5), 3, 6),
    ("noncentral_chisquare", (3.0, 2.0), 5, 14),
    ("noncentral_chisquare", (0.5, 2.0), 2.5, 9),
    ("noncentral_f", (5.0, 20.0, 1.0), 4 / 3, 2 * (400 / 25) * (36 + 7 * 18) / (18 * 18 * 16)),
    ("poisson", (3.0,), 3, 3),
    ("poisson", (300.0,), 300, 300),
    ("wald", (2.0, 10.0), 2, 0.8),
    ("zipf", (6.0,), 1.0369277551433699 / 1.0173430619844491, None),
]


@pytest.mark.parametrize("name, parameters, cdf", CONTINUOUS)
def test_continuous_distributions_have_their_cdf(name, parameters, cdf):
    # Kolmogorov and Smirnov: the greatest distance of the empirical function is below 1.95 / sqrt(n) in 99.9 % of all cases.
    n = 20_000
    for arguments in (parameters, [bv.asarray([[x, x]]) for x in parameters]):
        draw = getattr(bv.random.default_rng(5), name)
        x = np.sort(np.asarray(draw(*arguments, size=(n // 2, 2))).ravel())
        values = cdf(x)
        steps = np.arange(n + 1) / n
        distance = max(np.max(steps[1:] - values), np.max(values - steps[:-1]))
        assert distance < 1.95 / np.sqrt(n), (name, distance)


@pytest.mark.parametrize("name, parameters, mean, variance", MOMENTS)
def test_distributions_have_their_mean_and_variance(name, parameters, mean, variance):
    n = 40_000
    x = np.asarray(getattr(bv.random.default_rng(5), name)(*parameters, size=n)).astype(float)
    assert abs(x.mean() - mean) < 4 * x.std() / np.sqrt(n), x.mean()
    if variance is not None:
        error = np.sqrt(np.var((x - mean) ** 2) / n)
        assert abs(x.var() - variance) < 4 * error, x.var()


def test_counts_have_their_probabilities():
    n = 40_000
    for mean in (4.0, 12.0):
        counts = np.bincount(np.asarray(bv.random.default_rng(2).poisson(mean, n)), minlength=60)[:60]
        chances = np.exp(np.cumsum(np.log(mean / np.arange(1, 60))) - mean)
        expected = n * np.concatenate(([np.exp(-mean)], chances))
        common = expected > 10
        chi2 = np.sum((counts - expected)[common] ** 2 / expected[common])
        assert chi2 < 60, chi2


def test_parameters_broadcast():
    rng = bv.random.default_rng(3)
    assert rng.normal([0.0, 1.0, 2.0], [[1.0], [2.0]]).shape == (2, 3)
    zoo.assert_same(rng.normal([1.0, 2.0], 0.0, size=(2, 2)), np.array([[1.0, 2.0], [1.0, 2.0]]))
    zoo.assert_same(rng.uniform([1.0, 2.0], [1.0, 2.0]), np.array([1.0, 2.0]))
    zoo.assert_same(rng.uniform(3, 3, 2), np.array([3.0, 3.0]))
    x = np.asarray(rng.integers([0, 100], [10, 200], size=(50, 2)))
    assert x[:, 0].max() < 10 and x[:, 1].min() >= 100
    assert rng.integers([3, 4], dtype=bv.int8, endpoint=True).dtype == bv.int8
    assert rng.poisson(np.full((2, 3), 5.0)[:, ::-1]).shape == (2, 3)
    assert rng.gamma(2.0).shape == ()


def test_rows():
    rng = bv.random.default_rng(3)
    x = np.asarray(rng.dirichlet([1.0, 2.0, 7.0], (500, 4)))
    np.testing.assert_allclose(x.sum(-1), 1)
    np.testing.assert_allclose(x.mean((0, 1)), [0.1, 0.2, 0.7], atol=0.02)
    x = np.asarray(rng.multinomial([10, 20], [0.2, 0.3, 0.5], (300, 2)))
    assert (x.sum(-1) == [10, 20]).all()
    np.testing.assert_allclose(x.mean(0), np.outer([10, 20], [0.2, 0.3, 0.5]), atol=0.5)
    assert rng.multinomial(10, [[0.2, 0.8], [0.5, 0.5]]).shape == (2, 2)
    x = np.asarray(rng.multivariate_hypergeometric([10, 20, 30], 15, 1000))
    assert (x.sum(-1) == 15).all() and (x <= [10, 20, 30]).all()
    np.testing.assert_allclose(x.mean(0), [2.5, 5, 7.5], atol=0.3)
    covariance = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]])
    x = np.asarray(rng.multivariate_normal([1, 2, 3], covariance, 20_000, method="eigh"))
    np.testing.assert_allclose(x.mean(0), [1, 2, 3], atol=0.06)
    np.testing.assert_allclose(np.cov(x.T), covariance, atol=0.12)
    x = np.asarray(rng.multivariate_normal([0.0, 1.0], [[1.0, 1.0], [1.0, 1.0]], 5))
    np.testing.assert_allclose(x[:, 0] + 1, x[:, 1])


def test_slices_are_permuted_by_themselves():
    rng, x = bv.random.default_rng(3), bv.reshape(bv.arange(400), (4, 100))
    y = rng.permuted(x, axis=1)
    zoo.assert_same(bv.sort(y, axis=1), np.arange(400).reshape(4, 100))
    assert len({tuple(np.asarray(row) % 100) for row in y}) == 4
    zoo.assert_same(bv.sort(rng.permuted(x, axis=0), axis=0), np.arange(400).reshape(4, 100))
    assert rng.permuted(x, out=x) is x
    zoo.assert_same(bv.sort(bv.reshape(x, (-1,))), np.arange(400))


def test_results_are_written_to_an_output():
    rng, out = bv.random.default_rng(3), bv.zeros((2, 3), dtype=bv.float32)
    for draw in (rng.random, rng.standard_normal, rng.standard_exponential):
        before = np.asarray(out).copy()
        assert draw(out=out) is out and (np.asarray(out) != before).all()
    assert rng.standard_gamma(2.0, out=out) is out
    with pytest.raises(ValueError):
        rng.random((3, 2), out=out)


def test_seeds():
    def first(*seed):
        return float(bv.random.default_rng(*seed).random())

    assert first([1, 2]) == first((1, 2)) == first(np.array([1, 2]))
    assert len({first(1), first([1]), first([1, 2]), first([2, 1]), first(2**64 + 1), first(2**64)}) == 6
    rng = bv.random.default_rng(1)
    assert bv.random.default_rng(rng) is rng
    assert float(bv.random.Generator(1).random()) == float(rng.random())
    for seed in (-1, [1, -1]):
        with pytest.raises(ValueError):
            bv.random.default_rng(seed)
    with pytest.raises(TypeError):
        bv.random.default_rng(1.5)


def test_module_functions_share_a_generator():
    r = bv.random
    r.seed(5)
    drawn = [r.rand(2, 3), r.randn(4), r.randint(0, 10, 5), r.normal(1.0, 2.0, 3), r.choice(5, 3), r.poisson(3.0, 4)]
    r.seed(5)
    again = [r.rand(2, 3), r.randn(4), r.randint(0, 10, 5), r.normal(1.0, 2.0, 3), r.choice(5, 3), r.poisson(3.0, 4)]
    for x, y in zip(drawn, again):
        zoo.assert_same(x, np.asarray(y))
    assert [it.shape for it in drawn] == [(2, 3), (4,), (5,), (3,), (3,), (4,)]
    assert r.rand().shape == () and r.RandomState(3).randint(5, size=2).shape == (2,)
    own = r.RandomState(5)
    zoo.assert_same(own.rand(2, 3), np.asarray(drawn[0]))


WRONG_PARAMETERS = {
    "poisson": (-1.0,),
    "binomial": (10, 1.5),
    "gamma": (-1.0,),
    "beta": (0.0, 1.0),
    "geometric": (0.0,),
    "hypergeometric": (2, 3, 6),
    "zipf": (1.0,),
    "triangular": (0.0, 6.0, 5.0),
    "dirichlet": ([1.0, -1.0],),
    "multinomial": (3, [0.7, 0.7, 0.1]),
    "multivariate_normal": ([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]),
    "multivariate_hypergeometric": ([1, 2], 4),
    "chisquare": (0.0,),
    "wald": (1.0, 0.0),
    "normal": ([0.0, 1.0], -1.0),
    "logseries": (1.0,),
    "negative_binomial": (0, 0.5),
}


@pytest.mark.parametrize("name", WRONG_PARAMETERS)
def test_parameters_out_of_range_are_refused_as_in_numpy(name):
    parameters = WRONG_PARAMETERS[name]
    with pytest.raises(ValueError):
        getattr(bv.random.default_rng(1), name)(*parameters)
    # NumPy warns.
    if name not in ("multivariate_normal",):
        with pytest.raises(ValueError):
            getattr(np.random.default_rng(1), name)(*parameters)


def test_sizes_that_parameters_do_not_broadcast_to_are_refused():
    with pytest.raises(ValueError):
        bv.random.default_rng(1).poisson([1.0, 2.0], 3)
