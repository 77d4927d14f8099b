//! Functions of whole lanes along an axis: scans and the softmax family.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::{DType, Error, Tensor, concat, where_};

/// Each element is in the sums from its position on.
fn cumulative_sum(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axis = p.int("axis").unwrap_or(0);
    let sums = sums_from(&without_initial(p, axis)?, axis)?;
    p.add(0, sums);
    Ok(())
}

/// Returns the sums from each position on.
fn sums_from(x: &Tensor, axis: isize) -> Result<Tensor, Error> {
    x.flip([axis])?.cumulative_sum(axis)?.flip([axis])
}

/// Each element divides out of the products from its position on; the first zero of a lane is treated apart, and elements
/// after it do not matter.
fn cumulative_prod(p: &mut Pullback<'_>) -> Result<(), Error> {
    let axis = p.int("axis").unwrap_or(0);
    let (x, g) = (p.input(0)?, without_initial(p, axis)?);
    let is_zero = x.equal(0.0)?;
    let n_zeros = is_zero.astype(DType::Int64)?.cumulative_sum(axis)?;
    let is_first = is_zero.logical_and(&n_zeros.equal(1)?)?;
    let products = g.mul(&x.cumulative_prod(axis)?)?;
    let before = sums_from(&products, axis)?.div(&where_(&is_zero, 1.0, &x)?)?;
    let without_first = where_(&is_first, 1.0, &x)?.cumulative_prod(axis)?;
    let at_first = where_(&is_first, &sums_from(&g.mul(&without_first)?, axis)?, 0.0)?;
    p.add(0, where_(&n_zeros.equal(0)?, &before, &at_first)?);
    Ok(())
}

/// Returns the gradient without that of the initial value that a scan may include.
fn without_initial(p: &Pullback<'_>, axis: isize) -> Result<Tensor, Error> {
    match p.flag("include_initial") {
        true => {
            let n = p.shape(0)[axis.rem_euclid(p.shape(0).len() as isize) as usize];
            p.g().narrow(axis, 1, n)
        }
        false => Ok(p.g()),
    }
}

/// The extremum up to a position is the first element that was greater, or less, than all before it.
fn cumulative_extremum(
    p: &mut Pullback<'_>,
    scan: fn(&Tensor, isize) -> Result<Tensor, Error>,
) -> Result<(), Error> {
    let axis = p.int("axis").unwrap_or(0);
    let (x, g) = (p.input(0)?, p.g());
    let k = axis.rem_euclid(x.rank() as isize) as usize;
    let n = x.shape()[k];
    if n > 0 {
        let mut shape = vec![1; x.rank()];
        shape[k] = n;
        let positions = Tensor::arange_integers(0, n as i128, 1, DType::Int64)?.reshape(&shape)?;
        let y = scan(&x, axis)?;
        let changes = y.narrow(axis, 1, n - 1)?.not_equal(&y.narrow(axis, 0, n - 1)?)?;
        let first = y.narrow(axis, 0, 1)?.not_equal(&y.narrow(axis, 0, 1)?)?;
        let is_new = concat(&[&first, &changes], axis)?;
        let owners = where_(&is_new, &positions, 0)?.cummax(axis)?;
        let contribution = Tensor::zeros(&*p.shape(0), g.dtype())?;
        contribution.add_along_axis(&owners, axis, &g)?;
        p.add(0, contribution);
    }
    Ok(())
}

pub(super) const RULES: Rules = &[
    ("cumulative_sum", Rule::general(Saves::Nothing, cumulative_sum).complex()),
    ("cumulative_prod", Rule::general(Saves::All, cumulative_prod).holomorphic()),
    ("cummax", Rule::general(Saves::All, |p| cumulative_extremum(p, |x, axis| x.cummax(axis)))),
    ("cummin", Rule::general(Saves::All, |p| cumulative_extremum(p, |x, axis| x.cummin(axis)))),
    ("logcumsumexp", Rule::general(Saves::All, super::log_sums::logcumsumexp)),
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
