//! Errors in subscripts, with their position.

use crate::Error;
use std::fmt::{self, Write};
use std::ops::Range;

/// An error in the subscripts of [`einsum`](crate::einsum) and its position. It displays with a caret under it.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = Tensor::zeros([2, 3], DType::Int8)?;
/// let error = belvedere::einsum("ij,jk->ik", &[&x, &x]).unwrap_err();
/// assert_eq!(error.to_string(), "\
/// j has length 3 before, but axis 0 of operand 1 has length 2
///   ij,jk->ik
///      ^");
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EinsumError {
    /// The subscripts as they were given.
    pub subscripts: Box<str>,
    /// The byte range of the error; empty where something is missing.
    pub at: Range<usize>,
    /// What is wrong.
    pub problem: EinsumProblem,
}

/// What can be wrong with subscripts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EinsumProblem {
    /// A character that is not a letter, `,`, `...` or `->`.
    Character(char),
    /// One or two dots instead of three.
    Dots,
    /// A second ellipsis in one operand or in the result.
    SecondEllipsis,
    /// A second `->`, or a comma after it.
    SecondOutput,
    /// More or fewer operands than there are subscripts for.
    Operands {
        /// The number of operands in the subscripts.
        wanted: usize,
        /// The number of given operands.
        given: usize,
    },
    /// There are no operands.
    Nothing,
    /// More or fewer letters than the operand has axes.
    Rank {
        /// The operand.
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
        /// The length it had before.
        before: usize,
        /// The operand in which it has another.
        operand: usize,
        /// The axis of it.
        axis: usize,
        /// The length of that axis.
        len: usize,
    },
    /// A letter twice in the result.
    Repeated(char),
    /// A letter of the result that no operand has.
    Unknown(char),
    /// Axes of a diagonal with different lengths.
    Diagonal {
        /// The letter.
        letter: char,
        /// The operand.
        operand: usize,
        /// The two lengths.
        lens: (usize, usize),
    },
    /// Axes of an ellipsis that the result does not have.
    NoEllipsis {
        /// The number of axes.
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
        // White space and control characters as single blanks, so that the caret stands right.
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

impl fmt::Display for EinsumProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(c) => write!(f, "{c:?} means nothing in subscripts"),
            Self::Dots => write!(f, "an ellipsis has three points"),
            Self::SecondEllipsis => write!(f, "an operand can have one `...`, not two"),
            Self::SecondOutput => write!(f, "there is one result, behind one `->`"),
            Self::Operands { wanted, given } => {
                write!(f, "the subscripts are for {wanted} operands, but there are {given}")
            }
            Self::Nothing => write!(f, "there are no operands to multiply"),
            Self::Rank { operand, letters, rank } => {
                write!(f, "operand {operand} has {rank} axes, but {letters} letters")
            }
            Self::Lengths { letter, before, operand, axis, len } => {
                match letter {
                    Some(letter) => write!(f, "{letter} has length {before} before, but ")?,
                    None => write!(f, "an axis under `...` has length {before} before, but ")?,
                }
                write!(f, "axis {axis} of operand {operand} has length {len}")
            }
            Self::Diagonal { letter, operand, lens: (a, b) } => {
                write!(
                    f,
                    "operand {operand} has no diagonal along {letter}, with lengths {a} and {b}"
                )
            }
            Self::Repeated(letter) => write!(f, "the result has {letter} twice"),
            Self::Unknown(letter) => write!(f, "no operand has {letter}"),
            Self::NoEllipsis { axes } => {
                write!(f, "the result has no `...` for {axes} axes of the operands")
            }
        }
    }
}

impl std::error::Error for EinsumError {}
