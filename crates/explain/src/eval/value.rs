//! `Value`: the values of the language.

use super::error::{CallError, EvalError, EvalResult, Span, error};
use super::table::Operation;
use crate::step::Scalar;
use crate::tree::Literal;
use belvedere::{DType, Error, Lens, Operand, Shape, Slice, Strides, Tensor};
use belvedere_layout::Chain;
use std::fmt;

/// The maximum number of items of a tuple or a list, including the items of nested ones.
pub(super) const MAX_ITEMS: usize = 4096;

/// Implements `From` for a type: an expression for each type that is converted.
macro_rules! from {
    ($target:ty: $($type:ty, $x:ident => $value:expr;)+) => {
        $(impl From<$type> for $target {
            fn from($x: $type) -> $target {
                $value
            }
        })+
    };
}
pub(crate) use from;

/// A value of the language.
#[derive(Clone)]
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
    List(Vec<Value>),
    /// `start:stop:step` between square brackets.
    Slice(Slice),
    DType(DType),
    Array(TracedArray),
    Module(Module),
    Function(&'static Operation, Library),
    Flags(TracedArray),
}

/// A tensor or a lens, and where it comes from.
#[derive(Clone)]
pub(crate) struct TracedArray {
    pub array: Array,
    /// The step that returned it; `None` until it is recorded.
    pub step: Option<usize>,
    /// The library that decides what its methods mean: that of the function which created it.
    pub library: Library,
}

/// A tensor or a lens of the library.
#[derive(Clone)]
pub(crate) enum Array {
    Tensor(Tensor),
    Lens(Box<Lens>),
}

/// Evaluates an expression on the tensor or on the lens of an [`Array`].
macro_rules! either {
    ($array:expr, $x:ident => $call:expr) => {
        match $array {
            $crate::eval::value::Array::Tensor($x) => $call,
            $crate::eval::value::Array::Lens($x) => $call,
        }
    };
}

/// Calls an operation on the tensor or on the lens of an [`Array`]; the result is an `Array`.
macro_rules! each {
    ($array:expr, $x:ident => $call:expr) => {
        $crate::eval::value::either!($array, $x => $crate::eval::value::into_array($call))
    };
}
pub(crate) use {each, either};

pub(crate) fn into_array<T: Into<Array>, E: Into<CallError>>(
    result: Result<T, E>,
) -> Result<Array, CallError> {
    result.map(T::into).map_err(E::into)
}

impl Array {
    pub(crate) fn shape(&self) -> Shape {
        either!(self, x => x.shape())
    }

    pub(crate) fn len(&self) -> usize {
        either!(self, x => x.len())
    }

    pub(crate) fn dtype(&self) -> DType {
        self.tensor().dtype()
    }

    pub(crate) fn n_bytes(&self) -> u128 {
        self.len() as u128 * self.dtype().size() as u128
    }

    /// Returns the tensor; of a lens, the one that it shows.
    pub(crate) fn tensor(&self) -> &Tensor {
        match self {
            Array::Tensor(tensor) => tensor,
            Array::Lens(lens) => lens.tensor(),
        }
    }

    pub(crate) fn chain(&self) -> Chain {
        match self {
            Array::Tensor(tensor) => Chain::new(tensor.layout().clone()),
            Array::Lens(lens) => lens.chain().clone(),
        }
    }

    /// Returns it as an operand of the library.
    pub(crate) fn operand(&self) -> Operand<'_> {
        match self {
            Array::Tensor(tensor) => tensor.into(),
            Array::Lens(lens) => (&**lens).into(),
        }
    }
}

/// The library that decides what a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Belvedere,
    NumPy,
    PyTorch,
}

/// A library or one of its namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    pub library: Library,
    /// The namespace with a dot at its end, or nothing: `linalg.`
    pub namespace: String,
}

