//! Indexing `x[…]`, with Python's full slice syntax, of tensors, tuples and split results.

use super::args::{int, wrong_type};
use super::dialect::Fact;
use super::error::{Context, EvalError, EvalResult, Span};
use super::value::{Array, Value};
use super::{OpResult, Session};
use crate::tree::{Entry, EntryKind};
use belvedere_layout::{Index, LayoutError, Slice};

impl Session<'_> {
    /// Evaluates `value[entries]`.
    pub(super) fn index(
        &mut self,
        value: Value,
        entries: &[Entry],
        context: Context,
    ) -> EvalResult<Value> {
        if let Value::Flags(array) = &value {
            return self.flag_named(array, entries, &context);
        }
        let index = self.entries(entries, &context.span)?;
        match value {
            Value::Array(array) => self.slice(&array, &index, context).map(Value::Array),
            Value::Tuple(items) => index_tuple(&items, &index, &context.span),
            Value::Parts(parts) => match &index[..] {
                [(Index::At(at), span)] => {
                    let i = position(*at, parts.split.count(), span)?;
                    let whole = context.clone();
                    self.part(&parts, i, context).map(Value::Array).map_err(|it| it.in_call(&whole))
                }
                _ => {
                    Err(EvalError::new("a list of tensors takes one integer index", &context.span))
                }
            },
            other => {
                Err(EvalError::new(format!("{} is not subscriptable", other.kind()), &context.span))
            }
        }
    }

    fn slice(
        &mut self,
        x: &Array,
        index: &[(Index, Span)],
        mut context: Context,
    ) -> EvalResult<Array> {
        context.inputs.push(x.step);
        let made = sliced(x, index, &context.span).map_err(|error| error.in_call(&context))?;
        self.push(&context, None, made).map_err(|error| error.in_call(&context))
    }

    /// Evaluates index entries, each with its position. A tuple counts as several entries.
    pub(super) fn entries(
        &mut self,
        entries: &[Entry],
        whole: &Span,
    ) -> EvalResult<Vec<(Index, Span)>> {
        let mut index = Vec::new();
        for Entry { kind, span } in entries {
            match kind {
                EntryKind::Slice(parts) => {
                    let slice = self.range(parts, span)?;
                    index.push((Index::Slice(slice), span.clone()));
                }
                EntryKind::Item(expr) => match self.value(expr)? {
                    Value::Tuple(items) if entries.len() == 1 => {
                        let is_list = self.source[span.clone()].starts_with('[');
                        if is_list {
                            return Err(advanced_index_error(span));
                        }
                        for item in &items {
                            index.push((entry(item, span)?, span.clone()));
                        }
                    }
                    value => index.push((entry(&value, span)?, span.clone())),
                },
            }
        }
        if index.is_empty() && !entries.is_empty() {
            return Ok(index);
        }
        if entries.is_empty() {
            return Err(EvalError::new("missing index", whole));
        }
        Ok(index)
    }

    fn range(&mut self, parts: &[Option<crate::tree::Expr>; 3], span: &Span) -> EvalResult<Slice> {
        let mut numbers = [None; 3];
        for (number, part) in numbers.iter_mut().zip(parts) {
            let Some(part) = part else { continue };
            *number = match self.value(part)? {
                Value::None => None,
                // Slice bounds out of range are clamped.
                Value::Int(value) => {
                    Some(value.clamp(isize::MIN as i128, isize::MAX as i128) as isize)
                }
                other => return Err(wrong_type("an int", &other, &part.span)),
            };
        }
        let [start, stop, step] = numbers;
        if step == Some(0) {
            let at = parts[2].as_ref().map_or(span, |it| &it.span);
            return Err(EvalError::new("a slice step must not be 0", at));
        }
        Ok(Slice { start, stop, step: step.unwrap_or(1) })
    }

    fn flag_named(
        &mut self,
        array: &Array,
        entries: &[Entry],
        context: &Context,
    ) -> EvalResult<Value> {
        if let [Entry { kind: EntryKind::Item(expr), span }] = entries
            && let Value::Str(name, _) = self.value(expr)?
        {
            return super::query::flag(array, &name, span);
        }
        Err(EvalError::new("flags take the name of a flag, a string", &context.span))
    }
}

/// Returns the view that basic indexing selects.
pub(super) fn sliced(x: &Array, index: &[(Index, Span)], whole: &Span) -> EvalResult<OpResult> {
    let plain: Vec<Index> = index.iter().map(|it| it.0).collect();
    let chain = x.chain.slice(&plain).map_err(|error| {
        let span = failing_entry(&error, index).unwrap_or(whole);
        EvalError::layout(error, span)
    })?;
    let made = OpResult::view(x, chain);
    let is_backwards = |it: &Index| matches!(it, Index::Slice(Slice { step: ..0, .. }));
    if plain.iter().any(is_backwards) {
        return Ok(made.fact(Fact::NegativeStep));
    }
    if x.rank() > 0 && made.chain.rank() == 0 {
        return Ok(made.fact(Fact::OneElement));
    }
    Ok(made)
}

/// Returns the position of the entry that an error refers to.
fn failing_entry<'a>(error: &LayoutError, index: &'a [(Index, Span)]) -> Option<&'a Span> {
    let LayoutError::IndexOutOfRange { axis, .. } = error else { return None };
    let takes = |it: &&(Index, Span)| matches!(it.0, Index::At(_) | Index::Slice(_));
    match index.iter().position(|it| it.0 == Index::Ellipsis) {
        None => index.iter().filter(takes).nth(*axis).map(|it| &it.1),
        // The axes of the entries after an ellipsis are not known here.
        Some(at) => index[..at].iter().filter(takes).nth(*axis).map(|it| &it.1),
    }
}

fn entry(value: &Value, span: &Span) -> EvalResult<Index> {
    match value {
        Value::None => Ok(Index::NewAxis),
        Value::Ellipsis => Ok(Index::Ellipsis),
        Value::Int(_) => Ok(Index::At(int(value, span)?)),
        Value::Array(_) | Value::Tuple(_) => Err(advanced_index_error(span)),
        other => Err(wrong_type("an int, a slice, None or ...", other, span)),
    }
}

#[cold]
fn advanced_index_error(span: &Span) -> Box<EvalError> {
    EvalError::new("advanced indexing with lists and tensors is not supported here", span)
        .help("advanced indexing always copies; use slices, which are views")
}

/// Resolves an index that may be negative.
fn position(at: isize, len: usize, span: &Span) -> EvalResult<usize> {
    let from_front = if at < 0 { at.saturating_add(len as isize) } else { at };
    usize::try_from(from_front)
        .ok()
        .filter(|&i| i < len)
        .ok_or_else(|| EvalError::new(format!("index {at} is out of range for {len} items"), span))
}

fn index_tuple(items: &[Value], index: &[(Index, Span)], whole: &Span) -> EvalResult<Value> {
    let [(entry, span)] = index else {
        return Err(EvalError::new("a tuple takes one index", whole));
    };
    match entry {
        Index::At(at) => Ok(items[position(*at, items.len(), span)?].clone()),
        Index::Slice(slice) => {
            let (first, n) = slice.resolve(items.len()).unwrap_or((0, 0));
            let picked = (0..n as isize).filter_map(|i| {
                let at = i.checked_mul(slice.step)?.checked_add(first as isize)?;
                items.get(usize::try_from(at).ok()?).cloned()
            });
            Ok(Value::Tuple(picked.collect()))
        }
        _ => Err(EvalError::new("a tuple index must be an int or a slice", span)),
    }
}
