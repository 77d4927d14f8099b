//! Error functions and others that statistics asks for, and what stands in for what is no number.

use crate::dtype::Float;
use crate::kernel::body::Body;
use crate::op::elementwise::QuaternaryOp;
use crate::op::operand::{Operand, Target};
use crate::{Complex, DType, Error, Tensor, assign_into, finfo};
use std::f64::consts::{FRAC_2_SQRT_PI, PI};
use std::panic::Location;

unary! {
    /// The error function: the share of a normal distribution of variance 1/2 between `-x` and `x`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0, f64::INFINITY].erf()?.to_vec::<f64>()?, [0.0, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ERF: erf, erf_into = Float fused |x| x.erf::<M>()
}

unary! {
    /// One minus the error function, with all digits where that is small.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0, f64::INFINITY].erfc()?.to_vec::<f64>()?, [1.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ERFC: erfc, erfc_into = Float calls |x| x.erfc()
}

unary! {
    /// The inverse of the error function: infinite at ±1, and a NaN beyond.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0, -1.0].erfinv()?.to_vec::<f64>()?, [0.0, f64::NEG_INFINITY]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ERFINV: erfinv, erfinv_into = Float calls |x| T::of(inverse_erf(x.double()))
}

unary! {
    /// The inverse of the logistic function: `log(x / (1 - x))`, a NaN outside of 0 to 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.5, 1.0].logit()?.to_vec::<f64>()?, [0.0, f64::INFINITY]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOGIT: logit, logit_into = Float calls |x| T::of(log_odds(x.double()))
}

binary! {
    /// `x · log(y)`, which is 0 where `x` is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0, 2.0].xlogy(&tensor![0.0, 1.0])?.to_vec::<f64>()?, [0.0, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    XLOGY: xlogy, xlogy_into =
        Float fused |x, y| {
            let product = x.times(y.ln::<M>());
            if x == T::ZERO && !y.is_nan() { T::ZERO } else { product }
        }
}

/// The inverse of the error function: an estimate, then Halley's method.
fn inverse_erf(x: f64) -> f64 {
    let rest = 1.0 - x.abs();
    match rest {
        _ if x == 0.0 => return x,
        0.0 => return f64::INFINITY.copysign(x),
        _ if rest.is_nan() || rest < 0.0 => return f64::NAN,
        _ => {}
    }
    // Winitzki's estimate, good to a few thousandths.
    let a = 0.147;
    let log = (rest * (1.0 + x.abs())).ln();
    let half = 2.0 / (PI * a) + log / 2.0;
    let mut y = ((half * half - log / a).sqrt() - half).sqrt();
    for _ in 0..3 {
        // Beyond the middle by what is left of one, which has more digits there.
        let error = if y < 0.5 { libm::erf(y) - x.abs() } else { rest - libm::erfc(y) };
        let step = error / (FRAC_2_SQRT_PI * (-y * y).exp());
        y -= step / (1.0 + y * step);
    }
    y.copysign(x)
}

/// `log(x / (1 - x))`, with all digits near one half, where it is zero.
fn log_odds(x: f64) -> f64 {
    if x > 0.25 && x < 0.75 { 2.0 * libm::atanh(2.0 * x - 1.0) } else { x.ln() - (-x).ln_1p() }
}

const NAN_TO_NUM: QuaternaryOp = operation!("nan_to_num", Field by nan_to_num_body);

fn nan_to_num_body(dtype: DType) -> Option<Body<'static, 5>> {
    fn parts<T: Float>(x: Complex<T>, others: [Complex<T>; 3]) -> Complex<T> {
        let [nan, high, low] = others.map(|it| it.re);
        Complex::new(instead(x.re, nan, high, low), instead(x.im, nan, high, low))
    }

    match dtype {
        DType::Complex64 => Some(Body::quaternary(|x: Complex<f32>, a, b, c| parts(x, [a, b, c]))),
        DType::Complex128 => Some(Body::quaternary(|x: Complex<f64>, a, b, c| parts(x, [a, b, c]))),
        real => body!(Float vectors |x, nan, high, low| instead(x, nan, high, low))(real),
    }
}

#[inline(always)]
fn instead<T: Float>(x: T, nan: T, high: T, low: T) -> T {
    match (x.is_nan(), x == T::HIGHEST, x == T::LOWEST) {
        (true, ..) => nan,
        (_, true, _) => high,
        (.., true) => low,
        _ => x,
    }
}

/// The operands: what stands in for infinities is the greatest and the least number if nothing is
/// given.
fn replacements<'a>(
    x: Operand<'a>,
    dtype: DType,
    [nan, high, low]: [Option<f64>; 3],
) -> Result<[Operand<'a>; 4], Error> {
    let limits = finfo(dtype)?;
    let (high, low) = (high.unwrap_or(limits.max), low.unwrap_or(limits.min));
    Ok([x, nan.unwrap_or(0.0).into(), high.into(), low.into()])
}

impl Tensor {
    /// The elements, with numbers in the place of NaNs and infinities: 0 and the greatest and the
    /// least number of the type, if nothing else is given. Integers stay as they are, and of complex
    /// numbers each part is looked at.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0];
    /// assert_eq!(x.nan_to_num(None, None, None)?.to_vec::<f64>()?, [0.0, f64::MAX, f64::MIN, 1.0]);
    /// let y = x.nan_to_num(Some(7.0), Some(9.0), Some(-9.0))?;
    /// assert_eq!(y.to_vec::<f64>()?, [7.0, 9.0, -9.0, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// The result is new.
    pub fn nan_to_num(
        &self,
        nan: Option<f64>,
        posinf: Option<f64>,
        neginf: Option<f64>,
    ) -> Result<Tensor, Error> {
        let dtype = self.dtype();
        if !dtype.is_floating() && !dtype.is_complex() {
            return self.copy();
        }
        NAN_TO_NUM.compute(replacements(self.into(), dtype, [nan, posinf, neginf])?)
    }
}

/// Writes [`Tensor::nan_to_num`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies `x` first if the two share elements, and do not lie by the same strides.
#[track_caller]
pub fn nan_to_num_into<'a>(
    x: impl Into<Operand<'a>>,
    nan: Option<f64>,
    posinf: Option<f64>,
    neginf: Option<f64>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let (x, out) = (x.into(), out.into());
    match x.dtype() {
        Some(dtype) if !dtype.is_floating() && !dtype.is_complex() => assign_into(x, out),
        dtype => {
            let dtype = dtype.unwrap_or(out.dtype());
            let operands = replacements(x, dtype, [nan, posinf, neginf])?;
            NAN_TO_NUM.compute_into(operands, out, Location::caller())
        }
    }
}
