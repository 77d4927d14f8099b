//! The tables of NumPy's ufuncs and functions that the Python package answers.

use super::operation::Operation;
use super::{NOTICE, Output};

const PATH: &str = "python/belvedere/_numpy_table.py";

/// How NumPy's reductions are called, and what is passed on.
const REDUCTION: &str =
    "(a, axis=None, *, keepdims=False) -> a, axis=axis, keepdims=bool(keepdims)";

pub(super) fn output(operations: &[Operation]) -> Output {
    let mut text = format!(
        "# {NOTICE}\n\"\"\"NumPy's ufuncs and functions, and the operations that answer them.\"\"\"\n\n\
         from . import _native as bv\n"
    );
    let is_ufunc = |it: &&Operation| {
        it.is_elementwise()
            || matches!(it.name.as_str(), "matmul" | "matvec" | "rint" | "vecdot" | "vecmat")
    };
    let ufuncs = operations.iter().filter(is_ufunc).flat_map(|it| {
        it.numpy.iter().filter(|name| !name.contains('.')).map(move |name| (name.as_str(), it))
    });
    text += &table("UFUNCS", "Names of ufuncs, and of functions that are none.", ufuncs.collect());
    let reduces = operations.iter().filter_map(|it| Some((it.reduces.as_deref()?, it)));
    text += &table("REDUCES", "Ufuncs, and what their ``reduce`` is.", reduces.collect());
    let accumulates = operations.iter().filter_map(|it| Some((it.accumulates.as_deref()?, it)));
    text +=
        &table("ACCUMULATES", "Ufuncs, and what their ``accumulate`` is.", accumulates.collect());
    text += &functions(operations);
    Output { path: PATH.to_string(), contents: text }
}

fn table(name: &str, doc: &str, mut rows: Vec<(&str, &Operation)>) -> String {
    rows.sort_by_key(|row| row.0);
    let rows: String = rows
        .iter()
        .map(|(theirs, ours)| format!("    \"{theirs}\": bv.{},\n", ours.name))
        .collect();
    format!("\n#: {doc}\n{name} = {{\n{rows}}}\n")
}

/// A function for each of NumPy's, with its parameters, and the table of them.
fn functions(operations: &[Operation]) -> String {
    let (mut text, mut names) = (String::new(), Vec::new());
    for operation in operations {
        let reductions = operation.numpy.iter().filter(|name| !name.contains('.'));
        let calls: Vec<String> = match operation.is_reduction() {
            true => reductions.map(|name| format!("{name}{REDUCTION}")).collect(),
            false => operation.numpy_calls.clone(),
        };
        for call in &calls {
            let (name, rest) = call.split_at(call.find('(').unwrap_or(call.len()));
            let (parameters, arguments) = rest.split_once(" -> ").unwrap_or_default();
            text += &format!(
                "\n\ndef _{name}{parameters}:\n    return bv.{}({arguments})\n",
                operation.name
            );
            names.push(name.to_string());
        }
    }
    names.sort();
    let rows: String = names.iter().map(|name| format!("    \"{name}\": _{name},\n")).collect();
    format!("{text}\n\n#: Functions that take an array and parameters.\nFUNCTIONS = {{\n{rows}}}\n")
}
