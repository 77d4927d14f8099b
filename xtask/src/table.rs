//! Aligned columns of text.

/// The heading of a column, and the alignment of its cells.
pub(crate) enum Column {
    /// Left-aligned, for text.
    Left(&'static str),
    /// Right-aligned, for numbers.
    Right(&'static str),
}

/// The table as lines, each as wide as its cells need and without blanks at the end.
pub(crate) fn render<const N: usize>(columns: [Column; N], rows: &[[String; N]]) -> String {
    let title = |column: &Column| match *column {
        Column::Left(title) | Column::Right(title) => title.to_string(),
    };
    let titles = [columns.each_ref().map(title)];
    let lines = || titles.iter().chain(rows);
    let widths: [usize; N] =
        std::array::from_fn(|i| lines().map(|line| line[i].chars().count()).max().unwrap_or(0));

    let mut text = String::new();
    for line in lines() {
        let cells: Vec<String> = (0..N)
            .map(|i| match columns[i] {
                Column::Left(_) => format!("{:<width$}", line[i], width = widths[i]),
                Column::Right(_) => format!("{:>width$}", line[i], width = widths[i]),
            })
            .collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_left_aligned_and_numbers_right_aligned() {
        let rows = [["fmt".into(), "0.4".into()], ["clippy".into(), "12.5".into()]];
        let table = render([Column::Left("step"), Column::Right("seconds")], &rows);
        assert_eq!(table, "step    seconds\nfmt         0.4\nclippy     12.5\n");
    }
}
