//! Our `f32` functions are within 2 ULP, and most within 1: for a sample of all values, or for every value with
//! `cargo xtask test --full`, which then takes a minute for each function and thread.
//!
//! The reference is the `f64` function of the standard library or of `libm`, whose error is negligible compared
//! to an `f32` ULP.

use crate::zoo;
use belvedere::prelude::*;
use std::f32::consts::FRAC_PI_2;

type Function = fn(&Tensor) -> Result<Tensor, Error>;

/// A name, the function, its `f64` reference, and the tolerance in ULP.
type Row = (&'static str, Function, fn(f64) -> f64, f64);

fn logistic(x: f64) -> f64 {
    if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) }
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p() + (x - x.clamp(f64::MIN, f64::MAX)).max(0.0)
}

/// `libm` leaves the result unspecified below one.
fn f64_acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// The limit where a product with an infinity would be NaN.
fn swish(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { x * logistic(x) }
}

fn gelu(x: f64) -> f64 {
    let share = libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0;
    if x == f64::NEG_INFINITY { -0.0 } else { x * share }
}

fn gelu_tanh(x: f64) -> f64 {
    let twice = (8.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
    if x == f64::NEG_INFINITY { -0.0 } else { x * logistic(twice) }
}

/// Functions computed in double precision are nearly correctly rounded.
const NEAREST: f64 = 0.51;

const ROWS: &[Row] = &[
    ("exp", |x| x.exp(), f64::exp, 1.0),
    ("exp2", |x| x.exp2(), f64::exp2, 1.0),
    ("expm1", |x| x.expm1(), f64::exp_m1, 0.9),
    ("log", |x| x.log(), f64::ln, 1.0),
    ("log1p", |x| x.log1p(), f64::ln_1p, 1.0),
    ("log2", |x| x.log2(), f64::log2, 1.0),
    ("log10", |x| x.log10(), f64::log10, 0.9),
    ("sin", |x| x.sin(), f64::sin, 1.0),
    ("cos", |x| x.cos(), f64::cos, 1.0),
    ("tan", |x| x.tan(), f64::tan, 1.0),
    ("asin", |x| x.asin(), f64::asin, 0.7),
    ("acos", |x| x.acos(), f64::acos, 0.7),
    ("atan", |x| x.atan(), f64::atan, 0.95),
    ("cbrt", |x| x.cbrt(), f64::cbrt, 0.75),
    ("sinh", |x| x.sinh(), f64::sinh, 0.95),
    ("cosh", |x| x.cosh(), f64::cosh, 0.75),
    ("tanh", |x| x.tanh(), f64::tanh, 1.0),
    ("asinh", |x| x.asinh(), libm::asinh, 0.7),
    ("acosh", |x| x.acosh(), f64_acosh, 0.9),
    ("atanh", |x| x.atanh(), libm::atanh, 0.9),
    ("erf", |x| x.erf(), libm::erf, 1.5),
    ("sigmoid", |x| x.sigmoid(), logistic, 2.0),
    // 2.05 at the worst, near -0.67.
    ("swish", |x| x.swish(), swish, 2.1),
    ("softplus", |x| x.softplus(), softplus, 2.0),
    ("gelu", |x| x.gelu(), gelu, 2.0),
    ("gelu_tanh", |x| x.gelu_tanh(), gelu_tanh, NEAREST),
];

/// Returns the error of a value in ULP of the expected value; infinite if only one of them is NaN or infinite.
fn error(found: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    if found.is_nan() || exact.is_nan() {
        return if found.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    // The sign of a zero counts.
    if exact == 0.0 || found.is_sign_negative() != exact.is_sign_negative() {
        return if found.to_bits() == nearest.to_bits() { 0.0 } else { f64::INFINITY };
    }
    if nearest.is_infinite() || found.is_infinite() {
        // Infinity counts as the next number after the maximum.
        let next =
            |x: f32| if x.is_infinite() { 2f64.powi(128).copysign(x as f64) } else { x as f64 };
        let distance = if exact.is_infinite() { next(nearest) } else { exact };
        return if found == nearest {
            0.0
        } else {
            (next(found) - distance).abs() / 2f64.powi(104)
        };
    }
    let exponent = (nearest.abs().to_bits() >> 23).max(1) as i32 - 127 - 23;
    (found as f64 - exact).abs() / 2f64.powi(exponent)
}

/// Returns the maximum error over some values, and its argument.
fn worst(row: &Row, bits: impl Iterator<Item = u32>) -> (f64, f32) {
    let (mut most, mut at) = (0.0, 0.0);
    let numbers: Vec<f32> = bits.map(f32::from_bits).collect();
    let found = (row.1)(&Tensor::from_vec(numbers.clone(), [-1]).unwrap()).unwrap();
    for (x, found) in numbers.into_iter().zip(found.to_vec::<f32>().unwrap()) {
        let error = error(found, (row.2)(x as f64));
        if error > most {
            (most, at) = (error, x);
        }
    }
    (most, at)
}

#[test]
fn f32_functions_are_within_2_ulp() {
    let all = 1u64 << 32;
    // The step of the sample is odd, so that all low bits occur.
    let step = if zoo::full() { 1 } else { 4_513 };
    let part = 1 << 20;
    for row in ROWS {
        let mut total = (0.0, 0.0);
        let mut first = 0u64;
        while first < all {
            let last = (first + part * step).min(all);
            let bits = (first..last).step_by(step as usize).map(|bits| bits as u32);
            let found = worst(row, bits);
            if found.0 > total.0 {
                total = found;
            }
            first += part * step;
        }
        let (most, at) = total;
        println!("{}: {most:.4} units at {at:e}", row.0);
        assert!(most <= row.3, "{} of {at:e} ({:#x}): {most} units", row.0, at.to_bits());
    }
}

#[test]
fn f32_pow_is_within_an_ulp_with_special_values_of_the_c_standard() {
    let mut numbers =
        vec![0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 7.0, 1e-20, 1e20, 16_777_216.0, 8_388_609.0];
    numbers.extend([f32::INFINITY, f32::NAN, f32::from_bits(1), f32::MAX, f32::MIN_POSITIVE]);
    numbers.extend((0..200u32).map(|i| (i as f32 * 0.37).exp2() * 1e-8));
    numbers.extend((1..200u32).map(|i| 1.0 + (i as f32 - 100.0) * 0.004_3));
    let all: Vec<f32> = numbers.iter().flat_map(|x| [*x, -x]).collect();
    let x = Tensor::from_vec(all.clone(), [-1, 1]).unwrap();
    let y = Tensor::from_vec(all.clone(), [1, -1]).unwrap();
    let found = x.pow(&y).unwrap().to_vec::<f32>().unwrap();
    for (i, found) in found.into_iter().enumerate() {
        let (x, y) = (all[i / all.len()], all[i % all.len()]);
        let exact = (x as f64).powf(y as f64);
        // What is too small for an `f64` is too small for an `f32`.
        let error = if exact == 0.0 { (found != 0.0) as u8 as f64 } else { error(found, exact) };
        assert!(error <= 0.95, "{x:e} to the power of {y:e}: {found:e}, {exact:e}");
        let signs = [found.is_sign_negative(), exact.is_sign_negative()];
        assert!(found.is_nan() || signs[0] == signs[1], "{x:e} to the power of {y:e}: {found:e}");
    }
}

#[test]
fn f32_pow_is_within_an_ulp_for_results_of_all_magnitudes() {
    let n = zoo::rounds(400_000) as u64;
    let fraction = |i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / 2f64.powi(53);
    let xs: Vec<f32> = (0..n)
        .map(|i| match i % 3 {
            0 => f32::from_bits((fraction(i) * f32::INFINITY.to_bits() as f64) as u32),
            1 => 1.0 + (fraction(i) as f32 - 0.5) * 0.01,
            _ => 2.0 * fraction(i) as f32,
        })
        .collect();
    // Such that the logarithms to base 2 of the results are between -150 and 150.
    let exponent = |(i, x): (usize, &f32)| {
        ((fraction(i as u64 + 77_777) - 0.5) * 300.0 / (*x as f64).log2()) as f32
    };
    let ys: Vec<f32> = xs.iter().enumerate().map(exponent).collect();
    let found = Tensor::from_vec(xs.clone(), [-1]).unwrap();
    let found = found.pow(&Tensor::from_vec(ys.clone(), [-1]).unwrap()).unwrap();
    for ((x, y), found) in xs.into_iter().zip(ys).zip(found.to_vec::<f32>().unwrap()) {
        let error = error(found, (x as f64).powf(y as f64));
        assert!(error <= 0.95, "{x:e} to the power of {y:e}: {found:e}, {error} units");
    }
}

#[test]
fn f64_pow_is_close_to_std_with_special_values_of_the_c_standard() {
    let mut numbers = vec![0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 7.0, 1e-20, 1e20, 9_007_199_254_740_992.0];
    numbers.extend([f64::INFINITY, f64::NAN, f64::from_bits(1), f64::MAX, f64::MIN_POSITIVE]);
    numbers.extend([4_503_599_627_370_497.0, 1e300, 1.0 + f64::EPSILON, 1.0 - f64::EPSILON]);
    numbers.extend((0..150).map(|i| (i as f64 * 3.7 - 200.0).exp2()));
    numbers.extend((1..150).map(|i| 1.0 + (i as f64 - 75.0) * 0.004_3));
    let all: Vec<f64> = numbers.iter().flat_map(|x| [*x, -x]).collect();
    let x = Tensor::from_vec(all.clone(), [-1, 1]).unwrap();
    let y = Tensor::from_vec(all.clone(), [1, -1]).unwrap();
    let found = x.pow(&y).unwrap().to_vec::<f64>().unwrap();
    for (i, &found) in found.iter().enumerate() {
        let (x, y) = (all[i / all.len()], all[i % all.len()]);
        let expected = x.powf(y);
        let steps = (found.to_bits() as i64).wrapping_sub(expected.to_bits() as i64);
        let fits = steps.unsigned_abs() <= 1 || found.is_nan() && expected.is_nan();
        assert!(fits, "{x:e} to the power of {y:e}: {found:e} and not {expected:e}");
    }
    // A scalar exponent, a single element and a strided operand give the same bits.
    for (k, &y) in all.iter().enumerate().step_by(7) {
        let column =
            Tensor::from_vec(all.clone(), [-1]).unwrap().pow(&Tensor::full([1], y).unwrap());
        let column = column.unwrap().to_vec::<f64>().unwrap();
        for (i, one) in column.into_iter().enumerate() {
            let same = one.to_bits() == found[i * all.len() + k].to_bits();
            assert!(same || one.is_nan(), "{:e} to the power of {y:e}", all[i]);
        }
    }
}

#[test]
fn f64_functions_are_close_to_std() {
    type Pair = (&'static str, Function, fn(f64) -> f64);
    let rows: [Pair; 20] = [
        ("exp", |x| x.exp(), f64::exp),
        ("exp2", |x| x.exp2(), f64::exp2),
        ("expm1", |x| x.expm1(), f64::exp_m1),
        ("log2", |x| x.log2(), f64::log2),
        ("log10", |x| x.log10(), f64::log10),
        ("tan", |x| x.tan(), f64::tan),
        ("asin", |x| x.asin(), f64::asin),
        ("acos", |x| x.acos(), f64::acos),
        ("atan", |x| x.atan(), f64::atan),
        ("sinh", |x| x.sinh(), f64::sinh),
        ("asinh", |x| x.asinh(), libm::asinh),
        ("acosh", |x| x.acosh(), f64_acosh),
        ("atanh", |x| x.atanh(), libm::atanh),
        ("cbrt", |x| x.cbrt(), f64::cbrt),
        ("log", |x| x.log(), f64::ln),
        ("log1p", |x| x.log1p(), f64::ln_1p),
        ("sin", |x| x.sin(), f64::sin),
        ("cos", |x| x.cos(), f64::cos),
        ("cosh", |x| x.cosh(), f64::cosh),
        ("tanh", |x| x.tanh(), f64::tanh),
    ];
    let n = zoo::rounds(40_000) as u64;
    let all = (0..n).map(|i| f64::from_bits(i.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let common = (0..n).map(|i| (i as f64 - n as f64 / 2.0) * 0.017_3);
    // Near multiples of π/2 most digits cancel.
    let turns = (0..n).map(|i| i as f64 * std::f64::consts::FRAC_PI_2);
    let numbers: Vec<f64> = all.chain(common).chain(turns).collect();
    let x = Tensor::from_vec(numbers.clone(), [-1]).unwrap();
    for (name, function, twin) in rows {
        let found = function(&x).unwrap().to_vec::<f64>().unwrap();
        for (&x, found) in numbers.iter().zip(found) {
            let expected = twin(x);
            let steps = (found.to_bits() as i64).wrapping_sub(expected.to_bits() as i64);
            let fits = steps.unsigned_abs() <= 2 || found.is_nan() && expected.is_nan();
            assert!(fits, "{name} of {x:e}: {found:e} and not {expected:e}");
        }
    }
}

#[test]
fn angles_are_close_to_std_with_special_values_of_the_c_standard() {
    let mut numbers = vec![0.0, 1.0, 3.0, 1e-200, 1e200, 5e-324, f64::MIN_POSITIVE, f64::MAX];
    numbers.extend([f64::INFINITY, f64::NAN, 1e-310, 2f64.powi(1000), 2f64.powi(-1000)]);
    numbers.extend((0..300).map(|i| (i as f64 * 7.1 - 1060.0).exp2() * 1.37));
    numbers.extend((0..300).map(|i| 0.3 + i as f64 * 0.007_3));
    let all: Vec<f64> = numbers.iter().flat_map(|x| [*x, -x]).collect();
    let column = Tensor::from_vec(all.clone(), [-1, 1]).unwrap();
    let row = Tensor::from_vec(all.clone(), [1, -1]).unwrap();
    let found = column.atan2(&row).unwrap().to_vec::<f64>().unwrap();
    let single = |x: &Tensor| x.astype(DType::Float32).unwrap();
    let found_single = single(&column).atan2(&single(&row)).unwrap().to_vec::<f32>().unwrap();
    for (i, (found, found_single)) in found.into_iter().zip(found_single).enumerate() {
        let (y, x) = (all[i / all.len()], all[i % all.len()]);
        let expected = y.atan2(x);
        let steps = (found.to_bits() as i64).wrapping_sub(expected.to_bits() as i64);
        let fits = steps.unsigned_abs() <= 1 || found.is_nan() && expected.is_nan();
        assert!(fits, "atan2 of {y:e} and {x:e}: {found:e} and not {expected:e}");
        let exact = f64::from(y as f32).atan2(f64::from(x as f32));
        // What is too small for an `f64` is too small for an `f32`.
        let error = if exact == 0.0 { 0.0 } else { error(found_single, exact) };
        assert!(error <= 1.0, "atan2 of {y:e} and {x:e}: {found_single:e} and not {exact:e}");
    }
}

#[test]
fn hypotenuses_are_close_to_std_with_special_values_of_the_c_standard() {
    let mut numbers = vec![0.0, 1.0, 3.0, 4.0, 1e-200, 1e200, 5e-324, f64::MIN_POSITIVE, f64::MAX];
    numbers.extend([f64::INFINITY, f64::NAN, 1e-310, 2f64.powi(1000), 2f64.powi(-1000)]);
    numbers.extend((0..400).map(|i| (i as f64 * 5.3 - 1060.0).exp2() * 1.37));
    numbers.extend((0..400).map(|i| 0.7 + i as f64 * 0.003_7));
    let all: Vec<f64> = numbers.iter().flat_map(|x| [*x, -x]).collect();
    let column = Tensor::from_vec(all.clone(), [-1, 1]).unwrap();
    let row = Tensor::from_vec(all.clone(), [1, -1]).unwrap();
    let hypot = column.hypot(&row).unwrap().to_vec::<f64>().unwrap();
    let pairs = all.iter().flat_map(|&x| all.iter().map(move |&y| Complex::new(x, y)));
    let modulus = Tensor::from_vec(pairs.collect(), [-1]).unwrap().abs().unwrap();
    let modulus = modulus.to_vec::<f64>().unwrap();
    for (i, (hypot, modulus)) in hypot.into_iter().zip(modulus).enumerate() {
        let (x, y) = (all[i / all.len()], all[i % all.len()]);
        let expected = x.hypot(y);
        for found in [hypot, modulus] {
            let steps = (found.to_bits() as i64).wrapping_sub(expected.to_bits() as i64);
            let fits = steps.unsigned_abs() <= 1 || found.is_nan() && expected.is_nan();
            assert!(fits, "hypot of {x:e} and {y:e}: {found:e} and not {expected:e}");
        }
    }
}

#[test]
fn special_values_follow_the_c_standard() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let x = tensor![0.0f32, -0.0, inf, -inf, nan, f32::from_bits(1), -f32::from_bits(1)];
    let tiny = f32::from_bits(1);
    let rows: [(&str, Function, [f32; 7]); 16] = [
        ("exp", |x| x.exp(), [1.0, 1.0, inf, 0.0, nan, 1.0, 1.0]),
        ("exp2", |x| x.exp2(), [1.0, 1.0, inf, 0.0, nan, 1.0, 1.0]),
        ("expm1", |x| x.expm1(), [0.0, -0.0, inf, -1.0, nan, tiny, -tiny]),
        ("log", |x| x.log(), [-inf, -inf, inf, nan, nan, -103.27893, nan]),
        ("log1p", |x| x.log1p(), [0.0, -0.0, inf, nan, nan, tiny, -tiny]),
        ("log2", |x| x.log2(), [-inf, -inf, inf, nan, nan, -149.0, nan]),
        ("sin", |x| x.sin(), [0.0, -0.0, nan, nan, nan, tiny, -tiny]),
        ("cos", |x| x.cos(), [1.0, 1.0, nan, nan, nan, 1.0, 1.0]),
        ("tan", |x| x.tan(), [0.0, -0.0, nan, nan, nan, tiny, -tiny]),
        ("sinh", |x| x.sinh(), [0.0, -0.0, inf, -inf, nan, tiny, -tiny]),
        ("atan", |x| x.atan(), [0.0, -0.0, FRAC_PI_2, -FRAC_PI_2, nan, tiny, -tiny]),
        ("asin", |x| x.asin(), [0.0, -0.0, nan, nan, nan, tiny, -tiny]),
        ("acos", |x| x.acos(), [FRAC_PI_2, FRAC_PI_2, nan, nan, nan, FRAC_PI_2, FRAC_PI_2]),
        ("tanh", |x| x.tanh(), [0.0, -0.0, 1.0, -1.0, nan, tiny, -tiny]),
        ("erf", |x| x.erf(), [0.0, -0.0, 1.0, -1.0, nan, tiny, -tiny]),
        ("sigmoid", |x| x.sigmoid(), [0.5, 0.5, 1.0, 0.0, nan, 0.5, 0.5]),
    ];
    for (name, function, expected) in rows {
        let found = function(&x).unwrap().to_vec::<f32>().unwrap();
        zoo::guarded_tensor::assert_same(&found, &expected, name);
    }
}

#[test]
fn result_of_an_element_does_not_depend_on_its_position() {
    // Some of them are too large for the fast range reduction of trigonometric functions.
    let bits = (0..20_011u32).map(|i| i.wrapping_mul(0x9E37_79B9));
    let x = Tensor::from_vec(bits.map(f32::from_bits).collect::<Vec<_>>(), [-1]).unwrap();
    for (name, function, ..) in ROWS {
        let whole = function(&x).unwrap().to_vec::<f32>().unwrap();
        for (first, len) in [(1, 1), (3, 7), (17, 33), (256, 301), (4_099, 5_000)] {
            let part = x.slice(s![first..first + len]).unwrap();
            let found = function(&part).unwrap().to_vec::<f32>().unwrap();
            let expected = &whole[first as usize..(first + len) as usize];
            zoo::guarded_tensor::assert_same(&found, expected, (name, first, len));
        }
        let far = function(&x.slice(s![..;3]).unwrap()).unwrap().to_vec::<f32>().unwrap();
        let expected: Vec<f32> = whole.iter().copied().step_by(3).collect();
        zoo::guarded_tensor::assert_same(&far, &expected, (name, "every third"));
    }
}
