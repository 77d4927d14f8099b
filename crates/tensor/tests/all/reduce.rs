//! Reductions match a loop over all indices for any layout, any axes and any dtype.

use crate::zoo::TestRng;
use belvedere::prelude::*;
use belvedere::{Complex, copies, keep, with_num_threads};

/// Small integers, so that float sums are exact in every order.
fn base(dtype: DType, len: usize) -> Tensor {
    let mut rng = TestRng::new(len as u64);
    let values: Vec<i8> = (0..len).map(|_| rng.below(7) as i8 - 3).collect();
    let signed = Tensor::from_vec(values, [len]).unwrap();
    if dtype.is_unsigned() {
        signed.abs().unwrap().astype(dtype).unwrap()
    } else {
        signed.astype(dtype).unwrap()
    }
}

/// A random view of a random shape: permuted, stepped, flipped, broadcast, windowed.
fn random_view(rng: &mut TestRng, dtype: DType) -> Tensor {
    let rank = rng.below(5);
    let shape: Vec<usize> = (0..rank).map(|_| 1 + rng.below(6)).collect();
    let mut x = base(dtype, shape.iter().product()).view(&shape).unwrap();
    for _ in 0..rng.below(4) {
        let rank = x.rank();
        if rank == 0 {
            break;
        }
        let axis = rng.below(rank) as isize;
        let len = x.shape()[axis as usize];
        x = match rng.below(6) {
            0 => x.transpose(axis, rng.below(rank) as isize).unwrap(),
            1 => x.flip(&[axis]).unwrap(),
            2 => x.step(axis, 1 + rng.below(3) as isize).unwrap(),
            3 if rank < 5 => x.windows(axis, len.min(2), 1).unwrap(),
            4 if rank < 5 => x.unsqueeze(axis).unwrap(),
            _ => x.narrow(axis, 0, len.div_ceil(2)).unwrap(),
        };
    }
    if rng.below(4) == 0 {
        let mut wide = x.shape().to_vec();
        wide.insert(0, 1 + rng.below(3));
        x = x.broadcast_to(&wide).unwrap();
    }
    x
}

/// Returns the elements reduced to each result, in row-major order.
fn groups<T: Copy>(shape: &[usize], values: &[T], is_folded: &[bool]) -> Vec<Vec<T>> {
    let kept: Vec<usize> = (0..shape.len()).filter(|&k| !is_folded[k]).collect();
    let n: usize = kept.iter().map(|&k| shape[k]).product();
    let mut groups = vec![Vec::new(); n];
    for (flat, &value) in values.iter().enumerate() {
        let index = belvedere_layout::unravel_index(shape, flat).unwrap();
        let group = kept.iter().fold(0, |at, &k| at * shape[k] + index[k]);
        groups[group].push(value);
    }
    groups
}

fn random_axes(rng: &mut TestRng, rank: usize) -> (Vec<isize>, Vec<bool>) {
    let is_folded: Vec<bool> = (0..rank).map(|_| rng.below(2) == 0).collect();
    let axes = (0..rank).filter(|&k| is_folded[k]).map(|k| k as isize).collect();
    (axes, is_folded)
}

#[test]
fn sum_and_mean_match_a_loop_for_every_dtype() {
    for dtype in DType::ALL {
        let mut rng = TestRng::new(dtype as u64);
        for _ in 0..150 {
            let x = random_view(&mut rng, dtype);
            let (axes, is_folded) = random_axes(&mut rng, x.rank());
            let values = x.astype(DType::Complex128).unwrap().to_vec::<Complex<f64>>().unwrap();
            let groups = groups(&x.shape(), &values, &is_folded);
            let sums: Vec<Complex<f64>> = groups.iter().map(|it| it.iter().sum()).collect();

            let sum = x.sum(&axes[..]).unwrap();
            let found = sum.astype(DType::Complex128).unwrap().to_vec::<Complex<f64>>().unwrap();
            assert_eq!(found, sums, "{dtype} {x:?} over {axes:?}");
            let mean = x.mean(keep(&axes[..])).unwrap();
            assert_eq!(mean.rank(), x.rank());
            let found = mean.astype(DType::Complex128).unwrap().to_vec::<Complex<f64>>().unwrap();
            for ((found, sum), group) in found.iter().zip(&sums).zip(&groups) {
                let expected = sum / group.len() as f64;
                assert!((found - expected).norm() < 0.02, "{dtype} {x:?} over {axes:?}");
            }
        }
    }
}

