//! Variances, products, norms and NaN-ignoring reductions match a loop for any layout, dtype and axes, with the
//! accuracy of a higher precision.

use crate::zoo::{self, Freedom, TestRng};
use belvedere::prelude::*;
use belvedere::{Axes, copies, with_num_threads};

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

/// Numbers from -3 to 3, or from 0 to 3 for unsigned dtypes, in a random layout.
fn random_view(rng: &mut TestRng, dtype: DType) -> Tensor {
    let shape = rng.shape(4, 150);
    let layout = rng.random_layout(&shape, Freedom::Any);
    let low = if dtype.is_unsigned() || dtype.is_bool() { 0 } else { -3 };
    let n = layout.span().end;
    let values: Vec<i8> = (0..n).map(|_| low + rng.below((4 - low) as usize) as i8).collect();
    let memory = Tensor::from_vec(values, [n]).unwrap().astype(dtype).unwrap();
    Tensor::from_storage(memory.storage().clone(), layout, dtype).unwrap()
}

fn random_axes(rng: &mut TestRng, rank: usize) -> (Vec<isize>, Vec<bool>) {
    let is_folded: Vec<bool> = (0..rank).map(|_| rng.one_in(2)).collect();
    let axes = (0..rank).filter(|&k| is_folded[k]).map(|k| k as isize).collect();
    (axes, is_folded)
}

fn wide(x: &Tensor) -> Vec<Complex<f64>> {
    x.astype(DType::Complex128).unwrap().to_vec().unwrap()
}

type Reduce = fn(&Tensor, Axes) -> Result<Tensor, Error>;
type Plain = fn(&[Complex<f64>]) -> f64;

fn variance(group: &[Complex<f64>], correction: f64) -> f64 {
    let n = group.len() as f64;
    let mean: Complex<f64> = group.iter().sum::<Complex<f64>>() / n;
    let squares: f64 = group.iter().map(|x| (x - mean).norm_sqr()).sum();
    squares / (n - correction).max(0.0)
}

fn norm(group: &[Complex<f64>], p: f64) -> f64 {
    group.iter().fold(0.0, |sum, x| sum + x.norm().powf(p)).powf(1.0 / p)
}

#[test]
fn statistics_match_a_loop_for_every_dtype() {
    let cases: &[(&str, Reduce, Plain)] = &[
        ("var", |x, axes| x.var(axes), |it| variance(it, 0.0)),
        ("var 1", |x, axes| x.var_with(axes, 1.0), |it| variance(it, 1.0)),
        ("std", |x, axes| x.std_with(axes, 0.5), |it| variance(it, 0.5).sqrt()),
        ("nanvar", |x, axes| x.nanvar(axes), |it| variance(it, 0.0)),
        ("nanstd", |x, axes| x.nanstd(axes), |it| variance(it, 0.0).sqrt()),
        (
            "norm 0",
            |x, axes| x.norm_with(axes, 0.0),
            |it| it.iter().filter(|x| x.norm() != 0.0).count() as f64,
        ),
        ("norm 1", |x, axes| x.norm_with(axes, 1.0), |it| norm(it, 1.0)),
        ("norm 2", |x, axes| x.norm(axes), |it| norm(it, 2.0)),
        ("norm 3", |x, axes| x.norm_with(axes, 3.0), |it| norm(it, 3.0)),
        ("norm 0.5", |x, axes| x.norm_with(axes, 0.5), |it| norm(it, 0.5)),
        ("norm -1", |x, axes| x.norm_with(axes, -1.0), |it| norm(it, -1.0)),
        (
            "norm inf",
            |x, axes| x.norm_with(axes, f64::INFINITY),
            |it| it.iter().map(|x| x.norm()).fold(0.0, f64::max),
        ),
    ];
    for dtype in DType::ALL {
        let mut rng = TestRng::new(300 + dtype as u64);
        for _ in 0..zoo::rounds(12) {
            let x = random_view(&mut rng, dtype);
            let (axes, is_folded) = random_axes(&mut rng, x.rank());
            let groups = groups(&x.shape(), &wide(&x), &is_folded);
            for (name, reduce, plain) in cases {
                let found = reduce(&x, axes[..].into()).unwrap();
                let real = if x.dtype().is_floating() || dtype.is_complex() {
                    dtype.real()
                } else {
                    DType::Float64
                };
                assert_eq!(found.dtype(), real, "{name} of {dtype}");
                let found: Vec<f64> = wide(&found).iter().map(|x| x.re).collect();
                assert_eq!(found.len(), groups.len());
                for (&found, group) in found.iter().zip(&groups) {
                    let expected = plain(group);
                    let tolerance = 0.01 * expected.abs() + 1e-6;
                    let is_same = found.is_nan() && expected.is_nan() || found == expected;
                    assert!(
                        is_same || (found - expected).abs() < tolerance,
                        "{name} of {dtype} {:?} over {axes:?}: {found} and {expected}",
                        x.layout()
                    );
                }
            }
        }
    }
}

