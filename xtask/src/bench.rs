//! `bench`: runs the benchmark program, which is a separate workspace.

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::{python, wheel};

/// Where the benchmark program is.
const MANIFEST: &str = "bench/Cargo.toml";

/// The benchmark that is a Python script: it needs the package, and none of the Rust peers.
const PYTHON_WORD: &str = "python";
const PYTHON_SCRIPT: &str = "bench/src/python/calls.py";
const PYTHON_TABLE: &str = "target/bench/python.md";

/// The benchmark beside ndarray.
const RUST_WORD: &str = "rust";

/// Runs the program with the arguments of the user, which it parses itself.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    if let Some((PYTHON_WORD, rest)) = arguments.split_first().map(|(name, it)| (name.as_str(), it))
    {
        return calls_from_python(runner, rest);
    }
    if !runner.root().join(MANIFEST).exists() {
        return Err(Failure::Step(format!("there are no benchmarks: {MANIFEST} does not exist")));
    }
    // Below `target/`, not in the source tree.
    let mut command = runner.isolated_cargo();
    command.env("CARGO_TARGET_DIR", "target/bench");
    if arguments.first().is_some_and(|name| name == RUST_WORD) {
        // Huge pages for the vectors of both libraries, as Belvedere's own memory has: with pages of 4 KiB the operands of
        // 4 MiB need more entries than the TLB has, and rows measure where the kernel has placed them. Only glibc reads it.
        command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    }
    command.args(["run", "--release", "--manifest-path", MANIFEST, "--"]).args(arguments);
    runner.run("bench", &mut command)?;
    Ok(())
}

/// Measures the cost of a call from Python, compared with NumPy.
fn calls_from_python(runner: &mut Runner, arguments: &[String]) -> Outcome {
    let python = python::python(runner)?;
    wheel::install(runner, &python)?;
    let mut command = python.command(runner);
    command.args([PYTHON_SCRIPT, "--output", PYTHON_TABLE]).args(arguments);
    runner.run("bench python", &mut command)?;
    Ok(())
}
