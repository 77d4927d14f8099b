//! Random numbers are reproducible, follow their distributions, and stay within bounds.

use crate::zoo::values::{DTypeVisitor, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::prelude::*;
use belvedere::random::Generator;
use belvedere::{copies, with_num_threads};

const FLOATS: [DType; 4] = [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64];

/// Returns one call of every function, as bytes.
fn everything(seed: u64, n: usize) -> Vec<Vec<u8>> {
    let mut g = Generator::new(seed);
    let mut all = Vec::new();
    for dtype in FLOATS {
        all.push(g.uniform(-1.0, 2.0, [n], dtype));
        all.push(g.normal(1.0, 3.0, [n], dtype));
        all.push(g.exponential(2.0, [n], dtype));
    }
    for dtype in [DType::Int8, DType::UInt16, DType::Int32, DType::UInt64] {
        all.push(g.integers(0, 100, [n], dtype));
    }
    all.push(g.bernoulli(0.3, [n]));
    all.push(g.permutation(n));
    all.push(g.choice(n, [n], true, None));
    all.push(g.choice(n, [n / 2], false, None));
    all.push(g.choice(3, [n], true, Some(&[1.0, 2.0, 3.0])));
    all.into_iter().map(|it| bytes(&it.unwrap())).collect()
}

fn bytes(x: &Tensor) -> Vec<u8> {
    x.contiguous().unwrap().bitcast(DType::UInt8).unwrap().to_vec().unwrap()
}

#[test]
fn seeded_numbers_are_stable_across_versions() {
    let mut g = Generator::new(42);
    let mut found = Vec::new();
    let mut note = |x: Tensor| {
        let x = x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
        found.push(x.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    };
    note(g.uniform(0.0, 1.0, [3], DType::Float64).unwrap());
    note(g.uniform(-1.0, 1.0, [3], DType::Float32).unwrap());
    note(g.normal(0.0, 1.0, [3], DType::Float64).unwrap());
    note(g.exponential(1.0, [3], DType::Float64).unwrap());
    note(g.integers(-5, 1000, [4], DType::Int64).unwrap());
    note(g.permutation(8).unwrap());
    note(g.choice(100, [4], false, None).unwrap());
    note(g.split().integers(0, 1000, [3], DType::Int32).unwrap());
    assert_eq!(found, GOLDEN);
    // Tails and logarithms are rare.
    let bits = |x: Tensor| {
        let x = x.to_vec::<f64>().unwrap();
        x.iter().fold(0u64, |sum, x| sum.rotate_left(5).wrapping_add(x.to_bits()))
    };
    let many = g.normal(0.0, 1.0, [50_000], DType::Float64).unwrap();
    assert!(many.abs().unwrap().max(()).unwrap().item::<f64>().unwrap() > 3.7);
    assert_eq!(bits(many), 0x6d1c4c7d9a69bf94);
    assert_eq!(bits(g.exponential(1.0, [5000], DType::Float64).unwrap()), 0x35110289904a08e9);
}

const GOLDEN: [&str; 8] = [
    "0.3482544685480763 0.28569857126296205 0.4934724642416646",
    "-0.41005802154541016 0.05356442928314209 -0.8888188600540161",
    "0.6471599496106818 -0.4293115006214714 -0.5268610038206556",
    "0.07680588453645038 3.231837657439304 1.5110161451355308",
    "890 965 487 499",
    "5 7 0 1 3 2 4 6",
    "28 36 64 25",
    "253 850 229",
];

#[test]
fn raw_numbers_are_the_chacha_key_stream() {
    // The first block of ChaCha with eight rounds for a key and a nonce of zeros, as published.
    let x = Generator::new(0).integers(0, 1u64 << 32, [4], DType::UInt32).unwrap();
    let words = [0x2fef_003e, 0xd640_5f89, 0xe8b8_5b7f, 0xa1a5_091f];
    assert_eq!(x.to_vec::<u32>().unwrap(), words);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let one = with_num_threads(1, || everything(5, 20_000));
    for n in [2, 3, 5, 8] {
        assert!(with_num_threads(n, || everything(5, 20_000)) == one, "{n} threads");
    }
}

#[test]
fn strided_outputs_hold_the_same_numbers_and_nothing_else_is_written() {
    struct Work(TestRng);

    impl DTypeVisitor for Work {
        fn visit<T: TestElement>(&mut self) {
            let draw = |g: &mut Generator, out: &Tensor| match T::DTYPE {
                it if it.is_floating() => g.normal_into(0.5, 2.0, out),
                it if it.is_integer() => g.integers_into(0, 100, out),
                it if it.is_bool() => g.bernoulli_into(0.5, out),
                _ => Ok(()),
            };
            for round in 0..25 {
                let shape = match round {
                    0 => vec![3, 5000],
                    1 => vec![41, 10, 31],
                    _ => self.0.shape(4, 60),
                };
                let guarded =
                    GuardedTensor::<T>::new(&self.0.random_layout(&shape, Freedom::Injective), 1);
                let plain = Tensor::zeros(&shape, T::DTYPE).unwrap();
                let (mut a, mut b) = (Generator::new(round), Generator::new(round));
                if T::DTYPE.is_complex() {
                    assert!(a.normal_into(0.0, 1.0, &guarded.tensor).is_err());
                    guarded.assert_unchanged(round);
                    continue;
                }
                draw(&mut a, &guarded.tensor).unwrap();
                draw(&mut b, &plain).unwrap();
                assert_eq!(a, b, "both have moved on as far");
                guarded.assert_elements(&plain.to_vec::<T>().unwrap(), (round, &shape));
            }
        }
    }

    for_each_dtype(&mut Work(TestRng::new(8)));
}

#[test]
fn calls_streams_and_child_generators_are_independent() {
    let mut g = Generator::new(3);
    let draw = |g: &mut Generator| g.rand([8], DType::Float64).unwrap().to_vec::<f64>().unwrap();
    let (first, second) = (draw(&mut g), draw(&mut g));
    let mut child = g.split();
    let lists = [
        first.clone(),
        second,
        draw(&mut child),
        draw(&mut child.split()),
        draw(&mut g.split()),
        draw(&mut g),
        draw(&mut Generator::with_stream(3, 1)),
        draw(&mut Generator::new(4)),
    ];
    let mut all = lists.concat();
    all.sort_by(f64::total_cmp);
    assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "no number comes twice");
    assert_eq!(draw(&mut Generator::new(3)), first);
    // An error leaves the generator where it was.
    let before = g.clone();
    assert!(g.rand([usize::MAX / 16], DType::Float64).is_err());
    assert!(g.uniform(1.0, 0.0, [3], DType::Float64).is_err());
    assert!(g.choice(0, [3], true, None).is_err());
    assert_eq!(g, before);
    // A long call and the next one do not overlap.
    let long = g.rand([10_000], DType::Float64).unwrap().to_vec::<f64>().unwrap();
    assert!(draw(&mut g).iter().all(|x| !long.contains(x)));
}

/// Returns the Kolmogorov-Smirnov statistic.
fn distance(values: &mut [f64], share_below: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let ends = |(i, &x): (usize, &f64)| {
        let should = share_below(x);
        (should - i as f64 / n).abs().max((should - (i + 1) as f64 / n).abs())
    };
    values.iter().enumerate().map(ends).fold(0.0, f64::max)
}

/// Returns the cumulative distribution function of the normal distribution, by integration.
fn normal_share(x: f64) -> f64 {
    let (steps, end) = (400, x.abs().min(8.0));
    let h = end / steps as f64;
    let f = |t: f64| (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt();
    let odd: f64 = (0..steps / 2).map(|i| 4.0 * f((2 * i + 1) as f64 * h)).sum();
    let even: f64 = (1..steps / 2).map(|i| 2.0 * f((2 * i) as f64 * h)).sum();
    let half = (f(0.0) + odd + even + f(end)) * h / 3.0;
    if x < 0.0 { 0.5 - half } else { 0.5 + half }
}

#[test]
fn samples_follow_their_distribution() {
    const N: usize = 20_000;
    // One in a hundred thousand seeds would fail by chance.
    let most = 2.47 / (N as f64).sqrt();
    let mut g = Generator::new(11);
    let check = |name: &str, x: Tensor, share: &dyn Fn(f64) -> f64| {
        let x = x.astype(DType::Float64).unwrap();
        let far = distance(&mut x.to_vec::<f64>().unwrap(), share);
        assert!(far < most, "{name}: {far}");
    };
    for dtype in [DType::Float32, DType::Float64] {
        check("uniform", g.uniform(2.0, 5.0, [N], dtype).unwrap(), &|x| (x - 2.0) / 3.0);
        check("normal", g.normal(0.0, 1.0, [N], dtype).unwrap(), &normal_share);
        check("shifted", g.normal(3.0, 2.0, [N], dtype).unwrap(), &|x| {
            normal_share((x - 3.0) / 2.0)
        });
        let x = g.exponential(4.0, [N], dtype).unwrap();
        check("exponential", x, &|x| 1.0 - (-x / 4.0).exp());
    }
    let x = g.normal(0.0, 1.0, [1_000_000], DType::Float64).unwrap().to_vec::<f64>().unwrap();
    let moment = |k: i32| x.iter().map(|x| x.powi(k)).sum::<f64>() / x.len() as f64;
    for (k, should, near) in [(1, 0.0, 0.004), (2, 1.0, 0.006), (3, 0.0, 0.016), (4, 3.0, 0.04)] {
        assert!((moment(k) - should).abs() < near, "moment {k}: {}", moment(k));
    }
    // The tail beyond the last layer of the ziggurat, one in 3874 samples.
    let tail = x.iter().filter(|x| x.abs() > 3.654152885361009).count();
    assert!((200..320).contains(&tail), "{tail}");
    assert!(x.iter().any(|x| x.abs() > 4.5) && x.iter().all(|x| x.abs() < 7.0));
}

/// Returns the chi-squared statistic.
fn chi_squared(counts: &[usize], shares: &[f64]) -> f64 {
    let (n, total) = (counts.iter().sum::<usize>() as f64, shares.iter().sum::<f64>());
    let term = |(&count, share): (&usize, f64)| (count as f64 - share).powi(2) / share;
    counts.iter().zip(shares.iter().map(|share| share / total * n)).map(term).sum()
}

#[test]
fn integers_and_choices_have_the_right_frequencies() {
    let mut g = Generator::new(12);
    let counts = |x: Tensor, n: usize| {
        let mut counts = vec![0; n];
        x.astype(DType::Int64)
            .unwrap()
            .to_vec::<i64>()
            .unwrap()
            .iter()
            .for_each(|&i| counts[i as usize] += 1);
        counts
    };
    for dtype in [DType::Int8, DType::UInt16, DType::Int32, DType::UInt64] {
        let x = counts(g.integers(0, 20, [20_000], dtype).unwrap(), 20);
        assert!(chi_squared(&x, &[1.0; 20]) < 55.0, "{dtype}: {x:?}");
    }
    let weights = [1.0, 0.0, 2.0, 5.0, 0.5, 0.0];
    let x = counts(g.choice(6, [20_000], true, Some(&weights)).unwrap(), 6);
    assert_eq!((x[1], x[5]), (0, 0));
    let [a, _, b, c, d, _] = x[..] else { panic!() };
    assert!(chi_squared(&[a, b, c, d], &[1.0, 2.0, 5.0, 0.5]) < 25.0, "{x:?}");
    let x = g.bernoulli(0.2, [20_000]).unwrap().to_vec::<bool>().unwrap();
    let yes = x.iter().filter(|&&x| x).count();
    assert!(chi_squared(&[yes, 20_000 - yes], &[0.2, 0.8]) < 20.0, "{yes}");
    // All 24 orders of four.
    let mut orders = std::collections::BTreeMap::new();
    for _ in 0..4800 {
        *orders.entry(g.permutation(4).unwrap().to_vec::<i64>().unwrap()).or_insert(0usize) += 1;
    }
    let found: Vec<usize> = orders.values().copied().collect();
    assert_eq!(found.len(), 24);
    assert!(chi_squared(&found, &[1.0; 24]) < 65.0, "{found:?}");
    // The first two of three without replacement, with weights 1, 2 and 3.
    let mut firsts = [0; 6];
    for _ in 0..6000 {
        let x = g.choice(3, [2], false, Some(&[1.0, 2.0, 3.0])).unwrap().to_vec::<i64>().unwrap();
        firsts[match x[..] {
            [0, 1] => 0,
            [0, 2] => 1,
            [1, 0] => 2,
            [1, 2] => 3,
            [2, 0] => 4,
            [2, 1] => 5,
            _ => panic!("{x:?}"),
        }] += 1;
    }
    let shares =
        [1. * 2. / 5., 1. * 3. / 5., 2. * 1. / 4., 2. * 3. / 4., 3. * 1. / 3., 3. * 2. / 3.];
    assert!(chi_squared(&firsts, &shares) < 30.0, "{firsts:?}");
}

#[test]
fn uniform_stays_within_bounds_despite_rounding() {
    let mut g = Generator::new(13);
    for dtype in FLOATS {
        let next = |x: f64| Tensor::full([1], x).unwrap().astype(dtype).unwrap();
        for (low, high) in [
            (0.0, 1.0),
            (1.0, 1.01),
            (-3.0, -2.9),
            (1000.0, 1008.0),
            (-1e-7, 1e-7),
            (-1.0, 0.0),
            (0.1, 0.3),
        ] {
            let x = g.uniform(low, high, [5000], dtype).unwrap();
            assert!(
                x.less(&next(high)).unwrap().all(()).unwrap().item::<bool>().unwrap(),
                "{dtype} {high}"
            );
            assert!(
                x.greater_equal(&next(low)).unwrap().all(()).unwrap().item::<bool>().unwrap(),
                "{dtype} {low}"
            );
        }
    }
    // Eight values of bfloat16 from 1 to 1 + 1/16, all of which occur.
    let x = g.uniform(1.0, 1.0625, [2000], DType::BFloat16).unwrap().to_vec::<bf16>().unwrap();
    let mut values: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    assert_eq!(values, (0..8).map(|i| 1.0 + i as f64 / 128.0).collect::<Vec<_>>());
    // The whole of the largest integer types.
    let x =
        g.integers(i64::MIN, 1i128 << 63, [4000], DType::Int64).unwrap().to_vec::<i64>().unwrap();
    assert!(x.iter().any(|&x| x < i64::MIN / 2) && x.iter().any(|&x| x > i64::MAX / 2));
    let x = g.integers(0, 1i128 << 64, [4000], DType::UInt64).unwrap().to_vec::<u64>().unwrap();
    assert!(x.iter().any(|&x| x > u64::MAX / 8 * 7));
    let x = g.integers(-128, 128, [4000], DType::Int8).unwrap().to_vec::<i8>().unwrap();
    assert!((-128..=127).all(|value| x.contains(&value)));
    let x =
        g.integers(i64::MAX - 1, 1i128 << 63, [50], DType::Int64).unwrap().to_vec::<i64>().unwrap();
    assert!(x.iter().all(|&x| x >= i64::MAX - 1) && x.contains(&i64::MAX));
    for (chance, always) in [(0.0, false), (1.0, true)] {
        assert_eq!(g.bernoulli(chance, [300]).unwrap().to_vec::<bool>().unwrap(), [always; 300]);
    }
    assert_eq!(g.normal(5.0, 0.0, [3], DType::Float32).unwrap().to_vec::<f32>().unwrap(), [5.0; 3]);
}

#[test]
fn permutations_are_complete_and_choices_do_not_repeat() {
    let mut g = Generator::new(14);
    for n in [0usize, 1, 2, 17, 1000] {
        let mut order = g.permutation(n).unwrap().to_vec::<i64>().unwrap();
        assert!(n < 17 || order != (0..n as i64).collect::<Vec<_>>());
        order.sort();
        assert_eq!(order, (0..n as i64).collect::<Vec<_>>());
    }
    // The algorithms for few of many and for many of few agree.
    for (n, count) in [(1000, 62), (1000, 63), (50, 50), (40, 0), (1 << 40, 10)] {
        let x = g.choice(n, [count], false, None).unwrap().to_vec::<i64>().unwrap();
        let mut sorted = x.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), count);
        assert!(x.iter().all(|&x| (0..n as i64).contains(&x)));
    }
    let mut few = Generator::new(1);
    let mut many = few.clone();
    let x = few.choice(1000, [62], false, None).unwrap().to_vec::<i64>().unwrap();
    let y = many.permutation(1000).unwrap().to_vec::<i64>().unwrap();
    assert_eq!(x, y[..62]);
}

