//! Errors as sentences, with the numbers in them.

use super::{Error, MatrixProblem};
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
            _ => match self.arguments(f) {
                Some(result) => result,
                None => self.memory(f),
            },
        }
    }
}

impl fmt::Display for MatrixProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Singular { pivot } => write!(f, "is singular: pivot {pivot} is 0"),
            Self::NotPositiveDefinite { pivot } => {
                write!(f, "is not positive definite: pivot {pivot} is not greater than 0")
            }
            Self::NotFinite => write!(f, "has elements that are not finite"),
            Self::NoConvergence => write!(f, "has a spectrum that the iteration did not find"),
        }
    }
}

impl Error {
    /// What is wrong with shapes, types and values; nothing if it is not about them.
    fn arguments(&self, f: &mut fmt::Formatter<'_>) -> Option<fmt::Result> {
        Some(match self {
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
            Error::Matrix { op, matrix, problem } => match matrix.is_empty() {
                true => write!(f, "{op}: the matrix {problem}"),
                false => write!(f, "{op}: the matrix at {matrix:?} {problem}"),
            },
            Error::NotOneElement { shape } => {
                write!(f, "only a tensor of one element is a number, and this has shape {shape:?}")
            }
            Error::WrongDType { asked, found } => {
                write!(f, "the tensor holds {found}, not {asked}")
            }
            Error::Unsupported { op, dtype } => write!(f, "{op} does not exist for {dtype}"),
            Error::Cast { from, to } if from.is_complex() && !to.is_complex() && !to.is_bool() => {
                write!(f, "{from} does not become {to}; real and imag are its parts")
            }
            Error::Cast { from, to } => {
                write!(f, "{from} does not become {to} by itself; astype converts it")
            }
            Error::IndexOutOfRange { value, position, axis, len } => {
                let sentence = format_args!("index {value} at {position:?} is out of range");
                write!(f, "{sentence} for axis {axis} of length {len}")
            }
            Error::MaskMismatch { axis, len, given } => {
                write!(f, "a mask has {given} positions for axis {axis} of length {len}")
            }
            Error::ScalarRange { value, dtype } => write!(f, "{value} does not fit in {dtype}"),
            Error::Argument { op, needs, given } => write!(f, "{op} needs {needs}, got {given}"),
            Error::NegativePower { exponent } => {
                write!(f, "integers have no power {exponent} among the integers")
            }
            Error::Empty { op, shape } => {
                write!(f, "{op} of no elements has no value, and shape {shape:?} has none")
            }
            Error::NotABroadcast { from, to } => {
                let sentence = format_args!("shape {from:?} does not broadcast to {to:?}");
                write!(f, "{sentence}, so nothing can be summed back")
            }
            Error::Window { op, window, over } => {
                write!(f, "{op} has a window of shape {window:?}, which is larger than {over:?}")
            }
            _ => return None,
        })
    }

    /// What is wrong with memory and who uses it.
    fn memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Borrowed { write, wanted, held_for_writing, held } => {
                let wanted_to = if *write { "write to" } else { "read from" };
                let holds = if *held_for_writing { "writes to" } else { "reads from" };
                write!(f, "cannot {wanted_to} a tensor of shape {wanted:?}: ")?;
                write!(f, "a guard of shape {held:?} {holds} the same elements")
            }
            Error::Busy { write, wanted } => {
                let wanted_to = if *write { "write to" } else { "read from" };
                write!(f, "cannot {wanted_to} a tensor of shape {wanted:?} without waiting: ")?;
                f.write_str("another operation uses its memory")
            }
            Error::ReadOnly => write!(f, "the memory is read-only"),
            Error::Overlapping { shape, strides } => {
                write!(
                    f,
                    "cannot write through a view of shape {shape:?} and strides {strides:?}: "
                )?;
                f.write_str("several of its indices lead to one element")
            }
            Error::PartsMeet { parts: (a, b) } => write!(f, "parts {a} and {b} share an element"),
            Error::OutputAliases { op } => {
                write!(f, "the output of {op} shares memory with an operand")
            }
            Error::OutOfMemory { bytes } => write!(f, "there is no memory for {bytes} bytes"),
            Error::ForeignMark { mark, arena } => {
                write!(f, "arena {arena} cannot be rewound to a mark of arena {mark}")
            }
            Error::CopyForbidden { op, reason, bytes } => {
                write!(
                    f,
                    "{op} would copy {bytes} bytes here, where copies are forbidden: {reason}"
                )
            }
            Error::Unaligned { address, dtype } => {
                let align = dtype.align();
                write!(
                    f,
                    "address {address:#x} is no multiple of {align}, as elements of {dtype} need it"
                )
            }
            Error::Padding { index } => {
                write!(f, "index {index:?} lies in padding, which has no place in memory")
            }
            Error::SecondPadding { shape } => {
                write!(
                    f,
                    "the lens of shape {shape:?} is padded with another value already, and "
                )?;
                f.write_str("has only one; a lens of its copy() can be padded with a second")
            }
            _ => unreachable!("`arguments` and `memory` have all variants between them"),
        }
    }
}
