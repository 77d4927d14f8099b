//! Activation functions and their gradients.
//!
//! Each is a value and a slope. The gradient of a loss with respect to the input is the gradient with
//! respect to the output times the slope: `x.relu_grad(&upstream)`. Integers become `float64`.

use super::elementwise::{Binary, Unary};
use super::family::*;
use super::operand::{Operand, Target};
use crate::dtype::Float;
use crate::{Error, Tensor};
use std::panic::Location;

/// A real function of one number, and how fast it rises.
trait Activation: 'static {
    fn value<T: Float>(x: T) -> T;
    fn slope<T: Float>(x: T) -> T;
}

/// The same with a parameter.
pub(super) trait Parametric: 'static {
    fn value<T: Float>(x: T, alpha: T) -> T;
    fn slope<T: Float>(x: T, alpha: T) -> T;
}

pub(super) struct ValueOf<K>(K);
pub(super) struct GradientOf<K>(K);

impl<K: Activation> FloatUnary for ValueOf<K> {
    #[inline(always)]
    fn apply<T: Float>(x: T) -> T {
        K::value(x)
    }
}

impl<K: Activation> FloatBinary for GradientOf<K> {
    #[inline(always)]
    fn apply<T: Float>(x: T, upstream: T) -> T {
        upstream.times(K::slope(x))
    }
}

impl<K: Parametric> FloatBinary for ValueOf<K> {
    #[inline(always)]
    fn apply<T: Float>(x: T, alpha: T) -> T {
        K::value(x, alpha)
    }
}

impl<K: Parametric> FloatTernary for GradientOf<K> {
    #[inline(always)]
    fn apply<T: Float>(x: T, upstream: T, alpha: T) -> T {
        upstream.times(K::slope(x, alpha))
    }
}

/// `1 / (1 + exp(-x))`, where the exponential never overflows.
#[inline(always)]
fn logistic<T: Float>(x: T) -> T {
    let small = x.magnitude().negative().exp();
    let numerator = if x < T::ZERO { small } else { T::ONE };
    // A NaN is not smaller than zero; its exponential carries it on.
    numerator.over(T::ONE.plus(small))
}

#[inline(always)]
fn hard_logistic<T: Float>(x: T) -> T {
    x.times(T::of(1.0 / 6.0)).plus(T::of(0.5)).greater(T::ZERO).smaller(T::ONE)
}

/// The share of a normal distribution below `x`.
#[inline(always)]
fn normal_share<T: Float>(x: T) -> T {
    T::of(0.5).times(T::ONE.plus(x.times(T::of(std::f64::consts::FRAC_1_SQRT_2)).erf()))
}

/// The density of a normal distribution at `x`.
#[inline(always)]
fn normal_density<T: Float>(x: T) -> T {
    x.times(x).times(T::of(-0.5)).exp().times(T::of(0.398_942_280_401_432_7))
}

#[inline(always)]
fn hard_swish_slope<T: Float>(x: T) -> T {
    match (x > T::of(-3.0), x < T::of(3.0)) {
        (true, true) => x.times(T::of(1.0 / 3.0)).plus(T::of(0.5)),
        (true, false) => T::ONE,
        _ => T::ZERO,
    }
}

const RELU: Unary = Unary::new("relu", <ValueOf<Relu> as FloatUnary>::body).in_floats();
const RELU_GRAD: Binary =
    Binary::new("relu_grad", <GradientOf<Relu> as FloatBinary>::body).in_floats();

struct Relu;

impl Activation for Relu {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        x.greater(T::ZERO)
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        if x > T::ZERO { T::ONE } else { T::ZERO }
    }
}

impl Tensor {
    /// The positive part: `max(x, 0)`; a NaN stays one.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-1.0, 2.0];
    /// assert_eq!(x.relu()?.to_vec::<f64>()?, [0.0, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn relu(&self) -> Result<Tensor, Error> {
        RELU.of([self.into()])
    }

    /// The gradient of [`Tensor::relu`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn relu_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        RELU_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::relu`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn relu_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    RELU.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::relu_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn relu_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    RELU_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const RELU6: Unary = Unary::new("relu6", <ValueOf<Relu6> as FloatUnary>::body).in_floats();