#[test]
fn in_place_shuffle_matches_permutation() {
    struct Work(TestRng);

    impl DTypeVisitor for Work {
        fn visit<T: TestElement>(&mut self) {
            for round in 0..12 {
                let shape = [1 + self.0.below(6), 1 + self.0.below(20), 1 + self.0.below(4)];
                let layout = self.0.random_layout(&shape, Freedom::Injective);
                let guarded = GuardedTensor::<T>::new(&layout, 1);
                let axis = self.0.below(3) as isize - 3 * self.0.below(2) as isize;
                let mut g = Generator::new(round);
                let order = g.clone().permutation(shape[axis.rem_euclid(3) as usize]).unwrap();
                let order = order.to_vec::<i64>().unwrap();
                let values = guarded.values();
                let at = |index: &[usize]| {
                    values[(index[0] * shape[1] + index[1]) * shape[2] + index[2]]
                };
                let expected = Tensor::from_fn(shape, |index| {
                    let mut index = index.to_vec();
                    let k = axis.rem_euclid(3) as usize;
                    index[k] = order[index[k]] as usize;
                    at(&index)
                });
                let expected = expected.unwrap().to_vec::<T>().unwrap();
                let apart = g.clone().permutation_of(&guarded.tensor, axis).unwrap();
                zoo::guarded_tensor::assert_same(&apart.to_vec::<T>().unwrap(), &expected, &shape);
                guarded.assert_unchanged(&shape);
                copies::forbid(|| g.shuffle(&guarded.tensor, axis)).unwrap();
                guarded.assert_elements(&expected, &shape);
            }
        }
    }

    for_each_dtype(&mut Work(TestRng::new(9)));
    let fixed = tensor![1, 2].broadcast_to([3, 2]).unwrap();
    assert_eq!(Generator::new(1).shuffle(&fixed, 0).unwrap_err().kind(), ErrorKind::Borrow);
}

