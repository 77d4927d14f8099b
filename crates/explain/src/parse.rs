//! The parser: tokens to statements.
//!
//! Recursive descent, one function for each precedence level. Only brackets and unary operators recurse, and their
//! depth is bounded, so no text can overflow the stack.

use super::lex::{Token, Word, words};
use super::step::Failure;
use super::tree::{
    Action, Argument, Entry, EntryKind, Expr, Node, Operator, Statement, Trailer, TrailerKind,
};
use std::ops::Range;

/// The largest nesting depth of brackets and unary operators, which bounds the use of the stack.
pub const MAX_NESTING: usize = 40;

/// Parses a text: returns the statements before the first syntax error, and that error.
pub(crate) fn parse(source: &str) -> (Vec<Statement>, Option<Failure>) {
    let mut parser = Parser { source, words: words(source), at: 0, nesting: 0 };
    let mut statements = Vec::new();
    loop {
        while parser.token() == &Token::Break {
            parser.at += 1;
        }
        if parser.token() == &Token::End {
            return (statements, None);
        }
        match parser.statement() {
            Ok(statement) => statements.push(statement),
            Err(failure) => return (statements, Some(failure)),
        }
    }
}

type Parsed<T> = Result<T, Failure>;

struct Parser<'a> {
    source: &'a str,
    words: Vec<Word>,
    at: usize,
    nesting: usize,
}

