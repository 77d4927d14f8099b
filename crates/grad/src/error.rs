//! [`GradientError`]: why a gradient does not exist, with the line that is the cause.

use belvedere::trace::{self, CallSite};
use belvedere::{DType, Error, ErrorKind, Shape};
use std::fmt;
use std::panic::Location;

/// The line of a call, borrowed from it: the Rust line, and that of another language.
pub(crate) type CallLine<'a> = (&'static Location<'static>, Option<&'a CallSite>);

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

    pub(crate) fn of_call((caller, call_site): CallLine<'_>) -> Line {
        Line::new(caller, call_site.cloned())
    }

    /// Returns the Rust line, and the line of another language.
    pub(crate) fn parts(&self) -> CallLine<'_> {
        (self.caller, self.call_site.as_ref())
    }

    /// Returns whether it is the line of a call. No texts are compared unless they may be the same.
    pub(crate) fn is(&self, (caller, call_site): CallLine<'_>) -> bool {
        std::ptr::eq(self.caller, caller) && self.call_site.as_ref() == call_site
    }

    /// Returns the line of the caller.
    #[track_caller]
    pub(crate) fn here() -> Line {
        Line::new(Location::caller(), trace::call_site())
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
/// let text = error.to_string(); // "main.rs:4:27: int32 has no gradient: …"
/// assert!(text.ends_with(": int32 has no gradient: watch tensors of a floating-point or complex dtype"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GradientError {
    /// The dtype carries no gradient.
    DType {
        /// The dtype.
        dtype: DType,
        /// The line that asks for the gradient.
        line: String,
    },
    /// A tensor without memory has no values.
    Meta,
    /// A gradient without a seed is that of a real number.
    ComplexResult {
        /// The dtype of the result.
        dtype: DType,
        /// The line that asks for the gradient.
        line: String,
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
    Unseen {
        /// The shape of the tensor.
        shape: Shape,
        /// Its dtype.
        dtype: DType,
        /// The line that asks for the gradient.
        line: String,
    },
    /// The tensor was not watched, or not all of it.
    NotWatched {
        /// The shape of the tensor.
        shape: Shape,
        /// Its dtype.
        dtype: DType,
        /// The line that asks for the gradient.
        line: String,
    },
    /// A gradient without a seed needs a single element.
    NotScalar {
        /// The shape of the result.
        shape: Shape,
        /// The line that asks for the gradient.
        line: String,
    },
    /// The seed does not have the shape and the dtype of the result.
    Seed {
        /// The shape and dtype of the result.
        needed: (Shape, DType),
        /// Those of the seed.
        given: (Shape, DType),
        /// The line that asks for the gradient.
        line: String,
    },
    /// A Jacobian is a matrix of real numbers.
    ComplexJacobian {
        /// The complex dtype.
        dtype: DType,
    },
    /// A tangent does not have the shape and the dtype of its tensor.
    Tangent {
        /// The position of the tensor.
        at: usize,
        /// The shape and dtype of the tensor.
        needed: (Shape, DType),
        /// Those of the tangent.
        given: (Shape, DType),
    },
    /// There are as many tangents or seeds as tensors.
    TangentCount {
        /// The number of tensors.
        needed: usize,
        /// The number of tangents or seeds.
        given: usize,
    },
    /// Two tensors share elements, which cannot have two tangents.
    SharedSources {
        /// The positions of the tensors.
        at: (usize, usize),
        /// Their shapes.
        shapes: (Shape, Shape),
    },
    /// The tape was consumed by an earlier `backward`.
    Consumed {
        /// The line of that.
        line: String,
    },
    /// A gradient is NaN or infinite, and the tape looks for anomalies.
    NotFinite {
        /// The name of the operation whose gradient it is.
        op: &'static str,
        /// The line that called it.
        line: String,
        /// The operand that has the gradient.
        operand: Option<usize>,
        /// The shape of the operand.
        shape: Shape,
        /// The number of elements that are NaN.
        n_nan: usize,
        /// The number of elements that are infinite.
        n_infinite: usize,
    },
    /// A function that is recorded as one entry, or is called again, writes to memory that existed before the call.
    OutsideWrite {
        /// The name of the operation that writes.
        op: &'static str,
        /// The line that writes.
        line: String,
        /// What kind of function it is.
        function: &'static str,
        /// The line that called it.
        called: String,
        /// The storage.
        storage: String,
    },
    /// A function reads a tensor with a gradient that is not among its arguments.
    Captured {
        /// The shape of the tensor.
        shape: Shape,
        /// Its dtype.
        dtype: DType,
        /// The line that reads it.
        line: String,
        /// The line that called the function.
        called: String,
    },
    /// A tensor that the function of a checkpoint captured was overwritten before the function was called again.
    CapturedOverwritten {
        /// The line that reads the tensor.
        read: String,
        /// The line that overwrote it.
        written: String,
        /// The line that called the function.
        called: String,
    },
    /// The function of a checkpoint returned other shapes or dtypes when it was called again.
    NotRepeated {
        /// The line that called the function.
        called: String,
        /// The shapes and dtypes of the first call.
        needed: Vec<(Shape, DType)>,
        /// Those of the second call.
        given: Vec<(Shape, DType)>,
    },
    /// The rule of a function returned another number of gradients than the function has arguments.
    CustomCount {
        /// The line that called the function.
        line: String,
        /// The number of arguments.
        needed: usize,
        /// The number of gradients.
        given: usize,
    },
    /// The rule of a function returned a gradient of another shape or dtype than the argument has.
    CustomShape {
        /// The position of the argument.
        at: usize,
        /// The line that called the function.
        line: String,
        /// The shape and dtype of the argument.
        needed: (Shape, DType),
        /// Those of the gradient.
        given: (Shape, DType),
    },
    /// An operation failed while it wrote to a tensor with a gradient, which is written in part.
    Interrupted {
        /// The name of the operation.
        op: &'static str,
        /// The line that called it.
        line: String,
    },
    /// An enclosing tape cannot differentiate saved values that were overwritten while it did not record.
    OverwrittenInNested,
    /// Another thread has overwritten saved elements while a rule was about to read them. `backward` calls the rule again, so
    /// only functions that a rule calls see this error.
    OverwrittenMeanwhile {
        /// The name of the operation that was about to read them.
        op: &'static str,
    },
    /// This process was forked while another thread recorded an operation on the tape.
    Forked,
}

impl GradientError {
    /// Returns the category of the error.
    fn kind(&self) -> ErrorKind {
        match self {
            GradientError::DType { .. }
            | GradientError::ComplexResult { .. }
            | GradientError::ComplexJacobian { .. }
            | GradientError::Reinterpreted { .. } => ErrorKind::DType,
            GradientError::NoRule { .. }
            | GradientError::OverwrittenInNested
            | GradientError::OutsideWrite { .. }
            | GradientError::Captured { .. } => ErrorKind::Unsupported,
            GradientError::HandedOut { .. } | GradientError::OverwrittenMeanwhile { .. } => {
                ErrorKind::Borrow
            }
            GradientError::SavedElements { .. } => ErrorKind::Copy,
            GradientError::NotScalar { .. }
            | GradientError::Seed { .. }
            | GradientError::Tangent { .. }
            | GradientError::NotRepeated { .. }
            | GradientError::CustomShape { .. } => ErrorKind::Shape,
            GradientError::Meta
            | GradientError::Undefined { .. }
            | GradientError::Unseen { .. }
            | GradientError::NotWatched { .. }
            | GradientError::Consumed { .. }
            | GradientError::NotFinite { .. }
            | GradientError::TangentCount { .. }
            | GradientError::SharedSources { .. }
            | GradientError::CapturedOverwritten { .. }
            | GradientError::CustomCount { .. }
            | GradientError::Forked
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
            GradientError::DType { dtype, line } => {
                let advice = "watch tensors of a floating-point or complex dtype";
                write!(f, "{line}: {dtype} has no gradient: {advice}")
            }
            GradientError::Meta => f.write_str("a tensor without memory has no gradient"),
            GradientError::ComplexResult { dtype, line } => write!(
                f,
                "{line}: backward needs a real result, got {dtype}: take its real part or its absolute value, or pass a seed"
            ),
            GradientError::Unseen { shape, dtype, line } => write!(
                f,
                "{line}: the tape did not record how this tensor of shape {shape:?} and dtype {dtype} was computed from \
                 watched ones"
            ),
            GradientError::NotWatched { shape, dtype, line } => write!(
                f,
                "{line}: the tensor of shape {shape:?} and dtype {dtype} has elements that were not watched; call watch \
                 before recording"
            ),
            GradientError::NotScalar { shape, line } => {
                write!(
                    f,
                    "{line}: backward needs a single element, got shape {shape:?}; pass a seed"
                )
            }
            GradientError::Seed { needed, given, line } => write!(
                f,
                "{line}: the seed needs shape {:?} and dtype {}, got {:?} and {}",
                needed.0, needed.1, given.0, given.1
            ),
            GradientError::Consumed { line } => write!(
                f,
                "the tape was consumed by the backward at {line}; make it persistent to keep it"
            ),
            other => other.fmt_of_operations(f),
        }
    }
}

impl GradientError {
    /// Writes the errors of operations.
    fn fmt_of_operations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
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
            GradientError::OverwrittenMeanwhile { op } => write!(
                f,
                "another thread has overwritten saved elements before {op} has read them: the rule that \
                 calls it has to return this error, and is called again"
            ),
            GradientError::Forked => f.write_str(
                "this process was forked while another thread recorded an operation on the tape: create \
                 a tape in the child",
            ),
            GradientError::Interrupted { op, line } => {
                write!(f, "{line}: {op} failed and has written a part of a tracked tensor")
            }
            GradientError::NotFinite { op, line, operand, shape, n_nan, n_infinite } => {
                write!(f, "{line}: the gradient of {op}")?;
                if let Some(operand) = operand {
                    write!(f, " with respect to operand {operand}")?;
                }
                write!(
                    f,
                    " (shape {shape:?}) is the first with {n_nan} NaN and {n_infinite} infinite elements"
                )
            }
            other => other.fmt_of_functions(f),
        }
    }

    /// Writes the errors of functions that are differentiated.
    fn fmt_of_functions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GradientError::Tangent { at, needed, given } => write!(
                f,
                "tangent {at} needs shape {:?} and dtype {}, got {:?} and {}",
                needed.0, needed.1, given.0, given.1
            ),
            GradientError::ComplexJacobian { dtype } => write!(
                f,
                "a Jacobian is of real numbers, got {dtype}; differentiate with respect to and of the real and \
                 imaginary parts"
            ),
            GradientError::TangentCount { needed, given } => {
                write!(f, "{needed} tensors need as many tangents or seeds, got {given}")
            }
            GradientError::SharedSources { at, shapes } => write!(
                f,
                "tensors {} and {} of shapes {:?} and {:?} share elements, which cannot have two tangents; pass a \
                 copy of one",
                at.0, at.1, shapes.0, shapes.1
            ),
            GradientError::OutsideWrite { op, line, function, called, storage } => write!(
                f,
                "{line}: {op} writes to storage {storage}, which existed before the {function} at {called}: the \
                 function may write only to memory that it has allocated itself"
            ),
            GradientError::Captured { shape, dtype, line, called } => write!(
                f,
                "{line}: reads a tensor of shape {shape:?} and dtype {dtype} that has a gradient and is no argument \
                 of the function called at {called}; pass it as an argument, or use stop_gradient"
            ),
            GradientError::CapturedOverwritten { read, written, called } => write!(
                f,
                "{written} has overwritten elements that {read} reads in the function of the checkpoint at \
                 {called}, which is called again; pass the tensor as an argument"
            ),
            GradientError::NotRepeated { called, needed, given } => write!(
                f,
                "the function of the checkpoint at {called} returned {needed:?} at first and {given:?} when it \
                 was called again"
            ),
            GradientError::CustomCount { line, needed, given } => write!(
                f,
                "{line}: the rule returned {given} gradients for {needed} arguments; None stands for no gradient"
            ),
            GradientError::CustomShape { at, line, needed, given } => write!(
                f,
                "{line}: the gradient of argument {at} needs shape {:?} and dtype {}, the rule returned {:?} and {}",
                needed.0, needed.1, given.0, given.1
            ),
            _ => f.write_str(
                "an enclosing tape cannot differentiate values that the inner tape saved and that were \
                 overwritten while the enclosing one did not record",
            ),
        }
    }
}
