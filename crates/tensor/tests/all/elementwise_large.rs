//! Large operands, which are packed in tiles and split among threads, match the reference, with bitwise equal
//! results for any number of threads.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::reference::ReferenceArithmetic;
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::*;

/// Shapes that exercise tiles, short rows, long rows, whole planes and splitting among threads.
fn shapes() -> Vec<Vec<usize>> {
    let mut shapes = vec![
        vec![100_003],
        vec![65_536],
        vec![65_535],
        vec![317, 419],
        vec![1024, 128],
        vec![2, 50_021],
        vec![50_021, 2],
        vec![33_000, 3],
        vec![64, 33, 65],
        vec![7, 129, 121],
        vec![3, 5, 7, 1009],
        vec![1009, 63],
        vec![1, 1100, 1, 101],
        vec![4, 3, 5, 2, 7, 3, 8, 10],
    ];
    let mut rng = TestRng::new(2);
    shapes.extend((0..zoo::rounds(6)).map(|_| rng.shape(5, 140_000)));
    shapes
}

/// Runs something with one, two and four threads.
fn with_threads(mut run: impl FnMut(usize)) {
    for n in [1, 2, 4] {
        with_num_threads(n, || run(n));
    }
}

/// The number of layouts to try for each shape.
fn n_rounds() -> usize {
    zoo::rounds(3)
}

#[test]
fn large_add_matches_the_reference() {
    fn check<T: ReferenceArithmetic>(seed: u64) {
        let mut rng = TestRng::new(seed);
        for shape in shapes() {
            for _ in 0..n_rounds() {
                let below = rng.broadcastable_shape(&shape);
                let one = rng.random_layout(&shape, Freedom::Any);
                let two = rng.random_layout(&below, Freedom::Any);
                let out = rng.random_layout(&shape, Freedom::Injective);
                let case = (T::DTYPE, &one, &two, &out);
                let (a, b) = (GuardedTensor::<T>::new(&one, 1), GuardedTensor::<T>::new(&two, 3));
                let pairs = a.values_as(&shape).into_iter().zip(b.values_as(&shape));
                let expected: Vec<T> = pairs.map(|(x, y)| x.plus(y)).collect();
                with_threads(|n| {
                    let made = a.tensor.add(&b.tensor).unwrap();
                    assert_same(&made.to_vec::<T>().unwrap(), &expected, (case, n));
                    let target = GuardedTensor::<T>::small_integers(&out, 0);
                    add_into(&b.tensor, &a.tensor, &target.tensor).unwrap();
                    target.assert_elements(&expected, (case, n));
                });
            }
        }
    }
    check::<u8>(3);
    check::<f32>(4);
    check::<f64>(5);
    check::<f16>(6);
}

#[test]
fn large_operands_are_updated_in_place() {
    let mut rng = TestRng::new(7);
    for shape in shapes() {
        let layout = rng.random_layout(&shape, Freedom::Injective);
        let below = rng.broadcastable_shape(&shape);
        let factor =
            GuardedTensor::<f32>::small_integers(&rng.random_layout(&below, Freedom::Any), 2);
        with_threads(|n| {
            let x = GuardedTensor::<f32>::small_integers(&layout, 1);
            let pairs = x.values().into_iter().zip(factor.values_as(&shape));
            let expected: Vec<f32> = pairs.map(|(x, y)| (x * y - 3.0).sqrt()).collect();
            x.tensor.mul_assign(&factor.tensor).unwrap();
            x.tensor.sub_assign(3).unwrap();
            sqrt_into(&x.tensor, &x.tensor).unwrap();
            x.assert_elements(&expected, (&layout, n));
        });
    }
}

