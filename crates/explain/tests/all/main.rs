//! The expression language: every operation, every error, the limits, and the reports.

mod dialects;
mod errors;
mod limits;
mod numpy;
mod oracle;
mod parser;
mod report;
mod spellings;
mod stories;

use belvedere_explain::{Kind, Report, Step, explain};

/// Explains a text in which nothing fails.
fn works(source: &str) -> Report {
    let report = explain(source, None);
    if let Some(error) = report.steps.iter().find_map(|step| step.error.as_ref()) {
        panic!("{source}: {}", error.message);
    }
    report
}

/// The last step of a text in which nothing fails.
fn last(source: &str) -> Step {
    works(source).steps.pop().expect("a report has steps")
}

/// The last step of a text that fails there.
fn fails(source: &str) -> Step {
    let step = explain(source, None).steps.pop().expect("a report has steps");
    assert_eq!(step.kind, Kind::Error, "{source}");
    step
}

/// A step in one line.
fn told(step: &Step) -> String {
    if let Some(error) = &step.error {
        return format!("ERROR {}", error.message);
    }
    let Some(seen) = &step.result else {
        return format!("= {}", step.value.as_deref().unwrap_or_default());
    };
    let mut told = format!("{} {:?}", step.kind.name(), seen.chain.shape());
    match seen.layout() {
        Some(layout) => told += &format!(" {:?} {}", layout.strides(), layout.start()),
        None => told += " lens",
    }
    if seen.dtype.name() != "int64" {
        told += &format!(" {}", seen.dtype);
    }
    if step.bytes_copied > 0 {
        told += &format!(", {} bytes", step.bytes_copied);
    }
    told
}

/// The elements of a step in row-major order, as text.
fn elements(step: &Step) -> Vec<String> {
    let seen = step.result.as_ref().expect("a tensor");
    let element = |i| seen.element(i).expect("small tensors are calculated").to_string();
    (0..seen.chain.len()).map(element).collect()
}
