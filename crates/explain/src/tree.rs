//! The syntax tree.

use std::ops::Range;

/// One statement.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// What it does.
    pub action: Action,
    /// Its bytes in the source.
    pub span: Range<usize>,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// `x = …`, `a, b = …`: the names and the value.
    Assign(Vec<(String, Range<usize>)>, Expr),
    /// `x[…] = …`: the target and the value.
    Write(Expr, Expr),
    /// `x += …`, `x[…] += …`: the target, the operator and the value.
    Update(Expr, Operator, Expr),
    /// An expression statement.
    Show(Expr),
    /// `import numpy as np`: the library and its alias.
    Import { module: String, alias: String },
    /// `with no_copies():` and its statements.
    With((String, Range<usize>), Vec<Statement>),
}

/// An expression and its position.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// The expression.
    pub node: Node,
    /// Its bytes in the source.
    pub span: Range<usize>,
}

/// The kinds of expressions.
///
/// Chains of calls and of operators are lists, not trees, so the tree is no deeper than the nesting of the
/// brackets.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A number or a string.
    Literal(Literal),
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
    /// An expression followed by attribute accesses, calls and indices: `.name`, `(…)`, `[…]`.
    Postfix(Box<Expr>, Vec<Trailer>),
    /// `-a`, `+a`, `~a`
    Unary(&'static str, Box<Expr>),
    /// `a + b - c`: operators of one precedence level, from left to right.
    Binary(Box<Expr>, Vec<(Operator, Expr)>),
}

/// A number or a string.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// An imaginary number: `2j`.
    Imaginary(f64),
    /// A string, and the byte position of its first character.
    Str(String, usize),
}

/// A binary operator and its position.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    /// An arithmetic operator, `@`, a bitwise operator or a comparison.
    pub sign: &'static str,
    /// Its bytes in the source.
    pub span: Range<usize>,
}

/// An attribute access, a call or an index after an expression.
#[derive(Clone, Debug)]
pub(crate) struct Trailer {
    /// The attribute, the arguments or the index.
    pub kind: TrailerKind,
    /// The byte range in the source, including the dot or bracket.
    pub span: Range<usize>,
}

/// The three kinds of trailers.
#[derive(Clone, Debug)]
pub(crate) enum TrailerKind {
    /// `.name`, and the position of the name.
    Attribute(String, Range<usize>),
    /// `(…)`
    Call(Vec<Argument>),
    /// `[…]`
    Index(Vec<Entry>),
}

/// One argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// The keyword and its position, for a keyword argument.
    pub name: Option<(String, Range<usize>)>,
    /// Its value.
    pub value: Expr,
}

/// One entry between square brackets.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// An expression or a slice.
    pub kind: EntryKind,
    /// Its bytes in the source.
    pub span: Range<usize>,
}

/// The kinds of index entries.
#[derive(Clone, Debug)]
pub(crate) enum EntryKind {
    /// An expression: an integer, `None`, `...` or a tuple.
    Item(Expr),
    /// `start:stop:step`, each part optional.
    Slice([Option<Expr>; 3]),
}
