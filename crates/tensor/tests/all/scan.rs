//! Scans match a loop along each lane, for any strides, lengths, dtypes, threads and outputs.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::values::{DTypeVisitor, NumericValue, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::prelude::*;
use belvedere::{ScanOptions, copies, with_num_threads};

/// Returns for each lane along an axis the row-major positions of its elements.
fn lanes(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let lane =
        |o: usize, i: usize| (0..shape[axis]).map(move |k| (o * shape[axis] + k) * inner + i);
    (0..outer).flat_map(|o| (0..inner).map(move |i| lane(o, i).collect())).collect()
}

/// Returns values in row-major order, with `change` applied to every lane.
fn changed<T: Copy>(
    values: &[T],
    shape: &[usize],
    axis: usize,
    change: impl Fn(&[T]) -> Vec<T>,
) -> Vec<T> {
    let mut result = values.to_vec();
    for places in lanes(shape, axis) {
        let lane: Vec<T> = places.iter().map(|&place| values[place]).collect();
        for (place, value) in places.into_iter().zip(change(&lane)) {
            result[place] = value;
        }
    }
    result
}

/// Returns the cumulative maximum of a lane; NaN propagates.
fn running_max<T: TestElement>(lane: &[T]) -> Vec<T> {
    let is_nan = |x: T| matches!(x.numeric_value(), NumericValue::Float(x) if x.is_nan());
    let is_greater = |x: T, y: T| match (x.numeric_value(), y.numeric_value()) {
        (NumericValue::Int(x), NumericValue::Int(y)) => x > y,
        (NumericValue::Float(x), NumericValue::Float(y)) => x > y,
        _ => panic!("no order"),
    };
    let mut best = lane.first().copied();
    let mut step = |x: T| {
        let now = best.expect("a lane with elements");
        best = Some(if !is_nan(now) && (is_nan(x) || is_greater(x, now)) { x } else { now });
        best.expect("it was just set")
    };
    lane.iter().map(|&x| step(x)).collect()
}

#[test]
fn cummax_and_cummin_match_a_loop_for_every_layout_and_dtype() {
    struct Work;

    impl DTypeVisitor for Work {
        fn visit<T: TestElement>(&mut self) {
            if T::DTYPE.is_complex() {
                return;
            }
            for (seed, layout) in zoo::layouts().iter().enumerate() {
                let x = GuardedTensor::<T>::new(layout, seed);
                for axis in 0..layout.rank() {
                    let expected = changed(&x.values(), &layout.shape(), axis, running_max);
                    let found = x.tensor.cummax(axis as isize).unwrap();
                    assert_eq!((found.dtype(), found.shape()), (T::DTYPE, layout.shape()));
                    let case = format!("{} {layout:?} axis {axis}", T::DTYPE);
                    same_but_zeros(&found.to_vec::<T>().unwrap(), &expected, &case);
                    x.assert_unchanged(&case);
                }
            }
        }
    }

    for_each_dtype(&mut Work);
}

/// Checks equality; zeros of either sign are equal.
#[track_caller]
fn same_but_zeros<T: TestElement>(found: &[T], expected: &[T], case: &str) {
    assert_eq!(found.len(), expected.len(), "{case}");
    for (x, y) in found.iter().zip(expected) {
        assert!(x.same_bits(*y) || x == y, "{case}: {x:?} instead of {y:?}");
    }
}

#[test]
fn cumulative_sum_of_small_integers_is_exact_for_every_dtype_and_layout() {
    for dtype in DType::ALL {
        let mut rng = TestRng::new(dtype as u64 + 1);
        for _ in 0..zoo::rounds(30) {
            let shape = rng.shape(4, 200);
            let layout = rng.random_layout(&shape, Freedom::Any);
            // Zeros and ones: `bfloat16` represents only the first 256 integers exactly.
            let bits = |n: usize| (0..n).map(|_| rng.below(2) as i8).collect();
            let x = GuardedTensor::<i8>::with(&layout, bits).tensor.astype(dtype).unwrap();
            for axis in 0..shape.len() {
                let values = x.astype(DType::Complex128).unwrap().to_vec::<Complex<f64>>().unwrap();
                let sums = |lane: &[Complex<f64>]| {
                    let mut total = Complex::new(0.0, 0.0);
                    lane.iter()
                        .map(|x| {
                            total += x;
                            total
                        })
                        .collect()
                };
                let expected = changed(&values, &shape, axis, sums);
                let found = x.cumulative_sum(axis as isize).unwrap();
                assert_eq!(found.dtype(), x.sum(()).unwrap().dtype());
                let found = found.astype(DType::Complex128).unwrap();
                assert_eq!(
                    found.to_vec::<Complex<f64>>().unwrap(),
                    expected,
                    "{dtype} {layout:?} axis {axis}"
                );
            }
        }
    }
}