const RELU6_GRAD: Binary =
    Binary::new("relu6_grad", <GradientOf<Relu6> as FloatBinary>::body).in_floats();

struct Relu6;

impl Activation for Relu6 {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        x.greater(T::ZERO).smaller(T::of(6.0))
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        if x > T::ZERO && x < T::of(6.0) { T::ONE } else { T::ZERO }
    }
}

impl Tensor {
    /// The positive part, up to six: `min(max(x, 0), 6)`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-1.0, 2.0, 9.0];
    /// assert_eq!(x.relu6()?.to_vec::<f64>()?, [0.0, 2.0, 6.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn relu6(&self) -> Result<Tensor, Error> {
        RELU6.of([self.into()])
    }

    /// The gradient of [`Tensor::relu6`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn relu6_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        RELU6_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::relu6`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn relu6_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    RELU6.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::relu6_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn relu6_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    RELU6_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const GELU: Unary = Unary::new("gelu", <ValueOf<Gelu> as FloatUnary>::body).in_floats();
const GELU_GRAD: Binary =
    Binary::new("gelu_grad", <GradientOf<Gelu> as FloatBinary>::body).in_floats();

struct Gelu;

impl Activation for Gelu {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        x.times(normal_share(x))
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        normal_share(x).plus(x.times(normal_density(x)))
    }
}

impl Tensor {
    /// The Gaussian error linear unit, exactly: `x · Φ(x)`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].gelu()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn gelu(&self) -> Result<Tensor, Error> {
        GELU.of([self.into()])
    }

    /// The gradient of [`Tensor::gelu`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn gelu_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        GELU_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::gelu`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn gelu_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    GELU.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::gelu_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn gelu_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    GELU_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const SIGMOID: Unary = Unary::new("sigmoid", <ValueOf<Sigmoid> as FloatUnary>::body).in_floats();
const SIGMOID_GRAD: Binary =
    Binary::new("sigmoid_grad", <GradientOf<Sigmoid> as FloatBinary>::body).in_floats();

struct Sigmoid;

impl Activation for Sigmoid {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        logistic(x)
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        logistic(x).times(T::ONE.minus(logistic(x)))
    }
}

impl Tensor {
    /// The logistic function: `1 / (1 + exp(-x))`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].sigmoid()?.to_vec::<f64>()?, [0.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn sigmoid(&self) -> Result<Tensor, Error> {
        SIGMOID.of([self.into()])
    }

    /// The gradient of [`Tensor::sigmoid`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn sigmoid_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        SIGMOID_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::sigmoid`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn sigmoid_into<'a>(
    x: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SIGMOID.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::sigmoid_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn sigmoid_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SIGMOID_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const HARD_SIGMOID: Unary =
    Unary::new("hard_sigmoid", <ValueOf<HardSigmoid> as FloatUnary>::body).in_floats();
const HARD_SIGMOID_GRAD: Binary =
    Binary::new("hard_sigmoid_grad", <GradientOf<HardSigmoid> as FloatBinary>::body).in_floats();

struct HardSigmoid;

impl Activation for HardSigmoid {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        hard_logistic(x)
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        if x > T::of(-3.0) && x < T::of(3.0) { T::of(1.0 / 6.0) } else { T::ZERO }
    }
}

impl Tensor {
    /// A piecewise linear logistic function: `min(max(x / 6 + 1/2, 0), 1)`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-3.0, 0.0, 5.0];
    /// assert_eq!(x.hard_sigmoid()?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn hard_sigmoid(&self) -> Result<Tensor, Error> {
        HARD_SIGMOID.of([self.into()])
    }

    /// The gradient of [`Tensor::hard_sigmoid`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn hard_sigmoid_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        HARD_SIGMOID_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::hard_sigmoid`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn hard_sigmoid_into<'a>(
    x: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    HARD_SIGMOID.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::hard_sigmoid_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn hard_sigmoid_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    HARD_SIGMOID_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const SOFTPLUS: Unary = Unary::new("softplus", <ValueOf<Softplus> as FloatUnary>::body).in_floats();
