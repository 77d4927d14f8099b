//! `PatternError`: an error in a pattern, with its position in the text.

use crate::{LayoutError, MAX_RANK};
use alloc::boxed::Box;
use core::fmt::{self, Write};
use core::ops::Range;

/// An error in a rearrange pattern, with its position. It prints the pattern with carets under it.
///
/// ```
/// use belvedere_layout::Pattern;
///
/// let error = "b (h w -> b h w".parse::<Pattern>().unwrap_err();
/// assert_eq!(error.to_string(), "\
/// this parenthesis is never closed
///   b (h w -> b h w
///     ^");
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The text of the pattern.
    pub pattern: Box<str>,
    /// The bytes of the text that are wrong; empty if something is missing there.
    pub at: Range<usize>,
    /// The kind of error.
    pub problem: PatternProblem,
}

/// The kind of a [`PatternError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternProblem {
    /// There is no `->`.
    NoArrow,
    /// There is a second `->`.
    SecondArrow,
    /// An unexpected character.
    Character(char),
    /// A number other than 1.
    Number,
    /// A group inside a group.
    NestedGroup,
    /// A group that is never closed.
    Unclosed,
    /// A closing parenthesis without an opening one.
    Unopened,
    /// An axis named twice on one side.
    Repeated,
    /// More names on one side than a layout can have axes.
    TooManyNames,
    /// A second ellipsis on one side.
    SecondEllipsis,
    /// An ellipsis inside a group on the left: the lengths of its axes cannot be inferred.
    GroupedEllipsis,
    /// An axis on the left that is missing on the right: that would be a reduction.
    MissingRight,
    /// An axis on the right that is missing on the left: that would be a repetition.
    UnknownRight,
    /// The layout has fewer axes than the left side without its ellipsis.
    TooFewAxes {
        /// The number of axes on the left, without the ellipsis.
        wanted: usize,
        /// The rank of the layout.
        rank: usize,
    },
    /// The layout has more or fewer axes than the left side.
    WrongRank {
        /// The number of axes on the left.
        wanted: usize,
        /// The rank of the layout.
        rank: usize,
    },
    /// An axis written `1` that is longer.
    NotOne {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// Two lengths of one group are unknown.
    TwoUnknown,
    /// All lengths of a group are known and do not multiply to the length of its axis.
    WrongProduct {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// The product of the lengths; `None` if it overflows.
        product: Option<usize>,
    },
    /// The known lengths of a group do not divide the length of its axis.
    Indivisible {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// The product of the known lengths; `None` if it overflows.
        known: Option<usize>,
    },
    /// A length was given for a name, and the axis has another one.
    WrongLength {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// The length given for the name.
        given: usize,
    },
    /// A length was given for a name that is not in the pattern.
    UnusedLength {
        /// The name.
        name: Box<str>,
    },
    /// Two lengths were given for one name.
    LengthTwice,
}

impl PatternError {
    #[cold]
    pub(super) fn at(pattern: &str, at: Range<usize>, problem: PatternProblem) -> LayoutError {
        LayoutError::Pattern(Box::new(PatternError { pattern: pattern.into(), at, problem }))
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PatternError { pattern, at, problem } = self;
        write!(f, "{problem}")?;
        // White space and control characters are printed as single spaces, so that the caret aligns.
        write!(f, "\n  ")?;
        for c in pattern.chars() {
            write!(f, "{}", if c.is_whitespace() || c.is_control() { ' ' } else { c })?;
        }
        let n_before = pattern.get(..at.start).map_or(0, |it| it.chars().count());
        let n_carets = pattern.get(at.clone()).map_or(1, |it| it.chars().count().max(1));
        // Character by character: the width of a format argument is limited to `u16::MAX`.
        write!(f, "\n  ")?;
        (0..n_before).try_for_each(|_| f.write_char(' '))?;
        (0..n_carets).try_for_each(|_| f.write_char('^'))
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Debug for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PatternProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoArrow => write!(f, "a pattern needs a `->` between its two sides"),
            Self::SecondArrow => write!(f, "a pattern has only one `->`"),
            Self::Character(c) => write!(f, "unexpected character {c:?} in a pattern"),
            Self::Number => write!(f, "an axis has a name or is `1`; no other number is allowed"),
            Self::NestedGroup => write!(f, "a group cannot contain another group"),
            Self::Unclosed => write!(f, "this parenthesis is never closed"),
            Self::Unopened => write!(f, "this parenthesis was never opened"),
            Self::Repeated => write!(f, "this axis occurs twice on one side"),
            Self::TooManyNames => {
                write!(f, "a side has at most {MAX_RANK} names, one for each axis of a layout")
            }
            Self::SecondEllipsis => write!(f, "a side can have only one `...`"),
            Self::GroupedEllipsis => write!(f, "on the left, `...` cannot be inside a group"),
            Self::MissingRight => {
                write!(f, "this axis is missing on the right; rearranging keeps every axis")
            }
            Self::UnknownRight => {
                write!(f, "this axis is missing on the left; rearranging adds no axis")
            }
            Self::TooFewAxes { wanted, rank } => {
                write!(f, "the left side has {wanted} axes or more, but the rank is {rank}")
            }
            Self::WrongRank { wanted, rank } => {
                write!(f, "the left side has {wanted} axes, but the rank is {rank}")
            }
            Self::NotOne { axis, len } => {
                write!(f, "axis {axis} is written as 1, but its length is {len}")
            }
            Self::TwoUnknown => {
                write!(f, "only one length of a group can be inferred; give this one")
            }
            Self::WrongProduct { axis, len, product: Some(product) } => {
                write!(f, "axis {axis} has length {len}, but its parts multiply to {product}")
            }
            Self::WrongProduct { axis, len, product: None }
            | Self::Indivisible { axis, len, known: None } => {
                write!(f, "axis {axis} has length {len}, but its parts multiply to over usize::MAX")
            }
            Self::Indivisible { axis, len, known: Some(known) } => {
                write!(f, "axis {axis} of length {len} cannot be split into parts of {known}")
            }
            Self::WrongLength { axis, len, given } => {
                write!(f, "axis {axis} has length {len}, but {given} was given for this name")
            }
            Self::UnusedLength { name } => {
                write!(f, "a length is given for {name:?}, which is not in the pattern")
            }
            Self::LengthTwice => write!(f, "two lengths are given for this axis"),
        }
    }
}

impl core::error::Error for PatternError {}
