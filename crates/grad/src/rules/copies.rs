//! Copies, casts and assignments, and the conjugate of real numbers: the values are those of the operand.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::Error;

/// Passes the gradient on, in the shape of the operand: a copy may have another one, and an assignment broadcasts.
fn copy(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (shape, g) = (p.shape(0), p.g());
    match shape.iter().product::<usize>() == g.len() && g.shape() != shape {
        true => p.add(0, g.reshape(&*shape)?),
        false => p.add(0, g),
    }
    Ok(())
}

/// The rule of every operation that announces a copy.
pub(crate) static COPY: Rule = Rule::general(Saves::Nothing, copy);

pub(super) const RULES: Rules = &[
    ("assign", Rule::general(Saves::Nothing, copy)),
    ("astype", Rule::general(Saves::Nothing, copy)),
    ("conj", Rule::general(Saves::Nothing, copy)),
    ("copy", Rule::general(Saves::Nothing, copy)),
    // An element as a tensor of rank 0: the index of bindings.
    ("getitem", Rule::general(Saves::Nothing, copy)),
];
