//! A page with tables.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Where the tables begin. What is above is written by hand.
const MARK: &str =
    "<!-- Made from the rows of tests/numpy/guide: what is below is checked there. -->\n";

pub(super) struct Page {
    path: PathBuf,
    tables: String,
    /// The chapter whose table has not begun, because it has no row yet.
    waiting: Option<&'static str>,
}

impl Page {
    pub(super) fn new(name: &str) -> Page {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        Page { path, tables: String::new(), waiting: None }
    }

    pub(super) fn chapter(&mut self, title: &'static str) {
        self.waiting = Some(title);
    }

    /// A row, unless the left side has nothing to say.
    pub(super) fn row(&mut self, theirs: &str, ours: &str, memory: &str) {
        if theirs.is_empty() {
            return;
        }
        let source = match self.path.file_stem().and_then(|it| it.to_str()) {
            Some("pytorch") => "PyTorch",
            _ => "NumPy",
        };
        if let Some(title) = self.waiting.take() {
            write!(self.tables, "\n## {title}\n\n| {source} | Belvedere | |\n|---|---|---|\n")
                .expect("a text can be written");
        }
        // Long expressions come in several lines.
        let cell =
            |code: &str| code.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        writeln!(self.tables, "| `{}` | `{}` | {memory} |", cell(theirs), cell(ours))
            .expect("a text can be written");
    }

    /// Compares with the file, or writes it.
    pub(super) fn check(self) {
        let found = fs::read_to_string(&self.path).unwrap_or_else(|_| MARK.to_string());
        let (by_hand, _) = found.split_once(MARK).expect("a mark where the tables begin");
        let wanted = format!("{by_hand}{MARK}{}", self.tables);
        if std::env::var_os("BELVEDERE_WRITE").is_some() {
            fs::write(&self.path, wanted).expect("the page can be written");
            return;
        }
        let differing = found.lines().zip(wanted.lines()).find(|(found, wanted)| found != wanted);
        assert!(
            found == wanted,
            "{} is not what the rows say (BELVEDERE_WRITE=1 writes it): {differing:?}",
            self.path.display()
        );
    }
}
