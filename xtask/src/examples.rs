//! Public functions of the libraries must have an example in their documentation.
//!
//! The check reads the source, line by line. That suffices because `unreachable_pub` is denied: every `pub fn` is part
//! of the interface. Methods of traits are not `pub` and are not checked.

use std::fs;
use std::io;
use std::path::Path;

use crate::count::function_name;
use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::size::{from_root, rust_files};
use crate::strip::strip;

/// The crates that are checked.
const CRATES: &[&str] = &["crates/grad", "crates/layout", "crates/tensor"];

/// Fails if a public function has no example.
pub(crate) fn run(runner: &mut Runner) -> Outcome {
    let (found, _) = runner.time("examples", search);
    let found = found.map_err(|error| Failure::Step(format!("examples: {error}")))?;
    if found.is_empty() { Ok(()) } else { Err(Failure::Step(found.join("\n       "))) }
}

/// One line for each public function without an example.
fn search(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for package in CRATES {
        for path in rust_files(&root.join(package).join("src"))? {
            let source = fs::read_to_string(&path)?;
            let place = from_root(root, &path);
            found.extend(functions_without_example(&source).into_iter().map(|(line, name)| {
                format!("{place}:{line}: `{name}` has no example in its documentation")
            }));
        }
    }
    Ok(found)
}

/// The public functions without an example in a file that rustfmt has formatted, each with the number of its
/// line.
fn functions_without_example(source: &str) -> Vec<(usize, String)> {
    let stripped = strip(source);
    let code: Vec<&str> = stripped.lines().collect();
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    for (i, line) in code.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        if !line.trim_start().starts_with("pub ") {
            continue;
        }
        // Documentation and attributes reach up to a blank line or to the end of other code.
        let is_end = |k: &usize| {
            lines[*k].trim().is_empty() || code[*k].trim_end().ends_with(['{', '}', ';'])
        };
        let first = (0..i).rev().find(is_end).map_or(0, |k| k + 1);
        if !lines[first..i].iter().any(|line| is_exempt(line) || has_example(line)) {
            found.push((i + 1, name.to_string()));
        }
    }
    found
}

/// Whether a line hides a function from the documentation.
fn is_exempt(line: &str) -> bool {
    line.contains("#[doc(hidden)]")
}

/// Whether a line of documentation begins an example, or a macro writes one there: from its documentation
/// argument, or with an `example` rule.
fn has_example(line: &str) -> bool {
    ["```", "$(#[$doc])*", "!(example "].iter().any(|sign| line.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<String> {
        functions_without_example(source).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn a_public_function_needs_an_example() {
        let source = "\
impl X {
    /// Returns one.
    #[inline]
    pub fn one() -> usize {
        1
    }

    /// Returns two.
    ///
    /// ```
    /// assert_eq!(two(), 2);
    /// ```
    pub const fn two() -> usize {
        2
    }
}

/// Returns three.
pub fn three() -> usize {
    3
}
";
        assert_eq!(functions_without_example(source), [(4, "one".into()), (19, "three".into())]);
    }

    #[test]
    fn private_and_hidden_functions_need_none() {
        assert!(names("fn f() {}\npub(crate) fn g() {}\n").is_empty());
        assert!(names("/// Used by a macro.\n#[doc(hidden)]\npub fn f() {}\n").is_empty());
        assert!(names("/// In `pub fn f() {}`.\nstruct X;\n").is_empty());
    }

    #[test]
    fn an_example_may_come_from_a_macro() {
        let source = "\
macro_rules! unary {
    ($(#[$doc:meta])* $method:ident) => {
        $(#[$doc])*
        pub fn $method() {}
        #[doc = concat!(
            \"Computes it\",
            doc!(example into $method)
        )]
        pub fn $method() {}
        #[doc = doc!(into $method)]
        pub fn $method() {}
    };
}
";
        assert_eq!(functions_without_example(source), [(11, "$method".into())]);
    }
}
