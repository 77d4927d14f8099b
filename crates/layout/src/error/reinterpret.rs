//! `ReinterpretError`: why elements cannot be reinterpreted as elements of another size.

use super::LayoutError;
use core::fmt;

/// Why elements of one size cannot be reinterpreted as elements of another.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReinterpretError {
    /// Neither element size is a multiple of the other, or one is 0.
    Sizes {
        /// The current size of an element, in bytes.
        from: usize,
        /// The requested size of an element, in bytes.
        to: usize,
    },
    /// A layout of rank 0 has no last axis whose length could change.
    RankZero,
    /// The last axis is not contiguous.
    LastStride {
        /// The stride of the last axis.
        stride: isize,
    },
    /// The start is not a multiple of the ratio: the first element would begin inside a new one.
    Start {
        /// The start.
        start: usize,
        /// The number of old elements in a new one.
        ratio: usize,
    },
    /// A stride is not a multiple of the ratio: rows would begin inside a new element.
    Stride {
        /// The axis, counted from the front.
        axis: usize,
        /// Its stride.
        stride: isize,
        /// The number of old elements in a new one.
        ratio: usize,
    },
    /// The length of the last axis is not the number of elements to be joined into one.
    JoinedLength {
        /// The length of the last axis.
        len: usize,
        /// The number of elements to be joined.
        n: usize,
    },
    /// With the smaller elements, an offset or the number of elements exceeds `isize::MAX`.
    TooSmall {
        /// The number of new elements in an old one.
        ratio: usize,
    },
    /// The length of the last axis is not a multiple of the ratio.
    LastLength {
        /// The length of the last axis.
        len: usize,
        /// The number of old elements in a new one.
        ratio: usize,
    },
}

impl fmt::Display for ReinterpretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Sizes { from, to } => {
                write!(f, "cannot reinterpret elements of {from} bytes as elements of {to} bytes")
            }
            Self::RankZero => {
                write!(f, "a scalar has no last axis to hold elements of another size")
            }
            Self::LastStride { stride } => {
                write!(f, "elements of another size need a last axis of stride 1, got {stride}")
            }
            Self::Start { start, ratio } => write!(
                f,
                "the first element is at offset {start}, which is not a multiple of {ratio}"
            ),
            Self::Stride { axis, stride, ratio } => {
                write!(f, "axis {axis} has stride {stride}, which is not a multiple of {ratio}")
            }
            Self::JoinedLength { len, n } => {
                write!(f, "cannot join {n} elements: the last axis has length {len}")
            }
            Self::TooSmall { ratio } => write!(
                f,
                "{ratio} smaller elements for each make offsets or their number exceed isize::MAX"
            ),
            Self::LastLength { len, ratio } => {
                write!(f, "the last axis has length {len}, which is not a multiple of {ratio}")
            }
        }
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Debug for ReinterpretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for ReinterpretError {}

impl From<ReinterpretError> for LayoutError {
    fn from(error: ReinterpretError) -> LayoutError {
        LayoutError::Reinterpret(error)
    }
}
