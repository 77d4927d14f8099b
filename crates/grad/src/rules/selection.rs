//! `where`, `clip` and the elementwise extrema. Equal operands of an extremum share the gradient.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{Error, Tensor, where_};

/// Passes the gradient on to the operands by weights: 1 where an operand is the result, 1/2 where both are.
fn extremum(
    p: &mut Pullback<'_>,
    is_first: fn(&Tensor, &Tensor) -> Result<Tensor, Error>,
) -> Result<(), Error> {
    let (x, y, g) = (p.input(0)?, p.input(1)?, p.g());
    let to_first = where_(&is_first(&x, &y)?, &g, 0.0)?;
    let to_first = where_(&x.equal(&y)?, &g.mul(0.5)?, &to_first)?;
    p.add(1, g.sub(&to_first)?);
    p.add(0, to_first);
    Ok(())
}

/// Returns whether `x` is the result of an extremum that ignores NaN, given whether it is the better number.
fn or_other_is_nan(better: &Tensor, other: &Tensor) -> Result<Tensor, Error> {
    better.logical_or(&other.isnan()?)
}

/// `clip` with both limits, one of them, or none: the parameter of a limit that was left out is there.
fn clip(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (has_min, has_max) = (!p.has("min"), !p.has("max"));
    let (x, g) = (p.input(0)?, p.g());
    let mut to_x = g.clone();
    let mut at = 1;
    for (is_there, is_min) in [(has_min, true), (has_max, false)] {
        if !is_there {
            continue;
        }
        let limit = p.input(at)?;
        let is_limited = if is_min { x.less(&limit)? } else { x.greater(&limit)? };
        p.add(at, where_(&is_limited, &g, 0.0)?);
        to_x = where_(&is_limited, 0.0, &to_x)?;
        at += 1;
    }
    p.add(0, to_x);
    Ok(())
}

pub(super) const RULES: Rules = &[
    (
        "where",
        Rule::general(Saves::Only(0), |p| {
            let (condition, g) = (p.input(0)?, p.g());
            if p.needs(1) {
                p.add(1, where_(&condition, &g, 0.0)?);
            }
            if p.needs(2) {
                p.add(2, where_(&condition, 0.0, &g)?);
            }
            Ok(())
        }),
    ),
    ("clip", Rule::general(Saves::All, clip)),
    ("maximum", Rule::general(Saves::All, |p| extremum(p, |x, y| x.greater(y)))),
    ("minimum", Rule::general(Saves::All, |p| extremum(p, |x, y| x.less(y)))),
    (
        "fmax",
        Rule::general(Saves::All, |p| {
            extremum(p, |x, y| or_other_is_nan(&x.greater(y)?, y))
        }),
    ),
    (
        "fmin",
        Rule::general(Saves::All, |p| extremum(p, |x, y| or_other_is_nan(&x.less(y)?, y))),
    ),
];