/// Replaces a tensor or a lens.
type ReplaceArray<'a> = dyn FnMut(&TracedArray) -> Result<Value, Error> + 'a;

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
            Value::List(_) => "a list",
            Value::Slice(_) => "a slice",
            Value::DType(_) => "a dtype",
            Value::Array(TracedArray { array: Array::Tensor(_), .. }) => "a tensor",
            Value::Array(_) => "a lens",
            Value::Module(_) => "a library",
            Value::Function(..) => "a function",
            Value::Flags(_) => "flags",
        }
    }

    /// Returns the tensor or the lens, if it is one.
    pub(crate) fn array(&self) -> Option<&TracedArray> {
        if let Value::Array(array) = self { Some(array) } else { None }
    }

    pub(crate) fn is_array(&self) -> bool {
        self.array().is_some()
    }

    /// Whether it is a tuple of tensors, such as the parts of a split.
    pub(crate) fn has_parts(&self) -> bool {
        matches!(self, Value::Tuple(items) if items.iter().any(Value::is_array))
    }

    /// Returns the items of a tuple or a list.
    pub(crate) fn items(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(items) | Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns it as the value of an element, if it is a number.
    pub(crate) fn number(&self) -> Option<Scalar> {
        Some(match *self {
            Value::Bool(value) => Scalar::Bool(value),
            Value::Int(value) => Scalar::Int(value),
            Value::Float(value) => Scalar::Float(value),
            Value::Complex(re, im) => Scalar::Complex(re, im),
            _ => return None,
        })
    }

    /// Calls `f` for each tensor and lens, including those in tuples and lists.
    pub(crate) fn for_each_array(&self, f: &mut dyn FnMut(&TracedArray)) {
        match self {
            Value::Array(array) => f(array),
            other => other.items().into_iter().flatten().for_each(|it| it.for_each_array(f)),
        }
    }

    /// Returns the value with each tensor and lens replaced, including those in tuples and lists.
    pub(crate) fn map_arrays(&self, f: &mut ReplaceArray<'_>) -> Result<Value, Error> {
        let Some(items) = self.items() else {
            return if let Value::Array(array) = self { f(array) } else { Ok(self.clone()) };
        };
        let items = items.iter().map(|it| it.map_arrays(f)).collect::<Result<_, _>>()?;
        Ok(self.with_items(items))
    }

    /// Returns the number of items, including nested ones and itself.
    pub(crate) fn weight(&self) -> usize {
        self.items().map_or(1, |items| items.iter().map(Value::weight).sum::<usize>() + 1)
    }

    /// Returns a tuple or a list, or an error if it has more than [`MAX_ITEMS`] items.
    pub(crate) fn bounded(self, span: &Span) -> EvalResult<Value> {
        if self.weight() > MAX_ITEMS { Err(too_many_items(span)) } else { Ok(self) }
    }

    /// Returns a tuple or a list of the items `n` times, or an error if that has more than [`MAX_ITEMS`] items.
    pub(crate) fn repeated(&self, n: i128, span: &Span) -> EvalResult<Value> {
        let n = usize::try_from(n.max(0)).unwrap_or(usize::MAX);
        let items = self.items().unwrap_or_default();
        let items = match n.saturating_mul(self.weight() - 1) {
            0 => Vec::new(),
            MAX_ITEMS.. => return Err(too_many_items(span)),
            _ => std::iter::repeat_n(items, n).flatten().cloned().collect(),
        };
        Ok(self.with_items(items))
    }

    /// Returns a list if it is one, otherwise a tuple.
    pub(crate) fn with_items(&self, items: Vec<Value>) -> Value {
        if let Value::List(_) = self { Value::List(items) } else { Value::Tuple(items) }
    }
}

#[cold]
fn too_many_items(span: &Span) -> Box<EvalError> {
    error!(span, "a tuple has at most {MAX_ITEMS} items")
}

/// Formats the value as Python prints it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |items: &[Value]| items.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Value::None => write!(f, "None"),
            Value::Ellipsis => write!(f, "Ellipsis"),
            Value::Bool(true) => write!(f, "True"),
            Value::Bool(false) => write!(f, "False"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Complex(re, im) => write!(f, "({re:?}{im:+?}j)"),
            Value::Str(text, _) => write!(f, "{text:?}"),
            Value::Tuple(items) if items.len() == 1 => write!(f, "({},)", items[0]),
            Value::Tuple(items) => write!(f, "({})", list(items)),
            Value::List(items) => write!(f, "[{}]", list(items)),
            Value::DType(dtype) => write!(f, "{dtype}"),
            other => write!(f, "{}", other.kind()),
        }
    }
}

from! { Array:
    Tensor, tensor => Array::Tensor(tensor);
    Lens, lens => Array::Lens(Box::new(lens));
}

from! { Value:
    Array, array => Value::Array(TracedArray { array, step: None, library: Library::Belvedere });
    Tensor, x => Array::Tensor(x).into();
    Lens, x => Array::from(x).into();
    [Tensor; 2], pair => Vec::from(pair).into();
    (), _x => Value::None;
    bool, x => Value::Bool(x);
    usize, x => Value::Int(x as i128);
    isize, x => Value::Int(x as i128);
    f64, x => Value::Float(x);
    String, x => Value::Str(x, 0);
    DType, x => Value::DType(x);
    Shape, list => list.to_vec().into();
    Strides, list => list.to_vec().into();
    Literal, literal => match literal {
        Literal::Int(value) => Value::Int(value),
        Literal::Float(value) => Value::Float(value),
        Literal::Imaginary(value) => Value::Complex(0.0, value),
        Literal::Str(text, first) => Value::Str(text, first),
    };
    Scalar, scalar => match scalar {
        Scalar::Bool(value) => Value::Bool(value),
        Scalar::Int(value) => Value::Int(value),
        Scalar::Float(value) => Value::Float(value),
        Scalar::Complex(re, im) => Value::Complex(re, im),
    };
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Value {
        Value::Tuple(items.into_iter().map(T::into).collect())
    }
}
