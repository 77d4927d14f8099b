//! `EvalError`: an error of the evaluator, with its position and the call it occurred in.

use crate::step::{Failure, SeamCrossing};
use belvedere::Error;
use belvedere_layout::LayoutError;
use std::ops::Range;

pub(super) type Span = Range<usize>;
pub(super) type EvalResult<T> = Result<T, Box<EvalError>>;

/// An error with the data for its report.
#[derive(Clone, Debug)]
pub(crate) struct EvalError {
    pub failure: Failure,
    pub why: Option<SeamCrossing>,
    /// Differences from the library that the report compares with.
    pub remarks: Vec<String>,
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

impl Context {
    pub(crate) fn new(op: &'static str, expr: Span, span: &Span) -> Context {
        Context { op, expr, span: span.clone(), inputs: Vec::new() }
    }
}

impl EvalError {
    pub(crate) fn new(message: impl Into<String>, span: &Span) -> Box<EvalError> {
        let failure = Failure { message: message.into(), span: span.clone(), help: Vec::new() };
        Box::new(EvalError { failure, why: None, remarks: Vec::new(), context: None })
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

    /// Sets the call, unless the error occurred in a nested call.
    #[must_use]
    pub(crate) fn in_call(mut self: Box<Self>, context: &Context) -> Box<EvalError> {
        self.context.get_or_insert_with(|| context.clone());
        self
    }
}

/// An error of a call, before its position is known.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The library refused the call.
    Library(Error),
    /// The call cannot be made here.
    Message(String),
    /// An argument is of the wrong type or value.
    Argument(Box<EvalError>),
}

impl From<Error> for CallError {
    fn from(error: Error) -> CallError {
        CallError::Library(error)
    }
}

impl From<LayoutError> for CallError {
    fn from(error: LayoutError) -> CallError {
        CallError::Library(error.into())
    }
}

impl From<String> for CallError {
    fn from(message: String) -> CallError {
        CallError::Message(message)
    }
}

impl From<&str> for CallError {
    fn from(message: &str) -> CallError {
        CallError::Message(message.into())
    }
}

impl From<Box<EvalError>> for CallError {
    fn from(error: Box<EvalError>) -> CallError {
        CallError::Argument(error)
    }
}
