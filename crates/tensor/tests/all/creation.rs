//! Constructors: constants, values, ranges and functions.

use crate::zoo;
use crate::zoo::TestElement;
use crate::zoo::values::{DTypeVisitor, NumericValue, for_each_dtype};
use belvedere::*;

#[test]
fn zeros_ones_and_full_work_for_every_dtype() {
    struct Make;

    impl DTypeVisitor for Make {
        fn visit<T: TestElement>(&mut self) {
            let (zero, one) = (T::default(), T::from_numeric(NumericValue::Int(1)));
            for shape in [&[][..], &[0], &[5], &[2, 3], &[1, 1, 4, 1, 2, 1, 3]] {
                let n = shape.iter().product();
                let check = |x: Tensor, value: T| {
                    assert_eq!((x.dtype(), &*x.shape()), (T::DTYPE, shape));
                    assert_eq!(x.to_vec::<T>().unwrap(), vec![value; n]);
                };
                check(Tensor::zeros(shape, T::DTYPE).unwrap(), zero);
                check(Tensor::ones(shape, T::DTYPE).unwrap(), one);
                check(Tensor::zeros_col_major(shape, T::DTYPE).unwrap(), zero);
                for value in T::edge_values().into_iter().filter(|it| it == it) {
                    check(Tensor::full(shape, value).unwrap(), value);
                }
                let x = Tensor::full(shape, one).unwrap();
                check(x.zeros_like().unwrap(), zero);
                check(x.ones_like().unwrap(), one);
                check(x.full_like(true).unwrap(), one);
                assert!(x.storage().is_writable());
            }
        }
    }

    for_each_dtype(&mut Make);
}

#[test]
fn like_constructors_keep_the_axis_order_but_not_gaps() {
    for layout in zoo::layouts() {
        let x = zoo::GuardedTensor::<i16>::small_integers(&layout, 1).tensor;
        for like in [x.zeros_like().unwrap(), x.ones_like().unwrap(), x.full_like(3).unwrap()] {
            assert_eq!(like.shape(), x.shape());
            assert!(like.layout().is_dense() || like.is_empty(), "{layout:?}");
            assert_eq!(like.storage().len(), like.n_bytes());
        }
        if layout.is_dense() && layout.axes().iter().all(|axis| axis.stride > 0 || axis.len == 1) {
            assert_eq!(x.zeros_like().unwrap().strides(), x.strides(), "{layout:?}");
        }
    }
}

#[test]
fn arange_of_integers_is_exact_beyond_float_precision() {
    let odd = (1i64 << 53) + 1;
    assert_eq!(
        Tensor::arange(odd..odd + 3).unwrap().to_vec::<i64>().unwrap(),
        [odd, odd + 1, odd + 2]
    );
    let top = i64::MAX;
    assert_eq!(Tensor::arange(top - 2..top).unwrap().to_vec::<i64>().unwrap(), [top - 2, top - 1]);
    let low = i64::MIN;
    assert_eq!(Tensor::arange(low..low + 2).unwrap().to_vec::<i64>().unwrap(), [low, low + 1]);
    let top = u64::MAX;
    assert_eq!(Tensor::arange(top - 1..top).unwrap().to_vec::<u64>().unwrap(), [top - 1]);
    let top = usize::MAX;
    assert_eq!(Tensor::arange(top - 1..top).unwrap().to_vec::<u64>().unwrap(), [u64::MAX - 1]);
    assert_eq!(Tensor::arange(-2..2).unwrap().to_vec::<i32>().unwrap(), [-2, -1, 0, 1]);
    let nothing: Vec<i32> = Tensor::arange(5..5).unwrap().to_vec().unwrap();
    assert_eq!(nothing, [0; 0]);
    #[allow(clippy::reversed_empty_ranges, reason = "that it is empty is the point")]
    let backwards = Tensor::arange(5..-5).unwrap();
    assert!(backwards.is_empty());
}

#[test]
fn arange_of_floats_does_not_accumulate_errors() {
    let x = Tensor::arange_step(0.0, 1000.0, 0.1, DType::Float64).unwrap();
    let expected: Vec<f64> = (0..10_000).map(|i| i as f64 * 0.1).collect();
    assert_eq!(x.to_vec::<f64>().unwrap(), expected);
    let halves = Tensor::arange(-0.5f32..2.0).unwrap();
    assert_eq!(halves.to_vec::<f32>().unwrap(), [-0.5, 0.5, 1.5]);
    let down = Tensor::arange_step(1.0, -1.0, -0.5, DType::Float16).unwrap();
    let down: Vec<f64> = down.to_vec::<f16>().unwrap().iter().map(|it| it.to_f64()).collect();
    assert_eq!(down, [1.0, 0.5, 0.0, -0.5]);
    assert!(Tensor::arange_step(0.0, 1.0, -1.0, DType::Int8).unwrap().is_empty());
    let complex = Tensor::arange_step(0.0, 2.0, 1.0, DType::Complex64).unwrap();
    assert_eq!(complex.get::<Complex<f32>>(&[1]).unwrap(), Complex::new(1.0, 0.0));
}

