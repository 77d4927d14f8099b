//! The arguments of a call: positional, by keyword, as tuples or unpacked.

use super::error::{EvalError, EvalResult, Span};
use super::value::{Array, Value};
use crate::suggest::closest;
use belvedere::DType;

/// One argument.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub name: Option<(String, Span)>,
    pub value: Value,
    pub span: Span,
}

/// The arguments of a call, taken one after the other by the operation.
#[derive(Clone, Debug)]
pub(super) struct Args {
    left: Vec<Given>,
    /// What stands between the parentheses, and they themselves.
    pub span: Span,
    /// The names that were asked for so far: what an unknown name could have meant.
    asked: Vec<&'static str>,
}

/// The names under which libraries know the same parameter.
pub(super) const AXIS: &[&str] = &["axis", "dim"];
pub(super) const AXES: &[&str] = &["axes", "dims", "axis", "dim"];
pub(super) const SHAPE: &[&str] = &["shape", "size"];

impl Args {
    pub(super) fn new(given: Vec<Given>, span: Span) -> Args {
        Args { left: given, span, asked: Vec::new() }
    }

    /// How many arguments without a name are left.
    pub(super) fn n_plain(&self) -> usize {
        self.left.iter().filter(|it| it.name.is_none()).count()
    }

    /// The next argument without a name, without taking it.
    pub(super) fn peek(&self) -> Option<&Value> {
        self.left.iter().find(|it| it.name.is_none()).map(|it| &it.value)
    }

