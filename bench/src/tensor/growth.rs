//! Time per element as a function of size, from 16 bytes to 1 GiB.
//!
//! A library that is fast at one size can be slow at the next: where a cache is exceeded, where threads
//! start, where each allocation is a system call. Six operations on square matrices, each engine in
//! turn, at every fourfold size.

use super::race::{Party, check, take_turns};
use std::fmt::Write;

/// The name that `--only` is compared with.
pub const NAME: &str = "growth";

/// An operation on square matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Copy,
    CopyTransposed,
    CopyBroadcast,
    Add,
    AddTransposed,
    AddBroadcast,
}

impl Work {
    pub const ALL: [Work; 6] = [
        Work::Copy,
        Work::CopyTransposed,
        Work::CopyBroadcast,
        Work::Add,
        Work::AddTransposed,
        Work::AddBroadcast,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Work::Copy => "copy",
            Work::CopyTransposed => "copy of the transpose",
            Work::CopyBroadcast => "copy of a row, broadcast",
            Work::Add => "a + b",
            Work::AddTransposed => "a + bᵀ",
            Work::AddBroadcast => "a + a row",
        }
    }

    /// The shape of the first operand.
    pub fn left(self, side: usize) -> Vec<usize> {
        match self {
            Work::CopyBroadcast => vec![side],
            _ => vec![side, side],
        }
    }

    /// The shape of the second operand, if there is one.
    pub fn right(self, side: usize) -> Option<Vec<usize>> {
        match self {
            Work::Copy | Work::CopyTransposed | Work::CopyBroadcast => None,
            Work::AddBroadcast => Some(vec![side]),
            Work::Add | Work::AddTransposed => Some(vec![side, side]),
        }
    }
}

/// Nanoseconds per element of the result, for each operation, engine and side of the matrix.
pub struct Growth {
    pub about: String,
    pub engines: Vec<String>,
    pub sides: Vec<usize>,
    /// By operation, by side, by engine.
    pub times: Vec<Vec<Vec<Option<f64>>>>,
}

/// The sides of the matrices: from 16 bytes to 1 GiB of `float32`; if `quick`, to 16 MiB.
pub fn sides(quick: bool) -> Vec<usize> {
    (1..=if quick { 11 } else { 14 }).map(|power| 1 << power).collect()
}

/// Times one operation at one size, all engines in turns. Returns the nanoseconds per element, `None` for
/// engines that failed, and the messages of those.
pub fn point(mut jobs: Vec<Party>, side: usize, quick: bool) -> (Vec<Option<f64>>, Vec<String>) {
    let mut troubles = check(&mut jobs);
    let effort = if quick { (2, 2e6) } else { (5, 10e6) };
    let (best, failed) = take_turns(&mut jobs, effort);
    troubles.extend(failed);
    let len = (side * side) as f64;
    let troubles = troubles.into_iter().map(|(name, error)| format!("{name} at {side}²: {error}"));
    (best.into_iter().map(|time| time.map(|time| time / len)).collect(), troubles.collect())
}

/// Black for ours; for the others the palette of Okabe and Ito, which colour-blind readers can
/// distinguish.
const COLOURS: [&str; 5] = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7"];
const PANEL: (f64, f64) = (300.0, 220.0);
/// The range of nanoseconds that is drawn.
const TIMES: (f64, f64) = (0.05, 1000.0);

impl Growth {
    /// Six panels, one line an engine, both scales logarithmic.
    pub fn svg(&self) -> String {
        let (width, height) = (3.0 * (PANEL.0 + 60.0) + 20.0, 2.0 * (PANEL.1 + 60.0) + 70.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" \
             fill=\"#fff\"/>\n<text x=\"10\" y=\"18\" font-size=\"14\">Nanoseconds for an element of \
             the result, by its bytes (float32)</text>\n<text x=\"10\" y=\"34\">{}</text>\n",
            self.about
        );
        for (n, name) in self.engines.iter().enumerate() {
            let x = 10.0 + 170.0 * n as f64;
            write_line(
                &mut svg,
                format_args!(
                    "<rect x=\"{x}\" y=\"44\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{}\" \
                 y=\"53\">{name}</text>",
                    COLOURS[n % COLOURS.len()],
                    x + 14.0
                ),
            );
        }
        for (i, work) in Work::ALL.into_iter().enumerate() {
            let x = 50.0 + (PANEL.0 + 60.0) * (i % 3) as f64;
            let y = 90.0 + (PANEL.1 + 60.0) * (i / 3) as f64;
            write_line(&mut svg, format_args!("<g transform=\"translate({x} {y})\">"));
            self.panel(&mut svg, work, &self.times[i]);
            svg += "</g>\n";
        }
        svg + "</svg>\n"
    }