#[test]
fn min_max_argmin_and_argmax_match_a_loop() {
    let ordered = DType::ALL.into_iter().filter(|dtype| !dtype.is_complex());
    for dtype in ordered {
        let mut rng = TestRng::new(100 + dtype as u64);
        for _ in 0..150 {
            let x = random_view(&mut rng, dtype);
            let (axes, is_folded) = random_axes(&mut rng, x.rank());
            let values = x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            let groups = groups(&x.shape(), &values, &is_folded);
            let least: Vec<f64> =
                groups.iter().map(|it| it.iter().copied().fold(f64::INFINITY, f64::min)).collect();
            let place = |best: &[f64]| -> Vec<i64> {
                let at = |(group, best): (&Vec<f64>, &f64)| group.iter().position(|x| x == best);
                groups.iter().zip(best).map(|it| at(it).unwrap() as i64).collect()
            };
            let as_f64 = |t: Tensor| t.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            assert_eq!(as_f64(x.min(&axes[..]).unwrap()), least, "{x:?} over {axes:?}");
            let found = x.argmin(&axes[..]).unwrap().to_vec::<i64>().unwrap();
            assert_eq!(found, place(&least), "{x:?} over {axes:?}");
            let greatest: Vec<f64> = groups
                .iter()
                .map(|it| it.iter().copied().fold(f64::NEG_INFINITY, f64::max))
                .collect();
            assert_eq!(as_f64(x.max(&axes[..]).unwrap()), greatest, "{x:?} over {axes:?}");
            let found = x.argmax(&axes[..]).unwrap().to_vec::<i64>().unwrap();
            assert_eq!(found, place(&greatest), "{x:?} over {axes:?}");
        }
    }
}

#[test]
fn any_and_all_match_a_loop_for_every_dtype() {
    for dtype in DType::ALL {
        let mut rng = TestRng::new(200 + dtype as u64);
        for _ in 0..60 {
            let x = random_view(&mut rng, dtype);
            let (axes, is_folded) = random_axes(&mut rng, x.rank());
            let values = x.astype(DType::Bool).unwrap().to_vec::<bool>().unwrap();
            let groups = groups(&x.shape(), &values, &is_folded);
            let any: Vec<bool> = groups.iter().map(|it| it.contains(&true)).collect();
            let all: Vec<bool> = groups.iter().map(|it| !it.contains(&false)).collect();
            assert_eq!(x.any(&axes[..]).unwrap().to_vec::<bool>().unwrap(), any);
            assert_eq!(x.all(&axes[..]).unwrap().to_vec::<bool>().unwrap(), all);
        }
    }
}

#[test]
fn large_shapes_cover_every_path_of_the_kernel() {
    let x = base(DType::Int32, 60 * 70 * 80).view([60, 70, 80]).unwrap();
    let values = x.to_vec::<i32>().unwrap();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let x = x.permute_dims(&order).unwrap();
        let shape = x.shape();
        let values: Vec<i32> = match order {
            [0, 1, 2] => values.clone(),
            _ => x.to_vec().unwrap(),
        };
        for mask in 0..8 {
            let is_folded: Vec<bool> = (0..3).map(|k| mask >> k & 1 == 1).collect();
            let axes: Vec<isize> = (0..3).filter(|&k| is_folded[k as usize]).collect();
            let sums: Vec<i64> = groups(&shape, &values, &is_folded)
                .iter()
                .map(|it| it.iter().map(|&x| x as i64).sum())
                .collect();
            assert_eq!(
                x.sum(&axes[..]).unwrap().to_vec::<i64>().unwrap(),
                sums,
                "{order:?} {axes:?}"
            );
            let out = Tensor::zeros(x.sum(&axes[..]).unwrap().shape(), DType::Int64).unwrap();
            belvedere::sum_into(&x, &axes[..], &out).unwrap();
            assert_eq!(out.to_vec::<i64>().unwrap(), sums);
        }
    }
}

