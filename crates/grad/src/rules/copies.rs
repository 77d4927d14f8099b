//! Copies, casts and assignments, whose values are those of the operand, and the conjugate.

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
pub(crate) static COPY: Rule = Rule::general(Saves::Nothing, copy).complex();

pub(super) const RULES: Rules = &[
    ("assign", Rule::general(Saves::Nothing, copy).complex()),
    ("astype", Rule::general(Saves::Nothing, copy).complex()),
    (
        "conj",
        Rule::general(Saves::Nothing, |p| {
            let contribution = p.g().conj()?;
            p.add(0, contribution);
            Ok(())
        })
        .complex(),
    ),
    ("copy", Rule::general(Saves::Nothing, copy).complex()),
    // An element as a tensor of rank 0: the index of bindings.
    ("getitem", Rule::general(Saves::Nothing, copy).complex()),
];
