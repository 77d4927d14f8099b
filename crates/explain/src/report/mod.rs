//! Reports as text: a table of the steps, explanations and pictures.

pub mod caret;
pub mod draw;
pub mod refusal;
pub mod style;
pub mod table;

use crate::step::{Kind, Report, Step};
use style::{BAD, BOLD, DIM, painted};

/// The optional parts of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportOptions {
    /// Draw the memory and the grid of each step.
    pub draw: Option<belvedere_draw::TextOptions>,
    /// Show the loop nest of each operation.
    pub plan: bool,
}

/// Formats the report for a terminal, with escape codes for colours.
///
/// ```
/// use belvedere_explain::explain;
/// use belvedere_explain::report::{self, ReportOptions};
///
/// let text = report::text(&explain("arange(3)[::-1]", None), ReportOptions::default());
/// assert!(text.contains("[-1]"));
/// ```
pub fn text(report: &Report, parts: ReportOptions) -> String {
    let mut text = table::table(report);
    if let Some(style) = parts.draw {
        text.push('\n');
        text.push_str(&draw::text(report, style));
    }
    for (number, step) in report.steps.iter().enumerate() {
        let details = step_details(report, number, step, parts);
        if !details.is_empty() {
            text.push('\n');
            text.push_str(&details);
        }
    }
    let remarks = remarks(report);
    if !remarks.is_empty() {
        text.push('\n');
        text.push_str(&remarks);
    }
    text
}

/// Formats the report as plain text, without colours.
pub fn plain(report: &Report, parts: ReportOptions) -> String {
    anstream::adapter::strip_str(&text(report, parts)).to_string()
}

/// Formats the error, the reason for a copy and the loop nest of one step.
fn step_details(report: &Report, number: usize, step: &Step, parts: ReportOptions) -> String {
    let mut text = String::new();
    if let Some(error) = &step.error {
        text.push_str(&format!("{}: {}\n\n", painted(BAD, "error"), painted(BOLD, &error.message)));
        text.push_str(&caret::with_carets(&report.source, &error.span));
        if let Some(why) = &step.why {
            text.push('\n');
            text.push_str(&refusal::text(why));
        }
        if !error.help.is_empty() {
            let title = if step.why.is_some() { "alternatives" } else { "help" };
            text.push_str(&format!("\n    {}\n", painted(BOLD, title)));
            for line in &error.help {
                text.push_str(&format!("      {line}\n"));
            }
        }
    } else if let (Some(why), Kind::Copy) = (&step.why, step.kind) {
        let bytes = style::bytes(step.bytes_copied);
        let shape = format!("{:?} is not a view of {:?}", why.to, why.from.shape());
        let title = format!("step {number} copies {bytes}: {shape}");
        text.push_str(&format!("{}\n\n{}", painted(BOLD, &title), refusal::text(why)));
    }
    if let (Some(plan), true) = (&step.plan, parts.plan) {
        let title = format!("step {number}, {}: loop nest", step.op);
        text.push_str(&format!("{}\n", painted(BOLD, &title)));
        for line in plan.lines() {
            text.push_str(&format!("    {line}\n"));
        }
    }
    text
}

/// Formats the differences from other libraries, one line each.
fn remarks(report: &Report) -> String {
    let steps = report.steps.iter().enumerate();
    let lines = steps.flat_map(|(number, step)| {
        let title = painted(DIM, &format!("step {number}, {}:", step.op));
        step.remarks.iter().map(move |remark| format!("{title} {remark}\n"))
    });
    lines.collect()
}
