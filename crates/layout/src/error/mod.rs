//! `LayoutError` and `ErrorKind`.

mod message;
mod reinterpret;

pub use reinterpret::ReinterpretError;

use crate::pattern::PatternError;
use crate::{Axis, Refusal};
use alloc::boxed::Box;

/// The error type of all operations on layouts and chains. The layout an operation was called on is
/// unchanged.
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
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// More axes than [`MAX_RANK`](crate::MAX_RANK).
    RankTooHigh {
        /// The number of axes the result would have.
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
        /// The number of elements in the memory.
        memory: usize,
    },
    /// A stride in bytes does not fit in an `isize`.
    ByteStride {
        /// The stride in elements.
        stride: isize,
        /// Bytes of an element.
        size: usize,
    },
    /// The numbers of lengths and of strides differ.
    StrideCount {
        /// The number of lengths given.
        n_lengths: usize,
        /// The number of strides given.
        n_strides: usize,
    },
    /// An axis argument is out of range.
    AxisOutOfRange {
        /// The axis given; negative counts from the end.
        axis: isize,
        /// The number of axes.
        rank: usize,
    },
    /// An axis was given twice.
    RepeatedAxis {
        /// The axis, counted from the front.
        axis: usize,
    },
    /// A list of axes is not a permutation of the axes.
    NotAPermutation {
        /// The list given.
        order: Box<[isize]>,
        /// The number of axes.
        rank: usize,
    },
    /// The rank is not one that the operation accepts.
    WrongRank {
        /// The operation's name.
        operation: &'static str,
        /// The lowest rank accepted.
        least: usize,
        /// The highest rank accepted.
        most: usize,
        /// The rank given.
        rank: usize,
    },
    /// A list argument has the wrong number of entries.
    ArgumentCount {
        /// What is counted, in the plural.
        what: &'static str,
        /// The number of entries given.
        given: usize,
        /// The number of entries expected.
        needed: usize,
    },
    /// The number of indices is not the number of axes.
    IndexCount {
        /// The number of indices given.
        given: usize,
        /// The number of axes.
        rank: usize,
    },
    /// An index is out of range for its axis.
    IndexOutOfRange {
        /// The index given; negative counts from the end.
        index: i128,
        /// The axis, counted from the front.
        axis: usize,
        /// The length of that axis.
        len: usize,
    },
    /// A flat (row-major) index is out of range.
    PositionOutOfRange {
        /// The flat index given.
        position: usize,
        /// The number of elements.
        n_elements: usize,
    },
    /// A range along an axis ends before it starts.
    RangeReversed {
        /// The axis, counted from the front.
        axis: usize,
        /// The first position of the range.
        start: usize,
        /// The position after the last.
        end: usize,
    },
    /// A range along an axis ends after the end of the axis.
    RangeOutOfRange {
        /// The axis, counted from the front.
        axis: usize,
        /// The first position of the range.
        start: usize,
        /// The length of the range.
        count: usize,
        /// The length of the axis.
        len: usize,
    },
    /// A range with a step is not contained in its axis.
    StepsOutOfRange {
        /// The axis, counted from the front.
        axis: usize,
        /// The first position.
        start: usize,
        /// The number of positions.
        count: usize,
        /// The distance between two positions.
        step: isize,
        /// The length of the axis.
        len: usize,
    },
    /// A step, a part size or a number of parts is 0.
    Zero {
        /// What is 0.
        what: &'static str,
        /// The axis, counted from the front.
        axis: usize,
    },
    /// An index has two ellipses.
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
    /// An axis to be squeezed does not have length 1.
    NotAUnitAxis {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// The new shape has another number of elements than the old one.
    SizeMismatch {
        /// The old shape.
        from: Box<[usize]>,
        /// The new shape.
        to: Box<[usize]>,
    },
    /// More than one length is -1 (to be inferred).
    TwoOpenLengths {
        /// The first axis with length -1.
        first: usize,
        /// The second axis with length -1.
        second: usize,
    },
    /// A number that must be at least 0 is negative.
    Negative {
        /// What the numbers are, in the plural.
        what: &'static str,
        /// The position of the number in the list.
        position: usize,
        /// The number given.
        given: i128,
    },
    /// The rank is not the number of lengths asked for.
    Dims {
        /// The number of lengths asked for.
        asked: usize,
        /// The shape.
        shape: Box<[usize]>,
    },
    /// A length is negative and not -1.
    NegativeLength {
        /// The new axis.
        axis: usize,
        /// The length given.
        len: i128,
    },
    /// The length of a new axis is -1, which keeps the length of an existing axis.
    NothingToKeep {
        /// The new axis.
        axis: usize,
    },
    /// A length of -1 cannot be inferred: the other lengths do not divide the number of elements, or
    /// one of them is 0 and any length would do.
    OpenLength {
        /// The number of elements.
        n_elements: usize,
        /// The product of the other lengths; `None` if it overflows.
        known: Option<usize>,
    },
    /// An axis cannot be split into equal parts.
    NotDivisible {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// What should divide the length.
        by: usize,
    },
    /// An operation requires a contiguous layout.
    NotContiguous {
        /// The lengths of the layout.
        shape: Box<[usize]>,
        /// Its strides.
        strides: Box<[isize]>,
    },
    /// The new shape cannot be a strided view: the elements would have to be copied.
    NeedsCopy(Box<Refusal>),
    /// A layout has more axes than the shape it is broadcast to.
    BroadcastRank {
        /// The number of the operand, counted from 0, if there are several.
        operand: Option<usize>,
        /// The number of its axes.
        rank: usize,
        /// The number of axes of the shape.
        wanted: usize,
    },
    /// Two lengths are not broadcast compatible: they differ and neither is 1.
    DoesNotBroadcast {
        /// The number of the operand, counted from 0, if there are several.
        operand: Option<usize>,
        /// The axis of that operand, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// The length it would have to be, unless it is 1.
        wanted: usize,
    },
    /// Elements cannot be reinterpreted as elements of another size.
    Reinterpret(ReinterpretError),
    /// Padding makes the number of elements exceed `isize::MAX`.
    PaddingTooLarge {
        /// The axis, counted from the front.
        axis: usize,
        /// The positions added before it.
        before: usize,
        /// The positions added after it.
        after: usize,
    },
    /// A rearrange pattern is malformed or does not match the layout.
    Pattern(Box<PatternError>),
}

/// The category of a [`LayoutError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// An axis argument is out of range or repeated.
    Axis,
    /// An index or a range is out of range for its axis.
    Index,
    /// A shape has the wrong rank, number of elements or lengths.
    Shape,
    /// Another argument is out of range.
    Value,
    /// The result cannot be a view.
    View,
    /// A size or an offset exceeds `isize::MAX`, or the rank [`MAX_RANK`](crate::MAX_RANK).
    Limit,
    /// A rearrange pattern is malformed or does not match the layout.
    Pattern,
}

impl LayoutError {
    /// Returns the category of this error.
    ///
    /// ```
    /// # use belvedere_layout::{ErrorKind, Layout};
    /// let layout = Layout::row_major(&[3, 4])?;
    /// assert_eq!(layout.permute(&[0, 0]).unwrap_err().kind(), ErrorKind::Axis);
    /// assert_eq!(layout.view([5, 5]).unwrap_err().kind(), ErrorKind::Shape);
    /// assert_eq!(layout.t()?.view([12]).unwrap_err().kind(), ErrorKind::View);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
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
            | Self::Dims { .. }
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
            Self::ArgumentCount { .. }
            | Self::Negative { .. }
            | Self::Zero { .. }
            | Self::OutsideMemory { .. } => ErrorKind::Value,
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
