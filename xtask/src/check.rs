//! `check`: static checks of the source.

use crate::failure::Outcome;
use crate::generate;
use crate::run::Runner;
use crate::test::NEIGHBOURS;
use crate::{allocations, examples, guards, paths, phrases, size};

/// Separate workspaces. They are formatted like the rest and their lock files have to be current, but they are never built
/// here, so that working on the library does not require their dependencies.
const SEPARATE_WORKSPACES: &[&str] = &["bench", "fuzz", "model"];

/// Runs formatting, lock files, phrases, examples, paths, guards, allocations, generated files, sizes, lints and documentation, in
/// this order; the first failure ends it.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    runner.run("fmt", runner.cargo().args(["fmt", "--all", "--check"]))?;
    for folder in SEPARATE_WORKSPACES {
        let manifest = format!("{folder}/Cargo.toml");
        if runner.root().join(&manifest).exists() {
            let arguments = ["fmt", "--all", "--check", "--manifest-path", &manifest];
            runner.run(&format!("fmt {folder}"), runner.cargo().args(arguments))?;
            // Resolves the dependencies without building them: fails if the lock file is out of date.
            let arguments = ["update", "--workspace", "--locked", "--manifest-path", &manifest];
            runner.run(&format!("lock {folder}"), runner.cargo().args(arguments))?;
        }
    }

    // What takes a second comes before what takes minutes.
    phrases::run(runner)?;
    examples::run(runner)?;
    paths::run(runner)?;
    guards::run(runner)?;
    allocations::run(runner)?;
    generate::check(runner)?;
    size::run(runner, &[])?;

    let mut clippy = runner.cargo();
    clippy.args(["clippy", "--workspace", "--all-targets"]).args(NEIGHBOURS);
    runner.run("clippy", clippy.args(["--", "-D", "warnings"]))?;

    // Without the programs whose documentation is read in the source (xtask) or as docstrings (the Python
    // package).
    let doc =
        ["doc", "--workspace", "--exclude", "xtask", "--exclude", "belvedere-python", "--no-deps"];
    runner
        .run("doc", runner.cargo().args(doc).args(NEIGHBOURS).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(())
}
