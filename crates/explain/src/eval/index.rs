//! Indexing `x[…]`, with Python's full slice syntax, of tensors, tuples and split results.

use super::args::{int, wanted};
use super::dialect::Fact;
use super::error::{Context, EvalError, EvalResult, Span};
use super::value::{Array, Value};
use super::{Made, Session};
use crate::tree::{Entry, EntryKind};
use belvedere_layout::{Index, LayoutError, Slice};

impl Session<'_> {
    /// What stands between the brackets, taken of a value.
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
            Value::Tuple(items) => of_tuple(&items, &index, &context.span),
            Value::Parts(parts) => match &index[..] {
                [(Index::At(at), span)] => {
                    let i = position(*at, parts.split.count(), span)?;
                    let whole = context.clone();
                    self.part(&parts, i, context).map(Value::Array).map_err(|it| it.within(&whole))
                }
                _ => Err(EvalError::new("one part is picked by one whole number", &context.span)),
            },
            other => {
                Err(EvalError::new(format!("{} cannot be indexed", other.kind()), &context.span))
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
        let made = sliced(x, index, &context.span).map_err(|trouble| trouble.within(&context))?;
        self.push(&context, None, made).map_err(|trouble| trouble.within(&context))
    }

    /// The entries, and where each stands. A tuple between brackets is as many entries.
    pub(super) fn entries(
        &mut self,
        entries: &[Entry],
        whole: &Span,
    ) -> EvalResult<Vec<(Index, Span)>> {
        let mut index = Vec::new();
        for Entry { kind, span } in entries {
            match kind {
                EntryKind::Range(parts) => {
                    let slice = self.range(parts, span)?;
                    index.push((Index::Slice(slice), span.clone()));
                }
                EntryKind::One(expr) => match self.value(expr)? {
                    Value::Tuple(items) if entries.len() == 1 => {
                        let is_list = self.source[span.clone()].starts_with('[');
                        if is_list {
                            return Err(by_list(span));
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
            return Err(EvalError::new("an index is missing", whole));
        }
        Ok(index)
    }

    fn range(&mut self, parts: &[Option<crate::tree::Expr>; 3], span: &Span) -> EvalResult<Slice> {
        let mut numbers = [None; 3];
        for (number, part) in numbers.iter_mut().zip(parts) {
            let Some(part) = part else { continue };
            *number = match self.value(part)? {
                Value::None => None,
                // Beyond the largest number there is no position either.
                Value::Int(value) => {
                    Some(value.clamp(isize::MIN as i128, isize::MAX as i128) as isize)
                }
                other => return Err(wanted("a whole number", &other, &part.span)),
            };
        }
        let [start, stop, step] = numbers;
        if step == Some(0) {
            let at = parts[2].as_ref().map_or(span, |it| &it.span);
            return Err(EvalError::new("a step must not be 0", at));
        }
        Ok(Slice { start, stop, step: step.unwrap_or(1) })
    }

    fn flag_named(
        &mut self,
        array: &Array,
        entries: &[Entry],
        context: &Context,
    ) -> EvalResult<Value> {
        if let [Entry { kind: EntryKind::One(expr), span }] = entries
            && let Value::Text(name, _) = self.value(expr)?
        {
            return super::query::flag(array, &name, span);
        }
        Err(EvalError::new("a flag is picked by its name", &context.span))
    }
}

/// A part of a tensor.
pub(super) fn sliced(x: &Array, index: &[(Index, Span)], whole: &Span) -> EvalResult<Made> {
    let plain: Vec<Index> = index.iter().map(|it| it.0).collect();
    let chain = x.chain.slice(&plain).map_err(|error| {
        let span = blamed(&error, index).unwrap_or(whole);
        EvalError::layout(error, span)
    })?;
    let made = Made::view(x, chain);
    let is_backwards = |it: &Index| matches!(it, Index::Slice(Slice { step: ..0, .. }));
    if plain.iter().any(is_backwards) {
        return Ok(made.fact(Fact::NegativeStep));
    }
    if x.rank() > 0 && made.chain.rank() == 0 {
        return Ok(made.fact(Fact::OneElement));
    }
    Ok(made)
}

/// The entry that an error is about.
fn blamed<'a>(error: &LayoutError, index: &'a [(Index, Span)]) -> Option<&'a Span> {
    let LayoutError::IndexOutOfRange { axis, .. } = error else { return None };
    let takes = |it: &&(Index, Span)| matches!(it.0, Index::At(_) | Index::Slice(_));
    match index.iter().position(|it| it.0 == Index::Ellipsis) {
        None => index.iter().filter(takes).nth(*axis).map(|it| &it.1),
        // Behind an ellipsis one would have to count from the end: only the entries in front are sure.
        Some(at) => index[..at].iter().filter(takes).nth(*axis).map(|it| &it.1),
    }
}

fn entry(value: &Value, span: &Span) -> EvalResult<Index> {
    match value {
        Value::None => Ok(Index::NewAxis),
        Value::Ellipsis => Ok(Index::Ellipsis),
        Value::Int(_) => Ok(Index::At(int(value, span)?)),
        Value::Array(_) | Value::Tuple(_) => Err(by_list(span)),
        other => Err(wanted("a position or a slice", other, span)),
    }
}

#[cold]
fn by_list(span: &Span) -> Box<EvalError> {
    EvalError::new("an index by a list of positions is not part of this language", span)
        .help("it always copies; slices never do")
}

/// The position that a number means in a list.
fn position(at: isize, len: usize, span: &Span) -> EvalResult<usize> {
    let from_front = if at < 0 { at.saturating_add(len as isize) } else { at };
    usize::try_from(from_front)
        .ok()
        .filter(|&i| i < len)
        .ok_or_else(|| EvalError::new(format!("there is no part {at}: there are {len}"), span))
}

fn of_tuple(items: &[Value], index: &[(Index, Span)], whole: &Span) -> EvalResult<Value> {
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
        _ => Err(EvalError::new("a tuple takes a position or a slice", span)),
    }
}
