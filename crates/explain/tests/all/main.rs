//! The expression language: every operation, every error, the limits, and the reports.

mod dialects;
mod errors;
mod guide;
mod limits;
mod numpy;
mod oracle;
mod parser;
mod programs;
mod report;
mod spellings;
mod stories;

use belvedere_explain::{Kind, Report, Step, explain};

/// Explains a source without errors.
fn works(source: &str) -> Report {
    let report = explain(source, None);
    if let Some(error) = report.steps.iter().find_map(|step| step.error.as_ref()) {
        panic!("{source}: {}", error.message);
    }
    report
}

/// Returns the last step of a source without errors.
fn last(source: &str) -> Step {
    works(source).steps.pop().expect("a report has steps")
}

/// Returns the last step of a source, which must be an error.
fn fails(source: &str) -> Step {
    let step = explain(source, None).steps.pop().expect("a report has steps");
    assert_eq!(step.kind, Kind::Error, "{source}");
    step
}

/// Formats a step in one line: kind, shape, strides and offset.
fn summary(step: &Step) -> String {
    if let Some(error) = &step.error {
        return format!("ERROR {}", error.message);
    }
    let Some(tensor) = &step.result else {
        return format!("= {}", step.value.as_deref().unwrap_or_default());
    };
    let mut text = format!("{} {:?}", step.kind.name(), tensor.chain.shape());
    match tensor.layout() {
        Some(layout) => text += &format!(" {:?} {}", layout.strides(), layout.start()),
        None => text += " lens",
    }
    if tensor.dtype.name() != "int64" {
        text += &format!(" {}", tensor.dtype);
    }
    if step.bytes_copied > 0 {
        text += &format!(", {} bytes", step.bytes_copied);
    }
    text
}

/// Returns the elements of a step in row-major order, as text.
fn elements(step: &Step) -> Vec<String> {
    let tensor = step.result.as_ref().expect("a tensor");
    let element = |i| tensor.element(i).expect("small tensors are calculated").to_string();
    (0..tensor.chain.len()).map(element).collect()
}
