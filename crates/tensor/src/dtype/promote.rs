//! Type promotion and implicit casts.
//!
//! Within a kind, and between bool and other kinds, these are the tables of the Array API. What the standard
//! leaves open (integers with floats, `uint64` with signed integers) follows NumPy: the smallest dtype that
//! represents the values of both as far as any does.

use super::{DType, NumberKind};

/// Returns the dtype of an operation on two dtypes (type promotion).
///
/// ```
/// use belvedere::{DType, result_type};
///
/// assert_eq!(result_type(DType::UInt8, DType::Int8), DType::Int16);
/// assert_eq!(result_type(DType::Float32, DType::Complex64), DType::Complex64);
/// assert_eq!(result_type(DType::Int32, DType::Float32), DType::Float64);
/// assert_eq!(result_type(DType::Float16, DType::BFloat16), DType::Float32);
/// ```
pub fn result_type(a: DType, b: DType) -> DType {
    if rank_of(a.kind()) > rank_of(b.kind()) {
        return result_type(b, a);
    }
    match (a.kind(), b.kind()) {
        _ if a == b => a,
        (NumberKind::Bool, _) => b,
        (NumberKind::Signed(x), NumberKind::Signed(y)) => signed(x.max(y)),
        (NumberKind::Unsigned(x), NumberKind::Unsigned(y)) => unsigned(x.max(y)),
        (NumberKind::Signed(x), NumberKind::Unsigned(y)) if y < x => signed(x),
        (NumberKind::Signed(_), NumberKind::Unsigned(8)) => DType::Float64,
        (NumberKind::Signed(_), NumberKind::Unsigned(y)) => signed(2 * y),
        (NumberKind::Signed(x) | NumberKind::Unsigned(x), NumberKind::Brain(_)) if x == 1 => {
            DType::BFloat16
        }
        (NumberKind::Signed(x) | NumberKind::Unsigned(x), NumberKind::Brain(y)) => {
            float(y.max(2 * x))
        }
        (NumberKind::Signed(x) | NumberKind::Unsigned(x), NumberKind::Float(y)) => {
            float(y.max(2 * x))
        }
        (NumberKind::Signed(x) | NumberKind::Unsigned(x), NumberKind::Complex(y)) => {
            complex(y.max(4 * x))
        }
        (NumberKind::Float(x), NumberKind::Float(y)) => float(x.max(y)),
        (NumberKind::Float(2), NumberKind::Brain(_)) => DType::Float32,
        (NumberKind::Float(x), NumberKind::Brain(_)) => float(x),
        (NumberKind::Float(x) | NumberKind::Brain(x), NumberKind::Complex(y)) => {
            complex(y.max(2 * x))
        }
        (NumberKind::Complex(x), NumberKind::Complex(y)) => complex(x.max(y)),
        _ => unreachable!("kinds are ordered: {a} before {b}"),
    }
}

/// Returns the dtype of an operation on several dtypes; `None` if there are none.
///
/// Floating-point dtypes are promoted first, so that the order does not matter: integers of two dtypes together
/// with a `float32` that represents both stay `float32`.
///
/// ```
/// use belvedere::DType::*;
/// use belvedere::result_type_of;
///
/// assert_eq!(result_type_of([Int16, UInt16, Float32]), Some(Float32));
/// assert_eq!(result_type_of([]), None);
/// ```
pub fn result_type_of<I>(types: impl IntoIterator<Item = DType, IntoIter = I>) -> Option<DType>
where
    I: Iterator<Item = DType> + Clone,
{
    let types = types.into_iter();
    let is_float = |dtype: &DType| dtype.is_floating() || dtype.is_complex();
    let floats = types.clone().filter(is_float).reduce(result_type);
    types.filter(|dtype| !is_float(dtype)).fold(floats, |promoted, dtype| {
        Some(promoted.map_or(dtype, |promoted| result_type(promoted, dtype)))
    })
}

/// Returns whether a dtype is promoted to another one: its values are represented as exactly as by any dtype.
/// [`can_assign`] allows more.
///
/// ```
/// use belvedere::{DType, can_cast};
///
/// assert!(can_cast(DType::Float32, DType::Float64));
/// assert!(can_cast(DType::UInt8, DType::Int16));
/// assert!(!can_cast(DType::Float64, DType::Float32));
/// assert!(!can_cast(DType::Int32, DType::Float32));
/// ```
pub fn can_cast(from: DType, to: DType) -> bool {
    result_type(from, to) == to
}

/// Returns whether values of one dtype can be assigned to a tensor of another by an implicit cast: within a kind or
/// to a greater kind (bool, unsigned, signed, real, complex), also with fewer bits. NumPy calls it `same_kind`; other
/// casts need `astype`.
///
/// ```
/// use belvedere::{DType, can_assign};
///
/// assert!(can_assign(DType::Float64, DType::Float32));
/// assert!(can_assign(DType::UInt8, DType::Int32));
/// assert!(!can_assign(DType::Float32, DType::Int64));
/// ```
pub fn can_assign(from: DType, to: DType) -> bool {
    let level = |kind| match kind {
        NumberKind::Bool => 0,
        NumberKind::Unsigned(_) => 1,
        NumberKind::Signed(_) => 2,
        NumberKind::Float(_) | NumberKind::Brain(_) => 3,
        NumberKind::Complex(_) => 4,
    };
    level(from.kind()) <= level(to.kind())
}

/// Returns the rank by which `result_type` sorts its two kinds before it matches them.
fn rank_of(kind: NumberKind) -> usize {
    match kind {
        NumberKind::Bool => 0,
        NumberKind::Signed(_) => 1,
        NumberKind::Unsigned(_) => 2,
        NumberKind::Float(_) => 3,
        NumberKind::Brain(_) => 4,
        NumberKind::Complex(_) => 5,
    }
}

fn signed(bytes: usize) -> DType {
    of_size(bytes, &[DType::Int8, DType::Int16, DType::Int32, DType::Int64])
}

fn unsigned(bytes: usize) -> DType {
    of_size(bytes, &[DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64])
}

fn float(bytes: usize) -> DType {
    of_size(bytes, &[DType::Float16, DType::Float32, DType::Float64])
}

fn complex(bytes: usize) -> DType {
    of_size(bytes, &[DType::Complex64, DType::Complex128])
}

/// Returns the first dtype with at least `bytes` bytes, or the last one.
fn of_size(bytes: usize, types: &[DType]) -> DType {
    let found = types.iter().find(|dtype| dtype.size() >= bytes);
    *found.unwrap_or(&types[types.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::*;

    #[test]
    fn promotion_does_not_depend_on_the_order() {
        for a in DType::ALL {
            for b in DType::ALL {
                assert_eq!(result_type(a, b), result_type(b, a), "{a} {b}");
            }
        }
    }

    #[test]
    fn mixed_kinds_are_promoted_as_in_numpy() {
        let cases = [
            (Int8, Float16, Float16),
            (UInt8, Float16, Float16),
            (Int16, Float16, Float32),
            (UInt16, Float32, Float32),
            (Int32, Float32, Float64),
            (Int64, Float16, Float64),
            (UInt64, Int8, Float64),
            (UInt32, Int32, Int64),
            (UInt8, Int64, Int64),
            (Int32, Complex64, Complex128),
            (Int16, Complex64, Complex64),
            (Float64, Complex64, Complex128),
            (Bool, Bool, Bool),
            (Bool, Float16, Float16),
        ];
        for (a, b, expected) in cases {
            assert_eq!(result_type(a, b), expected, "{a} {b}");
        }
    }
}
