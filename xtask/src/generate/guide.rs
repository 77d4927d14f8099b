//! The rows of the guides, and of the test that checks them.

use std::path::Path;

use super::operation::Operation;
use super::{HEADING, NOTICE, Output, replaced, source};
use crate::failure::Failure;

const PAGES: &str = "crates/tensor/docs";
const ROWS: &str = "crates/tensor/tests/all/numpy/guide/rows/functions.rs";

/// The chapter of the guides for NumPy and PyTorch that lists elementwise functions.
const FUNCTIONS: &str = "## Elementwise functions\n";

/// Chapters of the page about the Array API, and the categories whose operations they list.
const CHAPTERS: &[(&str, &[&str])] = &[
    ("Creation", &["creation", "exchange"]),
    ("Data types", &["data_type"]),
    ("Elementwise", &["elementwise"]),
    ("fft", &["fft"]),
    ("Indexing", &["indexing"]),
    ("linalg", &["linalg"]),
    ("Linear algebra", &["product"]),
    ("Manipulation", &["manipulation"]),
    ("Searching", &["searching"]),
    ("Sets", &["set"]),
    ("Sorting", &["sorting"]),
    ("Statistics", &["statistical"]),
    ("Utilities", &["utility"]),
];

pub(super) fn outputs(root: &Path, operations: &[Operation]) -> Result<Vec<Output>, Failure> {
    let rows: Vec<[String; 3]> = operations.iter().filter_map(row).collect();
    let mut outputs = vec![test(&rows), standard(root, operations)?, index(operations)];
    for (name, library, column) in [("numpy", "NumPy", 0), ("pytorch", "PyTorch", 1)] {
        let path = format!("{PAGES}/{name}.md");
        let mut part = format!("\n| {library} | Belvedere | |\n|---|---|---|\n");
        for row in rows.iter().filter(|row| !row[column].is_empty()) {
            part += &format!("| `{}` | `{}?` | new |\n", row[column], row[2]);
        }
        part += "\n";
        let text = replaced(&source(root, &path)?, &path, FUNCTIONS, HEADING, &part)?;
        outputs.push(Output { path, contents: text });
    }
    Ok(outputs)
}

/// NumPy's expression, PyTorch's and ours for an elementwise function.
fn row(operation: &Operation) -> Option<[String; 3]> {
    let operand = match operation.guide.as_deref() {
        Some([]) => return None,
        Some([numpy, torch, ours]) => return Some([numpy.clone(), torch.clone(), ours.clone()]),
        Some([operand, ..]) => operand,
        None => "a",
    };
    let (name, arguments, other) = match operation.form.as_deref() {
        Some("unary" | "unary_numpy") => (&operation.name, operand.to_string(), ""),
        Some("binary") => (&operation.name, format!("{operand}, b"), "b"),
        _ => return None,
    };
    let theirs = |library: &str, names: &[String]| match names.first() {
        Some(name) if name.starts_with("scipy.") => format!("{name}({arguments})"),
        Some(name) => format!("{library}.{name}({arguments})"),
        None => String::new(),
    };
    let numpy = theirs("np", &operation.numpy);
    if numpy.is_empty() {
        return None;
    }
    Some([numpy, theirs("torch", &operation.torch), format!("{operand}.{name}({other})")])
}

/// The rows as Rust source, which the test of the guides runs.
fn test(rows: &[[String; 3]]) -> Output {
    let mut text = format!(
        "// {NOTICE}\n//! Elementwise functions, one row for each.\n\n\
         use super::{{Given, Row, rows}};\nuse belvedere::{{Error, Tensor}};\n\n\
         #[rustfmt::skip]\n\
         pub(super) const FUNCTIONS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (\n"
    );
    for [numpy, torch, ours] in rows {
        text += &format!("    \"{numpy}\", \"{torch}\" => {ours};\n");
    }
    Output { path: ROWS.to_string(), contents: text + "));\n" }
}

/// The page about the Array API: every name of the standard with a link.
fn standard(root: &Path, operations: &[Operation]) -> Result<Output, Failure> {
    let path = format!("{PAGES}/array_api.md");
    let mut text = source(root, &path)?;
    for (title, categories) in CHAPTERS {
        let is_here = |it: &&Operation| {
            let is_also = it.also.as_deref() == Some(title);
            it.array_api
                && it.is_function()
                && (is_also || categories.contains(&it.category.as_str()))
        };
        let mut found: Vec<&Operation> = operations.iter().filter(is_here).collect();
        found.sort_by_key(|it| &it.name);
        let mut part = "\n| standard | here |\n|---|---|\n".to_string();
        for operation in found {
            part += &format!("| `{}` | {} |\n", operation.name, links(&operation.rust));
        }
        part += "\n";
        text = replaced(&text, &path, &format!("## {title}\n"), HEADING, &part)?;
    }
    Ok(Output { path, contents: text })
}

/// Links to items of the Rust crate.
fn links(names: &[String]) -> String {
    let link = |name: &String| format!("[`{name}`](crate::{})", name.trim_end_matches('!'));
    names.iter().map(link).collect::<Vec<_>>().join(", ")
}

/// The page that lists all operations.
fn index(operations: &[Operation]) -> Output {
    let mut text = format!(
        "<!-- {NOTICE} -->\n# All operations\n\n\
         One row for each function of the Python package, with what does the same in Rust, NumPy and PyTorch. *Standard* is the \
         Array API; the last column says whether the result is a view: always, maybe (a view if one exists, else a copy), or \
         never.\n"
    );
    let mut category = "";
    for it in operations.iter().filter(|it| it.is_function()) {
        if it.category != category {
            category = &it.category;
            text += &format!(
                "\n## {}\n\n| operation | | Rust | dtypes | standard | NumPy | PyTorch | view |\n\
                 |---|---|---|---|---|---|---|---|\n",
                category.replace('_', " ")
            );
        }
        let names = |names: &[String]| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        text += &format!(
            "| `{}` | {} | {} | {} | {} | {} | {} | {} |\n",
            it.name,
            it.doc.replace("``", "`").replace('|', "\\|"),
            links(&it.rust),
            if it.dtypes == "none" { "" } else { &it.dtypes },
            if it.array_api { "yes" } else { "" },
            names(&it.numpy),
            names(&it.torch),
            it.view.as_deref().unwrap_or("never")
        );
    }
    Output { path: format!("{PAGES}/operations.md"), contents: text }
}
