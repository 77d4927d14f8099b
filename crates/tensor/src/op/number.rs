//! Weakly typed scalars and dtype promotion with them.

use super::operand::Operand;
use crate::dtype::{AnyTask, NumberKind};
use crate::view::Cell;
use crate::{Bool, DType, Element, Error, IntegerInfo, iinfo, result_type_of};
use num_complex::Complex;

/// Returns the common dtype of dtypes and operands, or `None` if there are neither.
///
/// Scalars are weakly typed: a scalar takes the dtype of the others, or if these are of a lesser kind, the
/// default dtype of its own kind.
///
/// ```
/// use belvedere::DType::*;
/// use belvedere::result_type_with;
///
/// assert_eq!(result_type_with(&[Int8, Int16], &[7.into()]), Some(Int16));
/// assert_eq!(result_type_with(&[Float32], &[0.5.into(), true.into()]), Some(Float32));
/// assert_eq!(result_type_with(&[Int8], &[0.5.into()]), Some(Float64));
/// assert_eq!(result_type_with(&[], &[1.into()]), Some(Int64));
/// ```
pub fn result_type_with(types: &[DType], operands: &[Operand<'_>]) -> Option<DType> {
    let types = types.iter().map(|&dtype| Typed::DType(dtype));
    promoted_type(types.chain(operands.iter().map(|it| it.typed())))
}

/// A number without a dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WeakScalar {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(Complex<f64>),
}

/// What an operand contributes to dtype promotion: its dtype, or a weakly typed scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Typed {
    DType(DType),
    Number(WeakScalar),
}

impl Typed {
    /// Returns the dtype; for a scalar `given`, or a 64-bit integer dtype if `given` cannot hold it.
    pub(super) fn dtype_or(self, given: DType) -> DType {
        match self {
            Typed::DType(dtype) => dtype,
            Typed::Number(WeakScalar::Int(value)) if check_fits(value, given).is_err() => {
                let is_large = i64::try_from(value).is_err();
                if is_large { DType::UInt64 } else { DType::Int64 }
            }
            Typed::Number(_) => given,
        }
    }
}

/// Returns the common dtype of operands.
pub(super) fn common_type(operands: &[&Operand<'_>]) -> DType {
    promoted_type(operands.iter().map(|it| it.typed())).unwrap_or(DType::Float64)
}

/// Returns the common dtype of what operands contribute, or `None` if there are none.
pub(super) fn promoted_type(operands: impl Iterator<Item = Typed> + Clone) -> Option<DType> {
    let strong = result_type_of(operands.clone().filter_map(|it| match it {
        Typed::DType(dtype) => Some(dtype),
        Typed::Number(_) => None,
    }));
    let numbers = operands.filter_map(|it| match it {
        Typed::DType(_) => None,
        Typed::Number(number) => Some(number),
    });
    numbers.fold(strong, |dtype, number| Some(number.promoted_with(dtype)))
}

impl WeakScalar {
    /// Returns the common dtype of the scalar and `other`, or the default dtype of its kind.
    pub(super) fn promoted_with(self, other: Option<DType>) -> DType {
        let alone = match self {
            WeakScalar::Bool(_) => DType::Bool,
            WeakScalar::Int(_) => DType::Int64,
            WeakScalar::Float(_) => DType::Float64,
            WeakScalar::Complex(_) => DType::Complex128,
        };
        let Some(other) = other else { return alone };
        match (self, other.kind()) {
            (WeakScalar::Bool(_), _) => other,
            (WeakScalar::Int(_), NumberKind::Bool) => alone,
            (WeakScalar::Int(_), _) => other,
            (
                WeakScalar::Float(_),
                NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_),
            ) => alone,
            (WeakScalar::Float(_), _) => other,
            (WeakScalar::Complex(_), NumberKind::Complex(_)) => other,
            (WeakScalar::Complex(_), NumberKind::Float(2 | 4) | NumberKind::Brain(_)) => {
                DType::Complex64
            }
            (WeakScalar::Complex(_), _) => alone,
        }
    }

    /// Returns the scalar as an element of `dtype`.
    ///
    /// # Errors
    /// If it is an integer that the dtype cannot hold, or of a greater kind than the dtype.
    pub(super) fn cell(self, dtype: DType) -> Result<Cell, Error> {
        struct Store(WeakScalar);

        impl AnyTask for Store {
            type Output = Cell;

            fn run<T: Element>(self) -> Cell {
                Cell::new::<T>(match self.0 {
                    WeakScalar::Bool(value) => Bool::from(value).cast(),
                    WeakScalar::Int(value) => match u64::try_from(value) {
                        Ok(value) => T::from_u64(value),
                        Err(_) => T::from_i64(value as i64),
                    },
                    WeakScalar::Float(value) => T::from_f64(value),
                    WeakScalar::Complex(value) => T::from_complex(value.re, value.im),
                })
            }
        }

        self.check_fits(dtype)?;
        Ok(dtype.with_any(Store(self)))
    }

    /// Checks that the scalar can be stored as an element of `dtype`.
    pub(super) fn check_fits(self, dtype: DType) -> Result<(), Error> {
        let alone = self.promoted_with(None);
        match (self, dtype.kind()) {
            (WeakScalar::Int(value), NumberKind::Signed(_) | NumberKind::Unsigned(_)) => {
                check_fits(value, dtype)
            }
            (
                WeakScalar::Float(_),
                NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_),
            )
            | (WeakScalar::Int(_), NumberKind::Bool) => Err(Error::Cast { from: alone, to: dtype }),
            (WeakScalar::Complex(_), kind) if !matches!(kind, NumberKind::Complex(_)) => {
                Err(Error::Cast { from: alone, to: dtype })
            }
            _ => Ok(()),
        }
    }
}

/// Checks that an integer dtype can hold an integer.
fn check_fits(value: i128, dtype: DType) -> Result<(), Error> {
    let fits = |info: IntegerInfo| value >= info.min.into() && value <= info.max.into();
    match iinfo(dtype).is_ok_and(fits) {
        true => Ok(()),
        false => Err(Error::ScalarRange { value, dtype }),
    }
}
