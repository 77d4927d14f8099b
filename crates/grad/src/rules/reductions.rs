//! Reductions over axes.

use super::{Rule, Rules, Saves, over_root_or_zero};
use crate::pullback::Pullback;
use belvedere::{Axes, Error, Operand, Tensor, concat, keep, where_};

/// The axes of a reduction, resolved.
pub(super) struct ReducedAxes {
    /// In ascending order.
    axes: Vec<isize>,
    rank: usize,
    /// The number of elements that are reduced to one.
    pub n: usize,
    keeps: bool,
}

impl ReducedAxes {
    pub(super) fn new(p: &Pullback<'_>) -> ReducedAxes {
        let shape = p.shape(0);
        let rank = shape.len();
        let given = p.ints("axis");
        let mut axes: Vec<isize> = match given {
            Some(axes) => axes.iter().map(|&k| k.rem_euclid(rank.max(1) as isize)).collect(),
            None => (0..rank as isize).collect(),
        };
        axes.sort_unstable();
        axes.dedup();
        let n = axes.iter().map(|&k| shape[k as usize]).product();
        ReducedAxes { axes, rank, n, keeps: p.flag("keepdims") }
    }

    /// Returns the same axes for another reduction, which keeps them with length 1.
    pub(super) fn kept(&self) -> Axes {
        keep(&self.axes[..])
    }

    /// Returns a result of the reduction with the reduced axes kept.
    pub(super) fn with_axes(&self, result: &Tensor) -> Result<Tensor, Error> {
        let mut result = result.clone();
        if !self.keeps {
            for &k in &self.axes {
                result = result.unsqueeze(k)?;
            }
        }
        Ok(result)
    }

    /// Returns a shape with length 1 for the axes that are not reduced.
    pub(super) fn reduced_shape(&self, shape: &[usize]) -> Vec<usize> {
        let len = |k: usize| if self.axes.contains(&(k as isize)) { shape[k] } else { 1 };
        (0..self.rank).map(len).collect()
    }

    /// Returns the sum over the axes that are not reduced, without them.
    pub(super) fn sum_of_others(&self, x: &Tensor) -> Result<Tensor, Error> {
        let others: Vec<isize> =
            (0..self.rank as isize).filter(|k| !self.axes.contains(k)).collect();
        // No axes would mean all of them.
        if others.is_empty() { Ok(x.clone()) } else { x.sum(&others[..]) }
    }

    /// Returns the reduced elements along one last axis.
    pub(super) fn lanes(&self, x: &Tensor) -> Result<Tensor, Error> {
        let lanes = x.permute(&self.orders()[0])?;
        let mut shape: Vec<usize> = lanes.shape()[..self.rank - self.axes.len()].to_vec();
        shape.push(self.n);
        lanes.reshape(&shape)
    }

    /// Returns what has the shape of [`ReducedAxes::lanes`] in the shape of the operand.
    pub(super) fn restore_lanes(&self, lanes: &Tensor, shape: &[usize]) -> Result<Tensor, Error> {
        let [order, inverse] = self.orders();
        let moved: Vec<usize> = order.iter().map(|&k| shape[k as usize]).collect();
        lanes.reshape(&moved)?.permute(&inverse)
    }

    /// Returns the order of axes that has the reduced ones last, and the inverse order.
    fn orders(&self) -> [Vec<isize>; 2] {
        let is_kept = |k: &isize| !self.axes.contains(k);
        let order: Vec<isize> =
            (0..self.rank as isize).filter(is_kept).chain(self.axes.iter().copied()).collect();
        let mut inverse = vec![0; order.len()];
        for (at, &k) in order.iter().enumerate() {
            inverse[k as usize] = at as isize;
        }
        [order, inverse]
    }
}

/// Adds a contribution that is constant along the reduced axes.
fn add_spread(p: &mut Pullback<'_>, contribution: &Tensor) -> Result<(), Error> {
    let spread = contribution.broadcast_to(&*p.shape(0))?;
    p.add(0, spread);
    Ok(())
}

fn sum(p: &mut Pullback<'_>) -> Result<(), Error> {
    let g = ReducedAxes::new(p).with_axes(&p.g())?;
    add_spread(p, &g)
}