#[test]
fn errors_contain_the_given_values() {
    let mut g = Generator::new(1);
    let fail = |result: Result<Tensor, Error>, text: &str| {
        assert_eq!(result.unwrap_err().to_string(), text);
    };
    let above = "an upper bound that is above the lower one";
    fail(g.uniform(2.0, 1.0, [1], DType::Float32), &format!("uniform needs {above}, got 1"));
    fail(g.uniform(1.0, 1.0001, [1], DType::Float16), &format!("uniform needs {above}, got 1"));
    fail(g.uniform(f64::NAN, 1.0, [1], DType::Float32), "uniform needs a finite bound, got NaN");
    fail(g.uniform(0.0, 1e6, [1], DType::Float16), "uniform needs a finite bound, got inf");
    fail(
        g.uniform(f64::MIN, f64::MAX, [1], DType::Float64),
        "uniform needs bounds whose distance is finite, got inf",
    );
    fail(g.uniform(0.0, 1.0, [1], DType::Int32), "uniform is not supported for int32");
    fail(g.rand([1], DType::Bool), "rand is not supported for bool");
    fail(g.randn([1], DType::Complex64), "randn is not supported for complex64");
    fail(g.rand([-1], DType::Float32), "lengths must be at least 0, got -1 at position 0");
    let std = "a finite standard deviation of at least 0";
    fail(g.normal(0.0, -1.0, [1], DType::Float32), &format!("normal needs {std}, got -1"));
    fail(g.normal(f64::INFINITY, 1.0, [1], DType::Float32), "normal needs a finite mean, got inf");
    fail(
        g.exponential(f64::NAN, [1], DType::Float32),
        "exponential needs a finite scale of at least 0, got NaN",
    );
    fail(g.bernoulli(1.5, [1]), "bernoulli needs a probability from 0 to 1, got 1.5");
    fail(g.integers(3, 3, [1], DType::Int32), &format!("integers needs {above}, got 3"));
    fail(g.integers(0, 257, [1], DType::UInt8), "256 does not fit in uint8");
    fail(g.integers(-1, 3, [1], DType::UInt64), "-1 does not fit in uint64");
    fail(
        g.integers(i128::MIN, i128::MAX, [1], DType::Int64),
        &format!("{} does not fit in int64", i128::MIN),
    );
    fail(g.integers(0, 3, [1], DType::Float32), "integers is not supported for float32");
    fail(g.permutation_of(&tensor![1, 2], 1), "axis 1 is out of range: the axes are -1..=0");
    fail(g.choice(0, [2], true, None), "choice needs at least one number to choose from, got 0");
    let no_more = "choice needs at most as many draws as numbers to choose from";
    fail(g.choice(3, [4], false, None), &format!("{no_more}, got 4"));
    fail(g.choice(3, [3], false, Some(&[1.0, 0.0, 2.0])), &format!("{no_more}, got 3"));
    fail(g.choice(3, [1], true, Some(&[1.0])), "choice needs shape [3], got [1]");
    fail(g.choice(2, [1], true, Some(&[1.0, -2.0])), "choice needs weights of at least 0, got -2");
    fail(
        g.choice(2, [1], true, Some(&[0.0, 0.0])),
        "choice needs weights with a finite sum above 0, got 0",
    );
    assert!(g.permutation(usize::MAX).is_err());
    let fixed = tensor![1.0].broadcast_to([3]).unwrap();
    assert_eq!(g.uniform_into(0.0, 1.0, &fixed).unwrap_err().kind(), ErrorKind::Borrow);
    assert_eq!(g.rand([0, 3], DType::Float32).unwrap().len(), 0);
    assert_eq!(g.choice(0, [0], false, None).unwrap().len(), 0);
}

