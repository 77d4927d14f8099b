//! Merging stages by enumerating all indices: exact, and restricted to small stages.

use super::stack::read;
use super::stage::Stage;
use crate::offsets::unravel;
use crate::{Axis, InlineVec, Layout, Shape};

/// The largest number of indices that is enumerated. Stages that cannot be merged usually show it
/// within a few indices. This bounds the rare case of those that can, to a few tens of microseconds.
pub(super) const MAX_INDICES: usize = 4096;

/// Returns a stage that is equivalent to `stages`, the last of which takes the index, or `None` if
/// there is none or there are more than [`MAX_INDICES`] indices.
pub(super) fn merge(stages: &[Stage]) -> Option<Stage> {
    let top = stages.last()?;
    let Some(inside) = top.inside() else { return Some(Stage::padding(top.shape().into())) };
    let n = inside.len();
    if n > MAX_INDICES {
        return None;
    }
    // The index, in the top stage's shape, of the `flat`-th position in its box.
    let shape = inside.shape();
    let index_of = |flat: usize| -> Shape {
        unravel(&shape, flat).iter().zip(top.before()).map(|(i, before)| i + before).collect()
    };
    let is_valid = |&flat: &usize| read(stages, &index_of(flat)).is_some();
    let Some(first) = (0..n).find(is_valid) else {
        return Some(Stage::padding(top.shape().into()));
    };
    let last = (0..n).rfind(is_valid).expect("the first one is valid");
    // If the valid indices form a box, these are its lowest and its highest corner.
    let (first, last) = (index_of(first), index_of(last));
    let layout = spanned_by(&first, &last, |index| read(stages, index))?;
    let candidate = Stage::new(top.shape().into(), first, Some(layout));
    let agrees = |index: Shape| read(stages, &index) == candidate.offset(&index);
    (0..n).map(index_of).all(agrees).then_some(candidate)
}

/// Returns the only candidate for the layout of the box between two corners: its strides are the
/// differences of offsets at the first corner.
fn spanned_by(
    first: &Shape,
    last: &Shape,
    at: impl Fn(&[usize]) -> Option<usize>,
) -> Option<Layout> {
    let start = at(first)?;
    let mut axes = InlineVec::new();
    for k in 0..first.len() {
        let len = last[k].checked_sub(first[k])? + 1;
        let mut stride = 0;
        if len > 1 {
            let mut next = first.clone();
            next[k] += 1;
            stride = at(&next)? as isize - start as isize;
        }
        axes.push(Axis { len, stride });
    }
    Layout::new(start, &axes).ok()
}
