//! The Python package must take no typed guard.
//!
//! A guard gives out references to elements, which is sound only if no other code writes to them meanwhile. Python code
//! can: it holds writable buffers of the same memory, and the package cannot keep it from using them. Operations
//! of the core access such memory by pointer.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::size::{from_root, rust_files};
use crate::strip::strip;

/// Where guards are refused.
const FOLDER: &str = "python/src";

/// What takes a guard: `Tensor::read` and `Tensor::write`, with the type given or inferred, and the names of the types.
const TAKES_GUARD: &[&str] =
    &[".read::<", ".write::<", ".read()", ".write()", "ReadGuard", "WriteGuard"];

/// Fails if the Python package takes a typed guard.
pub(crate) fn run(runner: &mut Runner) -> Outcome {
    let (found, _) = runner.time("guards", search);
    let found = found.map_err(|error| Failure::Step(format!("guards: {error}")))?;
    if found.is_empty() { Ok(()) } else { Err(Failure::Step(found.join("\n       "))) }
}

/// One line for each place that takes a guard.
fn search(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for path in rust_files(&root.join(FOLDER))? {
        let place = from_root(root, &path);
        found.extend(guards_in(&fs::read_to_string(&path)?).into_iter().map(|(line, taken)| {
            format!(
                "{place}:{line}: `{taken}` takes a typed guard of memory that Python can write to"
            )
        }));
    }
    Ok(found)
}

/// The lines of a source that take a guard, with what takes it.
fn guards_in(source: &str) -> Vec<(usize, &'static str)> {
    let stripped = strip(source);
    let in_line = |line: &str| TAKES_GUARD.iter().copied().find(|taken| line.contains(taken));
    let lines = stripped.lines().enumerate();
    lines.filter_map(|(i, line)| Some((i + 1, in_line(line)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_found_in_code_only() {
        let source = "\
// x.read::<f32>() in a comment
let text = \"x.write::<f32>()\";
let guard = x.read::<f32>()?;
let sum: f32 = x.read()?.iter().sum();
fn take(guard: &WriteGuard<f32>) {}
let bytes = file.read_to_end(&mut bytes)?;
";
        assert_eq!(guards_in(source), [(3, ".read::<"), (4, ".read()"), (5, "WriteGuard")]);
    }

    #[test]
    fn the_python_package_takes_none() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        assert_eq!(search(root).expect("readable sources"), [""; 0]);
    }
}
