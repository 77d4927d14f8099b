//! `Page`: a guide whose tables are generated from the rows.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The line above the tables. The text before it is written by hand.
const MARK: &str =
    "<!-- Generated from the rows in tests/all/numpy/guide, which the tests run. -->\n";

pub(super) struct Page {
    path: PathBuf,
    tables: String,
    /// The title of a chapter that has no row yet.
    pending_title: Option<&'static str>,
}

impl Page {
    pub(super) fn new(name: &str) -> Page {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        Page { path, tables: String::new(), pending_title: None }
    }

    pub(super) fn chapter(&mut self, title: &'static str) {
        self.pending_title = Some(title);
    }

    /// Adds a row, unless the library has no equivalent.
    pub(super) fn row(&mut self, theirs: &str, ours: &str, memory: &str) {
        if theirs.is_empty() {
            return;
        }
        let source = match self.path.file_stem().and_then(|it| it.to_str()) {
            Some("pytorch") => "PyTorch",
            _ => "NumPy",
        };
        if let Some(title) = self.pending_title.take() {
            write!(self.tables, "\n## {title}\n\n| {source} | Belvedere | |\n|---|---|---|\n")
                .expect("writing to a string does not fail");
        }
        // `stringify!` breaks long expressions into several lines.
        let cell =
            |code: &str| code.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        writeln!(self.tables, "| `{}` | `{}` | {memory} |", cell(theirs), cell(ours))
            .expect("writing to a string does not fail");
    }

    /// Compares the page with the file, or writes it if `BELVEDERE_WRITE` is set.
    pub(super) fn check(self) {
        let found = fs::read_to_string(&self.path).unwrap_or_else(|_| MARK.to_string());
        let (by_hand, _) = found.split_once(MARK).expect("the line above the tables");
        let expected = format!("{by_hand}{MARK}{}", self.tables);
        if std::env::var_os("BELVEDERE_WRITE").is_some() {
            fs::write(&self.path, expected).expect("the page can be written");
            return;
        }
        let differing =
            found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        assert!(
            found == expected,
            "{} is stale (BELVEDERE_WRITE=1 rewrites it): {differing:?}",
            self.path.display()
        );
    }
}
