//! `python`: builds the wheel, installs it into the environment below `target/`, and tests it.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::failure::{Failure, Outcome};
use crate::python::{self, Python};
use crate::run::Runner;

const MANIFEST: &str = "python/Cargo.toml";
const TESTS: &str = "python/tests";

/// Runs NumPy's own tests on our arrays.
const NUMPY_SUITE: &str = "python/tests/numpy_suite/run.py";

/// The variable with the number of examples of each property test.
const EXAMPLES: &str = "BELVEDERE_EXAMPLES";

/// The number of examples with `--full`.
const MANY_EXAMPLES: &str = "1000";

/// Builds and installs the package, and prints the path of its Python.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let python = python::python(runner)?;
    install(runner, &python)?;
    println!("\n`import belvedere as bv` works in {}", python.program());
    Ok(())
}

/// Builds the wheel with the profile of pyproject.toml, and installs it.
pub(crate) fn install(runner: &mut Runner, python: &Python) -> Outcome {
    let wheel = build(runner, python)?;
    install_file(runner, python, &wheel)
}

/// Installs a wheel in place of the one that was installed before.
pub(crate) fn install_file(runner: &mut Runner, python: &Python, wheel: &str) -> Outcome {
    let words = ["--force-reinstall", "--no-deps", "--no-index", wheel];
    python.install(runner, "install wheel", &words)
}

/// Builds the wheel with the profile of pyproject.toml. Returns its path.
pub(crate) fn build(runner: &mut Runner, python: &Python) -> Result<String, Failure> {
    let wheels = format!("{}/wheels", python::FOLDER);
    // So that there is exactly one wheel afterwards.
    match fs::remove_dir_all(runner.root().join(&wheels)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Failure::Step(format!("{wheels} could not be removed: {error}")));
        }
        _ => {}
    }
    let mut build = python.command(runner);
    build.args(["-m", "maturin", "build", "--quiet", "--manifest-path", MANIFEST]);
    build.args(["--interpreter", python.program(), "--out", &wheels]);
    // For this machine only; portability is checked for a release.
    build.args(["--auditwheel", "skip"]);
    runner.run("wheel", &mut build)?;
    wheel(runner, &wheels)
}

/// The path of the wheel in a folder.
fn wheel(runner: &Runner, folder: &str) -> Result<String, Failure> {
    let missing = |why: String| Failure::Step(format!("no wheel found in {folder}{why}"));
    let files = fs::read_dir(runner.root().join(folder));
    let files = files.map_err(|error| missing(format!(": {error}")))?;
    let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|end| end == "whl");
    let path = paths.find(is_wheel).ok_or_else(|| missing(String::new()))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Tests the installed package, including the examples in its docstrings; with `--full` also by NumPy's own tests.
pub(crate) fn test(runner: &mut Runner, python: &Python, is_full: bool) -> Outcome {
    let mut pytest = python.command(runner);
    pytest.args(["-m", "pytest", TESTS, "--quiet", "-p", "no:cacheprovider"]);
    if is_full {
        pytest.env(EXAMPLES, MANY_EXAMPLES);
    }
    runner.run("test python", &mut pytest)?;
    if is_full {
        runner.run("NumPy's own tests", python.command(runner).arg(NUMPY_SUITE))?;
    }
    Ok(())
}
