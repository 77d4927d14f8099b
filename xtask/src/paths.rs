//! Source files that documents and comments name must exist.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::size::from_root;

/// The folders whose files may be named, and whose comments are searched.
const FOLDERS: &[&str] = &["bench/src", "crates", "fuzz", "model", "operations", "python", "xtask"];

/// Folders that hold no source.
const SKIPPED: &[&str] = &["target", "corpus", "artifacts", "coverage", "record", "__pycache__"];

/// Names of files in examples and tests, and names that are too common to check.
const EXAMPLES: &[&str] = &["main.rs", "lib.rs", "mod.rs", "a.rs", "b.rs", "c.rs", "core.rs"];

/// Fails if a document or a comment names a Rust file that does not exist.
pub(crate) fn run(runner: &mut Runner) -> Outcome {
    let (missing, _) = runner.time("paths", search);
    let missing = missing.map_err(|error| Failure::Step(format!("paths: {error}")))?;
    if missing.is_empty() { Ok(()) } else { Err(Failure::Step(missing.join("\n       "))) }
}

/// One line for each name of a file that does not exist.
fn search(root: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for folder in FOLDERS.iter().map(|folder| root.join(folder)).filter(|it| it.is_dir()) {
        collect(&folder, &mut files)?;
    }
    for entry in fs::read_dir(root)? {
        files.extend(Some(entry?.path()).filter(|path| path.is_file()));
    }
    files.sort();
    let known: BTreeSet<String> = files.iter().map(|path| from_root(root, path)).collect();
    let mut missing = Vec::new();
    for path in &files {
        let is_rust = path.extension().is_some_and(|it| it == "rs");
        let is_text = is_rust || path.extension().is_some_and(|it| it == "md");
        let place = from_root(root, path);
        // The changelog names removed files, and the tests below name files that do not exist.
        if !is_text || place == "CHANGELOG.md" || place.starts_with("xtask/src/paths") {
            continue;
        }
        let source = fs::read_to_string(path)?;
        for (i, line) in source.lines().enumerate() {
            let text = if is_rust { line.split_once("//").map_or("", |it| it.1) } else { line };
            for name in file_names(text).filter(|name| !exists(name, &known)) {
                missing.push(format!("{place}:{}: file `{name}` does not exist", i + 1));
            }
        }
    }
    Ok(missing)
}

/// All files below a folder, without build products and data.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_skipped = name.is_some_and(|name| SKIPPED.contains(&&*name));
        match path.is_dir() {
            true if !is_skipped => collect(&path, files)?,
            true => {}
            false => files.push(path),
        }
    }
    Ok(())
}

/// The words of a text that are names of Rust files.
fn file_names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let words = text.split(move |c| !is_part(c)).map(|word| word.trim_end_matches('.'));
    words.filter(|word| word.ends_with(".rs") && !word.starts_with(['.', '/', '-']))
}

/// Whether a file has this name; leading folders may be omitted.
fn exists(name: &str, known: &BTreeSet<String>) -> bool {
    let is_example = EXAMPLES.contains(&name) || name.contains("docs.rs");
    let ending = format!("/{name}");
    is_example || known.contains(name) || known.iter().any(|path| path.ends_with(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_found_in_prose() {
        let text = "see `plan/nest.rs`, axis.rs. Not [x](../README.md), .rs or /abs/x.rs";
        assert_eq!(file_names(text).collect::<Vec<_>>(), ["plan/nest.rs", "axis.rs"]);
    }

    #[test]
    fn a_name_may_leave_out_folders_but_no_part_of_one() {
        let known = BTreeSet::from(["crates/a/src/plan/nest.rs".to_string()]);
        assert!(exists("plan/nest.rs", &known) && exists("nest.rs", &known));
        assert!(!exists("n/nest.rs", &known) && !exists("st.rs", &known));
    }
}
