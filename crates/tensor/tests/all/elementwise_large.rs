//! Large operands, which are packed in tiles and shared among threads, give what small ones give:
//! the results of plain code, and the same bits for every number of threads.

use crate::zoo::animal::assert_same;
use crate::zoo::twin::NumberTwin;
use crate::zoo::{self, Animal, Dice, Freedom, Specimen, threads};
use belvedere::*;

/// Shapes that reach tiles, short rows, long rows, whole planes and cuts for threads.
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
    let mut dice = Dice::new(2);
    shapes.extend((0..zoo::rounds(6)).map(|_| dice.shape(5, 140_000)));
    shapes
}

/// Runs something with one, two and four threads.
fn with_threads(mut run: impl FnMut(usize)) {
    for n in [1, 2, 4] {
        with_num_threads(threads(n), || run(n));
    }
}

/// Arrangements to try for each shape.
fn n_rounds() -> usize {
    zoo::rounds(3)
}

#[test]
fn sums_of_large_operands_are_those_of_plain_code() {
    fn check<T: NumberTwin>(seed: u64) {
        let mut dice = Dice::new(seed);
        for shape in shapes() {
            for _ in 0..n_rounds() {
                let below = dice.shape_below(&shape);
                let one = dice.arrange(&shape, Freedom::Any);
                let two = dice.arrange(&below, Freedom::Any);
                let out = dice.arrange(&shape, Freedom::Injective);
                let case = (T::DTYPE, &one, &two, &out);
                let (a, b) = (Animal::<T>::new(&one, 1), Animal::<T>::new(&two, 3));
                let pairs = a.values_as(&shape).into_iter().zip(b.values_as(&shape));
                let expected: Vec<T> = pairs.map(|(x, y)| x.plus(y)).collect();
                with_threads(|n| {
                    let made = a.tensor.add(&b.tensor).unwrap();
                    assert_same(&made.to_vec::<T>().unwrap(), &expected, (case, n));
                    let target = Animal::<T>::tame(&out, 0);
                    add_into(&b.tensor, &a.tensor, &target.tensor).unwrap();
                    target.check_now(&expected, (case, n));
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
fn large_operands_are_worked_on_in_place() {
    let mut dice = Dice::new(7);
    for shape in shapes() {
        let layout = dice.arrange(&shape, Freedom::Injective);
        let below = dice.shape_below(&shape);
        let factor = Animal::<f32>::tame(&dice.arrange(&below, Freedom::Any), 2);
        with_threads(|n| {
            let x = Animal::<f32>::tame(&layout, 1);
            let pairs = x.values().into_iter().zip(factor.values_as(&shape));
            let expected: Vec<f32> = pairs.map(|(x, y)| (x * y - 3.0).sqrt()).collect();
            x.tensor.mul_assign(&factor.tensor).unwrap();
            x.tensor.sub_assign(3).unwrap();
            sqrt_into(&x.tensor, &x.tensor).unwrap();
            x.check_now(&expected, (&layout, n));
        });
    }
}

#[test]
fn large_operands_of_other_types_are_converted_on_the_way() {
    let mut dice = Dice::new(8);
    for shape in shapes() {
        let one = dice.arrange(&shape, Freedom::Any);
        let two = dice.arrange(&shape, Freedom::Any);
        let out = dice.arrange(&shape, Freedom::Injective);
        let (a, b) = (Animal::<i16>::new(&one, 1), Animal::<f32>::new(&two, 2));
        let pairs: Vec<(i16, f32)> = a.values().into_iter().zip(b.values()).collect();
        let products: Vec<f32> = pairs.iter().map(|&(x, y)| x as f32 * y).collect();
        let halves: Vec<f16> = products.iter().map(|&x| f16::from_f32(x)).collect();
        let smaller: Vec<Bool> = pairs.iter().map(|&(x, y)| ((x as f32) < y).into()).collect();
        with_threads(|n| {
            let made = a.tensor.mul(&b.tensor).unwrap();
            assert_same(&made.to_vec::<f32>().unwrap(), &products, (&one, &two, n));
            let target = Animal::<f16>::tame(&out, 1);
            mul_into(&a.tensor, &b.tensor, &target.tensor).unwrap();
            target.check_now(&halves, (&one, &two, &out, n));
            let target = Animal::<Bool>::tame(&out, 1);
            less_into(&a.tensor, &b.tensor, &target.tensor).unwrap();
            target.check_now(&smaller, (&one, &two, &out, n));
        });
    }
}

#[test]
fn large_choices_are_those_of_plain_code() {
    let mut dice = Dice::new(9);
    for shape in shapes() {
        let mut below = || {
            let below = dice.shape_below(&shape);
            dice.arrange(&below, Freedom::Any)
        };
        let layouts = [below(), below(), below()];
        let one = dice.arrange(&shape, Freedom::Any);
        let out = dice.arrange(&shape, Freedom::Injective);
        let c = Animal::<Bool>::new(&one, 5);
        let (x, y) = (Animal::<u16>::new(&layouts[1], 6), Animal::<u16>::new(&layouts[2], 7));
        let pairs = x.values_as(&shape).into_iter().zip(y.values_as(&shape));
        let choices = c.values_as(&shape).into_iter().zip(pairs);
        let expected: Vec<u16> =
            choices.map(|(c, (x, y))| if c.is_true() { x } else { y }).collect();
        with_threads(|n| {
            let target = Animal::<u16>::tame(&out, 1);
            where_into(&c.tensor, &x.tensor, &y.tensor, &target.tensor).unwrap();
            target.check_now(&expected, (&layouts, &out, n));
        });
    }
}

#[test]
fn large_copies_move_every_element_once_for_every_size_of_element() {
    fn check<T: Specimen>(seed: u64) {
        let mut dice = Dice::new(seed);
        for shape in shapes() {
            for _ in 0..n_rounds() {
                let one = dice.arrange(&shape, Freedom::Any);
                let out = dice.arrange(&shape, Freedom::Injective);
                let source = Animal::<T>::new(&one, 1);
                let expected = source.values();
                assert_same(&source.tensor.to_vec::<T>().unwrap(), &expected, &one);
                with_threads(|n| {
                    let target = Animal::<T>::tame(&out, 1);
                    target.tensor.copy_from(&source.tensor).unwrap();
                    target.check_now(&expected, (T::DTYPE, &one, &out, n));
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
fn transposes_of_every_small_size_are_right() {
    let row = |rows: usize, cols: usize| Layout::row_major(&[rows, cols]).unwrap();
    let source = Animal::<u32>::with(&row(70, 70), |n| (0..n as u32).collect());
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
