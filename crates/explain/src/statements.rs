//! The parser of statements: assignments, updates in place, imports and `with` blocks.

use super::lex::TokenKind;
use super::parse::{Parsed, Parser};
use super::step::Failure;
use super::tree::{Action, Expr, Node, Statement, Trailer, TrailerKind};
use std::ops::Range;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let start = self.start();
        let action = match self.kind() {
            TokenKind::Name(name) if name == "import" || name == "from" => self.import(),
            TokenKind::Name(name) if name == "with" => {
                let action = self.nested(Self::with_block)?;
                return Ok(Statement { action, span: start..self.end() });
            }
            _ => self.assignment()?,
        };
        match self.kind() {
            TokenKind::Newline | TokenKind::End => {
                Ok(Statement { action, span: start..self.end() })
            }
            _ => Err(self.unexpected("the end of the statement")),
        }
    }

    /// Parses an import. Nothing is loaded: only the library and its alias are kept.
    fn import(&mut self) -> Action {
        let mut names: Vec<String> = Vec::new();
        while !matches!(self.kind(), TokenKind::Newline | TokenKind::End | TokenKind::Invalid(_)) {
            if let TokenKind::Name(name) = self.kind() {
                names.push(name.clone());
            }
            self.at += 1;
        }
        let alias = names.last().cloned().unwrap_or_default();
        let is_alias = names.len() > 2 && names[names.len() - 2] == "as";
        let module = if is_alias { names[names.len() - 3].clone() } else { alias.clone() };
        Action::Import { module, alias }
    }

    /// Parses `with name():` and the statements after it: on the same line, or on indented lines.
    fn with_block(&mut self) -> Parsed<Action> {
        let column = self.column();
        self.at += 1;
        let manager = self.postfix()?;
        let name = match &manager.node {
            Node::Postfix(base, trailers) => match (&base.node, &trailers[..]) {
                (Node::Name(name), [Trailer { kind: TrailerKind::Call(_), .. }]) => Some(name),
                (_, [Trailer { kind: TrailerKind::Attribute(name, _), .. }, _]) => Some(name),
                _ => None,
            },
            _ => None,
        };
        let Some(name) = name.cloned() else { return Err(self.unexpected("`with no_copies():`")) };
        if self.take_symbol(":").is_none() {
            return Err(self.unexpected("`:`"));
        }
        let mut body = Vec::new();
        if self.kind() != &TokenKind::Newline {
            body.push(self.statement()?);
            return Ok(Action::With((name, manager.span), body));
        }
        loop {
            let before = self.at;
            while self.kind() == &TokenKind::Newline {
                self.at += 1;
            }
            if self.kind() == &TokenKind::End || self.column() <= column {
                // The line break before it ends this statement.
                self.at = before;
                break;
            }
            body.push(self.statement()?);
        }
        match body.is_empty() {
            true => Err(self.unexpected("an indented statement")),
            false => Ok(Action::With((name, manager.span), body)),
        }
    }

    /// Returns the number of bytes before a token on its line.
    fn column(&self) -> usize {
        let before = &self.source[..self.start().min(self.source.len())];
        before.len() - before.rfind('\n').map_or(0, |it| it + 1)
    }

    fn assignment(&mut self) -> Parsed<Action> {
        let target = self.expressions()?;
        let is_index = matches!(&target.node, Node::Postfix(_, trailers)
            if matches!(trailers.last(), Some(Trailer { kind: TrailerKind::Index(_), .. })));
        if let Some(operator) = self.take_any(UPDATES) {
            let value = self.expressions()?;
            return match is_index || matches!(target.node, Node::Name(_)) {
                true => Ok(Action::Update(target, operator, value)),
                false => Err(not_assignable(target.span)),
            };
        }
        if self.take_symbol("=").is_none() {
            return Ok(Action::Show(target));
        }
        let value = self.expressions()?;
        match target.node {
            _ if is_index => Ok(Action::Write(target, value)),
            Node::Name(name) => Ok(Action::Assign(vec![(name, target.span)], value)),
            Node::Tuple(parts) => {
                let names = parts.into_iter().map(into_name).collect::<Parsed<_>>()?;
                Ok(Action::Assign(names, value))
            }
            _ => Err(not_assignable(target.span)),
        }
    }
}

fn into_name(part: Expr) -> Parsed<(String, Range<usize>)> {
    match part.node {
        Node::Name(name) => Ok((name, part.span)),
        _ => Err(not_assignable(part.span)),
    }
}

fn not_assignable(span: Range<usize>) -> Failure {
    Failure::new("cannot assign to this expression", span)
        .help("assign to a name (x = …), to names (a, b = …) or through an index (x[0] = …)")
}

/// The operators that write to their left operand.
const UPDATES: &[&str] =
    &["+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="];
