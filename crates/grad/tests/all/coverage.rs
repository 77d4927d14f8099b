//! Every operation of the table has a rule, is made of others that have rules, or has a reason why it has none.

use crate::differences::all_cases;
use belvedere_grad::{Differentiability, differentiability};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A record of the table of operations.
struct Record {
    file: String,
    name: String,
    /// The names of its functions in Rust.
    rust: Vec<String>,
    form: String,
    dtypes: String,
    view: String,
}

/// Returns the text between the first two quotation marks.
fn quoted(line: &str) -> Option<&str> {
    line.split('"').nth(1)
}

/// Reads the table of operations.
fn records() -> Vec<Record> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../operations");
    let mut records: Vec<Record> = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if path.extension().is_none_or(|it| it != "toml") {
            continue;
        }
        let file = path.file_stem().unwrap().to_str().unwrap().to_string();
        let mut is_in_rust = false;
        for line in fs::read_to_string(&path).unwrap().lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                let (name, rust) = (name.trim_matches('"').to_string(), Vec::new());
                let (form, dtypes, view) = (String::new(), String::new(), String::new());
                records.push(Record { file: file.clone(), name, rust, form, dtypes, view });
                continue;
            }
            let Some(record) = records.last_mut() else { continue };
            let value = || quoted(line).unwrap_or_default().to_string();
            is_in_rust = line.starts_with("rust =") || is_in_rust && line.starts_with("    \"");
            match line {
                _ if is_in_rust => {
                    let names = line.split('"').skip(1).step_by(2);
                    let last = |it: &str| it.rsplit("::").next().unwrap().to_string();
                    record.rust.extend(names.map(last));
                }
                _ if line.starts_with("form =") => record.form = value(),
                _ if line.starts_with("dtypes =") => record.dtypes = value(),
                _ if line.starts_with("view =") => record.view = value(),
                _ => {}
            }
        }
    }
    records
}

/// Returns whether something is known about the derivative of an operation.
fn is_known(name: &str) -> bool {
    !matches!(differentiability(name), Differentiability::None)
}

/// Files of the table whose records need no rule, and why.
const OTHER_FILES: &[(&str, &str)] = &[
    ("array", "attributes, and methods that are operations of the other files"),
    ("copies", "copy accounting"),
    ("creation", "no operands with a gradient"),
    ("data_type", "dtypes"),
    ("distribution", "random numbers"),
    ("exchange", "memory of other libraries"),
    ("expression", "names that other libraries have for operations of the other files"),
    ("inspection", "properties of layouts and memory"),
    ("memory", "memory usage"),
    ("random", "random numbers"),
    ("trace", "tracing"),
];

/// Names of the table that announce another operation.
const OTHER_NAMES: &[(&str, &str)] =
    &[("cumsum", "cumulative_sum"), ("cumprod", "cumulative_prod")];

#[test]
fn every_operation_has_a_rule_or_a_reason() {
    let records = records();
    assert!(records.len() > 300, "the table was read");
    let has_no_gradient = |it: &Record| {
        // Views need no rule, copies have one; integers, bits and comparisons have no gradient.
        !it.view.is_empty()
            || ["none", "integer", "bits"].contains(&&*it.dtypes)
            || it.form == "comparison"
            || it.form == "predicate"
    };
    let is_other = |it: &Record| OTHER_FILES.iter().any(|(file, _)| *file == it.file);
    let is_alias =
        |it: &Record| OTHER_NAMES.iter().any(|(name, op)| *name == it.name && is_known(op));
    let is_open = |it: &&Record| {
        let is_answered = has_no_gradient(it) || is_other(it) || is_alias(it) || is_known(&it.name);
        !is_answered && !it.rust.iter().any(|name| is_known(name))
    };
    let open: BTreeSet<&str> = records.iter().filter(is_open).map(|it| &*it.name).collect();
    assert!(open.is_empty(), "neither a rule nor a reason: {open:?}");
}

#[test]
fn every_rule_is_compared_with_differences() {
    let tested: BTreeSet<&str> = all_cases().map(|it| it.name.split(' ').next().unwrap()).collect();
    let untested: Vec<&str> =
        belvedere_grad::rule_names().filter(|name| !tested.contains(name)).collect();
    assert!(untested.is_empty(), "no differences for {untested:?}");
}

/// Returns whether an operation has a rule, and that is right for complex numbers; `None` if it has none.
fn is_complex(name: &str) -> Option<bool> {
    match differentiability(name) {
        Differentiability::Rule(rule) => Some(rule.is_complex()),
        _ => None,
    }
}

#[test]
fn rules_of_operations_with_complex_operands_are_right_for_them() {
    let takes_complex = |it: &&Record| ["any", "number", "field"].contains(&&*it.dtypes);
    let records = records();
    let names =
        records.iter().filter(takes_complex).flat_map(|it| it.rust.iter().chain([&it.name]));
    let real: BTreeSet<&str> =
        names.map(|it| &**it).filter(|name| is_complex(name) == Some(false)).collect();
    assert!(real.is_empty(), "for real numbers only: {real:?}");
}

/// Operations that take real operands only, and return complex results.
const TO_COMPLEX: &[&str] = &["rfft", "rfftn", "ihfft"];

#[test]
fn every_rule_for_complex_numbers_is_compared_with_differences() {
    let cases = all_cases().filter(|it| it.is_complex());
    let tested: BTreeSet<&str> = cases.map(|it| it.name.split(' ').next().unwrap()).collect();
    let is_untested = |name: &&str| {
        is_complex(name) == Some(true) && !tested.contains(name) && !TO_COMPLEX.contains(name)
    };
    let untested: Vec<&str> = belvedere_grad::rule_names().filter(is_untested).collect();
    assert!(untested.is_empty(), "no complex differences for {untested:?}");
}
