//! Exponentials and logarithms.

use crate::dtype::{Float, FloatTask, MulAdd};
use crate::kernel::body::Body;
use crate::kernel::function::StagedFunction;
use crate::{DType, Element};

unary! {
    /// Computes the elementwise exponential function.
    example(tensor![0.0, 1.0] => f64 near [1.0, 2.7183])
    EXP: exp, exp_into = Field complex Exp or fused |x| x.exp::<M>()
}

unary! {
    /// Computes `2^x` elementwise.
    example(tensor![3.0, -1.0] => f64 [8.0, 0.5])
    EXP2: exp2, exp2_into = Field fused |x| x.exp2::<M>()
}

unary! {
    /// Computes `exp(x) - 1` without cancellation near 0.
    example(tensor![1e-20] => f64 [1e-20])
    EXPM1: expm1, expm1_into = Field complex ExpM1 or fused |x| x.exp_m1::<M>()
}

unary! {
    /// Computes the natural logarithm; NaN for negative real numbers.
    example(tensor![1.0, 10.0] => f64 near [0.0, 2.3026])
    LOG: log, log_into = Field complex Ln or fused |x| x.ln::<M>()
}

unary! {
    /// Computes `log(1 + x)` without cancellation near 0.
    example(tensor![1e-20] => f64 [1e-20])
    LOG1P: log1p, log1p_into = Field complex LnOnePlus or fused |x| x.ln_1p::<M>()
}

unary! {
    /// Computes the logarithm to base 2; NaN for negative real numbers.
    example(tensor![8.0, 0.5] => f64 [3.0, -1.0])
    LOG2: log2, log2_into = Field complex Log2 or fused |x| x.log2::<M>()
}

unary! {
    /// Computes the logarithm to base 10; NaN for negative real numbers.
    example(tensor![1000.0, 0.1] => f64 near [3.0, -1.0])
    LOG10: log10, log10_into = Field complex Log10 or fused |x| x.log10::<M>()
}

binary! {
    /// Computes `log(exp(x) + exp(y))` without overflow: the logarithm of a sum, from the logarithms of its terms.
    example(tensor![0.0, 1000.0], &tensor![0.0, 1.0] => f64 near [0.6931, 1000.0])
    LOGADDEXP: logaddexp, logaddexp_into = Float by |dtype: DType| dtype.with_float(LogOfSum)
}

/// The greater element, plus `log(1 + p)` with the exponential `p` of the negative distance, which is at most 1.
struct LogOfSum;

impl<T: Float> StagedFunction<T> for LogOfSum {
    #[inline(always)]
    fn first<M: MulAdd>(x: T, y: T) -> [T; 2] {
        // Equal infinities have no difference.
        let distance = if x == y { T::ZERO } else { x.minus(y).magnitude() };
        [distance.negative().exp::<M>(), T::ZERO]
    }

    #[inline(always)]
    fn second<M: MulAdd>(x: T, y: T, [power, _]: [T; 2]) -> T {
        x.greater(y).plus(power.ln_1p_of_fraction::<M>())
    }
}

impl FloatTask for LogOfSum {
    type Output = Body<'static, 3>;

    fn run<E: Element<Wide: Float>>(self) -> Body<'static, 3> {
        Body::binary_staged::<E, LogOfSum>()
    }
}