#[test]
fn results_are_written_to_any_layout_and_nothing_else_changes() {
    let x = Tensor::arange(0..60).unwrap().view([3, 4, 5]).unwrap();
    let memory = Tensor::full([8, 9], -7i64).unwrap();
    let out = memory.slice(s![1..7;2, ..;-2]).unwrap().narrow(1, 0, 5).unwrap();
    belvedere::sum_into(&x, 1, &out).unwrap();
    assert_eq!(out.to_vec::<i64>().unwrap(), x.sum(1).unwrap().to_vec::<i64>().unwrap());
    let n_changed = memory.to_vec::<i64>().unwrap().iter().filter(|&&it| it != -7).count();
    assert_eq!(n_changed, 15);
    let as_float = Tensor::zeros([3, 5], DType::Float32).unwrap();
    belvedere::sum_into(&x, 1, &as_float).unwrap();
    assert_eq!(as_float.get::<f32>(&[2, 4]).unwrap(), (44 + 49 + 54 + 59) as f32);
}

#[test]
fn result_may_be_written_to_its_own_input() {
    let x = Tensor::arange(0..12).unwrap().astype(DType::Int64).unwrap().view([3, 4]).unwrap();
    let (_, log) = copies::record(|| belvedere::sum_into(&x, 0, &x.select(0, 1).unwrap()).unwrap());
    assert_eq!(log.len(), 1, "the input is buffered, with an event");
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 12, 15, 18, 21, 8, 9, 10, 11]);
}

#[test]
fn float_sum_is_accurate_and_does_not_depend_on_the_number_of_threads() {
    // K45: 16.7 million values in [0, 1).
    let n = 1 << 24;
    let mut state = 1u64;
    let values: Vec<f32> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1 << 24) as f32
        })
        .collect();
    let exact: f64 = values.iter().map(|&x| x as f64).sum();
    let x = Tensor::from_vec(values, [4096, 4096]).unwrap();
    let views = [x.clone(), x.t().unwrap(), x.flip(&[0, 1]).unwrap(), x.view([n]).unwrap()];
    for view in &views {
        let sum = view.sum(()).unwrap().item::<f32>().unwrap();
        assert!((sum as f64 / exact - 1.0).abs() < 1e-6, "{sum} {exact}");
    }
    for view in [x.clone(), x.t().unwrap(), x.slice(s![.., ..;2]).unwrap()] {
        for axes in [&[0isize, 1][..], &[0], &[1]] {
            let bits = |threads: usize| -> Vec<u32> {
                let sum = with_num_threads(threads, || view.sum(axes).unwrap());
                sum.to_vec::<f32>().unwrap().iter().map(|it| it.to_bits()).collect()
            };
            let one = bits(1);
            for threads in [2, 3, 5, 8] {
                assert!(bits(threads) == one, "{threads} threads, axes {axes:?}");
            }
        }
    }
    let columns = x.sum(0).unwrap().to_vec::<f32>().unwrap();
    for (c, &sum) in columns.iter().enumerate().step_by(511) {
        let column = x.select(1, c as isize).unwrap().to_vec::<f32>().unwrap();
        let exact: f64 = column.iter().map(|&it| it as f64).sum();
        assert!((sum as f64 / exact - 1.0).abs() < 1e-6, "column {c}");
    }
}

