//! Activation functions and their gradients.
//!
//! Each is a function and its derivative. The gradient of a loss with respect to the input is the gradient with
//! respect to the output times the derivative: `x.relu_grad(&upstream)`. Integers are cast to `float64`.

use crate::dtype::{Float, MulAdd};

unary! {
    /// Computes the rectified linear unit `max(x, 0)`; NaN stays NaN.
    example(tensor![-1.0, 2.0] => f64 [0.0, 2.0])
    RELU: relu, relu_into = Float vectors |x| x.greater(T::ZERO)
}

binary! {
    /// Computes the gradient of [`Tensor::relu`](crate::Tensor::relu): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![-1.0, 2.0], &tensor![10.0, 10.0] => f64 [0.0, 10.0])
    RELU_GRAD: relu_grad, relu_grad_into =
        Float vectors |x, upstream| upstream.times(if x > T::ZERO { T::ONE } else { T::ZERO })
}

unary! {
    /// Computes the rectified linear unit capped at 6: `min(max(x, 0), 6)`.
    example(tensor![-1.0, 2.0, 9.0] => f64 [0.0, 2.0, 6.0])
    RELU6: relu6, relu6_into = Float vectors |x| x.greater(T::ZERO).smaller(T::of(6.0))
}

binary! {
    /// Computes the gradient of [`Tensor::relu6`](crate::Tensor::relu6): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![-1.0, 2.0, 9.0], 10.0 => f64 [0.0, 10.0, 0.0])
    RELU6_GRAD: relu6_grad, relu6_grad_into =
        Float vectors |x, upstream| upstream.times(relu6_slope(x))
}

unary! {
    /// Computes the Gaussian error linear unit `x · Φ(x)`, with the exact normal distribution function `Φ`.
    example(tensor![-1.0, 0.0, 2.0] => f64 near [-0.1587, 0.0, 1.9545])
    GELU: gelu, gelu_into = Float fused |x| x.gelu::<M>()
}

binary! {
    /// Computes the gradient of [`Tensor::gelu`](crate::Tensor::gelu): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![0.0, 2.0], 10.0 => f64 near [5.0, 10.8523])
    GELU_GRAD: gelu_grad, gelu_grad_into =
        Float fused |x, upstream| upstream.times(gelu_slope::<T, M>(x))
}

unary! {
    /// Computes the tanh approximation of [`Tensor::gelu`](crate::Tensor::gelu), which many models were trained with:
    /// `x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))`.
    example(tensor![-1.0, 0.0, 2.0] => f64 near [-0.1588, 0.0, 1.9546])
    GELU_TANH: gelu_tanh, gelu_tanh_into = Float fused |x| x.gelu_tanh::<M>()
}

binary! {
    /// Computes the gradient of [`Tensor::gelu_tanh`](crate::Tensor::gelu_tanh): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![0.0, 2.0], 10.0 => f64 near [5.0, 10.8610])
    GELU_TANH_GRAD: gelu_tanh_grad, gelu_tanh_grad_into =
        Float fused |x, upstream| upstream.times(gelu_tanh_slope::<T, M>(x))
}

unary! {
    /// Computes the logistic function `1 / (1 + exp(-x))`.
    example(tensor![-2.0, 0.0, 2.0] => f64 near [0.1192, 0.5, 0.8808])
    SIGMOID: sigmoid, sigmoid_into = Float fused |x| x.logistic::<M>()
}

binary! {
    /// Computes the gradient of [`Tensor::sigmoid`](crate::Tensor::sigmoid): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![0.0, 2.0], 10.0 => f64 near [2.5, 1.0499])
    SIGMOID_GRAD: sigmoid_grad, sigmoid_grad_into =
        Float fused |x, upstream| upstream.times(logistic_slope::<T, M>(x))
}

unary! {
    /// Computes the piecewise linear sigmoid `min(max(x / 6 + 1/2, 0), 1)`.
    example(tensor![-3.0, 0.0, 5.0] => f64 [0.0, 0.5, 1.0])
    HARD_SIGMOID: hard_sigmoid, hard_sigmoid_into = Float vectors |x| hard_logistic(x)
}