#[test]
fn distributions_are_stable_across_versions() {
    let (mut g, real) = (Generator::new(42), DType::Float64);
    let (alpha, chances) = (tensor![1.0, 2.0, 7.0], tensor![0.2, 0.3, 0.5]);
    let (colors, mean) = (tensor![10, 20, 30], tensor![1.0, 2.0]);
    let (covariance, x) = (tensor![[2.0, 1.0], [1.0, 2.0]], Tensor::arange(0..12).unwrap());
    let found = [
        ("beta", g.beta(2.0, 3.0, [1000], real), 0x1607d7c18a41e97e),
        ("beta", g.beta(0.5, 0.5, [1000], real), 0x6c9c7592e3c7ccf8),
        ("binomial", g.binomial(100, 0.3, [1000]), 0xe3ee0dbf71f0d8ac),
        ("binomial", g.binomial(10, 0.3, [1000]), 0x43726d23af322789),
        ("chisquare", g.chisquare(3.0, [1000], real), 0xc35f17da631ebd84),
        ("f", g.f(5.0, 20.0, [1000], real), 0x39eac1b4a608797d),
        ("gamma", g.gamma(0.5, 2.0, [1000], real), 0x766582294a29ce67),
        ("geometric", g.geometric(0.25, [1000]), 0x7e9741b6d6f19976),
        ("gumbel", g.gumbel(0.0, 1.0, [1000], real), 0x21ca6bacb1b62014),
        ("hypergeometric", g.hypergeometric(40, 60, 30, [1000]), 0x8581642c6f00c867),
        ("laplace", g.laplace(0.0, 1.0, [1000], real), 0x9c6d062011f76a6b),
        ("logistic", g.logistic(0.0, 1.0, [1000], real), 0xe8a423f35dfdae88),
        ("lognormal", g.lognormal(0.0, 1.0, [1000], real), 0x6885a4e58b3166c4),
        ("logseries", g.logseries(0.5, [1000]), 0x4b3c7e3f8b6eed11),
        ("negative_binomial", g.negative_binomial(3.0, 0.5, [1000]), 0x8bcd5daef9504571),
        (
            "noncentral_chisquare",
            g.noncentral_chisquare(3.0, 2.0, [1000], real),
            0xd5aef4fc904b928c,
        ),
        ("noncentral_f", g.noncentral_f(5.0, 20.0, 1.0, [1000], real), 0x10a4b123a7688385),
        ("pareto", g.pareto(3.0, [1000], real), 0xe5fac4cf6174e76e),
        ("poisson", g.poisson(3.0, [1000]), 0xf1483da1adabfc4c),
        ("poisson", g.poisson(300.0, [1000]), 0xd388d3edbcfc8ab5),
        ("power", g.power(3.0, [1000], real), 0xb33e9443249b7825),
        ("rayleigh", g.rayleigh(1.0, [1000], real), 0xaee8277759fb28c),
        ("standard_cauchy", g.standard_cauchy([1000], real), 0x6d2c18baf7a1af88),
        ("standard_t", g.standard_t(4.0, [1000], real), 0x5c178fad888b711d),
        ("triangular", g.triangular(0.0, 1.0, 5.0, [1000], real), 0xad1f082b04b1c728),
        ("vonmises", g.vonmises(1.0, 4.0, [1000], real), 0x3e9ac16c876e8831),
        ("wald", g.wald(1.0, 2.0, [1000], real), 0x8f52ce93d4493766),
        ("weibull", g.weibull(2.0, [1000], real), 0x83c417c17f536eee),
        ("zipf", g.zipf(2.0, [1000]), 0xe42728dc0c6e5a4d),
        ("dirichlet", g.dirichlet(&alpha, [300]), 0x72cb38027d321204),
        ("multinomial", g.multinomial(100, &chances, [300]), 0x9e64aadb70332a4d),
        ("colors", g.multivariate_hypergeometric(&colors, 15, [300]), 0xb05d8a0cbad2e9c1),
        ("multivariate", g.multivariate_normal(&mean, &covariance, [300]), 0x46c85ba0118d25cf),
        ("permuted", g.permuted(&x.reshape([3, 4]).unwrap(), Some(1)), 0xdc440c39c12a42d9),
    ];
    for (name, x, expected) in found {
        let x = x.unwrap().astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
        let bits = x.iter().fold(0u64, |sum, x| sum.rotate_left(5).wrapping_add(x.to_bits()));
        assert_eq!(bits, expected, "{name}: {bits:#x}");
    }
}