#[test]
fn linspace_between_extremes_does_not_overflow() {
    let of = |start, stop, n| {
        let x = Tensor::linspace(start, stop, n, DType::Float64).unwrap();
        x.to_vec::<f64>().unwrap()
    };
    assert_eq!(of(-f64::MAX, f64::MAX, 3), [-f64::MAX, 0.0, f64::MAX]);
    assert_eq!(of(-f64::MAX, f64::MAX, 2), [-f64::MAX, f64::MAX]);
    assert_eq!(of(-f64::MAX, f64::MAX, 1), [-f64::MAX]);
    assert_eq!(of(3.0, 4.0, 0), [0.0; 0]);
    assert_eq!(of(3.0, 4.0, 1), [3.0]);
    assert_eq!(of(5.0, 5.0, 3), [5.0; 3]);
    assert_eq!(of(1.0, -1.0, 5), [1.0, 0.5, 0.0, -0.5, -1.0]);
    let thirds = of(0.0, 0.3, 4);
    assert_eq!(thirds.last(), Some(&0.3), "the end is met exactly");
}

#[test]
fn eye_supports_any_diagonal() {
    for shift in -4..=4isize {
        for (rows, cols) in [(3, 3), (2, 4), (4, 2), (0, 3), (3, 0), (1, 1)] {
            let x = Tensor::eye_with((rows, cols), shift, DType::Int8).unwrap();
            let is_on = |r: usize, c: usize| c as isize - r as isize == shift;
            let cells = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
            let expected: Vec<i8> = cells.map(|(r, c)| is_on(r, c) as i8).collect();
            assert_eq!(x.to_vec::<i8>().unwrap(), expected, "{rows} {cols} {shift}");
        }
    }
    assert!(Tensor::eye_with((2, 2), isize::MAX, DType::Int8).is_ok());
    assert!(Tensor::eye_with((2, 2), isize::MIN, DType::Int8).is_ok());
}

#[test]
fn values_are_read_and_written_in_row_major_order() {
    let x = Tensor::from_fn([2, 3, 4], |index| (index[0] * 100 + index[1] * 10 + index[2]) as u16)
        .unwrap();
    assert_eq!(x.get::<u16>(&[1, 2, 3]).unwrap(), 123);
    assert_eq!(x.t_of_axes().to_vec::<u16>().unwrap()[..3], [0, 100, 10]);
    let scalar = Tensor::from_fn([0usize; 0], |index| index.len() as i32).unwrap();
    assert_eq!(scalar.item::<i32>().unwrap(), 0);
    let none = Tensor::from_fn([3, 0], |_| -> i32 { panic!("there is no index") }).unwrap();
    assert!(none.is_empty());
    let slice = Tensor::from_slice(&[1, 2, 3, 4], [2, -1]).unwrap();
    assert_eq!(slice.shape(), [2, 2]);
    assert_eq!(Tensor::from(vec![1u8, 2]).shape(), [2]);
    assert_eq!(tensor![[true, false]].to_vec::<bool>().unwrap(), [true, false]);
    assert_eq!(tensor![[[1i8]], [[2]]].shape(), [2, 1, 1]);
}

trait Reversed {
    fn t_of_axes(&self) -> Tensor;
}

impl Reversed for Tensor {
    fn t_of_axes(&self) -> Tensor {
        self.reverse_dims()
    }
}

#[test]
fn storage_is_viewed_through_any_layout_within_bounds() {
    let storage = Storage::from_vec((0..24i32).collect());
    for layout in zoo::layouts() {
        let seen = Tensor::from_storage(storage.clone(), layout.clone(), DType::Int32);
        assert_eq!(seen.is_ok(), layout.span().end <= 24 || layout.is_empty(), "{layout:?}");
        if let Ok(seen) = seen {
            let expected: Vec<i32> = layout.offsets().map(|at| at as i32).collect();
            assert_eq!(seen.to_vec::<i32>().unwrap(), expected);
            let wide = Tensor::from_storage(storage.clone(), layout.clone(), DType::Int64);
            let fits = layout.span().end <= 12 || layout.is_empty();
            assert_eq!(wide.is_ok() || !storage.address().is_multiple_of(8), fits, "{layout:?}");
        }
    }
}

