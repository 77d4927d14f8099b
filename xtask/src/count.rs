//! Counts the code in one source file.
//!
//! Blank lines, comments and tests do not count. A limit that counted comments would be met by
//! deleting them.

use crate::strip::strip;

/// The counts of a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Count {
    /// Lines with code that is not for tests only.
    pub code_lines: usize,
    /// The functions among them, in their order.
    pub functions: Vec<Function>,
    /// Unsafe blocks and unsafe impls.
    pub n_unsafe: usize,
    /// Macros defined by example.
    pub n_macros: usize,
    /// The names of the types and traits defined, in their order.
    pub types: Vec<String>,
}

/// A function, nested ones included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    /// Its name, without the path.
    pub name: String,
    /// Its lines of code, from the one with `fn` to the closing brace.
    pub lines: usize,
    /// Whether its body is one `match` without control flow in its arms: a table, whose length says
    /// nothing about how hard it is to read.
    pub is_flat_match: bool,
}

/// Counts the code of a file that rustfmt has formatted.
pub(crate) fn count(source: &str) -> Count {
    let stripped = strip(source);
    let code: Vec<&str> = stripped.lines().filter(|line| !line.trim().is_empty()).collect();
    let code = without_tests(&code);
    let function = |(i, line): (usize, &&str)| {
        let name = function_name(line)?.to_string();
        let body = &code[i..i + item_length(&code[i..])];
        Some(Function { name, lines: body.len(), is_flat_match: is_flat_match(body) })
    };
    Count {
        code_lines: code.len(),
        functions: code.iter().enumerate().filter_map(function).collect(),
        n_unsafe: code.iter().map(|line| n_unsafe(line)).sum(),
        n_macros: code.iter().filter(|line| line.trim_start().starts_with("macro_rules!")).count(),
        types: code.iter().filter_map(|line| type_name(line)).map(str::to_string).collect(),
    }
}

/// The unsafe blocks and impls that begin in a line. Unsafe functions and types of function pointers are
/// not counted: calling them takes a block.
fn n_unsafe(line: &str) -> usize {
    let begins = |rest: &str| rest.starts_with(" {") || rest.starts_with(" impl");
    let pieces: Vec<&str> = line.split("unsafe").collect();
    let is_whole = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    pieces.windows(2).filter(|pair| is_whole(pair[0]) && begins(pair[1])).count()
}

/// The name of the type or trait that a line defines, if it defines one. Associated types are none:
/// they are indented and not public.
fn type_name(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let keyword = words.iter().position(|word| {
        !(word.starts_with("pub") || word.starts_with("in") || *word == "unsafe")
    })?;
    let is_alias = words[keyword] == "type" && (!line.starts_with(' ') || keyword > 0);
    if !is_alias && !matches!(words[keyword], "struct" | "enum" | "union" | "trait") {
        return None;
    }
    let name = words.get(keyword + 1)?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    name.starts_with(|c: char| c.is_ascii_uppercase()).then_some(name)
}

/// Whether a function consists of one `match` in whose arms nothing branches or loops.
fn is_flat_match(function: &[&str]) -> bool {
    let first = function.iter().position(|line| line.trim_end().ends_with('{'));
    let Some(body) = first.and_then(|i| function.get(i + 1..function.len() - 1)) else {
        return false;
    };
    let [first, arms @ .., last] = body else { return false };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let branches = |line: &&str| {
        let word = line.split_whitespace().next().unwrap_or("");
        matches!(word, "if" | "for" | "while" | "loop" | "match")
    };
    first.trim_start().starts_with("match ")
        && last.trim() == "}"
        && indent(first) == indent(last)
        && !arms.iter().any(branches)
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
pub(crate) fn function_name(line: &str) -> Option<&str> {
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
    fn unsafe_blocks_macros_and_types_are_counted() {
        let source = "\
pub(crate) unsafe trait Proof {}
unsafe impl Proof for u8 {}
/// unsafe { in a comment }
pub struct Pointer<T>(*const T);
type Row = [u8; 4];
macro_rules! one { () => { 1 } }
unsafe fn read(f: unsafe fn()) -> u8 {
    let x = unsafe { *p } + unsafe { *q };
    unsafe {
        x
    }
}
impl Iterator for Pointer<u8> {
    type Item = u8;
}
";
        let count = count(source);
        assert_eq!((count.n_unsafe, count.n_macros), (4, 1));
        assert_eq!(count.types, ["Proof", "Pointer", "Row"]);
    }

    #[test]
    fn a_match_without_control_flow_is_flat() {
        let is_flat = |arm: &str| {
            let source =
                format!("fn f(x: u8) -> u8 {{\n    match x {{\n        {arm}\n    }}\n}}\n");
            count(&source).functions[0].is_flat_match
        };
        assert!(is_flat("0 => 1,\n        _ => 2,"));
        assert!(!is_flat("_ => {\n            if x > 1 { 2 } else { 3 }\n        }"));
        assert!(
            !count("fn f() {\n    g();\n    match x {\n        _ => 1,\n    }\n}\n").functions[0]
                .is_flat_match
        );
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