    fn panel(&self, svg: &mut String, work: Work, times: &[Vec<Option<f64>>]) {
        let x_of_side = |i: usize| PANEL.0 * i as f64 / (self.sides.len() - 1).max(1) as f64;
        write_line(
            svg,
            format_args!("<text x=\"0\" y=\"-8\" font-size=\"13\">{}</text>", work.title()),
        );
        for power in -1..=3 {
            let time = 10f64.powi(power);
            let y = y_of_time(time);
            write_line(
                svg,
                format_args!(
                    "<line x1=\"0\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"-6\" \
                 y=\"{:.1}\" text-anchor=\"end\">{time}</text>",
                    PANEL.0,
                    y + 4.0
                ),
            );
        }
        for (i, &side) in self.sides.iter().enumerate().step_by(3) {
            write_line(
                svg,
                format_args!(
                    "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    x_of_side(i),
                    PANEL.1 + 14.0,
                    bytes(4 * side * side)
                ),
            );
        }
        // Ours last, on top.
        for n in (0..self.engines.len()).rev() {
            let points: Vec<String> = times
                .iter()
                .enumerate()
                .filter_map(|(i, row)| {
                    Some(format!("{:.1},{:.1}", x_of_side(i), y_of_time(row[n]?)))
                })
                .collect();
            write_line(
                svg,
                format_args!(
                    "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" points=\"{}\"/>",
                    COLOURS[n % COLOURS.len()],
                    if n == 0 { 2.5 } else { 1.5 },
                    points.join(" ")
                ),
            );
        }
    }

    /// The times as Markdown tables.
    pub fn markdown(&self) -> String {
        let mut text =
            format!("# Growth\n\n{}; nanoseconds for an element of the result\n", self.about);
        for (work, times) in Work::ALL.into_iter().zip(&self.times) {
            let names = self.engines.join(" | ");
            let sides = "---: | ".repeat(self.engines.len());
            text += &format!("\n## {}\n\n| bytes | {names} |\n| --- | {sides}\n", work.title());
            for (side, row) in self.sides.iter().zip(times) {
                let cell = |time: &Option<f64>| match time {
                    Some(time) => format!("{time:.3}"),
                    None => "FAILED".to_string(),
                };
                let cells: Vec<String> = row.iter().map(cell).collect();
                text += &format!("| {} | {} |\n", bytes(4 * side * side), cells.join(" | "));
            }
        }
        text
    }
}

/// The y coordinate of a time.
fn y_of_time(time: f64) -> f64 {
    let (least, most) = (TIMES.0.ln(), TIMES.1.ln());
    PANEL.1 * (1.0 - (time.clamp(TIMES.0, TIMES.1).ln() - least) / (most - least))
}

fn bytes(n: usize) -> String {
    match n {
        n if n < 1 << 10 => format!("{n} B"),
        n if n < 1 << 20 => format!("{} KB", n >> 10),
        n if n < 1 << 30 => format!("{} MB", n >> 20),
        n => format!("{} GB", n >> 30),
    }
}

fn write_line(svg: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(svg, "{text}").expect("a text can be written");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_go_from_sixteen_bytes_to_a_gigabyte() {
        let all = sides(false);
        assert_eq!((bytes(4 * all[0] * all[0]), all.len()), ("16 B".to_string(), 14));
        assert_eq!(bytes(4 * all[13] * all[13]), "1 GB");
    }

    #[test]
    fn slower_times_are_drawn_higher() {
        assert!(
            y_of_time(10.0) < y_of_time(1.0) && y_of_time(1e9) == 0.0 && y_of_time(0.0) == PANEL.1
        );
    }
}
