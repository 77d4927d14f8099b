//! Indexing `x[…]` with slices, integers, lists and masks, and assignment through an index.

use super::Session;
use super::arguments::{FromValue, OperandValue, Reader, wrong_type};
use super::bind::CallArg;
use super::call::{CallSource, matched};
use super::error::{CallError, EvalResult, Span, error};
use super::table::{Operation, Use::Function, op};
use super::value::{Array, Library, TracedArray, Value, each};
use crate::suggest::closest;
use crate::tree::{Entry, EntryKind, Expr, Node, Trailer, TrailerKind};
use belvedere::{Index, Slice, Tensor, TensorIndex, assign_into};

static GET: Operation = op("getitem", "", "", "", Function, "x, index", |a| a.call(get));
static ASSIGN: Operation = op("setitem", "", "", "", Function, "x, value", |a| {
    a.call(|x: Tensor, value: OperandValue| assign_into(value.operand(), &x))
});
static ASSIGN_INDEX: Operation = op("setitem", "", "", "", Function, "x, index, value", |a| {
    a.call(|x: Tensor, index: Value, value: OperandValue| {
        x.index_assign(tensor_index(&index)?, value.operand()).map_err(CallError::from)
    })
});

/// Returns the elements that an index selects: a view if no tensor is in it.
fn get(x: Array, index: Value) -> Result<Array, CallError> {
    match (basic_index(&index), x) {
        (Some(index), x) => each!(x, x => x.slice(&index)),
        (None, Array::Tensor(x)) => Ok(x.index(tensor_index(&index)?)?.into()),
        (None, Array::Lens(_)) => Err("a lens takes no lists, tensors and masks as indices".into()),
    }
}

/// Returns an index of integers, slices, `None` and `...`; `None` if it has tensors.
fn basic_index(index: &Value) -> Option<Vec<Index>> {
    index.items()?.iter().map(basic_entry).collect()
}

fn basic_entry(value: &Value) -> Option<Index> {
    Some(match value {
        Value::None => Index::NewAxis,
        Value::Ellipsis => Index::Ellipsis,
        Value::Slice(slice) => Index::Slice(*slice),
        Value::Int(at) => Index::At(isize::try_from(*at).ok()?),
        _ => return None,
    })
}

fn tensor_index(index: &Value) -> Result<Vec<TensorIndex<'_>>, CallError> {
    let entry = |value| match (basic_entry(value), value) {
        (Some(entry), _) => Ok(TensorIndex::from(entry)),
        (None, Value::Array(TracedArray { array: Array::Tensor(tensor), .. })) => {
            Ok(TensorIndex::from(tensor))
        }
        (None, other) => {
            let needed = "an int, a slice, None, ..., a list or a tensor";
            Err(CallError::from(format!("expected {needed}, got {}", other.kind())))
        }
    };
    index.items().unwrap_or_default().iter().map(entry).collect()
}

/// The entries of an index, each with its position.
type IndexEntries = Vec<(Value, Span)>;

fn has_tensors(index: &IndexEntries) -> bool {
    index.iter().any(|it| basic_entry(&it.0).is_none())
}

