//! What can be wrong with a request, as values.

use crate::pattern::PatternError;
use crate::{Axis, MAX_RANK, Refusal};
use alloc::boxed::Box;
use core::fmt;

/// Why a layout could not be made or changed. The layout it was asked of is untouched.
///
/// Each variant holds the numbers; the message is one sentence that names them. Match on
/// [`LayoutError::kind`] to sort errors into a few groups.
///
/// ```
/// use belvedere_layout::{ErrorKind, Layout};
///
/// let error = Layout::row_major(&[3, 4])?.select(0, 5).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Index);
/// assert_eq!(error.to_string(), "index 5 is out of range for axis 0 of length 3");
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// More axes than [`MAX_RANK`].
    RankTooHigh {
        /// How many axes the result would have.
        rank: usize,
    },
    /// The number of elements, or a product of lengths, exceeds `isize::MAX`.
    TooManyElements {
        /// The lengths asked for.
        shape: Box<[usize]>,
    },
    /// An offset lies outside of `0..=isize::MAX`.
    OffsetOutOfRange {
        /// The offset of the first element.
        start: usize,
        /// The lengths asked for.
        shape: Box<[usize]>,
        /// The strides asked for.
        strides: Box<[isize]>,
        /// The lowest offset if it is negative, else the highest.
        reached: i128,
    },
    /// The layout reaches outside of the memory it is for.
    OutsideMemory {
        /// The lowest offset reached.
        from: usize,
        /// One past the highest offset reached.
        to: usize,
        /// How many elements the memory holds.
        memory: usize,
    },
    /// A stride in bytes does not fit in an `isize`.
    ByteStride {
        /// The stride in elements.
        stride: isize,
        /// Bytes of an element.
        size: usize,
    },
    /// Lengths and strides are not equally many.
    StrideCount {
        /// How many lengths were given.
        n_lengths: usize,
        /// How many strides were given.
        n_strides: usize,
    },
    /// There is no such axis.
    AxisOutOfRange {
        /// The axis asked for; negative counts from the end.
        axis: isize,
        /// How many axes there are.
        rank: usize,
    },
    /// One axis was named twice.
    RepeatedAxis {
        /// The axis, counted from the front.
        axis: usize,
    },
    /// A list of axes does not name each axis once.
    NotAPermutation {
        /// The list that was given.
        order: Box<[isize]>,
        /// How many axes there are.
        rank: usize,
    },
    /// An operation takes layouts of other ranks only.
    WrongRank {
        /// The operation's name.
        operation: &'static str,
        /// The lowest rank it takes.
        least: usize,
        /// The highest rank it takes.
        most: usize,
        /// The rank it was given.
        rank: usize,
    },
    /// A list has not one entry for each axis or each other entry.
    ArgumentCount {
        /// What is counted.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Not as many indices as axes.
    IndexCount {
        /// How many indices were given.
        given: usize,
        /// How many axes there are.
        rank: usize,
    },
    /// There is no such position along an axis.
    IndexOutOfRange {
        /// The index asked for; negative counts from the end.
        index: isize,
        /// The axis, counted from the front.
        axis: usize,
        /// The length of that axis.
        len: usize,
    },
    /// A range along an axis ends behind the axis' end.
    RangeOutOfRange {
        /// The axis, counted from the front.
        axis: usize,
        /// First position of the range.
        start: usize,
        /// Length of the range.
        count: usize,
        /// The length of the axis.
        len: usize,
    },
    /// A step, a part size or a number of parts is zero.
    Zero {
        /// What is zero.
        what: &'static str,
        /// The axis, counted from the front.
        axis: usize,
    },
    /// Two ellipses in one index.
    TwoEllipses,
    /// A window is longer than its axis.
    WindowTooLong {
        /// The axis, counted from the front.
        axis: usize,
        /// The length of a window.
        size: usize,
        /// The length of the axis.
        len: usize,
    },
    /// The last axis of a range of axes comes before the first.
    AxesReversed {
        /// The first axis of the range.
        start: isize,
        /// The last axis of the range.
        end: isize,
    },
    /// An axis to be dropped is longer than 1.
    NotAUnitAxis {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// The new shape does not hold as many elements as the old one.
    SizeMismatch {
        /// The old shape.
        from: Box<[usize]>,
        /// The new shape.
        to: Box<[usize]>,
    },
    /// More than one length was left open.
    TwoOpenLengths {
        /// The first axis with length -1.
        first: usize,
        /// The second axis with length -1.
        second: usize,
    },
    /// A length is negative, and not the -1 that leaves it open.
    NegativeLength {
        /// The new axis.
        axis: usize,
        /// The length given.
        len: i128,
    },
    /// A length left open cannot be told: the others do not divide the number of elements, or one
    /// of them is 0 and any length would do.
    OpenLength {
        /// How many elements there are.
        n_elements: usize,
        /// The product of the lengths that were given; `None` when it does not fit.
        known: Option<usize>,
    },
    /// An axis cannot be cut into equal parts.
    NotDivisible {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// What should divide the length.
        by: usize,
    },
    /// The new shape exists, but not as a strided view.
    NeedsCopy(Box<Refusal>),
    /// A layout has more axes than the shape it should be broadcast to.
    BroadcastRank {
        /// Which of the operands, counted from 0.
        operand: usize,
        /// How many axes it has.
        rank: usize,
        /// How many axes the shape has.
        wanted: usize,
    },
    /// Two lengths neither agree nor is one of them 1.
    DoesNotBroadcast {
        /// Which of the operands, counted from 0.
        operand: usize,
        /// The axis of that operand, counted from the front.
        axis: usize,
        /// The length it has.
        len: usize,
        /// The length it would need, or 1.
        wanted: usize,
    },
    /// Memory of one element size cannot be read as elements of another size.
    Reinterpret(ReinterpretError),
    /// A chain cannot take a padding of this size.
    PaddingTooLarge {
        /// The axis, counted from the front.
        axis: usize,
        /// Positions added in front.
        before: usize,
        /// Positions added behind.
        after: usize,
    },
    /// A rearrange pattern is wrong or does not fit.
    Pattern(Box<PatternError>),
}

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
    /// The length of the last axis is no multiple of the ratio.
    LastLength {
        /// The length of the last axis.
        len: usize,
        /// How many old elements make a new one.
        ratio: usize,
    },
}

