//! Merging a whole stack of stages into one.
//!
//! Three layouts can be equivalent to one although no two adjacent ones are: of `arange(12)`,
//! `reshape(2, 6)`, transpose, `reshape(3, 4)`, transpose, `reshape(2, 6)` is the layout (2, 6):(1, 2).
//!
//! The outermost axes are split so that every place value of the stage below is the stride of one of
//! the refined axes. Then the two stages merge into a layout of the refined shape, and so on down to
//! memory. The result visits the right offsets in the right order in a refined shape; whether it can be
//! viewed in the original shape is decided exactly by `reshape`.

use super::stage::Stage;
use super::{merge_by_enumeration, merge_pair};
use crate::{Axis, InlineVec, Layout, MAX_RANK, Reshape};
use alloc::vec::Vec;

/// Returns a stage that is equivalent to `stages`, the last of which takes the index, if it is found.
pub(super) fn merge(stages: &[Stage]) -> Option<Stage> {
    merge_by_refinement(stages).map(Stage::whole).or_else(|| merge_by_enumeration::merge(stages))
}

/// Merges stages without padding, in time independent of the number of elements.
fn merge_by_refinement(stages: &[Stage]) -> Option<Layout> {
    match layout_up_to_reshape(stages)?.reshape_to(stages.last()?.shape()) {
        Ok(Reshape::View(view)) => Some(view),
        _ => None,
    }
}

/// Returns a layout of any shape that visits the same offsets in the same row-major order, or `None` if
/// none was found or there is padding.
pub(super) fn layout_up_to_reshape(stages: &[Stage]) -> Option<Layout> {
    let (top, below) = stages.split_last()?;
    let mut merged = top.as_layout()?;
    for stage in below.iter().rev() {
        let layout = stage.as_layout()?;
        let refined = refine_at(&merged, &marks(&layout))?;
        merged = merge_pair::merge_affine(&Stage::whole(refined), stage)?.as_layout()?;
    }
    Some(merged)
}

/// Returns the number of elements inside of each seam of a layout, in increasing order.
fn marks(layout: &Layout) -> Vec<usize> {
    let mut mark = 1;
    let runs = layout.runs_inner_first();
    let products = runs.map(|run| {
        mark *= run.len;
        mark
    });
    products.collect()
}

/// Splits the axes of a layout so that each of `marks`, in increasing order, is the stride of an axis
/// where possible. Returns `None` if that takes more than [`MAX_RANK`] axes.
fn refine_at(layout: &Layout, marks: &[usize]) -> Option<Layout> {
    let mut axes = InlineVec::new();
    for &axis in layout.axes() {
        let mut parts: Vec<Axis> = Vec::new();
        let mut rest = axis;
        for &mark in marks {
            let step = rest.stride.unsigned_abs();
            if step == 0 || step >= mark || !mark.is_multiple_of(step) {
                continue;
            }
            let n_inside = mark / step;
            if n_inside < rest.len && rest.len.is_multiple_of(n_inside) {
                parts.push(Axis::new(n_inside, rest.stride));
                let stride = rest.stride * n_inside as isize;
                rest = Axis::new(rest.len / n_inside, stride);
            }
        }
        axes.push(rest);
        parts.iter().rev().for_each(|&part| axes.push(part));
    }
    (axes.len() <= MAX_RANK).then(|| Layout::with_axes(layout.start(), axes))
}