#[test]
fn large_operands_of_other_dtypes_are_cast() {
    let mut rng = TestRng::new(8);
    for shape in shapes() {
        let one = rng.random_layout(&shape, Freedom::Any);
        let two = rng.random_layout(&shape, Freedom::Any);
        let out = rng.random_layout(&shape, Freedom::Injective);
        let (a, b) = (GuardedTensor::<i16>::new(&one, 1), GuardedTensor::<f32>::new(&two, 2));
        let pairs: Vec<(i16, f32)> = a.values().into_iter().zip(b.values()).collect();
        let products: Vec<f32> = pairs.iter().map(|&(x, y)| x as f32 * y).collect();
        let halves: Vec<f16> = products.iter().map(|&x| f16::from_f32(x)).collect();
        let smaller: Vec<Bool> = pairs.iter().map(|&(x, y)| ((x as f32) < y).into()).collect();
        with_threads(|n| {
            let made = a.tensor.mul(&b.tensor).unwrap();
            assert_same(&made.to_vec::<f32>().unwrap(), &products, (&one, &two, n));
            let target = GuardedTensor::<f16>::small_integers(&out, 1);
            mul_into(&a.tensor, &b.tensor, &target.tensor).unwrap();
            target.assert_elements(&halves, (&one, &two, &out, n));
            let target = GuardedTensor::<Bool>::small_integers(&out, 1);
            less_into(&a.tensor, &b.tensor, &target.tensor).unwrap();
            target.assert_elements(&smaller, (&one, &two, &out, n));
        });
    }
}

#[test]
fn large_where_matches_the_reference() {
    let mut rng = TestRng::new(9);
    for shape in shapes() {
        let mut below = || {
            let below = rng.broadcastable_shape(&shape);
            rng.random_layout(&below, Freedom::Any)
        };
        let layouts = [below(), below(), below()];
        let one = rng.random_layout(&shape, Freedom::Any);
        let out = rng.random_layout(&shape, Freedom::Injective);
        let c = GuardedTensor::<Bool>::new(&one, 5);
        let (x, y) =
            (GuardedTensor::<u16>::new(&layouts[1], 6), GuardedTensor::<u16>::new(&layouts[2], 7));
        let pairs = x.values_as(&shape).into_iter().zip(y.values_as(&shape));
        let choices = c.values_as(&shape).into_iter().zip(pairs);
        let expected: Vec<u16> =
            choices.map(|(c, (x, y))| if c.is_true() { x } else { y }).collect();
        with_threads(|n| {
            let target = GuardedTensor::<u16>::small_integers(&out, 1);
            where_into(&c.tensor, &x.tensor, &y.tensor, &target.tensor).unwrap();
            target.assert_elements(&expected, (&layouts, &out, n));
        });
    }
}

#[test]
fn large_copies_are_right_for_every_element_size() {
    fn check<T: TestElement>(seed: u64) {
        let mut rng = TestRng::new(seed);
        for shape in shapes() {
            for _ in 0..n_rounds() {
                let one = rng.random_layout(&shape, Freedom::Any);
                let out = rng.random_layout(&shape, Freedom::Injective);
                let source = GuardedTensor::<T>::new(&one, 1);
                let expected = source.values();
                assert_same(&source.tensor.to_vec::<T>().unwrap(), &expected, &one);
                with_threads(|n| {
                    let target = GuardedTensor::<T>::small_integers(&out, 1);
                    target.tensor.copy_from(&source.tensor).unwrap();
                    target.assert_elements(&expected, (T::DTYPE, &one, &out, n));
                    let copy = source.tensor.copy().unwrap();
                    assert!(copy.is_contiguous());
                    assert_same(&copy.to_vec::<T>().unwrap(), &expected, (&one, n));
                });
            }
        }
    }
    check::<u8>(10);
    check::<f16>(11);
    check::<f32>(12);
    check::<Complex<f32>>(13);
    check::<Complex<f64>>(14);
}

#[test]
fn transposed_copies_of_every_small_size_are_right() {
    let row = |rows: usize, cols: usize| Layout::row_major(&[rows, cols]).unwrap();
    let source = GuardedTensor::<u32>::with(&row(70, 70), |n| (0..n as u32).collect());
    for rows in (1..=70).step_by(if zoo::full() { 1 } else { 3 }) {
        for cols in 1..=70 {
            let part = source.tensor.slice(s![..rows, ..cols]).unwrap().t().unwrap();
            let expected: Vec<u32> = part.layout().offsets().map(|at| at as u32).collect();
            assert_same(&part.copy().unwrap().to_vec::<u32>().unwrap(), &expected, (rows, cols));
            let sum = part.add(&Tensor::zeros([cols, rows], DType::UInt32).unwrap()).unwrap();
            assert_same(&sum.to_vec::<u32>().unwrap(), &expected, (rows, cols));
        }
    }
}
