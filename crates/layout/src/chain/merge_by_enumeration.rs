//! Stages as one by looking at every element: exact, and slow, so only for small boxes.

use super::stack::read;
use super::stage::Stage;
use crate::offsets::unravel;
use crate::{Axis, InlineVec, Layout, Shape};

/// The most indices that are looked at. Most stacks that are not one layout show it within a few, so
/// this bounds the rare case that is one, at some tens of microseconds.
pub(super) const MAX_INDICES: usize = 4096;

/// One stage that does what these do, the last one taking the index; `None` when there is none, or
/// when there are too many elements to tell.
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
    // If what is valid is a box, these are its two extreme corners.
    let (first, last) = (index_of(first), index_of(last));
    let layout = spanned_by(&first, &last, |index| read(stages, index))?;
    let candidate = Stage::new(top.shape().into(), first, Some(layout));
    let agrees = |index: Shape| read(stages, &index) == candidate.offset(&index);
    (0..n).map(index_of).all(agrees).then_some(candidate)
}

/// The only layout that can be right on the box between two corners: its strides are the differences
/// at the first of them.
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
