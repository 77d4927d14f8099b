//! Hyperbolic functions.

unary! {
    /// Computes the hyperbolic sine.
    example(tensor![0.0, 1.0] => f64 near [0.0, 1.1752])
    SINH: sinh, sinh_into = Field complex Sinh or fused |x| x.sinh::<M>()
}

unary! {
    /// Computes the hyperbolic cosine.
    example(tensor![0.0, 1.0] => f64 near [1.0, 1.5431])
    COSH: cosh, cosh_into = Field complex Cosh or fused |x| x.cosh::<M>()
}

unary! {
    /// Computes the hyperbolic tangent.
    example(tensor![0.0, 1.0] => f64 near [0.0, 0.7616])
    TANH: tanh, tanh_into = Field complex Tanh or fused |x| x.tanh::<M>()
}

unary! {
    /// Computes the inverse hyperbolic sine.
    example(tensor![0.0, 1.0] => f64 near [0.0, 0.8814])
    ASINH: asinh, asinh_into = Field fused |x| x.asinh::<M>()
}

unary! {
    /// Computes the inverse hyperbolic cosine; NaN for real numbers below 1.
    example(tensor![1.0, 2.0] => f64 near [0.0, 1.3170])
    ACOSH: acosh, acosh_into = Field fused |x| x.acosh::<M>()
}

unary! {
    /// Computes the inverse hyperbolic tangent; NaN for real numbers outside [-1, 1].
    example(tensor![0.0, 0.5] => f64 near [0.0, 0.5493])
    ATANH: atanh, atanh_into = Field fused |x| x.atanh::<M>()
}
