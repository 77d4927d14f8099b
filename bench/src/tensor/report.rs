//! The results of `tensor` as a table, for the terminal and as Markdown.

use super::goal::{Goal, Measured, Score};
use crate::table::{aligned, markdown_table, microseconds};

/// One benchmark case, and the time of each engine in nanoseconds.
pub struct Row {
    pub name: &'static str,
    pub dtype: &'static str,
    pub bytes: usize,
    pub goal: Goal,
    /// Belvedere's time; `None` if it failed.
    pub ours: Option<f64>,
    pub peers: Vec<(&'static str, Option<f64>)>,
    /// Peers that failed, or whose result differs from Belvedere's.
    pub failed: Vec<&'static str>,
}

impl Row {
    /// The share of the speed of `memcpy`, for rows that move at least 16 MiB.
    pub fn share(&self, memcpy: f64) -> Option<f64> {
        let is_large = self.bytes >= 16 << 20;
        let ours = self.ours.filter(|_| is_large)?;
        Some(self.bytes as f64 / (ours * 1e-9) / memcpy)
    }

    /// How many times as long as ours each peer takes.
    pub fn ratios(&self) -> impl Iterator<Item = Option<f64>> {
        self.peers.iter().map(|(_, time)| Some((*time)? / self.ours?))
    }

    /// The score, unless Belvedere failed.
    fn score(&self, memcpy: f64) -> Option<Score> {
        let share = self.share(memcpy);
        let score = |ours| self.goal.score(&Measured { ours, peers: &self.peers, share });
        self.ours.map(score)
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
    /// The machine, and the versions of all libraries, as a list in Markdown.
    pub machine: String,
    /// The headings of the peers' columns.
    pub peers: Vec<String>,
    pub rows: Vec<Row>,
    /// The speed of `memcpy` in bytes per second.
    pub memcpy: f64,
    /// Failures, a sentence each.
    pub troubles: Vec<String>,
}

impl Report {
    /// For a terminal.
    pub fn text(&self) -> String {
        format!("{}\n\n{}{}", self.about, aligned(&self.cells()), self.summary())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let summary = self.summary().trim().replace('\n', "  \n");
        format!(
            "# Tensors\n\n{}\n\n{}\n{}\n\n{summary}\n",
            self.about,
            self.machine,
            markdown_table(&self.cells())
        )
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let mut heading = vec!["µs; then peer ÷ Belvedere".to_string(), "Belvedere".to_string()];
        heading.extend(self.peers.iter().cloned());
        heading.extend(["of memcpy", "goal", "reached", "memory speed"].map(str::to_string));
        let rows = self.rows.iter().map(|row| {
            let mut cells = vec![row.label(), row.ours.map_or("FAILED".to_string(), microseconds)];
            let ratios = row.peers.iter().zip(row.ratios()).map(|((name, _), ratio)| match ratio {
                Some(ratio) => format!("{ratio:.2}"),
                None if row.failed.contains(name) => "FAILED".to_string(),
                None => "–".to_string(),
            });
            cells.extend(ratios);
            let share = row.share(self.memcpy);
            cells.push(share.map_or("–".to_string(), |it| format!("{:.0} %", 100.0 * it)));
            cells.push(row.goal.text().to_string());
            let score = row.score(self.memcpy);
            let met = if score.is_some_and(|it| it.meets_goal) { "met" } else { "MISSED" };
            let at_speed = if score.is_some_and(|it| it.at_memory_speed) { "yes" } else { "" };
            cells.extend([met, at_speed].map(str::to_string));
            cells
        });
        [heading].into_iter().chain(rows).collect()
    }

    fn summary(&self) -> String {
        let scores: Vec<Score> =
            self.rows.iter().filter_map(|row| row.score(self.memcpy)).collect();
        let mut text = format!(
            "\n{} of {} goals met; of the rest, {} at 90 % of memcpy ({:.1} GB/s) or more\n",
            scores.iter().filter(|it| it.meets_goal).count(),
            self.rows.len(),
            scores.iter().filter(|it| !it.meets_goal && it.at_memory_speed).count(),
            self.memcpy / 1e9
        );
        text += &self.own_ratios();
        for trouble in &self.troubles {
            text += &format!("FAILED: {trouble}\n");
        }
        text
    }

    /// Goals for the ratio of two of Belvedere's own rows.
    fn own_ratios(&self) -> String {
        let time = |name: &str| {
            let row = self.rows.iter().find(|row| row.name == name && row.dtype == "float32");
            row.and_then(|row| row.ours)
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
