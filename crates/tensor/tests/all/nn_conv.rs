//! Convolutions and pooling match loops over all windows, for every layout and dtype, with padding, strides,
//! dilation and groups.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::reference::{ReferenceArithmetic, ReferenceOrder};
use crate::zoo::values::{DTypeVisitor, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::nn::{self, Conv, Padding, Pool};
use belvedere::prelude::*;
use belvedere::{copies, random::Generator, with_num_threads};

/// Numbers of a shape in row-major order, with padding around them.
struct Grid<T> {
    shape: [usize; 4],
    values: Vec<T>,
}

impl<T: TestElement> Grid<T> {
    fn of(guarded: &GuardedTensor<T>) -> Grid<T> {
        let shape = guarded.tensor.shape();
        Grid { shape: (&shape[..]).try_into().unwrap(), values: guarded.values() }
    }

    fn get(&self, [n, c, y, x]: [isize; 4]) -> Option<T> {
        let [_, channels, h, w] = self.shape.map(|it| it as isize);
        let inside = (0..h).contains(&y) && (0..w).contains(&x);
        inside.then(|| self.values[(((n * channels + c) * h + y) * w + x) as usize])
    }
}

/// Padding before and after, along two axes.
fn padding_of(conv: &Conv<2>, size: [usize; 2]) -> [[usize; 2]; 2] {
    [0, 1].map(|k| match conv.padding {
        Padding::Valid => [0, 0],
        Padding::Zeros(n) => [n[k]; 2],
        Padding::Same => {
            let all = conv.dilation[k] * (size[k] - 1);
            [all / 2, all - all / 2]
        }
    })
}

/// Returns the shape and the elements of the result by definition.
fn conv_twin<T: ReferenceArithmetic>(
    x: &Grid<T>,
    weight: &Grid<T>,
    conv: &Conv<2>,
) -> ([usize; 4], Vec<T>) {
    let [n, channels, h, w] = x.shape;
    let [outputs, depth, i, j] = weight.shape;
    let padding = padding_of(conv, [i, j]);
    let count = |k: usize, len: usize, size: usize| {
        (len + padding[k][0] + padding[k][1] - conv.dilation[k] * (size - 1) - 1) / conv.stride[k]
            + 1
    };
    let shape = [n, outputs, count(0, h, i), count(1, w, j)];
    assert_eq!(depth, channels / conv.groups);
    let mut values = Vec::new();
    for n in 0..n {
        for o in 0..outputs {
            let first = o / (outputs / conv.groups) * depth;
            for y in 0..shape[2] {
                for x0 in 0..shape[3] {
                    let mut sum = T::default();
                    for (c, i, j) in (0..depth)
                        .flat_map(|c| (0..i).flat_map(move |i| (0..j).map(move |j| (c, i, j))))
                    {
                        let at = |k: usize, at: usize, tap: usize| {
                            (at * conv.stride[k] + tap * conv.dilation[k]) as isize
                                - padding[k][0] as isize
                        };
                        let index = [n as isize, (first + c) as isize, at(0, y, i), at(1, x0, j)];
                        if let Some(value) = x.get(index) {
                            let by = weight.get([o, c, i, j].map(|it| it as isize)).unwrap();
                            sum = sum.plus(value.times(by));
                        }
                    }
                    values.push(sum);
                }
            }
        }
    }
    (shape, values)
}

/// A random convolution: the shapes of image and weights, and its parameters.
fn some_conv(rng: &mut TestRng) -> ([usize; 4], [usize; 4], Conv<2>) {
    let groups = 1 + rng.below(3);
    let (depth, per_group) = (1 + rng.below(3), *rng.pick(&[1, 2, 4, 5]));
    let size = [1 + rng.below(3), 1 + rng.below(3)];
    let dilation = [1 + rng.below(2), 1 + rng.below(3)];
    let (padding, stride) = match rng.below(3) {
        0 => (Padding::Valid, [1 + rng.below(3), 1 + rng.below(2)]),
        1 => (Padding::Same, [1, 1]),
        _ => (Padding::Zeros([rng.below(3), rng.below(4)]), [1 + rng.below(2), 1 + rng.below(3)]),
    };
    let least = |k: usize| dilation[k] * (size[k] - 1) + 1;
    let image =
        [1 + rng.below(2), groups * depth, least(0) + rng.below(5), least(1) + rng.below(6)];
    let weight = [groups * per_group, depth, size[0], size[1]];
    (image, weight, Conv { stride, padding, dilation, groups })
}

struct Convolve(TestRng);

impl Convolve {
    fn check<T: ReferenceArithmetic>(&mut self) {
        for _ in 0..zoo::rounds(40) {
            let (image, window, conv) = some_conv(&mut self.0);
            // Sums of these are exact in every type and order.
            let small = |n: usize| (0..n).map(|i| T::from_small(i * 7 % 3)).collect();
            let x = GuardedTensor::<T>::with(&self.0.random_layout(&image, Freedom::Any), small);
            let weight =
                GuardedTensor::<T>::with(&self.0.random_layout(&window, Freedom::Any), small);
            let (shape, expected) = conv_twin(&Grid::of(&x), &Grid::of(&weight), &conv);
            let y = nn::conv2d(&x.tensor, &weight.tensor, None, conv).unwrap();
            let case = (T::DTYPE, x.layout(), weight.layout(), conv);
            assert_eq!((y.dtype(), &y.shape()[..]), (T::DTYPE, &shape[..]), "{case:?}");
            assert_same(&y.to_vec::<T>().unwrap(), &expected, &case);
            let bias = GuardedTensor::<T>::small_integers(
                &self.0.random_layout(&[window[0]], Freedom::Any),
                2,
            );
            let y = nn::conv2d(&x.tensor, &weight.tensor, Some(&bias.tensor), conv).unwrap();
            let bias = bias.values();
            let plane = shape[2] * shape[3];
            let biased = expected.iter().enumerate();
            let biased: Vec<T> =
                biased.map(|(at, it)| it.plus(bias[at / plane % window[0]])).collect();
            assert_same(&y.to_vec::<T>().unwrap(), &biased, &case);
        }
    }
}

#[test]
fn convolutions_match_their_definition_for_every_layout_and_dtype() {
    let mut work = Convolve(TestRng::new(1));
    work.check::<i8>();
    work.check::<u16>();
    work.check::<i32>();
    work.check::<u64>();
    work.check::<bf16>();
    work.check::<f16>();
    work.check::<f32>();
    work.check::<f64>();
    work.check::<Complex<f32>>();
    work.check::<Complex<f64>>();
}

fn integers(generator: &mut Generator, shape: &[usize], dtype: DType) -> Tensor {
    generator.integers(-3, 4, shape, DType::Int8).unwrap().astype(dtype).unwrap()
}

#[test]
fn large_convolutions_are_tiled() {
    let mut generator = Generator::new(2);
    for (image, window, conv) in [
        // Several rows per tile, a part of a row per tile, a partially packed window.
        ([2, 9, 40, 33], [8, 9, 3, 3], Conv { padding: Padding::Same, ..Conv::default() }),
        (
            [1, 4, 2, 5000],
            [5, 4, 1, 7],
            Conv { stride: [1, 2], padding: Padding::Zeros([0, 3]), ..Conv::default() },
        ),
        ([1, 130, 20, 21], [4, 130, 3, 3], Conv { dilation: [2, 2], ..Conv::default() }),
        (
            [3, 16, 30, 31],
            [16, 1, 3, 3],
            Conv { groups: 16, padding: Padding::Same, ..Conv::default() },
        ),
        ([3, 16, 30, 31], [24, 8, 1, 1], Conv { groups: 2, stride: [2, 3], ..Conv::default() }),
    ] {
        let x = integers(&mut generator, &image, DType::Float32);
        let weight = integers(&mut generator, &window, DType::Float32);
        let grid = |x: &Tensor, shape| Grid { shape, values: x.to_vec::<f32>().unwrap() };
        let (shape, expected) = conv_twin(&grid(&x, image), &grid(&weight, window), &conv);
        let y = nn::conv2d(&x, &weight, None, conv).unwrap();
        assert_eq!(y.shape(), shape);
        assert_same(&y.to_vec::<f32>().unwrap(), &expected, conv);
        // Channels-last images, and images of every second row.
        let last = x.permute_dims(&[0, 2, 3, 1]).unwrap().copy().unwrap();
        let last = last.permute_dims(&[0, 3, 1, 2]).unwrap();
        let [n, c, h, w] = image;
        let wide = Tensor::zeros([n, c, h, 2 * w], DType::Float32).unwrap();
        let wide = wide.step(3, 2).unwrap();
        wide.copy_from(&x).unwrap();
        for view in [&last, &wide] {
            let y = copies::forbid(|| nn::conv2d(view, &weight, None, conv)).unwrap();
            assert_same(&y.to_vec::<f32>().unwrap(), &expected, conv);
        }
    }
}

#[test]
fn convolutions_are_bitwise_equal_for_any_number_of_threads() {
    let mut generator = Generator::new(3);
    for (image, window, groups) in [
        ([2, 16, 30, 30], [16, 16, 3, 3], 1),
        ([2, 16, 30, 30], [16, 1, 3, 3], 16),
        ([2, 16, 30, 30], [16, 16, 1, 1], 1),
    ] {
        let x = generator.randn(image, DType::Float32).unwrap();
        let weight = generator.randn(window, DType::Float32).unwrap();
        let conv = Conv { groups, ..Conv::default() };
        let run = |n| {
            with_num_threads(n, || {
                let y = nn::conv2d(&x, &weight, None, conv).unwrap();
                let z = nn::avg_pool2d(&x, Pool::new([3, 2])).unwrap();
                [y, z].map(|it| {
                    it.to_vec::<f32>().unwrap().iter().map(|it| it.to_bits()).collect::<Vec<_>>()
                })
            })
        };
        let one = run(1);
        for n in [2, 3, 5, 8] {
            assert!(run(n) == one, "{n} threads");
        }
    }
}

#[test]
fn conv1d_and_unbatched_inputs_match_batched_conv2d() {
    let mut generator = Generator::new(4);
    let x = integers(&mut generator, &[2, 6, 15], DType::Int32);
    let weight = integers(&mut generator, &[4, 3, 5], DType::Int32);
    let (up_x, up_weight) = (x.unsqueeze(2).unwrap(), weight.unsqueeze(2).unwrap());
    for padding in [0, 2] {
        let line =
            Conv { stride: [2], padding: Padding::Zeros([padding]), dilation: [2], groups: 2 };
        let image = Conv {
            stride: [1, 2],
            padding: Padding::Zeros([0, padding]),
            dilation: [1, 2],
            groups: 2,
        };
        let y = nn::conv1d(&x, &weight, None, line).unwrap();
        let z = nn::conv2d(&up_x, &up_weight, None, image).unwrap().squeeze(&[2]).unwrap();
        assert_eq!(y.shape(), z.shape());
        assert_eq!(y.to_vec::<i32>().unwrap(), z.to_vec::<i32>().unwrap());
        let one = nn::conv1d(&x.select(0, 1).unwrap(), &weight, None, line).unwrap();
        assert_eq!(one.shape(), y.select(0, 1).unwrap().shape());
        assert_eq!(one.to_vec::<i32>().unwrap(), y.select(0, 1).unwrap().to_vec::<i32>().unwrap());
    }
    let same = Conv { padding: Padding::Same, groups: 2, ..Conv::default() };
    assert_eq!(nn::conv1d(&x, &weight, None, same).unwrap().shape(), [2, 4, 15]);
}

/// Returns the elements of each pooling window without padding, and its size with padding.
fn windows<T: TestElement>(x: &Grid<T>, pool: &Pool<2>) -> ([usize; 4], Vec<(Vec<T>, usize)>) {
    let [n, c, h, w] = x.shape;
    let count = |k: usize, len: usize| {
        let room = len + 2 * pool.padding[k] - pool.size[k];
        let mut count = room / pool.stride[k] + 1;
        if pool.ceil
            && !room.is_multiple_of(pool.stride[k])
            && count * pool.stride[k] < len + pool.padding[k]
        {
            count += 1;
        }
        count
    };
    let shape = [n, c, count(0, h), count(1, w)];
    let layout = Layout::row_major(&shape).unwrap();
    let mut all = Vec::new();
    for flat in 0..layout.len() {
        let index = belvedere_layout::unravel_index(&shape, flat).unwrap();
        let (mut values, mut counted) = (Vec::new(), 0);
        for i in 0..pool.size[0] {
            for j in 0..pool.size[1] {
                let at = |k: usize, tap: usize| {
                    (index[2 + k] * pool.stride[k] + tap) as isize - pool.padding[k] as isize
                };
                let (y, x0) = (at(0, i), at(1, j));
                let ends = [h, w].map(|it| it as isize);
                counted += usize::from(
                    y < ends[0] + pool.padding[0] as isize
                        && x0 < ends[1] + pool.padding[1] as isize,
                );
                values.extend(x.get([index[0] as isize, index[1] as isize, y, x0]));
            }
        }
        all.push((values, counted));
    }
    (shape, all)
}

fn some_pool(rng: &mut TestRng) -> ([usize; 4], Pool<2>) {
    let size = [1 + rng.below(3), 1 + rng.below(4)];
    let pool = Pool {
        size,
        stride: [1 + rng.below(3), 1 + rng.below(3)],
        padding: size.map(|it| rng.below(it / 2 + 1)),
        ceil: rng.one_in(2),
        count_padding: rng.one_in(2),
    };
    ([1 + rng.below(2), 1 + rng.below(3), size[0] + rng.below(6), size[1] + rng.below(6)], pool)
}

#[test]
fn max_pool_matches_a_loop() {
    fn check<T: ReferenceOrder>(rng: &mut TestRng) {
        for round in 0..zoo::rounds(40) {
            let (image, pool) = some_pool(rng);
            let x = GuardedTensor::<T>::new(&rng.random_layout(&image, Freedom::Any), round);
            let (shape, expected) = windows(&Grid::of(&x), &pool);
            let expected: Vec<T> =
                expected.into_iter().map(|it| it.0.into_iter().reduce(T::most).unwrap()).collect();
            let y = nn::max_pool2d(&x.tensor, pool).unwrap();
            assert_eq!(y.shape(), shape, "{image:?} {pool:?}");
            let (found, case) = (y.to_vec::<T>().unwrap(), (x.layout(), pool));
            // Zeros of either sign are equal.
            assert!(
                found.iter().zip(&expected).all(|(x, y)| x == y || x.same_bits(*y)),
                "{case:?}"
            );
        }
    }

    let mut rng = TestRng::new(5);
    check::<i8>(&mut rng);
    check::<u32>(&mut rng);
    check::<i64>(&mut rng);
    check::<f16>(&mut rng);
    check::<bf16>(&mut rng);
    check::<f32>(&mut rng);
    check::<f64>(&mut rng);
}

#[test]
fn avg_pool_matches_a_loop() {
    let mut rng = TestRng::new(6);
    for _ in 0..zoo::rounds(80) {
        let (image, pool) = some_pool(&mut rng);
        let x = GuardedTensor::<f64>::small_integers(&rng.random_layout(&image, Freedom::Any), 4);
        let (shape, expected) = windows(&Grid::of(&x), &pool);
        let expected = expected.iter().map(|(values, counted)| {
            let n = if pool.count_padding { *counted } else { values.len() };
            values.iter().sum::<f64>() / n as f64
        });
        let expected: Vec<f64> = expected.collect();
        let y = nn::avg_pool2d(&x.tensor, pool).unwrap();
        assert_eq!(y.shape(), shape);
        assert_same(&y.to_vec::<f64>().unwrap(), &expected, pool);
        for dtype in [DType::Float32, DType::Float16, DType::BFloat16] {
            let y = nn::avg_pool2d(&x.tensor.astype(dtype).unwrap(), pool).unwrap();
            let near = Tensor::from_slice(&expected, shape).unwrap().astype(dtype).unwrap();
            let step = if dtype == DType::BFloat16 { 1e-2 } else { 1e-3 };
            assert!(y.allclose_with(&near, step, 1e-6).unwrap().holds(), "{dtype} {pool:?}");
        }
    }
    let x = Tensor::arange(0.0..12.0).unwrap().view([1, 12]).unwrap();
    let pool = Pool { stride: [2], padding: [1], ceil: true, ..Pool::new([3]) };
    let y = nn::max_pool1d(&x, pool).unwrap();
    assert_eq!(y.to_vec::<f64>().unwrap(), [1., 3., 5., 7., 9., 11., 11.]);
    let y = nn::avg_pool1d(&x.unsqueeze(0).unwrap(), pool).unwrap();
    assert_eq!(y.to_vec::<f64>().unwrap(), [1. / 3., 2., 4., 6., 8., 10., 5.5]);
}

#[test]
fn every_dtype_is_supported_or_refused() {
    struct Work;

    impl DTypeVisitor for Work {
        fn visit<T: TestElement>(&mut self) {
            let x =
                GuardedTensor::<T>::small_integers(&Layout::row_major(&[1, 2, 4, 4]).unwrap(), 1)
                    .tensor;
            let weight =
                GuardedTensor::<T>::small_integers(&Layout::row_major(&[4, 2, 3, 3]).unwrap(), 1)
                    .tensor;
            let dtype = T::DTYPE;
            let refused = |result: Result<Tensor, Error>| {
                result.is_err_and(|it| it.kind() == ErrorKind::Unsupported)
            };
            let conv = nn::conv2d(&x, &weight, None, Conv::default());
            assert_eq!(refused(conv), dtype.is_bool(), "{dtype}");
            assert_eq!(refused(nn::max_pool2d(&x, Pool::new([2, 2]))), dtype.is_complex());
            assert_eq!(refused(nn::avg_pool2d(&x, Pool::new([2, 2]))), !dtype.is_floating());
        }
    }

    for_each_dtype(&mut Work);
}

#[test]
fn empty_inputs_give_empty_or_zero_outputs() {
    let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::Float32).unwrap();
    let conv = Conv::default();
    assert_eq!(
        nn::conv2d(&zeros(&[0, 3, 5, 5]), &zeros(&[4, 3, 3, 3]), None, conv).unwrap().shape(),
        [0, 4, 3, 3]
    );
    assert_eq!(
        nn::conv2d(&zeros(&[2, 3, 5, 5]), &zeros(&[0, 3, 3, 3]), None, conv).unwrap().shape(),
        [2, 0, 3, 3]
    );
    for size in [1, 3] {
        let ones = Tensor::ones([1, 0, 5, 5], DType::Float32).unwrap();
        let y = nn::conv2d(
            &ones,
            &zeros(&[4, 0, size, size]),
            Some(&Tensor::ones([4], DType::Float32).unwrap()),
            conv,
        );
        assert!(y.unwrap().to_vec::<f32>().unwrap().iter().all(|&y| y == 1.0), "sums of nothing");
    }
    assert_eq!(
        nn::max_pool2d(&zeros(&[0, 3, 5, 5]), Pool::new([2, 2])).unwrap().shape(),
        [0, 3, 2, 2]
    );
    // All padding.
    let all = Conv { padding: Padding::Zeros([2, 2]), ..conv };
    let y = nn::conv2d(
        &zeros(&[1, 1, 0, 3]),
        &Tensor::ones([5, 1, 2, 2], DType::Float32).unwrap(),
        None,
        all,
    );
    assert_eq!(y.unwrap().to_vec::<f32>().unwrap(), [0.0; 5 * 3 * 6]);
}

