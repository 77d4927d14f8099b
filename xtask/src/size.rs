//! `size`: code lines, unsafe code, macros and type names, against their limits.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::count::{Count, Function, count};
use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::table::{self, Column};

/// Beyond this, a file holds more than one idea, and its reader scrolls to find the second.
const MAX_FILE_LINES: usize = 400;

/// One screen. A longer function has a part that deserves a name.
const MAX_FUNCTION_LINES: usize = 60;

/// One source file and what was counted in it.
struct File {
    /// The folder of its package, from the root.
    package: String,
    /// Its path from the root.
    path: String,
    /// What is in it.
    count: Count,
}

impl File {
    /// The longest function, if the file has any.
    fn longest_function(&self) -> Option<&Function> {
        self.count.functions.iter().max_by_key(|function| function.lines)
    }
}

/// Prints the tables, and fails if a file or a function is over its limit, or a crate defines a type
/// name twice.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let (files, _) = runner.time("size", measure);
    let files = files.map_err(|error| Failure::Step(format!("size: {error}")))?;
    print!("\n{}\n{}", file_table(&files), package_table(&files));
    let mut offences = offences(&files);
    offences.extend(files.chunk_by(|a, b| a.package == b.package).flat_map(repeated_types));
    if offences.is_empty() { Ok(()) } else { Err(Failure::Step(offences.join("\n       "))) }
}

/// Reads and counts every source file, in the order of packages and paths.
fn measure(root: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for package in packages(root)? {
        // Unit tests in a file of their own are declared under `#[cfg(test)]` by their parent.
        let is_test = |path: &PathBuf| path.file_name().is_some_and(|name| name == "tests.rs");
        for path in rust_files(&package.join("src"))?.into_iter().filter(|path| !is_test(path)) {
            let source = fs::read_to_string(&path)?;
            files.push(File {
                package: from_root(root, &package),
                path: from_root(root, &path),
                count: count(&source),
            });
        }
    }
    Ok(files)
}

/// The folders of the packages whose source is counted, as far as they exist.
pub(crate) fn packages(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = entries(&root.join("crates"))?;
    folders.extend(["python", "xtask"].map(|name| root.join(name)));
    folders.retain(|folder| folder.join("src").is_dir());
    Ok(folders)
}

/// The Rust files in a folder and the folders below it.
pub(crate) fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The entries of a folder, sorted by name.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths: io::Result<Vec<_>> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths?;
    paths.sort();
    Ok(paths)
}