const SOFTPLUS_GRAD: Binary =
    Binary::new("softplus_grad", <GradientOf<Softplus> as FloatBinary>::body).in_floats();

struct Softplus;

impl Activation for Softplus {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        x.greater(T::ZERO).plus(x.magnitude().negative().exp().ln_1p())
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        logistic(x)
    }
}

impl Tensor {
    /// A smooth positive part: `log(1 + exp(x))`, without overflow.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1000.0];
    /// assert_eq!(x.softplus()?.to_vec::<f64>()?, [1000.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn softplus(&self) -> Result<Tensor, Error> {
        SOFTPLUS.of([self.into()])
    }

    /// The gradient of [`Tensor::softplus`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn softplus_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        SOFTPLUS_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::softplus`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn softplus_into<'a>(
    x: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SOFTPLUS.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::softplus_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn softplus_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SOFTPLUS_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const SWISH: Unary = Unary::new("swish", <ValueOf<Swish> as FloatUnary>::body).in_floats();
const SWISH_GRAD: Binary =
    Binary::new("swish_grad", <GradientOf<Swish> as FloatBinary>::body).in_floats();

struct Swish;

impl Activation for Swish {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        x.times(logistic(x))
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        logistic(x).times(T::ONE.plus(x.times(T::ONE.minus(logistic(x)))))
    }
}

impl Tensor {
    /// The sigmoid linear unit: `x · sigmoid(x)`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].swish()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn swish(&self) -> Result<Tensor, Error> {
        SWISH.of([self.into()])
    }

    /// The gradient of [`Tensor::swish`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn swish_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        SWISH_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::swish`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn swish_into<'a>(x: impl Into<Operand<'a>>, out: impl Into<Target<'a>>) -> Result<(), Error> {
    SWISH.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::swish_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn swish_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    SWISH_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const HARD_SWISH: Unary =
    Unary::new("hard_swish", <ValueOf<HardSwish> as FloatUnary>::body).in_floats();
const HARD_SWISH_GRAD: Binary =
    Binary::new("hard_swish_grad", <GradientOf<HardSwish> as FloatBinary>::body).in_floats();

struct HardSwish;

impl Activation for HardSwish {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        x.times(hard_logistic(x))
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        hard_swish_slope(x)
    }
}

impl Tensor {
    /// A piecewise quadratic swish: `x · hard_sigmoid(x)`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-4.0, 3.0];
    /// assert_eq!(x.hard_swish()?.to_vec::<f64>()?, [-0.0, 3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn hard_swish(&self) -> Result<Tensor, Error> {
        HARD_SWISH.of([self.into()])
    }

    /// The gradient of [`Tensor::hard_swish`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn hard_swish_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        HARD_SWISH_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::hard_swish`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn hard_swish_into<'a>(
    x: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    HARD_SWISH.write([x.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::hard_swish_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn hard_swish_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    HARD_SWISH_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}

const TANH_GRAD: Binary =
    Binary::new("tanh_grad", <GradientOf<TanhSlope> as FloatBinary>::body).in_floats();

/// The function itself exists for complex numbers too, among the other functions.
struct TanhSlope;

impl Activation for TanhSlope {
    #[inline(always)]
    fn value<T: Float>(x: T) -> T {
        x.tanh()
    }

    #[inline(always)]
    fn slope<T: Float>(x: T) -> T {
        T::ONE.minus(x.tanh().times(x.tanh()))
    }
}

impl Tensor {
    /// The gradient of [`Tensor::tanh`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn tanh_grad<'a>(&self, upstream: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        TANH_GRAD.of([self.into(), upstream.into()])
    }
}

/// Writes [`Tensor::tanh_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn tanh_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    TANH_GRAD.write([x.into(), upstream.into()], out.into(), Location::caller())
}
