//! The table of a report: one row for each step.

use super::style::{BOLD, bytes, cut, list, of_kind, painted};
use crate::step::{Kind, Report, Step};
use anstyle::Style;

/// The maximum width of a column in characters.
const MAX_WIDTH: usize = 44;

/// A cell, its style and alignment.
struct Cell {
    text: String,
    style: Style,
    is_right: bool,
}

impl Cell {
    fn new(text: impl Into<String>) -> Cell {
        Cell { text: cut(&text.into(), MAX_WIDTH), style: Style::new(), is_right: false }
    }

    fn number(text: impl Into<String>) -> Cell {
        Cell { is_right: true, ..Cell::new(text) }
    }
}

/// Formats the table of a report.
pub fn table(report: &Report) -> String {
    let steps = &report.steps;
    let has_names = steps.iter().any(|it| it.name.is_some());
    let mut types = steps.iter().filter_map(|it| Some(it.result.as_ref()?.dtype));
    let first = types.next();
    let has_types = types.any(|it| Some(it) != first);
    let has_lines = steps.iter().any(|it| it.line.is_some());

    #[rustfmt::skip]
    let titles = [
        "#", "line", "", "step", "dtype", "shape", "strides", "offset", "contiguous", "view or copy", "copied", "shares with",
    ];
    let is_number = |title: &str| ["#", "line", "offset", "copied"].contains(&title);
    let heading =
        titles.map(|title| Cell { style: BOLD, is_right: is_number(title), ..Cell::new(title) });
    let mut rows = vec![heading];
    rows.extend(steps.iter().enumerate().map(|(number, step)| row(report, number, step)));
    let is_shown = |k: &usize| match titles[*k] {
        "line" => has_lines,
        "" => has_names,
        "dtype" => has_types,
        _ => true,
    };
    let columns: Vec<usize> = (0..titles.len()).filter(is_shown).collect();
    let widths: Vec<usize> = columns
        .iter()
        .map(|&k| rows.iter().map(|row| row[k].text.chars().count()).max().unwrap_or(0))
        .collect();

    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (&k, &width) in columns.iter().zip(&widths) {
            let Cell { text, style, is_right } = &row[k];
            let gap = " ".repeat(width - text.chars().count());
            let text = if text.is_empty() { String::new() } else { painted(*style, text) };
            let (left, right) = if *is_right { (gap, text) } else { (text, gap) };
            line.push_str(&format!("{left}{right}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn row(report: &Report, number: usize, step: &Step) -> [Cell; 12] {
    let tensor = step.result.as_ref();
    let layout = tensor.and_then(|it| it.layout());
    let strides = match (tensor, &layout) {
        (None, _) => String::new(),
        (Some(_), None) => "lens".into(),
        (Some(_), Some(layout)) => list(&layout.strides()),
    };
    let shape = match (&step.value, tensor) {
        (Some(value), _) => format!("= {value}"),
        (None, Some(tensor)) => list(tensor.chain.shape()),
        (None, None) => String::new(),
    };
    let contiguous = tensor.map_or("", |it| if it.is_contiguous() { "yes" } else { "no" });
    let copied = match step.kind {
        Kind::View => "0".into(),
        Kind::Copy => bytes(step.bytes_copied),
        Kind::New | Kind::InPlace if step.bytes_copied > 0 => bytes(step.bytes_copied),
        _ => String::new(),
    };
    let kind = Cell { style: of_kind(step.kind), ..Cell::new(step.kind.name()) };
    [
        Cell::number(number.to_string()),
        Cell::number(format_line(report, step)),
        Cell::new(step.name.clone().unwrap_or_default()),
        Cell::new(step_text(report, number, step)),
        Cell::new(tensor.map_or("", |it| it.dtype.name())),
        Cell::new(shape),
        Cell::new(strides),
        Cell::number(layout.map_or(String::new(), |it| it.start().to_string())),
        Cell::new(contiguous),
        kind,
        Cell::number(copied),
        Cell::new(format_sharing(step)),
    ]
}

/// Formats the line of a step, with the name of the file if the steps are of several files.
fn format_line(report: &Report, step: &Step) -> String {
    let Some(line) = &step.line else { return String::new() };
    let mut lines = report.steps.iter().filter_map(|it| it.line.as_ref());
    match lines.all(|it| it.file == line.file) {
        true => line.number.to_string(),
        false => {
            let name = line.file.rsplit(['/', '\\']).next().unwrap_or_default();
            format!("{name}:{}", line.number)
        }
    }
}

/// Returns the call alone if it continues the expression of the step above, otherwise the whole expression.
fn step_text(report: &Report, number: usize, step: &Step) -> String {
    let before = number.checked_sub(1).and_then(|it| report.steps.get(it));
    let is_continuation = before.is_some_and(|before| {
        step.inputs.first() == Some(&(number - 1))
            && step.expr.starts_with(&before.expr)
            && step.expr.len() > before.expr.len()
    });
    match (is_continuation, before) {
        (true, Some(before)) => format!("  {}", step.expr[before.expr.len()..].trim_start()),
        _ => step.expr.clone(),
    }
}

/// Formats the steps that share elements; consecutive numbers as a range.
fn format_sharing(step: &Step) -> String {
    let runs = step.shares_with.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        [a, b] => format!("{a}, {b}"),
        [first, .., last] => format!("{first}–{last}"),
        [] => String::new(),
    });
    let mut parts: Vec<String> = runs.collect();
    parts.extend(step.may_share_with.iter().map(|it| format!("{it}?")));
    parts.join(", ")
}
