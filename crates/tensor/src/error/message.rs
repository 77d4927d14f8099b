//! `Display` of errors: what was expected, what was given, and what to do.

use super::{ArgumentValue, Error, MatrixProblem};
use belvedere_layout::LayoutError;
use std::fmt;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Layout(error) => error.fmt(f),
            Error::View { error: LayoutError::NeedsCopy(refusal), size } => {
                refusal.with_element_size(*size).fmt(f)
            }
            Error::View { error, .. } => error.fmt(f),
            Error::Dlpack(error) => error.fmt(f),
            Error::Einsum(error) => error.fmt(f),
            Error::Npy(error) => error.fmt(f),
            Error::Io(error) => error.fmt(f),
            Error::Refused { reason, .. } => reason.fmt(f),
            Error::ShapeMismatch { op, needed, given } => {
                write!(f, "{op} needs shape {needed:?}, got {given:?}")
            }
            Error::Matmul { left, right } => {
                write!(f, "cannot multiply matrices of shapes {left:?} and {right:?}")
            }
            Error::Contraction { op, axes: (a, b), left, right } => {
                let sides = format_args!("axis {a} of {left:?} and axis {b} of {right:?}");
                write!(f, "{op} sums over {sides}, whose lengths differ")
            }
            Error::Form { op, needs, given } => {
                write!(f, "{op} needs {needs}, got shape {given:?}")
            }
            Error::Matrix { op, matrix, problem } if matrix.is_empty() => {
                write!(f, "{op}: the matrix {problem}")
            }
            Error::Matrix { op, matrix, problem } => {
                write!(f, "{op}: the matrix at {matrix:?} {problem}")
            }
            Error::NotOneElement { shape } => {
                write!(f, "expected a tensor of one element, got shape {shape:?}")
            }
            Error::WrongDType { asked, found } => {
                write!(f, "expected a tensor of {asked}, got {found}")
            }
            Error::Unsupported { op, dtype } => write!(f, "{op} is not supported for {dtype}"),
            Error::FeatureDisabled { op, feature } => write!(
                f,
                "{op} needs the feature `{feature}` of belvedere, which is off in this build"
            ),
            Error::Cast { from, to } if from.is_complex() && !to.is_complex() && !to.is_bool() => {
                write!(f, "cannot cast {from} to {to}: the imaginary part would be lost; ")?;
                f.write_str("use real or imag")
            }
            Error::Cast { from, to } => {
                write!(f, "cannot cast {from} to {to} implicitly; use astype")
            }
            Error::IndexOutOfRange { value, position, axis, len } => {
                let sentence = format_args!("index {value} at {position:?} is out of range");
                write!(f, "{sentence} for axis {axis} of length {len}")
            }
            Error::MaskMismatch { axis, len, given } => {
                write!(f, "the boolean mask has length {given} along axis {axis}, expected {len}")
            }
            Error::ScalarRange { value, dtype } => write!(f, "{value} does not fit in {dtype}"),
            Error::Argument { op, needs, given } => write!(f, "{op} needs {needs}, got {given}"),
            Error::UnknownName { parameter, known, given } => {
                write!(f, "{parameter} must be one of {}, got {given:?}", known.join(", "))
            }
            Error::NegativePower { exponent } => {
                write!(f, "integers cannot be raised to the negative power {exponent}; ")?;
                f.write_str("use a float dtype")
            }
            Error::Empty { op, shape } => {
                write!(f, "{op} of zero elements is undefined, got shape {shape:?}")
            }
            Error::NotABroadcast { from, to } => {
                write!(f, "cannot sum a tensor of shape {to:?} to shape {from:?}, ")?;
                f.write_str("which does not broadcast to it")
            }
            Error::Window { op, window, over } => {
                write!(f, "{op}: window of shape {window:?} is larger than ")?;
                write!(f, "the padded input of shape {over:?}")
            }
            Error::Borrowed { write, wanted, held_for_writing, held } => {
                let access = access_verb(*write);
                let holds = if *held_for_writing { "writes to" } else { "reads from" };
                write!(f, "cannot {access} a tensor of shape {wanted:?}: ")?;
                write!(f, "a guard {}", Held { shape: held.as_deref(), holds })
            }
            Error::Busy { write, wanted } => {
                let access = access_verb(*write);
                write!(f, "cannot {access} a tensor of shape {wanted:?} without waiting: ")?;
                f.write_str("another operation uses its memory")
            }
            Error::NoValues { op, shape } => {
                write!(f, "{op} needs the values of a tensor of shape {shape:?} on device meta, ")?;
                f.write_str("which has no memory")
            }
            Error::ReadOnly => write!(f, "the memory is read-only"),
            Error::Overlapping { shape, strides } => {
                let view = format_args!("a view of shape {shape:?} and strides {strides:?}");
                write!(f, "cannot write through {view}: ")?;
                f.write_str("several of its indices refer to the same element")
            }
            Error::PartsMeet { parts: (a, b) } => write!(f, "parts {a} and {b} share an element"),
            Error::OutputsOverlap { op, outputs: (a, b) } => {
                write!(f, "outputs {a} and {b} of {op} share an element, or may do so: ")?;
                f.write_str("each output needs memory of its own")
            }
            Error::OutputAliases { op } => {
                write!(f, "the output of {op} shares memory with an operand")
            }
            Error::OutOfMemory { bytes } => write!(f, "cannot allocate {bytes} bytes"),
            Error::Interrupted => f.write_str("the operation was interrupted"),
            Error::ForeignMark { mark, arena } => {
                write!(f, "arena {arena} cannot be rewound to a mark of arena {mark}")
            }
            Error::CopyForbidden { op, reason, bytes } => {
                write!(f, "{op} would copy {bytes} bytes here, where copies are forbidden: ")?;
                write!(f, "{reason}")
            }
            Error::Unaligned { address, dtype } => {
                let align = dtype.align();
                write!(f, "address {address:#x} is not a multiple of {align}, as {dtype} requires")
            }
            Error::Padding { index } => {
                write!(f, "index {index:?} is in the padding, which cannot be written")
            }
            Error::SecondPadding { shape } => {
                write!(f, "the lens of shape {shape:?} is already padded with another value; ")?;
                f.write_str("take copy() of it and pad that")
            }
        }
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Display for ArgumentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentValue::Integer(value) => value.fmt(f),
            ArgumentValue::Float(value) => value.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn access_verb(write: bool) -> &'static str {
    if write { "write to" } else { "read from" }
}

impl fmt::Display for MatrixProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Singular { pivot } => write!(f, "is singular: pivot {pivot} is 0"),
            Self::NotPositiveDefinite { pivot } => {
                write!(f, "is not positive definite: pivot {pivot} is not greater than 0")
            }
            Self::NotFinite => write!(f, "has elements that are not finite"),
            Self::NoConvergence => {
                write!(f, "has eigenvalues to which the iteration did not converge")
            }
        }
    }
}

/// What a guard does to the elements that it holds.
struct Held<'a> {
    /// The shape of the guard; `None` if it holds all elements of the memory.
    shape: Option<&'a [usize]>,
    holds: &'a str,
}

impl fmt::Display for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let holds = self.holds;
        match self.shape {
            Some(shape) => write!(f, "of shape {shape:?} {holds} the same elements"),
            None => write!(f, "{holds} all elements of its memory"),
        }
    }
}