#[test]
fn distributions_do_not_depend_on_threads_or_on_the_strides_of_parameters() {
    let shape = [3000, 5];
    let means = Tensor::linspace(0.5, 60.0, 5, DType::Float64).unwrap();
    let reversed = means.flip([0]).unwrap().contiguous().unwrap().flip([0]).unwrap();
    let draw = |means: &Tensor| {
        let mut g = Generator::new(9);
        let all = [
            g.poisson(means, shape),
            g.gamma(means, &means.mul(0.5).unwrap(), shape, DType::Float32),
            g.binomial(&means.ceil().unwrap(), 0.4, shape),
            g.normal(means, 1.0, shape, DType::Float64),
            g.uniform(-1.0, means, shape, DType::Float64),
            g.exponential(means, shape, DType::Float64),
            g.integers_between(0, &means.ceil().unwrap().astype(DType::Int64).unwrap(), shape),
            g.dirichlet(means, [3000usize]),
            g.permuted(&Tensor::arange(0..9000).unwrap().reshape([9, 1000]).unwrap(), Some(-1)),
        ];
        all.map(|it| bytes(&it.unwrap()))
    };
    let one = with_num_threads(1, || draw(&means));
    assert!(with_num_threads(3, || draw(&reversed)) == one, "strides and threads");
}

