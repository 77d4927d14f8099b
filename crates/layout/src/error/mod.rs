//! What can be wrong with a request, as values.

mod message;
mod reinterpret;

pub use reinterpret::ReinterpretError;

use crate::pattern::PatternError;
use crate::{Axis, Refusal};
use alloc::boxed::Box;

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
    /// More axes than [`MAX_RANK`](crate::MAX_RANK).
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
        index: i128,
        /// The axis, counted from the front.
        axis: usize,
        /// The length of that axis.
        len: usize,
    },
    /// There is no such element in row-major order.
    PositionOutOfRange {
        /// The position asked for.
        position: usize,
        /// How many elements there are.
        n_elements: usize,
    },
    /// A range along an axis ends before it starts.
    RangeReversed {
        /// The axis, counted from the front.
        axis: usize,
        /// First position of the range.
        start: usize,
        /// The position behind the last.
        end: usize,
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
    /// Positions that are some steps apart are not all on the axis.
    StepsOutOfRange {
        /// The axis, counted from the front.
        axis: usize,
        /// The first position.
        start: usize,
        /// How many positions there are.
        count: usize,
        /// How far apart they are.
        step: isize,
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
    /// A new axis was given the length -1, which keeps the length an axis has.
    NothingToKeep {
        /// The new axis.
        axis: usize,
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
    /// An operation takes contiguous layouts only.
    NotContiguous {
        /// The lengths of the layout.
        shape: Box<[usize]>,
        /// Its strides.
        strides: Box<[isize]>,
    },
    /// The new shape exists, but not as a strided view.
    NeedsCopy(Box<Refusal>),
    /// A layout has more axes than the shape it should be broadcast to.
    BroadcastRank {
        /// Which of several operands, counted from 0.
        operand: Option<usize>,
        /// How many axes it has.
        rank: usize,
        /// How many axes the shape has.
        wanted: usize,
    },
    /// Two lengths neither agree nor is one of them 1.
    DoesNotBroadcast {
        /// Which of several operands, counted from 0.
        operand: Option<usize>,
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
            | Self::PositionOutOfRange { .. }
            | Self::RangeReversed { .. }
            | Self::RangeOutOfRange { .. }
            | Self::StepsOutOfRange { .. }
            | Self::TwoEllipses => ErrorKind::Index,
            Self::WrongRank { .. }
            | Self::StrideCount { .. }
            | Self::WindowTooLong { .. }
            | Self::NotAUnitAxis { .. }
            | Self::SizeMismatch { .. }
            | Self::TwoOpenLengths { .. }
            | Self::NegativeLength { .. }
            | Self::NothingToKeep { .. }
            | Self::OpenLength { .. }
            | Self::NotDivisible { .. }
            | Self::BroadcastRank { .. }
            | Self::DoesNotBroadcast { .. } => ErrorKind::Shape,
            Self::ArgumentCount { .. } | Self::Zero { .. } | Self::OutsideMemory { .. } => {
                ErrorKind::Value
            }
            Self::NotContiguous { .. } | Self::NeedsCopy(_) | Self::Reinterpret(_) => {
                ErrorKind::View
            }
            Self::RankTooHigh { .. }
            | Self::TooManyElements { .. }
            | Self::OffsetOutOfRange { .. }
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

impl core::error::Error for LayoutError {}
