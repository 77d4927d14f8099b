//! The Rust code of the Python package: generated functions, and the registration of all functions.

use std::collections::BTreeMap;

use super::operation::Operation;
use super::{NOTICE, Output};

const FOLDER: &str = "python/src/generated";

/// The names that `register` uses for the namespaces; the main one has none.
const NAMESPACES: &[&str] = &["", "fft", "linalg", "nn", "random"];

pub(super) fn outputs(operations: &[Operation]) -> Vec<Output> {
    let mut outputs = vec![registration(operations)];
    let mut categories: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for operation in operations {
        if let Some(form) = operation.form() {
            let functions = categories.entry(&operation.category).or_default();
            functions.push(form.function(operation));
        }
    }
    for (category, functions) in &categories {
        let head = format!(
            "//! Generated functions of `operations/{category}.toml`.\n\nuse super::imports::*;\n"
        );
        outputs.push(output(category, &format!("{head}\n{}", functions.join("\n"))));
    }
    outputs
}

fn output(name: &str, body: &str) -> Output {
    Output { path: format!("{FOLDER}/{name}.rs"), contents: format!("// {NOTICE}\n{body}") }
}

/// For each namespace, a function that adds its functions to a module.
fn registration(operations: &[Operation]) -> Output {
    let mut text = String::from(
        "//! The functions of each namespace.\n\nuse crate::{chapter, copies, exchange, explain, generated, ufunc};\n\
         use pyo3::prelude::*;\nuse pyo3::wrap_pyfunction as wrap;\n",
    );
    for &namespace in NAMESPACES {
        let is_here = |it: &&Operation| {
            it.is_function()
                && (it.namespace() == namespace || it.also.as_deref() == Some(namespace))
        };
        let mut found: Vec<&Operation> = operations.iter().filter(is_here).collect();
        found.sort_unstable_by_key(|it| &it.python);
        let name = if namespace.is_empty() { "main" } else { namespace };
        let mut second: Vec<(&str, &str)> = operations
            .iter()
            .filter(|it| it.namespace() == namespace)
            .flat_map(|it| it.second_names(operations).map(|name| (name, it.name.as_str())))
            .collect();
        second.sort_unstable();
        let alias = |(name, of): &(&str, &str)| {
            format!("    module.add(\"{name}\", module.getattr(\"{of}\")?)?;\n")
        };
        text += &format!(
            "\npub(crate) fn {name}(module: &Bound<'_, PyModule>) -> PyResult<()> {{\n{}{}    Ok(())\n}}\n",
            found.into_iter().map(registered).collect::<String>(),
            second.iter().map(alias).collect::<String>()
        );
    }
    output("registration", &text)
}

/// The line that adds the function of an operation to a module.
fn registered(operation: &Operation) -> String {
    let path = &operation.python;
    match (operation.form(), path.rsplit_once("::")) {
        (Some(form), Some((module, name))) if form.ufunc.is_some() => {
            format!("    ufunc::add(module, &{module}::{})?;\n", name.to_uppercase())
        }
        _ => format!("    module.add_function(wrap!({path}, module)?)?;\n"),
    }
}
