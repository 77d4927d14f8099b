//! `calls`: how many functions a call from Python passes through, and in how many files.
//!
//! A reader follows an operation from the method that Python calls to the kernel and back. This counts
//! the functions of the repository that run during `x.T[::-1] + y`, each once, in a build without
//! optimisation, where no call is inlined away: those that call others, and the leaves. Closures belong to
//! the function they are written in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::python::{self, Python};
use crate::run::Runner;
use crate::table::{self, Column};

/// Where the build, the package and the profile go.
const FOLDER: &str = "target/calls";

/// What is counted. `x.ndim` marks the end of the warm-up.
const SCRIPT: &str = "\
import belvedere as bv
x = bv.reshape(bv.arange(12, dtype=bv.float64), (3, 4))
y = bv.zeros((4, 3), dtype=bv.float64)
x.T[::-1] + y
x.ndim
x.T[::-1] + y
";

/// Builds the package, runs the expression under callgrind and prints the functions by file.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let python = python::python(runner)?;
    let mut build = runner.isolated_cargo();
    // Line tables name the file of each function.
    build.env("CARGO_PROFILE_DEV_DEBUG", "1");
    build.args(["build", "--package", "belvedere-python", "--target-dir", FOLDER]);
    runner.run("build", &mut build)?;
    lay_out_package(runner.root()).map_err(|error| Failure::Step(format!("calls: {error}")))?;
    profile(runner, &python)?;
    let profile = fs::read_to_string(runner.root().join(FOLDER).join("profile"));
    let profile = profile.map_err(|error| Failure::Step(format!("no profile: {error}")))?;
    print!("\n{}", report(&functions(&profile, runner.root())));
    Ok(())
}

/// Assembles the package as in a wheel.
fn lay_out_package(root: &Path) -> std::io::Result<()> {
    let package = root.join(FOLDER).join("package/belvedere");
    fs::create_dir_all(&package)?;
    for entry in fs::read_dir(root.join("python/belvedere"))? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| path.is_file()) {
            fs::copy(&path, package.join(name))?;
        }
    }
    let library = root.join(FOLDER).join("debug/libbelvedere_python.so");
    fs::copy(library, package.join("_native.abi3.so"))?;
    Ok(())
}

/// Collects what methods and attributes of the array class call.
fn profile(runner: &mut Runner, python: &Python) -> Outcome {
    let root = runner.root().join(FOLDER);
    let mut command = runner.command("valgrind");
    command.args(["--tool=callgrind", "--collect-atstart=no", "--quiet"]);
    command.args(["--toggle-collect=*__pymethod_*", "--zero-before=*__pymethod_get_ndim*"]);
    command.arg(format!("--callgrind-out-file={}", root.join("profile").display()));
    command.args([python.program(), "-c", SCRIPT]);
    command.env("PYTHONPATH", root.join("package"));
    runner.run("callgrind", &mut command)?;
    Ok(())
}

/// A function: the file that it is in, from the root, and its name.
type FunctionId = (String, String);

/// The functions of the repository in a callgrind profile, each with whether it calls another one.
fn functions(profile: &str, root: &Path) -> BTreeMap<FunctionId, bool> {
    let mut names = Names::default();
    let (mut file, mut function) = (String::new(), String::new());
    let (mut callee_file, mut callee) = (None, String::new());
    let mut is_call = false;
    let mut found = BTreeMap::new();
    let in_repository = |file: &str, name: &str| {
        let path = Path::new(file).strip_prefix(root).ok()?;
        Some((path.display().to_string(), without_closure(name)))
    };
    for line in profile.lines() {
        match line.split_once('=') {
            Some(("fl", name)) => file = names.files.resolve(name),
            Some(("fn", name)) => function = names.functions.resolve(name),
            Some(("cfn", name)) => callee = names.functions.resolve(name),
            Some(("cfi" | "cfl", name)) => callee_file = Some(names.files.resolve(name)),
            Some(("fi" | "fe", name)) => drop(names.files.resolve(name)),
            Some(("calls", _)) => is_call = true,
            _ if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) => {
                let has_cost = !line.ends_with(" 0");
                // A callee without a file is in that of the caller.
                let callee_file = callee_file.take().filter(|_| is_call).unwrap_or(file.clone());
                let called = in_repository(&callee_file, &callee).filter(|_| is_call);
                if let Some(caller) = in_repository(&file, &function).filter(|_| has_cost) {
                    let calls_other = called.is_some_and(|called| called != caller);
                    *found.entry(caller).or_insert(false) |= calls_other;
                }
                is_call = false;
            }
            _ => {}
        }
    }
    found
}

