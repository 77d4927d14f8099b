//! `build-time`: how long a newcomer waits.

use std::fs;
use std::io::ErrorKind;
use std::time::Duration;

use crate::failure::{Failure, Outcome};
use crate::run::{Runner, seconds};

/// The longest a first build may take on a small machine. Dependencies add up unnoticed, because
/// nobody who works here builds them twice; six minutes is a coffee, more is a reason to leave.
const LIMIT: Duration = Duration::from_secs(360);

/// Where the build goes, so that it finds nothing of earlier ones and spoils nothing either.
const FOLDER: &str = "target/cold";

/// Builds the default members, which are the library crates and the program, in release mode and from
/// nothing.
pub fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    match fs::remove_dir_all(runner.root().join(FOLDER)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Failure::Step(format!("{FOLDER} could not be removed: {error}")));
        }
        _ => {}
    }
    // Before the clock starts: the network is not what is measured.
    runner.run("fetch", runner.isolated_cargo().args(["fetch", "--target", "host-tuple"]))?;

    let arguments = ["build", "--release", "--target-dir", FOLDER];
    let duration = runner.run("cold release build", runner.isolated_cargo().args(arguments))?;

    let (took, limit) = (seconds(duration), LIMIT.as_secs());
    println!("\ncold release build: {took} s (limit {limit} s)");
    if duration > LIMIT {
        return Err(Failure::Step(format!("cold release build took {took} s (limit {limit} s)")));
    }
    Ok(())
}
