//! Softmax and normalizations match their formulas along any axes, without overflow and without unreported
//! copies.

use crate::zoo::{self, Freedom, GuardedTensor, TestRng};
use belvedere::prelude::*;
use belvedere::{copies, nn};

fn close(found: &Tensor, expected: &Tensor, case: &str) {
    let found = found.astype(DType::Float64).unwrap();
    assert_eq!(found.shape(), expected.shape(), "{case}");
    assert!(
        found.allclose_with(expected, 4e-3, 2e-3).unwrap().holds(),
        "{case}: {found} and {expected}"
    );
}

#[test]
fn softmax_matches_its_formula_for_every_dtype_and_layout() {
    for dtype in DType::ALL.into_iter().filter(|it| !it.is_complex()) {
        let mut rng = TestRng::new(dtype as u64 + 31);
        for _ in 0..zoo::rounds(15) {
            let shape: Vec<usize> = rng.shape(3, 90).into_iter().map(|n| n.max(1)).collect();
            let layout = rng.random_layout(&shape, Freedom::Any);
            let x = GuardedTensor::<i8>::small_integers(&layout, 3).tensor.astype(dtype).unwrap();
            let wide = x.astype(DType::Float64).unwrap();
            for axis in 0..shape.len() as isize {
                let powers = wide.exp().unwrap();
                let shares = powers.div(&powers.sum(keep(axis)).unwrap()).unwrap();
                let case = format!("{dtype} {layout:?} axis {axis}");
                let found = x.softmax(axis).unwrap();
                let is_float = dtype.is_floating();
                assert_eq!(found.dtype(), if is_float { dtype } else { DType::Float64 });
                close(&found, &shares, &case);
                close(&x.log_softmax(axis).unwrap(), &shares.log().unwrap(), &case);
            }
        }
    }
}

#[test]
fn softmax_into_may_write_to_its_input_and_any_layout() {
    for axis in [0, 1] {
        let x = tensor![[1.0, 2.0, 3.0], [4.0, 0.0, 1.0]];
        let expected = x.softmax(axis).unwrap().to_vec::<f64>().unwrap();
        copies::forbid(|| belvedere::softmax_into(&x, axis, &x)).unwrap();
        assert_eq!(x.to_vec::<f64>().unwrap(), expected);
        let x = tensor![[1.0, 2.0, 3.0], [4.0, 0.0, 1.0]];
        let expected = x.log_softmax(axis).unwrap().to_vec::<f64>().unwrap();
        let memory = Tensor::zeros([3, 4], DType::Float64).unwrap();
        let out = memory.t().unwrap().slice(s![..;2, ..;-1]).unwrap();
        belvedere::log_softmax_into(&x, axis, &out).unwrap();
        assert_eq!(out.to_vec::<f64>().unwrap(), expected);
        let half = Tensor::zeros([2, 3], DType::Float16).unwrap();
        belvedere::log_softmax_into(&x, axis, &half).unwrap();
        close(&half, &x.log_softmax(axis).unwrap(), "into float16");
    }
    let x = tensor![1.0, 2.0];
    let refused = belvedere::softmax_into(&x, 0, &tensor![0.0]).unwrap_err();
    assert_eq!(refused.to_string(), "softmax needs shape [2], got [1]");
    let refused = belvedere::softmax_into(&x, 0, &tensor![0, 0]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::DType);
    let none = Tensor::zeros([2, 0], DType::Float32).unwrap();
    let refused = none.log_softmax(1).unwrap_err();
    assert_eq!(refused.to_string(), "log_softmax of zero elements is undefined, got shape [2, 0]");
}

