//! Reasons: why a view was refused or a copy was made, and what to do about an error.

use super::call::Call;
use super::dialect::{self, Dialect, Effect};
use super::error::{CallError, EvalError, Span};
use super::value::{Array, TracedArray, Value};
use crate::step::SeamCrossing;
use belvedere::{Error, Layout, LayoutError, Rearranged, Refusal, Reshape, Seam};
use belvedere_layout::unravel_index;

/// Returns the reason for a copy: the seam that the new shape crosses.
pub(super) fn of_copy(call: &Call<'_>, result: &Value) -> Option<SeamCrossing> {
    let TracedArray { array: Array::Tensor(x), .. } = call.arrays().next()? else { return None };
    if call.operation.name == "rearrange" {
        let (Value::Str(pattern, _), Value::Tuple(pairs)) =
            (&call.arguments[1].0, &call.arguments[2].0)
        else {
            return None;
        };
        let length = |pair: &Value| match pair.items()? {
            [Value::Str(name, _), Value::Int(len)] => {
                Some((name.clone(), usize::try_from(*len).ok()?))
            }
            _ => None,
        };
        let lengths: Vec<(String, usize)> = pairs.iter().filter_map(length).collect();
        let lengths: Vec<(&str, usize)> =
            lengths.iter().map(|(name, len)| (&**name, *len)).collect();
        return match x.layout().rearrange(pattern, &lengths) {
            Ok(Rearranged::Copy { ordered, shape, why }) => {
                Some(seam_crossing(&ordered, &shape, why))
            }
            _ => None,
        };
    }
    let names =
        ["reshape", "flatten", "ravel", "reshape_as", "view", "view_as", "merge", "unflatten"];
    let Value::Array(TracedArray { array: result, .. }) = result else { return None };
    let shape = result.shape();
    match names.contains(&call.operation.name).then(|| x.layout().reshape(&shape)) {
        Some(Ok(Reshape::Copy { why })) => Some(seam_crossing(x.layout(), &shape, why)),
        _ => None,
    }
}

/// Returns an error of a call with its position, its reason and suggestions.
pub(super) fn of_error(
    call: &Call<'_>,
    error: CallError,
    dialect: Option<Dialect>,
) -> Box<EvalError> {
    let mut effect = Effect::Error;
    let mut error = match error {
        CallError::Argument(error) => error,
        CallError::Message(message) => EvalError::new(message, &call.span),
        CallError::Library(error) => match error {
            Error::Layout(LayoutError::NeedsCopy(refusal))
            | Error::View { error: LayoutError::NeedsCopy(refusal), .. } => {
                effect = Effect::Refusal;
                refused(call, &refusal)
            }
            Error::Layout(LayoutError::Pattern(error)) => {
                let first = call.arguments.iter().find_map(|(value, _)| match value {
                    Value::Str(_, first) => Some(*first),
                    _ => None,
                });
                let first = first.unwrap_or(call.span.start);
                let len = error.pattern.len();
                let at = first + error.at.start.min(len)..first + error.at.end.min(len);
                EvalError::new(error.problem.to_string(), &at)
            }
            error => {
                let span = failing_entry(&error, call).unwrap_or(&call.span);
                let text = EvalError::new(error.to_string(), span);
                advised(call, &error, text)
            }
        },
    };
    if let Some(dialect) = dialect {
        error.remarks.extend(dialect::remarks(dialect, call, &effect));
    }
    error
}

/// Adds suggestions to an error.
fn advised(call: &Call<'_>, error: &Error, text: Box<EvalError>) -> Box<EvalError> {
    let shapes: Vec<_> = call.arrays().map(|it| it.array.shape()).collect();
    match (call.operation.name, &shapes[..], error) {
        ("as_strided", ..) => text.help("strides are in elements here, not bytes"),
        ("setitem", ..) if matches!(error, Error::Overlapping { .. }) => {
            text.help("call copy() first")
        }
        ("tensor", _, Error::Layout(_)) => {
            text.help("offset=… sets the offset of the first element")
        }
        (_, [a, b], Error::Layout(LayoutError::DoesNotBroadcast { .. })) => text.help(format!(
            "{a:?} and {b:?} are compared from the last axis on: equal, or one of them 1"
        )),
        ("matmul", [a, b], Error::Matmul { .. }) => {
            let rows = b.len().checked_sub(2).map_or(b.first(), |k| b.get(k));
            match (a.last(), rows) {
                (Some(columns), Some(rows)) if columns != rows => {
                    text.help(format!("{columns} columns do not meet {rows} rows"))
                }
                _ => text,
            }
        }
        _ => text,
    }
}

/// Returns the position of the index entry that an error refers to.
fn failing_entry<'a>(error: &Error, call: &'a Call<'_>) -> Option<&'a Span> {
    let (Error::Layout(LayoutError::IndexOutOfRange { axis, .. })
    | Error::IndexOutOfRange { axis, .. }) = error
    else {
        return None;
    };
    let index = call.arguments.get(1)?.0.items()?;
    let takes = |it: &&(&Value, &Span)| !matches!(it.0, Value::None | Value::Ellipsis);
    // The axes of the entries after an ellipsis are not known here.
    let is_ellipsis = |it: &Value| matches!(it, Value::Ellipsis);
    let end = index.iter().position(is_ellipsis).unwrap_or(index.len());
    let entries = index[..end].iter().zip(&call.entries);
    entries.filter(|it| takes(&it)).nth(*axis).map(|it| it.1)
}

/// Returns the reason for a copy, with the numbers that its drawing needs.
fn seam_crossing(from: &Layout, to: &[usize], seam: Seam) -> SeamCrossing {
    let offset = |position| {
        let index = unravel_index(&from.shape(), position);
        index.and_then(|index| from.offset(&index)).unwrap_or_default()
    };
    SeamCrossing {
        from: from.clone(),
        to: to.into(),
        seam,
        // A seam has elements on both sides.
        jump: (offset(seam.mark.saturating_sub(1)), offset(seam.mark)),
        expected: from.start() as i128 + seam.needed,
        nearby: Refusal { from: from.clone(), to: to.into(), why: seam }.nearby(),
    }
}

/// Returns the error of a refused view, with the alternatives.
fn refused(call: &Call<'_>, refusal: &Refusal) -> Box<EvalError> {
    let why = seam_crossing(&refusal.from, &refusal.to, refusal.why);
    let (from, to) = (&why.from, list(&why.to));
    let message = format!(
        "cannot view {:?} (strides {:?}) as {:?} without a copy",
        from.shape(),
        from.strides(),
        why.to
    );
    let copies = call.arrays().next().map_or(0, |it| it.array.n_bytes());
    let copies = dialect::bytes(copies);
    let mut error = EvalError::new(message, &call.context.span)
        .help(format!("reshape({to}) copies {copies}"))
        .help(format!("contiguous().view({to}) copies {copies} explicitly"))
        .help(format!("lens().reshape({to}) copies nothing: it returns a lens"));
    if let Some(shape) = why.nearby.first() {
        let others = why.nearby[1..].iter().map(|it| format!(", view({})", list(it)));
        let others: String = others.collect();
        error = error.help(format!("view({}){others} do not cross the seam: no copy", list(shape)));
    }
    error.why = Some(why);
    error
}

/// Formats lengths as arguments of a call.
fn list(lengths: &[usize]) -> String {
    let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
    lengths.join(", ")
}