#[test]
fn prod_and_count_nonzero_match_a_loop_for_every_dtype() {
    for dtype in DType::ALL {
        let mut rng = TestRng::new(400 + dtype as u64);
        for _ in 0..zoo::rounds(40) {
            let x = random_view(&mut rng, dtype);
            let (axes, is_folded) = random_axes(&mut rng, x.rank());
            let groups = groups(&x.shape(), &wide(&x), &is_folded);
            let count: Vec<i64> = groups
                .iter()
                .map(|it| it.iter().filter(|x| x.norm() != 0.0).count() as i64)
                .collect();
            let found = x.count_nonzero(&axes[..]).unwrap();
            assert_eq!(found.to_vec::<i64>().unwrap(), count, "{dtype} {:?}", x.layout());
            let product = x.prod(keep(&axes[..])).unwrap();
            assert_eq!((product.rank(), product.dtype()), (x.rank(), x.sum(()).unwrap().dtype()));
            for (found, group) in wide(&product).iter().zip(&groups) {
                let expected: Complex<f64> = group.iter().product();
                // Larger products wrap around for integers and overflow for 16-bit floats.
                if expected.norm() < 6e4 {
                    let case = format!("{dtype} {:?} over {axes:?}", x.layout());
                    assert!((found - expected).norm() <= 0.01 * expected.norm(), "{case}");
                }
            }
        }
    }
}

/// Whether a half-precision float is zero is read off its bits: every bit pattern, in rows and in columns.
#[test]
fn half_precision_zeros_are_recognized_by_their_bits() {
    for dtype in [DType::Float16, DType::BFloat16] {
        let bits: Vec<u16> = (0..=u16::MAX).collect();
        let x = Tensor::from_vec(bits, [256, 256]).unwrap().bitcast(dtype).unwrap();
        // 0x0000 is in the first column of the first row, 0x8000 in that of row 128.
        let expected = |n: i64, k: i64| if n == 0 { 256 - k } else { 256 };
        let of_rows = x.count_nonzero(1).unwrap().to_vec::<i64>().unwrap();
        assert!((0..).zip(of_rows).all(|(r, n)| n == expected(r % 128, 1)), "{dtype}");
        let of_columns = x.count_nonzero(0).unwrap().to_vec::<i64>().unwrap();
        assert!((0..).zip(of_columns).all(|(c, n)| n == expected(c, 2)), "{dtype}");
        assert_eq!(x.count_nonzero(()).unwrap().item::<i64>().unwrap(), 65534);
        assert!(!x.all(()).unwrap().item::<bool>().unwrap());
        assert!(x.narrow(0, 1, 127).unwrap().all(()).unwrap().item::<bool>().unwrap());
        let zeros = x.slice(s![..;128, ..1]).unwrap();
        assert!(!zeros.any(()).unwrap().item::<bool>().unwrap(), "{dtype}");
        assert_eq!(zeros.count_nonzero(()).unwrap().item::<i64>().unwrap(), 0);
    }
}

