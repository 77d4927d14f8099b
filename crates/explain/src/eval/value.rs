//! `Value`: the values of the language.

use super::error::{EvalError, EvalResult, Span};
use super::names::Spelling;
use belvedere::DType;
use belvedere_layout::{Chain, Layout};
use std::fmt;

/// The maximum number of items of a tuple, including the items of nested tuples.
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
    /// A string, and its byte position in the source.
    Str(String, usize),
    Tuple(Vec<Value>),
    DType(DType),
    Array(Array),
    Parts(SplitParts),
    Module(Module),
    Function(&'static Spelling, Module),
    Flags(Array),
}

/// A tensor: a dtype and a chain over one of the memories.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub dtype: DType,
    pub chain: Chain,
    /// Whether it is a lens, on which view operations never copy.
    pub is_lens: bool,
    pub memory: usize,
    /// The step that created it.
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

    /// Returns a row-major layout of the same shape, to resolve axes and lengths independently of strides.
    pub(crate) fn shape_layout(&self, span: &Span) -> EvalResult<Layout> {
        Layout::row_major(self.shape()).map_err(|error| EvalError::layout(error, span))
    }
}

fn too_many_items(span: &Span) -> Box<EvalError> {
    EvalError::new(format!("a tuple has at most {MAX_ITEMS} items"), span)
}

/// The result of a split, before a part is selected.
#[derive(Clone, Debug)]
pub(crate) struct SplitParts {
    pub of: Array,
    pub axis: usize,
    pub split: AxisSplit,
    /// The name of the operation in the source.
    pub spelling: &'static Spelling,
}

/// The parts of a split axis.
#[derive(Clone, Debug)]
pub(crate) enum AxisSplit {
    /// Parts of equal length; the last one may be shorter.
    Every { size: usize, count: usize },
    /// Parts of these lengths.
    Sizes(Vec<usize>),
    /// One part for each index, without the axis.
    Single { count: usize },
}

impl AxisSplit {
    pub(crate) fn count(&self) -> usize {
        match self {
            AxisSplit::Every { count, .. } | AxisSplit::Single { count } => *count,
            AxisSplit::Sizes(sizes) => sizes.len(),
        }
    }

    /// Returns the start and the length of part `i` of an axis of length `len`.
    pub(crate) fn part(&self, i: usize, len: usize) -> (usize, usize) {
        match self {
            AxisSplit::Every { size, .. } => (i * size, (*size).min(len - (i * size).min(len))),
            AxisSplit::Sizes(sizes) => (sizes[..i].iter().sum(), sizes[i]),
            AxisSplit::Single { .. } => (i, 1),
        }
    }
}

/// The library that qualifies a function name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// No library.
    Bare,
    NumPy,
    PyTorch,
    /// `torch.nn.functional`, whose `pad` takes widths from the last axis.
    Functional,
}

impl Value {
    /// Returns its Python type, for error messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::None => "None",
            Value::Ellipsis => "an ellipsis",
            Value::Bool(_) => "a bool",
            Value::Int(_) => "an int",
            Value::Float(_) => "a float",
            Value::Complex(..) => "a complex number",
            Value::Str(..) => "a string",
            Value::Tuple(_) => "a tuple",
            Value::DType(_) => "a dtype",
            Value::Array(_) => "a tensor",
            Value::Parts(_) => "a list of tensors",
            Value::Module(_) => "a library",
            Value::Function(..) => "a function",
            Value::Flags(_) => "flags",
        }
    }

    /// Returns the number of items, including nested ones and itself.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Value::Tuple(items) => items.iter().map(Value::weight).sum::<usize>() + 1,
            _ => 1,
        }
    }

    /// Returns a tuple, or an error if it has more than [`MAX_ITEMS`] items.
    pub(crate) fn tuple(items: Vec<Value>, span: &Span) -> EvalResult<Value> {
        let tuple = Value::Tuple(items);
        if tuple.weight() > MAX_ITEMS {
            return Err(too_many_items(span));
        }
        Ok(tuple)
    }

    /// Returns a tuple `n` times, or an error if that has more than [`MAX_ITEMS`] items.
    pub(crate) fn repeated_tuple(items: Vec<Value>, n: i128, span: &Span) -> EvalResult<Value> {
        let n = usize::try_from(n.max(0)).unwrap_or(usize::MAX);
        let weight: usize = items.iter().map(Value::weight).sum();
        match n.saturating_mul(weight) {
            0 => Ok(Value::Tuple(Vec::new())),
            MAX_ITEMS.. => Err(too_many_items(span)),
            _ => Value::tuple(std::iter::repeat_n(items, n).flatten().collect(), span),
        }
    }

    pub(crate) fn lengths(lengths: &[usize]) -> Value {
        Value::Tuple(lengths.iter().map(|&len| Value::Int(len as i128)).collect())
    }

    pub(crate) fn numbers(numbers: &[isize]) -> Value {
        Value::Tuple(numbers.iter().map(|&it| Value::Int(it as i128)).collect())
    }
}

/// Formats the value as Python prints it.
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
            Value::Str(text, _) => write!(f, "{text:?}"),
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
