//! How a subcommand ends when it does not end well.

use std::fmt;

/// What every subcommand returns.
pub(crate) type Outcome = Result<(), Failure>;

/// A failure, classified by its cause.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line makes no sense.
    Usage(String),
    /// A step was run and did not succeed.
    Step(String),
}

impl Failure {
    /// The exit code of the process: 2 for wrong usage, as shells and cargo have it, otherwise 1.
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
