//! A whole stack as one stage.
//!
//! Three layouts can be one although no two of them are: of `arange(12)`, `reshape(2, 6)`, transpose,
//! `reshape(3, 4)`, transpose, `reshape(2, 6)` ends as the layout (2, 6):(1, 2).
//!
//! The way there: cut the outermost axes finer, so that every division by a place of the stage below
//! falls between two of the finer axes. Then the two do merge, into a layout of the finer shape; and so
//! on down to memory. What comes out visits the right offsets in the right order, in a finer shape than
//! asked for, and whether it can be joined to the shape asked for is what `reshape` decides exactly.

use super::stage::Stage;
use super::{merge_by_enumeration, merge_pair};
use crate::{Axis, InlineVec, Layout, MAX_RANK, Reshape};
use alloc::vec::Vec;

/// One stage that does what all of these do, the last one taking the index.
pub(super) fn merge(stages: &[Stage]) -> Option<Stage> {
    merge_by_refinement(stages).map(Stage::whole).or_else(|| merge_by_enumeration::merge(stages))
}

/// The same for stages without padding, in time that does not depend on the number of elements.
fn merge_by_refinement(stages: &[Stage]) -> Option<Layout> {
    match layout_up_to_reshape(stages)?.reshape_to(stages.last()?.shape()) {
        Ok(Reshape::View(view)) => Some(view),
        _ => None,
    }
}

/// One layout that reaches the same offsets in the same order, in a shape of its own; `None` when it
/// was not found, or there is padding.
pub(super) fn layout_up_to_reshape(stages: &[Stage]) -> Option<Layout> {
    let (top, below) = stages.split_last()?;
    let mut finer = top.as_layout()?;
    for stage in below.iter().rev() {
        let layout = stage.as_layout()?;
        let cut = refine_at(&finer, &marks(&layout))?;
        finer = merge_pair::merge_affine(&Stage::whole(cut), stage)?.as_layout()?;
    }
    Some(finer)
}

/// The numbers of elements inside of each seam of a layout, the smallest first.
fn marks(layout: &Layout) -> Vec<usize> {
    let mut mark = 1;
    let runs = layout.runs_inner_first();
    let products = runs.map(|run| {
        mark *= run.len;
        mark
    });
    products.collect()
}

/// The same walk with axes cut so that each of `marks`, rising, is a step of one of them, wherever
/// it can be. `None` when that takes more axes than a layout can have.
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
