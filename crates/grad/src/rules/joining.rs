//! Concatenation: each operand receives its part of the gradient.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::Error;

/// Splits the gradient along an axis. `len` is the number of positions that an operand of a shape takes there.
fn split(p: &mut Pullback<'_>, axis: isize, len: impl Fn(&[usize]) -> usize) -> Result<(), Error> {
    let (g, mut start) = (p.g(), 0);
    for n in 0..p.n_inputs() {
        let shape = p.shape(n);
        let len = len(&shape);
        if p.needs(n) {
            let part = g.narrow(axis, start, len)?;
            p.add(n, part.reshape(&*shape)?);
        }
        start += len;
    }
    Ok(())
}

/// Returns the length of an axis that may count from the end.
fn len_of(shape: &[usize], axis: isize) -> usize {
    shape[axis.rem_euclid(shape.len() as isize) as usize]
}

pub(super) const RULES: Rules = &[
    (
        "concat",
        Rule::general(Saves::Nothing, |p| match p.int("axis") {
            Some(axis) => split(p, axis, |shape| len_of(shape, axis)),
            None => split(p, 0, |shape| shape.iter().product()),
        })
        .complex(),
    ),
    (
        "stack",
        Rule::general(Saves::Nothing, |p| {
            let axis = p.int("axis").unwrap_or(0);
            split(p, axis, |_| 1)
        })
        .complex(),
    ),
    (
        "vstack",
        Rule::general(Saves::Nothing, |p| {
            split(p, 0, |shape| if shape.len() < 2 { 1 } else { shape[0] })
        })
        .complex(),
    ),
    (
        "hstack",
        Rule::general(Saves::Nothing, |p| match p.output_shape(0).len() {
            1 => split(p, 0, |shape| shape.first().copied().unwrap_or(1)),
            _ => split(p, 1, |shape| shape[1]),
        })
        .complex(),
    ),
    (
        "dstack",
        Rule::general(Saves::Nothing, |p| split(p, 2, |shape| shape.get(2).copied().unwrap_or(1)))
            .complex(),
    ),
    (
        "column_stack",
        Rule::general(Saves::Nothing, |p| {
            split(p, 1, |shape| if shape.len() < 2 { 1 } else { shape[1] })
        })
        .complex(),
    ),
];