#[test]
fn lane_groups_of_every_length_are_right() {
    // More lanes than a group, fewer, and lanes longer than the buffer of a group.
    let counts = [1, 2, 63, 64, 65, 129];
    let lengths = [0, 1, 2, 31, 255, 1025];
    for n in counts {
        for len in lengths {
            check_both_ways(n, len);
        }
    }
    check_both_ways(3, 40_000);
}

/// Checks sums along the first and the last axis of a matrix, into an output with another axis order.
fn check_both_ways(n: usize, len: usize) {
    let values: Vec<i64> = (0..n * len).map(|i| (i * 31 % 17) as i64 - 8).collect();
    let rows = Tensor::from_vec(values, [n, len]).unwrap();
    let expected = changed(&rows.to_vec::<i64>().unwrap(), &[n, len], 1, |lane| {
        lane.iter()
            .scan(0, |total, x| {
                *total += x;
                Some(*total)
            })
            .collect()
    });
    let case = format!("{n} lanes of {len}");
    assert_eq!(rows.cumulative_sum(1).unwrap().to_vec::<i64>().unwrap(), expected, "{case}");
    let columns = rows.t().unwrap().copy().unwrap();
    let found = columns.cumulative_sum(0).unwrap().t().unwrap();
    assert_eq!(found.to_vec::<i64>().unwrap(), expected, "{case}, as columns");
    let memory = Tensor::full([2 * len + 1, n + 2], -1i64).unwrap();
    let out = memory.slice(s![1..;2, 1..-1]).unwrap().t().unwrap();
    belvedere::cumulative_sum_into(&rows, 1, &out).unwrap();
    assert_eq!(out.to_vec::<i64>().unwrap(), expected, "{case}, into a strided output");
    let rest = memory.slice(s![..;2, ..]).unwrap().to_vec::<i64>().unwrap();
    assert!(rest.iter().all(|&x| x == -1), "{case}: nothing else is written");
}

#[test]
fn flipped_and_broadcast_lanes_are_scanned() {
    let x = Tensor::from_vec((1..=24).collect::<Vec<i64>>(), [4, 6]).unwrap();
    for axis in [0, 1] {
        let back = x.flip(&[axis]).unwrap();
        let copied = back.copy().unwrap();
        assert_eq!(
            back.cumulative_sum(axis).unwrap().to_vec::<i64>().unwrap(),
            copied.cumulative_sum(axis).unwrap().to_vec::<i64>().unwrap()
        );
    }
    let still = tensor![3i64].broadcast_to([5]).unwrap();
    assert_eq!(still.cumulative_sum(0).unwrap().to_vec::<i64>().unwrap(), [3, 6, 9, 12, 15]);
    let rows = tensor![1i64, 2].broadcast_to([3, 2]).unwrap();
    assert_eq!(rows.cumulative_prod(0).unwrap().to_vec::<i64>().unwrap(), [1, 2, 1, 4, 1, 8]);
}

#[test]
fn empty_lanes_start_with_the_initial_value() {
    let options = ScanOptions { include_initial: true, ..ScanOptions::default() };
    let x = Tensor::zeros([2, 0, 3], DType::Float32).unwrap();
    assert_eq!(x.cumulative_sum(1).unwrap().shape(), [2, 0, 3]);
    assert_eq!(x.cumulative_sum_with(0, options).unwrap().shape(), [3, 0, 3]);
    let start = x.cumulative_prod_with(1, options).unwrap();
    assert_eq!(
        (start.shape().to_vec(), start.to_vec::<f32>().unwrap()),
        (vec![2, 1, 3], vec![1.0; 6])
    );
    let none = Tensor::zeros([3], DType::Int8).unwrap().narrow(0, 1, 0).unwrap();
    assert_eq!(none.cumulative_sum_with(0, options).unwrap().to_vec::<i64>().unwrap(), [0]);
    assert_eq!(none.cummin(0).unwrap().len(), 0);
}

type Along = fn(&Tensor, isize) -> Result<Tensor, Error>;

