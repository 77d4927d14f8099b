//! Operations that move or repeat elements.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{DType, Error, PadMode, Tensor};

fn roll(p: &mut Pullback<'_>) -> Result<(), Error> {
    let back: Vec<isize> = p.ints("shift").unwrap_or_default().iter().map(|it| -it).collect();
    let contribution = match p.ints("axis") {
        Some(axes) => p.g().roll(&back, &axes[..])?,
        None => p.g().roll(&back, ())?,
    };
    p.add(0, contribution);
    Ok(())
}

/// Each element receives the sum over its repetitions.
fn repeat(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (shape, g) = (p.shape(0), p.g());
    let n: usize = shape.iter().product();
    let (axis, lens) = match p.int("axis") {
        Some(axis) => (axis.rem_euclid(shape.len().max(1) as isize) as usize, shape.to_vec()),
        None => (0, vec![n]),
    };
    let sums = match p.int("repeats") {
        Some(count) => {
            let mut split = lens.clone();
            split.insert(axis + 1, count as usize);
            g.reshape(&split)?.sum(axis as isize + 1)?
        }
        None => {
            let positions = Tensor::arange_integers(0, lens[axis] as i128, 1, DType::Int64)?;
            let sums = Tensor::zeros(&lens, g.dtype())?;
            sums.put_add(&positions.repeat(&p.input(1)?, 0)?, axis as isize, &g)?;
            sums
        }
    };
    p.add(0, sums.reshape(&*shape)?);
    Ok(())
}

fn tile(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (shape, g) = (p.shape(0), p.g());
    let rank = g.rank();
    let mut split = Vec::with_capacity(2 * rank);
    for (k, &total) in g.shape().iter().enumerate() {
        let len = if k + shape.len() < rank { 1 } else { shape[k + shape.len() - rank] };
        split.extend([total.checked_div(len).unwrap_or(0), len]);
    }
    let times: Vec<isize> = (0..rank as isize).map(|k| 2 * k).collect();
    let sums = g.reshape(&split)?.sum(&times[..])?;
    p.add(0, sums.reshape(&*shape)?);
    Ok(())
}

/// The margins of a constant belong to the constant; other margins repeat elements.
fn pad(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (shape, g) = (p.shape(0), p.g());
    let widths = p.ints("pad_width").unwrap_or_default();
    let mode = p.text("mode").unwrap_or_default();
    if mode == "constant" {
        let mut inner = g.clone();
        for (k, &len) in shape.iter().enumerate() {
            inner = inner.narrow(k as isize, widths[2 * k] as usize, len)?;
        }
        if p.needs(1) {
            p.add(1, g.sum(())?.sub(&inner.sum(())?)?);
        }
        p.add(0, inner);
        return Ok(());
    }
    let n: usize = shape.iter().product();
    let widths: Vec<(usize, usize)> =
        widths.chunks(2).map(|it| (it[0] as usize, it[1] as usize)).collect();
    let positions = Tensor::arange_integers(0, n as i128, 1, DType::Int64)?.reshape(&*shape)?;
    let positions = positions.pad_mode(widths, mode.parse::<PadMode>()?)?;
    let sums = Tensor::zeros([n], g.dtype())?;
    sums.put_add(&positions.reshape([-1])?, 0, &g.reshape([-1])?)?;
    p.add(0, sums.reshape(&*shape)?);
    Ok(())
}

/// A sort is a permutation of each lane.
fn sort(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (axis, x, g) = (p.int("axis").unwrap_or(-1), p.input(0)?, p.g());
    let order = match p.flag("descending") {
        true => x.argsort(belvedere::descending(axis))?,
        false => x.argsort(axis)?,
    };
    let contribution = Tensor::zeros(&*p.shape(0), g.dtype())?;
    contribution.put_along_axis(&order, axis, &g)?;
    p.add(0, contribution);
    Ok(())
}

fn topk(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (axis, k) = (p.int("axis").unwrap_or(-1), p.int("k").unwrap_or(0) as usize);
    let (x, Some(g)) = (p.input(0)?, p.gradient(0).cloned()) else { return Ok(()) };
    let found = if p.flag("largest") { x.topk(k, axis)? } else { x.topk_least(k, axis)? };
    let contribution = Tensor::zeros(&*p.shape(0), g.dtype())?;
    contribution.put_along_axis(&found.indices, axis, &g)?;
    p.add(0, contribution);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("roll", Rule::general(Saves::Nothing, roll).complex()),
    ("repeat", Rule::general(Saves::From(1), repeat).complex()),
    ("tile", Rule::general(Saves::Nothing, tile).complex()),
    ("pad", Rule::general(Saves::Nothing, pad).complex()),
    ("sort", Rule::general(Saves::All, sort).complex()),
    ("topk", Rule::general(Saves::All, topk).complex()),
];
