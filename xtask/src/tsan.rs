//! ThreadSanitizer: data races of the tests with threads. A step of `sanitize`.
//!
//! It has to see every access, so the standard library is compiled with it, from the component `rust-src`.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::run::Runner;

/// The folder of the instrumented build.
const FOLDER: &str = "target/tsan";

/// The tests with threads: the arguments that select a test program, and filters. Not those that fork: the sanitizer starts no
/// threads in a child of a process with threads.
const TESTS: [(&str, &[&str]); 2] = [
    ("--lib", &["--skip", "fork", "borrow::", "pool::"]),
    ("--test=all", &["threads::", "concurrent_writes::", "zip::threads"]),
];

/// Runs the tests with threads under ThreadSanitizer, if the sources of the standard library are installed. Returns the
/// result for the report.
pub(crate) fn run(runner: &mut Runner, package: &str) -> Result<String, Failure> {
    let mut rustc = runner.command("rustc");
    let sysroot = runner.read("sysroot", rustc.args(["--print", "sysroot"]))?;
    if !Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library").exists() {
        eprintln!("\nSKIPPED: `rustup component add rust-src` installs what ThreadSanitizer needs");
        return Ok("SKIPPED: no rust-src".to_string());
    }
    for (program, filters) in TESTS {
        let mut command = tsan_command(runner, package);
        command.arg(program).arg("--").args(filters);
        runner.run(&format!("tsan {program}"), &mut command)?;
    }
    Ok("ok".to_string())
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