#[test]
fn errors_contain_the_given_values() {
    let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::Float32).unwrap();
    let (x, weight) = (zeros(&[1, 4, 5, 6]), zeros(&[8, 4, 3, 3]));
    let fail = |result: Result<Tensor, Error>, kind: ErrorKind, text: &str| {
        let error = result.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind()), (text, kind));
    };
    use ErrorKind::{DType as Type, Shape, Value};
    let conv = Conv::default();
    let run = |weight: &Tensor, conv| nn::conv2d(&x, weight, None, conv);
    fail(
        run(&zeros(&[8, 4, 7, 3]), conv),
        Shape,
        "conv2d: window of shape [7, 3] is larger than the padded input of shape [5, 6]",
    );
    let wide = Conv { dilation: [1, 4], padding: Padding::Zeros([0, 1]), ..conv };
    fail(
        run(&weight, wide),
        Shape,
        "conv2d: window of shape [3, 9] is larger than the padded input of shape [5, 8]",
    );
    fail(
        run(&zeros(&[8, 3, 3, 3]), conv),
        Shape,
        "conv2d needs shape [8, 4, 3, 3], got [8, 3, 3, 3]",
    );
    fail(run(&zeros(&[8, 4, 3]), conv), Value, "conv2d needs a weight of 4 axes, got 3");
    fail(
        run(&zeros(&[8, 4, 0, 3]), conv),
        Value,
        "conv2d needs a window of at least one element, got 0",
    );
    fail(
        run(&weight, Conv { stride: [1, 0], ..conv }),
        Value,
        "conv2d needs a stride of at least 1, got 0",
    );
    fail(
        run(&weight, Conv { dilation: [0, 1], ..conv }),
        Value,
        "conv2d needs a dilation of at least 1, got 0",
    );
    let divide = "conv2d needs groups that divide the channels of the input and of the result";
    fail(run(&weight, Conv { groups: 3, ..conv }), Value, &format!("{divide}, got 3"));
    fail(run(&weight, Conv { groups: 0, ..conv }), Value, &format!("{divide}, got 0"));
    fail(
        run(&zeros(&[7, 2, 3, 3]), Conv { groups: 2, ..conv }),
        Value,
        &format!("{divide}, got 2"),
    );
    let same = Conv { stride: [2, 1], padding: Padding::Same, ..conv };
    fail(
        run(&weight, same),
        Value,
        "conv2d needs a stride of 1 for padding to the same shape, got 2",
    );
    fail(
        nn::conv2d(&zeros(&[5, 6]), &weight, None, conv),
        Value,
        "conv2d needs an input of 3 or 4 axes, got 2",
    );
    fail(
        nn::conv2d(&x, &weight, Some(&zeros(&[4])), conv),
        Shape,
        "conv2d needs shape [8], got [4]",
    );
    fail(
        run(&weight.astype(DType::Float64).unwrap(), conv),
        Type,
        "expected a tensor of float32, got float64",
    );
    let line = zeros(&[1, 4, 5]);
    fail(
        nn::conv1d(&line, &weight, None, Conv::default()),
        Value,
        "conv1d needs a weight of 3 axes, got 4",
    );
    fail(
        nn::conv1d(&line, &zeros(&[2, 3, 3]), None, Conv::default()),
        Shape,
        "conv1d needs shape [2, 4, 3], got [2, 3, 3]",
    );
    fail(
        nn::conv1d(&zeros(&[5]), &zeros(&[2, 4, 3]), None, Conv::default()),
        Value,
        "conv1d needs an input of 2 or 3 axes, got 1",
    );
    let pool = Pool::new([2, 2]);
    fail(
        nn::max_pool2d(&x, Pool { padding: [0, 2], ..pool }),
        Value,
        "max_pool2d needs padding of at most half a window, got 2",
    );
    fail(
        nn::avg_pool2d(&x, Pool::new([2, 7])),
        Shape,
        "avg_pool2d: window of shape [2, 7] is larger than the padded input of shape [5, 6]",
    );
    fail(
        nn::max_pool2d(&x, Pool::new([0, 2])),
        Value,
        "max_pool2d needs a window of at least one element, got 0",
    );
    fail(
        nn::max_pool1d(&x, Pool::new([2])),
        Value,
        "max_pool1d needs an input of 2 or 3 axes, got 4",
    );
}

