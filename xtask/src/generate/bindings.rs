//! The Rust code of the Python package: generated functions, and the registration of all functions.

use std::collections::BTreeMap;

use super::operation::Operation;
use super::{NOTICE, Output};

const FOLDER: &str = "python/src/generated";

/// The names that `register` uses for the namespaces; the main one has none.
const NAMESPACES: &[&str] = &["", "fft", "linalg", "nn", "random"];

pub(super) fn outputs(operations: &[Operation]) -> Vec<Output> {
    vec![elementwise(operations), reductions(operations), registration(operations)]
}

fn output(name: &str, body: &str) -> Output {
    Output { path: format!("{FOLDER}/{name}.rs"), contents: format!("// {NOTICE}\n{body}") }
}

fn elementwise(operations: &[Operation]) -> Output {
    let mut text = String::from(
        "//! Elementwise functions of one and of two operands.\n\n\
         use crate::chapter::elementwise::{binary_functions, comparisons, unary_functions};\n",
    );
    text += &entries("unary_functions", "unary", operations);
    text += &entries("binary_functions", "binary", operations);
    text += &entries("comparisons", "comparison", operations);
    output("elementwise", &text)
}

fn reductions(operations: &[Operation]) -> Output {
    let start = "//! Reductions over axes.\n\nuse crate::chapter::reduction::reductions;\n";
    output("reduction", &(start.to_string() + &entries("reductions", "reduction", operations)))
}

/// A call of a macro with the operations of one form: the docstring, the name and the method of `Tensor` of each.
fn entries(macro_name: &str, form: &str, operations: &[Operation]) -> String {
    let entry = |it: &Operation| {
        let example: String = it.example.iter().map(|line| format!("    /// {line}\n")).collect();
        format!(
            "    /// {}\n    ///\n{example}    {} => {};\n",
            it.doc,
            it.name,
            it.tensor_method()
        )
    };
    let entries: Vec<String> =
        operations.iter().filter(|it| it.has_form(form)).map(entry).collect();
    format!("\n{macro_name}! {{\n{}}}\n", entries.join("\n"))
}

fn registration(operations: &[Operation]) -> Output {
    let mut text =
        String::from("//! The functions of each namespace.\n\nuse super::register_functions;\n");
    for &namespace in NAMESPACES {
        let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let is_here = |it: &&Operation| {
            it.is_function()
                && (it.namespace() == namespace || it.also.as_deref() == Some(namespace))
        };
        for operation in operations.iter().filter(is_here) {
            let (module, name) = operation.python.rsplit_once("::").unwrap_or_default();
            modules.entry(module).or_default().push(name);
        }
        let name = if namespace.is_empty() { "main" } else { namespace };
        text += &format!("\nregister_functions! {{\n    {name}\n");
        for (module, names) in &modules {
            text += &wrapped(&format!("    {module}:"), names);
        }
        text += "}\n";
    }
    output("registration", &text)
}

/// `start` and the words behind it, on lines of at most 100 columns, and a semicolon.
fn wrapped(start: &str, words: &[&str]) -> String {
    let (mut text, mut line) = (String::new(), start.to_string());
    for word in words {
        if line.len() + word.len() + 2 > 100 {
            text += &format!("{line}\n");
            line = "       ".to_string();
        }
        line += &format!(" {word}");
    }
    format!("{text}{line};\n")
}
