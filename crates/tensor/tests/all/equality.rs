//! `==` of whole tensors matches a comparison element by element; `assert_close!` reports what differs.

use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::prelude::*;
use belvedere::{Bool, Device, Tensor, assert_close, with_device, with_num_threads};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the message of the panic of `f`.
fn message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast::<&str>().expect("a text").to_string(),
    }
}

/// Compares element by element, as `==` of Rust's types does.
fn reference<T: TestElement>(x: &Tensor, y: &Tensor) -> bool {
    x.shape() == y.shape() && x.to_vec::<T>().unwrap() == y.to_vec::<T>().unwrap()
}

fn every_layout_matches<T: TestElement>() {
    for layout in zoo::layouts() {
        let x = GuardedTensor::<T>::new(&layout, 3).tensor;
        let same = x.copy().unwrap();
        assert_eq!(x == same, reference::<T>(&x, &same), "{layout:?}");
        assert_eq!(x == x.clone(), reference::<T>(&x, &x), "{layout:?}");
        // Of finite elements, each change of one element is found.
        let x = GuardedTensor::<T>::small_integers(&layout, 5).tensor;
        let same = x.copy().unwrap();
        assert_eq!([x == same, same == x], [true; 2], "{layout:?}");
        for offset in 0..same.len() {
            let flat = same.reshape([-1]).unwrap();
            let element = flat.select(0, offset as isize).unwrap();
            let before = element.item::<T>().unwrap();
            let other = T::from_small(if before == T::from_small(1) { 0 } else { 1 });
            element.set(&[], other).unwrap();
            assert_eq!([x == same, same == x], [false; 2], "{layout:?} at {offset}");
            element.set(&[], before).unwrap();
        }
        assert!(x == same, "{layout:?}");
    }
}

#[test]
fn tensors_of_every_layout_and_dtype_are_compared_by_value() {
    every_layout_matches::<Bool>();
    every_layout_matches::<i8>();
    every_layout_matches::<u16>();
    every_layout_matches::<i32>();
    every_layout_matches::<u64>();
    every_layout_matches::<f16>();
    every_layout_matches::<bf16>();
    every_layout_matches::<f32>();
    every_layout_matches::<f64>();
    every_layout_matches::<Complex<f32>>();
    every_layout_matches::<Complex<f64>>();
}

#[test]
fn random_pairs_of_layouts_match_the_reference() {
    let mut rng = TestRng::new(7);
    for _ in 0..zoo::rounds(300) {
        let shape = rng.shape(4, 3000);
        let [a, b] = [(); 2].map(|()| rng.random_layout(&shape, Freedom::Any));
        let a = GuardedTensor::<f32>::small_integers(&a, 0).tensor;
        let equal = GuardedTensor::<f32>::small_integers(&b, 0).tensor;
        assert_eq!(a == equal, reference::<f32>(&a, &equal), "{:?} {:?}", a.layout(), b);
        assert!(a == a.copy().unwrap(), "{:?}", a.layout());
        // The elements of `a` in another layout, and one of them changed.
        let b = rng.random_layout(&shape, Freedom::Injective);
        let b = GuardedTensor::<f32>::small_integers(&b, 0).tensor;
        b.copy_from(&a).unwrap();
        assert_eq!([a == b, b == a], [true; 2], "{:?} {:?}", a.layout(), b.layout());
        if !b.is_empty() {
            let index: Vec<usize> = shape.iter().map(|&len| rng.below(len)).collect();
            b.set(&index, b.get::<f32>(&index).unwrap() + 0.5).unwrap();
            assert_eq!([a == b, b == a], [false; 2], "{:?} {:?}", a.layout(), b.layout());
        }
    }
}

#[test]
fn large_tensors_are_compared_on_several_threads() {
    let x = Tensor::arange(0..600 * 700).unwrap().reshape([600, 700]).unwrap();
    let copies = [x.copy().unwrap(), x.t().unwrap().copy().unwrap().t().unwrap()];
    for n_threads in [1, 3] {
        with_num_threads(n_threads, || {
            for y in &copies {
                assert!(x == *y);
                for index in [[0, 0], [599, 699], [0, 699], [300, 1]] {
                    let before = y.get::<i32>(&index).unwrap();
                    y.set(&index, -1).unwrap();
                    assert!(x != *y, "{index:?}");
                    y.set(&index, before).unwrap();
                }
                assert!(x == *y);
            }
        });
    }
}

#[test]
fn values_are_equal_as_numbers_are() {
    assert_eq!(tensor![0.0], tensor![-0.0]);
    assert_ne!(tensor![f32::NAN], tensor![f32::NAN]);
    assert_ne!(tensor![Complex::new(0.0, f64::NAN)], tensor![Complex::new(0.0, f64::NAN)]);
    assert_ne!(tensor![Complex::new(1.0f32, 2.0)], tensor![Complex::new(1.0f32, 3.0)]);
    assert_eq!(tensor![f16::NEG_ZERO], tensor![f16::ZERO]);
    assert_ne!(tensor![bf16::NAN], tensor![bf16::NAN]);
    let bytes = Tensor::from(vec![true, false]);
    bytes.bitcast(DType::UInt8).unwrap().copy_from(&tensor![9u8, 0]).unwrap();
    assert_eq!(bytes, tensor![true, false], "every byte but 0 is true");
}

#[test]
fn dtypes_and_shapes_have_to_be_equal() {
    assert_ne!(tensor![1, 2], tensor![1i64, 2]);
    assert_ne!(tensor![1, 2], tensor![[1, 2]]);
    assert_ne!(tensor![1, 1], tensor![1]);
    let empty = |shape: [usize; 2]| Tensor::zeros(shape, DType::Int8).unwrap();
    assert_eq!(empty([0, 3]), empty([0, 3]));
    assert_ne!(empty([0, 3]), empty([0, 2]));
}

