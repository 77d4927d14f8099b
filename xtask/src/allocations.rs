//! Kernels must allocate fallibly.
//!
//! `vec![x; n]` and the like abort the process when memory is exhausted. The buffers of a kernel grow with its operands,
//! so they come from `cancel.rs`, which turns the failure into an error of the operation. A list with an entry for each
//! axis is short, and so is one in a line with a comment that begins with `bounded:` and says by what.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::size::{from_root, rust_files};
use crate::strip::strip;

/// Where infallible allocations are refused.
const FOLDER: &str = "crates/tensor/src/kernel";

/// What allocates infallibly; `vec![x; n]` is recognized by its semicolon.
const INFALLIBLE: &[&str] = &["Vec::with_capacity(", "new_uninit_slice(", ".reserve(", "vec!["];

/// Fails if a kernel allocates a buffer infallibly.
pub(crate) fn run(runner: &mut Runner) -> Outcome {
    let (found, _) = runner.time("allocations", search);
    let found = found.map_err(|error| Failure::Step(format!("allocations: {error}")))?;
    if found.is_empty() { Ok(()) } else { Err(Failure::Step(found.join("\n       "))) }
}

/// One line for each infallible allocation.
fn search(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let files = rust_files(&root.join(FOLDER))?;
    for path in files.into_iter().filter(|it| !it.ends_with("tests.rs")) {
        let place = from_root(root, &path);
        found.extend(infallible_in(&fs::read_to_string(&path)?).into_iter().map(|(line, what)| {
            format!(
                "{place}:{line}: `{what}` aborts when memory is exhausted: use `cancel::scratch`"
            )
        }));
    }
    Ok(found)
}

/// The lines of a source before its tests that allocate infallibly, with what allocates.
fn infallible_in(source: &str) -> Vec<(usize, &'static str)> {
    let stripped = strip(source);
    let in_line = |line: &str| {
        INFALLIBLE.iter().copied().find(|what| match line.split_once(what) {
            Some((_, rest)) => *what != "vec![" || rest.contains("; "),
            None => false,
        })
    };
    let is_bounded =
        |code: &str, line: &str| code.contains("rank()") || line.contains("// bounded:");
    let lines = stripped.lines().zip(source.lines()).enumerate();
    lines
        .take_while(|(_, (_, line))| !line.starts_with("#[cfg(test)]"))
        .filter(|(_, (code, line))| !is_bounded(code, line))
        .filter_map(|(i, (code, _))| Some((i + 1, in_line(code)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infallible_allocations_are_found_in_code_only() {
        let source = "\
// vec![0; n] in a comment
let a = vec![0; n];
let b = vec![0; layout.rank()];
let c = vec![1, 2, 3];
let d = Vec::with_capacity(n); // bounded: by the number of operands
let e = Vec::with_capacity(n);
let f = scratch_of(0, n);
#[cfg(test)]
let g = vec![0; n];
";
        assert_eq!(infallible_in(source), [(2, "vec!["), (6, "Vec::with_capacity(")]);
    }

    #[test]
    fn the_kernels_have_none() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        assert_eq!(search(root).expect("readable sources"), [""; 0]);
    }
}
