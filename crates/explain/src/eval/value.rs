//! `Value`: the values of the language.

use super::error::{EvalError, EvalResult, Span};
use super::names::Spelling;
use belvedere::DType;
use belvedere_layout::{Chain, Layout};
use std::fmt;

/// How many items a tuple may hold, those of its tuples included: shapes are short.
pub(super) const MAX_ITEMS: usize = 4096;

/// A value of the language.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    None,
    Ellipsis,
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
    /// A text, and the byte of the source at which it begins.
    Text(String, usize),
    Tuple(Vec<Value>),
    DType(DType),
    Array(Array),
    Parts(SplitParts),
    Module(Module),
    Function(&'static Spelling, Module),
    Flags(Array),
}

/// A tensor: how one of the memories is walked.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub dtype: DType,
    pub chain: Chain,
    /// Whether it is seen through a lens, on which every movement is free.
    pub is_lens: bool,
    pub memory: usize,
    /// The step that made it.
    pub step: usize,
}

impl Array {
    pub(crate) fn layout(&self) -> Option<Layout> {
        self.chain.as_layout()
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.chain.shape()
    }

    pub(crate) fn rank(&self) -> usize {
        self.chain.rank()
    }

    pub(crate) fn n_bytes(&self) -> u128 {
        self.chain.len() as u128 * self.dtype.size() as u128
    }

    /// A fresh layout of the same shape, for questions that only lengths decide.
    pub(crate) fn frame(&self, span: &Span) -> EvalResult<Layout> {
        Layout::row_major(self.shape()).map_err(|error| EvalError::layout(error, span))
    }
}

/// The parts of a tensor along an axis, before one is picked.
#[derive(Clone, Debug)]
pub(crate) struct SplitParts {
    pub of: Array,
    pub axis: usize,
    pub split: AxisSplit,
    /// The name the operation was called by.
    pub spelling: &'static Spelling,
}

/// How an axis is cut.
#[derive(Clone, Debug)]
pub(crate) enum AxisSplit {
    /// Parts of one length; the last one may be shorter.
    Every { size: usize, count: usize },
    /// Parts of these lengths.
    Sizes(Vec<usize>),
    /// Single positions, and the axis is dropped.
    Single { count: usize },
}

impl AxisSplit {
    pub(crate) fn count(&self) -> usize {
        match self {
            AxisSplit::Every { count, .. } | AxisSplit::Single { count } => *count,
            AxisSplit::Sizes(sizes) => sizes.len(),
        }
    }

    /// Where part `i` begins and how long it is, of an axis of length `len`.
    pub(crate) fn part(&self, i: usize, len: usize) -> (usize, usize) {
        match self {
            AxisSplit::Every { size, .. } => (i * size, (*size).min(len - (i * size).min(len))),
            AxisSplit::Sizes(sizes) => (sizes[..i].iter().sum(), sizes[i]),
            AxisSplit::Single { .. } => (i, 1),
        }
    }
}

/// A library whose name stands in front of its functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// None was named.
    Bare,
    NumPy,
    PyTorch,
    /// `torch.nn.functional`, whose `pad` counts axes from the end.
    Functional,
}

impl Value {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::None => "None",
            Value::Ellipsis => "an ellipsis",
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "a whole number",
            Value::Float(_) | Value::Complex(..) => "a number with a fraction",
            Value::Text(..) => "a text",
            Value::Tuple(_) => "a tuple",
            Value::DType(_) => "a type of elements",
            Value::Array(_) => "a tensor",
            Value::Parts(_) => "a list of tensors",
            Value::Module(_) => "a library",
            Value::Function(..) => "a function",
            Value::Flags(_) => "flags",
        }
    }

    /// How many items it holds, itself included.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Value::Tuple(items) => items.iter().map(Value::weight).sum::<usize>() + 1,
            _ => 1,
        }
    }

    /// A tuple, unless it would be absurdly large.
    pub(crate) fn tuple(items: Vec<Value>, span: &Span) -> EvalResult<Value> {
        let tuple = Value::Tuple(items);
        if tuple.weight() > MAX_ITEMS {
            return Err(EvalError::new(format!("more than {MAX_ITEMS} items"), span));
        }
        Ok(tuple)
    }

    pub(crate) fn lengths(lengths: &[usize]) -> Value {
        Value::Tuple(lengths.iter().map(|&len| Value::Int(len as i128)).collect())
    }

    pub(crate) fn numbers(numbers: &[isize]) -> Value {
        Value::Tuple(numbers.iter().map(|&it| Value::Int(it as i128)).collect())
    }
}

/// As Python would print it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::None => write!(f, "None"),
            Value::Ellipsis => write!(f, "Ellipsis"),
            Value::Bool(true) => write!(f, "True"),
            Value::Bool(false) => write!(f, "False"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Complex(re, im) => write!(f, "({re:?}{im:+?}j)"),
            Value::Text(text, _) => write!(f, "{text:?}"),
            Value::Tuple(items) => {
                write!(f, "(")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                write!(f, "{}", if items.len() == 1 { ",)" } else { ")" })
            }
            Value::DType(dtype) => write!(f, "{dtype}"),
            other => write!(f, "{}", other.kind()),
        }
    }
}
