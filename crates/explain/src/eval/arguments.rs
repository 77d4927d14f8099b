//! The arguments of a call, read as the types that the operation takes.

use super::creation::to_tensor;
use super::error::{CallError, EvalError, EvalResult, Span, error};
use super::table::type_named;
use super::value::{Array, Library, TracedArray, Value};
use crate::step::Scalar;
use crate::suggest::closest;
use belvedere::fft::Norm;
use belvedere::linalg::{MatrixNorm, QrMode};
use belvedere::trace::{Recorder, Trace};
use belvedere::{Axes, Complex, DType, Error, Indexing, Interpolation, Operand, Side, Tensor};
use std::cell::RefCell;
use std::str::FromStr;

/// The arguments of a call, one for each parameter.
pub(crate) struct Arguments<'a> {
    /// The name of the operation.
    pub name: &'a str,
    pub values: &'a [(Value, Span)],
    /// The library that decides what the name means.
    pub library: Library,
    /// Records the events of the operation.
    pub recorder: &'a Recorder,
    /// The events before and during the call.
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

/// The position of an argument, and the operation and the library of the call.
pub(crate) struct Reader<'a> {
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
    error!(span, "expected {needed}, got {}", value.kind())
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

/// A type that an argument can be read as.
pub(crate) trait FromValue: Sized {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Self>;
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Option<T>> {
        if let Value::None = value { Ok(None) } else { T::from_value(value, reader).map(Some) }
    }
}

impl FromValue for Value {
    fn from_value(value: &Value, _: &Reader<'_>) -> EvalResult<Value> {
        Ok(value.clone())
    }
}

/// One, or a tuple or list of several.
impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: &Value, reader: &Reader<'_>) -> EvalResult<Vec<T>> {
        let items = value.items().unwrap_or(std::slice::from_ref(value));
        items.iter().map(|it| T::from_value(it, reader)).collect()
    }
}

/// Implements `FromValue`: an expression of the value and the reader for each type.
macro_rules! from_value {
    ($value:ident, $reader:ident: $($type:ty => $read:expr;)+) => {
        $(impl FromValue for $type {
            fn from_value($value: &Value, $reader: &Reader<'_>) -> EvalResult<$type> {
                $read
            }
        })+
    };
}

from_value! { value, reader:
    bool => if let Value::Bool(it) = value { Ok(*it) } else { reader.wrong("True or False", value) };
    String => if let Value::Str(it, _) = value { Ok(it.clone()) } else { reader.wrong("a string", value) };
    isize => match value {
        Value::Int(it) => isize::try_from(*it)
            .map_err(|_| error!(reader.span, "{it} is too large for a length or an index")),
        Value::Bool(it) => Ok(isize::from(*it)),
        other => reader.wrong("an int", other),
    };
    usize => {
        let it = isize::from_value(value, reader)?;
        usize::try_from(it).map_err(|_| error!(reader.span, "a length must not be negative, got {it}"))
    };
    f64 => match value {
        Value::Int(it) => Ok(*it as f64),
        Value::Bool(it) => Ok(f64::from(u8::from(*it))),
        Value::Float(it) => Ok(*it),
        other => reader.wrong("a number", other),
    };
    Complex<f64> => match value {
        Value::Complex(re, im) => Ok(Complex::new(*re, *im)),
        other => f64::from_value(other, reader).map(Complex::from),
    };
    Axes => Ok(Option::<Ints>::from_value(value, reader)?.map_or(().into(), |it| Axes::from(&it)));
    Array => match value {
        Value::Array(TracedArray { array, .. }) => Ok(array.clone()),
        other => Tensor::from_value(other, reader).map(Array::Tensor),
    };
    Tensor => match value {
        Value::Array(TracedArray { array: Array::Tensor(tensor), .. }) => Ok(tensor.clone()),
        Value::Array(TracedArray { array, .. }) => Err(error!(
            reader.span, "`{}` needs a strided tensor, got a lens", reader.operation
        ).help(format!("call `contiguous()` first: it copies {} bytes", array.n_bytes()))),
        other if other.items().is_some() || other.number().is_some() => {
            to_tensor(other, None, "C", reader.float()).map_err(|error| error.at(reader.span))
        }
        other => reader.wrong("a tensor", other),
    };
    OperandValue => match value.number() {
        Some(Scalar::Int(it)) if !(i64::MIN.into()..=u64::MAX.into()).contains(&it) => {
            Err(error!(reader.span, "{it} does not fit in 64 bits"))
        }
        Some(number) => Ok(OperandValue::Number(number)),
        None => Array::from_value(value, reader).map(OperandValue::Array),
    };
    DType => match value {
        Value::DType(dtype) => Ok(*dtype),
        Value::Str(name, _) => {
            let plain = name.trim_start_matches(['<', '=', '|']).trim_start_matches("torch.");
            type_named(plain, Library::Belvedere).ok_or_else(|| {
                let known = DType::ALL.iter().map(|it| it.name());
                error!(reader.span, "unknown dtype {name:?}").suggest(closest(name, known))
            })
        }
        other => reader.wrong("a dtype", other)
            .map_err(|it: Box<EvalError>| it.help("such as float32, int64 or \"float32\"")),
    };
    FloatDType => Ok(FloatDType(Option::from_value(value, reader)?.unwrap_or(reader.float())));
    Norm => option(value, reader);
    Side => option(value, reader);
    QrMode => option(value, reader);
    Indexing => option(value, reader);
    MatrixNorm => option(value, reader);
    Interpolation => option(value, reader);
}

/// Reads an option by its name, or by its number: the order of a norm.
fn option<T: FromStr<Err = Error>>(value: &Value, reader: &Reader<'_>) -> EvalResult<T> {
    let name = match value {
        Value::Str(name, _) => name.clone(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        other => return reader.wrong("a string", other),
    };
    name.parse().map_err(|error: Error| error!(reader.span, "{error}"))
}
