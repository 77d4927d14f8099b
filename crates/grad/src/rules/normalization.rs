//! Layer and RMS normalization, with their weights and biases.

use super::reductions::ReducedAxes;
use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::Error;

/// `weight · (x - mean) / √(variance + ε) + bias`; without the mean for the RMS norm.
fn normalize(p: &mut Pullback<'_>, is_centred: bool) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let (mut x, weight, g) = (p.input(0)?, p.input(1)?, p.g());
    let epsilon = p.number("epsilon").unwrap_or(0.0);
    if is_centred {
        x = x.sub(&x.mean(axes.kept())?)?;
    }
    let scale = x.square()?.mean(axes.kept())?.add(epsilon)?.rsqrt()?;
    let x = x.mul(&scale)?;
    // The weight has the lengths of the reduced axes.
    let weight = match weight.rank() {
        0 => weight,
        _ => weight.reshape(axes.reduced_shape(&p.shape(0)))?,
    };
    if p.needs(1) {
        p.add(1, axes.sum_of_others(&g.mul(&x)?)?);
    }
    if p.needs(2) {
        p.add(2, axes.sum_of_others(&g)?);
    }
    if p.needs(0) {
        let g = g.mul(&weight)?;
        let along = x.mul(&g.mul(&x)?.mean(axes.kept())?)?;
        let mut rest = g.sub(&along)?;
        if is_centred {
            rest = rest.sub(&g.mean(axes.kept())?)?;
        }
        p.add(0, rest.mul(&scale)?);
    }
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("layer_norm", Rule::general(Saves::All, |p| normalize(p, true))),
    ("rms_norm", Rule::general(Saves::All, |p| normalize(p, false))),
];
