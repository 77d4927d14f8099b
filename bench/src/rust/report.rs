//! The results of `rust` as a table, for the terminal and as Markdown.

use crate::table::{aligned, markdown_table, microseconds};

/// The goal: the time of ndarray divided by ours.
const GOAL_RATIO: f64 = 0.95;

/// One row: a kind of work at a size, and the time of both libraries in nanoseconds.
pub struct Line {
    pub name: String,
    /// The length of both axes.
    pub side: usize,
    pub ours: f64,
    pub theirs: f64,
}

impl Line {
    /// The time of ndarray divided by ours, rounded to the two digits that are shown.
    fn ratio(&self) -> f64 {
        (100.0 * self.theirs / self.ours).round() / 100.0
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            format!("{}²", self.side),
            microseconds(self.ours),
            microseconds(self.theirs),
            format!("{:.2}", self.ratio()),
            if self.ratio() < GOAL_RATIO { "behind" } else { "" }.to_string(),
        ]
    }
}

/// All rows, and how they were measured.
pub struct Report {
    pub about: String,
    pub lines: Vec<Line>,
}

impl Report {
    /// For a terminal.
    pub fn text(&self) -> String {
        format!("{}\n{}", aligned(&self.cells()), self.summary())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let table = markdown_table(&self.cells());
        format!("# Rust\n\n{}\n\n{table}\n{}\n", self.about, self.summary())
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let heading =
            ["µs per call", "size", "Belvedere", "ndarray 0.17.2", "ndarray ÷ Belvedere", ""];
        let heading = heading.map(str::to_string).to_vec();
        [heading].into_iter().chain(self.lines.iter().map(Line::cells)).collect()
    }

    fn summary(&self) -> String {
        let n_met = self.lines.iter().filter(|it| it.ratio() >= GOAL_RATIO).count();
        format!("{n_met} of {} rows at {GOAL_RATIO} or more (goal: all)", self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_below_the_goal_are_marked() {
        let line = |name: &str, theirs| Line { name: name.into(), side: 8, ours: 1000.0, theirs };
        let lines = vec![line("rows", 946.0), line("zip", 944.0)];
        let report = Report { about: "Quick.".into(), lines };
        let expected = "\
# Rust

Quick.

| µs per call | size | Belvedere | ndarray 0.17.2 | ndarray ÷ Belvedere |  |
| --- | ---: | ---: | ---: | ---: | ---: |
| rows | 8² | 1.000 | 0.946 | 0.95 |  |
| zip | 8² | 1.000 | 0.944 | 0.94 | behind |

1 of 2 rows at 0.95 or more (goal: all)
";
        assert_eq!(report.markdown(), expected);
    }
}