#[test]
fn requested_dtype_is_that_of_elements_and_result() {
    let x = tensor![[200u8, 100], [50, 7]];
    assert_eq!(x.sum_as(0, DType::UInt8).unwrap().to_vec::<u8>().unwrap(), [250, 107]);
    assert_eq!(x.sum_as(1, DType::Int8).unwrap().to_vec::<i8>().unwrap(), [44, 57]);
    assert_eq!(x.prod_as(1, DType::Int16).unwrap().to_vec::<i16>().unwrap(), [20000, 350]);
    assert_eq!(x.prod_as((), DType::UInt64).unwrap().item::<u64>().unwrap(), 7_000_000);
    let f = tensor![0.7f32, 0.7, -0.7];
    assert_eq!(
        f.sum_as((), DType::Int64).unwrap().item::<i64>().unwrap(),
        0,
        "each element is truncated"
    );
    assert_eq!(f.sum_as((), DType::Float64).unwrap().item::<f64>().unwrap(), 0.7f32 as f64);
    let as_complex = f.sum_as(keep(0), DType::Complex64).unwrap();
    assert_eq!(as_complex.to_vec::<Complex<f32>>().unwrap(), [Complex::new(0.7, 0.0)]);
    copies::forbid(|| x.sum_as((), DType::Float32)).expect("nothing is copied");
    let refused = as_complex.sum_as((), DType::Float32).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "cannot cast complex64 to float32: the imaginary part would be lost; use real or imag"
    );
    let refused = x.sum_as((), DType::Bool).unwrap_err();
    assert_eq!(refused.to_string(), "sum is not supported for bool");
    // Large, to cover every path of the kernel with a cast.
    let x = Tensor::from_vec((0..120_000).map(|i| (i % 251) as u8).collect(), [300, 400]).unwrap();
    for view in [x.clone(), x.t().unwrap(), x.slice(s![..;-2, ..;3]).unwrap()] {
        for axes in [&[0isize][..], &[1], &[0, 1]] {
            let expected = view.astype(DType::Float64).unwrap().sum(axes).unwrap();
            let found = view.sum_as(axes, DType::Float64).unwrap();
            assert_eq!(found.to_vec::<f64>().unwrap(), expected.to_vec::<f64>().unwrap());
            let mean = view.mean(axes).unwrap();
            let expected = view.astype(DType::Float64).unwrap().mean(axes).unwrap();
            assert_eq!(mean.to_vec::<f64>().unwrap(), expected.to_vec::<f64>().unwrap());
        }
    }
}

/// Returns noise around a large mean, and its variance.
fn far_away(n: usize) -> (Vec<f32>, f64) {
    let mut rng = TestRng::new(5);
    // The ULP of `f32` near 1e8 is 8.
    let values: Vec<f32> = (0..n).map(|_| 1e8 + 8.0 * (rng.below(41) as f32 - 20.0)).collect();
    let mean = values.iter().map(|&x| x as f64).sum::<f64>() / n as f64;
    let squares: f64 = values.iter().map(|&x| (x as f64 - mean).powi(2)).sum();
    (values, squares / n as f64)
}

#[test]
fn variance_of_small_noise_around_a_large_mean_is_accurate() {
    let (values, expected) = far_away(300 * 400);
    let x = Tensor::from_vec(values, [300, 400]).unwrap();
    for view in [x.clone(), x.t().unwrap(), x.view([-1]).unwrap(), x.flip(&[0, 1]).unwrap()] {
        let found = view.var(()).unwrap().item::<f32>().unwrap() as f64;
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} and {expected}");
        let found = view.std(()).unwrap().item::<f32>().unwrap() as f64;
        assert!((found / expected.sqrt() - 1.0).abs() < 1e-6);
    }
    for axis in [0, 1] {
        let wide = x.astype(DType::Float64).unwrap().sub(1e8).unwrap();
        let found = x.var_with(axis, 1.0).unwrap();
        assert!(
            found.allclose_with(&wide.var_with(axis, 1.0).unwrap(), 1e-6, 0.0).unwrap().holds()
        );
    }
    // The same in `f64`, with a mean that leaves only a few significant digits.
    let x = x.astype(DType::Float64).unwrap().sub(1e8).unwrap().div(64.0).unwrap();
    let far = x.add(1e13).unwrap();
    let (near, far) = (x.var(()).unwrap(), far.var(()).unwrap());
    assert!(far.allclose_with(&near, 1e-12, 0.0).unwrap().holds());
    // Squares may overflow, but equal numbers have variance 0.
    let found = tensor![1e200, -1e200].var(()).unwrap().item::<f64>().unwrap();
    assert_eq!(found, f64::INFINITY);
    let tenths = tensor![0.1].broadcast_to([7, 9]).unwrap();
    assert!(tenths.var(()).unwrap().item::<f64>().unwrap() < 1e-33);
    // An outlier at the start must not cancel the other elements.
    let mut values = vec![1.0f64; 10_000];
    values[0] = 1e9;
    let x = Tensor::from_vec(values, [10_000]).unwrap();
    let expected = (1e9f64 - 1.0).powi(2) * (9999.0 / 1e8);
    let found = x.var(()).unwrap().item::<f64>().unwrap();
    assert!((found / expected - 1.0).abs() < 1e-12);
}

