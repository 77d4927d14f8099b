//! Binding: matches the arguments of a call with the parameters of the operation.

use super::error::{EvalResult, Span, error};
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

impl CallArg {
    /// Returns a positional argument.
    pub(super) fn new(value: Value, span: Span) -> CallArg {
        CallArg { name: None, value, span }
    }
}

/// Groups of names that different libraries give to the same parameter.
#[rustfmt::skip]
const SYNONYMS: &[&str] = &[
    "x a input tensor arr m array self x1 obj object data", "axis dim axes dims dimension", "x2 other mat2 y b vec2",
    "keepdims keepdim", "shape size newshape sizes", "strides stride", "offset storage_offset", "start start_dim",
    "end end_dim", "axis1 dim1 dim0 axis0", "axis2 dim2 dim1 axis1", "stop end", "num steps", "indices index",
    "fill_value value", "correction ddof", "min a_min", "max a_max", "repetitions reps dims", "pad_width pad",
    "constant_values value", "size split_size_or_sections split_size indices_or_sections",
    "n chunks N n_rows indices_or_sections sections", "n_rows N n", "n_cols M m", "arrays tensors", "k diagonal",
    "epsilon eps", "subscripts equation", "p ord", "size kernel_size", "ceil ceil_mode",
    "count_padding count_include_pad", "n num_classes", "alpha negative_slope", "method interpolation", "shift shifts",
    "mean running_mean", "variance running_var", "source from",
];

/// Keyword arguments that have no effect here.
const IGNORED: &[&str] =
    &["device", "requires_grad", "stream", "casting", "subok", "like", "memory_format", "driver"];

/// A parameter of an operation.
struct Parameter<'a> {
    /// `*` if it takes a tuple or several arguments, `**` if it takes all.
    stars: &'a str,
    name: &'a str,
    /// A literal; `...` for a parameter that takes every keyword argument.
    default: Option<&'a str>,
}

impl Parameter<'_> {
    fn new(text: &str) -> Parameter<'_> {
        let (name, default) = match text.split_once('=') {
            Some((name, default)) => (name, Some(default)),
            None => (text, None),
        };
        let plain = name.trim_start_matches('*');
        Parameter { stars: &name[..name.len() - plain.len()], name: plain, default }
    }
}

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
    let parameters = split(operation.parameters).into_iter().map(Parameter::new);
    let parameters: Vec<Parameter<'_>> = parameters.collect();
    let mut bound = Vec::new();
    for parameter in &parameters {
        let Parameter { stars, name, default } = *parameter;
        bound.push(if default == Some("...") {
            let pairs = named.drain(..).filter_map(|it| {
                let (name, span) = it.name?;
                Some(Value::Tuple(vec![Value::Str(name, span.start), it.value]))
            });
            (Value::Tuple(pairs.collect()), whole.clone())
        } else if let Some(at) = keyword(&named, name, &parameters) {
            let CallArg { value, span, .. } = named.remove(at);
            (value, span)
        } else if stars == "**" {
            (Value::Tuple(plain.by_ref().map(|it| it.value).collect()), whole.clone())
        } else if stars == "*" {
            collected(&mut plain, whole)
        } else if let Some(CallArg { value, span, .. }) = plain.next() {
            (value, span)
        } else if let Some(default) = default {
            (literal(default), whole.clone())
        } else {
            return Err(error!(whole, "missing argument: {name}"));
        });
    }
    if let Some(extra) = plain.next() {
        return Err(error!(&extra.span, "too many positional arguments"));
    }
    if let Some((name, span)) = named.into_iter().find_map(|it| it.name) {
        let error = error!(&span, "unexpected keyword argument `{name}`");
        return Err(error.suggest(closest(&name, parameters.iter().map(|it| it.name))));
    }
    Ok(bound)
}

/// Returns the parts of a list of parameters; commas in parentheses do not separate them.
fn split(parameters: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = parameters.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|it| !it.is_empty()).collect()
}

/// Returns the keyword argument for a parameter: by its name, or by a name in another library that is not the
/// name of another parameter.
fn keyword(named: &[CallArg], parameter: &str, parameters: &[Parameter<'_>]) -> Option<usize> {
    let at = |name: &str| named.iter().position(|it| matches!(&it.name, Some(it) if it.0 == name));
    let is_other = |name: &str| parameters.iter().any(|it| it.name == name);
    // Any name may be the length of an axis.
    if parameters.iter().any(|it| it.default == Some("...")) {
        return at(parameter).or_else(|| at("tensor").filter(|_| parameter == "x"));
    }
    let groups = SYNONYMS.iter().map(|group| group.split(' '));
    let mut names = groups.filter(|group| group.clone().any(|it| it == parameter)).flatten();
    at(parameter).or_else(|| names.find_map(|it| at(it).filter(|_| !is_other(it))))
}

/// Returns the values of a `*` parameter: a tuple or list if it is the next argument, otherwise a tuple of the arguments
/// before the first dtype or string; `None` if there are none.
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

/// Returns the value of a default, which is a Python literal.
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
