//! The source text with carets under a span.

use super::style::{BAD, painted};
use std::ops::Range;

/// The maximum number of characters shown on each side of the span.
const MAX_CONTEXT: usize = 72;

/// Returns the line of a span, and carets below the span.
///
/// ```
/// use belvedere_explain::report::caret::with_carets;
///
/// let plain = anstream::adapter::strip_str(&with_carets("x = 1\ny = zeos(3)", &(10..14))).to_string();
/// assert_eq!(plain, "    y = zeos(3)\n        ^^^^\n");
/// ```
pub fn with_carets(source: &str, span: &Range<usize>) -> String {
    let start = boundary(source, span.start);
    let end = boundary(source, span.end).max(start);
    let from = source[..start].rfind('\n').map_or(0, |it| it + 1);
    let to = source[start..].find('\n').map_or(source.len(), |it| start + it);
    let (before, rest) = (&source[from..start], &source[start..to]);
    let marked_source = &source[start..end.min(to)];
    let after = &rest[marked_source.len()..];

    let n_before = before.chars().count();
    let skipped = n_before.saturating_sub(MAX_CONTEXT);
    let dots = if skipped > 0 { "…" } else { "" };
    let front: String = dots.chars().chain(before.chars().skip(skipped)).map(one_column).collect();
    let marked = truncated(marked_source, 2 * MAX_CONTEXT);
    let line = format!("{front}{marked}{}", truncated(after, MAX_CONTEXT));
    let n_carets = marked.chars().count().max(1);
    let gap = " ".repeat(front.chars().count());
    format!("    {}\n    {gap}{}\n", line.trim_end(), painted(BAD, &"^".repeat(n_carets)))
}

/// Returns the nearest character boundary at or before `at`.
fn boundary(source: &str, at: usize) -> usize {
    let at = at.min(source.len());
    (0..=at).rev().find(|&it| source.is_char_boundary(it)).unwrap_or(0)
}

/// Replaces white space and control characters by spaces, so that each character takes one column.
fn one_column(c: char) -> char {
    if c.is_whitespace() || c.is_control() { ' ' } else { c }
}

fn truncated(text: &str, most: usize) -> String {
    super::style::cut(text, most).chars().map(one_column).collect()
}