#[test]
fn results_are_bitwise_equal_for_any_number_of_threads() {
    let mut rng = TestRng::new(7);
    let values: Vec<f32> = (0..300 * 301).map(|_| rng.below(1000) as f32 / 7.0).collect();
    let x = Tensor::from_vec(values, [300, 301]).unwrap();
    let operations: [Along; 5] = [
        |x, axis| x.cumulative_sum(axis),
        |x, axis| x.logcumsumexp(axis),
        |x, axis| x.softmax(axis),
        |x, axis| x.log_softmax(axis),
        |x, axis| belvedere::nn::layer_norm(x, axis, None, None, 1e-5),
    ];
    for operation in operations {
        for view in [x.clone(), x.t().unwrap(), x.view([-1]).unwrap(), x.step(1, 2).unwrap()] {
            for axis in 0..view.rank() as isize {
                let bits = |n: usize| -> Vec<u32> {
                    let result = with_num_threads(n, || operation(&view, axis).unwrap());
                    result.to_vec::<f32>().unwrap().iter().map(|x| x.to_bits()).collect()
                };
                let one = bits(1);
                for n in 2..=8 {
                    assert!(bits(n) == one, "{n} threads, axis {axis}");
                }
            }
        }
    }
}

#[test]
fn scans_may_write_to_their_input() {
    let fresh = || Tensor::from_vec((1..=30).collect::<Vec<i64>>(), [5, 6]).unwrap();
    for axis in [0, 1, -1] {
        // The same view: computed lane by lane, without a copy.
        let x = fresh();
        let expected = x.cumulative_sum(axis).unwrap().to_vec::<i64>().unwrap();
        let done = copies::forbid(|| belvedere::cumulative_sum_into(&x, axis, &x));
        done.unwrap();
        assert_eq!(x.to_vec::<i64>().unwrap(), expected, "in place along {axis}");
        // The same memory in another order: the input is copied, with an event.
        let x = fresh().narrow(1, 0, 5).unwrap();
        let expected = x.t().unwrap().cumulative_sum(axis).unwrap().to_vec::<i64>().unwrap();
        let (done, log) =
            copies::record(|| belvedere::cumulative_sum_into(&x.t().unwrap(), axis, &x));
        done.unwrap();
        assert_eq!((log.len(), x.to_vec::<i64>().unwrap()), (1, expected));
        // A shift by one row.
        let x = fresh();
        let (from, to) = (x.narrow(0, 0, 4).unwrap(), x.narrow(0, 1, 4).unwrap());
        let expected = from.cumulative_sum(axis).unwrap().to_vec::<i64>().unwrap();
        belvedere::cumulative_sum_into(&from, axis, &to).unwrap();
        assert_eq!(to.to_vec::<i64>().unwrap(), expected);
        assert_eq!(x.select(0, 0).unwrap().to_vec::<i64>().unwrap(), [1, 2, 3, 4, 5, 6]);
    }
}

#[test]
fn outputs_of_another_dtype_are_cast_or_refused() {
    let x = tensor![1i32, 2, 3];
    let out = Tensor::zeros([3], DType::Float32).unwrap();
    belvedere::cumulative_sum_into(&x, 0, &out).unwrap();
    assert_eq!(out.to_vec::<f32>().unwrap(), [1.0, 3.0, 6.0]);
    let floats = tensor![1.5, 2.5, 3.5];
    let refused = belvedere::cumulative_sum_into(&floats, 0, &x).unwrap_err();
    assert_eq!(refused.to_string(), "cannot cast float64 to int32 implicitly; use astype");
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2, 3], "nothing was written");
}