/// The groups that errors fall into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// An axis that does not exist or may not be named here.
    Axis,
    /// A position outside of an axis.
    Index,
    /// Lengths that do not go together.
    Shape,
    /// An argument out of its range that is no axis, index or shape.
    Value,
    /// A view that cannot exist without a copy.
    View,
    /// A size that the machine's integers or the memory cannot hold.
    Limit,
    /// A mistake in a rearrange pattern.
    Pattern,
}

impl LayoutError {
    /// The group this error belongs to.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::AxisOutOfRange { .. }
            | Self::RepeatedAxis { .. }
            | Self::NotAPermutation { .. }
            | Self::AxesReversed { .. } => ErrorKind::Axis,
            Self::IndexCount { .. }
            | Self::IndexOutOfRange { .. }
            | Self::RangeOutOfRange { .. }
            | Self::TwoEllipses => ErrorKind::Index,
            Self::WrongRank { .. }
            | Self::StrideCount { .. }
            | Self::WindowTooLong { .. }
            | Self::NotAUnitAxis { .. }
            | Self::SizeMismatch { .. }
            | Self::TwoOpenLengths { .. }
            | Self::NegativeLength { .. }
            | Self::OpenLength { .. }
            | Self::NotDivisible { .. }
            | Self::BroadcastRank { .. }
            | Self::DoesNotBroadcast { .. } => ErrorKind::Shape,
            Self::ArgumentCount { .. } | Self::Zero { .. } => ErrorKind::Value,
            Self::NeedsCopy(_) | Self::Reinterpret(_) => ErrorKind::View,
            Self::RankTooHigh { .. }
            | Self::TooManyElements { .. }
            | Self::OffsetOutOfRange { .. }
            | Self::OutsideMemory { .. }
            | Self::ByteStride { .. }
            | Self::PaddingTooLarge { .. } => ErrorKind::Limit,
            Self::Pattern(_) => ErrorKind::Pattern,
        }
    }

    #[cold]
    pub(crate) fn out_of_range(start: usize, axes: &[Axis]) -> LayoutError {
        // At most 64 axes of at most 2^127 each would still overflow, hence saturating.
        let reach = |it: &Axis| (it.len as i128 - 1).saturating_mul(it.stride as i128);
        let low = axes.iter().map(reach).filter(|&it| it < 0);
        let lowest = low.fold(start as i128, i128::saturating_add);
        let high = axes.iter().map(reach).filter(|&it| it > 0);
        let highest = high.fold(start as i128, i128::saturating_add);
        LayoutError::OffsetOutOfRange {
            start,
            shape: axes.iter().map(|it| it.len).collect(),
            strides: axes.iter().map(|it| it.stride).collect(),
            reached: if lowest < 0 { lowest } else { highest },
        }
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RankTooHigh { rank } => {
                write!(f, "{rank} axes are too many: a layout has at most {MAX_RANK}")
            }
            Self::TooManyElements { shape } => {
                write!(f, "shape {shape:?} has more elements than isize::MAX")
            }
            Self::OffsetOutOfRange { start, shape, strides, reached } => write!(
                f,
                "shape {shape:?} with strides {strides:?} from start {start} reaches offset \
                 {reached}, outside of 0..=isize::MAX"
            ),
            Self::OutsideMemory { from, to, memory } => write!(
                f,
                "the layout reaches offsets {from}..{to}, but the memory holds {memory} elements"
            ),
            Self::ByteStride { stride, size } => write!(
                f,
                "a stride of {stride} elements of {size} bytes each does not fit in an isize"
            ),
            Self::StrideCount { n_lengths, n_strides } => {
                write!(f, "{n_lengths} lengths do not go with {n_strides} strides")
            }
            Self::ArgumentCount { what, given, needed } => {
                write!(f, "{given} {what} given where {needed} are needed")
            }
            Self::NeedsCopy(refusal) => refusal.fmt(f),
            Self::Reinterpret(error) => error.fmt(f),
            Self::Pattern(error) => error.fmt(f),
            Self::AxisOutOfRange { .. }
            | Self::RepeatedAxis { .. }
            | Self::NotAPermutation { .. }
            | Self::WrongRank { .. }
            | Self::AxesReversed { .. } => self.fmt_axis(f),
            Self::IndexCount { .. }
            | Self::IndexOutOfRange { .. }
            | Self::RangeOutOfRange { .. }
            | Self::TwoEllipses
            | Self::Zero { .. }
            | Self::WindowTooLong { .. } => self.fmt_index(f),
            _ => self.fmt_shape(f),
        }
    }
}

