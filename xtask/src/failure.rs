//! `Failure`: the error of a subcommand, and its exit code.

use std::fmt;

/// What every subcommand returns.
pub(crate) type Outcome = Result<(), Failure>;

/// A failure, classified by its cause.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is invalid.
    Usage(String),
    /// A step was run and did not succeed.
    Step(String),
}

impl Failure {
    /// The exit code of the process: 2 for wrong usage, as for shells and cargo, otherwise 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Step(_) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Step(message) => f.write_str(message),
        }
    }
}
