//! Hyperbolic functions.

unary! {
    /// The hyperbolic sine, element by element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].sinh()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SINH: sinh, sinh_into = Field fused |x| x.sinh()
}

unary! {
    /// The hyperbolic cosine, element by element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].cosh()?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    COSH: cosh, cosh_into = Field fused |x| x.cosh()
}

unary! {
    /// The hyperbolic tangent, element by element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].tanh()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    TANH: tanh, tanh_into = Field fused |x| x.tanh()
}

unary! {
    /// The inverse hyperbolic sine, element by element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].asinh()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ASINH: asinh, asinh_into = Field calls |x| x.asinh()
}

unary! {
    /// The inverse hyperbolic cosine, element by element; a NaN for real numbers below 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0].acosh()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ACOSH: acosh, acosh_into = Field calls |x| x.acosh()
}

unary! {
    /// The inverse hyperbolic tangent, element by element; a NaN for real numbers beyond ±1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0].atanh()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ATANH: atanh, atanh_into = Field calls |x| x.atanh()
}
