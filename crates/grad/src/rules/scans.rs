//! Functions of whole lanes along an axis: scans and the softmax family.

use super::{Rule, Rules, Saves};
use crate::pullback::Pullback;
use crate::scope;
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
    if !scope::active_tapes().is_empty() {
        p.add(0, products_of_others(&x, &g, axis)?);
        return Ok(());
    }
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

/// The same for an enclosing tape, without a division: `Σⱼ gⱼ Πₖ xₖ` over j ≥ i and k ≤ j other than i is
/// the product of the elements before i times the sum `sᵢ = gᵢ + xᵢ₊₁ sᵢ₊₁`, which is computed over distances that double. The derivatives of
/// a quotient by an element that is replaced where it is 0 would be wrong there.
fn products_of_others(x: &Tensor, g: &Tensor, axis: isize) -> Result<Tensor, Error> {
    let k = axis.rem_euclid(x.rank() as isize);
    let n = x.shape()[k as usize];
    let mut first = x.shape().to_vec();
    first[k as usize] = n.min(1);
    let ones = Tensor::ones(&first, x.dtype())?;
    let others = n.saturating_sub(1);
    let before = concat(&[&ones, &x.narrow(k, 0, others)?], k)?.cumulative_prod(k)?;
    // sᵢ = sum + factor · s at the given distance.
    let (mut sum, mut distance) = (g.clone(), 1);
    let mut factor = concat(&[&x.narrow(k, n - others, others)?, &ones], k)?;
    while distance < n {
        let near = n - distance;
        let (ahead, own) = (sum.narrow(k, distance, near)?, factor.narrow(k, 0, near)?);
        let added = sum.narrow(k, 0, near)?.add(&own.mul(&ahead)?)?;
        sum = concat(&[&added, &sum.narrow(k, near, distance)?], k)?;
        let product = own.mul(&factor.narrow(k, distance, near)?)?;
        factor = concat(&[&product, &factor.narrow(k, near, distance)?], k)?;
        distance *= 2;
    }
    before.mul(&sum)
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
