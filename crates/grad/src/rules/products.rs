//! Matrix products.

use super::{OldContents, Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{Error, Tensor};

/// `matmul`, with its flags, batches, vectors and accumulation. The sum over broadcast batches is that of every rule.
fn matmul(p: &mut Pullback<'_>) -> Result<(), Error> {
    let mut g = p.g();
    if p.flag("accumulate") {
        p.add_to_old(g.clone());
    }
    let [is_row, is_column] = [0, 1].map(|n| p.shape(n).len() == 1);
    if is_column {
        g = g.unsqueeze(-1)?;
    }
    if is_row {
        g = g.unsqueeze(-2)?;
    }
    let transposes = [p.flag("transpose_a") && !is_row, p.flag("transpose_b") && !is_column];
    if p.needs(0) {
        let b = p.input(1)?;
        let b = if is_column { b.unsqueeze(-1)? } else { b };
        let mut to_a = g.matmul(&if transposes[1] { b } else { b.mt()? })?;
        if transposes[0] {
            to_a = to_a.mt()?;
        }
        p.add(0, if is_row { to_a.squeeze([-2])? } else { to_a });
    }
    if p.needs(1) {
        let a = p.input(0)?;
        let a = if is_row { a.unsqueeze(0)? } else { a };
        let mut to_b = (if transposes[0] { a } else { a.mt()? }).matmul(&g)?;
        if transposes[1] {
            to_b = to_b.mt()?;
        }
        p.add(1, if is_column { to_b.squeeze([-1])? } else { to_b });
    }
    Ok(())
}

/// The gradient of a contraction with respect to `x`, given the other operand: `own` and `other` are the axes that are
/// summed over, in pairs. The free axes of `x` are the first or the last of `g`.
fn contracted(
    g: &Tensor,
    (shape, own): (&[usize], &[usize]),
    (y, other): (&Tensor, &[usize]),
    is_left: bool,
) -> Result<Tensor, Error> {
    let free = |rank: usize, summed: &[usize]| -> Vec<usize> {
        (0..rank).filter(|k| !summed.contains(k)).collect()
    };
    let (free_x, free_y) = (free(shape.len(), own), free(y.rank(), other));
    let signed = |axes: &[usize]| axes.iter().map(|&k| k as isize).collect::<Vec<isize>>();
    let n_summed: usize = own.iter().map(|&k| shape[k]).product();
    let n_free_x: usize = free_x.iter().map(|&k| shape[k]).product();
    let n_free_y: usize = free_y.iter().map(|&k| y.shape()[k]).product();
    let rows = y.permute(signed(&[other, &free_y].concat()))?.reshape([n_summed, n_free_y])?;
    let g = match is_left {
        true => g.reshape([n_free_x, n_free_y])?.t()?,
        false => g.reshape([n_free_y, n_free_x])?,
    };
    let order = [own, &free_x].concat();
    let lens: Vec<usize> = order.iter().map(|&k| shape[k]).collect();
    let mut inverse = vec![0; order.len()];
    for (at, &k) in order.iter().enumerate() {
        inverse[k] = at as isize;
    }
    rows.matmul(&g)?.reshape(&lens)?.permute(&inverse)
}

/// A contraction over pairs of axes.
fn contraction(p: &mut Pullback<'_>, a: &[usize], b: &[usize]) -> Result<(), Error> {
    let g = p.g();
    if p.needs(0) {
        let y = p.input(1)?;
        p.add(0, contracted(&g, (&p.shape(0), a), (&y, b), true)?);
    }
    if p.needs(1) {
        let y = p.input(0)?;
        p.add(1, contracted(&g, (&p.shape(1), b), (&y, a), false)?);
    }
    Ok(())
}

fn tensordot(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axes = |name: &str, n: usize| -> Vec<usize> {
        let rank = p.shape(n).len() as isize;
        let axes = p.ints(name).unwrap_or_default();
        axes.into_iter().map(|k| k.rem_euclid(rank) as usize).collect()
    };
    let (a, b) = (axes("axes_a", 0), axes("axes_b", 1));
    contraction(p, &a, &b)
}

/// NumPy's `dot`: the last axis with the second last, or the only one; a product if an operand has none.
fn dot(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (rank_a, rank_b) = (p.shape(0).len(), p.shape(1).len());
    if rank_a == 0 || rank_b == 0 {
        return contraction(p, &[], &[]);
    }
    contraction(p, &[rank_a - 1], &[rank_b.saturating_sub(2)])
}

fn vecdot(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axis = p.int("axis").unwrap_or(-1);
    let axis = if axis < 0 { axis } else { axis - p.shape(0).len() as isize };
    let g = p.g().unsqueeze(axis)?;
    // The first operand is conjugated.
    if p.needs(0) {
        let contribution = g.conj()?.mul(&p.input(1)?)?;
        p.add(0, contribution);
    }
    if p.needs(1) {
        let contribution = g.mul(&p.input(0)?)?;
        p.add(1, contribution);
    }
    Ok(())
}

pub(super) const RULES: Rules = &[
    (
        "matmul",
        Rule::general(Saves::Others, matmul).with_old(OldContents::IfAccumulated).holomorphic(),
    ),
    ("tensordot", Rule::general(Saves::Others, tensordot).holomorphic()),
    ("dot", Rule::general(Saves::Others, dot).holomorphic()),
    ("vecdot", Rule::general(Saves::Others, vecdot).complex()),
];