#[test]
fn prod_has_no_intermediate_overflow() {
    let both: Vec<f64> = (0..1000).map(|i| if i % 2 == 0 { 1e300 } else { 1e-300 }).collect();
    let x = Tensor::from_vec(both, [1000]).unwrap();
    let found = x.prod(()).unwrap().item::<f64>().unwrap();
    assert!((found - 1.0).abs() < 1e-10, "{found}");
    let half = x.step(0, 2).unwrap();
    assert_eq!(half.prod(()).unwrap().item::<f64>().unwrap(), f64::INFINITY);
    let small: Vec<f32> = (0..64).map(|i| if i < 32 { 1e-30 } else { 1e30 }).collect();
    let found = Tensor::from_vec(small, [64]).unwrap().prod(()).unwrap().item::<f32>().unwrap();
    assert!((found - 1.0).abs() < 1e-4, "{found}");
    let of = |values: Vec<f64>| {
        let n = values.len();
        Tensor::from_vec(values, [n]).unwrap().prod(()).unwrap().item::<f64>().unwrap()
    };
    assert_eq!(of(vec![]), 1.0);
    assert_eq!(of(vec![-2.0, 3.0, -0.5]), 3.0);
    assert_eq!(of(vec![0.0, -5.0]).to_bits(), (-0.0f64).to_bits());
    assert!(of(vec![0.0, f64::INFINITY]).is_nan());
    assert_eq!(of(vec![5e-324, 2.0]), 1e-323);
    assert_eq!(of(vec![1e-200, 1e-200]), 0.0);
    assert_eq!(of(vec![f64::NEG_INFINITY, 2.0]), f64::NEG_INFINITY);
    let wrapped = tensor![i64::MAX, 2].prod(()).unwrap().item::<i64>().unwrap();
    assert_eq!(wrapped, -2, "integers wrap around");
}

#[test]
fn norms_of_huge_and_tiny_vectors_are_finite() {
    let of = |values: &[f64], ord: f64| {
        let x = Tensor::from_vec(values.to_vec(), [values.len()]).unwrap();
        x.norm_with((), ord).unwrap().item::<f64>().unwrap()
    };
    let close = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 1e-14, "{found} and {expected}");
    };
    close(of(&[3e300, 4e300], 2.0), 5e300);
    close(of(&[3e-300, 4e-300], 2.0), 5e-300);
    close(of(&[3e-320, 4e-320], 2.0), 5e-320);
    close(of(&[1e-141, 1e-139], 2.0), 1e-139 * 1.0001f64.sqrt());
    close(of(&[3e200, 4e-200], 2.0), 3e200);
    close(of(&[1e200, 1e200], 3.0), 1e200 * 2f64.cbrt());
    close(of(&[1e-200, 1e-200], 3.0), 1e-200 * 2f64.cbrt());
    close(of(&[1e-200, 1e200], -2.0), 1e-200);
    assert_eq!(of(&[0.0, 0.0], 2.0), 0.0);
    assert_eq!(of(&[0.0, 0.0], 3.0), 0.0);
    assert_eq!(of(&[0.0, 1.0], -1.0), 0.0);
    assert_eq!(of(&[f64::INFINITY, 1.0], 2.0), f64::INFINITY);
    assert_eq!(of(&[f64::INFINITY, 1.0, f64::NEG_INFINITY], 3.0), f64::INFINITY);
    assert!(of(&[f64::NAN, 1.0], 2.0).is_nan() && of(&[1.0, f64::NAN], 3.0).is_nan());
    assert!(of(&[1.0, f64::NAN], f64::INFINITY).is_nan());
    // Blocks of different sizes, in either order.
    let mut mixed = vec![1e-200; 5000];
    mixed.extend([1e200; 5000]);
    close(of(&mixed, 2.0), 1e200 * 5000f64.sqrt());
    mixed.reverse();
    close(of(&mixed, 2.0), 1e200 * 5000f64.sqrt());
    close(of(&mixed, 5.0), 1e200 * 5000f64.powf(0.2));
    // Squares of a narrower dtype are exact in float64.
    let of_singles = |values: &[f32]| {
        let x = Tensor::from_vec(values.to_vec(), [values.len()]).unwrap();
        x.norm(()).unwrap().item::<f32>().unwrap()
    };
    let expected =
        |values: &[f32]| values.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt() as f32;
    for values in [[1.8e38, 2.4e38, 0.0], [3e-40, -4e-40, 1e-45], [1e38, 1e-38, -2.0]] {
        assert_eq!(of_singles(&values), expected(&values));
    }
    assert_eq!(of_singles(&[f32::MAX, f32::MAX]), f32::INFINITY);
    assert_eq!(of_singles(&[1.0, f32::NEG_INFINITY]), f32::INFINITY);
    assert!(of_singles(&[f32::INFINITY, f32::NAN]).is_nan() && of_singles(&[f32::NAN]).is_nan());
    let half = Tensor::full([10_000], f16::from_f64(300.0)).unwrap();
    assert_eq!(half.norm(()).unwrap().item::<f16>().unwrap(), f16::from_f64(30_000.0));
    let z = tensor![Complex::new(3e300, 4e300)];
    close(z.norm(()).unwrap().item::<f64>().unwrap(), 5e300);
}

