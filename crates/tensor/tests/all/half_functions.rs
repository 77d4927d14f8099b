//! Our functions of half-precision floats are within 0.51 ULP for every argument, and nearly always the nearest number.
//!
//! The reference is the `f64` function of the standard library or of `libm`.

use belvedere::prelude::*;
use half::{bf16, f16};

type Function = fn(&Tensor) -> Result<Tensor, Error>;

/// A name, the function and its `f64` reference.
type Row = (&'static str, Function, fn(f64) -> f64);

/// `libm` leaves the result unspecified below one.
fn f64_acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

const ROWS: [Row; 20] = [
    ("exp", |x| x.exp(), f64::exp),
    ("exp2", |x| x.exp2(), f64::exp2),
    ("expm1", |x| x.expm1(), f64::exp_m1),
    ("log", |x| x.log(), f64::ln),
    ("log1p", |x| x.log1p(), f64::ln_1p),
    ("log2", |x| x.log2(), f64::log2),
    ("log10", |x| x.log10(), f64::log10),
    ("sin", |x| x.sin(), f64::sin),
    ("cos", |x| x.cos(), f64::cos),
    ("tan", |x| x.tan(), f64::tan),
    ("asin", |x| x.asin(), f64::asin),
    ("acos", |x| x.acos(), f64::acos),
    ("atan", |x| x.atan(), f64::atan),
    ("cbrt", |x| x.cbrt(), f64::cbrt),
    ("sinh", |x| x.sinh(), f64::sinh),
    ("cosh", |x| x.cosh(), f64::cosh),
    ("tanh", |x| x.tanh(), f64::tanh),
    ("asinh", |x| x.asinh(), libm::asinh),
    ("acosh", |x| x.acosh(), f64_acosh),
    ("atanh", |x| x.atanh(), libm::atanh),
];

/// A format: the bits of its significand, and its least and greatest exponents.
#[derive(Clone, Copy)]
struct Format {
    digits: i32,
    least: i32,
    greatest: i32,
}

impl Format {
    /// Returns the error of a value in ULP; infinite if the kind or the sign differs, also of a zero.
    fn error(self, found: f64, exact: f64) -> f64 {
        let bound = 2f64.powi(self.greatest + 1) - 2f64.powi(self.greatest - self.digits);
        let is_right = |it: bool| if it { 0.0 } else { f64::INFINITY };
        if found.is_nan() || exact.is_nan() {
            return is_right(found.is_nan() && exact.is_nan());
        }
        if found.is_sign_negative() != exact.is_sign_negative() {
            return f64::INFINITY;
        }
        if found.is_infinite() || exact.is_infinite() || exact == 0.0 {
            return is_right(found == exact || found.is_infinite() && exact.abs() >= bound);
        }
        let exponent = (exact.abs().log2().floor() as i32).max(self.least);
        (found - exact).abs() / 2f64.powi(exponent - self.digits + 1)
    }
}

/// Computes a function of all numbers of a format, and compares.
fn assert_row<T: Element + Into<f64>>(row: &Row, numbers: Vec<T>, format: Format) {
    let found = (row.1)(&Tensor::from_vec(numbers.clone(), [-1]).unwrap()).unwrap();
    let (mut most, mut n_wrong) = (0.0, 0);
    for (x, found) in numbers.into_iter().zip(found.to_vec::<T>().unwrap()) {
        let (x, found): (f64, f64) = (x.into(), found.into());
        let error = format.error(found, (row.2)(x));
        assert!(error <= 0.505, "{} of {x:e}: {found:e} and not {:e}", row.0, (row.2)(x));
        most = error.max(most);
        n_wrong += (error > 0.5) as u32;
    }
    println!("{} {}: {most:.4} ULP, {n_wrong} not nearest", row.0, T::DTYPE);
    assert!(n_wrong <= 64, "{}: {n_wrong} numbers are not the nearest", row.0);
}

#[test]
fn half_precision_functions_are_nearly_correctly_rounded() {
    for row in &ROWS {
        let all = (0..=u16::MAX).map(f16::from_bits).collect();
        assert_row(row, all, Format { digits: 11, least: -14, greatest: 15 });
        let all = (0..=u16::MAX).map(bf16::from_bits).collect();
        assert_row(row, all, Format { digits: 8, least: -126, greatest: 127 });
    }
}

#[test]
fn half_precision_functions_do_not_depend_on_the_position() {
    let numbers: Vec<f16> = (0..201u16).map(|i| f16::from_bits(i.wrapping_mul(327))).collect();
    let whole = Tensor::from_vec(numbers.clone(), [-1]).unwrap();
    for row in &ROWS {
        let expected = (row.1)(&whole).unwrap().to_vec::<f16>().unwrap();
        for len in [0, 1, 15, 63, 64, 65, 128, 200] {
            for start in [0, 1] {
                let part = whole.slice(s![start..start + len]).unwrap();
                let found = (row.1)(&part).unwrap().to_vec::<f16>().unwrap();
                for (found, expected) in found.iter().zip(&expected[start..start + len]) {
                    let is_same = found.to_bits() == expected.to_bits();
                    assert!(is_same || found.is_nan() && expected.is_nan(), "{}", row.0);
                }
                assert_eq!(found.len(), len, "{}", row.0);
            }
        }
        let reversed = whole.flip(0).unwrap();
        let found = (row.1)(&reversed).unwrap().to_vec::<f16>().unwrap();
        for (found, expected) in found.iter().zip(expected.iter().rev()) {
            let is_same = found.to_bits() == expected.to_bits();
            assert!(is_same || found.is_nan() && expected.is_nan(), "{} reversed", row.0);
        }
    }
}
