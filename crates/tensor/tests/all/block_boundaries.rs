//! `argmin`, `argmax` and reductions over rows match a loop around the sizes of blocks, vectors and streams, in
//! both directions, and for any number of threads.

use crate::zoo::TestRng;
use belvedere::prelude::*;
use belvedere::{Complex, with_num_threads};

/// Returns the index of the first NaN, or of the first maximum or minimum.
fn place(values: &[f64], is_greatest: bool) -> i64 {
    let mut best = 0;
    for (i, &x) in values.iter().enumerate() {
        let is_better = if is_greatest { x > values[best] } else { x < values[best] };
        if !values[best].is_nan() && (is_better || x.is_nan()) {
            best = i;
        }
    }
    best as i64
}

/// Checks `argmax` and `argmin` along an axis against a loop, also for the flipped tensor.
fn check_places(x: &Tensor, axis: isize, case: &str) {
    for x in [x.clone(), x.flip(&[axis]).unwrap()] {
        let lanes = x.moveaxis(axis, -1).unwrap().astype(DType::Float64).unwrap();
        let lanes = lanes.to_vec::<f64>().unwrap();
        let len = x.shape()[x.layout().resolve_axis(axis).unwrap()];
        let wanted = |is_greatest: bool| -> Vec<i64> {
            lanes.chunks(len).map(|lane| place(lane, is_greatest)).collect()
        };
        assert_eq!(x.argmax(axis).unwrap().to_vec::<i64>().unwrap(), wanted(true), "{case}");
        assert_eq!(x.argmin(axis).unwrap().to_vec::<i64>().unwrap(), wanted(false), "{case}");
    }
}

/// Returns the elements as `complex128`.
fn numbers(x: &Tensor) -> Vec<Complex<f64>> {
    x.astype(DType::Complex128).unwrap().to_vec().unwrap()
}

fn ordered() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| !dtype.is_complex())
}

/// Returns values with many ties.
fn few_values(rng: &mut TestRng, len: usize, dtype: DType) -> Tensor {
    let values: Vec<u8> = (0..len).map(|_| 5 + rng.below(20) as u8).collect();
    Tensor::from_vec(values, [len]).unwrap().astype(dtype).unwrap()
}

#[test]
fn argmin_and_argmax_find_every_position() {
    for dtype in ordered() {
        let mut rng = TestRng::new(dtype as u64);
        for len in [1, 2, 17, 31, 32, 33, 47, 64, 65, 511, 512, 513, 600, 4095, 4096, 4097, 8200] {
            let values = few_values(&mut rng, len, dtype);
            for at in [0, 1, 7, 16, 31, 32, 100, 511, 512, 4095, 4096, len / 2, len - 1] {
                if at >= len {
                    continue;
                }
                let before = values.select(0, at as isize).unwrap().copy().unwrap();
                for extreme in [0u8, 100] {
                    let value = Tensor::full([1], extreme).unwrap().astype(dtype).unwrap();
                    values.assign(s![at as isize..at as isize + 1], &value).unwrap();
                    check_places(&values, 0, &format!("{dtype}: {extreme} at {at} of {len}"));
                }
                values.assign(s![at as isize], &before).unwrap();
            }
        }
    }
}

#[test]
fn positions_in_rows_match_a_loop() {
    for dtype in ordered() {
        let mut rng = TestRng::new(dtype as u64);
        for [rows, len] in [[1, 40], [3, 64], [65, 33], [70, 129], [4, 5000]] {
            let values = few_values(&mut rng, 2 * rows * (len + 3), dtype);
            let x = values.reshape([2 * rows, len + 3]).unwrap();
            for x in [x.slice(s![..rows, ..len]).unwrap(), x.slice(s![..;2, 3..]).unwrap()] {
                check_places(&x, 1, &format!("{dtype}: {rows} rows of {len}"));
            }
        }
    }
}

#[test]
fn every_byte_but_zero_is_true_for_argmax_and_argmin() {
    for len in [1, 8, 63, 64, 65, 200, 5000, 140_000] {
        for at in [0, 1, 7, 9, 63, 64, 100, 4999, len / 2, len - 1] {
            if at >= len {
                continue;
            }
            for (others, byte) in [(0u8, 1u8), (0, 2), (0, 255), (255, 0), (1, 0), (2, 0)] {
                let bytes = Tensor::full([len], others).unwrap();
                bytes.assign(s![at as isize], byte).unwrap();
                let bools = bytes.bitcast(DType::Bool).unwrap();
                for n_threads in [1, 2] {
                    with_num_threads(n_threads, || check_bools(&bools));
                }
            }
        }
    }
}

