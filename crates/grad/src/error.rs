//! [`GradientError`]: why a gradient does not exist, with the line that is the cause.

use belvedere::trace::CallSite;
use belvedere::{DType, Error, ErrorKind, Shape};
use std::fmt;
use std::panic::Location;

/// A source line: of another language if the operation was called from one, else of Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    caller: &'static Location<'static>,
    call_site: Option<CallSite>,
}

impl Line {
    pub(crate) fn new(caller: &'static Location<'static>, call_site: Option<CallSite>) -> Line {
        Line { caller, call_site }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.call_site {
            Some(call_site) => call_site.fmt(f),
            None => self.caller.fmt(f),
        }
    }
}

/// Why there is no gradient. It is the reason of a [`belvedere::Error::Refused`].
///
/// ```
/// use belvedere::{Error, prelude::*};
/// use belvedere_grad::{GradientError, Tape};
///
/// let error = Tape::new().watch(&tensor![1, 2]).unwrap_err();
/// let Error::Refused { reason, .. } = &error else { panic!() };
/// assert!(matches!(reason.downcast_ref(), Some(GradientError::DType { .. })));
/// assert_eq!(error.to_string(), "int32 has no gradient: watch tensors of a floating-point or complex dtype");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GradientError {
    /// The dtype carries no gradient.
    DType {
        /// The dtype.
        dtype: DType,
    },
    /// A tensor without memory has no values.
    Meta,
    /// A gradient without a seed is that of a real number.
    ComplexResult {
        /// The dtype of the result.
        dtype: DType,
    },
    /// The result depends on the inputs in a way that has no derivative.
    Undefined {
        /// The name of the operation.
        op: &'static str,
        /// Why.
        reason: &'static str,
        /// The line that called it.
        line: String,
    },
    /// The operation has no derivative rule.
    NoRule {
        /// The name of the operation.
        op: &'static str,
        /// Why it has none, if that is known.
        reason: Option<&'static str>,
        /// The line that called it.
        line: String,
    },
    /// Elements with a gradient are accessed as elements of another dtype.
    Reinterpreted {
        /// The name of the operation.
        op: &'static str,
        /// The dtype that the gradient belongs to.
        tracked: DType,
        /// The dtype of the access.
        accessed: DType,
        /// The line that called it.
        line: String,
    },
    /// Elements with a gradient are handed out as a guard, a borrowed view or to another library, where the tape does
    /// not see what happens to them.
    HandedOut {
        /// The name of the operation.
        op: &'static str,
        /// The line that called it.
        line: String,
    },
    /// A write would overwrite elements that a gradient needs, where copies are forbidden.
    SavedElements {
        /// The name of the operation that writes.
        op: &'static str,
        /// The line that writes.
        line: String,
        /// The line that saved the elements.
        saved_by: String,
        /// The number of elements that would have to be copied.
        elements: usize,
    },
    /// The tape did not record how the tensor was computed.
    Unseen,
    /// The tensor was not watched, or not all of it.
    NotWatched,
    /// A gradient without a seed needs a single element.
    NotScalar {
        /// The shape of the result.
        shape: Shape,
    },
    /// The seed does not have the shape and the dtype of the result.
    Seed {
        /// The shape and dtype of the result.
        needed: (Shape, DType),
        /// Those of the seed.
        given: (Shape, DType),
    },
    /// The tape was consumed by an earlier `backward`.
    Consumed,
    /// An operation failed while it wrote to a tensor with a gradient, which is written in part.
    Interrupted {
        /// The name of the operation.
        op: &'static str,
        /// The line that called it.
        line: String,
    },
    /// An enclosing tape cannot differentiate saved values that were overwritten while it did not record.
    OverwrittenInNested,
}

impl GradientError {
    /// Returns the category of the error.
    fn kind(&self) -> ErrorKind {
        match self {
            GradientError::DType { .. }
            | GradientError::ComplexResult { .. }
            | GradientError::Reinterpreted { .. } => ErrorKind::DType,
            GradientError::NoRule { .. } | GradientError::OverwrittenInNested => {
                ErrorKind::Unsupported
            }
            GradientError::HandedOut { .. } => ErrorKind::Borrow,
            GradientError::SavedElements { .. } => ErrorKind::Copy,
            GradientError::NotScalar { .. } | GradientError::Seed { .. } => ErrorKind::Shape,
            GradientError::Meta
            | GradientError::Undefined { .. }
            | GradientError::Unseen
            | GradientError::NotWatched
            | GradientError::Consumed
            | GradientError::Interrupted { .. } => ErrorKind::Value,
        }
    }
}

impl From<GradientError> for Error {
    fn from(error: GradientError) -> Error {
        Error::Refused { kind: error.kind(), reason: Box::new(error) }
    }
}

impl std::error::Error for GradientError {}

impl fmt::Display for GradientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GradientError::DType { dtype } => {
                let advice = "watch tensors of a floating-point or complex dtype";
                write!(f, "{dtype} has no gradient: {advice}")
            }
            GradientError::Meta => f.write_str("a tensor without memory has no gradient"),
            GradientError::ComplexResult { dtype } => write!(
                f,
                "backward needs a real result, got {dtype}: take its real part or its absolute value, or pass a seed"
            ),
            GradientError::Undefined { op, reason, line } => {
                write!(f, "{line}: the derivative of {op} is undefined here: {reason}")
            }
            GradientError::NoRule { op, reason, line } => {
                write!(f, "{line}: {op} has no derivative rule")?;
                if let Some(reason) = reason {
                    write!(f, ": {reason}")?;
                }
                f.write_str("; use stop_gradient or no_tape if its result is a constant")
            }
            GradientError::Reinterpreted { op, tracked, accessed, line } => write!(
                f,
                "{line}: {op} accesses elements of {tracked} as {accessed}, but their gradient is {tracked}"
            ),
            GradientError::HandedOut { op, line } => write!(
                f,
                "{line}: {op} hands out elements that a tape tracks; do it inside of no_tape, or on a copy"
            ),
            GradientError::SavedElements { op, line, saved_by, elements } => write!(
                f,
                "{line}: {op} overwrites {elements} elements that {saved_by} saved for its gradient, and \
                 copies are forbidden"
            ),
            GradientError::Unseen => {
                f.write_str("the tape did not record how this tensor was computed from watched ones")
            }
            GradientError::NotWatched => {
                f.write_str("the tensor has elements that were not watched; call watch before recording")
            }
            GradientError::NotScalar { shape } => {
                write!(f, "backward needs a single element, got shape {shape:?}; pass a seed")
            }
            GradientError::Seed { needed, given } => write!(
                f,
                "the seed needs shape {:?} and dtype {}, got {:?} and {}",
                needed.0, needed.1, given.0, given.1
            ),
            GradientError::Consumed => {
                f.write_str("the tape was consumed by an earlier backward; make it persistent to keep it")
            }
            GradientError::Interrupted { op, line } => {
                write!(f, "{line}: {op} failed and has written a part of a tracked tensor")
            }
            GradientError::OverwrittenInNested => f.write_str(
                "an enclosing tape cannot differentiate values that the inner tape saved and that were \
                 overwritten while the enclosing one did not record",
            ),
        }
    }
}
