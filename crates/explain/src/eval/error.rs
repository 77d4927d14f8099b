//! `EvalError`: an error of the evaluator, with its position and the call it occurred in.

use super::dialect::Fact;
use crate::step::{Failure, SeamCrossing};
use belvedere::Error;
use belvedere_layout::{LayoutError, PatternError};
use std::ops::Range;

pub(super) type Span = Range<usize>;
pub(super) type EvalResult<T> = Result<T, Box<EvalError>>;

/// An error with the data for its report.
#[derive(Clone, Debug)]
pub(crate) struct EvalError {
    pub failure: Failure,
    pub why: Option<SeamCrossing>,
    /// The fact that the remarks about other libraries need.
    pub fact: Option<Fact>,
    /// The innermost call in which it occurred.
    pub context: Option<Context>,
}

/// The description of a call in its step.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub op: &'static str,
    /// The source text up to and including the call.
    pub expr: Span,
    /// The call itself.
    pub span: Span,
    /// The steps whose results are the operands.
    pub inputs: Vec<usize>,
}

impl EvalError {
    pub(crate) fn new(message: impl Into<String>, span: &Span) -> Box<EvalError> {
        let failure = Failure { message: message.into(), span: span.clone(), help: Vec::new() };
        Box::new(EvalError { failure, why: None, fact: None, context: None })
    }

    pub(crate) fn layout(error: LayoutError, span: &Span) -> Box<EvalError> {
        EvalError::new(error.to_string(), span)
    }

    pub(crate) fn tensor(error: Error, span: &Span) -> Box<EvalError> {
        EvalError::new(error.to_string(), span)
    }

    /// Returns the error of a pattern that begins at byte `first` of the source.
    pub(crate) fn pattern(error: &PatternError, first: usize) -> Box<EvalError> {
        let at = error.at.start.min(error.pattern.len())..error.at.end.min(error.pattern.len());
        EvalError::new(error.problem.to_string(), &(first + at.start..first + at.end))
    }

    #[must_use]
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<EvalError> {
        self.failure.help.push(help.into());
        self
    }

    /// Adds "did you mean" if a similar name was found.
    #[must_use]
    pub(crate) fn suggest(self: Box<Self>, name: Option<&str>) -> Box<EvalError> {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    #[must_use]
    pub(crate) fn with_fact(mut self: Box<Self>, fact: Fact) -> Box<EvalError> {
        self.fact = Some(fact);
        self
    }

    /// Sets the call, unless the error occurred in a nested call.
    #[must_use]
    pub(crate) fn in_call(mut self: Box<Self>, context: &Context) -> Box<EvalError> {
        self.context.get_or_insert_with(|| context.clone());
        self
    }
}

/// `.at(span)`: converts an error of a layout or tensor to an `EvalError` at a position.
pub(super) trait AtSpan<T> {
    fn at(self, span: &Span) -> EvalResult<T>;
}

impl<T> AtSpan<T> for Result<T, LayoutError> {
    fn at(self, span: &Span) -> EvalResult<T> {
        self.map_err(|error| EvalError::layout(error, span))
    }
}

impl<T> AtSpan<T> for Result<T, Error> {
    fn at(self, span: &Span) -> EvalResult<T> {
        self.map_err(|error| EvalError::tensor(error, span))
    }
}
