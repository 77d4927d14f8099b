//! Powers and roots.

use crate::kernel::body::Body;
use crate::op::elementwise::BinaryOp;
use crate::op::number::common_type;
use crate::op::operand::{Operand, Target};
use crate::op::reduce::min_integer;
use crate::{DType, Error, Tensor, broadcast_shapes};
use std::panic::Location;

unary! {
    /// The square root, element by element; a NaN for negative real numbers.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![4.0, 9.0].sqrt()?.to_vec::<f64>()?, [2.0, 3.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SQRT: sqrt, sqrt_into = Field vectors |x| x.sqrt()
}

unary! {
    /// One divided by the square root.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![4.0, 0.25].rsqrt()?.to_vec::<f64>()?, [0.5, 2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    RSQRT: rsqrt, rsqrt_into = Field vectors |x| x.sqrt().reciprocal()
}

unary! {
    /// The cube root, element by element; also of negative numbers.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![27.0, -8.0].cbrt()?.to_vec::<f64>()?, [3.0, -2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    CBRT: cbrt, cbrt_into = Float calls |x| x.cbrt()
}

unary! {
    /// The square, element by element; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3, -4].square()?.to_vec::<i32>()?, [9, 16]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    SQUARE: square, square_into = Number vectors |x| x.times(x)
}

unary! {
    /// One divided by each element.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![2.0, -4.0].reciprocal()?.to_vec::<f64>()?, [0.5, -0.25]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    RECIPROCAL: reciprocal, reciprocal_into = Field vectors |x| x.reciprocal()
}

binary! {
    /// The distance from the origin to a point: `sqrt(x² + y²)`, without overflow on the way.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![3.0].hypot(4)?.to_vec::<f64>()?, [5.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    HYPOT: hypot, hypot_into = Float calls |x, y| x.hypot(y)
}

const POW: BinaryOp = operation!("pow", Number by pow_body);

/// Powers of `float32` and what calculates in it are vector code; those of other types are calls.
fn pow_body(dtype: DType) -> Option<Body<'static, 3>> {
    match dtype {
        DType::Float32 | DType::Float16 | DType::BFloat16 => {
            body!(Float fused |x, y| x.power(y))(dtype)
        }
        _ => body!(Number calls |x, y| x.power(y))(dtype),
    }
}

impl Tensor {
    /// Each element to the power of the other; integers wrap around.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![2, 3].pow(3)?.to_vec::<i32>()?, [8, 27]);
    /// assert_eq!(tensor![4.0].pow(0.5)?.to_vec::<f64>()?, [2.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not broadcast, the type is `bool`, or integers have a negative exponent.
    ///
    /// # Memory
    /// The result is new.
    pub fn pow<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        let operands = [self.into(), other.into()];
        check_exponents(&operands)?;
        POW.compute(operands)
    }

    /// Raises every element to a power.
    ///
    /// # Errors
    /// As for [`Tensor::pow`]; and if it would change the shape or the kind of type, or cannot be
    /// written to.
    ///
    /// # Memory
    /// Copies `other` first if the two share elements, and do not lie by the same strides.
    #[track_caller]
    pub fn pow_assign<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(), Error> {
        let other: Operand<'_> = other.into();
        pow_into(self, other, self)
    }
}

impl<'a> Operand<'a> {
    /// [`Tensor::pow`] of this and another operand, of which either may be a number.
    ///
    /// # Errors
    /// As for the method.
    ///
    /// # Memory
    /// The result is new.
    pub fn pow(self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        let operands = [self, other.into()];
        check_exponents(&operands)?;
        POW.compute(operands)
    }
}

/// Writes [`Tensor::pow`] of `x` and `y` to `out`, which may be one of them.
///
/// # Errors
/// As for the method; and if `out` has another shape, cannot hold the type, or cannot be written to.
///
/// # Memory
/// Copies an operand first if it shares elements with `out`, and the two do not lie by the same
/// strides.
#[track_caller]
pub fn pow_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let operands = [x.into(), y.into()];
    check_exponents(&operands)?;
    POW.compute_into(operands, out.into(), Location::caller())
}

/// Refuses negative exponents among integers, if there is something to raise to them. Exponents that
/// turn negative on another thread, after they were looked at, give 0.
fn check_exponents(operands: &[Operand<'_>; 2]) -> Result<(), Error> {
    let [x, y] = operands;
    let is_empty = broadcast_shapes(&[&x.shape(), &y.shape()])?.contains(&0);
    if is_empty || !common_type(&[x, y]).is_integer() {
        return Ok(());
    }
    match min_integer(y)? {
        Some(exponent) if exponent < 0 => Err(Error::NegativePower { exponent }),
        _ => Ok(()),
    }
}
