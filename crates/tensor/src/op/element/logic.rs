//! Logic, and questions about one element: results are `bool`.

binary! {
    /// Whether both elements are true. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, y) = (tensor![false, false, true], tensor![false, true, true]);
    /// assert_eq!(x.logical_and(&y)?.to_vec::<bool>()?, [false, false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOGICAL_AND: logical_and, logical_and_into =
        Any vectors |x, y| -> bool x.is_true() & y.is_true()
}

binary! {
    /// Whether one of two elements is true. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, y) = (tensor![false, false, true], tensor![false, true, true]);
    /// assert_eq!(x.logical_or(&y)?.to_vec::<bool>()?, [false, true, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOGICAL_OR: logical_or, logical_or_into = Any vectors |x, y| -> bool x.is_true() | y.is_true()
}

binary! {
    /// Whether exactly one of two elements is true. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, y) = (tensor![false, false, true], tensor![false, true, true]);
    /// assert_eq!(x.logical_xor(&y)?.to_vec::<bool>()?, [false, true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOGICAL_XOR: logical_xor, logical_xor_into =
        Any vectors |x, y| -> bool x.is_true() ^ y.is_true()
}

unary! {
    /// Whether each element is false. Every value but zero is true.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0, 3].logical_not()?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LOGICAL_NOT: logical_not, logical_not_into = Any vectors |x| -> bool !x.is_true()
}

unary! {
    /// Whether each element is a NaN, or has a part that is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![f64::NAN, 1.0].isnan()?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ISNAN: isnan, isnan_into = Any vectors |x| -> bool x.is_nan()
}

unary! {
    /// Whether each element is an infinity, or has a part that is.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![f64::NEG_INFINITY, 1.0].isinf()?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ISINF: isinf, isinf_into = Any vectors |x| -> bool x.is_infinite()
}

unary! {
    /// Whether each element is neither an infinity nor a NaN, in all its parts.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![f64::NAN, 1.0].isfinite()?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ISFINITE: isfinite, isfinite_into = Any vectors |x| -> bool x.is_finite()
}

unary! {
    /// Whether each element has a minus: also a zero, and a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![-0.0, 1.0].signbit()?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SIGNBIT: signbit, signbit_into = Float vectors |x| -> bool x.has_minus()
}