#[test]
fn softmax_of_extremes_is_finite() {
    let huge = tensor![[1e300, 1e300], [-1e300, 1e300]];
    assert_eq!(huge.softmax(1).unwrap().to_vec::<f64>().unwrap(), [0.5, 0.5, 0.0, 1.0]);
    assert_eq!(huge.log_softmax(1).unwrap().get::<f64>(&[1, 1]).unwrap(), 0.0);
    let low = tensor![f32::NEG_INFINITY, 0.0, 0.0];
    assert_eq!(low.softmax(0).unwrap().to_vec::<f32>().unwrap(), [0.0, 0.5, 0.5]);
    assert_eq!(low.log_softmax(0).unwrap().get::<f32>(&[0]).unwrap(), f32::NEG_INFINITY);
    // The logarithm is accurate where the softmax underflows.
    let logs = tensor![1000.0f32, 1000.0, 0.0].log_softmax(0).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(logs[0], -(2f32.ln()));
    assert!((logs[2] + 1000.6931).abs() < 1e-4);
    let nan = tensor![1.0, f64::NAN].softmax(0).unwrap().to_vec::<f64>().unwrap();
    assert!(nan.iter().all(|x| x.is_nan()));
}

#[test]
fn softmax_in_passes_matches_softmax_by_lane() {
    let mut rng = TestRng::new(11);
    let values: Vec<f64> = (0..400_000).map(|_| rng.below(1000) as f64 / 100.0).collect();
    let x = Tensor::from_vec(values, [-1]).unwrap();
    // Few lanes, many lanes, and long strided lanes.
    for shape in [[2, 200_000], [400, 1000], [50_000, 8]] {
        let x = x.view(shape).unwrap();
        for axis in [0, 1] {
            let powers = x.exp().unwrap();
            let shares = powers.div(&powers.sum(keep(axis)).unwrap()).unwrap();
            let found = x.softmax(axis).unwrap();
            assert!(found.allclose_with(&shares, 1e-12, 0.0).unwrap().holds());
            let logs = x.log_softmax(axis).unwrap();
            assert!(logs.allclose_with(&shares.log().unwrap(), 1e-12, 1e-12).unwrap().holds());
            let out = Tensor::zeros(shape, DType::Float64).unwrap();
            belvedere::log_softmax_into(&x, axis, &out).unwrap();
            assert!(out.to_vec::<f64>().unwrap() == logs.to_vec::<f64>().unwrap());
            belvedere::softmax_into(&x, axis, &out).unwrap();
            assert!(out.to_vec::<f64>().unwrap() == found.to_vec::<f64>().unwrap());
        }
    }
}

#[test]
fn log_softmax_gradient_matches_finite_differences() {
    let x = tensor![[0.3, -1.2, 0.8], [2.0, 0.1, -0.4]];
    let upstream = tensor![[1.0, -0.5, 0.25], [0.75, 2.0, -1.0]];
    for axis in [0, 1] {
        let gradient = x.log_softmax_grad(&upstream, axis).unwrap().to_vec::<f64>().unwrap();
        for (i, found) in gradient.iter().enumerate() {
            let value = |step: f64| -> f64 {
                let moved = x.copy().unwrap();
                let at = [i / 3, i % 3];
                moved.set(&at, moved.get::<f64>(&at).unwrap() + step).unwrap();
                let weighted = moved.log_softmax(axis).unwrap().mul(&upstream).unwrap();
                weighted.sum(()).unwrap().item().unwrap()
            };
            let slope = (value(1e-6) - value(-1e-6)) / 2e-6;
            assert!((found - slope).abs() < 1e-8, "axis {axis} element {i}: {found} and {slope}");
        }
    }
    assert!(x.log_softmax_grad(&tensor![1.0, 2.0, 3.0], 1).is_err());
}

/// Returns layer norm by its formula, one operation at a time.
fn plain(
    x: &Tensor,
    axes: &[isize],
    vectors: [Option<&Tensor>; 2],
    epsilon: f64,
    is_centred: bool,
) -> Tensor {
    let x = x.astype(DType::Float64).unwrap();
    let centred = match is_centred {
        true => x.sub(&x.mean(keep(axes)).unwrap()).unwrap(),
        false => x.copy().unwrap(),
    };
    let squares = centred.mul(&centred).unwrap().mean(keep(axes)).unwrap();
    let result = centred.div(&squares.add(epsilon).unwrap().sqrt().unwrap()).unwrap();
    let shape: Vec<usize> = (0..x.rank())
        .map(|k| if axes.contains(&(k as isize)) { x.shape()[k] } else { 1 })
        .collect();
    if let Some(weight) = vectors[0] {
        result.mul_assign(&weight.reshape(&shape).unwrap()).unwrap();
    }
    if let Some(bias) = vectors[1] {
        result.add_assign(&bias.reshape(&shape).unwrap()).unwrap();
    }
    result
}

