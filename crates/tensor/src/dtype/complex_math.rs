//! Functions of complex numbers, with the branch cuts and special values of C99's annex G.
//!
//! The Array API requires both, except for the sign of the zero in `tanh` of infinite numbers.
//!
//! The textbook formulas overflow long before the result does, cancel near zeros and poles, and lose the sign of zeros, on
//! which the side of a branch cut depends. So each function is expressed in real functions of its parts that do none
//! of that, mostly after Kahan ("Branch cuts for complex elementary functions", 1987). Infinities and NaNs are handled
//! first in each. The trigonometric functions are the hyperbolic ones of `iz`: for those the annex has the tables.

use super::complex::quotient;
use num_complex::Complex;
use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, LOG10_E};

type C = Complex<f64>;

const NAN: C = Complex::new(f64::NAN, f64::NAN);

/// Above this, `exp` of a real number overflows or nearly does.
const LARGE: f64 = 700.0;

/// Returns `i z`.
fn times_i(z: C) -> C {
    Complex::new(-z.im, z.re)
}

/// Returns `-i z`.
fn divided_by_i(z: C) -> C {
    Complex::new(z.im, -z.re)
}

/// Returns `z exp(x)` where `exp(x)` alone may overflow: `x` is split into exact parts.
fn times_exp(z: C, x: f64) -> C {
    let step = LARGE.exp();
    let (mut product, mut rest) = (z, x);
    for _ in 0..2 {
        if rest > LARGE {
            (product, rest) = (product * step, rest - LARGE);
        }
    }
    product * rest.exp()
}

pub(super) fn exp(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match (x, y) {
        _ if y == 0.0 => Complex::new(x.exp(), y),
        (f64::INFINITY, _) if !y.is_finite() => Complex::new(x, f64::NAN),
        (f64::NEG_INFINITY, _) if !y.is_finite() => Complex::new(0.0, 0f64.copysign(y)),
        _ if x.is_nan() || !y.is_finite() => NAN,
        _ if x > LARGE => times_exp(Complex::new(y.cos(), y.sin()), x),
        _ => Complex::new(y.cos(), y.sin()) * x.exp(),
    }
}

pub(super) fn exp2(z: C) -> C {
    exp(z * LN_2)
}

pub(super) fn exp_m1(z: C) -> C {
    let Complex { re: x, im: y } = z;
    if y == 0.0 {
        // A zero of either sign becomes the positive one.
        return Complex::new(x.exp_m1() + 0.0, y);
    }
    if !x.is_finite() || x > LARGE {
        return exp(z) - 1.0;
    }
    let half = (y / 2.0).sin();
    Complex::new(x.exp_m1() * y.cos() - 2.0 * half * half, x.exp() * y.sin())
}

pub(super) fn ln(z: C) -> C {
    Complex::new(ln_norm(z), z.arg())
}

/// Returns `log |z|`.
fn ln_norm(z: C) -> f64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (x, y) = if x > y { (x, y) } else { (y, x) };
    match x {
        _ if x.is_infinite() || y.is_infinite() => f64::INFINITY,
        // Near one the logarithm is small, and the rounding error of the norm would dominate.
        _ if x > 0.5 && x < 2.0 && y < 2.0 => square_norm_minus_one(x, y).ln_1p() / 2.0,
        // Scaled where the norm would overflow or be subnormal.
        _ if x > 1e300 => (x / 4.0).hypot(y / 4.0).ln() + 2.0 * LN_2,
        _ if x > 0.0 && x < 1e-290 => {
            (x * 2f64.powi(60)).hypot(y * 2f64.powi(60)).ln() - 60.0 * LN_2
        }
        _ => x.hypot(y).ln(),
    }
}

/// Returns `x² + y² - 1` with exact squares, for `x ≥ y`.
fn square_norm_minus_one(x: f64, y: f64) -> f64 {
    let (high_x, high_y) = (x * x, y * y);
    let (low_x, low_y) = (x.mul_add(x, -high_x), y.mul_add(y, -high_y));
    // x² is between 1/4 and 4: x² - 1 is exact where it cancels (Sterbenz), and elsewhere nothing cancels.
    let rest = high_x - 1.0;
    let sum = rest + high_y;
    let lost = if rest.abs() > high_y { rest - sum + high_y } else { high_y - sum + rest };
    sum + (lost + low_x + low_y)
}

pub(super) fn ln_1p(z: C) -> C {
    let Complex { re: x, im: y } = z;
    if x.abs() < 0.5 && y.abs() < 0.5 {
        let re = (x * (2.0 + x) + y * y).ln_1p() / 2.0;
        return Complex::new(re, y.atan2(1.0 + x));
    }
    ln(z + 1.0)
}

pub(super) fn log2(z: C) -> C {
    ln(z) * LOG2_E
}

pub(super) fn log10(z: C) -> C {
    ln(z) * LOG10_E
}

