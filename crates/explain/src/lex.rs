//! The lexer: source text to tokens.
//!
//! Lexing never fails: an invalid token becomes [`TokenKind::Invalid`] with an error message, which the parser
//! returns when it reaches the token. The statements before it are still explained.

use super::step::Failure;
use super::tree::Literal;
use std::ops::Range;

/// A token and its position in the source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    /// What the token is, with its value.
    pub(crate) kind: TokenKind,
    /// The byte range in the source.
    pub span: Range<usize>,
}

/// The kinds of tokens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword.
    Name(String),
    /// A number or a string.
    Literal(Literal),
    /// An operator or delimiter: `(`, `**`, `...`
    Symbol(&'static str),
    /// The end of a statement: a line break outside of brackets, or `;`.
    Newline,
    /// An invalid token, with the error.
    Invalid(Failure),
    /// The end of the source.
    End,
}

/// Operators and delimiters, the longest first, so that `**` is not read as two `*`.
const SYMBOLS: [&str; 45] = [
    "...", "**=", "//=", "<<=", ">>=", "**", "//", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=",
    "@=", "%=", "&=", "|=", "^=", "->", "<<", ">>", "(", ")", "[", "]", "{", "}", ",", ":", ".",
    "=", "+", "-", "*", "/", "@", "%", "|", "&", "^", "~", "<", ">",
];

/// Returns the tokens of a source text. The last one is [`TokenKind::End`] or [`TokenKind::Invalid`].
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { source, at: 0, open: 0 };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token();
        let is_last = matches!(token.kind, TokenKind::End | TokenKind::Invalid(_));
        tokens.push(token);
        if is_last {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    /// The number of open brackets. A line break inside brackets does not end a statement.
    open: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips all characters for which `is_part` holds.
    fn skip(&mut self, is_part: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    }

    fn token(&mut self) -> Token {
        self.skip_blanks();
        self.skip_prompt();
        let start = self.at;
        let kind = match self.peek() {
            None => TokenKind::End,
            Some('\n' | ';') => {
                self.at += 1;
                TokenKind::Newline
            }
            Some('"' | '\'') => self.string(),
            Some(c) if c.is_ascii_digit() || (c == '.' && self.digit_at(1)) => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(c) => self.symbol(c),
        };
        Token { kind, span: start..self.at }
    }

    fn skip_blanks(&mut self) {
        loop {
            let inside = self.open > 0;
            self.skip(|c| c.is_whitespace() && (c != '\n' || inside));
            match self.peek() {
                Some('#') => self.skip(|c| c != '\n'),
                Some('\\')
                    if self.rest()[1..].trim_start_matches([' ', '\r']).starts_with('\n') =>
                {
                    self.at += self.rest().find('\n').map_or(0, |it| it + 1);
                }
                _ => return,
            }
        }
    }

    /// Skips `>>> ` at the beginning of a line, the prompt of an interactive session.
    fn skip_prompt(&mut self) {
        const PROMPT: &str = ">>> ";
        let before = self.source[..self.at].trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with('\n');
        if begins && self.rest().starts_with(PROMPT) {
            self.at += PROMPT.len();
            self.skip_blanks();
        }
    }

    fn digit_at(&self, ahead: usize) -> bool {
        self.rest().as_bytes().get(ahead).is_some_and(u8::is_ascii_digit)
    }

    fn symbol(&mut self, c: char) -> TokenKind {
        let Some(&sign) = SYMBOLS.iter().find(|&&sign| self.rest().starts_with(sign)) else {
            let span = self.at..self.at + c.len_utf8();
            return invalid(span, format!("unexpected character {c:?}"));
        };
        self.at += sign.len();
        match sign {
            "(" | "[" | "{" => self.open += 1,
            ")" | "]" | "}" => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        TokenKind::Symbol(sign)
    }

    fn name(&mut self) -> TokenKind {
        let start = self.at;
        self.skip(|c| c.is_alphanumeric() || c == '_');
        let name = &self.source[start..self.at];
        let is_prefix = name.len() <= 2 && name.chars().all(|c| "rRbBfFuU".contains(c));
        if !is_prefix || !self.rest().starts_with(['"', '\'']) {
            return TokenKind::Name(name.into());
        }
        match name {
            // The expressions in braces are not evaluated: `print` ignores its string arguments.
            "r" | "R" | "u" | "U" | "f" | "F" => self.string(),
            _ => TokenKind::Invalid(
                Failure::new(format!("{name}-strings are not supported"), start..self.at + 1)
                    .help("use a plain string such as \"b c -> c b\""),
            ),
        }
    }

    fn string(&mut self) -> TokenKind {
        let start = self.at;
        let quote = if self.rest().starts_with('"') { '"' } else { '\'' };
        self.at += 1;
        let length = self.rest().find([quote, '\n', '\\']);
        let end = length.map_or(self.source.len(), |it| self.at + it);
        match self.source[end..].chars().next() {
            Some(c) if c == quote => {
                let text = self.source[self.at..end].to_string();
                let first = std::mem::replace(&mut self.at, end + 1);
                TokenKind::Literal(Literal::Str(text, first))
            }
            Some('\\') => invalid(end..end + 1, "escape sequences in strings are not supported"),
            _ => invalid(start..end, "this string was never closed"),
        }
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        if let Some(kind) = self.prefixed_int() {
            return kind;
        }
        let digits = |c: char| c.is_ascii_digit() || c == '_';
        self.skip(digits);
        let mut is_float = false;
        // `1...` is an integer followed by an ellipsis.
        if self.peek() == Some('.') && !self.rest().starts_with("...") {
            is_float = true;
            self.at += 1;
            self.skip(digits);
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            let signed = usize::from(matches!(self.rest().as_bytes().get(1), Some(b'+' | b'-')));
            if self.digit_at(1 + signed) {
                is_float = true;
                self.at += 1 + signed;
                self.skip(digits);
            }
        }
        let text: String = self.source[start..self.at].chars().filter(|&c| c != '_').collect();
        if matches!(self.peek(), Some('j' | 'J')) {
            self.at += 1;
            return TokenKind::Literal(Literal::Imaginary(text.parse().unwrap_or(f64::INFINITY)));
        }
        if let Some(c) = self.peek().filter(|&c| c.is_alphanumeric()) {
            let span = start..self.at + c.len_utf8();
            return invalid(span, "invalid number: a name cannot begin with a digit");
        }
        match is_float {
            true => TokenKind::Literal(Literal::Float(text.parse().unwrap_or(f64::INFINITY))),
            false => self.int(start, text.parse().ok()),
        }
    }

    /// Lexes an integer literal with a base prefix: `0x1f`, `0b101`, `0o17`.
    fn prefixed_int(&mut self) -> Option<TokenKind> {
        let radix = match self.rest().get(..2)?.to_ascii_lowercase().as_str() {
            "0x" => 16,
            "0b" => 2,
            "0o" => 8,
            _ => return None,
        };
        let start = self.at;
        self.at += 2;
        self.skip(|c| c.is_ascii_alphanumeric() || c == '_');
        let digits = self.source[start + 2..self.at].replace('_', "");
        Some(self.int(start, i128::from_str_radix(&digits, radix).ok()))
    }

    fn int(&mut self, start: usize, value: Option<i128>) -> TokenKind {
        match value {
            Some(value) => TokenKind::Literal(Literal::Int(value)),
            None => {
                let message = "this integer literal is invalid or does not fit in 128 bits";
                invalid(start..self.at, message)
            }
        }
    }
}

fn invalid(span: Range<usize>, message: impl Into<String>) -> TokenKind {
    TokenKind::Invalid(Failure::new(message, span))
}