binary! {
    /// Computes the gradient of [`Tensor::hard_sigmoid`](crate::Tensor::hard_sigmoid): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![-4.0, 0.0, 5.0], 6.0 => f64 [0.0, 1.0, 0.0])
    HARD_SIGMOID_GRAD: hard_sigmoid_grad, hard_sigmoid_grad_into =
        Float vectors |x, upstream| upstream.times(hard_logistic_slope(x))
}

unary! {
    /// Computes `log(1 + exp(x))`, a smooth approximation of [`Tensor::relu`](crate::Tensor::relu), without overflow.
    example(tensor![0.0, 1000.0] => f64 near [0.6931, 1000.0])
    SOFTPLUS: softplus, softplus_into = Float fused |x| x.softplus::<M>()
}

binary! {
    /// Computes the gradient of [`Tensor::softplus`](crate::Tensor::softplus): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![0.0, 1000.0], 10.0 => f64 [5.0, 10.0])
    SOFTPLUS_GRAD: softplus_grad, softplus_grad_into =
        Float fused |x, upstream| upstream.times(x.logistic::<M>())
}

unary! {
    /// Computes the sigmoid linear unit (SiLU) `x · sigmoid(x)`.
    example(tensor![-2.0, 0.0, 2.0] => f64 near [-0.2384, 0.0, 1.7616])
    SWISH: swish, swish_into = Float fused |x| x.swish::<M>()
}

binary! {
    /// Computes the gradient of [`Tensor::swish`](crate::Tensor::swish): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![0.0, 2.0], 10.0 => f64 near [5.0, 10.9078])
    SWISH_GRAD: swish_grad, swish_grad_into =
        Float fused |x, upstream| upstream.times(swish_slope::<T, M>(x))
}

unary! {
    /// Computes `x · hard_sigmoid(x)`, a piecewise quadratic approximation of [`Tensor::swish`](crate::Tensor::swish).
    example(tensor![-4.0, 3.0] => f64 [-0.0, 3.0])
    HARD_SWISH: hard_swish, hard_swish_into = Float vectors |x| x.times(hard_logistic(x))
}

binary! {
    /// Computes the gradient of [`Tensor::hard_swish`](crate::Tensor::hard_swish): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![-4.0, 0.0, 4.0], 10.0 => f64 [0.0, 5.0, 10.0])
    HARD_SWISH_GRAD: hard_swish_grad, hard_swish_grad_into =
        Float vectors |x, upstream| upstream.times(hard_swish_slope(x))
}

binary! {
    /// Computes the gradient of [`Tensor::tanh`](crate::Tensor::tanh): the gradient of its output, `other`, times its
    /// derivative.
    example(tensor![0.0, 1.0], 10.0 => f64 near [10.0, 4.1997])
    TANH_GRAD: tanh_grad, tanh_grad_into = Float fused |x, upstream| upstream.times(tanh_slope::<T, M>(x))
}

several! {
    /// Computes the leaky rectified linear unit: `x` if positive, else `alpha · x`.
    example(tensor![-1.0, 2.0], 0.5 => f64 [-0.5, 2.0])
    LEAKY_RELU: leaky_relu, leaky_relu_into =
        Float vectors |x, alpha| if x > T::ZERO { x } else { x.times(alpha) }
}

several! {
    /// Computes the gradient of [`Tensor::leaky_relu`](crate::Tensor::leaky_relu): the gradient of its output, `upstream`,
    /// times its derivative.
    example(tensor![-1.0, 2.0], 10.0, 0.5 => f64 [5.0, 10.0])
    LEAKY_RELU_GRAD: leaky_relu_grad, leaky_relu_grad_into =
        Float vectors |x, upstream, alpha| upstream.times(if x > T::ZERO { T::ONE } else { alpha })
}

