//! Counting the code in one source file.
//!
//! Counted is what has to be read in order to change the program: not blank lines, not comments,
//! not tests. A rule that counted comments would be obeyed by deleting them.

use crate::strip::strip;

/// What there is in a file.
#[derive(Debug, PartialEq)]
pub struct Count {
    /// Lines with code that is not for tests only.
    pub code_lines: usize,
    /// The functions among them, in their order.
    pub functions: Vec<Function>,
}

/// A function, nested ones included.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name, without the path.
    pub name: String,
    /// Its lines of code, from the one with `fn` to the closing brace.
    pub lines: usize,
}

/// Counts the code of a file that rustfmt has formatted.
pub fn count(source: &str) -> Count {
    let stripped = strip(source);
    let code: Vec<&str> = stripped.lines().filter(|line| !line.trim().is_empty()).collect();
    let code = without_tests(&code);
    let function = |(i, line): (usize, &&str)| {
        let name = function_name(line)?.to_string();
        Some(Function { name, lines: item_length(&code[i..]) })
    };
    Count {
        code_lines: code.len(),
        functions: code.iter().enumerate().filter_map(function).collect(),
    }
}

/// The lines that remain when the items (mostly modules) marked `#[cfg(test)]` are gone.
fn without_tests<'a>(mut code: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    while let [line, rest @ ..] = code {
        if line.trim() == "#[cfg(test)]" {
            code = &code[item_length(code)..];
        } else {
            kept.push(*line);
            code = rest;
        }
    }
    kept
}

/// How many lines the item at the beginning of `code` has, its attributes included.
///
/// It ends with the first line that leaves no bracket open and ends like an item: the closing
/// brace of a body or the semicolon of a declaration. Where the formatter breaks a signature or
/// a `where` clause, the line ends otherwise.
fn item_length(code: &[&str]) -> usize {
    let mut depth = 0;
    for (i, line) in code.iter().enumerate() {
        for c in line.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
        }
        if depth <= 0 && line.trim_end().ends_with(['}', ';']) {
            return i + 1;
        }
    }
    code.len()
}

/// The name of the function that a line begins, if it begins one.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    // A stripped literal is the language in `extern "C"`.
    let is_qualifier = |word: &str| {
        matches!(word, "const" | "async" | "unsafe" | "safe" | "extern")
            || word.starts_with("pub")
            || word.starts_with('"')
    };
    if !before.split_whitespace().all(is_qualifier) {
        return None;
    }
    after.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(source: &str) -> Vec<(String, usize)> {
        count(source).functions.into_iter().map(|f| (f.name, f.lines)).collect()
    }

    #[test]
    fn comments_and_tests_are_not_counted() {
        let source = "\
//! About the file.

/// About the function.
fn one() -> usize {
    // Why.
    1 /* or
         more */
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_is_one() {}
}
";
        assert_eq!(count(source).code_lines, 3);
        assert_eq!(functions(source), [("one".to_string(), 3)]);
    }

    #[test]
    fn code_after_a_test_item_is_counted() {
        let source = "\
#[cfg(test)]
use std::{
    fmt,
};
#[cfg(test)]
mod tests;
struct Unit;
";
        assert_eq!(count(source).code_lines, 1);
    }

    #[test]
    fn a_string_with_braces_does_not_end_a_function() {
        let source = "\
fn text() -> &'static str {
    r#\"
}
fn no_function() {
    \"#
}
";
        assert_eq!(functions(source), [("text".to_string(), 6)]);
    }

    #[test]
    fn a_broken_signature_belongs_to_its_function() {
        let source = "\
impl<T> Trait for T {
    pub(crate) const unsafe fn long<U>(
        a: [u8; 3],
    ) -> Array<{ N }>
    where
        U: Copy,
    {
        a
    }
}
";
        assert_eq!(functions(source), [("long".to_string(), 8)]);
    }

    #[test]
    fn a_declaration_ends_at_its_semicolon() {
        let source = "\
trait Trait {
    fn short(&self) -> [u8; 3];
    fn long<T>(&self, t: T)
    where
        T: Copy;
    fn given(&self) {}
}
";
        let expected = [("short", 1), ("long", 3), ("given", 1)];
        assert_eq!(functions(source), expected.map(|(name, lines)| (name.to_string(), lines)));
    }

    #[test]
    fn a_function_pointer_is_no_function() {
        assert_eq!(functions("type F = fn(usize) -> usize;\nlet f: unsafe fn (u8) = g;\n"), []);
        assert_eq!(functions("extern \"C\" fn f() {}\n"), [("f".to_string(), 1)]);
    }
}
