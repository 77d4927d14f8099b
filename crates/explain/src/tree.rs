//! The syntax tree.

use std::ops::Range;

/// One statement.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// What it does.
    pub action: Action,
    /// The bytes it stands at.
    pub span: Range<usize>,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// `x = …`, `a, b = …`: names and what they are to hold.
    Assign(Vec<(String, Range<usize>)>, Expr),
    /// `x[…] = …`: writes through a view.
    Write(Expr, Expr),
    /// An expression to look at.
    Show(Expr),
    /// `import numpy as np`: a name for a library.
    Import(String),
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// What it is.
    pub node: Node,
    /// The bytes it stands at.
    pub span: Range<usize>,
}

/// What an expression can be.
///
/// Chains of calls and of operators are lists and not trees, so that nothing here is nested more deeply
/// than the brackets in the text.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A whole number.
    Int(i128),
    /// A number with a fraction.
    Float(f64),
    /// A number of imaginary units.
    Imaginary(f64),
    /// A text, and the byte at which its first character stands.
    Text(String, usize),
    /// A name.
    Name(String),
    /// `...`
    Ellipsis,
    /// `(a, b)`, or `a, b` without parentheses.
    Tuple(Vec<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `*a`, in calls and lists.
    Star(Box<Expr>),
    /// Something, and what is asked of it, one after the other: `.name`, `(…)`, `[…]`.
    Postfix(Box<Expr>, Vec<Trailer>),
    /// `-a`, `+a`
    Sign(&'static str, Box<Expr>),
    /// `a + b - c`: operators of one rank, from left to right.
    Binary(Box<Expr>, Vec<(Operator, Expr)>),
}

/// An operator between two things.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    /// `+`, `-`, `*`, `/`, `//`, `%`, `@` or `**`.
    pub sign: &'static str,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What is asked of the thing in front of it.
#[derive(Clone, Debug)]
pub(crate) struct Trailer {
    /// What it is.
    pub kind: TrailerKind,
    /// The bytes it stands at, the dot or bracket included.
    pub span: Range<usize>,
}

/// The three kinds of trailers.
#[derive(Clone, Debug)]
pub(crate) enum TrailerKind {
    /// `.name`, and where the name stands.
    Attribute(String, Range<usize>),
    /// `(…)`
    Call(Vec<Argument>),
    /// `[…]`
    Index(Vec<Entry>),
}

/// One argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// The name in front of `=`, and where it stands.
    pub name: Option<(String, Range<usize>)>,
    /// What is given.
    pub value: Expr,
}

/// One entry between square brackets.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// A position or another thing; or `start:stop:step`.
    pub kind: EntryKind,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What an entry takes.
#[derive(Clone, Debug)]
pub(crate) enum EntryKind {
    /// One thing.
    One(Expr),
    /// `start:stop:step`, each of which may be missing.
    Range([Option<Expr>; 3]),
}