impl Session<'_> {
    /// Evaluates `value[entries]`.
    pub(super) fn index(
        &mut self,
        value: Value,
        entries: &[Entry],
        whole: &Span,
        span: &Span,
    ) -> EvalResult<Value> {
        if let Value::Flags(array) = &value {
            return self.flag_named(array, entries, span);
        }
        let index = self.entries(entries, span)?;
        match &value {
            Value::Array(_) => self.index_array(&GET, value, index, None, (whole, span)),
            Value::Tuple(items) | Value::List(items) => index_items(&value, items, &index, span),
            other => Err(error!(span, "{} is not subscriptable", other.kind())),
        }
    }

    /// Calls an operation on a tensor, an index and the value to assign.
    fn index_array(
        &mut self,
        operation: &'static Operation,
        x: Value,
        index: IndexEntries,
        value: Option<(Value, Span)>,
        (whole, span): (&Span, &Span),
    ) -> EvalResult<Value> {
        let (mut given, source) = index_arguments(x, index, (whole, span));
        given.extend(value.map(|(value, span)| CallArg::new(value, span)));
        self.call(operation, (operation.name, Library::Belvedere), given, source).map(|it| it.0)
    }

    /// Evaluates index entries, each with its position. A tuple counts as several entries; lists become tensors.
    fn entries(&mut self, entries: &[Entry], whole: &Span) -> EvalResult<IndexEntries> {
        let mut index = Vec::new();
        for Entry { kind, span } in entries {
            let value = match kind {
                EntryKind::Slice(parts) => Value::Slice(self.slice(parts, span)?),
                EntryKind::Item(expr) => self.value(expr)?,
            };
            match value {
                Value::Tuple(items) if entries.len() == 1 => {
                    index.extend(items.into_iter().map(|it| (it, span.clone())));
                }
                value => index.push((value, span.clone())),
            }
        }
        if entries.is_empty() {
            return Err(error!(whole, "missing index"));
        }
        for (value, span) in &mut index {
            let reader = Reader { operation: "getitem", library: Library::Belvedere, span };
            match value {
                Value::List(_) | Value::Tuple(_) | Value::Bool(_) => {
                    *value = Tensor::from_value(value, &reader)?.into();
                }
                Value::Int(_) => _ = isize::from_value(value, &reader)?,
                Value::None | Value::Ellipsis | Value::Slice(_) | Value::Array(_) => {}
                other => return reader.wrong("an int, a slice, None, ... or a list", other),
            }
        }
        Ok(index)
    }

    fn slice(&mut self, parts: &[Option<Expr>; 3], span: &Span) -> EvalResult<Slice> {
        let mut numbers = [None; 3];
        for (number, part) in numbers.iter_mut().zip(parts) {
            let Some(part) = part else { continue };
            *number = match self.value(part)? {
                Value::None => None,
                // Slice bounds out of range are clamped.
                Value::Int(it) => Some(it.clamp(isize::MIN as i128, isize::MAX as i128) as isize),
                other => return Err(wrong_type("an int", &other, &part.span)),
            };
        }
        let [start, stop, step] = numbers;
        if step == Some(0) {
            let at = parts[2].as_ref().map_or(span, |it| &it.span);
            return Err(error!(at, "a slice step must not be 0"));
        }
        Ok(Slice { start, stop, step: step.unwrap_or(1) })
    }

    fn flag_named(&mut self, x: &TracedArray, entries: &[Entry], span: &Span) -> EvalResult<Value> {
        if let [Entry { kind: EntryKind::Item(expr), span }] = entries
            && let Value::Str(name, _) = self.value(expr)?
        {
            return flag(x, &name, span);
        }
        Err(error!(span, "flags take the name of a flag, a string"))
    }

    /// `x[…] = …`
    pub(super) fn write(&mut self, target: &Expr, value: &Expr) -> EvalResult<()> {
        let held = self.value(value)?;
        self.write_value(target, held, &value.span)
    }

    pub(super) fn write_value(&mut self, target: &Expr, value: Value, at: &Span) -> EvalResult<()> {
        let Node::Postfix(base, trailers) = &target.node else {
            return Err(error!(&target.span, "cannot assign to this expression"));
        };
        let (x, index, span) = self.target(base, trailers)?;
        let whole = target.span.start..at.end;
        if has_tensors(&index) {
            let (x, value) = (Value::Array(x), Some((value, at.clone())));
            self.index_array(&ASSIGN_INDEX, x, index, value, (&whole, &span))?;
            return Ok(());
        }
        let view = Value::Array(self.view_of(&x, index, (&whole, &span))?);
        let given = vec![CallArg::new(view, span.clone()), CallArg::new(value, at.clone())];
        let source = CallSource::new(whole, span);
        self.call(&ASSIGN, ("setitem", Library::Belvedere), given, source).map(|_| ())
    }

    /// Evaluates `x[…]` before it is written: the view without a step, or a recorded step if the index has tensors.
    pub(super) fn indexed(
        &mut self,
        base: &Expr,
        trailers: &[Trailer],
    ) -> EvalResult<(Value, bool)> {
        let (x, index, span) = self.target(base, trailers)?;
        let whole = base.span.start..span.end;
        if has_tensors(&index) {
            let x = Value::Array(x);
            return Ok((self.index_array(&GET, x, index, None, (&whole, &span))?, false));
        }
        Ok((Value::Array(self.view_of(&x, index, (&whole, &span))?), true))
    }

    /// Returns the view that an index without tensors selects. It is recorded by what writes to it.
    fn view_of(
        &mut self,
        x: &TracedArray,
        index: IndexEntries,
        (whole, span): (&Span, &Span),
    ) -> EvalResult<TracedArray> {
        if let Array::Lens(lens) = &x.array {
            let bytes = lens.len() * lens.dtype().size();
            return Err(error!(span, "a lens is read-only").help(format!(
                "call `contiguous()` first: it copies {bytes} bytes, and the copy can be written"
            )));
        }
        let (given, source) = index_arguments(Value::Array(x.clone()), index, (whole, span));
        let call = matched(&GET, (GET.name, Library::Belvedere), given, source)?;
        match self.outcome(&call)?.value {
            Value::Array(view) => Ok(TracedArray { step: x.step, library: x.library, ..view }),
            other => Err(wrong_type("a tensor", &other, span)),
        }
    }

    /// Evaluates the tensor and the index of `x[…]`, the target of an assignment.
    fn target(
        &mut self,
        base: &Expr,
        trailers: &[Trailer],
    ) -> EvalResult<(TracedArray, IndexEntries, Span)> {
        let Some((Trailer { kind: TrailerKind::Index(entries), span }, before)) =
            trailers.split_last()
        else {
            return Err(error!(&base.span, "cannot assign to this expression"));
        };
        match self.postfix(base, before)? {
            Value::Array(x) => Ok((x, self.entries(entries, span)?, span.clone())),
            other => Err(wrong_type("a tensor", &other, &base.span)),
        }
    }
}

