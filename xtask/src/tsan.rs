//! ThreadSanitizer: data races of the tests with threads. A step of `sanitize`.
//!
//! It has to see every access, so the standard library is compiled with it, from the component `rust-src`.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::part::Part;
use crate::run::Runner;

/// The name of the step.
const NAME: &str = "ThreadSanitizer: tests with threads";

/// The folder of the instrumented build.
const FOLDER: &str = "target/tsan";

/// The tests with threads: the arguments that select a test program, and filters. Not those that fork: the sanitizer starts no
/// threads in a child of a process with threads. Nor `concurrent_writes`, which writes to foreign memory during operations on
/// purpose.
const TESTS: [(&str, &[&str]); 2] = [
    ("--lib", &["--skip", "fork", "borrow::", "pool::"]),
    ("--test=all", &["threads::", "zip::threads"]),
];

/// Runs the tests with threads under ThreadSanitizer, if the sources of the standard library are installed.
pub(crate) fn part(runner: &mut Runner, package: &str) -> Part {
    match has_sources(runner) {
        Ok(true) => {}
        Ok(false) => {
            return Part::skipped(NAME, "`rustup component add rust-src` installs what it needs");
        }
        Err(failure) => return Part::from_result(NAME, Err(failure)),
    }
    let mut total = Part::new(NAME);
    for (program, filters) in TESTS {
        let mut command = tsan_command(runner, package);
        command.arg(program).arg("--").args(filters);
        let result = Part::test_round(runner, &format!("tsan {program}"), &mut command);
        total.add(Part::from_result(program, result));
    }
    total
}

/// Whether the sources of the standard library are installed.
fn has_sources(runner: &mut Runner) -> Result<bool, Failure> {
    let mut rustc = runner.command("rustc");
    let sysroot = runner.read("sysroot", rustc.args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library").exists())
}

fn tsan_command(runner: &Runner, package: &str) -> Command {
    let mut command = runner.isolated_cargo();
    // As for AddressSanitizer: unstable flags in the stable compiler.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("RUSTFLAGS", "-Zsanitizer=thread");
    command.args(["test", "-Zbuild-std", "--package", package, "--target", "host-tuple"]);
    command.args(["--target-dir", FOLDER]);
    command
}
