//! The parser of subscripts.

use super::error::{EinsumError, EinsumProblem as Problem};
use crate::Error;
use std::ops::Range;

/// The letters of one operand, or of the output.
#[derive(Debug, Default)]
pub(super) struct Term {
    /// Its byte range in the text.
    pub at: Range<usize>,
    /// The letters and their positions.
    pub letters: Vec<(char, usize)>,
    /// The number of letters before the ellipsis, and its position.
    pub dots: Option<(usize, usize)>,
}

/// Parsed subscripts, not yet matched with operands.
#[derive(Debug)]
pub(super) struct Notation<'a> {
    pub text: &'a str,
    pub inputs: Vec<Term>,
    /// The term after the arrow, if there is one.
    pub output: Option<Term>,
}

impl<'a> Notation<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Notation<'a>, Error> {
        let error = |at: Range<usize>, problem| Err(EinsumError::at(text, at, problem));
        let mut notation = Notation { text, inputs: Vec::new(), output: None };
        let mut term = Term::default();
        let mut is_output = false;
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let end = at + c.len_utf8();
            match c {
                ' ' => at = end,
                'a'..='z' | 'A'..='Z' => {
                    term.letters.push((c, at));
                    at = end;
                }
                '.' if !text[at..].starts_with("...") => return error(at..end, Problem::Dots),
                '.' if term.dots.is_some() => return error(at..at + 3, Problem::SecondEllipsis),
                '.' => {
                    term.dots = Some((term.letters.len(), at));
                    at += 3;
                }
                ',' if is_output => return error(at..end, Problem::SecondOutput),
                ',' => {
                    term.at.end = at;
                    notation.inputs.push(std::mem::take(&mut term));
                    term.at.start = end;
                    at = end;
                }
                '-' if text[at..].starts_with("->") => {
                    if is_output {
                        return error(at..at + 2, Problem::SecondOutput);
                    }
                    term.at.end = at;
                    notation.inputs.push(std::mem::take(&mut term));
                    is_output = true;
                    at += 2;
                    term.at.start = at;
                }
                c => return error(at..end, Problem::Character(c)),
            }
        }
        term.at.end = text.len();
        match is_output {
            true => notation.output = Some(term),
            false => notation.inputs.push(term),
        }
        Ok(notation)
    }
}