impl LayoutError {
    fn fmt_axis(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AxisOutOfRange { axis, rank: 0 } => {
                write!(f, "axis {axis} does not exist: a scalar has no axes")
            }
            Self::AxisOutOfRange { axis, rank } => {
                write!(f, "axis {axis} is out of range: the axes are -{rank}..={}", rank - 1)
            }
            Self::RepeatedAxis { axis } => write!(f, "axis {axis} is named twice"),
            Self::NotAPermutation { order, rank } => {
                write!(f, "{order:?} does not name each of {rank} axes once")
            }
            Self::WrongRank { operation, least, most, rank } if least == most => {
                write!(f, "{operation} takes {least} axes, not {rank}")
            }
            Self::WrongRank { operation, least, most, rank } if *rank < *least => {
                let _ = most;
                write!(f, "{operation} takes at least {least} axes, not {rank}")
            }
            Self::WrongRank { operation, most, rank, .. } => {
                write!(f, "{operation} takes at most {most} axes, not {rank}")
            }
            Self::AxesReversed { start, end } => {
                write!(f, "the range of axes from {start} to {end} ends before it starts")
            }
            _ => unreachable!("`fmt` sends only axis errors here"),
        }
    }

    fn fmt_index(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexCount { given, rank } => write!(f, "{given} indices for {rank} axes"),
            Self::IndexOutOfRange { index, axis, len } => {
                write!(f, "index {index} is out of range for axis {axis} of length {len}")
            }
            Self::RangeOutOfRange { axis, start, count, len } => write!(
                f,
                "{count} positions from {start} on do not fit in axis {axis} of length {len}"
            ),
            Self::TwoEllipses => write!(f, "an index may hold one ellipsis, not two"),
            Self::Zero { what, axis } => write!(f, "the {what} for axis {axis} must not be 0"),
            Self::WindowTooLong { axis, size, len } => {
                write!(f, "a window of {size} does not fit in axis {axis} of length {len}")
            }
            _ => unreachable!("`fmt` sends only index errors here"),
        }
    }

    fn fmt_shape(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAUnitAxis { axis, len } => {
                write!(f, "axis {axis} cannot be dropped: its length is {len}, not 1")
            }
            Self::SizeMismatch { from, to } => {
                write!(f, "shape {from:?} holds {} elements, shape {to:?} ", Count(from))?;
                write!(f, "holds {}", Count(to))
            }
            Self::TwoOpenLengths { first, second } => {
                write!(f, "only one length may be -1, but axes {first} and {second} both are")
            }
            Self::NegativeLength { axis, len } => {
                write!(f, "length {len} of axis {axis} is negative (only -1 has a meaning)")
            }
            Self::OpenLength { n_elements, known: Some(0) } => write!(
                f,
                "a length of -1 beside one of 0 cannot be told, with {n_elements} elements to place"
            ),
            Self::OpenLength { n_elements, known: Some(known) } => {
                write!(
                    f,
                    "{n_elements} elements cannot be cut into rows of {known} for a length of -1"
                )
            }
            Self::OpenLength { n_elements, known: None } => {
                write!(f, "the lengths beside -1 hold more than {n_elements} elements")
            }
            Self::NotDivisible { axis, len, by } => {
                write!(f, "axis {axis} of length {len} cannot be cut into parts of {by}")
            }
            Self::BroadcastRank { operand, rank, wanted } => {
                write!(f, "operand {operand} has {rank} axes and cannot be broadcast to {wanted}")
            }
            Self::DoesNotBroadcast { operand, axis, len, wanted } => write!(
                f,
                "operand {operand} does not broadcast: its axis {axis} has length {len}, \
                 where {wanted} or 1 is needed"
            ),
            Self::PaddingTooLarge { axis, before, after } => {
                write!(f, "padding axis {axis} by {before} and {after} exceeds isize::MAX elements")
            }
            _ => unreachable!("`fmt` sends only shape errors here"),
        }
    }
}

/// The number of elements of a shape, whatever its size.
struct Count<'a>(&'a [usize]);

impl fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0.iter().try_fold(1u128, |n, &len| n.checked_mul(len as u128));
        match n {
            _ if self.0.contains(&0) => write!(f, "0"),
            Some(n) => write!(f, "{n}"),
            None => write!(f, "more than 2^128"),
        }
    }
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
            Self::LastLength { len, ratio } => {
                write!(f, "the last axis has length {len}, which is no multiple of {ratio}")
            }
        }
    }
}

impl core::error::Error for LayoutError {}

impl core::error::Error for ReinterpretError {}

impl From<ReinterpretError> for LayoutError {
    fn from(error: ReinterpretError) -> LayoutError {
        LayoutError::Reinterpret(error)
    }
}
