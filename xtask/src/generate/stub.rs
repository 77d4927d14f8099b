//! The stubs of the Python package: functions, and the members of `Array` that are operations.

use std::path::Path;

use super::operation::Operation;
use super::{END, NOTICE, Output, replaced, source};
use crate::failure::Failure;

const FOLDER: &str = "python/belvedere";

/// A line of a stub has at most this many columns, as the formatter of the package has it.
const WIDTH: usize = 120;

/// Special methods whose stubs differ from those of other operators: `object` has them with other types.
const UNUSUAL: &[(&str, &str)] = &[
    ("__eq__", "(self, other: object, /) -> Array: ...  # type: ignore[override]"),
    ("__ne__", "(self, other: object, /) -> Array: ...  # type: ignore[override]"),
    ("__pow__", "(self, other: ArrayLike, mod: None = None, /) -> Array: ..."),
    ("__rpow__", "(self, other: ArrayLike, mod: None = None, /) -> Array: ..."),
    ("__ipow__", "(self, other: ArrayLike, /) -> Array: ...  # type: ignore[misc]"),
];

pub(super) fn outputs(root: &Path, operations: &[Operation]) -> Result<Vec<Output>, Failure> {
    let mut outputs = Vec::new();
    for namespace in ["", "fft", "linalg", "nn", "random"] {
        let name = if namespace.is_empty() { "__init__" } else { namespace };
        let path = format!("{FOLDER}/{name}.pyi");
        let mut text = source(root, &path)?;
        let part = functions(namespace, operations);
        text =
            replaced(&text, &path, &format!("# functions: {NOTICE}"), &format!("# {END}"), &part)?;
        if namespace.is_empty() {
            let begin = format!("# members: {NOTICE}");
            text = replaced(&text, &path, &begin, &format!("# {END}"), &members(operations))?;
        }
        outputs.push(Output { path, contents: text });
    }
    Ok(outputs)
}