impl Parser<'_> {
    fn word(&self) -> &Word {
        // The last word is an end and is never stepped over.
        &self.words[self.at.min(self.words.len() - 1)]
    }

    fn token(&self) -> &Token {
        &self.word().token
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(it) if *it == sign)
    }

    fn take_sign(&mut self, sign: &str) -> Option<Range<usize>> {
        let span = self.is_sign(sign).then(|| self.word().span.clone())?;
        self.at += 1;
        Some(span)
    }

    /// One of several signs, stepped over.
    fn take_any(&mut self, signs: &[&'static str]) -> Option<Operator> {
        let &sign = signs.iter().find(|&&sign| self.is_sign(sign))?;
        self.take_sign(sign).map(|span| Operator { sign, span })
    }

    fn start(&self) -> usize {
        self.word().span.start
    }

    /// Where the word before this one ends.
    fn end(&self) -> usize {
        self.words[self.at - 1].span.end
    }

    fn unexpected(&self, wanted: &str) -> Failure {
        let span = self.word().span.clone();
        let (message, help) = match self.token() {
            Token::Bad(failure) => return failure.clone(),
            Token::End => (format!("the text ends where {wanted} should be"), None),
            Token::Break => (format!("the line ends where {wanted} should be"), None),
            Token::Sign(sign) => (format!("`{sign}` where {wanted} should be"), advice(sign)),
            Token::Name(name) => (format!("`{name}` where {wanted} should be"), None),
            Token::Text(..) => (format!("a text where {wanted} should be"), None),
            _ => (format!("a number where {wanted} should be"), None),
        };
        Failure { message, span, help: help.map(String::from).into_iter().collect() }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let message = format!("brackets and signs are nested more than {MAX_NESTING} deep");
            return Err(Failure { message, span: self.word().span.clone(), help: Vec::new() });
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.start();
        let action = match self.token() {
            Token::Name(name) if name == "import" || name == "from" => self.import(),
            _ => self.assignment()?,
        };
        match self.token() {
            Token::Break | Token::End => Ok(Statement { action, span: start..self.end() }),
            _ => Err(self.unexpected("the end of the statement")),
        }
    }

    /// Whatever is imported, nothing is loaded: only the name that is given to a library counts.
    fn import(&mut self) -> Action {
        let mut alias = String::new();
        while !matches!(self.token(), Token::Break | Token::End | Token::Bad(_)) {
            if let Token::Name(name) = self.token() {
                alias.clone_from(name);
            }
            self.at += 1;
        }
        Action::Import(alias)
    }

    fn assignment(&mut self) -> Parsed<Action> {
        let target = self.expressions()?;
        if self.take_sign("=").is_none() {
            return Ok(Action::Show(target));
        }
        let value = self.expressions()?;
        let span = target.span.clone();
        let names = match target.node {
            Node::Name(name) => vec![(name, span)],
            Node::Tuple(parts) => parts.into_iter().map(named).collect::<Parsed<_>>()?,
            Node::Postfix(_, ref trailers)
                if matches!(trailers.last(), Some(Trailer { kind: TrailerKind::Index(_), .. })) =>
            {
                return Ok(Action::Write(target, value));
            }
            _ => return Err(not_assignable(span)),
        };
        Ok(Action::Assign(names, value))
    }

    /// `a`, or `a, b` as a tuple.
    fn expressions(&mut self) -> Parsed<Expr> {
        let first = self.expression()?;
        if !self.is_sign(",") {
            return Ok(first);
        }
        let start = first.span.start;
        let mut parts = vec![first];
        while self.take_sign(",").is_some() {
            let ends = matches!(self.token(), Token::Break | Token::End) || self.is_sign("=");
            if ends {
                break;
            }
            parts.push(self.expression()?);
        }
        Ok(Expr { node: Node::Tuple(parts), span: start..self.end() })
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.operators(&["+", "-"], |it| it.operators(&["*", "/", "//", "%", "@"], Self::signed))
    }

    fn operators(
        &mut self,
        signs: &[&'static str],
        operand: impl Fn(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let first = operand(self)?;
        let start = first.span.start;
        let mut rest = Vec::new();
        while let Some(operator) = self.take_any(signs) {
            rest.push((operator, operand(self)?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Expr { node: Node::Binary(Box::new(first), rest), span: start..self.end() })
    }

    fn signed(&mut self) -> Parsed<Expr> {
        let Some(Operator { sign, span }) = self.take_any(&["-", "+"]) else {
            return self.power();
        };
        let inside = self.deeper(Self::signed)?;
        Ok(Expr { node: Node::Sign(sign, Box::new(inside)), span: span.start..self.end() })
    }

    /// `**` binds more tightly than a sign in front of it, and less than one behind.
    fn power(&mut self) -> Parsed<Expr> {
        let base = self.postfix()?;
        let Some(operator) = self.take_any(&["**"]) else { return Ok(base) };
        let start = base.span.start;
        let exponent = self.deeper(Self::signed)?;
        let node = Node::Binary(Box::new(base), vec![(operator, exponent)]);
        Ok(Expr { node, span: start..self.end() })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let base = self.atom()?;
        let start = base.span.start;
        let mut trailers = Vec::new();
        loop {
            let from = self.start();
            let kind = if self.take_sign(".").is_some() {
                self.attribute()?
            } else if self.take_sign("(").is_some() {
                TrailerKind::Call(self.deeper(|it| it.list(")", Self::argument))?)
            } else if self.take_sign("[").is_some() {
                TrailerKind::Index(self.deeper(|it| it.list("]", Self::entry))?)
            } else {
                break;
            };
            trailers.push(Trailer { kind, span: from..self.end() });
        }
        if trailers.is_empty() {
            return Ok(base);
        }
        Ok(Expr { node: Node::Postfix(Box::new(base), trailers), span: start..self.end() })
    }

    fn attribute(&mut self) -> Parsed<TrailerKind> {
        let Token::Name(name) = self.token() else { return Err(self.unexpected("a name")) };
        let kind = TrailerKind::Attribute(name.clone(), self.word().span.clone());
        self.at += 1;
        Ok(kind)
    }

    /// Things between commas, up to the closing bracket, which is stepped over.
    ///
    /// A line that goes on where something else should be is a sign that the bracket was to be closed before.
    fn list<T>(
        &mut self,
        close: &'static str,
        item: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let open = self.words[self.at - 1].span.clone();
        let mut items = Vec::new();
        loop {
            if self.take_sign(close).is_some() {
                return Ok(items);
            }
            if self.token() == &Token::End {
                return Err(unclosed(open));
            }
            items.push(item(self)?);
            if self.take_sign(",").is_some() || self.is_sign(close) {
                continue;
            }
            let is_new_line = self.source[self.end()..self.start()].contains('\n');
            return match self.token() {
                Token::End => Err(unclosed(open)),
                Token::Name(_) if is_new_line => Err(unclosed(open)),
                _ => Err(self.unexpected(&format!("`,` or `{close}`"))),
            };
        }
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let is_named =
            matches!(self.words.get(self.at + 1), Some(it) if it.token == Token::Sign("="));
        let name = match self.token() {
            Token::Name(name) if is_named => Some((name.clone(), self.word().span.clone())),
            _ => None,
        };
        if name.is_some() {
            self.at += 2;
        }
        Ok(Argument { name, value: self.starred()? })
    }

    fn starred(&mut self) -> Parsed<Expr> {
        let Some(span) = self.take_sign("*") else { return self.expression() };
        let inside = self.deeper(Self::expression)?;
        Ok(Expr { node: Node::Star(Box::new(inside)), span: span.start..self.end() })
    }

    fn entry(&mut self) -> Parsed<Entry> {
        let start = self.start();
        let first = if self.is_sign(":") { None } else { Some(self.expression()?) };
        if !self.is_sign(":") {
            let Some(one) = first else { return Err(self.unexpected("an index")) };
            return Ok(Entry { span: one.span.clone(), kind: EntryKind::One(one) });
        }
        let mut parts = [first, None, None];
        for part in &mut parts[1..] {
            if self.take_sign(":").is_none() {
                break;
            }
            if ![":", ",", "]"].iter().any(|sign| self.is_sign(sign)) {
                *part = Some(self.expression()?);
            }
        }
        Ok(Entry { kind: EntryKind::Range(parts), span: start..self.end() })
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let Word { token, span } = self.word().clone();
        let node = match token {
            Token::Int(value) => Node::Int(value),
            Token::Float(value) => Node::Float(value),
            Token::Imaginary(value) => Node::Imaginary(value),
            Token::Text(text, first) => Node::Text(text, first),
            Token::Name(name) if !is_reserved(&name) => Node::Name(name),
            Token::Sign("...") => Node::Ellipsis,
            Token::Sign("(") => return self.parenthesis(),
            Token::Sign("[") => {
                self.at += 1;
                let items = self.deeper(|it| it.list("]", Self::starred))?;
                return Ok(Expr { node: Node::List(items), span: span.start..self.end() });
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.at += 1;
        Ok(Expr { node, span })
    }

    fn parenthesis(&mut self) -> Parsed<Expr> {
        let start = self.start();
        self.at += 1;
        let mut items = self.deeper(|it| it.list(")", Self::starred))?;
        let span = start..self.end();
        // `(a)` is `a`, and `(a,)` is a tuple of one.
        let has_comma = self.words[self.at - 2].token == Token::Sign(",");
        let is_plain = items.len() == 1 && !has_comma && !matches!(items[0].node, Node::Star(_));
        match (is_plain, items.pop()) {
            (true, Some(only)) => Ok(Expr { node: only.node, span }),
            (_, last) => {
                items.extend(last);
                Ok(Expr { node: Node::Tuple(items), span })
            }
        }
    }
}

fn named(part: Expr) -> Parsed<(String, Range<usize>)> {
    match part.node {
        Node::Name(name) => Ok((name, part.span)),
        _ => Err(not_assignable(part.span)),
    }
}

fn unclosed(span: Range<usize>) -> Failure {
    Failure { message: "this bracket is never closed".into(), span, help: Vec::new() }
}

fn not_assignable(span: Range<usize>) -> Failure {
    let help = vec!["a name can: x = …, or a, b = …; and a view: x[0] = …".into()];
    Failure { message: "nothing can be assigned to this".into(), span, help }
}

/// Words of Python that begin something this language does not have.
fn is_reserved(name: &str) -> bool {
    let words = [
        "for", "if", "else", "lambda", "def", "class", "while", "with", "return", "not", "and",
        "or",
    ];
    words.contains(&name)
        || ["is", "in", "assert", "del", "try", "as", "import", "from"].contains(&name)
}

fn advice(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "==" | "!=" | "<=" | ">=" => "comparisons are not part of this language",
        "+=" | "-=" | "*=" | "/=" | "@=" | "//=" | "**=" => {
            "write x = x + …, which makes new memory, or x[...] = …, which writes through"
        }
        "{" | "}" => "there are no dictionaries or sets in this language",
        ":" => "slices stand between square brackets: x[1:3]",
        _ => return None,
    })
}
