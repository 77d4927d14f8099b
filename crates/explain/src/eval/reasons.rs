//! Reasons: why a view was refused or a copy was made, and what to do about an error.

use super::call::Call;
use super::dialect::{self, Dialect, Effect};
use super::error::{CallError, EvalError, Span, error};
use super::movement::named_lengths;
use super::value::{Array, TracedArray, Value};
use crate::step::{Kind, SeamCrossing};
use belvedere::{Error, Layout, LayoutError, Rearranged, Refusal, Reshape, Seam};
use belvedere_layout::unravel_index;

/// Returns the reason for a copy: the seam that the new shape crosses.
pub(super) fn of_copy(call: &Call<'_>, result: &Value) -> Option<SeamCrossing> {
    let TracedArray { array: Array::Tensor(x), .. } = call.arrays().next()? else { return None };
    if let ("rearrange", [_, (Value::Str(pattern, _), _), (pairs, _)]) =
        (call.operation.name, &call.arguments[..])
    {
        let rearranged = x.layout().rearrange(pattern, &named_lengths(pairs).ok()?).ok()?;
        let Rearranged::Copy { ordered, shape, why } = rearranged else { return None };
        return Some(seam_crossing(&ordered, &shape, why));
    }
    let names =
        ["reshape", "flatten", "ravel", "reshape_as", "view", "view_as", "merge", "unflatten"];
    let Value::Array(TracedArray { array: result, .. }) = result else { return None };
    match x.layout().reshape(&result.shape()) {
        Ok(Reshape::Copy { why }) if names.contains(&call.operation.name) => {
            Some(seam_crossing(x.layout(), &result.shape(), why))
        }
        _ => None,
    }
}

/// Returns an error of a call with its position, its reason and suggestions.
pub(super) fn of_error(
    call: &Call<'_>,
    error: CallError,
    dialect: Option<Dialect>,
) -> Box<EvalError> {
    let mut effect = Effect { output: None, kind: Kind::Error, is_refusal: false };
    let mut error = match error {
        CallError::Library(
            Error::Layout(LayoutError::NeedsCopy(refusal))
            | Error::View { error: LayoutError::NeedsCopy(refusal), .. },
        ) => {
            effect.is_refusal = true;
            refused(call, &refusal)
        }
        CallError::Library(Error::Layout(LayoutError::Pattern(error))) => {
            let first = call.arguments.iter().find_map(|(value, _)| match value {
                Value::Str(_, first) => Some(*first),
                _ => None,
            });
            let first = first.unwrap_or(call.span.start);
            let at = |offset: usize| first + offset.min(error.pattern.len());
            error!(&(at(error.at.start)..at(error.at.end)), "{}", error.problem)
        }
        CallError::Library(error) => {
            let span = failing_entry(&error, call).unwrap_or(&call.span);
            advised(call, &error, error!(span, "{error}"))
        }
        other => other.at(&call.span),
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
    let index = call.arguments.get(1)?.0.items()?.iter();
    // The axes of the entries after an ellipsis are not known here.
    let known = index.zip(&call.entries).take_while(|it| !matches!(it.0, Value::Ellipsis));
    known.filter(|it| !matches!(it.0, Value::None)).nth(*axis).map(|it| it.1)
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
    let (shape, strides, wanted) = (from.shape(), from.strides(), &why.to);
    let copies = dialect::bytes(call.arrays().next().map_or(0, |it| it.array.n_bytes()));
    let mut error = error!(
        &call.context.span,
        "cannot view {shape:?} (strides {strides:?}) as {wanted:?} without a copy"
    )
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

/// Formats numbers as arguments of a call.
pub(super) fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