#[test]
fn logsumexp_does_not_overflow() {
    let of = |values: &[f64]| {
        let x = Tensor::from_vec(values.to_vec(), [values.len()]).unwrap();
        x.logsumexp(()).unwrap().item::<f64>().unwrap()
    };
    let (inf, low) = (f64::INFINITY, f64::NEG_INFINITY);
    assert_eq!(of(&[]), low);
    assert_eq!(of(&[low, low]), low);
    assert_eq!(of(&[low, 3.0]), 3.0);
    assert_eq!(of(&[inf, 3.0]), inf);
    assert_eq!(of(&[inf, inf, low]), inf);
    assert!(of(&[f64::NAN, inf]).is_nan());
    assert_eq!(of(&[1e308, 1e308]), 1e308);
    assert_eq!(of(&[-1e4, -1e4]), -1e4 + 2f64.ln());
    let mut many = vec![-1e300; 5000];
    many.extend([700.0; 5000]);
    assert_eq!(of(&many), 700.0 + 5000f64.ln());
    many.push(inf);
    assert_eq!(of(&many), inf);
    let x = tensor![[0i8, 127], [-128, 127]];
    let found = x.logsumexp(1).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [127.0, 127.0]);
    let complex = x.astype(DType::Complex64).unwrap();
    let refused = complex.logsumexp(0).unwrap_err();
    assert_eq!(refused.to_string(), "logsumexp is not supported for complex64");
}

#[test]
fn sums_over_short_runs_are_as_accurate_as_over_long_runs() {
    let mut rng = TestRng::new(9);
    let values: Vec<f64> =
        (0..79_200).map(|_| 0.5 + rng.below(1 << 40) as f64 * 2f64.powi(-37)).collect();
    // Exact sums in twice the precision: each number is a multiple of a small power of two.
    let exact: i128 = values.iter().map(|x| (x * 2f64.powi(60)) as i128).sum();
    let exact = exact as f64 * 2f64.powi(-60);
    let x = Tensor::from_vec(values, [2, 33, 40, 30]).unwrap();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let x = x.permute_dims(&order).unwrap();
        let gaps = Tensor::zeros(
            [2 * x.shape()[0], x.shape()[1], x.shape()[2], x.shape()[3] + 1],
            DType::Float64,
        )
        .unwrap();
        let short = gaps.slice(s![..;2, .., .., 1..]).unwrap();
        short.copy_from(&x).unwrap();
        for view in [&x, &short] {
            let found = view.sum(()).unwrap().item::<f64>().unwrap();
            assert!(
                (found / exact - 1.0).abs() <= 4.0 * f64::EPSILON,
                "{order:?}: {found} {exact}"
            );
        }
    }
}

