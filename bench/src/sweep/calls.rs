//! The calls whose form does not follow from the table of operations.

use belvedere::prelude::*;
use belvedere::{Error, Index};

/// An expression of two operands of one shape and dtype.
#[derive(Clone, Copy)]
pub struct Call {
    /// The operation's name in the table.
    pub function: &'static str,
    /// The expression in Rust.
    pub expression: &'static str,
    /// The expression as a function.
    pub call: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
}

/// A row of [`OTHERS`]: the expression is also the name of the row.
macro_rules! call {
    ($function:literal, |$x:ident, $y:pat_param| $expression:expr) => {
        Call {
            function: $function,
            expression: stringify!($expression),
            call: |$x, $y| $expression,
        }
    };
}

/// The last two write to `x`: the calls before them see values that differ from those of `y`.
pub const OTHERS: &[Call] = &[
    call!("copy", |x, _| x.copy()),
    call!("astype", |x, _| x.astype(DType::Float64)),
    call!("astype", |x, _| x.astype(DType::Int32)),
    call!("astype", |x, _| x.astype(DType::UInt8)),
    call!("add", |x, _| x.add(1)),
    call!("clip", |x, _| x.clip(2, 30)),
    call!("where", |x, y| where_(x, y, x)),
    call!("concat", |x, y| concat(&[x, y], 0)),
    call!("concat", |x, y| concat(&[x, y], -1)),
    call!("stack", |x, y| stack(&[x, y], 0)),
    call!("stack", |x, y| stack(&[x, y], -1)),
    call!("roll", |x, _| x.roll(3, -1)),
    call!("repeat", |x, _| x.repeat(2, -1)),
    call!("tile", |x, _| x.tile([2])),
    call!("diff", |x, _| x.diff(-1)),
    call!("tril", |x, _| x.tril(0)),
    call!("sort", |x, _| x.sort(-1)),
    call!("sort", |x, _| x.sort(0)),
    call!("argsort", |x, _| x.argsort(-1)),
    call!("partition", |x, _| x.partition(0, -1)),
    call!("quantile", |x, _| x.quantile(0.3, -1)),
    call!("bincount", |x, _| x.flatten(0, -1)?.bincount(None, 0)),
    call!("masked_select", |x, _| x.masked_select(&x.astype(DType::Bool)?)),
    call!("vecdot", |x, y| x.vecdot(y, -1)),
    call!("matmul", |x, y| corner(x)?.matmul(&corner(y)?.matrix_transpose()?)),
    call!("einsum", |x, y| einsum("...j,...j->...", &[x, y])),
    call!("copy_from", |x, y| x.copy_from(y).map(|()| x.clone())),
    call!("maximum_into", |x, y| belvedere::maximum_into(x, y, x).map(|()| x.clone())),
];

/// At most 64 × 64 elements of each matrix: the time of a product does not grow with the number of elements alone.
fn corner(x: &Tensor) -> Result<Tensor, Error> {
    x.slice(s![Index::Ellipsis, ..64, ..64])
}
