//! `Failure`: the error of a benchmark run, and its exit code.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A failure, classified by its cause.
#[derive(Debug)]
pub enum Failure {
    /// The command line is invalid.
    Usage(String),
    /// The result of an engine differs from Belvedere's.
    Disagreement {
        /// The engine.
        engine: &'static str,
        /// The row of the table.
        row: String,
        /// Belvedere's result.
        ours: String,
        /// The engine's result.
        theirs: String,
    },
    /// Another process, or an engine of a row, failed.
    Child(String),
    /// The results could not be written to a file.
    Write(PathBuf, io::Error),
}

impl Failure {
    /// The exit code of the process: 2 for wrong usage, as for shells and cargo, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Disagreement { .. } | Failure::Child(_) | Failure::Write(..) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Child(message) => f.write_str(message),
            Failure::Disagreement { engine, row, ours, theirs } => {
                write!(f, "{row}: {engine} answers {theirs}, Belvedere {ours}")
            }
            Failure::Write(path, error) => write!(f, "{} was not written: {error}", path.display()),
        }
    }
}
