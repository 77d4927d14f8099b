//! `EinsumError`: an error in the subscripts of `einsum`, with its position in the text.

use crate::Error;
use std::fmt::{self, Write};
use std::ops::Range;

/// An error in the subscripts of [`einsum`](crate::einsum) and its position. It prints the subscripts with carets
/// under it.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = Tensor::zeros([2, 3], DType::Int8)?;
/// let error = belvedere::einsum("ij,jk->ik", &[&x, &x]).unwrap_err();
/// assert_eq!(error.to_string(), "\
/// `j` has length 3 in an earlier operand, but axis 0 of operand 1 has length 2
///   ij,jk->ik
///      ^");
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EinsumError {
    /// The subscripts as they were given.
    pub subscripts: Box<str>,
    /// The bytes of the subscripts that are wrong; empty if something is missing there.
    pub at: Range<usize>,
    /// The kind of error.
    pub problem: EinsumProblem,
}

/// The kind of an [`EinsumError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EinsumProblem {
    /// A character that is not a letter, `,`, `...` or `->`.
    Character(char),
    /// One or two dots instead of three.
    Dots,
    /// A second ellipsis in one operand or in the output.
    SecondEllipsis,
    /// A second `->`, or a comma after it.
    SecondOutput,
    /// More or fewer operands than there are subscripts for.
    Operands {
        /// The number of operands that the subscripts are for.
        wanted: usize,
        /// The number of operands given.
        given: usize,
    },
    /// There are no operands.
    Nothing,
    /// More or fewer letters than the operand has axes.
    Rank {
        /// The position of the operand.
        operand: usize,
        /// The number of letters.
        letters: usize,
        /// The number of axes.
        rank: usize,
    },
    /// A letter with two different lengths.
    Lengths {
        /// The letter; `None` for an axis of the ellipsis.
        letter: Option<char>,
        /// Its length in an earlier operand.
        before: usize,
        /// The position of the operand in which it has another length.
        operand: usize,
        /// The axis of that operand.
        axis: usize,
        /// The length of that axis.
        len: usize,
    },
    /// A letter that occurs twice in the output.
    Repeated(char),
    /// A letter of the output that no operand has.
    Unknown(char),
    /// A letter that occurs twice in one operand (a diagonal), for axes of different lengths.
    Diagonal {
        /// The letter.
        letter: char,
        /// The position of the operand.
        operand: usize,
        /// The two lengths.
        lens: (usize, usize),
    },
    /// Operands have axes of an ellipsis, and the output has no ellipsis.
    NoEllipsis {
        /// The number of these axes.
        axes: usize,
    },
}

impl EinsumError {
    #[cold]
    pub(super) fn at(subscripts: &str, at: Range<usize>, problem: EinsumProblem) -> Error {
        let subscripts = subscripts.into();
        Error::Einsum(Box::new(EinsumError { subscripts, at, problem }))
    }
}

impl fmt::Display for EinsumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EinsumError { subscripts, at, problem } = self;
        write!(f, "{problem}\n  ")?;
        // White space and control characters are printed as single spaces, so that the caret aligns.
        for c in subscripts.chars() {
            f.write_char(if c.is_whitespace() || c.is_control() { ' ' } else { c })?;
        }
        let n_before = subscripts.get(..at.start).map_or(0, |it| it.chars().count());
        let n_carets = subscripts.get(at.clone()).map_or(1, |it| it.chars().count().max(1));
        f.write_str("\n  ")?;
        (0..n_before).try_for_each(|_| f.write_char(' '))?;
        (0..n_carets).try_for_each(|_| f.write_char('^'))
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Debug for EinsumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for EinsumProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(c) => write!(f, "unexpected character {c:?} in subscripts"),
            Self::Dots => write!(f, "an ellipsis is written `...`"),
            Self::SecondEllipsis => write!(f, "an operand or the output can have only one `...`"),
            Self::SecondOutput => {
                write!(f, "subscripts have only one `->`, and one output after it")
            }
            Self::Operands { wanted, given } => {
                write!(f, "the number of operands is {given}, but the subscripts are for {wanted}")
            }
            Self::Nothing => write!(f, "einsum needs at least one operand"),
            Self::Rank { operand, letters, rank } => {
                write!(
                    f,
                    "operand {operand} has rank {rank}, but its number of letters is {letters}"
                )
            }
            Self::Lengths { letter, before, operand, axis, len } => {
                match letter {
                    Some(letter) => write!(f, "`{letter}` has length {before} ")?,
                    None => write!(f, "an axis of `...` has length {before} ")?,
                }
                write!(f, "in an earlier operand, but axis {axis} of operand {operand} ")?;
                write!(f, "has length {len}")
            }
            Self::Diagonal { letter, operand, lens: (a, b) } => {
                write!(f, "the axes `{letter}` of operand {operand} have lengths {a} and {b}, ")?;
                write!(f, "but a diagonal needs equal lengths")
            }
            Self::Repeated(letter) => write!(f, "the output has `{letter}` twice"),
            Self::Unknown(letter) => write!(f, "no operand has the axis `{letter}` of the output"),
            Self::NoEllipsis { axes } => {
                write!(f, "the output has no `...` for the {axes} axes of `...` in the operands")
            }
        }
    }
}

impl std::error::Error for EinsumError {}
