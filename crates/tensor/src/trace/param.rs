//! [`Param`]: an argument of an operation that is not a tensor.

use super::scope::is_listening;
use crate::dtype::AnyTask;
use crate::view::Cell;
use crate::{Axes, Complex, DType, Element, Index, Integers, Slice};
use std::borrow::Cow;
use std::fmt;

/// An argument of an operation that is not a tensor: an axis, a shape, a number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Param<'a> {
    /// An argument that was left out.
    None,
    /// A bool.
    Bool(bool),
    /// An integer: an axis, a count, an offset.
    Int(i128),
    /// A float.
    Float(f64),
    /// A dtype.
    DType(DType),
    /// A list of integers: axes, a shape.
    Ints(Cow<'a, [isize]>),
    /// A list of lengths.
    Lengths(Cow<'a, [usize]>),
    /// An index expression.
    Index(Cow<'a, [Index]>),
    /// A text: a pattern, a mode.
    Text(Cow<'a, str>),
}

/// A parameter of an operation, with its name.
pub(crate) type NamedParam<'a> = (&'static str, Param<'a>);

impl<'a> Param<'a> {
    /// Returns an argument that is evaluated if a scope listens, and is [`Param::None`] otherwise.
    #[inline]
    pub(crate) fn if_heard(param: impl FnOnce() -> Param<'a>) -> Param<'a> {
        if is_listening() { param() } else { Param::None }
    }

    /// Returns lengths as they were given, -1 included.
    pub(crate) fn lengths(lengths: &impl Integers) -> Param<'a> {
        match lengths.as_lengths() {
            Some(lengths) => Param::Lengths(Cow::Owned(lengths.to_vec())),
            None => Param::ints(lengths),
        }
    }

    /// Returns a list of integers as it was given.
    pub(crate) fn ints(list: &impl Integers) -> Param<'a> {
        Param::Ints(Cow::Owned(list.to_signed().to_vec()))
    }
}

impl Param<'_> {
    /// Returns the argument with a copy of what it borrows.
    ///
    /// ```
    /// use belvedere::trace::Param;
    ///
    /// let shape = vec![2usize, 3];
    /// let owned: Param<'static> = Param::from(&shape[..]).to_static();
    /// drop(shape);
    /// assert_eq!(owned.to_string(), "(2, 3)");
    /// ```
    #[must_use]
    pub fn to_static(&self) -> Param<'static> {
        match self {
            Param::None => Param::None,
            Param::Bool(value) => Param::Bool(*value),
            Param::Int(value) => Param::Int(*value),
            Param::Float(value) => Param::Float(*value),
            Param::DType(value) => Param::DType(*value),
            Param::Ints(list) => Param::Ints(Cow::Owned(list.to_vec())),
            Param::Lengths(list) => Param::Lengths(Cow::Owned(list.to_vec())),
            Param::Index(list) => Param::Index(Cow::Owned(list.to_vec())),
            Param::Text(text) => Param::Text(Cow::Owned(text.to_string())),
        }
    }
}

/// Formats the argument as Python writes it.
impl fmt::Display for Param<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
            f.write_str("(")?;
            for (i, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
            }
            f.write_str(if items.len() == 1 { ",)" } else { ")" })
        }
        match self {
            Param::None => f.write_str("None"),
            Param::Bool(true) => f.write_str("True"),
            Param::Bool(false) => f.write_str("False"),
            Param::Int(value) => write!(f, "{value}"),
            Param::Float(value) => write!(f, "{value:?}"),
            Param::DType(dtype) => write!(f, "{dtype}"),
            Param::Ints(items) => list(f, items),
            Param::Lengths(items) => list(f, items),
            Param::Index(items) => {
                let items: Vec<String> = items.iter().map(index_text).collect();
                f.write_str(&items.join(", "))
            }
            Param::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// Returns an entry of an index as Python writes it.
fn index_text(entry: &Index) -> String {
    match entry {
        Index::At(at) => at.to_string(),
        Index::Slice(Slice { start, stop, step }) => {
            let [start, stop] =
                [start, stop].map(|it| it.map(|it| it.to_string()).unwrap_or_default());
            match step {
                1 => format!("{start}:{stop}"),
                step => format!("{start}:{stop}:{step}"),
            }
        }
        Index::NewAxis => "None".to_string(),
        Index::Ellipsis => "...".to_string(),
    }
}

impl Cell {
    /// Returns the element as an argument.
    pub(crate) fn to_param(self) -> Param<'static> {
        struct ToParam(Cell);

        impl AnyTask for ToParam {
            type Output = Param<'static>;

            fn run<T: Element>(self) -> Param<'static> {
                let value: T = self.0.get().expect("the task was dispatched by the dtype");
                match T::DTYPE {
                    DType::Bool => Param::Bool(value.cast::<u8>() != 0),
                    DType::UInt64 => Param::Int(value.cast::<u64>().into()),
                    dtype if dtype.is_integer() => Param::Int(value.cast::<i64>().into()),
                    dtype if dtype.is_complex() => value.cast::<Complex<f64>>().into(),
                    _ => Param::Float(value.cast()),
                }
            }
        }

        self.dtype().with_any(ToParam(self))
    }
}

impl From<bool> for Param<'_> {
    fn from(value: bool) -> Self {
        Param::Bool(value)
    }
}

impl From<isize> for Param<'_> {
    fn from(value: isize) -> Self {
        Param::Int(value as i128)
    }
}

impl From<usize> for Param<'_> {
    fn from(value: usize) -> Self {
        Param::Int(value as i128)
    }
}

impl From<i128> for Param<'_> {
    fn from(value: i128) -> Self {
        Param::Int(value)
    }
}

impl From<f64> for Param<'_> {
    fn from(value: f64) -> Self {
        Param::Float(value)
    }
}

/// A real number is a float.
impl From<Complex<f64>> for Param<'_> {
    fn from(value: Complex<f64>) -> Self {
        match value.im == 0.0 {
            true => Param::Float(value.re),
            false => Param::Text(Cow::Owned(value.to_string())),
        }
    }
}

impl<const N: usize> From<[isize; N]> for Param<'_> {
    fn from(list: [isize; N]) -> Self {
        Param::Ints(list.to_vec().into())
    }
}

impl From<DType> for Param<'_> {
    fn from(value: DType) -> Self {
        Param::DType(value)
    }
}

impl<'a> From<&'a [isize]> for Param<'a> {
    fn from(list: &'a [isize]) -> Self {
        Param::Ints(Cow::Borrowed(list))
    }
}

impl<'a> From<&'a [usize]> for Param<'a> {
    fn from(list: &'a [usize]) -> Self {
        Param::Lengths(Cow::Borrowed(list))
    }
}

impl<'a> From<&'a [Index]> for Param<'a> {
    fn from(list: &'a [Index]) -> Self {
        Param::Index(Cow::Borrowed(list))
    }
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(text: &'a str) -> Self {
        Param::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a Axes> for Param<'a> {
    fn from(axes: &'a Axes) -> Self {
        axes.listed().map_or(Param::None, Param::from)
    }
}

impl<'a, T: Into<Param<'a>>> From<Option<T>> for Param<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Param::None, Into::into)
    }
}