#[test]
fn invalid_arguments_are_refused_with_their_values() {
    let x = Tensor::zeros([2, 3], DType::Int8).unwrap();
    let message = |result: Result<Tensor, Error>| result.unwrap_err().to_string();
    let out_of_range = "axis 2 is out of range: the axes are -2..=1";
    assert_eq!(message(x.cumulative_sum(2)), out_of_range);
    assert_eq!(message(x.diff(2)), out_of_range);
    assert_eq!(message(x.softmax(2)), out_of_range);
    assert!(Tensor::zeros([0usize; 0], DType::Int8).unwrap().cummax(0).is_err());
    assert!(x.cumulative_sum(isize::MIN).is_err());
    let complex = x.astype(DType::Complex64).unwrap();
    assert_eq!(message(complex.cummax(0)), "cummax is not supported for complex64");
    assert_eq!(message(complex.logcumsumexp(0)), "logcumsumexp is not supported for complex64");
    assert_eq!(message(complex.log_softmax(0)), "log_softmax is not supported for complex64");
    let as_type = |dtype| ScanOptions { dtype: Some(dtype), include_initial: false };
    assert_eq!(
        message(complex.cumulative_sum_with(0, as_type(DType::Float32))),
        "cannot cast complex64 to float32: the imaginary part would be lost; use real or imag"
    );
    assert_eq!(
        message(x.cumulative_sum_with(0, as_type(DType::Bool))),
        "cumulative_sum is not supported for bool"
    );
    let out = Tensor::zeros([3, 2], DType::Int64).unwrap();
    let refused = belvedere::cumulative_sum_into(&x, 0, &out).unwrap_err();
    assert_eq!(refused.to_string(), "cumulative_sum needs shape [2, 3], got [3, 2]");
    let refused = x.diff_with(1, 1, Some(&out), None).unwrap_err();
    assert_eq!(refused.to_string(), "diff needs shape [2, 2], got [3, 2]");
    let refused = x.diff_with(1, 1, None, Some(&tensor![1])).unwrap_err();
    assert_eq!(refused.to_string(), "diff needs shape [2, 3], got [1]");
    let endless = Tensor::zeros([1], DType::Float64).unwrap().broadcast_to([1usize << 60]).unwrap();
    for refused in [
        endless.cumulative_sum(0),
        endless.cummax(0),
        endless.softmax(0),
        endless.diff(0),
        belvedere::nn::layer_norm(&endless, 0, None, Some(&endless), 0.0),
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Memory);
    }
    let still = Tensor::zeros([1], DType::Int64).unwrap().broadcast_to([2, 3]).unwrap();
    let refused = belvedere::cumulative_sum_into(&x, 0, &still).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Borrow);
}

#[test]
fn cumulative_sum_is_as_accurate_as_sum() {
    // 0.1 a million times in `f32`: naive summation gives 100958.34.
    let x = tensor![0.1f32].broadcast_to([1_000_000]).unwrap();
    let last = x.cumulative_sum(0).unwrap().get::<f32>(&[999_999]).unwrap();
    assert_eq!(last, (0.1f32 as f64 * 1e6) as f32);
    let x = tensor![0.1f64].broadcast_to([1_000_000]).unwrap();
    let last = x.cumulative_sum(0).unwrap().get::<f64>(&[999_999]).unwrap();
    assert_eq!(last, 100_000.0);
    let odd = tensor![1.0, f64::INFINITY, 2.0, f64::NEG_INFINITY, 1.0];
    let sums = odd.cumulative_sum(0).unwrap().to_vec::<f64>().unwrap();
    assert_same(&sums, &[1.0, f64::INFINITY, f64::INFINITY, f64::NAN, f64::NAN], "infinities");
    let logs = tensor![f64::NEG_INFINITY, 0.0, f64::INFINITY, 1.0, f64::NAN];
    let logs = logs.logcumsumexp(0).unwrap().to_vec::<f64>().unwrap();
    let expected = [f64::NEG_INFINITY, 0.0, f64::INFINITY, f64::INFINITY, f64::NAN];
    assert_same(&logs, &expected, "logarithms");
}

#[test]
fn diff_inverts_cumulative_sum_and_spans_prepended_parts() {
    let mut rng = TestRng::new(3);
    for _ in 0..zoo::rounds(60) {
        let shape = rng.shape(3, 60);
        let layout = rng.random_layout(&shape, Freedom::Any);
        let x = GuardedTensor::<i16>::small_integers(&layout, 5).tensor;
        for axis in 0..shape.len() as isize {
            let options = ScanOptions { dtype: Some(DType::Int16), include_initial: true };
            let sums = x.cumulative_sum_with(axis, options).unwrap();
            let back = sums.diff(axis).unwrap();
            assert_eq!((back.dtype(), back.shape()), (DType::Int16, x.shape()));
            assert_eq!(back.to_vec::<i16>().unwrap(), x.to_vec::<i16>().unwrap());
        }
    }
    let (x, a, b) = (tensor![1i8, 4], tensor![100i8, -100], tensor![1000i16]);
    let across = x.diff_with(0, 1, Some(&a), Some(&b)).unwrap();
    assert_eq!(across.to_vec::<i16>().unwrap(), [-200, 101, 3, 996]);
    let none = Tensor::zeros([0], DType::Int8).unwrap();
    assert_eq!(none.diff_with(0, 1, Some(&a), None).unwrap().to_vec::<i8>().unwrap(), [56]);
    assert_eq!(
        x.diff_with(0, usize::MAX, None, None).unwrap().shape(),
        [0],
        "terminates for a huge order"
    );
    assert!(x.diff_with(0, 0, None, None).unwrap().to_vec::<i8>().unwrap() == [1, 4]);
    let truths = tensor![true, true, false].diff(0).unwrap();
    assert_eq!(truths.to_vec::<bool>().unwrap(), [false, true]);
}
