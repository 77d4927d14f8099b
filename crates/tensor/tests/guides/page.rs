//! `Page`: a guide whose tables are generated from the rows.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

pub(crate) struct Page {
    path: PathBuf,
    /// The heading of the left column.
    library: &'static str,
    /// The line above the tables. The text before it is written by hand.
    mark: String,
    tables: String,
    /// The title of a chapter that has no row yet.
    pending_title: Option<&'static str>,
}

impl Page {
    /// A page of `docs/` for the users of a library, from the rows at a path.
    pub(crate) fn new(name: &str, library: &'static str, rows: &str) -> Page {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        let mark = format!("<!-- Generated from the rows in {rows}, which the tests run. -->\n");
        Page { path, library, mark, tables: String::new(), pending_title: None }
    }

    pub(crate) fn chapter(&mut self, title: &'static str) {
        self.pending_title = Some(title);
    }

    /// Adds a row, unless the library has no equivalent.
    pub(crate) fn row(&mut self, theirs: &str, ours: &str, memory: &str) {
        if theirs.is_empty() {
            return;
        }
        if let Some(title) = self.pending_title.take() {
            let library = self.library;
            write!(self.tables, "\n## {title}\n\n| {library} | Belvedere | |\n|---|---|---|\n")
                .expect("writing to a string does not fail");
        }
        // `stringify!` breaks long expressions into several lines.
        let cell =
            |code: &str| code.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        writeln!(self.tables, "| `{}` | `{}` | {memory} |", cell(theirs), cell(ours))
            .expect("writing to a string does not fail");
    }

    /// Compares the page with the file, or writes it if `BELVEDERE_WRITE` is set.
    pub(crate) fn check(self) {
        let mark = &self.mark;
        let found = fs::read_to_string(&self.path).unwrap_or_else(|_| mark.clone());
        let (by_hand, _) = found.split_once(mark).expect("the line above the tables");
        let expected = format!("{by_hand}{mark}{}", self.tables);
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
