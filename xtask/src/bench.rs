//! `bench`: the benchmark program, which is a workspace of its own.

use crate::failure::{Failure, Outcome};
use crate::run::Runner;

/// Where the benchmark program is.
const MANIFEST: &str = "bench/Cargo.toml";

/// Runs the program with the words of the user; what they mean is its own affair.
pub fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    if !runner.root().join(MANIFEST).exists() {
        return Err(Failure::Step(format!("there are no benchmarks: {MANIFEST} does not exist")));
    }
    // Among the other build products, not in the source tree beside the manifest.
    let mut command = runner.isolated_cargo();
    command.env("CARGO_TARGET_DIR", "target/bench");
    command.args(["run", "--release", "--manifest-path", MANIFEST, "--"]).args(arguments);
    runner.run("bench", &mut command)?;
    Ok(())
}
