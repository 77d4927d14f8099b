//! Exponentials and logarithms.

use crate::dtype::{Float, MulAdd};

unary! {
    /// The exponential, element by element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].exp()?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    EXP: exp, exp_into = Field fused |x| x.exp::<M>()
}

unary! {
    /// Two to the power of each element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3, -1].exp2()?.to_vec::<f64>()?, [8.0, 0.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    EXP2: exp2, exp2_into = Field fused |x| x.exp2::<M>()
}

unary! {
    /// The exponential minus one, with all digits near zero.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1e-20].expm1()?.to_vec::<f64>()?, [1e-20]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    EXPM1: expm1, expm1_into = Field fused |x| x.exp_m1()
}

unary! {
    /// The natural logarithm, element by element; a NaN for negative real numbers.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0].log()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOG: log, log_into = Field fused |x| x.ln::<M>()
}

unary! {
    /// The natural logarithm of one plus each element, with all digits near zero.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1e-20].log1p()?.to_vec::<f64>()?, [1e-20]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOG1P: log1p, log1p_into = Field fused |x| x.ln_1p::<M>()
}

unary! {
    /// The logarithm to the base two; a NaN for negative real numbers.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![8.0, 0.5].log2()?.to_vec::<f64>()?, [3.0, -1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOG2: log2, log2_into = Field fused |x| x.log2()
}

unary! {
    /// The logarithm to the base ten; a NaN for negative real numbers.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1000.0].log10()?.to_vec::<f64>()?, [3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOG10: log10, log10_into = Field fused |x| x.log10()
}

binary! {
    /// The logarithm of a sum, from the logarithms of the summands: `log(exp(x) + exp(y))`, without
    /// overflow on the way.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1000.0].logaddexp(f64::NEG_INFINITY)?.to_vec::<f64>()?, [1000.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOGADDEXP: logaddexp, logaddexp_into = Float fused |x, y| log_of_sum::<T, M>(x, y)
}

#[inline(always)]
fn log_of_sum<T: Float, M: MulAdd>(x: T, y: T) -> T {
    // Equal infinities have no difference.
    let distance = if x == y { T::ZERO } else { x.minus(y).magnitude() };
    x.greater(y).plus(distance.negative().exp::<M>().ln_1p::<M>())
}
