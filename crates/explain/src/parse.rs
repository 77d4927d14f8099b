//! The parser: tokens to statements.
//!
//! Recursive descent, with a table of the precedence levels. Only brackets and unary operators recurse, and their
//! depth is bounded, so no text can overflow the stack.

use super::lex::{Token, TokenKind, tokens};
use super::step::Failure;
use super::tree::{
    Argument, Entry, EntryKind, Expr, Literal, Node, Operator, Statement, Trailer, TrailerKind,
};
use std::ops::Range;

/// The largest nesting depth of brackets and unary operators, which bounds the use of the stack.
pub const MAX_NESTING: usize = 40;

/// Parses a text: returns the statements before the first syntax error, and that error.
pub(crate) fn parse(source: &str) -> (Vec<Statement>, Option<Failure>) {
    let mut parser = Parser { source, tokens: tokens(source), at: 0, nesting: 0 };
    let mut statements = Vec::new();
    loop {
        while parser.kind() == &TokenKind::Newline {
            parser.at += 1;
        }
        if parser.kind() == &TokenKind::End {
            return (statements, None);
        }
        match parser.statement() {
            Ok(statement) => statements.push(statement),
            Err(failure) => return (statements, Some(failure)),
        }
    }
}

pub(super) type Parsed<T> = Result<T, Failure>;

pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    tokens: Vec<Token>,
    pub(super) at: usize,
    nesting: usize,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        // The last token is `End` or `Invalid`, which no rule consumes.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> &TokenKind {
        &self.token().kind
    }

    pub(super) fn is_symbol(&self, sign: &str) -> bool {
        matches!(self.kind(), TokenKind::Symbol(it) if *it == sign)
    }

    pub(super) fn take_symbol(&mut self, sign: &str) -> Option<Range<usize>> {
        let span = self.is_symbol(sign).then(|| self.token().span.clone())?;
        self.at += 1;
        Some(span)
    }

    /// Consumes one of several operators.
    pub(super) fn take_any(&mut self, signs: &[&'static str]) -> Option<Operator> {
        let &sign = signs.iter().find(|&&sign| self.is_symbol(sign))?;
        self.take_symbol(sign).map(|span| Operator { sign, span })
    }

    pub(super) fn start(&self) -> usize {
        self.token().span.start
    }

    /// Returns the end of the previous token.
    pub(super) fn end(&self) -> usize {
        self.tokens[self.at - 1].span.end
    }

    pub(super) fn unexpected(&self, expected: &str) -> Failure {
        let found = match self.kind() {
            TokenKind::Invalid(failure) => return failure.clone(),
            TokenKind::End => "the end of the source".into(),
            TokenKind::Newline => "the end of the line".into(),
            TokenKind::Symbol(sign) => format!("`{sign}`"),
            TokenKind::Name(name) => format!("`{name}`"),
            TokenKind::Literal(Literal::Str(..)) => "a string".into(),
            TokenKind::Literal(_) => "a number".into(),
        };
        let message = format!("expected {expected}, found {found}");
        let failure = Failure::new(message, self.token().span.clone());
        match self.kind() {
            TokenKind::Symbol("{" | "}") => failure.help("dictionaries and sets are not supported"),
            TokenKind::Symbol(":") => failure.help("slices are written in square brackets: x[1:3]"),
            _ => failure,
        }
    }

    /// Returns an expression that ends before the current token.
    fn expr(&self, start: usize, node: Node) -> Expr {
        Expr { node, span: start..self.end() }
    }

    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let message = format!(
                "brackets and unary operators are nested more than {MAX_NESTING} levels deep"
            );
            return Err(Failure::new(message, self.token().span.clone()));
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Parses `a`, or `a, b` as a tuple.
    pub(super) fn expressions(&mut self) -> Parsed<Expr> {
        let first = self.expression()?;
        if !self.is_symbol(",") {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = vec![first];
        while self.take_symbol(",").is_some() {
            let ends =
                matches!(self.kind(), TokenKind::Newline | TokenKind::End) || self.is_symbol("=");
            if ends {
                break;
            }
            parts.push(self.expression()?);
        }
        Ok(self.expr(start, Node::Tuple(parts)))
    }

    /// Parses a comparison, or operators that bind more tightly.
    fn expression(&mut self) -> Parsed<Expr> {
        let left = self.operators(PRECEDENCE)?;
        let Some(operator) = self.take_any(COMPARISONS) else { return Ok(left) };
        let start = left.span.start;
        let right = self.operators(PRECEDENCE)?;
        if let Some(Operator { span, .. }) = self.take_any(COMPARISONS) {
            let failure = Failure::new("comparisons of tensors cannot be chained", span);
            return Err(failure.help("write (a < b) & (b < c)"));
        }
        Ok(self.expr(start, Node::Binary(Box::new(left), vec![(operator, right)])))
    }

    /// Parses operators of the given precedence levels, from the loosest to the tightest.
    fn operators(&mut self, levels: &[&[&'static str]]) -> Parsed<Expr> {
        let [signs, tighter @ ..] = levels else { return self.unary() };
        let first = self.operators(tighter)?;
        let start = first.span.start;
        let mut rest = Vec::new();
        while let Some(operator) = self.take_any(signs) {
            rest.push((operator, self.operators(tighter)?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(self.expr(start, Node::Binary(Box::new(first), rest)))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let Some(Operator { sign, span }) = self.take_any(&["-", "+", "~"]) else {
            return self.power();
        };
        let inside = self.nested(Self::unary)?;
        Ok(self.expr(span.start, Node::Unary(sign, Box::new(inside))))
    }

    /// Parses `a ** b`, which binds more tightly than a unary operator on its left, and less tightly than one on
    /// its right.
    fn power(&mut self) -> Parsed<Expr> {
        let base = self.postfix()?;
        let Some(operator) = self.take_any(&["**"]) else { return Ok(base) };
        let start = base.span.start;
        let exponent = self.nested(Self::unary)?;
        Ok(self.expr(start, Node::Binary(Box::new(base), vec![(operator, exponent)])))
    }

    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let base = self.atom()?;
        let start = base.span.start;
        let mut trailers = Vec::new();
        loop {
            let from = self.start();
            let kind = if self.take_symbol(".").is_some() {
                self.attribute()?
            } else if self.take_symbol("(").is_some() {
                TrailerKind::Call(self.nested(|it| it.list(")", Self::argument))?)
            } else if self.take_symbol("[").is_some() {
                TrailerKind::Index(self.nested(|it| it.list("]", Self::entry))?)
            } else {
                break;
            };
            trailers.push(Trailer { kind, span: from..self.end() });
        }
        if trailers.is_empty() {
            return Ok(base);
        }
        Ok(self.expr(start, Node::Postfix(Box::new(base), trailers)))
    }

    fn attribute(&mut self) -> Parsed<TrailerKind> {
        let TokenKind::Name(name) = self.kind() else { return Err(self.unexpected("a name")) };
        let kind = TrailerKind::Attribute(name.clone(), self.token().span.clone());
        self.at += 1;
        Ok(kind)
    }

    /// Parses items separated by commas, and consumes the closing bracket.
    ///
    /// If a name follows on a new line where a comma or bracket is expected, the error is that the bracket was never
    /// closed.
    fn list<T>(
        &mut self,
        close: &'static str,
        item: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let open = self.tokens[self.at - 1].span.clone();
        let mut items = Vec::new();
        loop {
            if self.take_symbol(close).is_some() {
                return Ok(items);
            }
            if self.kind() == &TokenKind::End {
                return Err(unclosed(open));
            }
            items.push(item(self)?);
            if self.take_symbol(",").is_some() || self.is_symbol(close) {
                continue;
            }
            let is_new_line = self.source[self.end()..self.start()].contains('\n');
            return match self.kind() {
                TokenKind::End => Err(unclosed(open)),
                TokenKind::Name(_) if is_new_line => Err(unclosed(open)),
                _ => Err(self.unexpected(&format!("`,` or `{close}`"))),
            };
        }
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let is_named =
            matches!(self.tokens.get(self.at + 1), Some(it) if it.kind == TokenKind::Symbol("="));
        let name = match self.kind() {
            TokenKind::Name(name) if is_named => Some((name.clone(), self.token().span.clone())),
            _ => None,
        };
        if name.is_some() {
            self.at += 2;
        }
        Ok(Argument { name, value: self.maybe_starred()? })
    }

    fn maybe_starred(&mut self) -> Parsed<Expr> {
        let Some(span) = self.take_symbol("*") else { return self.expression() };
        let inside = self.nested(Self::expression)?;
        Ok(self.expr(span.start, Node::Star(Box::new(inside))))
    }

    fn entry(&mut self) -> Parsed<Entry> {
        let start = self.start();
        let first = if self.is_symbol(":") { None } else { Some(self.expression()?) };
        if !self.is_symbol(":") {
            let Some(one) = first else { return Err(self.unexpected("an index")) };
            return Ok(Entry { span: one.span.clone(), kind: EntryKind::Item(one) });
        }
        let mut parts = [first, None, None];
        for part in &mut parts[1..] {
            if self.take_symbol(":").is_none() {
                break;
            }
            if ![":", ",", "]"].iter().any(|sign| self.is_symbol(sign)) {
                *part = Some(self.expression()?);
            }
        }
        Ok(Entry { kind: EntryKind::Slice(parts), span: start..self.end() })
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let Token { kind, span } = self.token().clone();
        let node = match kind {
            TokenKind::Literal(literal) => Node::Literal(literal),
            TokenKind::Name(name) if !is_reserved(&name) => Node::Name(name),
            TokenKind::Symbol("...") => Node::Ellipsis,
            TokenKind::Symbol("(") => return self.parenthesis(),
            TokenKind::Symbol("[") => {
                self.at += 1;
                let items = self.nested(|it| it.list("]", Self::maybe_starred))?;
                return Ok(self.expr(span.start, Node::List(items)));
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.at += 1;
        Ok(Expr { node, span })
    }

    fn parenthesis(&mut self) -> Parsed<Expr> {
        let start = self.start();
        self.at += 1;
        let mut items = self.nested(|it| it.list(")", Self::maybe_starred))?;
        // `(a)` is `a`, and `(a,)` is a tuple of one.
        let has_comma = self.tokens[self.at - 2].kind == TokenKind::Symbol(",");
        let is_plain = items.len() == 1 && !has_comma && !matches!(items[0].node, Node::Star(_));
        let node = if is_plain { items.remove(0).node } else { Node::Tuple(items) };
        Ok(self.expr(start, node))
    }
}

fn unclosed(span: Range<usize>) -> Failure {
    Failure::new("this bracket was never closed", span)
}

/// The operators between operands by Python's precedence: bitwise operators, shifts, sums, products.
const PRECEDENCE: &[&[&str]] =
    &[&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "//", "%", "@"]];

/// The comparisons, which bind less tightly than every other operator.
const COMPARISONS: &[&str] = &["<", "<=", ">", ">=", "==", "!="];

/// Whether a name is a keyword of Python that starts an unsupported construct.
fn is_reserved(name: &str) -> bool {
    const KEYWORDS: &str = "for if else lambda def class while with return not and or is in assert del try as import from";
    KEYWORDS.split(' ').any(|it| it == name)
}
