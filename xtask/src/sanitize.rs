//! `sanitize`: the tensor crate's tests under AddressSanitizer, ThreadSanitizer and valgrind.
//!
//! AddressSanitizer finds accesses outside of an allocation or after it was freed, and leaks; valgrind
//! finds reads of uninitialised memory; ThreadSanitizer finds data races (`tsan.rs`). None finds the others.

use std::process::{Command, Stdio};

use crate::failure::{Failure, Outcome};
use crate::part::{self, Part};
use crate::run::Runner;
use crate::tsan;

/// The package with the unsafe code.
const PACKAGE: &str = "belvedere";

/// The folder of the instrumented build.
const FOLDER: &str = "target/asan";

/// Deliberate leaks, each with its reason.
const KNOWN_LEAKS: &str = "xtask/known_leaks.txt";

/// What runs under AddressSanitizer: a name, and the arguments that select it.
const ASAN_TESTS: [(&str, &[&str]); 2] = [
    ("AddressSanitizer: tests", &["--lib", "--tests"]),
    ("AddressSanitizer: documentation examples", &["--doc"]),
];

/// The tests that run under valgrind, fifty times slower: a name, a test program and filters. They cover the
/// public functions; files, whose memory is mapped and read into; and factorizations, whose inner loops are assembly that
/// AddressSanitizer does not see (large matrices take minutes).
const VALGRIND_TESTS: [(&str, &str, &[&str]); 3] = [
    ("valgrind: public functions", "tiny", &[]),
    ("valgrind: files", "all", &["npy::"]),
    (
        "valgrind: factorizations",
        "all",
        &["linalg::", "--skip", "numpy::", "--skip", "large", "--skip", "threads"],
    ),
];

/// Runs the tests under all sanitizers and prints the table.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    part::report(&parts(runner))
}

/// Runs unit and integration tests, then documentation examples, under AddressSanitizer, the tests with threads under
/// ThreadSanitizer, and a few tests under valgrind. Runs all of them, even if an early one fails.
pub(crate) fn parts(runner: &mut Runner) -> Vec<Part> {
    let mut parts = Vec::new();
    for (name, selection) in ASAN_TESTS {
        let mut command = asan_command(runner);
        let result = Part::test_round(runner, name, command.args(selection));
        parts.push(Part::from_result(name, result));
    }
    parts.push(tsan::part(runner, PACKAGE));
    for (name, program, filters) in VALGRIND_TESTS {
        let result = valgrind(runner, name, program, filters);
        parts.push(Part::from_result(name, result));
    }
    parts
}

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

/// Runs the tests of a program that match the filters under valgrind.
fn valgrind(
    runner: &mut Runner,
    name: &str,
    program: &str,
    filters: &[&str],
) -> Result<Part, Failure> {
    let version = runner.command("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        return Ok(Part::skipped(name, "valgrind is not installed"));
    }
    let mut command = runner.cargo();
    // Cargo starts the test program under valgrind. Valgrind runs one thread at a time, and has to schedule
    // them fairly, because waiting threads of the pool spin.
    let words =
        ["valgrind", "--error-exitcode=1", "--leak-check=no", "--fair-sched=yes", "--quiet"];
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let runner_setting = format!("target.'cfg(all())'.runner=[{}]", words.join(", "));
    command.args(["test", "--package", PACKAGE, "--config", &runner_setting]);
    command.args(["--test", program, "--"]).args(filters);
    Part::test_round(runner, name, &mut command)
}