/// The functions of a namespace, in the order of their names.
fn functions(namespace: &str, operations: &[Operation]) -> String {
    let is_here =
        |it: &&Operation| it.namespace() == namespace || it.also.as_deref() == Some(namespace);
    let mut found: Vec<(&str, String)> = Vec::new();
    for operation in operations.iter().filter(is_here) {
        if let Some(signature) = operation.function() {
            let names = [operation.name.as_str()].into_iter();
            let second = operation.second_names(operations);
            let second = second.filter(|_| operation.namespace() == namespace);
            let ufunc = operation.form().and_then(|form| form.ufunc);
            for name in names.chain(second) {
                let text = match ufunc {
                    Some(function) if function.starts_with("Unary") => {
                        format!("{name}: Final[_Unary]\n")
                    }
                    Some(_) => format!("{name}: Final[_Binary]\n"),
                    None => definition("", name, &renamed(&signature, namespace)),
                };
                found.push((name, text));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, text)| text).collect()
}

/// The attributes, methods and operators of `Array`, each in the order of their names.
fn members(operations: &[Operation]) -> String {
    let mut attributes: Vec<(&str, &str, Option<&str>)> = Vec::new();
    let mut methods: Vec<(&str, &[String])> = Vec::new();
    let mut operators: Vec<&str> = Vec::new();
    for operation in operations {
        if let Some(kind) = &operation.attribute {
            attributes.push((&operation.name, kind, operation.setter.as_deref()));
        }
        if !operation.methods.is_empty() {
            methods.push((&operation.name, &operation.methods));
        }
        operators.extend(operation.operators.iter().map(String::as_str));
    }
    attributes.sort_unstable();
    methods.sort_unstable();
    operators.sort_unstable();
    let mut text = String::new();
    for (name, kind, setter) in attributes {
        let signature = renamed(&format!("(self) -> {kind}"), "");
        text += &format!("    @property\n{}", definition("    ", name, &signature));
        if let Some(value) = setter {
            let signature = renamed(&format!("(self, value: {value}, /) -> None"), "");
            text += &format!("    @{name}.setter\n{}", definition("    ", name, &signature));
        }
    }
    for (name, signatures) in methods {
        for signature in signatures {
            if signatures.len() > 1 {
                text += "    @overload\n";
            }
            text += &definition("    ", name, &renamed(&with_self(signature), ""));
        }
    }
    operators.iter().for_each(|name| text += &operator(name));
    text
}

/// The signature of a method with its first parameter.
fn with_self(signature: &str) -> String {
    let rest = signature.strip_prefix('(').unwrap_or(signature);
    let (parameters, _) = rest.split_once(") -> ").unwrap_or_default();
    match parameters {
        "" => format!("(self, /{rest}"),
        _ if parameters.contains(" /,") || parameters.ends_with(" /") => format!("(self, {rest}"),
        _ => format!("(self, /, {rest}"),
    }
}

fn operator(name: &str) -> String {
    if let Some((_, rest)) = UNUSUAL.iter().find(|it| it.0 == name) {
        return format!("    def {name}{rest}\n");
    }
    match name {
        "__abs__" | "__invert__" | "__neg__" | "__pos__" => {
            format!("    def {name}(self, /) -> Array: ...\n")
        }
        _ => format!("    def {name}(self, other: ArrayLike, /) -> Array: ...\n"),
    }
}

/// In the main namespace, `bool` is a dtype.
fn renamed(signature: &str, namespace: &str) -> String {
    if !namespace.is_empty() {
        return signature.to_string();
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = signature;
    while let Some(at) = rest.find("bool") {
        let (before, behind) = (&rest[..at], &rest[at + 4..]);
        let is_word = !before.ends_with(is_name) && !behind.starts_with(is_name);
        text += before;
        text += if is_word { "_bool" } else { "bool" };
        rest = behind;
    }
    text + rest
}

/// A definition on one line if it fits, with all parameters on one line if these fit, or else a line for each.
fn definition(indent: &str, name: &str, signature: &str) -> String {
    let short = format!("{indent}def {name}{signature}: ...\n");
    if short.trim_end().chars().count() <= WIDTH {
        return short;
    }
    let (parameters, result) =
        signature.strip_prefix('(').and_then(|it| it.rsplit_once(") -> ")).unwrap_or_default();
    let together = format!("{indent}    {parameters}\n");
    let parameters = match together.trim_end().chars().count() <= WIDTH {
        true => together,
        false => {
            split_parameters(parameters).iter().map(|it| format!("{indent}    {it},\n")).collect()
        }
    };
    format!("{indent}def {name}(\n{parameters}{indent}) -> {result}: ...\n")
}

/// Parameters one by one: commas inside of brackets do not separate them.
pub(super) fn split_parameters(parameters: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in parameters.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(parameters[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(parameters[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_definition_is_broken_as_the_formatter_does() {
        assert_eq!(definition("", "f", "(x: int, /) -> Array"), "def f(x: int, /) -> Array: ...\n");
        let name = "a".repeat(60);
        let long = format!("(x: {name}, y: tuple[int, int] = (0, 1)) -> Array[{name}]");
        let expected = format!(
            "def f(\n    x: {name}, y: tuple[int, int] = (0, 1)\n) -> Array[{name}]: ...\n"
        );
        assert_eq!(definition("", "f", &long), expected);
        assert_eq!(
            split_parameters("x: int, y: tuple[int, int] = (0, 1), /"),
            ["x: int", "y: tuple[int, int] = (0, 1)", "/"]
        );
    }

    #[test]
    fn methods_have_themselves_first() {
        assert_eq!(with_self("() -> Array"), "(self, /) -> Array");
        assert_eq!(with_self("(*axes: Shape) -> Array"), "(self, /, *axes: Shape) -> Array");
        assert_eq!(with_self("(dtype: DType, /) -> Array"), "(self, dtype: DType, /) -> Array");
        assert_eq!(renamed("(x: bool, y: _bool) -> bool", ""), "(x: _bool, y: _bool) -> _bool");
    }
}
