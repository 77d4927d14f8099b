//! `bench`: runs the benchmark program, which is a separate workspace.

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::{python, wheel};

/// Where the benchmark program is.
const MANIFEST: &str = "bench/Cargo.toml";

/// The benchmarks that are Python scripts: they need the package, and none of the Rust peers. The word of each, and its command.
const PYTHON_SCRIPTS: &[(&str, &[&str])] = &[
    ("python", &["bench/src/python/calls.py", "--output", "target/bench/python.md"]),
    ("sweep", &["bench/src/python/sweep.py"]),
    ("gradients", &["bench/src/python/gradients.py"]),
    ("threads", &["bench/src/python/neighbours.py"]),
];

/// The benchmark beside ndarray.
const RUST_WORD: &str = "rust";

/// The benchmarks that are scripts or, with this option, parts of the program.
const RUST_PARTS: [&str; 2] = ["sweep", "gradients"];
const RUST_OPTION: &str = "--rust";

/// Runs the program with the arguments of the user, which it parses itself.
pub(crate) fn run(runner: &mut Runner, arguments: &[String]) -> Outcome {
    if let Some((word, rest)) = arguments.split_first()
        && !is_rust_part(arguments)
        && let Some((_, script)) = PYTHON_SCRIPTS.iter().find(|(it, _)| it == word)
    {
        return run_script(runner, script, rest);
    }
    if !runner.root().join(MANIFEST).exists() {
        return Err(Failure::Step(format!("there are no benchmarks: {MANIFEST} does not exist")));
    }
    // Below `target/`, not in the source tree.
    let mut command = runner.isolated_cargo();
    command.env("CARGO_TARGET_DIR", "target/bench");
    // The time of a short loop depends on its address, which changes with every build, in all libraries. For all benchmarks,
    // since other flags would compile the peers anew.
    command.env("RUSTFLAGS", "-Cllvm-args=-align-loops=64");
    if arguments.first().is_some_and(|name| name == RUST_WORD) {
        // Huge pages for the vectors of both libraries, as Belvedere's own memory has: with pages of 4 KiB the operands of
        // 4 MiB need more entries than the TLB has, and rows measure where the kernel has placed them. Only glibc reads it.
        command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    }
    let arguments = arguments.iter().filter(|it| *it != RUST_OPTION);
    command.args(["run", "--release", "--manifest-path", MANIFEST, "--"]).args(arguments);
    runner.run("bench", &mut command)?;
    Ok(())
}

/// Whether the arguments ask for the part of a script that measures the Rust crates.
fn is_rust_part(arguments: &[String]) -> bool {
    arguments.first().is_some_and(|it| RUST_PARTS.contains(&it.as_str()))
        && arguments.iter().any(|it| it == RUST_OPTION)
}

/// Runs a Python script with the package built from these sources, and NumPy beside it.
fn run_script(runner: &mut Runner, script: &[&str], arguments: &[String]) -> Outcome {
    let python = python::python(runner)?;
    wheel::install(runner, &python)?;
    let mut command = python.command(runner);
    command.args(script).args(arguments);
    runner.run("bench", &mut command)?;
    Ok(())
}
