//! `build-time`: how long a newcomer waits.

use std::fs;
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

use crate::failure::{Failure, Outcome};
use crate::run::{Runner, seconds};

/// The goal for a cold build on two idle cores. It is reported, never asserted: the duration depends on
/// what else runs on the machine.
const GOAL: Duration = Duration::from_secs(360);

/// Where the build goes, so that it finds nothing of earlier ones and spoils nothing either.
pub const FOLDER: &str = "target/cold";

/// A release build there of the default members, which are the library crates and the program. Names in it
/// have their types in them, for `simd`, which takes nothing and so can use the same build.
pub fn command(runner: &Runner) -> Command {
    let mut command = runner.isolated_cargo();
    command.env("RUSTFLAGS", "-Csymbol-mangling-version=v0");
    command.args(["build", "--release", "--target-dir", FOLDER]);
    command
}

/// Builds the default members from nothing, and reports how long it took.
pub fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    match fs::remove_dir_all(runner.root().join(FOLDER)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Failure::Step(format!("{FOLDER} could not be removed: {error}")));
        }
        _ => {}
    }
    // Before the clock starts: the network is not what is measured.
    runner.run("fetch", runner.isolated_cargo().args(["fetch", "--target", "host-tuple"]))?;

    let duration = runner.run("cold release build", &mut command(runner))?;

    let (took, goal) = (seconds(duration), seconds(GOAL));
    let ratio = duration.as_secs_f64() / GOAL.as_secs_f64();
    println!("\ncold release build: took {took} s, goal {goal} s, ratio {ratio:.2}");
    Ok(())
}
