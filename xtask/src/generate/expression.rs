//! The names that expressions given to `explain` know.

use super::operation::Operation;
use super::{NOTICE, Output};

const PATH: &str = "crates/explain/src/eval/spellings.rs";

/// One name: the operation, and the libraries that have it.
struct Row {
    name: String,
    op: String,
    in_numpy: bool,
    in_torch: bool,
}

pub(super) fn output(operations: &[Operation]) -> Output {
    let mut rows: Vec<Row> = Vec::new();
    // Names of one operation are adjacent, those of NumPy first: reports use the first one.
    let mut ops: Vec<String> = Vec::new();
    for op in operations.iter().filter_map(op) {
        if !ops.contains(&op) {
            ops.push(op);
        }
    }
    for wanted in &ops {
        let same = operations.iter().filter(|it| op(it).as_ref() == Some(wanted));
        let same: Vec<&Operation> = same.collect();
        let lists = [
            same.iter().flat_map(|it| &it.numpy).collect::<Vec<_>>(),
            same.iter().flat_map(|it| &it.torch).collect(),
            same.iter().map(|it| &it.name).collect(),
            same.iter().flat_map(|it| &it.aliases).collect(),
        ];
        for (list, name) in
            lists.iter().enumerate().flat_map(|(k, names)| names.iter().map(move |it| (k, it)))
        {
            let name = name.rsplit_once('.').map_or(name.as_str(), |it| it.1);
            let at = rows.iter().position(|row| row.name == name);
            let at = at.unwrap_or_else(|| {
                let (name, op) = (name.to_string(), wanted.clone());
                rows.push(Row { name, op, in_numpy: false, in_torch: false });
                rows.len() - 1
            });
            rows[at].in_numpy |= list == 0;
            rows[at].in_torch |= list == 1;
        }
    }
    Output { path: PATH.to_string(), contents: text(&rows, operations) }
}

/// The operation of `explain` that evaluates an operation.
fn op(operation: &Operation) -> Option<String> {
    let name = &operation.name;
    match (operation.form.as_deref(), operation.explain.as_deref()) {
        (Some("unary"), _) => Some(format!("Unary(\"{name}\")")),
        (Some("binary" | "comparison"), _) => Some(format!("Binary(\"{name}\")")),
        (Some("reduction" | "total"), _) => Some(format!("Reduction(\"{name}\")")),
        (_, explain) => explain.map(str::to_string),
    }
}

fn text(rows: &[Row], operations: &[Operation]) -> String {
    let mut text = format!(
        "// {NOTICE}\n//! Every name of an operation, and the elementwise functions and reductions.\n\n\
         use super::names::{{BinaryFunction, Op, ReductionFunction, Spelling, UnaryFunction}};\n\n\
         const NEITHER: (bool, bool) = (false, false);\n\
         const NUMPY: (bool, bool) = (true, false);\n\
         const TORCH: (bool, bool) = (false, true);\n\
         const BOTH: (bool, bool) = (true, true);\n\n\
         const fn spelling(name: &'static str, op: Op, (in_numpy, in_torch): (bool, bool)) -> Spelling {{\n    \
         Spelling {{ name, op, in_numpy, in_torch }}\n}}\n\n\
         /// Names of one operation are adjacent, those of NumPy and the Array API first.\n\
         pub(crate) static SPELLINGS: &[Spelling] = &[\n"
    );
    for Row { name, op, in_numpy, in_torch } in rows {
        let known = match (in_numpy, in_torch) {
            (true, true) => "BOTH",
            (true, false) => "NUMPY",
            (false, true) => "TORCH",
            (false, false) => "NEITHER",
        };
        text += &format!("    spelling(\"{name}\", Op::{op}, {known}),\n");
    }
    let has = |it: &Operation, start: &str| op(it).is_some_and(|op| op.starts_with(start));
    let functions = |start: &str, arguments: &str, call: &str| -> String {
        let found = operations.iter().filter(|it| has(it, start));
        let row = |it: &Operation| {
            format!("    (\"{}\", |{arguments}| x.{}({call})),\n", it.name, it.tensor_method())
        };
        found.map(row).collect()
    };
    text += &format!(
        "];\n\n/// Elementwise functions of one operand.\npub(super) static UNARY: &[(&str, UnaryFunction)] = &[\n{}];\n\n\
         /// Elementwise functions of two operands.\npub(super) static BINARY: &[(&str, BinaryFunction)] = &[\n{}];\n\n\
         /// Reductions over axes.\npub(super) static REDUCTIONS: &[(&str, ReductionFunction)] = &[\n{}];\n",
        functions("Unary", "x", ""),
        functions("Binary", "x, y", "y"),
        functions("Reduction", "x, axes", "axes"),
    );
    text
}