#[test]
fn zero_elements_have_a_sum_but_no_minimum() {
    let x = Tensor::zeros([3, 0, 2], DType::Float32).unwrap();
    assert_eq!(x.sum(1).unwrap().to_vec::<f32>().unwrap(), [0.0; 6]);
    assert!(x.mean(()).unwrap().item::<f32>().unwrap().is_nan());
    assert!(!x.any(()).unwrap().item::<bool>().unwrap());
    assert!(x.all(()).unwrap().item::<bool>().unwrap());
    let error = x.max(1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert_eq!(error.to_string(), "max of zero elements is undefined, got shape [3, 0, 2]");
    assert_eq!(x.max(0).unwrap().shape(), [0, 2], "the result is empty, too");
    assert_eq!(x.argmin(0).unwrap().shape(), [0, 2]);
}

#[test]
fn min_and_max_propagate_nan_and_argmin_finds_the_first() {
    let x = tensor![[1.0, f64::NAN, 3.0, f64::NAN], [5.0, 2.0, 7.0, 7.0]];
    assert!(x.max(1).unwrap().get::<f64>(&[0]).unwrap().is_nan());
    assert_eq!(x.argmax(1).unwrap().to_vec::<i64>().unwrap(), [1, 2]);
    assert_eq!(x.argmin(1).unwrap().to_vec::<i64>().unwrap(), [1, 1]);
    assert_eq!(x.flip(&[1]).unwrap().argmax(1).unwrap().to_vec::<i64>().unwrap(), [0, 0]);
}

#[test]
fn sum_to_shape_inverts_broadcast_to() {
    // K47.
    let x = tensor![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
    let sums = |shape: &[usize]| x.sum_to_shape(shape).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(sums(&[3]), [3.0, 5.0, 7.0]);
    assert_eq!(sums(&[1, 3]), [3.0, 5.0, 7.0]);
    assert_eq!(sums(&[2, 1]), [3.0, 12.0]);
    assert_eq!(sums(&[1]), [15.0]);
    assert_eq!(sums(&[]), [15.0]);
    assert_eq!(sums(&[2, 3]), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let error = x.sum_to_shape([2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot sum a tensor of shape [2, 3] to shape [2], which does not broadcast to it"
    );
}

#[test]
fn invalid_axes_are_reported() {
    let x = Tensor::zeros([2, 3], DType::Int8).unwrap();
    assert_eq!(x.sum(2).unwrap_err().kind(), ErrorKind::Axis);
    assert_eq!(x.sum([0, -2]).unwrap_err().to_string(), "axis 0 is given twice");
    let complex = x.astype(DType::Complex64).unwrap();
    assert_eq!(complex.max(()).unwrap_err().to_string(), "max is not supported for complex64");
}

#[test]
fn results_keep_the_memory_order_of_the_kept_axes() -> Result<(), Error> {
    let image = Tensor::arange(0..6 * 5 * 3)?.reshape([6, 5, 3])?;
    let planes = image.permute(&[2, 0, 1])?;
    let windows = planes.windows(1, 3, 1)?.windows(2, 3, 1)?;
    let sums = windows.sum([-1, -2])?;
    assert_eq!((&*sums.shape(), &*sums.strides()), (&[3, 4, 3][..], &[1, 9, 3][..]));
    let kept = windows.sum(keep([-1, -2]))?;
    assert_eq!(kept.shape(), [3, 4, 3, 1, 1]);
    assert_eq!(&kept.strides()[..3], &[1, 9, 3]);
    for c in 0..3 {
        for i in 0..4 {
            for j in 0..3 {
                let cells = (0..9).map(|k| ((i + k / 3) * 5 + j + k % 3) * 3 + c);
                assert_eq!(sums.get::<i64>(&[c, i, j])?, cells.sum::<usize>() as i64);
            }
        }
    }
    // Flipped axes are ordered by the size of their strides; broadcast axes stay where they are.
    let flipped = planes.flip(&[1])?.unsqueeze(0)?.broadcast_to(&[2, 3, 6, 5])?;
    assert_eq!(flipped.sum(3)?.strides(), [18, 1, 3]);
    // An output that exists is written in its own order.
    let out = Tensor::zeros([3, 4, 3], DType::Int64)?;
    belvedere::sum_into(&windows, [-1, -2], &out)?;
    assert_eq!(out.strides(), [12, 3, 1]);
    assert_eq!(out.to_vec::<i64>()?, sums.to_vec::<i64>()?);
    Ok(())
}
