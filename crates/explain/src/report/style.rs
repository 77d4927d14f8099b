//! Text styles, and the formatting of sizes, lists and long texts.

use crate::step::Kind;
use anstyle::{AnsiColor, Style};

/// Headings.
pub const BOLD: Style = Style::new().bold();
/// Secondary text.
pub const DIM: Style = Style::new().dimmed();
/// Errors.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Copies.
const COPY: Style = AnsiColor::Yellow.on_default();
/// Views.
const VIEW: Style = AnsiColor::Green.on_default();
/// New memory.
const NEW: Style = AnsiColor::Blue.on_default();

/// Wraps a text in the escape codes of a style.
pub fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns the style of a kind of step.
pub fn of_kind(kind: Kind) -> Style {
    match kind {
        Kind::New | Kind::Import => NEW,
        Kind::View | Kind::Export => VIEW,
        Kind::Copy | Kind::InPlace => COPY,
        Kind::Value => DIM,
        Kind::Error => BAD,
    }
}

/// Formats a number of bytes: exactly below 1 MB, with one decimal above.
///
/// ```
/// use belvedere_explain::report::style::bytes;
///
/// assert_eq!(bytes(96), "96 bytes");
/// assert_eq!(bytes(100_352), "100352 bytes");
/// assert_eq!(bytes(8_000_000_000), "8.0 GB");
/// ```
pub fn bytes(n: u128) -> String {
    const UNITS: [&str; 6] = ["MB", "GB", "TB", "PB", "EB", "ZB"];
    let units = (2..).map(|k| 1000_u128.pow(k)).zip(UNITS);
    match units.filter(|it| n >= it.0).last() {
        Some((size, unit)) => format!("{}.{} {unit}", n / size, n % size * 10 / size),
        None if n == 1 => "1 byte".into(),
        None => format!("{n} bytes"),
    }
}

/// Truncates a text to at most `max_chars` characters, with `…` at the end.
pub fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.into();
    }
    text.chars().take(max_chars.saturating_sub(1)).chain(['…']).collect()
}

/// Formats numbers in square brackets, without the middle ones if there are more than eight.
pub fn list<T: std::fmt::Display>(numbers: &[T]) -> String {
    const MAX_SHOWN: usize = 8;
    let joined = |part: &[T]| part.iter().map(T::to_string).collect::<Vec<_>>().join(", ");
    if numbers.len() <= MAX_SHOWN {
        return format!("[{}]", joined(numbers));
    }
    let half = MAX_SHOWN / 2;
    format!("[{}, …, {}]", joined(&numbers[..half]), joined(&numbers[numbers.len() - half..]))
}
