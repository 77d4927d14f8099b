//! Binding: matches the arguments of a call with the parameters of the operation.

use super::error::{EvalError, EvalResult, Span};
use super::table::Operation;
use super::value::Value;
use crate::suggest::closest;
use std::iter::Peekable;
use std::vec::IntoIter;

/// An argument in the source.
#[derive(Clone)]
pub(super) struct CallArg {
    pub name: Option<(String, Span)>,
    pub value: Value,
    pub span: Span,
}

/// Names of the same parameter in different libraries.
const SYNONYMS: &[&[&str]] = &[
    &["x", "a", "input", "tensor", "arr", "m", "array", "self", "x1", "obj", "object", "data"],
    &["axis", "dim", "axes", "dims", "dimension"],
    &["x2", "other", "mat2", "y", "b", "vec2"],
    &["keepdims", "keepdim"],
    &["shape", "size", "newshape", "sizes"],
    &["strides", "stride"],
    &["offset", "storage_offset"],
    &["start", "start_dim"],
    &["end", "end_dim"],
    &["axis1", "dim1", "dim0", "axis0"],
    &["axis2", "dim2", "dim1", "axis1"],
    &["stop", "end"],
    &["num", "steps"],
    &["indices", "index"],
    &["fill_value", "value"],
    &["correction", "ddof"],
    &["min", "a_min"],
    &["max", "a_max"],
    &["repetitions", "reps", "dims"],
    &["pad_width", "pad"],
    &["constant_values", "value"],
    &["size", "split_size_or_sections", "split_size", "indices_or_sections"],
    &["n", "chunks", "N", "n_rows", "indices_or_sections", "sections"],
    &["n_rows", "N", "n"],
    &["n_cols", "M", "m"],
    &["arrays", "tensors"],
    &["k", "diagonal"],
    &["epsilon", "eps"],
    &["subscripts", "equation"],
    &["p", "ord"],
    &["size", "kernel_size"],
    &["ceil", "ceil_mode"],
    &["count_padding", "count_include_pad"],
    &["n", "num_classes"],
    &["alpha", "negative_slope"],
    &["method", "interpolation"],
    &["shift", "shifts"],
    &["mean", "running_mean"],
    &["variance", "running_var"],
    &["source", "from"],
];

/// Keywords that decide nothing here.
const IGNORED: &[&str] =
    &["device", "requires_grad", "stream", "casting", "subok", "like", "memory_format", "driver"];

/// Returns the values of the parameters of an operation, with their positions.
pub(super) fn bind(
    operation: &Operation,
    given: Vec<CallArg>,
    whole: &Span,
) -> EvalResult<Vec<(Value, Span)>> {
    let (mut named, plain): (Vec<CallArg>, Vec<CallArg>) =
        given.into_iter().partition(|it| it.name.is_some());
    named.retain(|it| !it.name.as_ref().is_some_and(|it| IGNORED.contains(&&*it.0)));
    let mut plain = plain.into_iter().peekable();
    let mut bound = Vec::new();
    let parameters: Vec<&str> = split(operation.parameters);
    for parameter in &parameters {
        let (name, default) = match parameter.split_once('=') {
            Some((name, default)) => (name, Some(default)),
            None => (*parameter, None),
        };
        let (takes_all, takes_several) = (name.starts_with("**"), name.starts_with('*'));
        let name = name.trim_start_matches('*');
        if default == Some("...") {
            let pairs = named.drain(..).filter_map(|it| {
                let (name, span) = it.name?;
                Some(Value::Tuple(vec![Value::Str(name, span.start), it.value]))
            });
            bound.push((Value::Tuple(pairs.collect()), whole.clone()));
            continue;
        }
        let value = if let Some(at) = keyword(&named, name, &parameters) {
            let CallArg { value, span, .. } = named.remove(at);
            (value, span)
        } else if takes_all {
            (Value::Tuple(plain.by_ref().map(|it| it.value).collect()), whole.clone())
        } else if takes_several {
            collected(&mut plain, whole)
        } else if let Some(CallArg { value, span, .. }) = plain.next() {
            (value, span)
        } else if let Some(default) = default {
            (literal(default), whole.clone())
        } else {
            return Err(EvalError::new(format!("missing argument: {name}"), whole));
        };
        bound.push(value);
    }
    if let Some(extra) = plain.next() {
        return Err(EvalError::new("too many positional arguments", &extra.span));
    }
    if let Some((name, span)) = named.into_iter().find_map(|it| it.name) {
        let known = parameters.iter().map(|it| it.split('=').next().unwrap_or_default());
        let known = known.map(|it| it.trim_start_matches('*'));
        let error = EvalError::new(format!("unexpected keyword argument `{name}`"), &span);
        return Err(error.suggest(closest(&name, known)));
    }
    Ok(bound)
}

/// Returns the parts of a list of parameters; commas in brackets do not separate them.
fn split(parameters: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in parameters.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(parameters[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(parameters[start..].trim());
    parts.retain(|it| !it.is_empty());
    parts
}

/// Returns the keyword argument for a parameter: by its name, or by a name in another library that is not the
/// name of another parameter.
fn keyword(named: &[CallArg], parameter: &str, parameters: &[&str]) -> Option<usize> {
    let at =
        |name: &str| named.iter().position(|it| it.name.as_ref().is_some_and(|it| it.0 == name));
    let is_other = |name: &str| {
        parameters
            .iter()
            .any(|it| it.split('=').next().is_some_and(|it| it.trim_start_matches('*') == name))
    };
    // Any name may be the length of an axis.
    let takes_names = parameters.iter().any(|it| it.ends_with("=..."));
    if takes_names {
        return at(parameter).or_else(|| at("tensor").filter(|_| parameter == "x"));
    }
    at(parameter).or_else(|| {
        let groups = SYNONYMS.iter().filter(|group| group.contains(&parameter));
        groups.flat_map(|it| it.iter()).filter(|it| !is_other(it)).find_map(|it| at(it))
    })
}

/// Returns a tuple that was given, or the arguments up to the first dtype or string as a tuple; `None` without any.
fn collected(plain: &mut Peekable<IntoIter<CallArg>>, whole: &Span) -> (Value, Span) {
    let is_one = plain
        .peek()
        .is_some_and(|it| it.value.items().is_some() || matches!(it.value, Value::None));
    if is_one && let Some(CallArg { value, span, .. }) = plain.next() {
        return (value, span);
    }
    let (mut items, mut span) = (Vec::new(), None::<Span>);
    while let Some(it) =
        plain.next_if(|it| !matches!(it.value, Value::DType(_) | Value::Str(..) | Value::None))
    {
        span = Some(span.map_or(it.span.clone(), |span| span.start..it.span.end));
        items.push(it.value);
    }
    match span {
        Some(span) => (Value::Tuple(items), span),
        None => (Value::None, whole.clone()),
    }
}

/// Returns the value of a default: a literal.
fn literal(text: &str) -> Value {
    if let Some(inside) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        return Value::Tuple(split(inside).into_iter().map(literal).collect());
    }
    match text {
        "None" => Value::None,
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        _ => match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(value), _) => Value::Int(value),
            (_, Ok(value)) => Value::Float(value),
            _ => Value::Str(text.trim_matches(['"', '\'']).into(), 0),
        },
    }
}
