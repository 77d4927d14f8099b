//! The operations that expressions given to `explain` can call: their names, their parameters and their calls.

use super::operation::Operation;
use super::stub::split_parameters;
use super::{NOTICE, Output};

const PATH: &str = "crates/explain/src/eval/generated/operations.rs";

/// The category whose names come before those of others.
const FIRST: &str = "expression";

/// Parameters that `explain` ignores unless its call has a use for them.
const IGNORED: &[&str] = &["device", "stream", "out", "where", "casting", "order", "kind", "subok"];

const START: &str = "//! The operations by name, one line for each: its names in NumPy, in PyTorch and further ones, its parameters and its call.

use super::adapters::*;
use super::arguments::{Counts, FloatDType, Ints, OperandValue};
use super::creation::*;
use super::movement::*;
use super::table::Use::{Attribute, Function};
use super::table::{Operation, op};
use super::value::{Array, Value, each};
use belvedere::fft::Norm;
use belvedere::linalg::{MatrixNorm, QrMode};
use belvedere::{Axes, Complex, DType, Indexing, Interpolation, Side, Tensor};

/// Operations that give a name of NumPy or PyTorch another meaning come first.
#[rustfmt::skip]
#[allow(clippy::redundant_closure, reason = \"the types of the parameters are in each line\")]
pub(super) static OPERATIONS: &[Operation] = &[
";

pub(super) fn output(operations: &[Operation]) -> Result<Output, String> {
    let mut text = format!("// {NOTICE}\n{START}");
    for is_first in [true, false] {
        for operation in operations.iter().filter(|it| (it.category == FIRST) == is_first) {
            if let Some(call) = call(operation) {
                text += &row(operation, &call)?;
            }
        }
    }
    Ok(Output { path: PATH.to_string(), contents: text + "];\n" })
}

/// The expression that calls the library: that of the operation, or that of its form.
fn call(operation: &Operation) -> Option<String> {
    let of_form = || operation.form().map(|form| form.call_of(operation));
    operation.call.clone().or_else(of_form).filter(|call| !call.is_empty())
}

/// A parameter: its name, preceded by `*` if it takes several arguments, its default, and the type it is read as.
struct Parameter {
    stars: String,
    name: String,
    default: Option<String>,
    reader: String,
}

fn row(operation: &Operation, call: &str) -> Result<String, String> {
    let parameters = parameters(operation)?;
    let mut call = call.to_string();
    if let (true, Some(x)) = (operation.lens, parameters.first()) {
        call = format!("each!({0}, {0} => {call})", x.name);
    }
    let shown = |it: &Parameter| match &it.default {
        Some(default) => format!("{}{}={default}", it.stars, it.name),
        None => format!("{}{}", it.stars, it.name),
    };
    let read = |it: &Parameter| {
        let unused = if has_word(&call, &it.name) { "" } else { "_" };
        format!("{unused}{}: {}", it.name, it.reader)
    };
    let list =
        |f: &dyn Fn(&Parameter) -> String| parameters.iter().map(f).collect::<Vec<_>>().join(", ");
    let is_attribute = operation.attribute.is_some() || operation.property;
    Ok(format!(
        "    op(\"{}\", \"{}\", \"{}\", \"{}\", {}, \"{}\", |a| a.call(|{}| {call})),\n",
        operation.name,
        operation.numpy.join(" "),
        operation.torch.join(" "),
        own_names(operation),
        if is_attribute { "Attribute" } else { "Function" },
        list(&shown),
        list(&read),
    ))
}

/// The further names of an operation, and its name in each namespace other than the main one.
fn own_names(operation: &Operation) -> String {
    let namespaces = [operation.namespace(), operation.also.as_deref().unwrap_or_default()];
    let in_namespaces = namespaces
        .iter()
        .filter(|it| !it.is_empty())
        .map(|namespace| format!("{namespace}.{}", operation.name));
    operation.aliases.iter().cloned().chain(in_namespaces).collect::<Vec<_>>().join(" ")
}

/// The parameters of a call: those for `explain` if there are any, else those of the function, the method or the
/// attribute.
fn parameters(operation: &Operation) -> Result<Vec<Parameter>, String> {
    let of_form = operation.form().map(|form| form.explain).filter(|it| !it.is_empty());
    // A record with a call of its own does not take the parameters of its form's call.
    let of_form = of_form.filter(|_| operation.call.is_none()).map(str::to_string);
    let explain = operation.explain.clone().or(of_form);
    let is_rust = explain.is_some();
    let signature = explain.or_else(|| operation.function()).unwrap_or_else(|| {
        let method = operation.methods.first().map_or("()", String::as_str);
        method.replacen('(', "(x: ArrayLike, ", 1)
    });
    let missing = || format!("{}: cannot read the parameters {signature}", operation.name);
    let before_result = signature.split_once(") -> ").map(|it| it.0);
    let inside = before_result.or_else(|| signature.strip_suffix(')'));
    let inside = inside.and_then(|it| it.strip_prefix('(')).ok_or_else(missing)?;
    let mut parameters = Vec::new();
    for parameter in split_parameters(inside) {
        if matches!(parameter, "" | "/" | "*") {
            continue;
        }
        let (name, rest) = parameter.split_once(": ").ok_or_else(missing)?;
        let (annotation, default) = match rest.rsplit_once(" = ") {
            Some((annotation, default)) => (annotation, Some(default.replace('"', "'"))),
            None => (rest, None),
        };
        let reader = match is_rust {
            true => annotation.to_string(),
            false => reader(annotation, name.starts_with('*')),
        };
        let plain = name.trim_start_matches('*');
        let has_use = || call(operation).is_some_and(|call| has_word(&call, plain));
        if !IGNORED.contains(&plain) || has_use() {
            let stars = name[..name.len() - plain.len()].to_string();
            parameters.push(Parameter { stars, name: plain.to_string(), default, reader });
        }
    }
    if let (true, Some(first)) = (operation.lens, parameters.first_mut()) {
        first.reader = "Array".to_string();
    }
    Ok(parameters)
}

/// The type that an argument with a Python annotation is read as.
fn reader(annotation: &str, takes_several: bool) -> String {
    if let Some(annotation) = annotation.strip_suffix(" | None") {
        return format!("Option<{}>", reader(annotation, takes_several));
    }
    let reader = match annotation {
        "ArrayLike" | "Array" if takes_several => "Vec<Tensor>",
        "Sequence[ArrayLike]" => "Vec<Tensor>",
        "ArrayLike" | "Array" => "Tensor",
        "Shape" | "Sequence[int]" => "Ints",
        "SupportsIndex" | "int" if takes_several => "Ints",
        "Axes" => "Axes",
        "SupportsIndex" | "int" => "isize",
        "float" => "f64",
        "complex" => "OperandValue",
        "bool" => "bool",
        "str" => "String",
        "DTypeLike" | "DType" => "DType",
        _ if annotation.starts_with("Literal[") => "String",
        _ => "Value",
    };
    reader.to_string()
}

/// Whether an expression contains a name.
fn has_word(expression: &str, name: &str) -> bool {
    expression.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_of(operation: &Operation) -> String {
        row(operation, &call(operation).expect("a call")).expect("parameters")
    }

    #[test]
    fn a_row_has_the_names_the_parameters_and_the_call() {
        let roll = Operation {
            name: "roll".into(),
            signature: Some("(x: ArrayLike, /, shift: Shape, *, axis: Axes = None, device: Device | None = None) -> Array".into()),
            numpy: vec!["roll".into()],
            torch: vec!["roll".into()],
            call: Some("x.roll(&shift, axis)".into()),
            ..Operation::default()
        };
        let expected = "    op(\"roll\", \"roll\", \"roll\", \"\", Function, \"x, shift, axis=None\", \
            |a| a.call(|x: Tensor, shift: Ints, axis: Axes| x.roll(&shift, axis))),\n";
        assert_eq!(row_of(&roll), expected);
    }

    #[test]
    fn a_lens_is_read_as_an_array_and_unused_parameters_are_marked() {
        let flip = Operation {
            name: "flip".into(),
            category: "linalg".into(),
            explain: Some("(x: Tensor, *axes: Axes, mode: String = 'a')".into()),
            call: Some("x.flip(axes)".into()),
            lens: true,
            ..Operation::default()
        };
        let expected = "    op(\"flip\", \"\", \"\", \"linalg.flip\", Function, \"x, *axes, mode='a'\", \
            |a| a.call(|x: Array, axes: Axes, _mode: String| each!(x, x => x.flip(axes)))),\n";
        assert_eq!(row_of(&flip), expected);
    }

    #[test]
    fn a_form_has_a_call_and_a_method_its_array_first() {
        let sin = Operation {
            name: "sin".into(),
            form: Some("unary".into()),
            rust: vec!["Tensor::sin".into()],
            ..Operation::default()
        };
        assert!(row_of(&sin).ends_with("\"x\", |a| a.call(|x: Tensor| x.sin())),\n"));
        let select = Operation {
            methods: vec!["(axis: SupportsIndex, /) -> Array".into()],
            call: Some("x.select(axis)".into()),
            ..Operation::default()
        };
        let end = "\"x, axis\", |a| a.call(|x: Tensor, axis: isize| x.select(axis))),\n";
        assert!(row_of(&select).ends_with(end));
    }
}
