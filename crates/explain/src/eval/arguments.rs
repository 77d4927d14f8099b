//! The arguments of a call, read as the types that the operation takes.

use super::error::{CallError, EvalError, EvalResult, Span};
use super::table::type_named;
use super::value::{Array, Library, TracedArray, Value};
use crate::step::Scalar;
use crate::suggest::closest;
use belvedere::trace::{Recorder, Trace};
use belvedere::{Axes, Complex, DType, Operand, Tensor};
use std::cell::RefCell;

/// The arguments of a call, one for each parameter.
pub(crate) struct Arguments<'a> {
    /// The name of the operation.
    pub name: &'a str,
    pub values: &'a [(Value, Span)],
    /// The library that decides what the name means.
    pub library: Library,
    /// What records the events of the operation.
    pub recorder: &'a Recorder,
    /// What was recorded before and during the call.
    pub traces: RefCell<Option<(Trace, Trace)>>,
}

impl Arguments<'_> {
    /// Reads the arguments as the types of the parameters of `f`, and calls it.
    pub(super) fn call<A, F: Handler<A>>(&self, f: F) -> Result<Value, CallError> {
        f.call(self)
    }

    fn read<T: FromValue>(&self, at: usize) -> EvalResult<T> {
        let (value, span) = &self.values[at];
        T::from_value(value, &Reader { operation: self.name, library: self.library, span })
    }

    /// Calls `f` and keeps the events of the call.
    fn recorded<R>(&self, f: impl FnOnce() -> R) -> R {
        let before = self.recorder.take();
        let result = f();
        *self.traces.borrow_mut() = Some((before, self.recorder.take()));
        result
    }
}

/// A function whose parameters can be read from arguments.
pub(crate) trait Handler<A> {
    fn call(&self, arguments: &Arguments<'_>) -> Result<Value, CallError>;
}

macro_rules! handler {
    ($($type:ident $at:tt),*) => {
        impl<Func, R, E, $($type: FromValue),*> Handler<($($type,)*)> for Func
        where
            Func: Fn($($type),*) -> Result<R, E>,
            R: Into<Value>,
            E: Into<CallError>,
        {
            fn call(&self, arguments: &Arguments<'_>) -> Result<Value, CallError> {
                let read = ($(arguments.read::<$type>($at)?,)*);
                arguments.recorded(|| self($(read.$at),*)).map(R::into).map_err(E::into)
            }
        }
    };
}

handler!(A 0);
handler!(A 0, B 1);
handler!(A 0, B 1, C 2);
handler!(A 0, B 1, C 2, D 3);
handler!(A 0, B 1, C 2, D 3, G 4);
handler!(A 0, B 1, C 2, D 3, G 4, H 5);
handler!(A 0, B 1, C 2, D 3, G 4, H 5, I 6);

/// The position of an argument, and the library of the call.
pub(crate) struct Reader<'a> {
    /// The name of the operation.
    pub operation: &'a str,
    pub library: Library,
    pub span: &'a Span,
}

impl Reader<'_> {
    #[cold]
    pub(super) fn wrong<T>(&self, needed: &str, value: &Value) -> EvalResult<T> {
        Err(wrong_type(needed, value, self.span))
    }

    /// Returns the default floating-point dtype.
    pub(super) fn float(&self) -> DType {
        if self.library == Library::PyTorch { DType::Float32 } else { DType::Float64 }
    }
}

#[cold]
pub(super) fn wrong_type(needed: &str, value: &Value, span: &Span) -> Box<EvalError> {
    EvalError::new(format!("expected {needed}, got {}", value.kind()), span)
}

/// A type that an argument can be read as.
pub(crate) trait FromValue: Sized {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Self>;
}

/// Integers: one, or a tuple.
pub(crate) type Ints = Vec<isize>;

/// Non-negative integers: one, or a tuple.
pub(crate) type Counts = Vec<usize>;

/// A dtype, or the default floating-point dtype of the library.
pub(crate) struct FloatDType(pub DType);

/// A tensor, a lens, or a number without a dtype.
pub(crate) enum OperandValue {
    Array(Array),
    Number(Scalar),
}

impl OperandValue {
    pub(super) fn operand(&self) -> Operand<'_> {
        match self {
            OperandValue::Array(array) => array.operand(),
            OperandValue::Number(Scalar::Bool(value)) => (*value).into(),
            OperandValue::Number(Scalar::Int(value)) => match i64::try_from(*value) {
                Ok(value) => value.into(),
                // Numbers are checked when they are read.
                Err(_) => (*value as u64).into(),
            },
            OperandValue::Number(Scalar::Float(value)) => (*value).into(),
            OperandValue::Number(Scalar::Complex(re, im)) => Complex::new(*re, *im).into(),
        }
    }
}

/// Returns a number.
pub(super) fn number(value: &Value) -> Option<Scalar> {
    Some(match *value {
        Value::Bool(value) => Scalar::Bool(value),
        Value::Int(value) => Scalar::Int(value),
        Value::Float(value) => Scalar::Float(value),
        Value::Complex(re, im) => Scalar::Complex(re, im),
        _ => return None,
    })
}

