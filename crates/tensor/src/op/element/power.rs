//! Powers and roots.

use crate::dtype::{BaselineFma, MulAdd, complex_power, double, single};
use crate::kernel::body::Body;
use crate::kernel::function::StagedFunction;
use crate::kernel::power_loop::IntegerPowers;
use crate::op::elementwise::BinaryOp;
use crate::op::number::common_type;
use crate::op::operand::{Operand, Target};
use crate::op::reduce::min_integer;
use crate::trace::{Call, inside};
use crate::{DType, Error, Tensor, bf16, broadcast_shapes, f16};

unary! {
    /// Computes the elementwise square root; NaN for negative real numbers.
    example(tensor![4.0, 9.0] => f64 [2.0, 3.0])
    SQRT: sqrt, sqrt_into = Field vectors |x| x.sqrt()
}

unary! {
    /// Computes the reciprocal square root `1 / sqrt(x)`.
    example(tensor![4.0, 0.25] => f64 [0.5, 2.0])
    RSQRT: rsqrt, rsqrt_into = Field vectors |x| x.sqrt().reciprocal()
}

unary! {
    /// Computes the cube root, also of negative numbers.
    example(tensor![27.0, -8.0] => f64 [3.0, -2.0])
    CBRT: cbrt, cbrt_into = Float fused |x| x.cbrt::<M>()
}

unary! {
    /// Computes the elementwise square; integers wrap around.
    example(tensor![3, -4] => i32 [9, 16])
    SQUARE: square, square_into = Number vectors |x| x.times(x)
}

unary! {
    /// Computes the reciprocal `1 / x`.
    example(tensor![2.0, -4.0] => f64 [0.5, -0.25])
    RECIPROCAL: reciprocal, reciprocal_into = Field vectors |x| x.reciprocal()
}

binary! {
    /// Computes the length of the hypotenuse `sqrt(x² + y²)` without intermediate overflow.
    example(tensor![3.0, 5e200], &tensor![4.0, 0.0] => f64 [5.0, 5e200])
    HYPOT: hypot, hypot_into = Float fused |x, y| x.hypot::<M>(y)
}

const POW: BinaryOp = operation!("pow", Number by pow_body);

/// Returns the body of `pow`: vector code for real numbers, and calls for complex ones.
fn pow_body(dtype: DType) -> Option<Body<'static, 3>> {
    match dtype {
        DType::Float16 => Some(Body::binary_staged::<f16, SinglePowers>()),
        DType::BFloat16 => Some(Body::binary_staged::<bf16, SinglePowers>()),
        DType::Float32 => Some(Body::binary_staged::<f32, SinglePowers>()),
        DType::Float64 => Some(Body::binary_staged::<f64, DoublePowers>()),
        _ if dtype.is_integer() => dtype.with_integer(IntegerPowers),
        DType::Complex64 => Some(Body::binary_calls(complex_power::<f32>)),
        DType::Complex128 => Some(Body::binary_calls(complex_power::<f64>)),
        _ => None,
    }
}

/// Powers of `f32`.
struct SinglePowers;

impl StagedFunction<f32> for SinglePowers {
    const HAS_VECTOR_SLOW: bool = true;

    #[inline(always)]
    fn in_fast_range(x: f32, y: f32) -> bool {
        single::power_in_fast_range(x, y)
    }

    #[inline(always)]
    fn first<M: MulAdd>(x: f32, y: f32) -> [f32; 2] {
        single::power_logarithm::<M>(x, y)
    }

    #[inline(always)]
    fn second<M: MulAdd>(_x: f32, _y: f32, logarithm: [f32; 2]) -> f32 {
        single::power_from_logarithm::<M>(logarithm)
    }

    #[inline(always)]
    fn slow(x: f32, y: f32, value: f32) -> f32 {
        single::power_with_cases(x, y, value)
    }
}

/// Powers of `f64`.
struct DoublePowers;

impl StagedFunction<f64> for DoublePowers {
    #[inline(always)]
    fn in_fast_range(x: f64, y: f64) -> bool {
        double::power_in_fast_range(x, y)
    }

    #[inline(always)]
    fn first<M: MulAdd>(x: f64, y: f64) -> [f64; 2] {
        double::power_logarithm::<M>(x, y)
    }

    #[inline(always)]
    fn second<M: MulAdd>(_x: f64, _y: f64, logarithm: [f64; 2]) -> f64 {
        double::power_from_logarithm::<M>(logarithm)
    }

    #[inline(always)]
    fn slow(x: f64, y: f64, _value: f64) -> f64 {
        double::power_fused::<BaselineFma>(x, y)
    }
}