    /// The argument of one of these names, or the next one without a name.
    pub(super) fn next(&mut self, names: &[&'static str]) -> Option<Given> {
        self.named(names).or_else(|| {
            let i = self.left.iter().position(|it| it.name.is_none())?;
            Some(self.left.remove(i))
        })
    }

    /// The argument of one of these names.
    pub(super) fn named(&mut self, names: &[&'static str]) -> Option<Given> {
        self.asked.extend(names);
        let is_it = |it: &Given| it.name.as_ref().is_some_and(|(name, _)| names.contains(&&**name));
        let i = self.left.iter().position(is_it)?;
        Some(self.left.remove(i))
    }

    /// Returns an error for an argument that was not used.
    pub(super) fn finish(&self) -> EvalResult<()> {
        let Some(extra) = self.left.first() else { return Ok(()) };
        match &extra.name {
            Some((name, span)) => {
                let trouble = EvalError::new(format!("there is no parameter `{name}` here"), span);
                Err(trouble.meant(closest(name, self.asked.iter().copied())))
            }
            None => Err(EvalError::new("one argument too many", &extra.span)),
        }
    }

    fn missing(&self, what: &str) -> Box<EvalError> {
        EvalError::new(format!("{what} is missing"), &self.span)
    }

    pub(super) fn int(&mut self, names: &[&'static str]) -> EvalResult<Option<(isize, Span)>> {
        let given = self.next(names).filter(|it| !matches!(it.value, Value::None));
        given.map(|it| Ok((int(&it.value, &it.span)?, it.span))).transpose()
    }

    pub(super) fn need_int(&mut self, names: &[&'static str]) -> EvalResult<(isize, Span)> {
        let missing = self.missing(names[0]);
        self.int(names)?.ok_or(missing)
    }

    /// A number that counts something.
    pub(super) fn need_count(&mut self, names: &[&'static str]) -> EvalResult<(usize, Span)> {
        let (value, span) = self.need_int(names)?;
        Ok((count(value, names[0], &span)?, span))
    }

    /// A whole number or several, as one argument.
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

    /// Whole numbers as a tuple, a list, or all the arguments that are left: `(2, 3)`, `[2, 3]`, `2, 3`.
    pub(super) fn all(&mut self, names: &[&'static str]) -> EvalResult<Option<(Vec<isize>, Span)>> {
        if let Some(given) = self.named(names) {
            return Ok(Some((ints(&given.value, &given.span)?, given.span)));
        }
        if !matches!(self.peek(), Some(Value::Int(_))) {
            return self.list(names);
        }
        let (plain, named) = self.left.drain(..).partition(|it| it.name.is_none());
        self.left = named;
        let plain: Vec<Given> = plain;
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
            other => Err(wanted("a tensor", &other, &given.span)),
        }
    }

    pub(super) fn text(&mut self, names: &[&'static str]) -> EvalResult<(String, usize, Span)> {
        let missing = self.missing(names[0]);
        let given = self.next(names).ok_or(missing)?;
        match given.value {
            Value::Text(text, first) => Ok((text, first, given.span)),
            other => Err(wanted("a text", &other, &given.span)),
        }
    }

    /// `dtype=…`
    pub(super) fn dtype(&mut self) -> EvalResult<Option<DType>> {
        let given = self.named(&["dtype"]).filter(|it| !matches!(it.value, Value::None));
        given.map(|it| super::names::dtype(&it.value, &it.span)).transpose()
    }

    /// `flag=True`, false unless given.
    pub(super) fn flag(&mut self, names: &[&'static str]) -> EvalResult<Option<bool>> {
        match self.named(names) {
            None => Ok(None),
            Some(Given { value: Value::Bool(flag), .. }) => Ok(Some(flag)),
            Some(Given { value: Value::None, .. }) => Ok(None),
            Some(Given { value, span, .. }) => Err(wanted("True or False", &value, &span)),
        }
    }

    /// `order="F"`: whether columns lie together.
    pub(super) fn is_col_major(&mut self) -> EvalResult<bool> {
        match self.named(&["order"]) {
            None => Ok(false),
            Some(Given { value: Value::Text(order, _), span, .. }) => match &*order {
                "F" => Ok(true),
                "C" | "A" | "K" => Ok(false),
                _ => Err(EvalError::new("an order is \"C\" or \"F\"", &span)),
            },
            Some(Given { value, span, .. }) => Err(wanted("\"C\" or \"F\"", &value, &span)),
        }
    }

    /// Everything that is left and has a name, with its number.
    pub(super) fn lengths(&mut self) -> EvalResult<Vec<(String, usize, Span)>> {
        let (named, plain) = self.left.drain(..).partition(|it| it.name.is_some());
        self.left = plain;
        let named: Vec<Given> = named;
        let length = |it: Given| {
            let (name, _) = it.name.expect("only those with a name were taken");
            let len = count(int(&it.value, &it.span)?, &name, &it.span)?;
            Ok((name, len, it.span))
        };
        named.into_iter().map(length).collect()
    }

    /// A type of elements that is given last, without its name: `zeros((2, 3), float32)`.
    pub(super) fn rest_types(&mut self) -> Option<DType> {
        let i = self.left.iter().rposition(|it| it.name.is_none())?;
        let Value::DType(dtype) = self.left[i].value else { return None };
        self.left.remove(i);
        Some(dtype)
    }

    /// Everything that is left, unnamed, in order.
    pub(super) fn rest(&mut self) -> Vec<Given> {
        let (plain, named) = self.left.drain(..).partition(|it| it.name.is_none());
        self.left = named;
        plain
    }
}

#[cold]
pub(super) fn wanted(what: &str, value: &Value, span: &Span) -> Box<EvalError> {
    EvalError::new(format!("{what} is needed here, not {}", value.kind()), span)
}

pub(super) fn int(value: &Value, span: &Span) -> EvalResult<isize> {
    match value {
        Value::Int(value) => isize::try_from(*value).map_err(|_| {
            EvalError::new(format!("{value} is too large for a length or an index"), span)
        }),
        Value::Bool(value) => Ok(isize::from(*value)),
        other => Err(wanted("a whole number", other, span)),
    }
}

pub(super) fn ints(value: &Value, span: &Span) -> EvalResult<Vec<isize>> {
    match value {
        Value::Tuple(items) => items.iter().map(|item| int(item, span)).collect(),
        one => Ok(vec![int(one, span)?]),
    }
}

pub(super) fn count(value: isize, what: &str, span: &Span) -> EvalResult<usize> {
    usize::try_from(value).map_err(|_| EvalError::new(format!("{what} cannot be {value}"), span))
}

pub(super) fn counts(values: &[isize], what: &str, span: &Span) -> EvalResult<Vec<usize>> {
    values.iter().map(|&value| count(value, what, span)).collect()
}
