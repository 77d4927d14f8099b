//! A Python environment with NumPy and the other requirements of the tests.
//!
//! It is created below `target/`, once: a virtual environment where possible. The Python of Debian cannot create one
//! without the package `python3-venv`, but may have pip: then packages are installed into a folder in `PYTHONPATH`.

use std::env::consts::EXE_SUFFIX;
use std::env::{self, join_paths, split_paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::run::Runner;

/// The requirements, with fixed versions.
const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// The folder of the environment, inside the repository.
pub(crate) const FOLDER: &str = "target/python";

/// The variable with the path of Python, which tests read.
const VARIABLE: &str = "BELVEDERE_PYTHON";

/// The advice when no environment can be created.
const ADVICE: &str = "The package, and the comparison with NumPy, need Python 3.11 or newer that \
                      can make virtual environments or has pip (on Debian: `apt install \
                      python3-venv`), and a package index. `cargo xtask test --no-numpy` leaves \
                      both out.";

/// A Python with all requirements installed.
#[derive(Debug, PartialEq)]
pub(crate) struct Python {
    program: String,
    /// The folder of the packages, unless it is a virtual environment.
    packages: Option<String>,
}

impl Python {
    /// Passes the paths to a command in variables.
    pub(crate) fn set_variables(&self, command: &mut Command) {
        command.env(VARIABLE, &self.program);
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
        }
    }

    /// The program.
    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// A command that runs Python at the root, for isolated builds.
    pub(crate) fn command(&self, runner: &Runner) -> Command {
        let mut command = runner.isolated(Path::new(&self.program));
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
            // Programs of the packages, which are looked up by name.
            let programs = Path::new(packages).join("bin");
            let path = env::var_os("PATH").unwrap_or_default();
            if let Ok(path) = join_paths([programs].into_iter().chain(split_paths(&path))) {
                command.env("PATH", path);
            }
        }
        command
    }

    /// Installs packages with pip; `words` are its arguments.
    pub(crate) fn install(
        &self,
        runner: &mut Runner,
        step: &str,
        words: &[&str],
    ) -> Result<(), Failure> {
        let mut install = self.command(runner);
        install.args(["-m", "pip", "install", "--disable-pip-version-check", "--quiet"]);
        if let Some(packages) = &self.packages {
            install.args(["--upgrade", "--target", packages]);
        }
        runner.run(step, install.args(words))?;
        Ok(())
    }

    /// The contents of the stamp file, which is written when all requirements are installed.
    fn stamp(&self, required: &str) -> String {
        format!("{}\n{}\n{required}", self.program, self.packages.as_deref().unwrap_or_default())
    }

    /// Parses a stamp file; `None` if other requirements were installed.
    fn parse_stamp(stamp: &str, required: &str) -> Option<Python> {
        let (program, rest) = stamp.split_once('\n')?;
        let (packages, installed) = rest.split_once('\n')?;
        let packages = Some(packages.to_string()).filter(|it| !it.is_empty());
        let is_good = !program.is_empty() && installed == required;
        is_good.then_some(Python { program: program.to_string(), packages })
    }
}

/// Returns the Python environment of the tests, and creates it if it does not exist yet.
pub(crate) fn python(runner: &mut Runner) -> Result<Python, Failure> {
    environment(runner, FOLDER, REQUIREMENTS)
}

/// Returns the Python environment in `folder` with the packages of the file `requirements`, and creates it if it does
/// not exist yet.
pub(crate) fn environment(
    runner: &mut Runner,
    folder: &str,
    requirements: &str,
) -> Result<Python, Failure> {
    let folder = runner.root().join(folder);
    let required = fs::read_to_string(runner.root().join(requirements))
        .map_err(|error| Failure::Step(format!("{requirements}: {error}")))?;
    let stamp = folder.join("ready");
    let stamped =
        fs::read_to_string(&stamp).ok().and_then(|stamp| Python::parse_stamp(&stamp, &required));
    if let Some(python) = stamped
        && exists(&python)
    {
        return Ok(python);
    }
    let system = system_python(runner)?;
    let python = match in_environment(runner, &system, &folder.join("venv")) {
        Some(python) => python,
        None => Python { program: system, packages: Some(text(&folder.join("packages"))) },
    };
    python
        .install(runner, "install packages", &["--requirement", requirements])
        .map_err(|failure| Failure::Step(format!("{failure}. {ADVICE}")))?;
    fs::write(&stamp, python.stamp(&required))
        .map_err(|error| Failure::Step(format!("{}: {error}", stamp.display())))?;
    Ok(python)
}

/// Whether the environment still exists: it breaks when the system's Python is removed.
fn exists(python: &Python) -> bool {
    let program = Path::new(&python.program);
    // A bare name is looked up in `PATH`.
    (program.components().count() == 1 || program.exists())
        && python.packages.as_ref().is_none_or(|packages| Path::new(packages).exists())
}

/// The name of the system's Python.
fn system_python(runner: &mut Runner) -> Result<String, Failure> {
    let works = |name: &&str| {
        let check = "import sys; sys.exit(sys.version_info < (3, 11))";
        let status = runner.command(name).args(["-c", check]).status();
        status.is_ok_and(|status| status.success())
    };
    let found = ["python3", "python"].into_iter().find(works);
    let missing = || Failure::Step(format!("Python 3.11 or newer was not found. {ADVICE}"));
    found.map(str::to_string).ok_or_else(missing)
}

/// The Python of a new virtual environment; `None` if it cannot be created.
fn in_environment(runner: &mut Runner, system: &str, folder: &Path) -> Option<Python> {
    let mut create = runner.command(system);
    create.args(["-m", "venv", "--clear"]).arg(folder);
    if runner.run("python environment", &mut create).is_err() {
        eprintln!("creating a virtual environment failed; trying pip without one");
        return None;
    }
    let program = match cfg!(windows) {
        true => folder.join("Scripts/python.exe"),
        false => folder.join(format!("bin/python{EXE_SUFFIX}")),
    };
    Some(Python { program: text(&program), packages: None })
}

fn text(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stamp_lists_what_was_installed() {
        let alone = Python { program: "/a b/python".into(), packages: None };
        let with_packages = Python { program: "python3".into(), packages: Some("/a b/c".into()) };
        for python in [alone, with_packages] {
            let stamp = python.stamp("numpy==1\nscipy==2\n");
            assert_eq!(Python::parse_stamp(&stamp, "numpy==1\nscipy==3\n"), None);
            assert_eq!(Python::parse_stamp(&stamp, "numpy==1\nscipy==2\n"), Some(python));
        }
        assert_eq!(Python::parse_stamp("", ""), None);
        assert_eq!(Python::parse_stamp("\n\n", ""), None);
    }

    #[test]
    fn an_environment_exists_if_its_program_and_packages_do() {
        let python = |program: &str, packages: Option<&str>| Python {
            program: program.into(),
            packages: packages.map(str::to_string),
        };
        let here = env!("CARGO_MANIFEST_DIR");
        assert!(exists(&python("python3", Some(here))));
        assert!(exists(&python(here, None)));
        assert!(!exists(&python("python3", Some("/no/such/folder"))));
        assert!(!exists(&python("/no/such/python", None)));
    }
}