/// Defines a power by a product or a root. Its second operand, the exponent, is not read.
macro_rules! power {
    ($class:ident |$x:ident| $value:expr) => {
        operation!("pow", Number by |dtype| body!($class vectors |$x, _exponent| $value)(dtype))
    };
}

const SQUARED: BinaryOp = power!(Number | x | x.times(x));
const CUBED: BinaryOp = power!(Number | x | x.times(x).times(x));
const FOURTH: BinaryOp = power!(Number | x | x.times(x).times(x.times(x)));
const ROOT: BinaryOp = power!(Field | x | x.sqrt());
const ROOT_CUBED: BinaryOp = power!(Float | x | x.times(x.sqrt()));
const INVERTED: BinaryOp = power!(Field | x | x.reciprocal());
const INVERTED_SQUARE: BinaryOp = power!(Float | x | x.times(x).reciprocal());
const INVERTED_ROOT: BinaryOp = power!(Float | x | x.sqrt().reciprocal());

/// Returns the operation for an exponent: a product or a root if it is a scalar and a small integer or half.
fn power_of(operands: &[Operand<'_>; 2]) -> BinaryOp {
    let Some(exponent) = operands[1].real_number() else { return POW };
    let dtype = common_type(&[&operands[0], &operands[1]]);
    let (is_complex, is_integer) = (dtype.is_complex(), dtype.is_integer());
    match exponent {
        2.0 => SQUARED,
        3.0 if !is_complex => CUBED,
        4.0 if !is_complex => FOURTH,
        0.5 => ROOT,
        1.5 if !is_complex => ROOT_CUBED,
        // Checked before: only empty integer tensors come here with a negative exponent.
        ..0.0 if is_integer => POW,
        -1.0 => INVERTED,
        -2.0 if !is_complex => INVERTED_SQUARE,
        -0.5 if !is_complex => INVERTED_ROOT,
        _ => POW,
    }
}

impl Tensor {
    /// Raises each element to the power `other`; integers wrap around.
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
    /// If the shapes do not broadcast, the dtype is `bool`, or integers have a negative exponent.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn pow<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        let operands = [self.into(), other.into()];
        check_exponents(&operands)?;
        power_of(&operands).compute(operands)
    }

    /// Computes [`Tensor::pow`] in place.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 2, 3];
    /// x.pow_assign(2)?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 4, 9]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Tensor::pow`]; and if the result has another shape or a dtype of a greater kind, or the
    /// elements cannot be written to.
    ///
    /// # Memory
    /// Copies `other` first if it overlaps the tensor with other strides.
    #[track_caller]
    pub fn pow_assign<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(), Error> {
        let other: Operand<'_> = other.into();
        pow_into(self, other, self)
    }
}

impl<'a> Operand<'a> {
    /// Computes [`Tensor::pow`] of this operand and another; either may be a number.
    ///
    /// ```
    /// use belvedere::{Operand, prelude::*};
    ///
    /// let y = Operand::from(2).pow(&tensor![1, 2, 3])?;
    /// assert_eq!(y.to_vec::<i32>()?, [2, 4, 8]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Tensor::pow`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn pow(self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        let operands = [self, other.into()];
        check_exponents(&operands)?;
        power_of(&operands).compute(operands)
    }
}

/// Writes [`Tensor::pow`] of `x` and `y` to `out`, which may be one of them.
///
/// ```
/// use belvedere::prelude::*;
///
/// let out = Tensor::zeros([3], DType::Float64)?;
/// belvedere::pow_into(2.0, &tensor![1.0, 3.0, -1.0], &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [2.0, 8.0, 0.5]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// Those of the method; and if `out` has another shape, cannot hold the dtype, or cannot be written to.
///
/// # Memory
/// Copies an operand first if it overlaps `out` with other strides.
#[track_caller]
pub fn pow_into<'a>(
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let operands = [x.into(), y.into()];
    check_exponents(&operands)?;
    power_of(&operands).compute_into(operands, out.into(), Call::new(POW.name))
}

/// Refuses negative exponents of integers, unless the result is empty. An exponent that another thread makes
/// negative after this check gives 0.
#[track_caller]
fn check_exponents(operands: &[Operand<'_>; 2]) -> Result<(), Error> {
    let [x, y] = operands;
    let is_positive = y.real_number().is_some_and(|it| it >= 0.0);
    if is_positive || !common_type(&[x, y]).is_integer() {
        return Ok(());
    }
    match inside(Call::new(POW.name), || min_integer(y))? {
        Some(exponent) if exponent < 0 => {
            let is_empty = broadcast_shapes(&[&x.shape(), &y.shape()])?.contains(&0);
            if is_empty { Ok(()) } else { Err(Error::NegativePower { exponent }) }
        }
        _ => Ok(()),
    }
}