#[test]
fn norms_match_their_formula_along_all_axes() {
    for dtype in [DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Int16] {
        let mut rng = TestRng::new(dtype as u64 + 77);
        for _ in 0..zoo::rounds(25) {
            let shape = rng.shape(4, 120);
            let layout = rng.random_layout(&shape, Freedom::Any);
            let x = GuardedTensor::<i8>::small_integers(&layout, 3).tensor.astype(dtype).unwrap();
            let is_folded: Vec<bool> = shape.iter().map(|_| rng.one_in(2)).collect();
            let axes: Vec<isize> =
                (0..shape.len()).filter(|&k| is_folded[k]).map(|k| k as isize).collect();
            let lengths: Vec<usize> = axes.iter().map(|&k| shape[k as usize]).collect();
            let vector = |seed: usize| {
                let layout = Layout::row_major(&lengths).unwrap();
                GuardedTensor::<f32>::small_integers(&layout, seed).tensor.sub(5.0).unwrap()
            };
            let (weight, bias) = (vector(1), vector(2));
            let case = format!("{dtype} {layout:?} {axes:?}");
            // The weights are rounded to the lower precision.
            let both = [Some(&weight), Some(&bias)];
            let found = nn::layer_norm(&x, &axes[..], both[0], both[1], 0.5).unwrap();
            assert_eq!(found.dtype(), x.mean(()).unwrap().dtype());
            let expected = plain(&x, &axes, both, 0.5, true);
            let tolerance = if dtype == DType::BFloat16 { 0.05 } else { 0.01 };
            let found = found.astype(DType::Float64).unwrap();
            assert!(found.allclose_with(&expected, 0.0, tolerance).unwrap().holds(), "{case}");
            let found = nn::rms_norm(&x, &axes[..], both[0], 0.5).unwrap();
            let expected = plain(&x, &axes, [both[0], None], 0.5, false);
            let found = found.astype(DType::Float64).unwrap();
            assert!(found.allclose_with(&expected, 0.0, tolerance).unwrap().holds(), "{case} rms");
        }
    }
}

#[test]
fn layer_norm_copies_only_if_axes_cannot_be_merged() {
    let x = Tensor::arange(0..120).unwrap().view([2, 3, 4, 5]).unwrap();
    let norm = |x: &Tensor, axes: &[isize]| nn::layer_norm(x, axes, None, None, 1e-5);
    for axes in [&[3isize][..], &[1], &[2, 3], &[0], &[1, 2, 3], &[0, 1, 2, 3]] {
        copies::forbid(|| norm(&x, axes)).unwrap();
    }
    let (result, log) = copies::record(|| norm(&x, &[1, 3]));
    result.unwrap();
    assert_eq!(log.len(), 1, "one copy to merge the axes");
    assert!(log[0].caller.file().ends_with("softmax_norms.rs"), "{}", log[0].caller);
}