#[test]
fn every_byte_but_zero_is_true_down_columns() {
    let mut rng = TestRng::new(7);
    for (rows, cols) in [(2, 1), (2, 3), (5, 70), (40, 16), (130, 33), (300, 100)] {
        let bytes: Vec<u8> = (0..rows * cols).map(|_| [0, 1, 2, 128, 255][rng.below(5)]).collect();
        let bools = Tensor::from_vec(bytes, [rows, cols]).unwrap().bitcast(DType::Bool).unwrap();
        let plain = Tensor::from_vec(bools.to_vec::<bool>().unwrap(), [rows, cols]).unwrap();
        for (x, plain) in
            [(bools.clone(), plain.clone()), (bools.flip(()).unwrap(), plain.flip(()).unwrap())]
        {
            for axis in [0isize, 1] {
                let places = |x: Tensor| x.to_vec::<i64>().unwrap();
                assert_eq!(places(x.argmax(axis).unwrap()), places(plain.argmax(axis).unwrap()));
                assert_eq!(places(x.argmin(axis).unwrap()), places(plain.argmin(axis).unwrap()));
            }
        }
    }
}

/// Checks `argmax` and `argmin` of booleans, whose bytes may have any value, against a loop over plain ones.
fn check_bools(x: &Tensor) {
    for x in [x.clone(), x.flip(&[0]).unwrap()] {
        let plain = x.to_vec::<bool>().unwrap();
        let first = |value| plain.iter().position(|&it| it == value).unwrap_or(0) as i64;
        assert_eq!(x.argmax(()).unwrap().item::<i64>().unwrap(), first(true));
        assert_eq!(x.argmin(()).unwrap().item::<i64>().unwrap(), first(false));
    }
}

#[test]
fn argmax_returns_the_first_of_equal_elements_and_of_nans() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for dtype in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
        for len in [3, 70, 5000, 9000] {
            for value in [0.0, inf, -inf, nan] {
                let same = Tensor::full([len], value).unwrap().astype(dtype).unwrap();
                assert_eq!(same.argmax(()).unwrap().item::<i64>().unwrap(), 0);
                check_places(&same, 0, &format!("{len} times {value}"));
            }
            for (a, b) in [(0.0, -0.0), (-0.0, 0.0), (inf, nan), (-inf, nan), (nan, inf)] {
                for at in [1, len / 2, len - 2, len - 1] {
                    let x = Tensor::full([len], a).unwrap().astype(dtype).unwrap();
                    x.assign(s![at as isize], b).unwrap();
                    check_places(&x, 0, &format!("{b} at {at} among {len} times {a}"));
                    x.assign(s![at as isize..], b).unwrap();
                    check_places(&x, 0, &format!("{b} from {at} on among {len} times {a}"));
                }
            }
        }
    }
}

#[test]
fn argmax_along_axis_0_matches_a_loop() {
    for dtype in ordered() {
        let mut rng = TestRng::new(dtype as u64 + 50);
        for (rows, cols) in [(1, 70), (7, 100), (9, 17), (40, 33), (130, 40), (300, 16)] {
            let x = few_values(&mut rng, rows * cols, dtype).view([rows, cols]).unwrap();
            check_places(&x, 0, &format!("{dtype} {rows} × {cols}"));
            check_places(&x.t().unwrap(), 1, &format!("{dtype} {rows} × {cols}, transposed"));
            check_places(&x.slice(s![.., ..;2]).unwrap(), 0, &format!("{dtype}, every second"));
            check_places(&x.view([-1]).unwrap(), 0, &format!("{dtype}, all"));
        }
    }
    let mut rng = TestRng::new(3);
    let x = few_values(&mut rng, 200 * 67, DType::Float32).view([200, 67]).unwrap();
    for _ in 0..100 {
        let at = [rng.below(200) as isize, rng.below(67) as isize];
        x.assign(s![at[0], at[1]], f32::NAN).unwrap();
    }
    check_places(&x, 0, "with NaNs");
    check_places(&x, 1, "with NaNs");
}

#[test]
fn sums_along_axis_0_are_exact_around_block_sizes() {
    for dtype in [DType::Float32, DType::Float64, DType::Int8, DType::Float16, DType::Complex128] {
        let mut rng = TestRng::new(dtype as u64 + 90);
        let shapes =
            [(1, 1), (7, 15), (8, 16), (9, 17), (127, 31), (128, 65), (129, 258), (300, 3)];
        for (rows, cols) in
            shapes.into_iter().chain([(17, 2049), (9, 4097), (257, 1030), (5000, 5)])
        {
            let values: Vec<i8> = (0..rows * cols).map(|_| rng.below(7) as i8 - 3).collect();
            let mut sums = vec![Complex::new(0.0, 0.0); cols];
            for (i, &value) in values.iter().enumerate() {
                sums[i % cols] += value as f64;
            }
            let x = Tensor::from_vec(values, [rows, cols]).unwrap().astype(dtype).unwrap();
            for x in [x.clone(), x.flip(&[0]).unwrap()] {
                let case = format!("{dtype} {rows} × {cols}");
                assert_eq!(numbers(&x.sum(0).unwrap()), sums, "{case}");
                let backwards: Vec<_> = sums.iter().rev().copied().collect();
                let found = x.flip(&[1]).unwrap().sum(0).unwrap();
                assert_eq!(numbers(&found), backwards, "{case}, backwards");
            }
        }
    }
}

