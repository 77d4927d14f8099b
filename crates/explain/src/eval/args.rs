//! The arguments of a call: positional, keyword, tuples and unpacked tuples.

use super::error::{EvalError, EvalResult, Span};
use super::value::{Array, Value};
use crate::suggest::closest;
use belvedere::DType;

/// An evaluated argument.
#[derive(Clone, Debug)]
pub(super) struct CallArg {
    pub name: Option<(String, Span)>,
    pub value: Value,
    pub span: Span,
}

/// The arguments of a call that the operation has not consumed yet.
#[derive(Clone, Debug)]
pub(super) struct Args {
    left: Vec<CallArg>,
    /// The position of the argument list, including the parentheses.
    pub span: Span,
    /// The parameter names looked up so far: candidates for suggestions.
    asked: Vec<&'static str>,
}

/// Names of the same parameter in different libraries.
pub(super) const AXIS: &[&str] = &["axis", "dim"];
pub(super) const AXES: &[&str] = &["axes", "dims", "axis", "dim"];
pub(super) const SHAPE: &[&str] = &["shape", "size"];

impl Args {
    pub(super) fn new(given: Vec<CallArg>, span: Span) -> Args {
        Args { left: given, span, asked: Vec::new() }
    }

    /// Returns the number of positional arguments left.
    pub(super) fn n_positional(&self) -> usize {
        self.left.iter().filter(|it| it.name.is_none()).count()
    }

    /// Returns the next positional argument without consuming it.
    pub(super) fn peek(&self) -> Option<&Value> {
        self.left.iter().find(|it| it.name.is_none()).map(|it| &it.value)
    }