/// Returns a tensor and an index as arguments of a call, and where they are in the source.
fn index_arguments(
    x: Value,
    index: IndexEntries,
    (whole, span): (&Span, &Span),
) -> (Vec<CallArg>, CallSource) {
    let (index, entries): (Vec<Value>, Vec<Span>) = index.into_iter().unzip();
    let x = CallArg::new(x, whole.start..span.start);
    let index = CallArg::new(Value::Tuple(index), span.clone());
    (vec![x, index], CallSource { entries, ..CallSource::new(whole.clone(), span.clone()) })
}

/// Returns an entry of NumPy's `flags`.
pub(super) fn flag(x: &TracedArray, name: &str, span: &Span) -> EvalResult<Value> {
    let layout = x.array.chain().as_layout();
    let is_set = match name.to_ascii_lowercase().as_str() {
        "c_contiguous" | "contiguous" | "c" => layout.is_some_and(|it| it.is_contiguous()),
        "f_contiguous" | "f" => layout.is_some_and(|it| it.is_col_major()),
        other => {
            let known = ["c_contiguous", "f_contiguous", "contiguous", "c", "f"];
            return Err(error!(span, "unknown flag `{name}`").suggest(closest(other, known)));
        }
    };
    Ok(Value::Bool(is_set))
}

/// Resolves an index that may be negative.
pub(super) fn position(at: isize, len: usize, span: &Span) -> EvalResult<usize> {
    let from_front = if at < 0 { at.saturating_add(len as isize) } else { at };
    let position = usize::try_from(from_front).ok().filter(|&i| i < len);
    position.ok_or_else(|| error!(span, "index {at} is out of range for {len} items"))
}

fn index_items(
    list: &Value,
    items: &[Value],
    index: &[(Value, Span)],
    whole: &Span,
) -> EvalResult<Value> {
    match index {
        [(Value::Int(at), span)] => {
            let reader = Reader { operation: "getitem", library: Library::Belvedere, span };
            let at = isize::from_value(&Value::Int(*at), &reader)?;
            Ok(items[position(at, items.len(), span)?].clone())
        }
        [(Value::Slice(slice), _)] => {
            let (first, n) = slice.resolve(items.len()).unwrap_or((0, 0));
            let selected = (0..n as isize).filter_map(|i| {
                let at = i.checked_mul(slice.step)?.checked_add(first as isize)?;
                items.get(usize::try_from(at).ok()?).cloned()
            });
            Ok(list.with_items(selected.collect()))
        }
        _ => Err(error!(whole, "a tuple takes one index, an int or a slice")),
    }
}