impl FromValue for Value {
    fn from_value(value: &Value, _: &Reader<'_>) -> EvalResult<Value> {
        Ok(value.clone())
    }
}

impl FromValue for Array {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Array> {
        match value {
            Value::Array(TracedArray { array, .. }) => Ok(array.clone()),
            other => Tensor::from_value(other, reader).map(Array::Tensor),
        }
    }
}

impl FromValue for Tensor {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Tensor> {
        match value {
            Value::Array(TracedArray { array: Array::Tensor(tensor), .. }) => Ok(tensor.clone()),
            Value::Array(TracedArray { array, .. }) => {
                let message = format!("`{}` needs a strided tensor, got a lens", reader.operation);
                let help =
                    format!("call `contiguous()` first: it copies {} bytes", array.n_bytes());
                Err(EvalError::new(message, reader.span).help(help))
            }
            Value::Tuple(_) | Value::List(_) => super::creation::nested(value, reader.float())
                .map_err(|error| match error {
                    CallError::Message(message) => EvalError::new(message, reader.span),
                    CallError::Library(error) => EvalError::new(error.to_string(), reader.span),
                    CallError::Argument(error) => error,
                }),
            other if number(other).is_some() => super::creation::nested(other, reader.float())
                .map_err(|_| wrong_type("a tensor", other, reader.span)),
            other => reader.wrong("a tensor", other),
        }
    }
}

impl FromValue for Vec<Tensor> {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Vec<Tensor>> {
        match value {
            Value::Tuple(items) | Value::List(items) => {
                items.iter().map(|it| Tensor::from_value(it, reader)).collect()
            }
            Value::None => Ok(Vec::new()),
            one => Ok(vec![Tensor::from_value(one, reader)?]),
        }
    }
}

impl FromValue for OperandValue {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<OperandValue> {
        match number(value) {
            Some(Scalar::Int(value)) if !(i64::MIN.into()..=u64::MAX.into()).contains(&value) => {
                Err(EvalError::new(format!("{value} does not fit in 64 bits"), reader.span))
            }
            Some(number) => Ok(OperandValue::Number(number)),
            None => Array::from_value(value, reader).map(OperandValue::Array),
        }
    }
}

impl FromValue for isize {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<isize> {
        match value {
            Value::Int(value) => isize::try_from(*value).map_err(|_| {
                EvalError::new(
                    format!("{value} is too large for a length or an index"),
                    reader.span,
                )
            }),
            Value::Bool(value) => Ok(isize::from(*value)),
            other => reader.wrong("an int", other),
        }
    }
}

impl FromValue for usize {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<usize> {
        let value = isize::from_value(value, reader)?;
        usize::try_from(value).map_err(|_| {
            EvalError::new(format!("a length must not be negative, got {value}"), reader.span)
        })
    }
}

/// One, or a tuple or list of several.
impl FromValue for Vec<isize> {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Ints> {
        match value.items() {
            Some(items) => items.iter().map(|it| isize::from_value(it, reader)).collect(),
            None => Ok(vec![isize::from_value(value, reader)?]),
        }
    }
}

impl FromValue for Vec<usize> {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Counts> {
        match value.items() {
            Some(items) => items.iter().map(|it| usize::from_value(it, reader)).collect(),
            None => Ok(vec![usize::from_value(value, reader)?]),
        }
    }
}

impl FromValue for Axes {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Axes> {
        match value {
            Value::None => Ok(().into()),
            other => Ok(Axes::from(&Ints::from_value(other, reader)?)),
        }
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<f64> {
        match value {
            Value::Int(value) => Ok(*value as f64),
            Value::Bool(value) => Ok(f64::from(u8::from(*value))),
            Value::Float(value) => Ok(*value),
            other => reader.wrong("a number", other),
        }
    }
}

impl FromValue for Complex<f64> {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Complex<f64>> {
        match value {
            Value::Complex(re, im) => Ok(Complex::new(*re, *im)),
            other => f64::from_value(other, reader).map(Complex::from),
        }
    }
}

impl FromValue for bool {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<bool> {
        match value {
            Value::Bool(value) => Ok(*value),
            other => reader.wrong("True or False", other),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<String> {
        match value {
            Value::Str(text, _) => Ok(text.clone()),
            other => reader.wrong("a string", other),
        }
    }
}

impl FromValue for DType {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<DType> {
        match value {
            Value::DType(dtype) => Ok(*dtype),
            Value::Str(name, _) => {
                let plain = name.trim_start_matches(['<', '=', '|']).trim_start_matches("torch.");
                type_named(plain, Library::Belvedere).ok_or_else(|| {
                    let error = EvalError::new(format!("unknown dtype {name:?}"), reader.span);
                    error.suggest(closest(name, DType::ALL.iter().map(|it| it.name())))
                })
            }
            other => Err(wrong_type("a dtype", other, reader.span)
                .help("such as float32, int64 or \"float32\"")),
        }
    }
}

impl FromValue for FloatDType {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<FloatDType> {
        match value {
            Value::None => Ok(FloatDType(reader.float())),
            other => DType::from_value(other, reader).map(FloatDType),
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Option<T>> {
        match value {
            Value::None => Ok(None),
            other => T::from_value(other, reader).map(Some),
        }
    }
}