#[test]
fn norms_are_accurate_and_refuse_invalid_arguments() {
    // With a large mean the variance is still accurate.
    let noise = [1.0f32, -1.0, 2.0, -2.0, 0.0, 3.0, -3.0, 0.0];
    let far: Vec<f32> = noise.iter().map(|x| 1e6 + x).collect();
    let y = nn::layer_norm(&Tensor::from_vec(far, [8]).unwrap(), 0, None, None, 0.0).unwrap();
    let expected =
        nn::layer_norm(&Tensor::from_vec(noise.to_vec(), [8]).unwrap(), 0, None, None, 0.0);
    assert!(y.allclose_with(&expected.unwrap(), 1e-6, 1e-6).unwrap().holds());

    let x = Tensor::zeros([2, 3], DType::Float32).unwrap();
    let message = |result: Result<Tensor, Error>| result.unwrap_err().to_string();
    let three = tensor![1.0, 2.0, 3.0];
    assert_eq!(
        message(nn::layer_norm(&x, 0, Some(&three), None, 0.0)),
        "layer_norm needs shape [2], got [3]"
    );
    assert_eq!(
        message(nn::rms_norm(&x, 0, None, -1.0)),
        "rms_norm needs an epsilon of at least 0, got -1"
    );
    assert_eq!(
        message(nn::layer_norm(&x, 1, None, None, f64::NAN)),
        "layer_norm needs an epsilon of at least 0, got NaN"
    );
    assert!(nn::layer_norm(&x, 2, None, None, 0.0).is_err());
    let complex = x.astype(DType::Complex64).unwrap();
    assert_eq!(
        message(nn::rms_norm(&complex, 0, None, 0.0)),
        "rms_norm is not supported for complex64"
    );
    let weight = three.astype(DType::Complex64).unwrap();
    assert_eq!(
        nn::layer_norm(&x, 1, Some(&weight), None, 0.0).unwrap_err().kind(),
        ErrorKind::DType
    );
}

#[test]
fn batch_norm_uses_the_given_statistics() {
    let x = Tensor::arange(0..24).unwrap().astype(DType::Float64).unwrap().view([2, 3, 4]).unwrap();
    let (mean, variance) = (x.mean([0, 2]).unwrap(), x.var([0, 2]).unwrap());
    let (weight, bias) = (tensor![1.0, 2.0, 3.0], tensor![0.5, 0.0, -0.5]);
    let y = nn::batch_norm(&x, &mean, &variance, Some(&weight), Some(&bias), 1e-3).unwrap();
    for c in 0..3 {
        let channel = y.select(1, c).unwrap();
        let at = [c as usize];
        let found: f64 = channel.mean(()).unwrap().item().unwrap();
        assert!((found - bias.get::<f64>(&at).unwrap()).abs() < 1e-12);
        let found: f64 = channel.std(()).unwrap().item().unwrap();
        assert!((found - weight.get::<f64>(&at).unwrap()).abs() < 1e-3);
    }
    let refused = nn::batch_norm(&x, &tensor![1.0], &variance, None, None, 0.0).unwrap_err();
    assert_eq!(refused.to_string(), "batch_norm needs shape [3], got [1]");
    assert!(nn::batch_norm(&mean, &mean, &variance, None, None, 0.0).is_err());
}

#[test]
fn batch_norm_keeps_the_dtype() {
    let x = Tensor::arange(0..24).unwrap().view([2, 3, 4]).unwrap();
    let (mean, variance) = (x.mean([0, 2]).unwrap(), x.var([0, 2]).unwrap());
    let exact = nn::batch_norm(&x, &mean, &variance, None, None, 1e-3).unwrap();
    assert_eq!(exact.dtype(), DType::Float64, "integers are cast to floats");
    for (dtype, near) in [(DType::Float16, 2e-3), (DType::BFloat16, 1e-2), (DType::Float32, 1e-6)] {
        let x = x.astype(dtype).unwrap().permute_dims(&[2, 1, 0]).unwrap();
        let y =
            belvedere::copies::forbid(|| nn::batch_norm(&x, &mean, &variance, None, None, 1e-3));
        let y = y.unwrap();
        assert_eq!(y.dtype(), dtype, "statistics of a wider dtype do not widen the result");
        let y = y.permute_dims(&[2, 1, 0]).unwrap().astype(DType::Float64).unwrap();
        assert!(y.allclose_with(&exact, near, near).unwrap().holds(), "{dtype}");
    }
    let complex = mean.astype(DType::Complex64).unwrap();
    assert_eq!(
        nn::batch_norm(&x, &complex, &variance, None, None, 0.0).unwrap_err().kind(),
        ErrorKind::DType
    );
}
