//! Functions of whole lanes along an axis: scans and the softmax family.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::Error;

/// Each element is in the sums from its position on.
fn cumulative_sum(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axis = p.int("axis").unwrap_or(0);
    let mut g = p.g();
    if p.flag("include_initial") {
        let n = p.shape(0)[axis.rem_euclid(p.shape(0).len() as isize) as usize];
        g = g.narrow(axis, 1, n)?;
    }
    let sums = g.flip([axis])?.cumulative_sum(axis)?.flip([axis])?;
    p.add(0, sums);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("cumulative_sum", Rule::general(Saves::Nothing, cumulative_sum)),
    (
        "softmax",
        Rule::general(Saves::All, |p| {
            let contribution = p.input(0)?.softmax_grad(&p.g(), p.int("axis").unwrap_or(-1))?;
            p.add(0, contribution);
            Ok(())
        }),
    ),
    (
        "log_softmax",
        Rule::general(Saves::All, |p| {
            let contribution = p.input(0)?.log_softmax_grad(&p.g(), p.int("axis").unwrap_or(-1))?;
            p.add(0, contribution);
            Ok(())
        }),
    ),
];
