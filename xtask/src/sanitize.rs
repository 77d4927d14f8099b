//! `sanitize`: the tensor crate's tests under AddressSanitizer, ThreadSanitizer and valgrind.
//!
//! AddressSanitizer finds accesses outside of an allocation or after it was freed, and leaks; valgrind
//! finds reads of uninitialised memory; ThreadSanitizer finds data races (`tsan.rs`). None finds the others.

use std::process::{Command, Stdio};

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::table::{self, Column};
use crate::tsan;

/// The package with the unsafe code.
const PACKAGE: &str = "belvedere";

/// The folder of the instrumented build.
const FOLDER: &str = "target/asan";

/// Deliberate leaks, each with its reason.
const KNOWN_LEAKS: &str = "xtask/known_leaks.txt";

/// The tests that run under valgrind, fifty times slower: a test program and a filter. They cover the
/// public functions, and files, whose memory is mapped and read into.
const VALGRIND_TESTS: [(&str, &str); 2] = [("tiny", ""), ("all", "npy::")];

/// Runs unit and integration tests, then documentation examples, under AddressSanitizer, and a few tests
/// under valgrind, if it is installed. Runs all of them, even if an early one fails.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    let mut record = |tool: &str, tests: &str, outcome: Result<String, Failure>| {
        let result = outcome.unwrap_or_else(|failure| {
            failures.push(failure.to_string());
            "FAILED".to_string()
        });
        rows.push([tool.to_string(), tests.to_string(), result]);
    };
    for (tests, selection) in [("tests", &["--lib", "--tests"][..]), ("examples", &["--doc"])] {
        let mut command = asan_command(runner);
        let outcome = runner.run(&format!("asan {tests}"), command.args(selection));
        record("AddressSanitizer", tests, outcome.map(|_| "ok".to_string()));
    }
    record("ThreadSanitizer", "threads", tsan::run(runner, PACKAGE));
    for (program, filter) in VALGRIND_TESTS {
        let tests = format!("{program} {filter}");
        record("valgrind", tests.trim(), valgrind(runner, program, filter));
    }
    print!("\n{}", table::render(COLUMNS, &rows));
    if failures.is_empty() { Ok(()) } else { Err(Failure::Step(failures.join("\n       "))) }
}

/// The columns of the report.
const COLUMNS: [Column; 3] = [Column::Left("tool"), Column::Left("tests"), Column::Left("result")];

/// A command that runs tests under AddressSanitizer; the caller adds the selection of tests.
fn asan_command(runner: &Runner) -> Command {
    let mut command = runner.isolated_cargo();
    // Sanitizers are unstable flags. `RUSTC_BOOTSTRAP` allows them in the stable compiler, so that the
    // tested code is what is shipped.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("RUSTFLAGS", "-Zsanitizer=address");
    command.env("RUSTDOCFLAGS", "-Zsanitizer=address");
    let known_leaks = runner.root().join(KNOWN_LEAKS);
    let options = format!("suppressions={}:print_suppressions=0", known_leaks.display());
    command.env("LSAN_OPTIONS", options);
    // Tests request more memory than there is: that has to fail as it does without the sanitizer.
    command.env("ASAN_OPTIONS", "allocator_may_return_null=1");
    // With a target, the flags do not apply to build scripts.
    command.args(["test", "--package", PACKAGE, "--target", "host-tuple", "--no-fail-fast"]);
    command.args(["--target-dir", FOLDER]);
    command
}

/// Runs the tests of a program that match a filter under valgrind. Returns the result for the report.
fn valgrind(runner: &mut Runner, program: &str, filter: &str) -> Result<String, Failure> {
    let version = runner.command("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        eprintln!("\nSKIPPED: valgrind is not installed");
        return Ok("SKIPPED: not installed".to_string());
    }
    let mut command = runner.cargo();
    // Cargo starts the test program under valgrind. Valgrind runs one thread at a time, and has to schedule
    // them fairly, because waiting threads of the pool spin.
    let words =
        ["valgrind", "--error-exitcode=1", "--leak-check=no", "--fair-sched=yes", "--quiet"];
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let runner_setting = format!("target.'cfg(all())'.runner=[{}]", words.join(", "));
    command.args(["test", "--package", PACKAGE, "--config", &runner_setting]);
    command.args(["--test", program, "--", filter]);
    runner.run(&format!("valgrind {program}"), &mut command)?;
    Ok("ok".to_string())
}
