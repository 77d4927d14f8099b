//! Arithmetic: addition, subtraction, multiplication, division and remainders.

use crate::kernel::cast::cast;

binary! {
    /// The sum, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// assert_eq!(x.add(&tensor![10, 20, 30])?.to_vec::<i32>()?, [11, 22, 33]);
    /// assert_eq!(x.add(1)?.to_vec::<i32>()?, [2, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ADD: add, add_into, add_assign = Number vectors |x, y| x.plus(y)
}

binary! {
    /// The difference, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// assert_eq!(x.sub(&tensor![10, 20, 30])?.to_vec::<i32>()?, [-9, -18, -27]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SUB: sub, sub_into, sub_assign = Number vectors |x, y| x.minus(y)
}

binary! {
    /// The product, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1.5, 2.0];
    /// assert_eq!(x.mul(2)?.to_vec::<f64>()?, [3.0, 4.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    MUL: mul, mul_into, mul_assign = Number vectors |x, y| x.times(y)
}

binary! {
    /// The quotient, element by element, in floating-point numbers.
    ///
    /// A division by zero gives an infinity or a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 0];
    /// assert_eq!(x.div(&tensor![2, 0, 1])?.to_vec::<f64>()?, [0.5, f64::INFINITY, 0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    DIV: div, div_into, div_assign = Field vectors |x, y| x.over(y)
}

binary! {
    /// The quotient rounded down, element by element.
    ///
    /// An integer divided by zero is 0, as in NumPy; a float an infinity or a NaN. At infinities it is
    /// the quotient itself, as the Array API has it, and not NumPy's NaN or −1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![7, -7, 7];
    /// assert_eq!(x.floor_divide(&tensor![2, 2, 0])?.to_vec::<i32>()?, [3, -4, 0]);
    /// assert_eq!(tensor![-1.0].floor_divide(f64::INFINITY)?.to_vec::<f64>()?, [-0.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    FLOOR_DIVIDE: floor_divide, floor_divide_into, floor_divide_assign =
        Real calls |x, y| x.floor_divide(y)
}

binary! {
    /// What [`Tensor::floor_divide`](crate::Tensor::floor_divide) leaves over: it has the sign of the
    /// divisor, as `%` in Python.
    ///
    /// What an integer leaves when divided by zero is 0, as in NumPy; of a float a NaN.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![7, -7, 7];
    /// assert_eq!(x.remainder(&tensor![3, 3, -3])?.to_vec::<i32>()?, [1, 2, -2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    REMAINDER: remainder, remainder_into, remainder_assign = Real calls |x, y| x.remainder(y)
}

binary! {
    /// What a division rounded towards zero leaves over: it has the sign of the dividend, as `%` in
    /// Rust and C.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![7, -7, 7];
    /// assert_eq!(x.fmod(&tensor![3, 3, -3])?.to_vec::<i32>()?, [1, -1, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    FMOD: fmod, fmod_into, fmod_assign = Real calls |x, y| x.fmod(y)
}

unary! {
    /// The negative, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, -2].negative()?.to_vec::<i32>()?, [-1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    NEGATIVE: negative, negative_into = Number vectors |x| x.negative()
}

unary! {
    /// The elements as they are, in a new tensor: `+x`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, -2].positive()?.to_vec::<i32>()?, [1, -2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    POSITIVE: positive, positive_into =
        Number by |dtype| (!dtype.is_bool()).then(|| cast(dtype, dtype))
}
