//! Phrases that the source must not contain.
//!
//! Names and comments use the field's terms (CONTRIBUTING.md, "Language"). The listed phrases stand for
//! recurring mistakes: persons in place of threads and callers, quantities without a unit, and
//! paraphrases of terms that exist.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::run::Runner;
use crate::size::{from_root, packages, rust_files};

/// Each phrase in lower case, with what to write in its place.
const PHRASES: &[(&str, &str)] = &[
    ("somebody", "another thread, the caller"),
    ("nobody", "no thread, no caller"),
    ("everybody", "every thread, every caller"),
    ("whoever", "the thread or caller that"),
    ("one behind the other", "contiguous"),
    ("so many", "a number with its unit"),
    ("lie well", "contiguous"),
    ("lies well", "contiguous"),
    ("lie badly", "strided"),
    ("lies badly", "strided"),
    ("stands still", "broadcast, stride 0"),
    ("stands for all", "broadcast, stride 0"),
    ("taken apart", "factorization, decomposition"),
    ("told apart", "distinguished"),
    ("crooked", "unaligned"),
    ("its kin", "the functions by name"),
    ("their kin", "the functions by name"),
    ("someone", "another thread, the caller"),
    ("everyone", "every thread, every caller"),
    ("anyone", "any thread, any caller"),
    ("now and then", "sometimes, with its probability"),
    ("once in a while", "sometimes, with its probability"),
    ("for ever", "without end, a deadlock"),
    ("truth values", "bools"),
    ("type of elements", "dtype"),
    ("ways out", "alternatives"),
    ("to blame", "the cause"),
    ("told from", "inferred from"),
    ("handed over", "passed"),
    ("lie together", "contiguous"),
    ("lies together", "contiguous"),
    ("lie apart", "disjoint, strided"),
    ("lies apart", "disjoint, strided"),
    ("as it lies", "with its own strides"),
    ("walks backwards", "has a negative stride"),
    ("the other way round", "the inverse, in reverse order"),
];

/// Fails if a source file or test of a library crate contains one of the phrases.
pub(crate) fn run(runner: &mut Runner) -> Outcome {
    let (found, _) = runner.time("phrases", search);
    let found = found.map_err(|error| Failure::Step(format!("phrases: {error}")))?;
    if found.is_empty() { Ok(()) } else { Err(Failure::Step(found.join("\n       "))) }
}

/// Returns one line for each phrase in the source, tests and examples of `crates/*` and `python`.
fn search(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for package in packages(root)?.into_iter().filter(|package| !package.ends_with("xtask")) {
        let folders = ["src", "tests", "examples"].map(|name| package.join(name));
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            for path in rust_files(folder)? {
                let source = fs::read_to_string(&path)?;
                let place = from_root(root, &path);
                found.extend(phrases(&source).into_iter().map(|(line, phrase, instead)| {
                    format!("{place}:{line}: \"{phrase}\" (write: {instead})")
                }));
            }
        }
    }
    Ok(found)
}

/// Returns the phrases in a source text, each with its line number. A phrase may span two comment lines.
fn phrases(source: &str) -> Vec<(usize, &'static str, &'static str)> {
    // All words joined by spaces, and the line number of each word.
    let mut text = String::new();
    let mut lines = Vec::new();
    for (i, line) in source.lines().enumerate() {
        let words = line.split_whitespace().filter(|word| !matches!(*word, "//" | "///" | "//!"));
        for word in words {
            lines.push((text.len(), i + 1));
            text.push_str(&word.to_lowercase());
            text.push(' ');
        }
    }
    let line_at = |at: usize| lines[lines.partition_point(|(start, _)| *start <= at) - 1].1;
    let is_whole = |at: usize, phrase: &str| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    };
    let mut found = Vec::new();
    for &(phrase, instead) in PHRASES {
        for (at, _) in text.match_indices(phrase).filter(|(at, _)| is_whole(*at, phrase)) {
            found.push((line_at(at), phrase, instead));
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(usize, &'static str)> {
        phrases(source).into_iter().map(|(line, phrase, _)| (line, phrase)).collect()
    }

    #[test]
    fn a_phrase_is_found_with_its_line_in_any_case() {
        assert_eq!(found("fn f() {}\n/// Nobody waits.\n"), [(2, "nobody")]);
    }

    #[test]
    fn a_phrase_is_found_across_the_end_of_a_comment_line() {
        assert_eq!(found("    // after so\n    // many turns\n"), [(1, "so many")]);
    }

    #[test]
    fn a_part_of_a_word_is_no_phrase() {
        assert_eq!(found("/// also manyfold, reso manyfold, its kind\n"), []);
    }
}
