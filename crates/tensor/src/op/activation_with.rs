//! Activation functions with a parameter, and their gradients.

use super::activation::{GradientOf, Parametric, ValueOf};
use super::elementwise::{Binary, Ternary};
use super::family::{FloatBinary, FloatTernary};
use super::operand::{Operand, Target};
use crate::dtype::Float;
use crate::{Error, Tensor};
use std::panic::Location;

const LEAKY_RELU: Binary =
    Binary::new("leaky_relu", <ValueOf<LeakyRelu> as FloatBinary>::body).in_floats();
const LEAKY_RELU_GRAD: Ternary =
    Ternary::new("leaky_relu_grad", <GradientOf<LeakyRelu> as FloatTernary>::body).in_floats();

struct LeakyRelu;

impl Parametric for LeakyRelu {
    #[inline(always)]
    fn value<T: Float>(x: T, alpha: T) -> T {
        if x > T::ZERO { x } else { x.times(alpha) }
    }

    #[inline(always)]
    fn slope<T: Float>(x: T, alpha: T) -> T {
        if x > T::ZERO { T::ONE } else { alpha }
    }
}

impl Tensor {
    /// `x` if it is positive, and else `alpha · x`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![-1.0, 2.0];
    /// assert_eq!(x.leaky_relu(0.5)?.to_vec::<f64>()?, [-0.5, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn leaky_relu(&self, alpha: f64) -> Result<Tensor, Error> {
        LEAKY_RELU.of([self.into(), alpha.into()])
    }

    /// The gradient of [`Tensor::leaky_relu`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn leaky_relu_grad<'a>(
        &self,
        upstream: impl Into<Operand<'a>>,
        alpha: f64,
    ) -> Result<Tensor, Error> {
        LEAKY_RELU_GRAD.of([self.into(), upstream.into(), alpha.into()])
    }
}

/// Writes [`Tensor::leaky_relu`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn leaky_relu_into<'a>(
    x: impl Into<Operand<'a>>,
    alpha: f64,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LEAKY_RELU.write([x.into(), alpha.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::leaky_relu_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn leaky_relu_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    alpha: f64,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    LEAKY_RELU_GRAD.write([x.into(), upstream.into(), alpha.into()], out.into(), Location::caller())
}

const ELU: Binary = Binary::new("elu", <ValueOf<Elu> as FloatBinary>::body).in_floats();
const ELU_GRAD: Ternary =
    Ternary::new("elu_grad", <GradientOf<Elu> as FloatTernary>::body).in_floats();

struct Elu;

impl Parametric for Elu {
    #[inline(always)]
    fn value<T: Float>(x: T, alpha: T) -> T {
        if x > T::ZERO { x } else { x.exp_m1().times(alpha) }
    }

    #[inline(always)]
    fn slope<T: Float>(x: T, alpha: T) -> T {
        if x > T::ZERO { T::ONE } else { x.exp().times(alpha) }
    }
}

impl Tensor {
    /// `x` if it is positive, and else `alpha · (exp(x) - 1)`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![0.0, 2.0];
    /// assert_eq!(x.elu(1.0)?.to_vec::<f64>()?, [0.0, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// Integers become `float64`.
    ///
    /// # Errors
    /// If the type is complex.
    pub fn elu(&self, alpha: f64) -> Result<Tensor, Error> {
        ELU.of([self.into(), alpha.into()])
    }

    /// The gradient of [`Tensor::elu`]: the gradient of its output times its slope here.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the type is complex.
    pub fn elu_grad<'a>(
        &self,
        upstream: impl Into<Operand<'a>>,
        alpha: f64,
    ) -> Result<Tensor, Error> {
        ELU_GRAD.of([self.into(), upstream.into(), alpha.into()])
    }
}

/// Writes [`Tensor::elu`] of `x` to `out`, which may be `x` itself.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn elu_into<'a>(
    x: impl Into<Operand<'a>>,
    alpha: f64,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    ELU.write([x.into(), alpha.into()], out.into(), Location::caller())
}

/// Writes [`Tensor::elu_grad`] of `x` to `out`, which may be one of the operands.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
#[track_caller]
pub fn elu_grad_into<'a>(
    x: impl Into<Operand<'a>>,
    upstream: impl Into<Operand<'a>>,
    alpha: f64,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    ELU_GRAD.write([x.into(), upstream.into(), alpha.into()], out.into(), Location::caller())
}
