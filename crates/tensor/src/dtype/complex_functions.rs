//! Functions of complex numbers that the compiler vectorizes, where no part is special.
//!
//! They are the formulas of `complex_math.rs` for the arguments that need no other one, with the vectorized functions of
//! `math/double/`. All the others are left to that file: parts that are infinite, NaNs or huge.

use super::complex_math as math;
use super::math::{MulAdd, double};
use num_complex::Complex;
use std::f64::consts::{LOG2_E, LOG10_E};

type Wide = Complex<f64>;

/// A function of one complex number.
pub(crate) trait ComplexFunction: 'static {
    /// Whether [`ComplexFunction::fast`] is accurate for the number.
    fn in_fast_range(z: Wide) -> bool;

    /// Returns the value for a number in the fast range, without branches.
    fn fast<M: MulAdd>(z: Wide) -> Wide;

    /// Returns the value for any number.
    fn slow(z: Wide) -> Wide;
}

/// Defines functions: the fast range, and the value in it.
macro_rules! complex_functions {
    ($($(#[$doc:meta])* $name:ident = $slow:ident, if $is_fast:expr, |$x:ident, $y:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl ComplexFunction for $name {
            #[inline(always)]
            fn in_fast_range(z: Wide) -> bool {
                $is_fast(z.re, z.im)
            }

            #[inline(always)]
            fn fast<M: MulAdd>(z: Wide) -> Wide {
                let ($x, $y) = (z.re, z.im);
                $value
            }

            fn slow(z: Wide) -> Wide {
                math::$slow(z)
            }
        }
    )*};
}

/// Whether `exp(x)` neither overflows nor underflows, and an angle `y` needs no more digits of π.
#[inline(always)]
fn are_moderate(x: f64, y: f64) -> bool {
    (x.abs() <= 700.0) & (y.abs() <= 1.5e6)
}

/// Whether the real part of `tanh(x + iy)` is a double below one, and an angle `y` needs no more digits of π.
#[inline(always)]
fn is_below_one(x: f64, y: f64) -> bool {
    (x.abs() <= 22.0) & (y.abs() <= 1.5e6)
}

/// Returns the hyperbolic tangent, by Kahan's formula.
#[inline(always)]
fn tanh<M: MulAdd>(x: f64, y: f64) -> Wide {
    let (t, s) = (double::tan_fast::<M>(y), double::sinh::<M>(x));
    let beta = 1.0 + t * t;
    let divisor = 1.0 + beta * s * s;
    Complex::new(beta * (1.0 + s * s).sqrt() * s / divisor, t / divisor)
}

/// Whether the norm is finite and not zero.
#[inline(always)]
fn is_regular(x: f64, y: f64) -> bool {
    let largest = if x.abs() > y.abs() { x.abs() } else { y.abs() };
    (largest > 0.0) & (x.abs() < f64::INFINITY) & (y.abs() < f64::INFINITY)
}

complex_functions! {
    Exp = exp, if are_moderate, |x, y| {
        let power = double::exp::<M>(x);
        Complex::new(power * double::cos_fast::<M>(y), power * double::sin_fast::<M>(y))
    };
    ExpM1 = exp_m1, if are_moderate, |x, y| {
        let half = double::sin_fast::<M>(y / 2.0);
        let re = double::exp_m1::<M>(x) * double::cos_fast::<M>(y) - 2.0 * half * half;
        // On the real axis a zero of either sign becomes the positive one.
        let re = re + if y == 0.0 { 0.0 } else { -0.0 };
        Complex::new(re, double::exp::<M>(x) * double::sin_fast::<M>(y))
    };
    Ln = ln, if is_regular, |x, y| {
        Complex::new(double::ln_norm::<M>(x, y), double::atan2::<M>(y, x))
    };
    Log2 = log2, if is_regular, |x, y| {
        Complex::new(double::ln_norm::<M>(x, y), double::atan2::<M>(y, x)) * LOG2_E
    };
    Log10 = log10, if is_regular, |x, y| {
        Complex::new(double::ln_norm::<M>(x, y), double::atan2::<M>(y, x)) * LOG10_E
    };
    /// Near zero the squared norm of `1 + z`, minus one, is `x (2 + x) + y²`.
    LnOnePlus = ln_1p, if |x: f64, y: f64| is_regular(1.0 + x, y), |x, y| {
        let is_near = (x.abs() < 0.5) & (y.abs() < 0.5);
        let near = 0.5 * double::ln_1p::<M>(x * (2.0 + x) + y * y);
        let far = double::ln_norm::<M>(1.0 + x, y);
        Complex::new(if is_near { near } else { far }, double::atan2::<M>(y, 1.0 + x))
    };
    Sinh = sinh, if are_moderate, |x, y| {
        let re = double::sinh::<M>(x) * double::cos_fast::<M>(y);
        Complex::new(re, double::cosh::<M>(x) * double::sin_fast::<M>(y))
    };
    Cosh = cosh, if are_moderate, |x, y| {
        let re = double::cosh::<M>(x) * double::cos_fast::<M>(y);
        Complex::new(re, double::sinh::<M>(x) * double::sin_fast::<M>(y))
    };
    Tanh = tanh, if is_below_one, |x, y| tanh::<M>(x, y);
    /// `tanh(iz) / i`.
    Tan = tan, if |x: f64, y: f64| is_below_one(y, x), |x, y| {
        let Complex { re, im } = tanh::<M>(-y, x);
        Complex::new(im, -re)
    };
    /// `sinh(iz) / i`.
    Sin = sin, if |x: f64, y: f64| are_moderate(y, x), |x, y| {
        let re = double::cosh::<M>(y) * double::sin_fast::<M>(x);
        Complex::new(re, double::sinh::<M>(y) * double::cos_fast::<M>(x))
    };
    /// `cosh(iz)`.
    Cos = cos, if |x: f64, y: f64| are_moderate(y, x), |x, y| {
        let re = double::cosh::<M>(y) * double::cos_fast::<M>(x);
        Complex::new(re, -double::sinh::<M>(y) * double::sin_fast::<M>(x))
    };
}
