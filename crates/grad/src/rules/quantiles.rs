//! Quantiles and partitions: the gradient goes to the elements that were selected, with the weights of the interpolation. Of equal
//! elements those are selected that a stable sort puts there.

use super::reductions::ReducedAxes;
use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{DType, Error, Interpolation, Tensor, where_};

/// Where quantiles lie in sorted lanes. All tensors have the axes of the lanes, with the levels as the last one.
struct SelectedRanks {
    lower: Tensor,
    upper: Tensor,
    /// The part of the interpolation that the upper element has.
    weight: Tensor,
    /// Whether there is a quantile: a lane without numbers has none.
    exists: Tensor,
    /// How many numbers the lanes have.
    n: Tensor,
}

impl SelectedRanks {
    /// Returns the ranks that quantiles of sorted lanes select: those are the same quantiles of the ranks.
    fn new(
        sorted: &Tensor,
        levels: &Tensor,
        method: Interpolation,
        skips_nan: bool,
    ) -> Result<SelectedRanks, Error> {
        let last = sorted.rank() - 1;
        let len = sorted.shape()[last];
        let mut ranks = Tensor::arange(0..len as i64)?.astype(DType::Float64)?;
        let is_number = sorted.isnan()?.logical_not()?;
        let mut n = Tensor::full_as([1], len as f64, DType::Float64)?;
        let found = match skips_nan {
            true => {
                ranks = where_(&is_number, &ranks, f64::NAN)?;
                n = is_number.astype(DType::Float64)?.sum(belvedere::keep(-1))?;
                levels_last(&ranks.nanquantile_by(levels, -1, method)?)?
            }
            false => ranks.quantile_by(levels, -1, method)?,
        };
        let exists = found.isnan()?.logical_not()?;
        let found = where_(&exists, &found, 0.0)?;
        let lower = found.floor()?;
        let weight = found.sub(&lower)?;
        let lower = lower.astype(DType::Int64)?;
        let upper = lower.add(1)?.minimum(len as i64 - 1)?;
        Ok(SelectedRanks { lower, upper, weight, exists, n })
    }
}

/// Moves the first axis, of the levels, to the end.
fn levels_last(x: &Tensor) -> Result<Tensor, Error> {
    let order: Vec<isize> = (1..x.rank() as isize).chain([0]).collect();
    x.permute(order)
}

/// `quantile`, `percentile`, `median` and those that skip NaN; the levels are parts of `whole`.
fn quantile(p: &mut Pullback<'_>, whole: f64, skips_nan: bool) -> Result<(), Error> {
    let axes = ReducedAxes::new(p);
    let (x, g) = (p.input(0)?, p.g());
    if g.is_empty() || x.is_empty() {
        return Ok(());
    }
    let levels = match p.number("q") {
        Some(q) => Tensor::full_as([1], q, DType::Float64)?,
        None => p.input(1)?.astype(DType::Float64)?.reshape([-1])?,
    };
    let levels = levels.div(whole)?;
    let method: Interpolation = p.text("method").unwrap_or("linear").parse()?;
    let lanes = axes.lanes(&x)?;
    let order = lanes.argsort(-1)?;
    let sorted = lanes.take_along_axis(&order, -1)?;
    let at = SelectedRanks::new(&sorted, &levels, method, skips_nan)?;
    let mut shape = lanes.shape().to_vec();
    *shape.last_mut().expect("lanes have an axis") = levels.len();
    let mut moved = shape.clone();
    moved.rotate_right(1);
    let g = levels_last(&g.reshape(&moved)?)?;
    let g = where_(&at.exists, &g, 0.0)?;
    let [lower, upper] = [&at.lower, &at.upper].map(|it| it.broadcast_to(&*shape));
    let (lower, upper) = (lower?, upper?);
    if p.needs(1) {
        let step = sorted.take_along_axis(&upper, -1)?.sub(&sorted.take_along_axis(&lower, -1)?)?;
        // Beyond the numbers of a lane there is nothing to step to.
        let step = if skips_nan { where_(&step.isnan()?, 0.0, &step)? } else { step };
        let slope = step.mul(&g)?.mul(&rank_slope(&at, method)?)?.div(whole)?;
        let slope = slope.reshape([-1, levels.len() as isize])?.sum(0)?;
        p.add(1, slope.reshape(&*p.shape(1))?);
    }
    if p.needs(0) {
        let to_upper = g.mul(&at.weight.astype(g.dtype())?)?;
        let by_rank = Tensor::zeros(lanes.shape(), g.dtype())?;
        by_rank.add_along_axis(&lower, -1, &g.sub(&to_upper)?)?;
        by_rank.add_along_axis(&upper, -1, &to_upper)?;
        let found = Tensor::zeros(lanes.shape(), g.dtype())?;
        found.put_along_axis(&order, -1, &by_rank)?;
        p.add(0, axes.restore_lanes(&found, &p.shape(0))?);
    }
    Ok(())
}

/// Returns the derivative of the selected rank with respect to the level, which is 0 where the rank is limited.
fn rank_slope(at: &SelectedRanks, method: Interpolation) -> Result<Tensor, Error> {
    let beyond = match method {
        Interpolation::Linear => -1.0,
        Interpolation::InterpolatedInvertedCdf | Interpolation::Hazen => 0.0,
        Interpolation::Weibull => 1.0,
        Interpolation::MedianUnbiased => 1.0 / 3.0,
        Interpolation::NormalUnbiased => 0.25,
        // The rank jumps.
        _ => return at.weight.zeros_like(),
    };
    let is_first = at.lower.equal(0)?.logical_and(&at.weight.equal(0.0)?)?;
    where_(&is_first, 0.0, &at.n.add(beyond)?)
}

/// A partition is a permutation of each lane. The order of its parts is not specified, so that the permutation is found by
/// sorting both.
fn partition(p: &mut Pullback<'_>) -> Result<(), Error> {
    let (axis, x, g) = (p.int("axis").unwrap_or(-1), p.input(0)?, p.g());
    let y = x.partition(p.int("kth").unwrap_or(0), axis)?;
    let sorted = g.take_along_axis(&y.argsort(axis)?, axis)?;
    let contribution = Tensor::zeros(&*p.shape(0), g.dtype())?;
    contribution.put_along_axis(&x.argsort(axis)?, axis, &sorted)?;
    p.add(0, contribution);
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("quantile", Rule::general(Saves::All, |p| quantile(p, 1.0, false))),
    ("percentile", Rule::general(Saves::All, |p| quantile(p, 100.0, false))),
    ("median", Rule::general(Saves::All, |p| quantile(p, 1.0, false))),
    ("nanquantile", Rule::general(Saves::All, |p| quantile(p, 1.0, true))),
    ("nanmedian", Rule::general(Saves::All, |p| quantile(p, 1.0, true))),
    ("partition", Rule::general(Saves::All, partition).complex()),
];
