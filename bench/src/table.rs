//! The results as a table, for the terminal and as Markdown.

use crate::turns::Timing;

/// One row: an operation at a rank, and the time of each engine.
#[derive(Clone, Debug)]
pub struct Line {
    /// The operation.
    pub operation: &'static str,
    /// The rank of the layout it begins with.
    pub rank: usize,
    /// Belvedere's time.
    pub ours: Timing,
    /// Each peer's time, where it has the operation.
    pub peers: Vec<Option<Timing>>,
    /// Notes about how a peer performs the operation.
    pub note: String,
}

impl Line {
    /// The fastest peer's time divided by ours, rounded to the two digits that are shown; `None`
    /// where no peer has the operation.
    pub fn lead(&self) -> Option<f64> {
        let best = self.peers.iter().flatten().map(|it| it.median).min_by(f64::total_cmp)?;
        Some((100.0 * best / self.ours.median).round() / 100.0)
    }

    fn cells(&self) -> Vec<String> {
        let nanoseconds = |timing: Timing| format!("{:.1}", timing.median);
        let peers = self.peers.iter().map(|peer| peer.map_or("–".to_string(), nanoseconds));
        let (lead, mark) = match self.lead() {
            Some(lead) if lead < 1.0 => (format!("{lead:.2}"), "behind"),
            Some(lead) => (format!("{lead:.2}"), ""),
            None => ("–".to_string(), ""),
        };
        let mut cells = vec![self.operation.to_string(), self.rank.to_string()];
        cells.push(nanoseconds(self.ours));
        cells.extend(peers);
        cells.extend([lead, mark.to_string(), self.note.clone()]);
        cells
    }
}

/// All rows, and the names of the peers in the order of their columns.
pub struct Table {
    /// The headings of the peers' columns.
    pub peers: Vec<&'static str>,
    /// The rows.
    pub lines: Vec<Line>,
}

impl Table {
    /// Aligned columns, for a terminal.
    pub fn text(&self) -> String {
        let rows = self.rows();
        let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
                if self.is_number(i) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let rows = self.rows();
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let side = |i: usize| if self.is_number(i) { "---:" } else { "---" }.to_string();
        let sides: Vec<String> = (0..rows[0].len()).map(side).collect();
        let body: String = rows[1..].iter().map(|row| line(row)).collect();
        line(&rows[0]) + &line(&sides) + &body
    }

    /// The number of rows that a peer shares, the number of them on which Belvedere is ahead of every
    /// peer, and how much slower the median round was than the best one.
    pub fn summary(&self) -> String {
        let leads: Vec<f64> = self.lines.iter().filter_map(Line::lead).collect();
        let n_ahead = leads.iter().filter(|&&lead| lead >= 1.0).count();
        format!(
            "ahead of both on {n_ahead} of {} shared rows; medians lie {:.0} % above the best \
             rounds",
            leads.len(),
            100.0 * self.noise()
        )
    }

    /// The median, over the rows, of how far our own median lies above our best round.
    fn noise(&self) -> f64 {
        let mut excess: Vec<f64> =
            self.lines.iter().map(|it| it.ours.median / it.ours.best - 1.0).collect();
        excess.sort_unstable_by(f64::total_cmp);
        excess.get(excess.len() / 2).copied().unwrap_or(0.0)
    }

    /// Heading and body as cells.
    fn rows(&self) -> Vec<Vec<String>> {
        let mut heading = vec!["ns per call", "rank", "Belvedere"];
        heading.extend(&self.peers);
        heading.extend(["best peer ÷ Belvedere", "", "note"]);
        let heading = heading.into_iter().map(str::to_string).collect();
        [heading].into_iter().chain(self.lines.iter().map(Line::cells)).collect()
    }

    /// Whether a column holds numbers, which are right-aligned: from the rank to the ratio.
    fn is_number(&self, column: usize) -> bool {
        (1..self.peers.len() + 4).contains(&column)
    }
}

/// Rows of cells in columns, for a terminal. The first column is left-aligned.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| match i {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// The same as a table in Markdown.
pub fn markdown_table(rows: &[Vec<String>]) -> String {
    // A vertical bar would end the cell.
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|it| it.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let sides: Vec<String> =
        (0..rows[0].len()).map(|i| if i == 0 { "---" } else { "---:" }.to_string()).collect();
    let body: String = rows[1..].iter().map(|row| line(row)).collect();
    line(&rows[0]) + &line(&sides) + &body
}

/// A time for a table, with the digits that are measured.
pub fn microseconds(nanoseconds: f64) -> String {
    match nanoseconds / 1e3 {
        it if it < 10.0 => format!("{it:.3}"),
        it if it < 1000.0 => format!("{it:.1}"),
        it => format!("{it:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(median: f64) -> Timing {
        Timing { median, best: median / 2.0 }
    }

    fn table() -> Table {
        let line = |operation, peers, note: &str| Line {
            operation,
            rank: 4,
            ours: timing(10.0),
            peers,
            note: note.to_string(),
        };
        Table {
            peers: vec!["a", "b"],
            lines: vec![
                line("flip", vec![Some(timing(25.0)), None], ""),
                line("clone", vec![Some(timing(40.0)), Some(timing(5.0))], "b: cheats"),
                line("span", vec![None, None], ""),
            ],
        }
    }

    #[test]
    fn the_ratio_is_that_of_the_fastest_peer() {
        let expected = "\
ns per call  rank  Belvedere     a    b  best peer ÷ Belvedere          note
flip            4       10.0  25.0    –                   2.50
clone           4       10.0  40.0  5.0                   0.50  behind  b: cheats
span            4       10.0     –    –                      –
";
        assert_eq!(table().text(), expected);
    }

    #[test]
    fn rows_without_a_peer_are_not_counted() {
        let expected =
            "ahead of both on 1 of 2 shared rows; medians lie 100 % above the best rounds";
        assert_eq!(table().summary(), expected);
    }

    #[test]
    fn markdown_has_the_same_cells() {
        let markdown = table().markdown();
        let lines: Vec<_> = markdown.lines().collect();
        assert_eq!(lines[1], "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |");
        assert_eq!(lines[3], "| clone | 4 | 10.0 | 40.0 | 5.0 | 0.50 | behind | b: cheats |");
    }
}
