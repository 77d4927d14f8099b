//! [`Param`]: an argument of an operation that is not a tensor.

use crate::{Axes, DType, Index};
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

impl Param<'_> {
    /// Returns the argument with a copy of what it borrows.
    pub(super) fn to_static(&self) -> Param<'static> {
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
                let items: Vec<String> = items.iter().map(|it| format!("{it:?}")).collect();
                f.write_str(&items.join(", "))
            }
            Param::Text(text) => write!(f, "{text:?}"),
        }
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