fn mean(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let g = axes.with_axes(&p.g())?.div(axes.n as f64)?;
    add_spread(p, &g)
}

/// The sum of the elements that are not NaN, or their mean.
fn nan_sum(p: &mut Pullback<'_>, is_mean: bool) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let mut g = axes.with_axes(&p.g())?;
    let is_number = p.input(0)?.isnan()?.logical_not()?;
    if is_mean {
        // The mean of no number is NaN, and the gradient of no element.
        let n = is_number.astype(g.dtype().real())?.sum(axes.kept())?;
        g = g.div(&n.maximum(1.0)?)?;
    }
    let contribution = where_(&is_number, &g, 0.0)?;
    p.add(0, contribution);
    Ok(())
}

/// The extrema: elements that are equal to the result share the gradient.
fn extremum(
    p: &mut Pullback<'_>,
    reduce: fn(&Tensor, Axes) -> Result<Tensor, Error>,
) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let (x, g) = (p.input(0)?, axes.with_axes(&p.g())?);
    let is_extremum = x.equal(&reduce(&x, axes.kept())?)?;
    let n_equal = is_extremum.astype(g.dtype())?.sum(axes.kept())?;
    p.add(0, where_(&is_extremum, &g.div(&n_equal)?, 0.0)?);
    Ok(())
}

/// The product of all other elements, as that of those before times that of those after: right for zeros, too.
fn prod(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let x = p.input(0)?;
    let others = products_of_others(&axes, &x)?;
    p.add(0, others.mul(&axes.with_axes(&p.g())?)?);
    Ok(())
}

/// The product of the elements that are not NaN.
fn nan_prod(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let x = p.input(0)?;
    let is_nan = x.isnan()?;
    let others = products_of_others(&axes, &where_(&is_nan, 1.0, &x)?)?;
    p.add(0, where_(&is_nan, 0.0, &others.mul(&axes.with_axes(&p.g())?)?)?);
    Ok(())
}

/// Returns, for each element, the product of the others that are reduced with it.
fn products_of_others(axes: &ReducedAxes, x: &Tensor) -> Result<Tensor, Error> {
    let lanes = axes.lanes(x)?;
    if axes.n == 0 {
        return Ok(x.clone());
    }
    let after = product_before(&lanes.flip([-1])?)?.flip([-1])?;
    axes.restore_lanes(&product_before(&lanes)?.mul(&after)?, &x.shape())
}

/// Returns the product of the elements before each one along the last axis.
fn product_before(lanes: &Tensor) -> Result<Tensor, Error> {
    let n = lanes.shape().last().copied().unwrap_or(1);
    let mut first = lanes.shape().to_vec();
    *first.last_mut().expect("lanes have an axis") = 1;
    let first = Tensor::ones(&first, lanes.dtype())?;
    concat(&[&first, &lanes.narrow(-1, 0, n - 1)?], -1)?.cumulative_prod(-1)
}

/// `var`: `2 (x - mean) / (n - correction)`; `std` divides that by twice the result.
fn variance(p: &mut Pullback<'_>, is_root: bool) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let x = p.input(0)?;
    let n = axes.n as f64 - p.number("correction").unwrap_or(0.0);
    let centered = x.sub(&x.mean(axes.kept())?)?;
    let g = axes.with_axes(&p.g())?;
    p.add(0, of_variance(&axes, &centered, &(1.0 / n).into(), &g, is_root)?);
    Ok(())
}

/// The same for the elements that are not NaN.
fn nan_variance(p: &mut Pullback<'_>, is_root: bool) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let x = p.input(0)?;
    let is_nan = x.isnan()?;
    let centered = where_(&is_nan, 0.0, &x.sub(&x.nanmean(axes.kept())?)?)?;
    let n = is_nan.logical_not()?.astype(centered.dtype().real())?.sum(axes.kept())?;
    let factor = n.sub(p.number("correction").unwrap_or(0.0))?.reciprocal()?;
    let g = axes.with_axes(&p.g())?;
    let contribution = of_variance(&axes, &centered, &(&factor).into(), &g, is_root)?;
    p.add(0, where_(&is_nan, 0.0, &contribution)?);
    Ok(())
}

