//! A Python with NumPy, for the tests that compare with it.
//!
//! It is installed below `target/` and found there from then on. The usual way is a virtual
//! environment. Debian and its kin have a Python that cannot make one (`python3-venv` is a package of
//! its own), and that may still have a pip: then NumPy goes into a folder that the system's Python
//! is told about.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::run::Runner;

/// A fixed one: how it prints, and which types its results have, are what is compared with.
const VERSION: &str = "2.4.6";

/// For what NumPy lacks: the error function, convolutions in two dimensions.
const SCIPY_VERSION: &str = "1.17.1";

/// Where it is installed, so that nothing outside the repository changes.
const FOLDER: &str = "target/numpy";

/// What the tests read: the Python that has NumPy.
const VARIABLE: &str = "BELVEDERE_PYTHON";

/// What to do when there is no way.
const ADVICE: &str = "The comparison with NumPy needs Python 3.11 or newer that can make virtual \
                      environments or has pip (on Debian: `apt install python3-venv`), and a \
                      package index. `cargo xtask test --no-numpy` leaves it out.";

/// A Python that has NumPy.
#[derive(Debug, PartialEq)]
pub struct Python {
    program: String,
    /// Where NumPy is, if the program does not know by itself.
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

    /// The note that is left when everything is installed.
    fn note(&self) -> String {
        format!("{}\n{}\n", self.program, self.packages.as_deref().unwrap_or_default())
    }

    /// What a note says.
    fn noted(note: &str) -> Option<Python> {
        let (program, packages) =
            note.trim_end_matches('\n').split_once('\n').unwrap_or((note, ""));
        let program = program.trim_end().to_string();
        let packages = Some(packages.to_string()).filter(|it| !it.is_empty());
        (!program.is_empty()).then_some(Python { program, packages })
    }
}

/// The Python with NumPy, which is installed if it is not there yet.
pub fn python(runner: &mut Runner) -> Result<Python, Failure> {
    let folder = runner.root().join(FOLDER);
    let note = folder.join(format!("ready-{VERSION}-{SCIPY_VERSION}"));
    let noted = fs::read_to_string(&note).ok().and_then(|note| Python::noted(&note));
    if let Some(python) = noted
        && is_there(&python)
    {
        return Ok(python);
    }
    let system = system_python(runner)?;
    let python = match in_environment(runner, &system, &folder.join("venv"))? {
        Some(python) => python,
        None => in_packages(runner, &system, &folder.join("packages"))?,
    };
    fs::write(&note, python.note())
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

/// NumPy in a virtual environment; none if there is no way to make one.
fn in_environment(
    runner: &mut Runner,
    system: &str,
    folder: &Path,
) -> Result<Option<Python>, Failure> {
    let mut create = runner.command(system);
    create.args(["-m", "venv", "--clear"]).arg(folder);
    if runner.run("python environment", &mut create).is_err() {
        eprintln!("no virtual environment could be made; trying pip alone");
        return Ok(None);
    }
    let program = match cfg!(windows) {
        true => folder.join("Scripts/python.exe"),
        false => folder.join(format!("bin/python{EXE_SUFFIX}")),
    };
    install(runner, &program, &[])?;
    Ok(Some(Python { program: text(&program), packages: None }))
}

/// NumPy in a folder, for the system's Python.
fn in_packages(runner: &mut Runner, system: &str, folder: &Path) -> Result<Python, Failure> {
    let packages = text(folder);
    install(runner, Path::new(system), &["--upgrade", "--target", &packages])?;
    Ok(Python { program: system.to_string(), packages: Some(packages) })
}

fn install(runner: &mut Runner, python: &Path, options: &[&str]) -> Result<(), Failure> {
    let mut install = runner.command(python);
    install.args(["-m", "pip", "install", "--disable-pip-version-check", "--quiet"]);
    install.args(options).arg(format!("numpy=={VERSION}"));
    install.arg(format!("scipy=={SCIPY_VERSION}"));
    match runner.run("install numpy and scipy", &mut install) {
        Ok(_) => Ok(()),
        Err(failure) => Err(Failure::Step(format!("{failure}. {ADVICE}"))),
    }
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
            assert_eq!(Python::noted(&python.note()), Some(python));
        }
        assert_eq!(Python::noted(""), None);
        assert_eq!(Python::noted("\n\n"), None);
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
