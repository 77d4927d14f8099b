//! The lexer: source text to tokens.
//!
//! It never fails: an invalid token becomes [`Token::Bad`] with an error message, which the parser returns when it
//! gets there. Everything before it is still explained.

use super::step::Failure;
use std::ops::Range;

/// One word and the bytes it stands at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// What it is.
    pub token: Token,
    /// Where it is.
    pub span: Range<usize>,
}

/// The kinds of words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name.
    Name(String),
    /// A whole number.
    Int(i128),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A number of imaginary units: `2j`.
    Imaginary(f64),
    /// A text between quotes, and the byte of the source at which its first character stands.
    Text(String, usize),
    /// A sign: `(`, `**`, `...`
    Sign(&'static str),
    /// The end of a statement: a line break outside of brackets, or `;`.
    Break,
    /// Something that is no word, and why.
    Bad(Failure),
    /// The end of the text.
    End,
}

/// The longest first, so that `**` is not read as two `*`.
const SIGNS: [&str; 34] = [
    "...", "**=", "//=", "**", "//", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "@=", "->",
    "<<", ">>", "(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "+", "-", "*", "/", "@", "%",
    "|",
];

/// The words of a text. The last one is [`Token::End`] or [`Token::Bad`].
pub(crate) fn words(source: &str) -> Vec<Word> {
    let mut lexer = Lexer { source, at: 0, open: 0 };
    let mut words = Vec::new();
    loop {
        let word = lexer.word();
        let is_last = matches!(word.token, Token::End | Token::Bad(_));
        words.push(word);
        if is_last {
            return words;
        }
    }
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    /// How many brackets are open: a line break inside of one ends nothing.
    open: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Steps over all characters for which `is_part` holds.
    fn skip(&mut self, is_part: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    }

    fn word(&mut self) -> Word {
        self.skip_blanks();
        self.skip_prompt();
        let start = self.at;
        let token = match self.peek() {
            None => Token::End,
            Some('\n' | ';') => {
                self.at += 1;
                Token::Break
            }
            Some('"' | '\'') => self.text(),
            Some(c) if c.is_ascii_digit() || (c == '.' && self.digit_at(1)) => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(c) => self.sign(c),
        };
        Word { token, span: start..self.at }
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

    /// `>>> ` at the beginning of a line: copied from a session.
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

    fn bad(&mut self, span: Range<usize>, message: impl Into<String>, help: &[&str]) -> Token {
        let help = help.iter().map(|&it| it.into()).collect();
        Token::Bad(Failure { message: message.into(), span, help })
    }

    fn sign(&mut self, c: char) -> Token {
        let Some(&sign) = SIGNS.iter().find(|&&sign| self.rest().starts_with(sign)) else {
            let span = self.at..self.at + c.len_utf8();
            return self.bad(span, format!("{c:?} means nothing here"), &[]);
        };
        self.at += sign.len();
        match sign {
            "(" | "[" | "{" => self.open += 1,
            ")" | "]" | "}" => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        Token::Sign(sign)
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        self.skip(|c| c.is_alphanumeric() || c == '_');
        let name = &self.source[start..self.at];
        let is_prefix = name.len() <= 2 && name.chars().all(|c| "rRbBfFuU".contains(c));
        if !is_prefix || !self.rest().starts_with(['"', '\'']) {
            return Token::Name(name.into());
        }
        match name {
            // What is in the braces is not looked at: such texts are for `print`, which leaves them out.
            "r" | "R" | "u" | "U" | "f" | "F" => self.text(),
            _ => {
                let what = format!("{name}-strings are not part of this language");
                self.bad(start..self.at + 1, what, &["a plain text such as \"b c -> c b\" is"])
            }
        }
    }

    fn text(&mut self) -> Token {
        let start = self.at;
        let quote = if self.rest().starts_with('"') { '"' } else { '\'' };
        self.at += 1;
        let length = self.rest().find([quote, '\n', '\\']);
        let end = length.map_or(self.source.len(), |it| self.at + it);
        match self.source[end..].chars().next() {
            Some(c) if c == quote => {
                let text = self.source[self.at..end].to_string();
                let first = self.at;
                self.at = end + 1;
                Token::Text(text, first)
            }
            Some('\\') => self.bad(end..end + 1, "texts have no escapes here", &[]),
            _ => self.bad(start..end, "this text is never closed", &[]),
        }
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        if let Some(token) = self.with_base() {
            return token;
        }
        let digits = |c: char| c.is_ascii_digit() || c == '_';
        self.skip(digits);
        let mut is_float = false;
        // `1...` is no number with a fraction, and `1.real` not either.
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
            return Token::Imaginary(text.parse().unwrap_or(f64::INFINITY));
        }
        if let Some(c) = self.peek().filter(|&c| c.is_alphanumeric()) {
            let span = start..self.at + c.len_utf8();
            return self.bad(span, "a name cannot begin with a digit", &[]);
        }
        match is_float {
            true => Token::Float(text.parse().unwrap_or(f64::INFINITY)),
            false => self.int(start, text.parse().ok()),
        }
    }

    /// `0x1f`, `0b101`, `0o17`.
    fn with_base(&mut self) -> Option<Token> {
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

    fn int(&mut self, start: usize, value: Option<i128>) -> Token {
        match value {
            Some(value) => Token::Int(value),
            None => self.bad(start..self.at, "this is no number that could be used here", &[]),
        }
    }
}