/// The name of the function that a closure is written in, without type arguments and hash.
fn without_closure(name: &str) -> String {
    let name = name.split("::{{closure}}").next().unwrap_or(name);
    let mut depth = 0;
    let mut plain = String::new();
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let segments: Vec<&str> = plain.split("::").filter(|it| !it.is_empty()).collect();
    let is_hash = |it: &str| it.len() == 17 && it.starts_with('h');
    let n = segments.len() - usize::from(segments.last().is_some_and(|it| is_hash(it)));
    segments[n.saturating_sub(2)..n].join("::")
}

/// The names that a profile gives once and then refers to by number.
#[derive(Default)]
struct Names {
    files: Numbered,
    functions: Numbered,
}

#[derive(Default)]
struct Numbered(BTreeMap<String, String>);

impl Numbered {
    /// Returns the name of `(3) name`, which is stored, or of a later `(3)`.
    fn resolve(&mut self, text: &str) -> String {
        match text.split_once(' ') {
            Some((number, name)) => {
                self.0.insert(number.to_string(), name.to_string());
                name.to_string()
            }
            None => self.0.get(text).cloned().unwrap_or_else(|| text.to_string()),
        }
    }
}

/// A row for each file with the functions that call others, and the totals. Functions that call none, mostly
/// accessors, are only counted.
fn report(functions: &BTreeMap<FunctionId, bool>) -> String {
    let mut files: BTreeMap<&str, (usize, Vec<&str>)> = BTreeMap::new();
    for ((file, name), calls_other) in functions {
        let (n_leaves, callers) = files.entry(file).or_default();
        match calls_other {
            true => callers.push(name),
            false => *n_leaves += 1,
        }
    }
    let row = |(file, (n_leaves, callers)): (&&str, &(usize, Vec<&str>))| {
        let counts = [callers.len(), *n_leaves].map(|n| n.to_string());
        let [n_callers, n_leaves] = counts;
        [file.to_string(), n_callers, n_leaves, callers.join(", ")]
    };
    let mut rows: Vec<_> = files.iter().map(row).collect();
    let n_callers = functions.values().filter(|calls_other| **calls_other).count();
    let n_with_callers = files.values().filter(|(_, callers)| !callers.is_empty()).count();
    let total = format!("{} files, {n_with_callers} with functions that call others", files.len());
    let n_leaves = functions.len() - n_callers;
    rows.push([total, n_callers.to_string(), n_leaves.to_string(), String::new()]);
    let columns = [
        Column::Left("file"),
        Column::Right("calling"),
        Column::Right("leaf"),
        Column::Left("functions that call others"),
    ];
    table::render(columns, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_repository_are_counted_once_with_their_closures() {
        let profile = "\
fl=(1) /r/crates/a.rs
fn=(1) belvedere::op::add::h0123456789abcdef
12 5
cfi=(2) /rustc/core.rs
cfn=(2) core::mem::swap
calls=1 3
12 7
fn=(3) belvedere::op::add::{{closure}}::h0123456789abcdef
14 2
cfi=(4) /r/crates/b.rs
cfn=(4) <belvedere::Tensor as core::ops::Add<T>>::add::h0123456789abcdef
calls=1 1
14 1
fl=(2)
fn=(2)
3 7
fl=(4)
fn=(4)
1 1
";
        let found: Vec<_> = functions(profile, Path::new("/r")).into_iter().collect();
        let expected = [("crates/a.rs", "op::add", true), ("crates/b.rs", "add", false)];
        let expected =
            expected.map(|(file, name, calls)| ((file.to_string(), name.to_string()), calls));
        assert_eq!(found, expected);
    }
}