#[test]
fn tensors_without_readable_values_panic() {
    let x = tensor![1, 2];
    let guard = x.write::<i32>().unwrap();
    let text = message(|| assert!(x == tensor![1, 2]));
    assert!(text.contains("a guard writes to all elements of its memory"), "{text}");
    assert!(x != tensor![1, 2, 3], "the shapes suffice");
    drop(guard);
    let meta = with_device(Device::Meta, || Tensor::zeros([2], DType::Int32)).unwrap();
    let text = message(|| assert!(x == meta));
    assert!(text.contains("on device meta"), "{text}");
}

#[test]
fn close_operands_of_every_kind_pass() {
    let x = tensor![[1.0f32, 2.0], [3.0, 4.0]];
    assert_close!(x, x);
    assert_close!(&x, x.copy().unwrap());
    assert_close!(x, [[1.0, 2.0], [3.0, 4.0]]);
    assert_close!(x.reshape([4]).unwrap(), vec![1.0, 2.0, 3.0, 4.0]);
    assert_close!([1.0, 2.0][..], tensor![1.0, 2.0]);
    assert_close!(x.read::<f32>().unwrap(), x);
    assert_close!(x.read::<f32>().unwrap().view(), x);
    assert_close!(x.lens(), x);
    assert_close!(&x - &x, 0.0);
    assert_close!(tensor![1, 2], tensor![1.0 + 1e-9, 2.0]);
    assert_close!(2, tensor![2.0, 2.0],);
    assert_close!(tensor![1.0, f64::INFINITY], [1.001, f64::INFINITY], rtol = 1e-2);
    assert_close!(tensor![1.0, f64::NAN], [1.05, f64::NAN], atol = 0.1, equal_nan = true);
    assert_close!(
        Tensor::zeros([0, 2], DType::Int8).unwrap(),
        Tensor::zeros([0, 2], DType::Int8).unwrap()
    );
}

/// Each default is passed by a difference just below it and exceeded by one just above.
#[test]
fn default_tolerances_follow_the_less_precise_dtype() {
    let ones = |dtype| Tensor::ones([1], dtype).unwrap();
    let is_close = |x: &Tensor, by: f64| {
        let y = Tensor::from([1.0 + by]);
        catch_unwind(AssertUnwindSafe(|| assert_close!(y, x))).is_ok()
    };
    for (dtype, tolerance) in [
        (DType::Float16, 1e-3 + 1e-5),
        (DType::BFloat16, 1.6e-2 + 1e-5),
        (DType::Float32, 1.3e-6 + 1e-5),
        (DType::Complex64, 1.3e-6 + 1e-5),
        (DType::Float64, 2e-7),
        (DType::Complex128, 2e-7),
        (DType::Int32, 2e-7),
    ] {
        assert!(is_close(&ones(dtype), 0.99 * tolerance), "{dtype}");
        assert!(!is_close(&ones(dtype), 1.01 * tolerance), "{dtype}");
    }
    assert!(message(|| assert_close!(tensor![1], tensor![2])).contains("atol = 0.0, rtol = 0.0"));
}

#[test]
fn reports_have_counts_largest_differences_and_the_first_few() {
    let x = tensor![[1.0f32, 0.1, 3.0], [4.0, 100.0, 6.0]];
    let y = tensor![[1.0, 0.2, 3.0], [4.0, 101.0, 6.0]];
    let text = message(|| assert_close!(x, y, rtol = 1e-3, atol = 0.0));
    let expected = "assertion failed: `x` is not close to `y`\n\
        2 of 6 elements (33.333 %) differ by more than atol + rtol · |right|, with atol = 0.0, rtol = 0.001\n\
        dtypes: float32 against float64\n\
        largest absolute difference: 1.0 at [1, 1]: 100.0 against 101.0\n\
        largest relative difference: 0.49999999254941946 at [0, 1]: 0.1 against 0.2\n\
        first differences:\n  \
        [0, 1]: 0.1 against 0.2\n  \
        [1, 1]: 100.0 against 101.0";
    assert_eq!(text, expected);

    let text = message(|| assert_close!(tensor![f64::NAN, 1.0], [f64::NAN, 0.0]));
    assert!(text.contains("largest absolute difference: inf at [0]: NaN against NaN"), "{text}");
    assert!(text.ends_with("NaN is close to NaN with `equal_nan = true`"), "{text}");

    let many = Tensor::zeros([100, 1000], DType::Float32).unwrap();
    let text = message(|| assert_close!(many, 1.0));
    assert!(text.contains("100000 of 100000 elements (100 %)"), "{text}");
    assert!(text.contains("\n  [0, 4]: 0.0 against 1.0") && !text.contains("[0, 5]"), "{text}");
    many.fill(1.0).unwrap();
    many.select(0, 7).unwrap().select(0, 3).unwrap().fill(0.5).unwrap();
    let text = message(|| assert_close!(many, 1.0));
    assert!(text.contains("1 of 100000 elements (0.001 %)"), "{text}");
}

#[test]
fn reports_say_why_operands_cannot_be_compared() {
    let text = message(|| assert_close!(tensor![1.0, 2.0], tensor![[1.0, 2.0]]));
    assert!(text.ends_with("the shapes differ: [2] against [1, 2]"), "{text}");
    let text = message(|| assert_close!(tensor![1.0, 1.0], tensor![1.0]));
    assert!(text.ends_with("the shapes differ: [2] against [1]"), "{text}");
    let x = tensor![1.0];
    let _guard = x.write::<f64>().unwrap();
    assert!(message(|| assert_close!(x, 1.0)).contains("a guard writes to all elements"));
}