several! {
    /// Computes the exponential linear unit: `x` if positive, else `alpha · (exp(x) - 1)`.
    example(tensor![-1.0, 2.0], 1.0 => f64 near [-0.6321, 2.0])
    ELU: elu, elu_into = Float fused |x, alpha| {
        let below = x.exp_m1::<M>().times(alpha);
        if x > T::ZERO { x } else { below }
    }
}

several! {
    /// Computes the gradient of [`Tensor::elu`](crate::Tensor::elu): the gradient of its output, `upstream`, times its
    /// derivative.
    example(tensor![-1.0, 2.0], 10.0, 1.0 => f64 near [3.6788, 10.0])
    ELU_GRAD: elu_grad, elu_grad_into = Float fused |x, upstream, alpha| {
        let below = x.exp::<M>().times(alpha);
        upstream.times(if x > T::ZERO { T::ONE } else { below })
    }
}

#[inline(always)]
fn relu6_slope<T: Float>(x: T) -> T {
    if x > T::ZERO && x < T::of(6.0) { T::ONE } else { T::ZERO }
}

#[inline(always)]
fn gelu_slope<T: Float, M: MulAdd>(x: T) -> T {
    normal_cdf::<T, M>(x).plus(x.times(normal_density::<T, M>(x)))
}

#[inline(always)]
fn logistic_slope<T: Float, M: MulAdd>(x: T) -> T {
    let share = x.logistic::<M>();
    share.times(T::ONE.minus(share))
}

#[inline(always)]
fn swish_slope<T: Float, M: MulAdd>(x: T) -> T {
    let share = x.logistic::<M>();
    share.times(T::ONE.plus(x.times(T::ONE.minus(share))))
}

#[inline(always)]
fn gelu_tanh_slope<T: Float, M: MulAdd>(x: T) -> T {
    // Beyond the bound the slope is 0 or 1, and the square would be infinite.
    let x = if x > T::of(40.0) { T::of(40.0) } else { x };
    let x = if x < T::of(-40.0) { T::of(-40.0) } else { x };
    // The activation is `x` times the logistic function of this.
    let square = x.times(x).times(T::of(0.044_715));
    let inner = x.times(T::of(TWICE_ROOT)).times(T::ONE.plus(square));
    let rise = T::of(TWICE_ROOT).times(T::ONE.plus(square.times(T::of(3.0))));
    let share = inner.logistic::<M>();
    share.times(T::ONE.plus(x.times(rise).times(T::ONE.minus(share))))
}

/// `2 √(2/π)`.
const TWICE_ROOT: f64 = 1.595_769_121_605_730_7;

#[inline(always)]
fn tanh_slope<T: Float, M: MulAdd>(x: T) -> T {
    let value = x.tanh::<M>();
    T::ONE.minus(value.times(value))
}

#[inline(always)]
fn hard_logistic<T: Float>(x: T) -> T {
    x.times(T::of(1.0 / 6.0)).plus(T::of(0.5)).greater(T::ZERO).smaller(T::ONE)
}

#[inline(always)]
fn hard_logistic_slope<T: Float>(x: T) -> T {
    if x > T::of(-3.0) && x < T::of(3.0) { T::of(1.0 / 6.0) } else { T::ZERO }
}

#[inline(always)]
fn hard_swish_slope<T: Float>(x: T) -> T {
    match (x > T::of(-3.0), x < T::of(3.0)) {
        (true, true) => x.times(T::of(1.0 / 3.0)).plus(T::of(0.5)),
        (true, false) => T::ONE,
        _ => T::ZERO,
    }
}

/// Returns the cumulative distribution function of the standard normal distribution at `x`.
#[inline(always)]
fn normal_cdf<T: Float, M: MulAdd>(x: T) -> T {
    T::of(0.5).times(T::ONE.plus(x.times(T::of(std::f64::consts::FRAC_1_SQRT_2)).erf::<M>()))
}

/// Returns the density of the standard normal distribution at `x`.
#[inline(always)]
fn normal_density<T: Float, M: MulAdd>(x: T) -> T {
    x.times(x).times(T::of(-0.5)).exp::<M>().times(T::of(0.398_942_280_401_432_7))
}
