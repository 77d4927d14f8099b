//! The rows as tables: by layout, size, dtype and function, and the slowest rows.

use std::collections::BTreeMap;

use belvedere::DType;

use super::calls::Call;
use super::operands::Placement;
use crate::table::{markdown_table, microseconds};

/// A layout is slow if it takes more than twice the time of contiguous operands. A stepped operand has half of its bytes in the
/// cache lines that are read.
const SLOW: f64 = 0.5;
const MAX_SLOW_ROWS: usize = 100;

/// A call on operands of a layout.
#[derive(Clone)]
pub struct Row {
    pub call: &'static Call,
    pub size: &'static str,
    pub dtype: DType,
    pub shape: &'static [usize],
    pub placement: Placement,
    /// The nanoseconds of the call on contiguous operands of the same values.
    pub contiguous: f64,
    /// The nanoseconds of this call.
    pub time: f64,
}

impl Row {
    /// The speed relative to that of contiguous operands.
    pub fn ratio(&self) -> f64 {
        self.contiguous / self.time
    }
}

/// All rows, and where they were measured.
pub struct Report {
    pub about: String,
    pub rows: Vec<Row>,
}

impl Report {
    /// All tables.
    pub fn markdown(&self) -> String {
        let ratios: Vec<f64> = self.rows.iter().map(Row::ratio).collect();
        let n_slow = ratios.iter().filter(|&&it| it < SLOW).count();
        let mut text = format!(
            "# Sweep of the Rust crate\n\nThe time of a call on contiguous operands ÷ its time on operands of another layout with the \
             same values; 1 means that the layout costs nothing. One thread, best of the turns, on {}. {} rows, geometric mean \
             {:.2}, {n_slow} below {SLOW} ({:.1} %).\n",
            self.about,
            ratios.len(),
            geometric_mean(&ratios),
            100.0 * n_slow as f64 / ratios.len().max(1) as f64,
        );
        text += &self.table("layout", |row| row.placement.to_string());
        text += &self.table("elements", |row| row.size.to_string());
        text += &self.table("dtype", |row| row.dtype.to_string());
        text += &self.table("function", |row| row.call.function.to_string());
        text + &self.slow_rows()
    }

    /// The rows by a property, in the order of its first row.
    fn table(&self, name: &str, key: impl Fn(&Row) -> String) -> String {
        let mut order: Vec<String> = Vec::new();
        let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in &self.rows {
            let key = key(row);
            if !groups.contains_key(&key) {
                order.push(key.clone());
            }
            groups.entry(key).or_default().push(row.ratio());
        }
        let heading = [name, "rows", "geometric mean", "worst", &format!("below {SLOW}")];
        let mut cells = vec![heading.map(str::to_string).to_vec()];
        for key in order {
            let ratios = &groups[&key];
            let worst = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let n_slow = ratios.iter().filter(|&&it| it < SLOW).count();
            cells.push(vec![
                key,
                ratios.len().to_string(),
                format!("{:.2}", geometric_mean(ratios)),
                format!("{worst:.2}"),
                n_slow.to_string(),
            ]);
        }
        format!("\n{}", markdown_table(&cells))
    }

    fn slow_rows(&self) -> String {
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| row.ratio() < SLOW).collect();
        rows.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        let heading = ["row", "contiguous ÷ layout", "contiguous µs", "layout µs"];
        let mut cells = vec![heading.map(str::to_string).to_vec()];
        cells.extend(rows.into_iter().take(MAX_SLOW_ROWS).map(|row| {
            let lengths: Vec<String> = row.shape.iter().map(usize::to_string).collect();
            let name = format!(
                "{}: `{}`, {}, {}, {}",
                row.call.function,
                row.call.expression,
                row.dtype,
                row.placement,
                lengths.join("×")
            );
            let ratio = format!("{:.2}", row.ratio());
            vec![name, ratio, microseconds(row.contiguous), microseconds(row.time)]
        }));
        format!("\n{}", markdown_table(&cells))
    }
}

pub fn geometric_mean(ratios: &[f64]) -> f64 {
    let sum: f64 = ratios.iter().map(|it| it.ln()).sum();
    (sum / ratios.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::super::calls::OTHERS;
    use super::*;

    fn row(placement: Placement, time: f64) -> Row {
        Row {
            call: &OTHERS[0],
            size: "16",
            dtype: DType::Float32,
            shape: &[4, 4],
            placement,
            contiguous: 1000.0,
            time,
        }
    }

    #[test]
    fn rows_are_grouped_and_the_slow_ones_listed() {
        let rows = vec![
            row(Placement::Transposed, 500.0),
            row(Placement::Transposed, 8000.0),
            row(Placement::Flipped, 1000.0),
        ];
        let text = Report { about: "a machine".to_string(), rows }.markdown();
        assert!(text.contains("3 rows, geometric mean 0.63, 1 below 0.5 (33.3 %)"), "{text}");
        assert!(text.contains("| transposed | 2 | 0.50 | 0.12 | 1 |"), "{text}");
        assert!(text.contains("| flipped | 1 | 1.00 | 1.00 | 0 |"), "{text}");
        assert!(
            text.contains("| copy: `x.copy()`, float32, transposed, 4×4 | 0.12 | 1.000 | 8.000 |"),
            "{text}"
        );
    }
}