#[test]
fn like_constructors_accept_another_dtype() {
    let x = Tensor::arange(0..6).unwrap().reshape([2, 3]).unwrap().t().unwrap();
    for dtype in [DType::Bool, DType::Int8, DType::Float16, DType::Float64, DType::Complex64] {
        let likes = [
            (x.zeros_like_as(dtype).unwrap(), 0.0),
            (x.ones_like_as(dtype).unwrap(), 1.0),
            (x.full_like_as(true, dtype).unwrap(), 1.0),
            (Tensor::full_as([3, 2], true, dtype).unwrap(), 1.0),
        ];
        for (n, (like, value)) in likes.iter().enumerate() {
            assert_eq!((like.dtype(), like.shape()), (dtype, x.shape()));
            assert!(n == 3 || like.strides() == x.strides(), "they lie as it does");
            let values = like.astype(DType::Complex128).unwrap().to_vec::<Complex<f64>>().unwrap();
            assert!(values.iter().all(|it| *it == Complex::from(*value)), "{dtype}");
        }
    }
    let error = x.full_like_as(300, DType::Int8).unwrap_err();
    assert_eq!(error.to_string(), "300 does not fit in int8");
    assert_eq!(Tensor::full_as([2], -1, DType::UInt8).unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn arange_length_is_exact() {
    let big = 1i128 << 60;
    let x = Tensor::arange_integers(big, big + 5, 2, DType::Int64).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 2, 4].map(|i| (1 << 60) + i));
    let last = i128::from(u64::MAX);
    let x = Tensor::arange_integers(last, last - 3, -1, DType::UInt64).unwrap();
    assert_eq!(x.to_vec::<u64>().unwrap(), [u64::MAX, u64::MAX - 1, u64::MAX - 2]);
    let x = Tensor::arange_integers(3, -4, -3, DType::Float32).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [3.0, 0.0, -3.0]);
    assert!(Tensor::arange_integers(5, 5, 1, DType::Int8).unwrap().is_empty());
    assert!(Tensor::arange_integers(0, 5, -1, DType::Int8).unwrap().is_empty());
    let refused = [
        ((0, 200, 1, DType::Int8), "199 does not fit in int8"),
        ((-1, 3, 1, DType::UInt8), "-1 does not fit in uint8"),
        ((0, 1, 0, DType::Int8), "arange needs a step that is not 0, got 0"),
        ((0, 2, 1, DType::Bool), "arange is not supported for bool"),
        (
            (0, 1, 1 << 70, DType::Int8),
            "arange needs integers of 64 bits, got 1180591620717411303424",
        ),
        (
            (i128::MIN, 1, 1, DType::Int64),
            "arange needs integers of 64 bits, got -170141183460469231731687303715884105728",
        ),
    ];
    for ((start, stop, step, dtype), text) in refused {
        let error = Tensor::arange_integers(start, stop, step, dtype).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
    let all = Tensor::arange_integers(-(1 << 63), 1 << 63, 1, DType::Int64).unwrap_err();
    assert_eq!(all.kind(), ErrorKind::Memory);
}

#[test]
fn complex_bounds_need_a_complex_type() {
    let (from, to) = (Complex::new(1.0, -1.0), Complex::new(3.0, 1.0));
    let x = Tensor::linspace(from, to, 3, DType::Complex128).unwrap();
    let expected = [from, Complex::new(2.0, 0.0), to];
    assert_eq!(x.to_vec::<Complex<f64>>().unwrap(), expected);
    let x = Tensor::linspace_open(from, to, 2, DType::Complex64).unwrap();
    assert_eq!(
        x.to_vec::<Complex<f32>>().unwrap(),
        [Complex::new(1.0, -1.0), Complex::new(2.0, 0.0)]
    );
    assert!(Tensor::linspace(from, to, 0, DType::Complex64).unwrap().is_empty());
    let error = Tensor::linspace(from, 1.0, 3, DType::Float64).unwrap_err();
    assert!(matches!(error, Error::Cast { .. }), "{error}");
    let endless = Complex::new(0.0, f64::INFINITY);
    let error = Tensor::linspace(0.0, endless, 3, DType::Complex64).unwrap_err();
    assert_eq!(error.to_string(), "linspace needs finite bounds, got inf");
}