pub(super) fn sqrt(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match (x, y) {
        _ if x == 0.0 && y == 0.0 => Complex::new(0.0, y),
        _ if y.is_infinite() => Complex::new(f64::INFINITY, y),
        _ if x.is_nan() => NAN,
        (f64::INFINITY, _) => Complex::new(x, if y.is_nan() { y } else { 0f64.copysign(y) }),
        (f64::NEG_INFINITY, _) => {
            Complex::new(if y.is_nan() { y } else { 0.0 }, f64::INFINITY.copysign(y))
        }
        _ if x.abs().max(y.abs()) > 1e300 => root(z / 16.0) * 4.0,
        _ if x.abs().max(y.abs()) < 1e-290 => root(z * 2f64.powi(108)) * 2f64.powi(-54),
        _ => root(z),
    }
}

/// Returns the square root of a number that is not zero and whose intermediate results neither overflow nor underflow.
fn root(z: C) -> C {
    let Complex { re: x, im: y } = z;
    let larger = ((x.abs() + x.hypot(y)) / 2.0).sqrt();
    match x >= 0.0 {
        true => Complex::new(larger, y / (2.0 * larger)),
        false => Complex::new(y.abs() / (2.0 * larger), larger.copysign(y)),
    }
}

/// Returns `z / |z|`; of an infinite number its direction, which is a NaN if both parts are infinite.
pub(super) fn sign(z: C) -> C {
    let norm = z.norm();
    match (z.re.is_infinite(), z.im.is_infinite()) {
        (true, true) => NAN,
        (true, false) => Complex::new(z.re.signum(), 0.0),
        (false, true) => Complex::new(0.0, z.im.signum()),
        _ if norm.is_nan() => NAN,
        _ if norm == 0.0 => Complex::ZERO,
        _ => Complex::new(z.re / norm, z.im / norm),
    }
}

/// Returns `1 / z` by Smith's method, without the imaginary zero of the numerator, whose sign would matter.
pub(super) fn reciprocal(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match x.abs() >= y.abs() {
        true => {
            let ratio = y / x;
            let divisor = x + y * ratio;
            Complex::new(1.0 / divisor, -ratio / divisor)
        }
        false => {
            let ratio = x / y;
            let divisor = x * ratio + y;
            Complex::new(ratio / divisor, -1.0 / divisor)
        }
    }
}

/// Returns a power: by repeated squaring for integer exponents below 100, else as `exp(exponent · log(base))`.
pub(super) fn power(base: C, exponent: C) -> C {
    if exponent == Complex::ZERO {
        return Complex::ONE;
    }
    if base == Complex::ZERO {
        return if exponent.re > 0.0 { Complex::ZERO } else { NAN };
    }
    let is_small_integer =
        exponent.im == 0.0 && exponent.re.abs() < 100.0 && exponent.re.fract() == 0.0;
    if !is_small_integer {
        return exp(exponent * ln(base));
    }
    let (mut result, mut square) = (None, base);
    let mut n = exponent.re.abs() as u32;
    loop {
        if n & 1 == 1 {
            result = Some(result.map_or(square, |result: C| result * square));
        }
        n >>= 1;
        if n == 0 {
            break;
        }
        square = square * square;
    }
    let result = result.unwrap_or(Complex::ONE);
    if exponent.re < 0.0 { quotient(Complex::ONE, result) } else { result }
}

pub(super) fn sinh(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match (x, y) {
        _ if y == 0.0 => Complex::new(x.sinh(), y),
        _ if x == 0.0 && !y.is_finite() => Complex::new(x, f64::NAN),
        _ if x.is_infinite() && !y.is_finite() => Complex::new(x, f64::NAN),
        _ if x.is_nan() || !y.is_finite() => NAN,
        _ if x.abs() > LARGE => {
            times_exp(Complex::new(0.5f64.copysign(x) * y.cos(), 0.5 * y.sin()), x.abs())
        }
        _ => Complex::new(x.sinh() * y.cos(), x.cosh() * y.sin()),
    }
}

pub(super) fn cosh(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match (x, y) {
        _ if y == 0.0 => Complex::new(x.cosh(), if x.is_nan() { y } else { x.signum() * y }),
        _ if x == 0.0 && !y.is_finite() => Complex::new(f64::NAN, 0.0),
        _ if x.is_infinite() && !y.is_finite() => Complex::new(f64::INFINITY, f64::NAN),
        _ if x.is_nan() || !y.is_finite() => NAN,
        _ if x.abs() > LARGE => {
            times_exp(Complex::new(0.5 * y.cos(), 0.5f64.copysign(x) * y.sin()), x.abs())
        }
        _ => Complex::new(x.cosh() * y.cos(), x.sinh() * y.sin()),
    }
}

