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

/// `clip`, which is `minimum(maximum(x, min), max)`, with both limits, one of them, or none: the parameter of a limit that
/// was left out is there. An element at a limit keeps its gradient.
fn clip(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (has_min, has_max) = (!p.has("min"), !p.has("max"));
    let (x, mut g) = (p.input(0)?, p.g());
    if has_max {
        let at = p.n_inputs() - 1;
        let (max, lower) =
            (p.input(at)?, if has_min { x.maximum(&p.input(1)?)? } else { x.clone() });
        let is_above = lower.greater(&max)?;
        p.add(at, where_(&is_above, &g, 0.0)?);
        g = where_(&is_above, 0.0, &g)?;
    }
    if has_min {
        let is_below = x.less(&p.input(1)?)?;
        p.add(1, where_(&is_below, &g, 0.0)?);
        g = where_(&is_below, 0.0, &g)?;
    }
    p.add(0, g);
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
        })
        .complex(),
    ),
    ("clip", Rule::general(Saves::All, clip)),
    ("maximum", Rule::general(Saves::All, |p| extremum(p, |x, y| x.greater(y)))),
    ("minimum", Rule::general(Saves::All, |p| extremum(p, |x, y| x.less(y)))),
    ("fmax", Rule::general(Saves::All, |p| extremum(p, |x, y| or_other_is_nan(&x.greater(y)?, y)))),
    ("fmin", Rule::general(Saves::All, |p| extremum(p, |x, y| or_other_is_nan(&x.less(y)?, y)))),
];
