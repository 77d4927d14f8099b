//! `EvalError`: an error of the evaluator, with its position and the call it occurred in.

use super::value::from;
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

/// Returns an error at a position, with a message that is formatted as by `format!`.
macro_rules! error {
    ($span:expr, $($message:tt)+) => {
        $crate::eval::error::EvalError::new(format!($($message)+), $span)
    };
}
pub(crate) use error;

impl EvalError {
    #[cold]
    pub(crate) fn new(message: String, span: &Span) -> Box<EvalError> {
        let failure = Failure::new(message, span.clone());
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

impl CallError {
    /// Returns the error at a position, unless it has one.
    pub(super) fn at(self, span: &Span) -> Box<EvalError> {
        match self {
            CallError::Library(error) => error!(span, "{error}"),
            CallError::Message(message) => EvalError::new(message, span),
            CallError::Argument(error) => error,
        }
    }
}

from! { CallError:
    Error, error => CallError::Library(error);
    LayoutError, error => CallError::Library(error.into());
    String, message => CallError::Message(message);
    &str, message => CallError::Message(message.into());
    Box<EvalError>, error => CallError::Argument(error);
}