pub(super) fn tanh(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match (x, y) {
        _ if y == 0.0 => Complex::new(x.tanh(), y),
        // The Array API requires the sign of `y`, where C99 has that of `sin(2y)`.
        _ if x.is_infinite() => Complex::new(x.signum(), 0f64.copysign(y)),
        _ if x == 0.0 && !y.is_finite() => Complex::new(x, f64::NAN),
        _ if x.is_nan() || !y.is_finite() => NAN,
        // The real part rounds to ±1.
        _ if x.abs() > 22.0 => {
            Complex::new(x.signum(), 4.0 * y.sin() * y.cos() * (-2.0 * x.abs()).exp())
        }
        _ => {
            // Kahan's formula: the quotient of `sinh` and `cosh` would lose digits near the poles.
            let (t, s) = (y.tan(), x.sinh());
            let beta = 1.0 + t * t;
            let divisor = 1.0 + beta * s * s;
            Complex::new(beta * (1.0 + s * s).sqrt() * s / divisor, t / divisor)
        }
    }
}

pub(super) fn sin(z: C) -> C {
    divided_by_i(sinh(times_i(z)))
}

pub(super) fn cos(z: C) -> C {
    cosh(times_i(z))
}

pub(super) fn tan(z: C) -> C {
    divided_by_i(tanh(times_i(z)))
}

/// Whether an inverse function rounds to its argument.
fn is_tiny(z: C) -> bool {
    z.re.abs() < 1e-9 && z.im.abs() < 1e-9
}

/// Whether an inverse function rounds to the first term of its expansion at infinity.
fn is_huge(z: C) -> bool {
    z.re.abs() > 1e18 || z.im.abs() > 1e18
}

pub(super) fn asin(z: C) -> C {
    divided_by_i(asinh(times_i(z)))
}

pub(super) fn asinh(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match (x, y) {
        _ if x.is_nan() && y == 0.0 => z,
        _ if x.is_nan() && y.is_infinite() => Complex::new(f64::INFINITY, x),
        _ if y.is_nan() && x.is_infinite() => z,
        _ if x.is_nan() || y.is_nan() => NAN,
        _ if is_tiny(z) => z,
        _ if is_huge(z) => Complex::new((ln_norm(z) + LN_2).copysign(x), y.atan2(x.abs())),
        _ => {
            // The roots of 1 + iz and 1 - iz.
            let one = sqrt(Complex::new(1.0 - y, x));
            let two = sqrt(Complex::new(1.0 + y, -x));
            let re = libm::asinh(two.re * one.im - two.im * one.re);
            Complex::new(re, y.atan2(one.re * two.re - one.im * two.im))
        }
    }
}

pub(super) fn acos(z: C) -> C {
    let Complex { re: x, im: y } = z;
    match (x, y) {
        _ if x == 0.0 && y.is_nan() => Complex::new(FRAC_PI_2, y),
        _ if x.is_nan() && y.is_infinite() => Complex::new(x, -y),
        _ if y.is_nan() && x.is_infinite() => Complex::new(y, x),
        _ if x.is_nan() || y.is_nan() => NAN,
        _ if is_huge(z) => Complex::new(y.abs().atan2(x), (ln_norm(z) + LN_2).copysign(-y)),
        _ => {
            let below = sqrt(Complex::new(1.0 - x, -y));
            let above = sqrt(Complex::new(1.0 + x, y));
            let im = libm::asinh(above.re * below.im - above.im * below.re);
            Complex::new(2.0 * below.re.atan2(above.re), im)
        }
    }
}

pub(super) fn acosh(z: C) -> C {
    let Complex { re, im } = acos(z);
    match (re.is_nan(), im.is_nan()) {
        (true, true) => NAN,
        (true, false) => Complex::new(im.abs(), re),
        (false, true) => Complex::new(im, re),
        (false, false) => Complex::new(im.abs(), re.copysign(z.im)),
    }
}

pub(super) fn atan(z: C) -> C {
    divided_by_i(atanh(times_i(z)))
}

pub(super) fn atanh(z: C) -> C {
    let (x, y) = (z.re.abs(), z.im.abs());
    let signed = |re: f64, im: f64| Complex::new(re.copysign(z.re), im.copysign(z.im));
    match (x, y) {
        _ if x.is_infinite() || y.is_infinite() => {
            signed(0.0, if z.im.is_nan() { z.im } else { FRAC_PI_2 })
        }
        _ if x == 0.0 && y.is_nan() => z,
        _ if x.is_nan() || y.is_nan() => NAN,
        _ if is_tiny(z) => z,
        // `x / (x² + y²)`, without the squares.
        _ if is_huge(z) => {
            let norm = (x / 2.0).hypot(y / 2.0);
            signed(x / norm / norm / 4.0, FRAC_PI_2)
        }
        _ if x == 1.0 && y == 0.0 => signed(f64::INFINITY, 0.0),
        // The square of the distance from the pole would underflow.
        _ if x == 1.0 && y < 1e-8 => signed((LN_2 - y.ln()) / 2.0, (FRAC_PI_2 + y / 2.0) / 2.0),
        _ => {
            let re = (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p() / 4.0;
            signed(re, (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y) / 2.0)
        }
    }
}
