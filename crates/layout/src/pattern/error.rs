//! Mistakes in a pattern, with the place where they are.

use crate::LayoutError;
use alloc::boxed::Box;
use core::fmt::{self, Write};
use core::ops::Range;

/// A mistake in a rearrange pattern, and where it is. It prints with a caret under the place.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The pattern as it was given.
    pub pattern: Box<str>,
    /// The bytes of it that are at fault; empty where something is missing.
    pub at: Range<usize>,
    /// What is wrong.
    pub problem: PatternProblem,
}

/// What can be wrong with a rearrange pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternProblem {
    /// There is no `->`.
    NoArrow,
    /// There is a second `->`.
    SecondArrow,
    /// A character that means nothing here.
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
    /// A second ellipsis on one side.
    SecondEllipsis,
    /// An ellipsis inside a group on the left: its axes could not be told apart.
    GroupedEllipsis,
    /// An axis on the left that is missing on the right: that would be a reduction.
    MissingRight,
    /// An axis on the right that the left does not know: that would be a repetition.
    UnknownRight,
    /// A pattern with an ellipsis that has more axes than the layout without it.
    TooFewAxes {
        /// How many axes the left side stands for at least.
        wanted: usize,
        /// How many there are.
        rank: usize,
    },
    /// A pattern with more or fewer axes than the layout.
    WrongRank {
        /// How many axes the left side stands for.
        wanted: usize,
        /// How many there are.
        rank: usize,
    },
    /// An axis written `1` that is longer.
    NotOne {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// Two lengths of one group are not known.
    TwoUnknown,
    /// All lengths of a group are known and do not make up the length of its axis.
    WrongProduct {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// The product of the lengths; `None` when it does not fit.
        product: Option<usize>,
    },
    /// The known lengths of a group do not divide the length of its axis.
    Indivisible {
        /// The axis, counted from the front.
        axis: usize,
        /// Its length.
        len: usize,
        /// The product of the known lengths; `None` when it does not fit.
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
        // White space and control characters as single blanks, so that the caret stands right.
        write!(f, "\n  ")?;
        for c in pattern.chars() {
            write!(f, "{}", if c.is_whitespace() || c.is_control() { ' ' } else { c })?;
        }
        let n_before = pattern.get(..at.start).map_or(0, |it| it.chars().count());
        let n_carets = pattern.get(at.clone()).map_or(1, |it| it.chars().count().max(1));
        // Character by character: a width in a format has its limits, and patterns have none.
        write!(f, "\n  ")?;
        (0..n_before).try_for_each(|_| f.write_char(' '))?;
        (0..n_carets).try_for_each(|_| f.write_char('^'))
    }
}

impl fmt::Display for PatternProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoArrow => write!(f, "a pattern has two sides with `->` between them"),
            Self::SecondArrow => write!(f, "a pattern has one `->`, not two"),
            Self::Character(c) => write!(f, "{c:?} means nothing in a pattern"),
            Self::Number => write!(f, "an axis has a name or is `1`; no other number is allowed"),
            Self::NestedGroup => write!(f, "a group cannot hold another group"),
            Self::Unclosed => write!(f, "this parenthesis is never closed"),
            Self::Unopened => write!(f, "this parenthesis was never opened"),
            Self::Repeated => write!(f, "this axis is named twice on one side"),
            Self::SecondEllipsis => write!(f, "one side can have one `...`, not two"),
            Self::GroupedEllipsis => write!(f, "on the left, `...` cannot be inside a group"),
            Self::MissingRight => {
                write!(f, "this axis is missing on the right; rearranging keeps every axis")
            }
            Self::UnknownRight => {
                write!(f, "the left side does not know this axis; rearranging adds none")
            }
            Self::TooFewAxes { wanted, rank } => {
                write!(f, "the left side stands for rank {wanted} or more, but the rank is {rank}")
            }
            Self::WrongRank { wanted, rank } => {
                write!(f, "the left side stands for rank {wanted}, but the rank is {rank}")
            }
            Self::NotOne { axis, len } => {
                write!(f, "axis {axis} is written as 1, but its length is {len}")
            }
            Self::TwoUnknown => {
                write!(f, "only one length of a group can be worked out; give this one")
            }
            Self::WrongProduct { axis, len, product: Some(product) } => {
                write!(f, "axis {axis} has length {len}, but its parts multiply to {product}")
            }
            Self::WrongProduct { axis, len, product: None }
            | Self::Indivisible { axis, len, known: None } => {
                write!(f, "axis {axis} has length {len}, but its parts multiply to far more")
            }
            Self::Indivisible { axis, len, known: Some(known) } => {
                write!(f, "axis {axis} of length {len} cannot be cut into parts of {known}")
            }
            Self::WrongLength { axis, len, given } => {
                write!(f, "axis {axis} has length {len}, but {given} was given for this name")
            }
            Self::UnusedLength { name } => {
                write!(f, "a length is given for {name:?}, which the pattern does not name")
            }
            Self::LengthTwice => write!(f, "two lengths are given for this axis"),
        }
    }
}

impl core::error::Error for PatternError {}
