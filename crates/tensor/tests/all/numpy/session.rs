//! Questions that are put to NumPy in one go, and the comparison of its answers with ours.
//!
//! A session writes two files: the inputs, one `.npy` after the other, and the questions, one Python
//! expression a line, in which the inputs are called `a`, `b` and `c`. `compare.py` writes two
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

/// The variable with the path of a Python that has NumPy. `cargo xtask test` sets it.
const PYTHON: &str = "BELVEDERE_PYTHON";

/// Mismatches beyond these are only counted.
const MOST_SHOWN: usize = 12;

pub(super) struct Session {
    python: OsString,
    folder: PathBuf,
    inputs: BufWriter<File>,
    questions: Vec<Question>,
}

struct Question {
    /// What it is about, for the table of counts.
    topic: String,
    n_inputs: usize,
    expression: String,
    tolerance: Tolerance,
    /// Our answer.
    ours: Result<Tensor, Error>,
}

impl Session {
    /// A session, if there is a NumPy to ask. If not, says so even where output is captured.
    pub(super) fn new(name: &str) -> Option<Session> {
        let Some(python) = std::env::var_os(PYTHON) else {
            // Not `eprintln!`, which the test harness would swallow.
            let message = format!(
                "\nSKIPPED: nothing was compared with NumPy ({name}): {PYTHON} is not set; \
                 `cargo xtask test` sets it\n"
            );
            std::io::stderr().write_all(message.as_bytes()).expect("stderr");
            return None;
        };
        // The number, so that two runs at a time do not meet.
        let name = format!("numpy-{name}-{}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("a folder for the files of the session");
        let inputs = File::create(folder.join("inputs.bin")).expect("a file for the inputs");
        Some(Session { python, folder, inputs: BufWriter::new(inputs), questions: Vec::new() })
    }

    /// How often a sampled case is to be tried.
    pub(super) fn times(&self, n: usize) -> usize {
        if std::env::var_os("BELVEDERE_FULL").is_some() { 10 * n } else { n }
    }

    /// Asks what an expression is, and notes our own answer. The inputs are written before it is
    /// found, so that it may change them.
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

    /// Asks for a text.
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

    /// Lets NumPy answer, and compares.
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
        // What went wrong can be looked at; what did not need not stay.
        fs::remove_dir_all(&self.folder).expect("the folder of the session");
    }

    /// Runs Python, and gives a status for each question.
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
    /// What is wrong, if something is.
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