/// An operation along an axis.
type Along = fn(&Tensor, isize) -> Result<Tensor, Error>;

#[test]
fn results_are_bitwise_equal_for_any_number_of_threads() {
    let mut rng = TestRng::new(17);
    let values: Vec<f32> = (0..1 << 20).map(|_| rng.below(1 << 20) as f32 / 1e5 - 3.0).collect();
    let x = Tensor::from_vec(values, [-1]).unwrap();
    let folds: [Along; 6] = [
        |x, axis| x.sum(axis),
        |x, axis| x.argmax(axis),
        |x, axis| x.argmin(axis),
        |x, axis| x.var(axis),
        |x, axis| x.logsumexp(axis),
        |x, axis| x.softmax(axis),
    ];
    for shape in
        [&[1 << 20][..], &[64, 128, 128], &[256, 4096], &[4, 64, 4096], &[8192, 128], &[1 << 17, 8]]
    {
        let x = x.view(shape).unwrap();
        for (n, fold) in folds.into_iter().enumerate() {
            for axis in 0..shape.len() as isize {
                let bits = |threads: usize| -> Vec<u64> {
                    let result = with_num_threads(threads, || fold(&x, axis));
                    let result = result.unwrap().astype(DType::Float64).unwrap();
                    result.to_vec::<f64>().unwrap().iter().map(|it| it.to_bits()).collect()
                };
                let one = bits(1);
                for threads in [2, 4] {
                    assert!(
                        bits(threads) == one,
                        "reduction {n}, {shape:?}, axis {axis}, {threads}"
                    );
                }
            }
        }
    }
}

#[test]
fn strided_rows_are_copied_reduced_and_added_as_by_a_loop() {
    for dtype in DType::ALL {
        let n = 5000;
        let values: Vec<i64> = (0..n).map(|i| i * 7 % 101).collect();
        let x = Tensor::from_vec(values, [-1]).unwrap().astype(dtype).unwrap();
        let plain = numbers(&x);
        for step in [-5isize, -4, -3, -2, -1, 2, 3, 4, 5] {
            for (from, len) in [(0, 5000), (3, 4097), (1, 40), (1, 18), (0, 1), (7, 0)] {
                let part = x.narrow(0, from, len).unwrap();
                let mut wanted = plain[from..from + len].to_vec();
                let view = part.step(0, step).unwrap();
                if step < 0 {
                    wanted.reverse();
                }
                let wanted: Vec<_> = wanted.into_iter().step_by(step.unsigned_abs()).collect();
                let case = format!("{dtype}, {len} from {from} on in steps of {step}");
                assert_eq!(numbers(&view.copy().unwrap()), wanted, "{case}");
                if dtype == DType::Bool {
                    continue;
                }
                let packed = view.copy().unwrap();
                let twice = numbers(&packed.add(&packed).unwrap());
                assert_eq!(numbers(&view.add(&view).unwrap()), twice, "{case}");
                let total: Complex<f64> = wanted.iter().sum();
                let found = view.astype(DType::Complex128).unwrap().sum(()).unwrap();
                assert_eq!(found.item::<Complex<f64>>().unwrap(), total, "{case}");
            }
        }
    }
}

#[test]
fn results_of_rows_are_those_of_each_row_alone() -> Result<(), Error> {
    type Reduce = fn(&Tensor) -> Result<Tensor, Error>;
    let reductions: [Reduce; 5] =
        [|x| x.sum(-1), |x| x.norm(-1), |x| x.max(-1), |x| x.argmax(-1), |x| x.std(-1)];
    // Results of one run each are computed 64 at a time; a run has at most 4096 elements.
    for (rows, len) in [(1, 40), (63, 40), (64, 129), (65, 33), (130, 64), (33, 4096), (33, 4097)] {
        let values = (0..2 * rows * len).map(|i| ((i * 7919) % 1013) as f32 / 64.0 - 8.0);
        let x = values.collect::<Tensor>().reshape([2, rows, len])?;
        let wide = Tensor::zeros([2, rows, len + 3], DType::Float32)?;
        wide.narrow(2, 1, len)?.copy_from(&x)?;
        let views = [x.clone(), wide.narrow(2, 1, len)?, x.flip([1])?, x.permute([1, 0, 2])?];
        for (view, reduce) in views.iter().flat_map(|it| reductions.map(|reduce| (it, reduce))) {
            let results = reduce(view)?;
            let [outer, inner, _] = view.dims()?;
            for (i, j) in (0..outer).flat_map(|i| (0..inner).map(move |j| (i, j))) {
                let alone =
                    reduce(&view.select(0, i as isize)?.select(0, j as isize)?.contiguous()?)?;
                let found = results.select(0, i as isize)?.select(0, j as isize)?;
                assert_eq!(found, alone, "{rows} rows of {len}, ({i}, {j})");
            }
        }
    }
    Ok(())
}
