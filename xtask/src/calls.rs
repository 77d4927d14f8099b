//! `calls`: how many functions a call from Python passes through, and in how many files.
//!
//! The reader of an operation follows it from the method that Python calls to the kernel and back. This
//! counts what there is to follow: the functions of this repository that run during
//! `x.T[::-1] + y`, each once, in a build without optimisation, where no call is inlined away. Closures
//! belong to the function they are written in.

use std::collections::BTreeSet;
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
pub fn run(runner: &mut Runner, _: &[String]) -> Outcome {
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

/// Puts the package together as a wheel would.
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

/// The functions with a cost in a callgrind profile whose file is in the repository: file and name.
fn functions(profile: &str, root: &Path) -> BTreeSet<(String, String)> {
    let mut names = Names::default();
    let (mut file, mut function) = (String::new(), String::new());
    let mut found = BTreeSet::new();
    let mut is_callee_cost = false;
    for line in profile.lines() {
        if let Some(name) = line.strip_prefix("fl=") {
            file = names.files.resolve(name);
        } else if let Some(name) = line.strip_prefix("fn=") {
            function = names.functions.resolve(name);
        } else if let Some(name) = line.strip_prefix("cfn=") {
            names.functions.resolve(name);
        } else if let Some((kind, name)) = line.split_once('=')
            && matches!(kind, "cfi" | "cfl" | "fi" | "fe")
        {
            names.files.resolve(name);
        } else if line.starts_with("calls=") {
            is_callee_cost = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let is_own = !std::mem::take(&mut is_callee_cost);
            let ours = Path::new(&file).strip_prefix(root).ok();
            if let Some(path) = ours.filter(|_| is_own && !line.ends_with(" 0")) {
                found.insert((path.display().to_string(), without_closure(&function)));
            }
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
struct Numbered(std::collections::BTreeMap<String, String>);

impl Numbered {
    /// The name behind `(3) name`, which is remembered, or `(3)`.
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

/// A row for each file, and the totals.
fn report(functions: &BTreeSet<(String, String)>) -> String {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for (file, name) in functions {
        match rows.last_mut().filter(|row| row[0] == *file) {
            Some(row) => row[2] += &format!(", {name}"),
            None => rows.push([file.clone(), String::new(), name.clone()]),
        }
    }
    let n_files = rows.len();
    for row in &mut rows {
        row[1] = row[2].split(", ").count().to_string();
    }
    rows.push([format!("{n_files} files"), functions.len().to_string(), String::new()]);
    let columns = [Column::Left("file"), Column::Right("functions"), Column::Left("names")];
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
fl=(2)
fn=(2)
3 7
fl=(4) /r/crates/b.rs
fn=(4) <belvedere::Tensor as core::ops::Add<T>>::add::h0123456789abcdef
1 1
";
        let found: Vec<_> = functions(profile, Path::new("/r")).into_iter().collect();
        let expected = [("crates/a.rs", "op::add"), ("crates/b.rs", "add")];
        assert_eq!(found, expected.map(|(file, name)| (file.to_string(), name.to_string())));
    }
}
