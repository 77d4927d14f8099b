//! The rule of `y = logcumsumexp(x)`.
//!
//! Its gradient `exp(xᵢ) Σⱼ gⱼ exp(-yⱼ)` over j ≥ i overflows if the sums are computed so. They are computed as logarithms,
//! of the positive and of the negative gradients apart, which is not differentiable in g. But it is linear in g, and both
//! it and its transpose have simple derivatives, so they are functions with a rule of their own.

use crate::custom::custom_rule;
use crate::pullback::Pullback;
use belvedere::{Error, Tensor};

/// Computes a function of numbers of any sign from its values for the logarithms of positive numbers.
fn by_sign(
    g: &Tensor,
    of_logarithms: impl Fn(&Tensor) -> Result<Tensor, Error>,
) -> Result<Tensor, Error> {
    let part = |g: &Tensor| of_logarithms(&g.maximum(0.0)?.log()?)?.exp();
    part(g)?.sub(&part(&g.negative()?)?)
}

/// `Σⱼ gⱼ exp(xᵢ - yⱼ)` over j ≥ i.
fn sums_from(x: &Tensor, g: &Tensor, axis: isize) -> Result<Tensor, Error> {
    custom_rule(
        &[x, g],
        |it| {
            let y = it[0].logcumsumexp(axis)?;
            by_sign(&it[1], |log| {
                log.sub(&y)?.flip([axis])?.logcumsumexp(axis)?.flip([axis])?.add(&it[0])
            })
        },
        move |outer, it| {
            let (x, g, h) = (&it[0], &it[1], &outer[0]);
            let to_g = sums_to(x, h, axis)?;
            let to_x = h.mul(&sums_from(x, g, axis)?)?.sub(&sums_from(x, &g.mul(&to_g)?, axis)?)?;
            Ok(vec![Some(to_x), Some(to_g)])
        },
    )
}

/// `Σᵢ hᵢ exp(xᵢ - yⱼ)` over i ≤ j.
fn sums_to(x: &Tensor, h: &Tensor, axis: isize) -> Result<Tensor, Error> {
    custom_rule(
        &[x, h],
        |it| {
            let y = it[0].logcumsumexp(axis)?;
            by_sign(&it[1], |log| log.add(&it[0])?.logcumsumexp(axis)?.sub(&y))
        },
        move |outer, it| {
            let (x, h, u) = (&it[0], &it[1], &outer[0]);
            let to_h = sums_from(x, u, axis)?;
            let scaled = u.mul(&sums_to(x, h, axis)?)?;
            let to_x = h.mul(&to_h)?.sub(&sums_from(x, &scaled, axis)?)?;
            Ok(vec![Some(to_x), Some(to_h)])
        },
    )
}

pub(super) fn logcumsumexp(p: &mut Pullback<'_>) -> Result<(), Error> {
    let contribution = sums_from(&p.input(0)?, &p.g(), p.int("axis").unwrap_or(0))?;
    p.add(0, contribution);
    Ok(())
}
