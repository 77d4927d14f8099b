//! Colours and numbers.

use crate::step::Kind;
use anstyle::{AnsiColor, Style};

/// Headings.
pub const BOLD: Style = Style::new().bold();
/// What one need not read.
pub const DIM: Style = Style::new().dimmed();
/// What is wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What moved.
const COPY: Style = AnsiColor::Yellow.on_default();
/// What did not.
const VIEW: Style = AnsiColor::Green.on_default();
/// What is there for the first time.
const NEW: Style = AnsiColor::Blue.on_default();

/// A text in a colour. The colours are taken out again when nobody can see them.
pub fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The colour of what a step meant for memory. The words differ, too.
pub fn of_kind(kind: Kind) -> Style {
    match kind {
        Kind::New => NEW,
        Kind::View => VIEW,
        Kind::Copy => COPY,
        Kind::Value => DIM,
        Kind::Error => BAD,
    }
}

/// A number of bytes: exact while it can be read at a glance.
///
/// ```
/// use belvedere_explain::report::style::bytes;
///
/// assert_eq!(bytes(96), "96 bytes");
/// assert_eq!(bytes(100_352), "100352 bytes");
/// assert_eq!(bytes(8_000_000_000), "8.0 GB");
/// ```
pub fn bytes(n: u128) -> String {
    const UNITS: [(&str, u128); 6] = [
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("PB", 1_000_000_000_000_000),
        ("EB", 1_000_000_000_000_000_000),
        ("ZB", 1_000_000_000_000_000_000_000),
    ];
    match UNITS.iter().rev().find(|it| n >= it.1) {
        Some((unit, size)) => format!("{}.{} {unit}", n / size, n % size * 10 / size),
        None if n == 1 => "1 byte".into(),
        None => format!("{n} bytes"),
    }
}

/// At most so many characters, the rest as `…`.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Numbers in square brackets, the middle left out when there are many.
pub fn list<T: std::fmt::Display>(numbers: &[T]) -> String {
    const MOST: usize = 8;
    let told = |part: &[T]| part.iter().map(T::to_string).collect::<Vec<_>>().join(", ");
    if numbers.len() <= MOST {
        return format!("[{}]", told(numbers));
    }
    let half = MOST / 2;
    format!("[{}, …, {}]", told(&numbers[..half]), told(&numbers[numbers.len() - half..]))
}
