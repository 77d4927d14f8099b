//! Special functions of statistics, and `nan_to_num`.

use crate::copies::CopyReason;
use crate::dtype::Float;
use crate::kernel::body::Body;
use crate::op::elementwise::QuaternaryOp;
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, Param, composite, composite_into};
use crate::{Complex, DType, Error, Tensor, assign_into, finfo};
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

unary! {
    /// Computes the error function: the probability that a normal variable of variance 1/2 is between `-x` and `x`.
    example(tensor![0.0, 0.5, f64::INFINITY] => f64 near [0.0, 0.5205, 1.0])
    ERF: erf, erf_into = Float fused |x| x.erf::<M>()
}

unary! {
    /// Computes the complementary error function `1 - erf(x)`, without cancellation for large `x`.
    example(tensor![0.0, 0.5, f64::INFINITY] => f64 near [1.0, 0.4795, 0.0])
    ERFC: erfc, erfc_into = Float calls |x| x.erfc()
}

unary! {
    /// Computes the inverse of the error function: infinite at ±1, NaN beyond.
    example(tensor![0.0, 0.5, -1.0] => f64 near [0.0, 0.4769, f64::NEG_INFINITY])
    ERFINV: erfinv, erfinv_into = Float calls |x| T::of(inverse_erf(x.double()))
}

unary! {
    /// Computes the log-odds `log(x / (1 - x))`, the inverse of the logistic function; NaN outside [0, 1].
    example(tensor![0.5, 0.8, 1.0] => f64 near [0.0, 1.3863, f64::INFINITY])
    LOGIT: logit, logit_into = Float calls |x| T::of(log_odds(x.double()))
}

binary! {
    /// Computes `x · log(y)`, which is 0 where `x` is 0.
    example(tensor![0.0, 2.0], &tensor![0.0, 1.0] => f64 [0.0, 0.0])
    XLOGY: xlogy, xlogy_into =
        Float fused |x, y| {
            let product = x.times(y.ln::<M>());
            if x == T::ZERO && !y.is_nan() { T::ZERO } else { product }
        }
}

/// Returns the inverse of the error function: an initial estimate refined by Halley's method.
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
        // Above 0.5 with the complement, which does not cancel there.
        let error = if y < 0.5 { libm::erf(y) - x.abs() } else { rest - libm::erfc(y) };
        let step = error / (FRAC_2_SQRT_PI * (-y * y).exp());
        y -= step / (1.0 + y * step);
    }
    y.copysign(x)
}

/// Returns `log(x / (1 - x))`, without cancellation near its zero at 1/2.
fn log_odds(x: f64) -> f64 {
    if x > 0.25 && x < 0.75 { 2.0 * libm::atanh(2.0 * x - 1.0) } else { x.ln() - (-x).ln_1p() }
}

const NAN_TO_NUM: QuaternaryOp = operation!("nan_to_num", Field by nan_to_num_body);

fn nan_to_num_body(dtype: DType) -> Option<Body<'static, 5>> {
    fn parts<T: Float>(x: Complex<T>, others: [Complex<T>; 3]) -> Complex<T> {
        let [nan, high, low] = others.map(|it| it.re);
        Complex::new(
            replace_nonfinite(x.re, nan, high, low),
            replace_nonfinite(x.im, nan, high, low),
        )
    }

    match dtype {
        DType::Complex64 => Some(Body::quaternary(|x: Complex<f32>, a, b, c| parts(x, [a, b, c]))),
        DType::Complex128 => Some(Body::quaternary(|x: Complex<f64>, a, b, c| parts(x, [a, b, c]))),
        real => body!(Float vectors |x, nan, high, low| replace_nonfinite(x, nan, high, low))(real),
    }
}

#[inline(always)]
fn replace_nonfinite<T: Float>(x: T, nan: T, high: T, low: T) -> T {
    match (x.is_nan(), x == T::HIGHEST, x == T::LOWEST) {
        (true, ..) => nan,
        (_, true, _) => high,
        (.., true) => low,
        _ => x,
    }
}

/// Returns the operands of `nan_to_num`. Infinities are replaced by the largest and the smallest finite number
/// unless others are given.
fn replacements<'a>(
    x: Operand<'a>,
    dtype: DType,
    [nan, high, low]: [Option<f64>; 3],
) -> Result<[Operand<'a>; 4], Error> {
    let limits = finfo(dtype)?;
    let (high, low) = (high.unwrap_or(limits.max), low.unwrap_or(limits.min));
    Ok([x, nan.unwrap_or(0.0).into(), high.into(), low.into()])
}

/// Returns the parameters of `nan_to_num` for events.
fn replacement_params([nan, high, low]: [Option<f64>; 3]) -> [(&'static str, Param<'static>); 3] {
    [("nan", nan.into()), ("posinf", high.into()), ("neginf", low.into())]
}

impl Tensor {
    /// Replaces NaN by `nan`, and positive and negative infinity by `posinf` and `neginf`.
    ///
    /// They default to 0 and to the largest and the smallest finite number of the dtype. Integers stay
    /// unchanged; the parts of complex numbers are replaced separately.
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
    /// Allocates the result.
    #[track_caller]
    pub fn nan_to_num(
        &self,
        nan: Option<f64>,
        posinf: Option<f64>,
        neginf: Option<f64>,
    ) -> Result<Tensor, Error> {
        let dtype = self.dtype();
        let params = replacement_params([nan, posinf, neginf]);
        let call = Call::new(NAN_TO_NUM.name).with(&params);
        if !dtype.is_floating() && !dtype.is_complex() {
            return self.copied(call.copying(CopyReason::Requested));
        }
        composite(call, &[self.into()], || {
            NAN_TO_NUM.compute(replacements(self.into(), dtype, [nan, posinf, neginf])?)
        })
    }
}

/// Writes [`Tensor::nan_to_num`] of `x` to `out`, which may be `x` itself.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![f64::NAN, f64::INFINITY, 1.0];
/// belvedere::nan_to_num_into(&x, Some(0.0), Some(100.0), None, &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [0.0, 100.0, 1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Those of the method; and if `out` has another shape, cannot hold the dtype, or cannot be written to.
///
/// # Memory
/// Copies `x` first if it overlaps `out` with other strides.
#[track_caller]
pub fn nan_to_num_into<'a>(
    x: impl Into<Operand<'a>>,
    nan: Option<f64>,
    posinf: Option<f64>,
    neginf: Option<f64>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let x: Operand<'_> = x.into();
    let params = replacement_params([nan, posinf, neginf]);
    let call = Call::new(NAN_TO_NUM.name).with(&params);
    composite_into(call, std::slice::from_ref(&x), out.into(), |out| match x.dtype() {
        Some(dtype) if !dtype.is_floating() && !dtype.is_complex() => assign_into(x.clone(), out),
        dtype => {
            let dtype = dtype.unwrap_or(out.dtype());
            let operands = replacements(x.clone(), dtype, [nan, posinf, neginf])?;
            NAN_TO_NUM.compute_into(operands, out, call)
        }
    })
}
