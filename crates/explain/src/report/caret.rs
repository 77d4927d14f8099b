//! The source text with carets under a span.

use super::style::{BAD, painted};
use std::ops::Range;

/// How much of a line is shown on each side of the place.
const MOST: usize = 72;

/// The line that a place is on, and carets below the place.
///
/// ```
/// use belvedere_explain::report::caret::pointed;
///
/// let plain = anstream::adapter::strip_str(&pointed("x = 1\ny = zeos(3)", &(10..14))).to_string();
/// assert_eq!(plain, "    y = zeos(3)\n        ^^^^\n");
/// ```
pub fn pointed(source: &str, span: &Range<usize>) -> String {
    let start = boundary(source, span.start);
    let end = boundary(source, span.end).max(start);
    let from = source[..start].rfind('\n').map_or(0, |it| it + 1);
    let to = source[start..].find('\n').map_or(source.len(), |it| start + it);
    let (before, rest) = (&source[from..start], &source[start..to]);
    let blamed = &source[start..end.min(to)];
    let behind = &rest[blamed.len()..];

    let n_before = before.chars().count();
    let skipped = n_before.saturating_sub(MOST);
    let dots = if skipped > 0 { "…" } else { "" };
    let front: String = dots.chars().chain(before.chars().skip(skipped)).map(shown).collect();
    let shown_blamed = limited(blamed, 2 * MOST);
    let line = format!("{front}{shown_blamed}{}", limited(behind, MOST));
    let n_carets = shown_blamed.chars().count().max(1);
    let gap = " ".repeat(front.chars().count());
    format!("    {}\n    {gap}{}\n", line.trim_end(), painted(BAD, &"^".repeat(n_carets)))
}

/// The nearest place at or before `at` where a character begins.
fn boundary(source: &str, at: usize) -> usize {
    let at = at.min(source.len());
    (0..=at).rev().find(|&it| source.is_char_boundary(it)).unwrap_or(0)
}

/// One column each, so that the carets stand right.
fn shown(c: char) -> char {
    if c.is_whitespace() || c.is_control() { ' ' } else { c }
}

fn limited(text: &str, most: usize) -> String {
    super::style::cut(text, most).chars().map(shown).collect()
}
