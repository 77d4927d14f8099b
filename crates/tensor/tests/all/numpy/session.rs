//! `Session`: evaluates a batch of Python expressions with NumPy and compares the results with ours.
//!
//! A session writes two files: the inputs, as consecutive `.npy` arrays, and the expressions, one
//! per line, in which the inputs are called `a`, `b` and `c`. `compare.py` writes two
//! others: whether each expression was an error, and the values of those that were not.

use crate::numpy::close::{Tolerance, difference};
use belvedere::io::npy;
use belvedere::{Error, Tensor};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::Command;

/// The environment variable with the path of a Python that has NumPy. `cargo xtask test` sets it.
const PYTHON: &str = "BELVEDERE_PYTHON";

/// The maximum number of mismatches that are printed; further ones are counted.
const MOST_SHOWN: usize = 12;

pub(super) struct Session {
    python: OsString,
    folder: PathBuf,
    inputs: BufWriter<File>,
    questions: Vec<Question>,
}

struct Question {
    /// The group of the case in the table of counts.
    topic: String,
    n_inputs: usize,
    expression: String,
    tolerance: Tolerance,
    /// Our result.
    ours: Result<Tensor, Error>,
}

impl Session {
    /// Returns a session; without NumPy prints that the test is skipped and returns `None`.
    pub(super) fn new(name: &str) -> Option<Session> {
        let Some(python) = std::env::var_os(PYTHON) else {
            // Not `eprintln!`, whose output the test harness captures.
            let message = format!(
                "\nSKIPPED: nothing was compared with NumPy ({name}): {PYTHON} is not set; \
                 `cargo xtask test` sets it\n"
            );
            std::io::stderr().write_all(message.as_bytes()).expect("stderr");
            return None;
        };
        // The process id keeps concurrent runs apart.
        let name = format!("numpy-{name}-{}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("a folder for the files of the session");
        let inputs = File::create(folder.join("inputs.bin")).expect("a file for the inputs");
        Some(Session { python, folder, inputs: BufWriter::new(inputs), questions: Vec::new() })
    }

    /// Returns the number of samples of a case.
    pub(super) fn times(&self, n: usize) -> usize {
        if std::env::var_os("BELVEDERE_FULL").is_some() { 10 * n } else { n }
    }

    /// Adds an expression and our result. The inputs are written before our result is
    /// computed, which may change them.
    pub(super) fn ask(
        &mut self,
        topic: impl Into<String>,
        inputs: &[&Tensor],
        expression: String,
        tolerance: Tolerance,
        ours: impl FnOnce() -> Result<Tensor, Error>,
    ) {
        for input in inputs {
            npy::write_to(&mut self.inputs, input).expect("inputs can be written");
        }
        let (topic, n_inputs) = (topic.into(), inputs.len());
        self.questions.push(Question { topic, n_inputs, expression, tolerance, ours: ours() });
    }

    /// Adds an expression whose result is a string.
    pub(super) fn ask_text(
        &mut self,
        topic: &str,
        inputs: &[&Tensor],
        expression: String,
        ours: impl FnOnce() -> String,
    ) {
        let expression = format!("text({expression})");
        self.ask(topic, inputs, expression, Tolerance::Exact, || {
            let bytes = ours().into_bytes();
            let len = bytes.len();
            Tensor::from_vec(bytes, [len])
        });
    }

    /// Runs NumPy and compares all results.
    pub(super) fn finish(mut self) {
        let statuses = self.answer();
        let file = File::open(self.folder.join("results.bin")).expect("the results");
        let mut results = BufReader::new(file);
        let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
        let mut wrong = Vec::new();
        for (question, status) in self.questions.iter().zip(&statuses) {
            let theirs = match status.as_str() {
                "ok" => Ok(npy::read_from(&mut results).expect("a result")),
                error => Err(error),
            };
            let [n_cases, n_errors, n_elements] = counts.entry(&question.topic).or_default();
            *n_cases += 1;
            *n_errors += usize::from(theirs.is_err());
            *n_elements += theirs.as_ref().map_or(0, Tensor::len);
            if let Some(problem) = question.compare(theirs) {
                wrong.push(format!("{}: {problem}\n    {}", question.topic, question.expression));
            }
        }
        let n_elements: usize = counts.values().map(|it| it[2]).sum();
        println!("{} comparisons with NumPy, {n_elements} elements", self.questions.len());
        for (topic, [n_cases, n_errors, n_elements]) in &counts {
            println!(
                "  {topic:<20} {n_cases:>5} cases {n_elements:>8} elements {n_errors:>4} errors"
            );
        }
        assert_eq!(statuses.len(), self.questions.len(), "every question was answered");
        let n = wrong.len();
        wrong.truncate(MOST_SHOWN);
        assert!(n == 0, "{n} differ from NumPy, such as\n{}", wrong.join("\n"));
        // The files are kept after a failure, and removed otherwise.
        fs::remove_dir_all(&self.folder).expect("the folder of the session");
    }

    /// Runs Python and returns a status for each expression.
    fn answer(&mut self) -> Vec<String> {
        self.inputs.flush().expect("the inputs are written");
        let line = |it: &Question| format!("{}\t{}\n", it.n_inputs, it.expression);
        let lines: String = self.questions.iter().map(line).collect();
        fs::write(self.folder.join("questions.txt"), lines).expect("the questions");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/numpy/compare.py");
        let status = Command::new(&self.python).arg(script).arg(&self.folder).status();
        let status = status.expect("the Python of BELVEDERE_PYTHON can be run");
        assert!(status.success(), "compare.py ended with {status}");
        let statuses = fs::read_to_string(self.folder.join("statuses.txt")).expect("statuses");
        statuses.lines().map(str::to_string).collect()
    }
}

impl Question {
    /// Returns the mismatch of a case, if any.
    fn compare(&self, theirs: Result<Tensor, &str>) -> Option<String> {
        match (&self.ours, theirs) {
            (Ok(ours), Ok(theirs)) => difference(ours, &theirs, self.tolerance),
            (Err(_), Err(_)) => None,
            (Ok(ours), Err(error)) => Some(format!("{:?}, NumPy says {error}", ours.shape())),
            (Err(error), Ok(theirs)) => {
                Some(format!("{error}, NumPy has {} {:?}", theirs.dtype(), theirs.shape()))
            }
        }
    }
}