#[test]
fn nan_reductions_ignore_nan() {
    let nan = f32::NAN;
    let x = tensor![[1.0, nan, 3.0], [nan, nan, nan], [4.0, 5.0, 6.0]];
    let same = |found: Tensor, expected: [f32; 3]| {
        let found = found.to_vec::<f32>().unwrap();
        zoo::guarded_tensor::assert_same(&found, &expected, "over rows");
    };
    same(x.nansum(1).unwrap(), [4.0, 0.0, 15.0]);
    same(x.nanprod(1).unwrap(), [3.0, 1.0, 120.0]);
    same(x.nanmean(1).unwrap(), [2.0, nan, 5.0]);
    same(x.nanmin(1).unwrap(), [1.0, nan, 4.0]);
    same(x.nanmax(1).unwrap(), [3.0, nan, 6.0]);
    same(x.nanvar(1).unwrap(), [1.0, nan, 2.0 / 3.0]);
    same(x.nanvar_with(1, 2.0).unwrap(), [nan, nan, 2.0]);
    same(x.nanstd_with(1, 1.0).unwrap(), [2f32.sqrt(), nan, 1.0]);
    same(x.nansum(0).unwrap(), [5.0, 5.0, 9.0]);
    same(x.t().unwrap().nanmean(0).unwrap(), [2.0, nan, 5.0]);
    let z =
        tensor![Complex::new(1.0, 2.0), Complex::new(f64::NAN, 1.0), Complex::new(3.0, f64::NAN)];
    assert_eq!(z.nansum(()).unwrap().item::<Complex<f64>>().unwrap(), Complex::new(1.0, 2.0));
    assert_eq!(z.nanmean(()).unwrap().item::<Complex<f64>>().unwrap(), Complex::new(1.0, 2.0));
    assert_eq!(z.nanvar(()).unwrap().item::<f64>().unwrap(), 0.0);
    let refused = Tensor::zeros([0, 2], DType::Float32).unwrap().nanmax(0).unwrap_err();
    assert_eq!(refused.to_string(), "nanmax of zero elements is undefined, got shape [0, 2]");
    assert_eq!(tensor![1i8, 2].nansum(()).unwrap().item::<i64>().unwrap(), 3);
    assert_eq!(tensor![1i8, 2].nanmax(()).unwrap().item::<i8>().unwrap(), 2);
    assert!(z.nanmin(()).is_err());
}

#[test]
fn reductions_of_empty_single_and_0d_tensors() {
    let none = Tensor::zeros([3, 0], DType::Float64).unwrap();
    let is_nan = |x: Tensor| x.to_vec::<f64>().unwrap().iter().all(|x| x.is_nan());
    assert!(is_nan(none.var(1).unwrap()) && is_nan(none.std_with((), 1.0).unwrap()));
    assert!(is_nan(none.nanmean(1).unwrap()) && is_nan(none.nanvar(1).unwrap()));
    assert_eq!(none.prod(1).unwrap().to_vec::<f64>().unwrap(), [1.0; 3]);
    assert_eq!(none.count_nonzero(()).unwrap().item::<i64>().unwrap(), 0);
    assert_eq!(none.norm_with((), f64::INFINITY).unwrap().item::<f64>().unwrap(), 0.0);
    assert_eq!(none.norm_with((), -1.0).unwrap().item::<f64>().unwrap(), f64::INFINITY);
    assert_eq!(none.var(0).unwrap().shape(), [0]);
    let refused = none.norm_with((), f64::NEG_INFINITY).unwrap_err();
    assert_eq!(refused.to_string(), "norm of zero elements is undefined, got shape [3, 0]");
    assert!(none.ptp(()).is_err());
    let one = Tensor::full([0usize; 0], -4.0).unwrap();
    assert_eq!(one.var(()).unwrap().item::<f64>().unwrap(), 0.0);
    assert!(is_nan(one.var_with(keep(()), 1.0).unwrap()));
    assert_eq!(one.prod(()).unwrap().item::<f64>().unwrap(), -4.0);
    assert_eq!(one.norm(()).unwrap().item::<f64>().unwrap(), 4.0);
    assert_eq!(one.logsumexp(()).unwrap().item::<f64>().unwrap(), -4.0);
    assert_eq!(one.ptp(()).unwrap().item::<f64>().unwrap(), 0.0);
    let few = tensor![1.0, 3.0];
    assert_eq!(few.var_with((), 2.0).unwrap().item::<f64>().unwrap(), f64::INFINITY);
    assert!(is_nan(few.nanvar_with((), 2.0).unwrap()));
    assert!(is_nan(few.var_with((), f64::NAN).unwrap()));
    assert_eq!(few.var_with((), -2.0).unwrap().item::<f64>().unwrap(), 0.5);
    assert!(is_nan(tensor![f64::INFINITY, 1.0].var(()).unwrap()));
}

