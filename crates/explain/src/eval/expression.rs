//! Evaluation of expressions: names, literals, operators, attribute access and calls.

use super::arguments::wrong_type;
use super::call::CallSource;
use super::error::{EvalResult, Span, error};
use super::table::{self, Operation};
use super::value::{Library, MAX_ITEMS, Value};
use super::{Session, operators};
use crate::suggest::closest;
use crate::tree::{Entry, EntryKind, Expr, Literal, Node, Trailer, TrailerKind};

impl Session<'_> {
    pub(super) fn value(&mut self, expr: &Expr) -> EvalResult<Value> {
        let span = &expr.span;
        match &expr.node {
            Node::Literal(literal) => Ok(literal.clone().into()),
            Node::Ellipsis => Ok(Value::Ellipsis),
            Node::Name(name) => self.lookup(name, span),
            Node::Tuple(items) => Value::Tuple(self.items(items)?).bounded(span),
            Node::List(items) => Value::List(self.items(items)?).bounded(span),
            Node::Star(_) => Err(error!(span, "`*` is only valid in calls, tuples and lists")),
            Node::Postfix(base, trailers) => self.postfix(base, trailers),
            Node::Unary(sign, inside) => match self.value(inside)? {
                array @ Value::Array(_) => self.unary(sign, array, span),
                number => operators::unary(sign, number, span),
            },
            Node::Binary(first, rest) => {
                let mut value = self.value(first)?;
                for (operator, right) in rest {
                    let right_value = self.value(right)?;
                    let whole = first.span.start..right.span.end;
                    let operands = [(value, &first.span), (right_value, &right.span)];
                    value = self.binary(operator, operands, &whole)?;
                }
                Ok(value)
            }
        }
    }

    pub(super) fn lookup(&self, name: &str, span: &Span) -> EvalResult<Value> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
        let library = Library::Belvedere;
        let operation = || table::find(name, library).map(|it| Value::Function(it, library));
        let found = match name {
            "None" | "newaxis" => Some(Value::None),
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "pi" => Some(Value::Float(std::f64::consts::PI)),
            "nan" => Some(Value::Float(f64::NAN)),
            "inf" => Some(Value::Float(f64::INFINITY)),
            _ => self
                .libraries
                .get(name)
                .cloned()
                .or_else(|| table::module_named(name))
                .map(Value::Module)
                .or_else(operation)
                .or_else(|| table::type_named(name, library).map(Value::DType)),
        };
        if let Some(value) = found {
            return Ok(value);
        }
        // Suggest a variable before a function.
        let known = closest(name, self.variables.keys().map(String::as_str));
        let known = known.or_else(|| closest(name, table::spellings()));
        Err(error!(span, "name `{name}` is not defined").suggest(known))
    }

    fn items(&mut self, exprs: &[Expr]) -> EvalResult<Vec<Value>> {
        let (mut items, mut weight) = (Vec::new(), 0);
        for expr in exprs {
            let values = self.unpacked(expr)?;
            weight += values.iter().map(Value::weight).sum::<usize>();
            items.extend(values);
            if weight > MAX_ITEMS {
                break;
            }
        }
        Ok(items)
    }

    /// Returns the value of an expression, or the items of the operand of `*`.
    pub(super) fn unpacked(&mut self, expr: &Expr) -> EvalResult<Vec<Value>> {
        let Node::Star(inside) = &expr.node else { return Ok(vec![self.value(expr)?]) };
        match self.value(inside)? {
            Value::Tuple(items) | Value::List(items) => Ok(items),
            other => Err(wrong_type("a tuple or a list", &other, &inside.span)),
        }
    }

    /// Returns the last operation of an expression.
    pub(super) fn last_operation(&self, expr: &Expr) -> Option<&'static Operation> {
        let Node::Postfix(base, trailers) = &expr.node else { return None };
        let named = trailers.iter().rev().find_map(|trailer| match &trailer.kind {
            TrailerKind::Attribute(name, _) => table::find(name, Library::Belvedere),
            _ => None,
        });
        named.or_else(|| match &base.node {
            Node::Name(name) => table::find(name, Library::Belvedere),
            _ => None,
        })
    }

    /// Evaluates an expression and the attributes, calls and indices after it.
    pub(super) fn postfix(&mut self, base: &Expr, trailers: &[Trailer]) -> EvalResult<Value> {
        let start = base.span.start;
        let mut value = self.value(base)?;
        let mut name = match &base.node {
            Node::Name(name) => name.as_str(),
            _ => "",
        };
        let mut rest = trailers;
        while let [Trailer { kind, span }, after @ ..] = rest {
            rest = after;
            value = match (kind, rest) {
                (
                    TrailerKind::Attribute(name, at),
                    [Trailer { kind: TrailerKind::Call(arguments), span: call }, after @ ..],
                ) if !matches!(value, Value::Module(_)) => {
                    rest = after;
                    let (selected, end) = part_after(rest, call.end);
                    let source =
                        CallSource { selected, ..CallSource::new(start..end, span.start..end) };
                    let (value, is_used) = self.method(value, (name, at), arguments, source)?;
                    rest = &rest[usize::from(is_used)..];
                    value
                }
                (TrailerKind::Attribute(attribute, at), _) => {
                    name = attribute;
                    let source = CallSource::new(start..span.end, span.clone());
                    self.attribute(value, attribute, at, source)?
                }
                (TrailerKind::Call(arguments), _) => {
                    let (selected, end) = part_after(rest, span.end);
                    let source = CallSource { selected, ..CallSource::new(start..end, start..end) };
                    let (value, is_used) =
                        self.function(value, name, arguments, (source, span, &base.span))?;
                    rest = &rest[usize::from(is_used)..];
                    value
                }
                (TrailerKind::Index(entries), _) => {
                    self.index(value, entries, &(start..span.end), span)?
                }
            };
        }
        Ok(value)
    }
}

/// Returns the integer and the position of an index that selects a part of a tuple, and the end of the call with it.
fn part_after(trailers: &[Trailer], end: usize) -> (Option<(isize, Span)>, usize) {
    let part = || {
        let TrailerKind::Index(entries) = &trailers.first()?.kind else { return None };
        let [Entry { kind: EntryKind::Item(expr), span }] = &entries[..] else { return None };
        let number = match &expr.node {
            Node::Literal(Literal::Int(value)) => *value,
            Node::Unary("-", inside) => match inside.node {
                Node::Literal(Literal::Int(value)) => -value,
                _ => return None,
            },
            _ => return None,
        };
        Some((isize::try_from(number).ok()?, span.clone()))
    };
    let part = part();
    let end = if part.is_some() { trailers[0].span.end } else { end };
    (part, end)
}
