//! Limits and kinds of dtypes: the Array API's `finfo`, `iinfo` and `isdtype`.

use super::{DType, NumberKind};
use crate::Error;

/// The limits of a floating-point dtype, as returned by [`finfo`]. A complex dtype has those of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloatInfo {
    /// The number of bits.
    pub bits: u32,
    /// The difference between 1 and the next representable number.
    pub eps: f64,
    /// The largest number.
    pub max: f64,
    /// The smallest number.
    pub min: f64,
    /// The smallest positive normal number.
    pub smallest_normal: f64,
    /// The dtype of the real part.
    pub dtype: DType,
}

/// The limits of an integer dtype, as returned by [`iinfo`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntegerInfo {
    /// The number of bits.
    pub bits: u32,
    /// The largest number.
    pub max: u64,
    /// The smallest number.
    pub min: i64,
    /// The dtype.
    pub dtype: DType,
}

/// Returns the limits of a floating-point dtype.
///
/// ```
/// use belvedere::{DType, finfo};
///
/// assert_eq!(finfo(DType::Float16)?.max, 65504.0);
/// assert_eq!(finfo(DType::Complex64)?.eps, f32::EPSILON as f64);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the dtype is neither real nor complex floating-point.
pub fn finfo(dtype: DType) -> Result<FloatInfo, Error> {
    let part = dtype.real();
    // Explicit bits of the mantissa, and the largest exponent.
    let (digits, exponent) = match part.kind() {
        NumberKind::Float(2) => (10, 15),
        NumberKind::Brain(_) => (7, 127),
        NumberKind::Float(4) => (23, 127),
        NumberKind::Float(_) => (52, 1023),
        _ => return Err(Error::Unsupported { op: "finfo", dtype }),
    };
    let eps = 2f64.powi(-digits);
    let max = (2.0 - eps) * 2f64.powi(exponent);
    let bits = 8 * part.size() as u32;
    let smallest_normal = 2f64.powi(1 - exponent);
    Ok(FloatInfo { bits, eps, max, min: -max, smallest_normal, dtype: part })
}

/// Returns the limits of an integer dtype.
///
/// ```
/// use belvedere::{DType, iinfo};
///
/// let info = iinfo(DType::Int8)?;
/// assert_eq!((info.min, info.max, info.bits), (-128, 127, 8));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the dtype is not an integer.
pub fn iinfo(dtype: DType) -> Result<IntegerInfo, Error> {
    let (bits, is_signed) = match dtype.kind() {
        NumberKind::Signed(bytes) => (8 * bytes as u32, true),
        NumberKind::Unsigned(bytes) => (8 * bytes as u32, false),
        _ => return Err(Error::Unsupported { op: "iinfo", dtype }),
    };
    let (min, max) = match is_signed {
        true => (i64::MIN >> (64 - bits), u64::MAX >> (65 - bits)),
        false => (0, u64::MAX >> (64 - bits)),
    };
    Ok(IntegerInfo { bits, max, min, dtype })
}

/// A kind of dtypes, for [`isdtype`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DTypeKind {
    /// `bool`.
    Bool,
    /// Signed integers.
    SignedInteger,
    /// Unsigned integers.
    UnsignedInteger,
    /// Integers, signed or not.
    Integral,
    /// Real floating-point numbers.
    RealFloating,
    /// Complex numbers.
    ComplexFloating,
    /// Every dtype except `bool`.
    Numeric,
}

impl DTypeKind {
    /// Returns the kind with this name in the Array API: `"signed integer"`, `"numeric"`.
    ///
    /// ```
    /// use belvedere::DTypeKind;
    ///
    /// assert_eq!(DTypeKind::from_name("real floating"), Some(DTypeKind::RealFloating));
    /// assert_eq!(DTypeKind::from_name("float"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<DTypeKind> {
        Some(match name {
            "bool" => DTypeKind::Bool,
            "signed integer" => DTypeKind::SignedInteger,
            "unsigned integer" => DTypeKind::UnsignedInteger,
            "integral" => DTypeKind::Integral,
            "real floating" => DTypeKind::RealFloating,
            "complex floating" => DTypeKind::ComplexFloating,
            "numeric" => DTypeKind::Numeric,
            _ => return None,
        })
    }
}

/// Returns whether a dtype is of a kind.
///
/// ```
/// use belvedere::{DType, DTypeKind, isdtype};
///
/// assert!(isdtype(DType::UInt8, DTypeKind::Integral));
/// assert!(!isdtype(DType::Bool, DTypeKind::Numeric));
/// ```
pub fn isdtype(dtype: DType, kind: DTypeKind) -> bool {
    match kind {
        DTypeKind::Bool => dtype.is_bool(),
        DTypeKind::SignedInteger => dtype.is_integer() && !dtype.is_unsigned(),
        DTypeKind::UnsignedInteger => dtype.is_unsigned(),
        DTypeKind::Integral => dtype.is_integer(),
        DTypeKind::RealFloating => dtype.is_floating(),
        DTypeKind::ComplexFloating => dtype.is_complex(),
        DTypeKind::Numeric => !dtype.is_bool(),
    }
}