#[test]
fn results_are_bitwise_equal_for_any_number_of_threads() {
    let mut rng = TestRng::new(13);
    let values: Vec<f32> = (0..600 * 500).map(|_| rng.below(1 << 20) as f32 / 77.0).collect();
    let x = Tensor::from_vec(values, [600, 500]).unwrap();
    let operations: [Reduce; 5] = [
        |x, axes| x.var_with(axes, 1.0),
        |x, axes| x.norm(axes),
        |x, axes| x.prod(axes),
        |x, axes| x.nanmean(axes),
        |x, axes| x.logsumexp(axes),
    ];
    for operation in operations {
        for view in [x.clone(), x.t().unwrap(), x.slice(s![.., ..;2]).unwrap()] {
            for axes in [&[0isize, 1][..], &[0], &[1]] {
                let bits = |n: usize| -> Vec<u32> {
                    let found = with_num_threads(n, || operation(&view, axes.into()));
                    found.unwrap().to_vec::<f32>().unwrap().iter().map(|x| x.to_bits()).collect()
                };
                let one = bits(1);
                for n in 2..=8 {
                    assert!(bits(n) == one, "{n} threads over {axes:?}");
                }
            }
        }
    }
}

#[test]
fn results_may_be_written_to_their_own_input() {
    let fresh = || tensor![[1.0, 2.0, 6.0], [3.0, 4.0, 8.0], [5.0, 9.0, 1.0]];
    let x = fresh();
    let expected = x.var_with(0, 1.0).unwrap().to_vec::<f64>().unwrap();
    let (done, log) = copies::record(|| belvedere::var_into(&x, 0, 1.0, &x.select(1, 1).unwrap()));
    done.unwrap();
    assert_eq!((log.len(), x.select(1, 1).unwrap().to_vec::<f64>().unwrap()), (1, expected));
    let x = fresh();
    let expected = x.norm(1).unwrap().to_vec::<f64>().unwrap();
    belvedere::norm_into(&x, 1, 2.0, &x.select(0, 2).unwrap()).unwrap();
    assert_eq!(x.select(0, 2).unwrap().to_vec::<f64>().unwrap(), expected);
    let out = Tensor::zeros([3], DType::Int64).unwrap();
    belvedere::count_nonzero_into(&fresh(), 0, &out).unwrap();
    belvedere::prod_into(&tensor![[1, 2], [3, 4], [5, 6]], 1, &out).unwrap();
    assert_eq!(out.to_vec::<i64>().unwrap(), [2, 12, 30]);
    let refused = belvedere::std_into(&fresh(), 0, 0.0, &out).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::DType);
    assert_eq!(out.to_vec::<i64>().unwrap(), [2, 12, 30], "nothing was written");
    let refused = belvedere::nansum_into(&fresh(), (), &out).unwrap_err();
    assert_eq!(refused.to_string(), "nansum needs shape [], got [3]");
    let refused = fresh().norm_with((), f64::NAN).unwrap_err();
    assert_eq!(refused.to_string(), "norm needs an order that is not NaN, got NaN");
}

#[test]
fn reductions_of_lenses_match_their_copies() {
    let x = Tensor::arange(0..24).unwrap().astype(DType::Int16).unwrap().view([4, 6]).unwrap();
    let lens = x.lens().pad_with(&[(1, 0), (0, 2)], 1).unwrap().reshape([2, 20]).unwrap();
    let copied = lens.copy().unwrap();
    let same = |found: Result<Tensor, Error>, expected: Result<Tensor, Error>| {
        let (found, expected) = (found.unwrap(), expected.unwrap());
        assert_eq!((found.dtype(), found.shape()), (expected.dtype(), expected.shape()));
        assert!(found.allclose_with(&expected, 1e-14, 0.0).unwrap().holds());
    };
    for axes in [&[0isize][..], &[1], &[0, 1]] {
        same(lens.var_with(axes, 1.0), copied.var_with(axes, 1.0));
        same(lens.std(axes), copied.std(axes));
        same(lens.norm(axes), copied.norm(axes));
        same(lens.norm_with(axes, 1.5), copied.norm_with(axes, 1.5));
        same(lens.logsumexp(axes), copied.logsumexp(axes));
        same(lens.prod(axes), copied.prod(axes));
        same(lens.count_nonzero(axes), copied.count_nonzero(axes));
        same(lens.nanmean(axes), copied.nanmean(axes));
        same(lens.mean(axes), copied.mean(axes));
    }
}
