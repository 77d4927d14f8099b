//! Several steps in one pass over the elements.

use super::elementwise::Quaternary;
use super::operand::{Operand, Target};
use crate::dtype::Float;
use crate::{Error, Tensor};
use std::panic::Location;

ternary! {
    /// `x · factor + summand`; rounded once for real numbers.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].mul_add(10, 3)?.to_vec::<i32>()?, [13, 23]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    MUL_ADD: mul_add, mul_add_into =
        Number vectors |x, factor, summand| x.times_plus(factor, summand)
}

ternary! {
    /// The point between this and `end` that is `weight` of the way from here: exactly this for 0,
    /// and exactly `end` for 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![0.0, 10.0].lerp(20, 0.25)?.to_vec::<f64>()?, [5.0, 12.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    LERP: lerp, lerp_into = Float vectors |x, end, weight| between(x, end, weight)
}

#[inline(always)]
fn between<T: Float>(start: T, end: T, weight: T) -> T {
    let way = end.minus(start);
    match weight < T::of(0.5) {
        true => start.plus(weight.times(way)),
        false => end.minus(way.times(T::ONE.minus(weight))),
    }
}

const ADDCMUL: Quaternary =
    operation!("addcmul", Number vectors |x, a, b, value| x.plus(value.times(a).times(b)));

impl Tensor {
    /// `x + value · a · b`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].addcmul(&tensor![3, 4], 10, 2)?.to_vec::<i32>()?, [61, 82]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[doc = method_sections!(several Number)]
    pub fn addcmul<'a>(
        &self,
        a: impl Into<Operand<'a>>,
        b: impl Into<Operand<'a>>,
        value: impl Into<Operand<'a>>,
    ) -> Result<Tensor, Error> {
        ADDCMUL.of([self.into(), a.into(), b.into(), value.into()])
    }
}

#[doc = into_documentation!("[`Tensor::addcmul`]", "one of the operands")]
#[track_caller]
pub fn addcmul_into<'a>(
    x: impl Into<Operand<'a>>,
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    value: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let operands = [x.into(), a.into(), b.into(), value.into()];
    ADDCMUL.write(operands, out.into(), Location::caller())
}

const ADDCDIV: Quaternary =
    operation!("addcdiv", Field vectors |x, a, b, value| x.plus(value.times(a).over(b)));

impl Tensor {
    /// `x + value · a / b`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.0].addcdiv(3, 4, 2)?.to_vec::<f64>()?, [2.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[doc = method_sections!(several Field)]
    pub fn addcdiv<'a>(
        &self,
        a: impl Into<Operand<'a>>,
        b: impl Into<Operand<'a>>,
        value: impl Into<Operand<'a>>,
    ) -> Result<Tensor, Error> {
        ADDCDIV.of([self.into(), a.into(), b.into(), value.into()])
    }
}

#[doc = into_documentation!("[`Tensor::addcdiv`]", "one of the operands")]
#[track_caller]
pub fn addcdiv_into<'a>(
    x: impl Into<Operand<'a>>,
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    value: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let operands = [x.into(), a.into(), b.into(), value.into()];
    ADDCDIV.write(operands, out.into(), Location::caller())
}
