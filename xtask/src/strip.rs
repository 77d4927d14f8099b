//! Removes comments and the contents of literals from source text.
//!
//! The problem: a `//` in a string is not a comment, a brace in a comment does not close a
//! function. The plain solution is a parser of Rust; but lines and braces only need to know where
//! comments and literals begin and end, and that takes a page.

/// The source with its comments gone and each visible character of a literal replaced by `"`, so
/// that every brace left is a brace. Lines keep their numbers.
pub(crate) fn strip(source: &str) -> String {
    let mut stripped = String::with_capacity(source.len());
    let mut rest = source;
    while !rest.is_empty() {
        let (kind, length) = first_piece(rest);
        let (piece, after) = rest.split_at(length);
        match kind {
            Piece::Code => stripped.push_str(piece),
            Piece::Comment => stripped.extend(piece.chars().filter(|&c| c == '\n')),
            Piece::Literal => {
                stripped.extend(piece.chars().map(|c| if c.is_whitespace() { c } else { '"' }));
            }
        }
        rest = after;
    }
    stripped
}

/// The kind of a section of source.
enum Piece {
    /// Kept.
    Code,
    /// Dropped, up to its line breaks.
    Comment,
    /// A string or a character: kept as a shape, without its content.
    Literal,
}

/// The piece at the beginning of some source that is not empty, and its length in bytes.
fn first_piece(source: &str) -> (Piece, usize) {
    let first = source.chars().next().expect("the source is not empty");
    if source.starts_with("//") {
        return (Piece::Comment, source.find('\n').unwrap_or(source.len()));
    }
    if source.starts_with("/*") {
        return (Piece::Comment, block_comment_length(source));
    }
    if let Some(length) = raw_string_length(source) {
        return (Piece::Literal, length);
    }
    if first == '"' || (first == '\'' && !is_lifetime(source)) {
        return (Piece::Literal, quoted_length(source, first));
    }
    if is_word(first) {
        // All of it at once, so that the `r` at the end of a word begins no raw string.
        return (Piece::Code, source.find(|c| !is_word(c)).unwrap_or(source.len()));
    }
    (Piece::Code, first.len_utf8())
}

/// Whether a character belongs to names, keywords and numbers.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a single quote begins a name (`'a`, `'static`) and not a character (`'a'`, `'\n'`).
fn is_lifetime(source: &str) -> bool {
    let mut after = source.chars().skip(1);
    after.next() != Some('\\') && after.next() != Some('\'')
}

/// The length of a string or character with its quotes; a backslash hides the quote after it.
fn quoted_length(source: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (i, c) in source.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return i + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    source.len()
}

/// The length of a raw string, if the source begins with one: `r"…"`, `br#"…"#` and so on.
fn raw_string_length(source: &str) -> Option<usize> {
    let after_prefix = ["r", "br", "cr"].iter().find_map(|prefix| source.strip_prefix(prefix))?;
    let after_hashes = after_prefix.trim_start_matches('#');
    let n_hashes = after_prefix.len() - after_hashes.len();
    let content = after_hashes.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(n_hashes));
    let after = content.find(&end).map_or("", |i| &content[i + end.len()..]);
    Some(source.len() - after.len())
}

/// Returns the length of a block comment, which may be nested.
fn block_comment_length(source: &str) -> usize {
    let mut depth = 0;
    let mut i = 0;
    while i < source.len() {
        let pair = source.as_bytes().get(i..i + 2);
        match pair {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {
                i += 1;
                continue;
            }
        }
        i += 2;
        if depth == 0 {
            return i;
        }
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(strip(source), expected);
    }

    #[test]
    fn comments_are_removed_and_line_numbers_kept() {
        check("a // b\nc", "a \nc");
        check("/// doc\nfn", "\nfn");
        check("a /* { \n /* nested */ */ b", "a \n b");
    }

    #[test]
    fn comment_markers_in_strings_are_ignored() {
        check(r#"f("// a { b") // c"#, r#"f(""" " " "") "#);
        check(r#"f("\"//") + 1"#, r#"f("""""") + 1"#);
        check(r#"f("\\") // c"#, r#"f("""") "#);
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        check("r#\"}\"\n}\"# }", "\"\"\"\"\"\n\"\"\" }");
        check("for\"{\"", "for\"\"\"");
        check("r#type }", "r#type }");
    }

    #[test]
    fn characters_and_lifetimes_are_distinguished() {
        check("'{' '\\'' '\\u{7d}' 'é'", "\"\"\" \"\"\"\" \"\"\"\"\"\"\"\" \"\"\"");
        check("&'a T<'_, 'static> {", "&'a T<'_, 'static> {");
    }

    #[test]
    fn unterminated_literals_end_at_the_end_of_the_source() {
        check("\"abc", "\"\"\"\"");
        check("/* abc", "");
    }
}
