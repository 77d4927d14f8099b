//! What errors say: one sentence each, with the numbers in it.

use super::{ErrorKind, LayoutError};
use crate::MAX_RANK;
use core::fmt;

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::Axis => self.fmt_axis(f),
            ErrorKind::Index => self.fmt_index(f),
            ErrorKind::Shape => self.fmt_shape(f),
            ErrorKind::Value => self.fmt_value(f),
            ErrorKind::View | ErrorKind::Pattern => self.fmt_view(f),
            ErrorKind::Limit => self.fmt_limit(f),
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
            Self::AxesReversed { start, end } => {
                write!(f, "the range of axes from {start} to {end} ends before it starts")
            }
            _ => unreachable!("`kind` sorts it elsewhere"),
        }
    }

    fn fmt_index(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexCount { given, rank } => {
                write!(f, "{} for {}", count(*given, "index", "indices"), axes(*rank))
            }
            Self::IndexOutOfRange { index, axis, len } => {
                write!(f, "index {index} is out of range for axis {axis} of length {len}")
            }
            Self::PositionOutOfRange { position, n_elements } => {
                let elements = count(*n_elements, "element", "elements");
                write!(f, "position {position} is out of range: there are {elements}")
            }
            Self::RangeReversed { axis, start, end } => {
                write!(f, "the range {start}..{end} of axis {axis} ends before it starts")
            }
            Self::RangeOutOfRange { axis, start, count: n, len } => {
                let positions = count(*n, "position", "positions");
                write!(f, "{positions} from {start} on do not fit in axis {axis} of length {len}")
            }
            Self::StepsOutOfRange { axis, start, count: n, step, len } => {
                let positions = count(*n, "position", "positions");
                write!(f, "{positions} from {start} on, {step} apart, ")?;
                write!(f, "do not fit in axis {axis} of length {len}")
            }
            Self::TwoEllipses => write!(f, "an index may hold one ellipsis, not two"),
            _ => unreachable!("`kind` sorts it elsewhere"),
        }
    }

    fn fmt_shape(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongRank { operation, least, rank, .. } if rank < least => {
                write!(f, "{operation} takes at least {}, not {rank}", axes(*least))
            }
            Self::WrongRank { operation, most, rank, .. } => {
                write!(f, "{operation} takes at most {}, not {rank}", axes(*most))
            }
            Self::StrideCount { n_lengths, n_strides } => {
                let lengths = count(*n_lengths, "length", "lengths");
                write!(f, "{lengths} cannot go with {}", count(*n_strides, "stride", "strides"))
            }
            Self::WindowTooLong { axis, size, len } => {
                write!(f, "a window of {size} does not fit in axis {axis} of length {len}")
            }
            Self::NotAUnitAxis { axis, len } => {
                write!(f, "axis {axis} cannot be dropped: its length is {len}, not 1")
            }
            Self::SizeMismatch { from, to } => {
                write!(f, "shape {from:?} is not as large as shape {to:?}: ")?;
                write!(f, "{} and {} elements", ElementCount(from), ElementCount(to))
            }
            Self::TwoOpenLengths { first, second } => {
                write!(f, "only one length may be -1, but axes {first} and {second} both are")
            }
            Self::NegativeLength { axis, len } => {
                write!(f, "length {len} of axis {axis} is negative (only -1 has a meaning)")
            }
            Self::NothingToKeep { axis } => {
                write!(f, "new axis {axis} has no length yet that -1 could keep")
            }
            Self::NotDivisible { axis, len, by } => {
                write!(f, "axis {axis} of length {len} cannot be cut into parts of {by}")
            }
            Self::BroadcastRank { operand, rank, wanted } => {
                let (rank, wanted) = (axes(*rank), axes(*wanted));
                write!(f, "{rank}{} cannot be broadcast to {wanted}", of_operand(*operand))
            }
            Self::DoesNotBroadcast { operand, axis, len, wanted } => {
                let operand = of_operand(*operand);
                write!(f, "axis {axis} of length {len}{operand} does not broadcast to {wanted}")
            }
            Self::OpenLength { n_elements, known } => fmt_open_length(f, *n_elements, *known),
            _ => unreachable!("`kind` sorts it elsewhere"),
        }
    }

    fn fmt_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ArgumentCount { what, given, needed } => {
                write!(f, "{what} given: {given}, needed: {needed}")
            }
            Self::Zero { what, axis } => write!(f, "the {what} for axis {axis} must not be 0"),
            Self::OutsideMemory { from, to, memory } => write!(
                f,
                "the layout reaches offsets {from}..{to}, but the memory holds {memory} elements"
            ),
            _ => unreachable!("`kind` sorts it elsewhere"),
        }
    }

    fn fmt_view(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotContiguous { shape, strides } => {
                write!(f, "shape {shape:?} with strides {strides:?} is not contiguous")
            }
            Self::Pattern(error) => write!(f, "{error}"),
            Self::NeedsCopy(refusal) => write!(f, "{refusal}"),
            Self::Reinterpret(error) => write!(f, "{error}"),
            _ => unreachable!("`kind` sorts it elsewhere"),
        }
    }

    fn fmt_limit(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RankTooHigh { rank } => {
                write!(f, "{rank} axes are too many: a layout has at most {MAX_RANK}")
            }
            Self::TooManyElements { shape } if shape.contains(&0) => {
                write!(f, "the lengths of {shape:?} beside 0 multiply to more than isize::MAX")
            }
            Self::TooManyElements { shape } => {
                write!(f, "shape {shape:?} has more elements than isize::MAX")
            }
            Self::OffsetOutOfRange { start, shape, strides, reached } => write!(
                f,
                "shape {shape:?} with strides {strides:?} from start {start} reaches offset \
                 {reached}, outside of 0..=isize::MAX"
            ),
            Self::ByteStride { stride, size } => write!(
                f,
                "a stride of {stride} elements of {size} bytes each does not fit in an isize"
            ),
            Self::PaddingTooLarge { axis, before, after } => {
                write!(f, "padding axis {axis} by {before} and {after} exceeds isize::MAX elements")
            }
            _ => unreachable!("`kind` sorts it elsewhere"),
        }
    }
}

fn fmt_open_length(
    f: &mut fmt::Formatter<'_>,
    n_elements: usize,
    known: Option<usize>,
) -> fmt::Result {
    match known {
        Some(0) => write!(
            f,
            "a length of -1 beside one of 0 cannot be told, with {n_elements} elements to place"
        ),
        Some(known) => {
            write!(f, "{n_elements} elements cannot be cut into rows of {known} for a length of -1")
        }
        None => {
            write!(f, "the lengths beside -1 hold more than {n_elements} elements")
        }
    }
}

fn of_operand(operand: Option<usize>) -> impl fmt::Display {
    fmt::from_fn(move |f| match operand {
        Some(n) => write!(f, " of operand {n}"),
        None => Ok(()),
    })
}

fn axes(n: usize) -> impl fmt::Display {
    count(n, "axis", "axes")
}

/// A number with its noun in the right form.
fn count(n: usize, one: &'static str, many: &'static str) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "{n} {}", if n == 1 { one } else { many }))
}

/// The number of elements of a shape, whatever its size.
struct ElementCount<'a>(&'a [usize]);

impl fmt::Display for ElementCount<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0.iter().try_fold(1u128, |n, &len| n.checked_mul(len as u128));
        match n {
            _ if self.0.contains(&0) => write!(f, "0"),
            Some(n) => write!(f, "{n}"),
            None => write!(f, "more than 2^128"),
        }
    }
}
