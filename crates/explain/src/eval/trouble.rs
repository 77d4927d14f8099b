//! What went wrong, on its way to the step that says so.

use super::dialect::Fact;
use crate::step::{Failure, Why};
use belvedere::Error;
use belvedere_layout::{LayoutError, PatternError};
use std::ops::Range;

pub type Span = Range<usize>;
pub type Fallible<T> = Result<T, Box<Trouble>>;

/// A failure and what is known about it.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub failure: Failure,
    pub why: Option<Why>,
    /// What other libraries would have to say about it.
    pub fact: Option<Fact>,
    /// The call it happened in, once that is known.
    pub context: Option<Context>,
}

/// A call, as a step shows it.
#[derive(Clone, Debug)]
pub struct Context {
    pub op: &'static str,
    /// The text up to and including the call.
    pub expr: Span,
    /// The call itself.
    pub span: Span,
    /// The steps whose results went in.
    pub inputs: Vec<usize>,
}

impl Trouble {
    pub fn new(message: impl Into<String>, span: &Span) -> Box<Trouble> {
        let failure = Failure { message: message.into(), span: span.clone(), help: Vec::new() };
        Box::new(Trouble { failure, why: None, fact: None, context: None })
    }

    pub fn layout(error: LayoutError, span: &Span) -> Box<Trouble> {
        Trouble::new(error.to_string(), span)
    }

    pub fn tensor(error: Error, span: &Span) -> Box<Trouble> {
        Trouble::new(error.to_string(), span)
    }

    /// A mistake in a pattern that begins at byte `first` of the source.
    pub fn pattern(error: &PatternError, first: usize) -> Box<Trouble> {
        let at = error.at.start.min(error.pattern.len())..error.at.end.min(error.pattern.len());
        Trouble::new(error.problem.to_string(), &(first + at.start..first + at.end))
    }

    #[must_use]
    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Trouble> {
        self.failure.help.push(help.into());
        self
    }

    /// Adds a suggestion if a name was found.
    #[must_use]
    pub fn meant(self: Box<Self>, name: Option<&str>) -> Box<Trouble> {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    #[must_use]
    pub fn because(mut self: Box<Self>, fact: Fact) -> Box<Trouble> {
        self.fact = Some(fact);
        self
    }

    /// Remembers the call, unless a call inside of it is to blame.
    #[must_use]
    pub fn within(mut self: Box<Self>, context: &Context) -> Box<Trouble> {
        self.context.get_or_insert_with(|| context.clone());
        self
    }
}

/// `.at(span)`: an error of a layout, and where in the text it comes from.
pub trait At<T> {
    fn at(self, span: &Span) -> Fallible<T>;
}

impl<T> At<T> for Result<T, LayoutError> {
    fn at(self, span: &Span) -> Fallible<T> {
        self.map_err(|error| Trouble::layout(error, span))
    }
}

impl<T> At<T> for Result<T, Error> {
    fn at(self, span: &Span) -> Fallible<T> {
        self.map_err(|error| Trouble::tensor(error, span))
    }
}
