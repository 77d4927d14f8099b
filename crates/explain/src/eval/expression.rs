//! Evaluation of expressions: names, literals, operators, attribute access and calls.

use super::arguments::wrong_type;
use super::call::CallSource;
use super::error::{EvalError, EvalResult, Span};
use super::table::{self, Operation};
use super::value::{Library, MAX_ITEMS, Value};
use super::{Session, operators};
use crate::suggest::closest;
use crate::tree::{Entry, EntryKind, Expr, Node, Trailer, TrailerKind};

impl Session<'_> {
    pub(super) fn value(&mut self, expr: &Expr) -> EvalResult<Value> {
        let span = &expr.span;
        match &expr.node {
            Node::Int(value) => Ok(Value::Int(*value)),
            Node::Float(value) => Ok(Value::Float(*value)),
            Node::Imaginary(value) => Ok(Value::Complex(0.0, *value)),
            Node::Str(text, first) => Ok(Value::Str(text.clone(), *first)),
            Node::Ellipsis => Ok(Value::Ellipsis),
            Node::Name(name) => self.lookup(name, span),
            Node::Tuple(items) => Value::Tuple(self.items(items)?).bounded(span),
            Node::List(items) => Value::List(self.items(items)?).bounded(span),
            Node::Star(_) => {
                Err(EvalError::new("`*` is only valid in calls, tuples and lists", span))
            }
            Node::Postfix(base, trailers) => self.postfix(base, trailers),
            Node::Unary(sign, inside) => {
                let value = self.value(inside)?;
                match value {
                    Value::Array(_) => self.unary(sign, value, span),
                    number => operators::unary(sign, number, span),
                }
            }
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
        match name {
            "None" | "newaxis" => return Ok(Value::None),
            "True" => return Ok(Value::Bool(true)),
            "False" => return Ok(Value::Bool(false)),
            "pi" => return Ok(Value::Float(std::f64::consts::PI)),
            "nan" => return Ok(Value::Float(f64::NAN)),
            "inf" => return Ok(Value::Float(f64::INFINITY)),
            _ => {}
        }
        if let Some(module) = self.libraries.get(name) {
            return Ok(Value::Module(module.clone()));
        }
        let module = table::module_named(name).map(Value::Module);
        let operation = || table::find(name, Library::Belvedere);
        let operation = || operation().map(|it| Value::Function(it, Library::Belvedere));
        let dtype = || table::type_named(name, Library::Belvedere).map(Value::DType);
        if let Some(value) = module.or_else(operation).or_else(dtype) {
            return Ok(value);
        }
        // Suggest a variable before a function.
        let known = closest(name, self.variables.keys().map(String::as_str));
        let known = known.or_else(|| closest(name, table::all_names()));
        Err(EvalError::new(format!("name `{name}` is not defined"), span).suggest(known))
    }

    fn items(&mut self, exprs: &[Expr]) -> EvalResult<Vec<Value>> {
        let (mut items, mut weight) = (Vec::new(), 0);
        for expr in exprs {
            let n_before = items.len();
            match &expr.node {
                Node::Star(inside) => items.extend(self.unpacked(inside)?),
                _ => items.push(self.value(expr)?),
            }
            weight += items[n_before..].iter().map(Value::weight).sum::<usize>();
            if weight > MAX_ITEMS {
                break;
            }
        }
        Ok(items)
    }

    /// Returns the items of the operand of `*`.
    pub(super) fn unpacked(&mut self, expr: &Expr) -> EvalResult<Vec<Value>> {
        match self.value(expr)? {
            Value::Tuple(items) | Value::List(items) => Ok(items),
            other => Err(wrong_type("a tuple or a list", &other, &expr.span)),
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

    fn postfix(&mut self, base: &Expr, trailers: &[Trailer]) -> EvalResult<Value> {
        let start = base.span.start;
        let mut value = self.value(base)?;
        let mut name = match &base.node {
            Node::Name(name) => name.as_str(),
            _ => "",
        };
        let mut at = 0;
        while let Some(trailer) = trailers.get(at) {
            let next = trailers.get(at + 1);
            let is_method = !matches!(value, Value::Module(_));
            at += 1;
            value = match (&trailer.kind, next.map(|it| &it.kind)) {
                (TrailerKind::Attribute(name, span), Some(TrailerKind::Call(arguments)))
                    if is_method =>
                {
                    let mut end = next.map_or(span.end, |it| it.span.end);
                    at += 1;
                    let selected = part_after(trailers.get(at));
                    if selected.is_some() {
                        end = trailers[at].span.end;
                    }
                    let source = CallSource {
                        span: trailer.span.start..end,
                        selected,
                        ..CallSource::operator(&(start..end))
                    };
                    let (value, is_used) = self.method(value, (name, span), arguments, source)?;
                    at += usize::from(is_used);
                    value
                }
                (TrailerKind::Attribute(attribute, span), _) => {
                    name = attribute;
                    let whole = start..trailer.span.end;
                    let source =
                        CallSource { span: trailer.span.clone(), ..CallSource::operator(&whole) };
                    self.attribute(value, attribute, span, source)?
                }
                (TrailerKind::Call(arguments), _) => {
                    let selected = part_after(trailers.get(at));
                    let end =
                        if selected.is_some() { trailers[at].span.end } else { trailer.span.end };
                    let source = CallSource { selected, ..CallSource::operator(&(start..end)) };
                    let (value, is_used) =
                        self.function(value, name, arguments, (source, &trailer.span, &base.span))?;
                    at += usize::from(is_used);
                    value
                }
                (TrailerKind::Index(entries), _) => {
                    let whole = start..trailer.span.end;
                    self.index(value, entries, &whole, &trailer.span)?
                }
            };
        }
        Ok(value)
    }
}

/// Returns the integer and the position of an index that selects a part of a tuple.
fn part_after(trailer: Option<&Trailer>) -> Option<(isize, Span)> {
    let TrailerKind::Index(entries) = &trailer?.kind else { return None };
    let [Entry { kind: EntryKind::Item(expr), span }] = &entries[..] else { return None };
    match &expr.node {
        Node::Int(value) => Some((isize::try_from(*value).ok()?, span.clone())),
        Node::Unary("-", inside) => match inside.node {
            Node::Int(value) => Some((isize::try_from(-value).ok()?, span.clone())),
            _ => None,
        },
        _ => None,
    }
}
