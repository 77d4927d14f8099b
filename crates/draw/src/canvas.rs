//! `Canvas`: a two-dimensional buffer of styled characters.

use anstyle::Style;
use std::fmt;

/// A buffer of styled characters that grows as needed.
#[derive(Default)]
pub(crate) struct Canvas {
    lines: Vec<Vec<(char, Style)>>,
}

impl Canvas {
    /// Returns the number of lines.
    pub(crate) fn height(&self) -> usize {
        self.lines.len()
    }

    /// Appends an empty line.
    pub(crate) fn skip_line(&mut self) {
        self.lines.push(Vec::new());
    }

    /// Writes text at a position, over what was there.
    pub(crate) fn put(&mut self, x: usize, y: usize, text: &str, style: Style) {
        if self.lines.len() <= y {
            self.lines.resize(y + 1, Vec::new());
        }
        let line = &mut self.lines[y];
        for (i, letter) in text.chars().enumerate() {
            if line.len() <= x + i {
                line.resize(x + i + 1, (' ', Style::new()));
            }
            // Titles may contain control characters, such as line breaks.
            line[x + i] = (if letter.is_control() { ' ' } else { letter }, style);
        }
    }

    /// Writes all lines, with or without escape codes and without trailing uncoloured spaces.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, is_coloured: bool) -> fmt::Result {
        for line in &self.lines {
            let is_visible = |(letter, style): &(char, Style)| {
                *letter != ' ' || is_coloured && style.get_bg_color().is_some()
            };
            let end = line.iter().rposition(is_visible).map_or(0, |last| last + 1);
            for part in line[..end].chunk_by(|a, b| a.1 == b.1) {
                let text: String = part.iter().map(|(letter, _)| letter).collect();
                match part[0].1 {
                    style if is_coloured => write!(f, "{style}{text}{style:#}")?,
                    _ => f.write_str(&text)?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
