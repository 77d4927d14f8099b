//! A Python with NumPy and everything else that tests need, and the package installed into it.
//!
//! It is installed below `target/` and found there from then on. The usual way is a virtual
//! environment. Debian and its kin have a Python that cannot make one (`python3-venv` is a package of
//! its own), and that may still have a pip: then everything goes into a folder that the system's
//! Python is told about.

use std::env::consts::EXE_SUFFIX;
use std::env::{self, join_paths, split_paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::run::Runner;

/// What is installed, with a fixed version of each.
const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// Where it is installed, so that nothing outside the repository changes.
pub const FOLDER: &str = "target/python";

/// What the tests read: the Python that has NumPy.
const VARIABLE: &str = "BELVEDERE_PYTHON";

/// What to do when there is no way.
const ADVICE: &str = "The package, and the comparison with NumPy, need Python 3.11 or newer that \
                      can make virtual environments or has pip (on Debian: `apt install \
                      python3-venv`), and a package index. `cargo xtask test --no-numpy` leaves \
                      both out.";

/// A Python that has everything.
#[derive(Debug, PartialEq)]
pub struct Python {
    program: String,
    /// Where packages are, if the program does not know by itself.
    packages: Option<String>,
}

impl Python {
    /// Tells a command where Python is.
    pub fn tell(&self, command: &mut Command) {
        command.env(VARIABLE, &self.program);
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
        }
    }

    /// The program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// A run of the program, at the root. It builds nothing in another way than we would.
    pub fn command(&self, runner: &Runner) -> Command {
        let mut command = runner.isolated(Path::new(&self.program));
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
            // Programs that came with packages, which are looked for by their name.
            let programs = Path::new(packages).join("bin");
            let path = env::var_os("PATH").unwrap_or_default();
            if let Ok(path) = join_paths([programs].into_iter().chain(split_paths(&path))) {
                command.env("PATH", path);
            }
        }
        command
    }

    /// Installs packages beside those that are there; the words are pip's.
    pub fn install(&self, runner: &mut Runner, step: &str, words: &[&str]) -> Result<(), Failure> {
        let mut install = self.command(runner);
        install.args(["-m", "pip", "install", "--disable-pip-version-check", "--quiet"]);
        if let Some(packages) = &self.packages {
            install.args(["--upgrade", "--target", packages]);
        }
        runner.run(step, install.args(words))?;
        Ok(())
    }

    /// The note that is left when everything that is required is installed.
    fn note(&self, required: &str) -> String {
        format!("{}\n{}\n{required}", self.program, self.packages.as_deref().unwrap_or_default())
    }

    /// What a note says, if just that was installed.
    fn noted(note: &str, required: &str) -> Option<Python> {
        let (program, rest) = note.split_once('\n')?;
        let (packages, installed) = rest.split_once('\n')?;
        let packages = Some(packages.to_string()).filter(|it| !it.is_empty());
        let is_good = !program.is_empty() && installed == required;
        is_good.then_some(Python { program: program.to_string(), packages })
    }
}

/// The Python with everything, which is installed if it is not there yet.
pub fn python(runner: &mut Runner) -> Result<Python, Failure> {
    let folder = runner.root().join(FOLDER);
    let required = fs::read_to_string(runner.root().join(REQUIREMENTS))
        .map_err(|error| Failure::Step(format!("{REQUIREMENTS}: {error}")))?;
    let note = folder.join("ready");
    let noted = fs::read_to_string(&note).ok().and_then(|note| Python::noted(&note, &required));
    if let Some(python) = noted
        && is_there(&python)
    {
        return Ok(python);
    }
    let system = system_python(runner)?;
    let python = match in_environment(runner, &system, &folder.join("venv")) {
        Some(python) => python,
        None => Python { program: system, packages: Some(text(&folder.join("packages"))) },
    };
    python
        .install(runner, "install packages", &["--requirement", REQUIREMENTS])
        .map_err(|failure| Failure::Step(format!("{failure}. {ADVICE}")))?;
    fs::write(&note, python.note(&required))
        .map_err(|error| Failure::Step(format!("{}: {error}", note.display())))?;
    Ok(python)
}

/// Whether what was noted still exists: environments break when the system's Python goes.
fn is_there(python: &Python) -> bool {
    let program = Path::new(&python.program);
    // A bare name is looked up in the path.
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
    let missing = || Failure::Step(format!("there is no Python 3.11 or newer. {ADVICE}"));
    found.map(str::to_string).ok_or_else(missing)
}

/// The Python of a new virtual environment; none if there is no way to make one.
fn in_environment(runner: &mut Runner, system: &str, folder: &Path) -> Option<Python> {
    let mut create = runner.command(system);
    create.args(["-m", "venv", "--clear"]).arg(folder);
    if runner.run("python environment", &mut create).is_err() {
        eprintln!("no virtual environment could be made; trying pip alone");
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
    fn a_note_says_what_was_installed() {
        let alone = Python { program: "/a b/python".into(), packages: None };
        let beside = Python { program: "python3".into(), packages: Some("/a b/c".into()) };
        for python in [alone, beside] {
            let note = python.note("numpy==1\nscipy==2\n");
            assert_eq!(Python::noted(&note, "numpy==1\nscipy==3\n"), None);
            assert_eq!(Python::noted(&note, "numpy==1\nscipy==2\n"), Some(python));
        }
        assert_eq!(Python::noted("", ""), None);
        assert_eq!(Python::noted("\n\n", ""), None);
    }

    #[test]
    fn what_is_gone_is_not_there() {
        let python = |program: &str, packages: Option<&str>| Python {
            program: program.into(),
            packages: packages.map(str::to_string),
        };
        let here = env!("CARGO_MANIFEST_DIR");
        assert!(is_there(&python("python3", Some(here))));
        assert!(is_there(&python(here, None)));
        assert!(!is_there(&python("python3", Some("/no/such/folder"))));
        assert!(!is_there(&python("/no/such/python", None)));
    }
}