/// A path relative to the root, as it is shown.
pub(crate) fn from_root(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// The table with a row for each file.
fn file_table(files: &[File]) -> String {
    let row = |file: &File| {
        let (lines, name) = match file.longest_function() {
            Some(function) => (function.lines.to_string(), function.name.clone()),
            None => (String::new(), String::new()),
        };
        [file.path.clone(), file.count.code_lines.to_string(), lines, name]
    };
    let columns = [
        Column::Left("file"),
        Column::Right("code lines"),
        Column::Right("longest"),
        Column::Left("function"),
    ];
    table::render(columns, &files.iter().map(row).collect::<Vec<_>>())
}

/// The table with a row for each crate, and their sum.
fn package_table(files: &[File]) -> String {
    let row = |name: &str, files: &[File]| {
        let code_lines: usize = files.iter().map(|file| file.count.code_lines).sum();
        let n_unsafe: usize = files.iter().map(|file| file.count.n_unsafe).sum();
        let n_macros: usize = files.iter().map(|file| file.count.n_macros).sum();
        let numbers = [files.len(), code_lines, n_unsafe, n_macros].map(|n| n.to_string());
        let [files, lines, n_unsafe, n_macros] = numbers;
        [name.to_string(), files, lines, n_unsafe, n_macros]
    };
    // Grouping adjacent files is enough, because they are ordered by package.
    let mut rows: Vec<_> = files
        .chunk_by(|a, b| a.package == b.package)
        .map(|package| row(&package[0].package, package))
        .collect();
    rows.push(row("total", files));
    let columns = [
        Column::Left("crate"),
        Column::Right("files"),
        Column::Right("code lines"),
        Column::Right("unsafe"),
        Column::Right("macros"),
    ];
    table::render(columns, &rows)
}

/// One line for each file or function over its limit. Generated files have none: what is read is their table.
fn offences(files: &[File]) -> Vec<String> {
    let mut offences = Vec::new();
    let by_hand = files.iter().filter(|file| !file.path.contains("/generated/"));
    for File { path, count, .. } in by_hand {
        let n_lines = count.code_lines;
        if n_lines > MAX_FILE_LINES {
            offences.push(format!("{path} has {n_lines} code lines (limit {MAX_FILE_LINES})"));
        }
        for Function { name, lines, is_flat_match } in &count.functions {
            if *lines > MAX_FUNCTION_LINES && !is_flat_match {
                let limit = MAX_FUNCTION_LINES;
                offences.push(format!("{path}: `{name}` has {lines} code lines (limit {limit})"));
            }
        }
    }
    offences
}

/// One line for each type name that the files of one crate define more than once.
fn repeated_types(files: &[File]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        for name in &file.count.types {
            places.entry(name).or_default().push(&file.path);
        }
    }
    let repeated = places.into_iter().filter(|(_, paths)| paths.len() > 1);
    repeated
        .map(|(name, paths)| format!("`{name}` is defined in {}", paths.join(" and ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(code_lines: usize, functions: &[(&str, usize)]) -> File {
        let function = |&(name, lines): &(&str, usize)| Function {
            name: name.into(),
            lines,
            is_flat_match: false,
        };
        let functions = functions.iter().map(function).collect();
        let types = vec!["Plan".to_string()];
        let count = Count { code_lines, functions, n_unsafe: 2, n_macros: 1, types };
        File { package: "crates/a".into(), path: "crates/a/src/b.rs".into(), count }
    }

    #[test]
    fn the_limits_themselves_are_allowed() {
        let at_the_limits = file(MAX_FILE_LINES, &[("f", MAX_FUNCTION_LINES)]);
        assert!(offences(&[at_the_limits]).is_empty());
    }

    #[test]
    fn every_offender_is_named_with_its_number() {
        let offences = offences(&[file(401, &[("f", 61), ("g", 3), ("h", 75)])]);
        let expected = [
            "crates/a/src/b.rs has 401 code lines (limit 400)",
            "crates/a/src/b.rs: `f` has 61 code lines (limit 60)",
            "crates/a/src/b.rs: `h` has 75 code lines (limit 60)",
        ];
        assert_eq!(offences, expected);
    }

    #[test]
    fn generated_files_may_be_long() {
        let mut generated = file(401, &[("f", 61)]);
        generated.path = "crates/a/src/generated/b.rs".into();
        assert!(offences(&[generated]).is_empty());
    }

    #[test]
    fn a_flat_match_may_be_long() {
        let mut table = file(100, &[("f", 61)]);
        table.count.functions[0].is_flat_match = true;
        assert!(offences(&[table]).is_empty());
    }

    #[test]
    fn a_type_name_defined_twice_in_a_crate_is_named_with_its_files() {
        let other = File { path: "crates/a/src/c.rs".into(), ..file(1, &[]) };
        let expected = ["`Plan` is defined in crates/a/src/b.rs and crates/a/src/c.rs"];
        assert_eq!(repeated_types(&[file(1, &[]), other]), expected);
        assert!(repeated_types(&[file(1, &[])]).is_empty());
    }

    #[test]
    fn the_totals_are_sums_of_their_crate() {
        let files = [file(10, &[]), file(5, &[]), File { package: "xtask".into(), ..file(1, &[]) }];
        let expected = "\
crate     files  code lines  unsafe  macros
crates/a      2          15       4       2
xtask         1           1       2       1
total         3          16       6       3
";
        assert_eq!(package_table(&files), expected);
    }
}
