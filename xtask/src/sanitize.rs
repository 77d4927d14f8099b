//! `sanitize`: the tensor crate's tests with every access to memory watched.
//!
//! AddressSanitizer sees what leaves an allocation or outlives it, and valgrind sees what was never
//! written; neither sees both.

use std::process::Stdio;

use crate::failure::Outcome;
use crate::run::Runner;
use crate::table::{self, Column};

/// The package with the unsafe code.
const PACKAGE: &str = "belvedere";

/// Where the watched build goes, beside the ordinary ones.
const FOLDER: &str = "target/asan";

/// Leaks that are meant, each with its reason.
const KNOWN_LEAKS: &str = "xtask/known_leaks.txt";

/// The tests that valgrind runs, at a fiftieth of the speed: those of the public face, and those of
/// files, where memory is mapped and read into.
const VALGRIND_TESTS: [&str; 2] = ["tiny", "npy"];

/// Unit and integration tests, and then the examples in the documentation, under AddressSanitizer; a
/// few of the former under valgrind, if there is one.
pub fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let mut rows = Vec::new();
    for (step, what) in [("tests", &["--lib", "--tests"][..]), ("examples", &["--doc"])] {
        let mut command = runner.isolated_cargo();
        // Sanitizers are unstable flags; this lets the stable compiler have them, so that what is
        // watched is what is shipped. With a target, the flags are not for build scripts too.
        command.env("RUSTC_BOOTSTRAP", "1");
        command.env("RUSTFLAGS", "-Zsanitizer=address");
        command.env("RUSTDOCFLAGS", "-Zsanitizer=address");
        let known_leaks = runner.root().join(KNOWN_LEAKS);
        let options = format!("suppressions={}:print_suppressions=0", known_leaks.display());
        command.env("LSAN_OPTIONS", options);
        // Asking for too much memory is tested: it has to fail as it does without the sanitizer.
        command.env("ASAN_OPTIONS", "allocator_may_return_null=1");
        command.args(["test", "--package", PACKAGE, "--target", "host-tuple", "--no-fail-fast"]);
        runner.run(&format!("asan {step}"), command.args(["--target-dir", FOLDER]).args(what))?;
        rows.push(["address sanitizer".to_string(), step.to_string(), "ok".to_string()]);
    }
    rows.push(["valgrind".to_string(), VALGRIND_TESTS.join(", "), valgrind(runner)?.to_string()]);
    print!("\n{}", table::render(COLUMNS, &rows));
    Ok(())
}

/// What the closing table says of each run.
const COLUMNS: [Column; 3] = [Column::Left("tool"), Column::Left("tests"), Column::Left("result")];

/// Runs a few tests under valgrind, and says whether that was possible.
fn valgrind(runner: &mut Runner) -> Result<&'static str, crate::failure::Failure> {
    let version = runner.command("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        eprintln!("\nSKIPPED: valgrind is not installed");
        return Ok("SKIPPED: not installed");
    }
    let mut command = runner.cargo();
    // Cargo runs the tests through it. Threads take turns there, and have to do so fairly, because
    // some of ours wait by turning.
    let words =
        ["valgrind", "--error-exitcode=1", "--leak-check=no", "--fair-sched=yes", "--quiet"];
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let runs_through = format!("target.'cfg(all())'.runner=[{}]", words.join(", "));
    command.args(["test", "--package", PACKAGE, "--config", &runs_through]);
    command.args(VALGRIND_TESTS.iter().flat_map(|name| ["--test", name]));
    runner.run("valgrind", &mut command)?;
    Ok("ok")
}