#[test]
fn huge_arguments_fail_immediately() {
    let x = Tensor::ones([1, 1, 5, 6], DType::Float32).unwrap();
    let weight = Tensor::ones([1, 1, 3, 3], DType::Float32).unwrap();
    let conv = Conv::default();
    for huge in [usize::MAX, usize::MAX / 2, 1 << 62] {
        let strided = nn::conv2d(&x, &weight, None, Conv { stride: [huge, huge], ..conv }).unwrap();
        assert_eq!(strided.to_vec::<f32>().unwrap(), [9.0]);
        assert!(nn::conv2d(&x, &weight, None, Conv { dilation: [huge, 1], ..conv }).is_err());
        assert!(
            nn::conv2d(&x, &weight, None, Conv { padding: Padding::Zeros([huge, 1]), ..conv })
                .is_err()
        );
        assert!(nn::conv2d(&x, &weight, None, Conv { groups: huge, ..conv }).is_err());
        assert!(nn::max_pool2d(&x, Pool::new([huge, 1])).is_err());
    }
    // A window that is nearly all padding.
    let size = 1 << 50;
    let pool = Pool { padding: [0, size / 2], stride: [1, 1], ..Pool::new([5, size]) };
    let y = nn::max_pool2d(&x, pool).unwrap();
    assert_eq!(y.shape(), [1, 1, 1, 7]);
    assert_eq!(y.to_vec::<f32>().unwrap(), [1.0; 7]);
}
