//! The results as a table.

use super::goal::Goal;
use super::transpositions::Transpositions;

/// One piece of work, and what it took everybody, in nanoseconds.
pub struct Row {
    pub name: &'static str,
    pub dtype: &'static str,
    pub bytes: usize,
    pub goal: Goal,
    pub ours: f64,
    pub peers: Vec<(&'static str, Option<f64>)>,
}

impl Row {
    /// The share of what memory allows, where caches are no help.
    pub fn share(&self, memcpy: f64) -> Option<f64> {
        let is_large = self.bytes >= 16 << 20;
        is_large.then(|| self.bytes as f64 / (self.ours * 1e-9) / memcpy)
    }

    pub fn label(&self) -> String {
        match self.dtype {
            "float32" => self.name.to_string(),
            other => format!("{} {other}", self.name),
        }
    }
}

pub struct Report {
    pub about: String,
    /// The headings of the peers' columns.
    pub peers: Vec<String>,
    pub rows: Vec<Row>,
    /// Bytes a second.
    pub memcpy: f64,
    pub transpositions: Option<Transpositions>,
}

impl Report {
    /// For a terminal.
    pub fn text(&self) -> String {
        let rows = self.cells();
        let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        let mut text = format!("{}\n\n", self.about);
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| match i {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text + &self.summary()
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let rows = self.cells();
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let sides: Vec<String> =
            (0..rows[0].len()).map(|i| if i == 0 { "---" } else { "---:" }.to_string()).collect();
        let body: String = rows[1..].iter().map(|row| line(row)).collect();
        format!(
            "# tensor\n\n{}\n\n{}{}{body}{}",
            self.about,
            line(&rows[0]),
            line(&sides),
            self.summary()
        )
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let mut heading = vec!["µs; then peer ÷ Belvedere".to_string(), "Belvedere".to_string()];
        heading.extend(self.peers.iter().cloned());
        heading.extend(["of memcpy", "goal", ""].map(str::to_string));
        let rows = self.rows.iter().map(|row| {
            let mut cells = vec![row.label(), microseconds(row.ours)];
            let ratio = |&(_, time): &(_, Option<f64>)| {
                time.map_or("–".to_string(), |time| format!("{:.2}", time / row.ours))
            };
            cells.extend(row.peers.iter().map(ratio));
            let share = row.share(self.memcpy);
            cells.push(share.map_or("–".to_string(), |it| format!("{:.0} %", 100.0 * it)));
            cells.push(row.goal.text().to_string());
            let met = row.goal.is_met(&row.measured(self.memcpy));
            cells.push(if met { "met" } else { "MISSED" }.to_string());
            cells
        });
        [heading].into_iter().chain(rows).collect()
    }

    fn summary(&self) -> String {
        let met = self.rows.iter().filter(|row| row.goal.is_met(&row.measured(self.memcpy)));
        let mut text = format!(
            "\n{} of {} goals met; memcpy {:.1} GB/s\n",
            met.count(),
            self.rows.len(),
            self.memcpy / 1e9
        );
        text += &self.own_ratios();
        if let Some(transpositions) = &self.transpositions {
            text += &transpositions.text();
        }
        text
    }

    /// Goals that are about our own rows.
    fn own_ratios(&self) -> String {
        let time = |name: &str| {
            let row = self.rows.iter().find(|row| row.name == name && row.dtype == "float32");
            row.map(|row| row.ours)
        };
        let pairs = [
            ("a + bᵀ, 4096²", "add 16 M", 1.3),
            ("matmul 1024³ NT", "matmul 1024³ NN", 1.1),
            ("matmul 1024³ TN", "matmul 1024³ NN", 1.1),
            ("matmul 1024³ TT", "matmul 1024³ NN", 1.1),
        ];
        let lines = pairs.into_iter().filter_map(|(name, base, most)| {
            let ratio = time(name)? / time(base)?;
            let met = if ratio <= most { "met" } else { "MISSED" };
            Some(format!("{name}: {ratio:.2}× {base} (at most {most}): {met}\n"))
        });
        lines.collect()
    }
}

fn microseconds(nanoseconds: f64) -> String {
    match nanoseconds / 1e3 {
        it if it < 10.0 => format!("{it:.3}"),
        it if it < 1000.0 => format!("{it:.1}"),
        it => format!("{it:.0}"),
    }
}
