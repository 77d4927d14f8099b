//! What the types can hold, and what sort they are of.

use super::{DType, Kind};
use crate::Error;

/// The limits of a floating-point type, as [`finfo`] gives them. A complex type has those of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloatInfo {
    /// Bits of a number.
    pub bits: u32,
    /// The distance from 1 to the next greater number.
    pub eps: f64,
    /// The greatest number.
    pub max: f64,
    /// The least number.
    pub min: f64,
    /// The smallest positive number that has all its digits.
    pub smallest_normal: f64,
    /// The type of a number.
    pub dtype: DType,
}

/// The limits of an integer type, as [`iinfo`] gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntegerInfo {
    /// Bits of a number.
    pub bits: u32,
    /// The greatest number.
    pub max: u64,
    /// The least number.
    pub min: i64,
    /// The type.
    pub dtype: DType,
}

/// The limits of a floating-point type.
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
/// If the numbers have no fractions.
pub fn finfo(dtype: DType) -> Result<FloatInfo, Error> {
    let part = dtype.real();
    // Digits of the mantissa after the first, and the greatest exponent.
    let (digits, exponent) = match part.kind() {
        Kind::Float(2) => (10, 15),
        Kind::Brain(_) => (7, 127),
        Kind::Float(4) => (23, 127),
        Kind::Float(_) => (52, 1023),
        _ => return Err(Error::Unsupported { op: "finfo", dtype }),
    };
    let eps = 2f64.powi(-digits);
    let max = (2.0 - eps) * 2f64.powi(exponent);
    let bits = 8 * part.size() as u32;
    let smallest_normal = 2f64.powi(1 - exponent);
    Ok(FloatInfo { bits, eps, max, min: -max, smallest_normal, dtype: part })
}

/// The limits of an integer type.
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
/// If the type is no integer.
pub fn iinfo(dtype: DType) -> Result<IntegerInfo, Error> {
    let (bits, is_signed) = match dtype.kind() {
        Kind::Signed(bytes) => (8 * bytes as u32, true),
        Kind::Unsigned(bytes) => (8 * bytes as u32, false),
        _ => return Err(Error::Unsupported { op: "iinfo", dtype }),
    };
    let (min, max) = match is_signed {
        true => (i64::MIN >> (64 - bits), u64::MAX >> (65 - bits)),
        false => (0, u64::MAX >> (64 - bits)),
    };
    Ok(IntegerInfo { bits, max, min, dtype })
}

/// A sort of element types, for [`isdtype`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DTypeKind {
    /// True or false.
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
    /// All but `bool`.
    Numeric,
}

impl DTypeKind {
    /// The sort that the Array API calls so: `"signed integer"`, `"numeric"`.
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

/// Whether a type is of a sort.
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
