//! Which type the result of two types has, and which types may silently become which.
//!
//! Within a kind, and between bool and others, these are the tables of the Array API. What the
//! standard leaves open (integers with floats, `uint64` with signed integers) follows NumPy: the
//! smallest type that holds the values of both as far as any does.

use super::{DType, Kind};

/// The type in which values of two types meet.
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
        (Kind::Bool, _) => b,
        (Kind::Signed(x), Kind::Signed(y)) => signed(x.max(y)),
        (Kind::Unsigned(x), Kind::Unsigned(y)) => unsigned(x.max(y)),
        (Kind::Signed(x), Kind::Unsigned(y)) if y < x => signed(x),
        (Kind::Signed(_), Kind::Unsigned(8)) => DType::Float64,
        (Kind::Signed(_), Kind::Unsigned(y)) => signed(2 * y),
        (Kind::Signed(x) | Kind::Unsigned(x), Kind::Brain(_)) if x == 1 => DType::BFloat16,
        (Kind::Signed(x) | Kind::Unsigned(x), Kind::Brain(y)) => float(y.max(2 * x)),
        (Kind::Signed(x) | Kind::Unsigned(x), Kind::Float(y)) => float(y.max(2 * x)),
        (Kind::Signed(x) | Kind::Unsigned(x), Kind::Complex(y)) => complex(y.max(4 * x)),
        (Kind::Float(x), Kind::Float(y)) => float(x.max(y)),
        (Kind::Float(2), Kind::Brain(_)) => DType::Float32,
        (Kind::Float(x), Kind::Brain(_)) => float(x),
        (Kind::Float(x) | Kind::Brain(x), Kind::Complex(y)) => complex(y.max(2 * x)),
        (Kind::Complex(x), Kind::Complex(y)) => complex(x.max(y)),
        _ => unreachable!("kinds are ordered: {a} before {b}"),
    }
}

/// The type in which values of several types meet; none if there are no types. Floating-point types meet
/// first, so that the order does not matter: integers of two types beside a `float32` that holds
/// both stay with it.
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
    types
        .filter(|dtype| !is_float(dtype))
        .fold(floats, |met, dtype| Some(met.map_or(dtype, |met| result_type(met, dtype))))
}

/// Whether values of one type become another when both meet: all of them are there, as far as any type
/// has them. What is written may lose more; see [`can_assign`].
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

/// Whether values of one type may be written to a tensor of another without being asked: not to a lesser
/// kind (complex, real, integer, unsigned, bool), though with fewer bits. NumPy calls it `same_kind`.
/// `astype` is for the rest.
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
        Kind::Bool => 0,
        Kind::Unsigned(_) => 1,
        Kind::Signed(_) => 2,
        Kind::Float(_) | Kind::Brain(_) => 3,
        Kind::Complex(_) => 4,
    };
    level(from.kind()) <= level(to.kind())
}

/// The order in which `result_type` expects its two kinds.
fn rank_of(kind: Kind) -> usize {
    match kind {
        Kind::Bool => 0,
        Kind::Signed(_) => 1,
        Kind::Unsigned(_) => 2,
        Kind::Float(_) => 3,
        Kind::Brain(_) => 4,
        Kind::Complex(_) => 5,
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

/// The first type with at least so many bytes, or the last one.
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
    fn mixed_kinds_meet_where_numpy_says() {
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
