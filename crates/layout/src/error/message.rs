//! The `Display` of `LayoutError`: one sentence for each error, with the values it holds.

use super::LayoutError;
use crate::MAX_RANK;
use core::fmt;

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AxisOutOfRange { axis, rank: 0 } => {
                write!(f, "axis {axis} does not exist: a scalar has no axes")
            }
            Self::AxisOutOfRange { axis, rank } => {
                write!(f, "axis {axis} is out of range: the axes are -{rank}..={}", rank - 1)
            }
            Self::RepeatedAxis { axis } => write!(f, "axis {axis} is given twice"),
            Self::NotAPermutation { order, rank } => {
                write!(f, "{order:?} is not a permutation of {rank} axes")
            }
            Self::AxesReversed { start, end } => {
                write!(f, "the range of axes from {start} to {end} ends before it starts")
            }
            Self::IndexCount { given, rank } => {
                write!(f, "got {} for {}", count(*given, "index", "indices"), axes(*rank))
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
                write!(
                    f,
                    "{positions} starting at {start} do not fit in axis {axis} of length {len}"
                )
            }
            Self::StepsOutOfRange { axis, start, count: n, step, len } => {
                let positions = count(*n, "position", "positions");
                write!(f, "{positions} starting at {start} with step {step} ")?;
                write!(f, "do not fit in axis {axis} of length {len}")
            }
            Self::TwoEllipses => write!(f, "an index can have only one ellipsis"),
            Self::WrongRank { operation, least, most, rank } if least == most => {
                write!(f, "{operation} takes {}, got {rank}", axes(*least))
            }
            Self::WrongRank { operation, least, rank, .. } if rank < least => {
                write!(f, "{operation} takes at least {}, got {rank}", axes(*least))
            }
            Self::WrongRank { operation, most, rank, .. } => {
                write!(f, "{operation} takes at most {}, got {rank}", axes(*most))
            }
            Self::StrideCount { n_lengths, n_strides } => {
                let lengths = count(*n_lengths, "length", "lengths");
                write!(f, "got {lengths} but {}", count(*n_strides, "stride", "strides"))
            }
            Self::WindowTooLong { axis, size, len } => {
                write!(f, "a window of {size} does not fit in axis {axis} of length {len}")
            }
            Self::NotAUnitAxis { axis, len } => {
                write!(f, "cannot squeeze axis {axis}: its length is {len}, not 1")
            }
            Self::SizeMismatch { from, to } => {
                write!(f, "cannot reshape {from:?} into {to:?}: ")?;
                write!(f, "{} elements are not {}", ElementCount(from), ElementCount(to))
            }
            Self::TwoOpenLengths { first, second } => {
                write!(f, "only one length may be -1, but axes {first} and {second} both are")
            }
            Self::NegativeLength { axis, len } => {
                write!(f, "length {len} of axis {axis} is negative; only -1 is allowed")
            }
            Self::Negative { what, position, given } => {
                write!(f, "{what} must be at least 0, got {given} at position {position}")
            }
            Self::Dims { asked, shape } => {
                write!(f, "expected {}, got {}: shape {shape:?}", axes(*asked), shape.len())
            }
            Self::NothingToKeep { axis } => {
                write!(f, "length -1 keeps an existing length, but axis {axis} is new")
            }
            Self::NotDivisible { axis, len, by } => {
                write!(f, "axis {axis} of length {len} cannot be split into parts of {by}")
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
            Self::ArgumentCount { what, given, needed } => {
                write!(f, "expected {needed} {what}, got {given}")
            }
            Self::Zero { what, axis } => write!(f, "the {what} for axis {axis} must not be 0"),
            Self::OutsideMemory { from, to, memory } => write!(
                f,
                "the layout reaches offsets {from}..{to}, but the memory holds {memory} elements"
            ),
            Self::NotContiguous { shape, strides } => {
                write!(f, "shape {shape:?} with strides {strides:?} is not contiguous")
            }
            Self::Pattern(error) => write!(f, "{error}"),
            Self::NeedsCopy(refusal) => write!(f, "{refusal}"),
            Self::Reinterpret(error) => write!(f, "{error}"),
            Self::RankTooHigh { rank } => {
                write!(f, "{rank} axes are too many: a layout has at most {MAX_RANK}")
            }
            Self::TooManyElements { shape } if shape.contains(&0) => {
                write!(f, "the nonzero lengths of shape {shape:?} multiply to more than isize::MAX")
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
        }
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Debug for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn fmt_open_length(
    f: &mut fmt::Formatter<'_>,
    n_elements: usize,
    known: Option<usize>,
) -> fmt::Result {
    match known {
        Some(0) => {
            write!(f, "cannot infer a length of -1 for {n_elements} elements: another length is 0")
        }
        Some(known) => write!(
            f,
            "cannot infer a length of -1: {n_elements} elements are not divisible by {known}"
        ),
        None => write!(
            f,
            "cannot infer a length of -1: the others multiply to more than {n_elements} elements"
        ),
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

/// Formats a number with its noun in the singular or plural.
fn count(n: usize, one: &'static str, many: &'static str) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "{n} {}", if n == 1 { one } else { many }))
}

/// Formats the number of elements of a shape, which may exceed `usize`.
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
