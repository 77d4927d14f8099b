//! Shape arguments: `-1` for a length that is inferred.

use crate::layout::check_rank;
use crate::{InlineVec, Integers, LayoutError, Shape};

/// Resolves a shape argument for `n_elements` elements: infers a length given as -1.
#[inline]
pub(crate) fn resolve(lengths: &impl Integers, n_elements: usize) -> Result<Shape, LayoutError> {
    let rank = lengths.n_integers();
    check_rank(rank)?;
    let mut shape = InlineVec::repeat(1, rank);
    let mut open = None;
    for (k, len) in shape.iter_mut().enumerate() {
        match lengths.length_at(k) {
            Some(known) => *len = known,
            None => open = Some(open_length(k, lengths.given_at(k), open)?),
        }
    }
    if let Some(k) = open {
        shape[k] = fill_open(&shape, n_elements)?;
    }
    Ok(shape)
}

/// Returns the product of all lengths, or `None` if it overflows `usize`.
pub(crate) fn product(lengths: &[usize]) -> Option<usize> {
    match lengths.contains(&0) {
        true => Some(0),
        false => lengths.iter().try_fold(1usize, |n, &len| n.checked_mul(len)),
    }
}

fn open_length(axis: usize, len: i128, earlier: Option<usize>) -> Result<usize, LayoutError> {
    if len != -1 {
        return Err(LayoutError::NegativeLength { axis, len });
    }
    match earlier {
        Some(first) => Err(LayoutError::TwoOpenLengths { first, second: axis }),
        None => Ok(axis),
    }
}

/// Returns the inferred length, whose entry in `shape` is 1.
fn fill_open(shape: &[usize], n_elements: usize) -> Result<usize, LayoutError> {
    let known = product(shape);
    match known {
        Some(n) if n > 0 && n_elements.is_multiple_of(n) => Ok(n_elements / n),
        _ => Err(LayoutError::OpenLength { n_elements, known }),
    }
}