    /// Consumes the keyword argument with one of these names, or the next positional one.
    pub(super) fn next(&mut self, names: &[&'static str]) -> Option<CallArg> {
        self.named(names).or_else(|| {
            let i = self.left.iter().position(|it| it.name.is_none())?;
            Some(self.left.remove(i))
        })
    }

    /// Consumes the keyword argument with one of these names.
    pub(super) fn named(&mut self, names: &[&'static str]) -> Option<CallArg> {
        self.asked.extend(names);
        let is_it =
            |it: &CallArg| it.name.as_ref().is_some_and(|(name, _)| names.contains(&&**name));
        let i = self.left.iter().position(is_it)?;
        Some(self.left.remove(i))
    }

    /// Returns an error for an argument that was not used.
    pub(super) fn finish(&self) -> EvalResult<()> {
        let Some(extra) = self.left.first() else { return Ok(()) };
        match &extra.name {
            Some((name, span)) => {
                let error = EvalError::new(format!("unexpected keyword argument `{name}`"), span);
                Err(error.suggest(closest(name, self.asked.iter().copied())))
            }
            None => Err(EvalError::new("too many positional arguments", &extra.span)),
        }
    }

    fn missing(&self, what: &str) -> Box<EvalError> {
        EvalError::new(format!("missing argument: {what}"), &self.span)
    }

    pub(super) fn int(&mut self, names: &[&'static str]) -> EvalResult<Option<(isize, Span)>> {
        let given = self.next(names).filter(|it| !matches!(it.value, Value::None));
        given.map(|it| Ok((int(&it.value, &it.span)?, it.span))).transpose()
    }

    pub(super) fn need_int(&mut self, names: &[&'static str]) -> EvalResult<(isize, Span)> {
        let missing = self.missing(names[0]);
        self.int(names)?.ok_or(missing)
    }

    /// Consumes a non-negative integer.
    pub(super) fn need_count(&mut self, names: &[&'static str]) -> EvalResult<(usize, Span)> {
        let (value, span) = self.need_int(names)?;
        Ok((count(value, names[0], &span)?, span))
    }

    /// Consumes an integer or a tuple of integers, as one argument.
    pub(super) fn list(
        &mut self,
        names: &[&'static str],
    ) -> EvalResult<Option<(Vec<isize>, Span)>> {
        let given = self.next(names).filter(|it| !matches!(it.value, Value::None));
        given.map(|it| Ok((ints(&it.value, &it.span)?, it.span))).transpose()
    }

    pub(super) fn need_list(&mut self, names: &[&'static str]) -> EvalResult<(Vec<isize>, Span)> {
        let missing = self.missing(names[0]);
        self.list(names)?.ok_or(missing)
    }

    /// Consumes integers given as a tuple, a list, or all positional arguments left: `(2, 3)`, `[2, 3]`, `2, 3`.
    pub(super) fn all(&mut self, names: &[&'static str]) -> EvalResult<Option<(Vec<isize>, Span)>> {
        if let Some(given) = self.named(names) {
            return Ok(Some((ints(&given.value, &given.span)?, given.span)));
        }
        if !matches!(self.peek(), Some(Value::Int(_))) {
            return self.list(names);
        }
        let (plain, named) = self.left.drain(..).partition(|it| it.name.is_none());
        self.left = named;
        let plain: Vec<CallArg> = plain;
        let mut numbers = Vec::new();
        let mut span = plain[0].span.clone();
        for given in &plain {
            numbers.push(int(&given.value, &given.span)?);
            span.end = given.span.end;
        }
        Ok(Some((numbers, span)))
    }

    pub(super) fn need_all(&mut self, names: &[&'static str]) -> EvalResult<(Vec<isize>, Span)> {
        let missing = self.missing(names[0]);
        self.all(names)?.ok_or(missing)
    }

    pub(super) fn array(&mut self, names: &[&'static str]) -> EvalResult<(Array, Span)> {
        let missing = self.missing("a tensor");
        let given = self.next(names).ok_or(missing)?;
        match given.value {
            Value::Array(array) => Ok((array, given.span)),
            other => Err(wrong_type("a tensor", &other, &given.span)),
        }
    }

    pub(super) fn text(&mut self, names: &[&'static str]) -> EvalResult<(String, usize, Span)> {
        let missing = self.missing(names[0]);
        let given = self.next(names).ok_or(missing)?;
        match given.value {
            Value::Str(text, first) => Ok((text, first, given.span)),
            other => Err(wrong_type("a string", &other, &given.span)),
        }
    }

    /// Consumes `dtype=…`.
    pub(super) fn dtype(&mut self) -> EvalResult<Option<DType>> {
        let given = self.named(&["dtype"]).filter(|it| !matches!(it.value, Value::None));
        given.map(|it| super::names::dtype(&it.value, &it.span)).transpose()
    }

    /// Consumes a keyword argument that is a bool; `None` if it is missing.
    pub(super) fn flag(&mut self, names: &[&'static str]) -> EvalResult<Option<bool>> {
        match self.named(names) {
            None => Ok(None),
            Some(CallArg { value: Value::Bool(flag), .. }) => Ok(Some(flag)),
            Some(CallArg { value: Value::None, .. }) => Ok(None),
            Some(CallArg { value, span, .. }) => Err(wrong_type("True or False", &value, &span)),
        }
    }

    /// Consumes `order=…`: whether it is `"F"`, column-major.
    pub(super) fn is_col_major(&mut self) -> EvalResult<bool> {
        match self.named(&["order"]) {
            None => Ok(false),
            Some(CallArg { value: Value::Str(order, _), span, .. }) => match &*order {
                "F" => Ok(true),
                "C" | "A" | "K" => Ok(false),
                _ => Err(EvalError::new("order must be \"C\" or \"F\"", &span)),
            },
            Some(CallArg { value, span, .. }) => Err(wrong_type("\"C\" or \"F\"", &value, &span)),
        }
    }

    /// Consumes all keyword arguments left, which must be non-negative integers.
    pub(super) fn lengths(&mut self) -> EvalResult<Vec<(String, usize, Span)>> {
        let (named, plain) = self.left.drain(..).partition(|it| it.name.is_some());
        self.left = plain;
        let named: Vec<CallArg> = named;
        let length = |it: CallArg| {
            let (name, _) = it.name.expect("partitioned by having a name");
            let len = count(int(&it.value, &it.span)?, &name, &it.span)?;
            Ok((name, len, it.span))
        };
        named.into_iter().map(length).collect()
    }

    /// Consumes a dtype given as the last positional argument: `zeros((2, 3), float32)`.
    pub(super) fn last_dtype(&mut self) -> Option<DType> {
        let i = self.left.iter().rposition(|it| it.name.is_none())?;
        let Value::DType(dtype) = self.left[i].value else { return None };
        self.left.remove(i);
        Some(dtype)
    }

    /// Consumes all positional arguments left.
    pub(super) fn rest(&mut self) -> Vec<CallArg> {
        let (plain, named) = self.left.drain(..).partition(|it| it.name.is_none());
        self.left = named;
        plain
    }
}

#[cold]
pub(super) fn wrong_type(what: &str, value: &Value, span: &Span) -> Box<EvalError> {
    EvalError::new(format!("expected {what}, got {}", value.kind()), span)
}

pub(super) fn int(value: &Value, span: &Span) -> EvalResult<isize> {
    match value {
        Value::Int(value) => isize::try_from(*value).map_err(|_| {
            EvalError::new(format!("{value} is too large for a length or an index"), span)
        }),
        Value::Bool(value) => Ok(isize::from(*value)),
        other => Err(wrong_type("an int", other, span)),
    }
}

pub(super) fn ints(value: &Value, span: &Span) -> EvalResult<Vec<isize>> {
    match value {
        Value::Tuple(items) => items.iter().map(|item| int(item, span)).collect(),
        one => Ok(vec![int(one, span)?]),
    }
}

pub(super) fn count(value: isize, what: &str, span: &Span) -> EvalResult<usize> {
    usize::try_from(value)
        .map_err(|_| EvalError::new(format!("{what} must not be negative, got {value}"), span))
}

pub(super) fn counts(values: &[isize], what: &str, span: &Span) -> EvalResult<Vec<usize>> {
    values.iter().map(|&value| count(value, what, span)).collect()
}