#[test]
fn parameters_out_of_range_are_refused_with_the_number() {
    let (mut g, real) = (Generator::new(1), DType::Float64);
    let before = g.clone();
    let bad = tensor![1.0, -2.5, 3.0];
    let errors = [
        (g.poisson(&bad, [3]), "poisson needs a mean from 0 to 9.2e18, got -2.5"),
        (g.gamma(1.0, &bad, [3], real), "gamma needs a finite scale of at least 0, got -2.5"),
        (g.binomial(10, 1.5, [3]), "binomial needs a probability from 0 to 1, got 1.5"),
        (g.binomial(1.5, 0.5, [3]), "binomial needs an integer from 0 to 2^53, got 1.5"),
        (g.zipf(1.0, [3]), "zipf needs a finite exponent above 1, got 1"),
        (
            g.normal(&bad, f64::NAN, [3], real),
            "normal needs a finite standard deviation of at least 0, got NaN",
        ),
        (
            g.hypergeometric(2, 3, 6, [3]),
            "hypergeometric needs at most as many draws as items, got 6",
        ),
        (
            g.integers_between(&tensor![3], 3, [1]),
            "integers_between needs an upper bound that is above the lower one, got 3",
        ),
        (g.dirichlet(&bad, [2]), "dirichlet needs finite concentrations of at least 0, got -2.5"),
        (
            g.multinomial(3, &tensor![0.7, 0.7, 0.1], [2]),
            "multinomial needs probabilities that sum to at most 1 without the last, got 1.4",
        ),
        (
            g.multivariate_normal(&tensor![0.0, 0.0], &tensor![[1.0, 2.0], [2.0, 1.0]], [2]),
            "multivariate_normal needs a positive semidefinite covariance, got -3",
        ),
    ];
    for (result, message) in errors {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
    assert!(g.poisson(&tensor![1.0, 2.0], [3]).is_err(), "does not broadcast");
    assert!(g.poisson(&bad.astype(DType::Complex128).unwrap(), [3]).is_err());
    assert!(g.gamma(1.0, 1.0, [3], DType::Int64).is_err());
    assert_eq!(g, before, "nothing was drawn");
}

#[test]
fn extreme_parameters_give_finite_numbers() {
    let (mut g, real) = (Generator::new(3), DType::Float64);
    let reals = [
        g.beta(1e-3, 1e-3, [1000], real),
        g.beta(1e6, 1e-6, [1000], real),
        g.gamma(0.0, 1.0, [10], real),
        g.gamma(1e12, 1.0, [1000], real),
        g.vonmises(1e5, 1e12, [1000], real),
        g.vonmises(0.0, 0.0, [1000], real),
        g.wald(1e6, 1e-6, [1000], real),
        g.weibull(0.0, [10], real),
        g.dirichlet(&tensor![1e-4, 1e-4], [1000]),
    ];
    for x in reals {
        assert!(x.unwrap().isfinite().unwrap().all(()).unwrap().item::<bool>().unwrap());
    }
    let counts = [
        g.poisson(9e18, [100]),
        g.binomial(1u64 << 53, 0.5, [100]),
        g.geometric(1e-300, [100]),
        g.zipf(1.0 + 1e-9, [100]),
        g.logseries(1.0 - 1e-12, [100]),
        g.negative_binomial(1e9, 1e-12, [100]),
        g.hypergeometric(1u64 << 51, 1u64 << 52, 1u64 << 50, [100]),
        g.poisson(0, [100]),
        g.binomial(0, 0.5, [100]),
    ];
    for x in counts {
        assert!(x.unwrap().min(()).unwrap().item::<i64>().unwrap() >= 0);
    }
}
