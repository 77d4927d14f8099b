//! Why the same bytes cannot be elements of another size.

use super::LayoutError;
use core::fmt;

/// Why elements of one size cannot be seen as elements of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReinterpretError {
    /// Neither element size is a multiple of the other, or one is 0.
    Sizes {
        /// Bytes of an element now.
        from: usize,
        /// Bytes of an element wanted.
        to: usize,
    },
    /// A scalar has no last axis that could take in the new elements.
    RankZero,
    /// The elements along the last axis do not lie side by side.
    LastStride {
        /// The stride of the last axis.
        stride: isize,
    },
    /// The start is no multiple of the ratio: the first element would begin inside a new one.
    Start {
        /// The start.
        start: usize,
        /// How many old elements make a new one.
        ratio: usize,
    },
    /// A stride is no multiple of the ratio: rows would begin inside a new element.
    Stride {
        /// The axis, counted from the front.
        axis: usize,
        /// Its stride.
        stride: isize,
        /// How many old elements make a new one.
        ratio: usize,
    },
    /// The last axis does not hold as many elements as are to be joined into one.
    JoinedLength {
        /// The length of the last axis.
        len: usize,
        /// How many elements make one.
        n: usize,
    },
    /// With elements so small, offsets or their number do not fit in an `isize`.
    TooSmall {
        /// How many new elements one old element makes.
        ratio: usize,
    },
    /// The length of the last axis is no multiple of the ratio.
    LastLength {
        /// The length of the last axis.
        len: usize,
        /// How many old elements make a new one.
        ratio: usize,
    },
}

impl fmt::Display for ReinterpretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Sizes { from, to } => {
                write!(f, "elements of {from} bytes cannot be seen as elements of {to} bytes")
            }
            Self::RankZero => {
                write!(f, "a scalar has no axis to hold elements of another size")
            }
            Self::LastStride { stride } => write!(
                f,
                "elements of another size need a last axis of stride 1, and this one has {stride}"
            ),
            Self::Start { start, ratio } => write!(
                f,
                "the first element lies at offset {start}, which is no multiple of {ratio}"
            ),
            Self::Stride { axis, stride, ratio } => {
                write!(f, "axis {axis} has stride {stride}, which is no multiple of {ratio}")
            }
            Self::JoinedLength { len, n } => {
                write!(f, "the last axis has length {len}, where {n} elements are to be joined")
            }
            Self::TooSmall { ratio } => write!(
                f,
                "with {ratio} smaller elements for each, offsets or their number exceed isize::MAX"
            ),
            Self::LastLength { len, ratio } => {
                write!(f, "the last axis has length {len}, which is no multiple of {ratio}")
            }
        }
    }
}

impl core::error::Error for ReinterpretError {}

impl From<ReinterpretError> for LayoutError {
    fn from(error: ReinterpretError) -> LayoutError {
        LayoutError::Reinterpret(error)
    }
}