/// Returns the gradient of elements, given their differences from the mean, of whose squares the variance is the sum times
/// `factor`.
fn of_variance(
    axes: &ReducedAxes,
    centered: &Tensor,
    factor: &Operand<'_>,
    g: &Tensor,
    is_root: bool,
) -> Result<Tensor, Error> {
    let scale = match is_root {
        false => g.mul(2.0)?.mul(factor.clone())?,
        // 0 where all elements are equal, as for the 2-norm.
        true => {
            let variance = squared_size(centered)?.sum(axes.kept())?.mul(factor.clone())?;
            over_root_or_zero(&g.mul(factor.clone())?, &variance)?
        }
    };
    centered.mul(&scale)
}

/// Returns `|x|²`.
fn squared_size(x: &Tensor) -> Result<Tensor, Error> {
    if x.dtype().is_complex() { x.abs()?.square() } else { x.square() }
}

fn logsumexp(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let (x, g) = (p.input(0)?, axes.with_axes(&p.g())?);
    let shares = x.sub(&x.logsumexp(axes.kept())?)?.exp()?;
    p.add(0, shares.mul(&g)?);
    Ok(())
}

/// The p-norm: `sign(x) |x|^(p - 1) / norm^(p - 1)`; 0 where the norm is 0.
fn norm(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let (x, g) = (p.input(0)?, axes.with_axes(&p.g())?);
    let ord = p.number("ord").unwrap_or(2.0);
    let (size, sign) = (x.abs()?, x.sign()?);
    let slope = if ord == 0.0 {
        return Ok(());
    } else if ord.is_infinite() {
        let extremum = match ord > 0.0 {
            true => size.max(axes.kept())?,
            false => size.min(axes.kept())?,
        };
        let is_extremum = size.equal(&extremum)?.astype(g.dtype())?;
        sign.mul(&is_extremum.div(&is_extremum.sum(axes.kept())?)?)?
    } else if ord == 1.0 {
        sign
    } else if ord == 2.0 {
        over_root_or_zero(&x, &squared_size(&x)?.sum(axes.kept())?)?
    } else {
        // The sign of 0 is 0, so that its power may be any finite one: that of 0 may have an infinite derivative.
        let size = where_(&size.equal(0.0)?, 1.0, &size)?;
        let norm = x.abs()?.pow(ord)?.sum(axes.kept())?;
        let norm = where_(&norm.equal(0.0)?, 1.0, &norm)?.pow(1.0 / ord)?;
        sign.mul(&size.div(&norm)?.pow(ord - 1.0)?)?
    };
    p.add(0, slope.mul(&g)?);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("sum", Rule::general(Saves::Nothing, sum).complex()),
    ("mean", Rule::general(Saves::Nothing, mean).complex()),
    ("nansum", Rule::general(Saves::All, |p| nan_sum(p, false)).complex()),
    ("nanmean", Rule::general(Saves::All, |p| nan_sum(p, true)).complex()),
    ("prod", Rule::general(Saves::All, prod).holomorphic()),
    ("nanprod", Rule::general(Saves::All, nan_prod).holomorphic()),
    ("max", Rule::general(Saves::All, |p| extremum(p, |x, axes| x.max(axes)))),
    ("min", Rule::general(Saves::All, |p| extremum(p, |x, axes| x.min(axes)))),
    ("nanmax", Rule::general(Saves::All, |p| extremum(p, |x, axes| x.nanmax(axes)))),
    ("nanmin", Rule::general(Saves::All, |p| extremum(p, |x, axes| x.nanmin(axes)))),
    ("var", Rule::general(Saves::All, |p| variance(p, false)).complex()),
    ("std", Rule::general(Saves::All, |p| variance(p, true)).complex()),
    ("nanvar", Rule::general(Saves::All, |p| nan_variance(p, false)).complex()),
    ("nanstd", Rule::general(Saves::All, |p| nan_variance(p, true)).complex()),
    ("logsumexp", Rule::general(Saves::All, logsumexp)),
    ("norm", Rule::general(Saves::All, norm).complex()),
];
