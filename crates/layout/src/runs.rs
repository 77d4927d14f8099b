//! Runs: maximal groups of adjacent axes that are traversed with a single stride.
//!
//! Two adjacent axes belong to one run when one step along the outer axis is as long as the whole
//! inner axis (`outer.stride == inner.len * inner.stride`). Otherwise there is a seam between them,
//! and no strided view can have an axis across it. Whether a layout can be reshaped without a copy
//! depends on its runs alone (see `view/reshape.rs`).

use crate::{Axis, Layout};

/// A maximal group of adjacent axes of a layout that is traversed with a single stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The outermost axis of the run, axes of length 1 ignored.
    pub first: usize,
    /// The innermost axis of the run, axes of length 1 ignored.
    pub last: usize,
    /// The number of elements in the run.
    pub len: usize,
    /// The stride between them.
    pub stride: isize,
}

impl Layout {
    /// Iterates over the runs of this layout, innermost first. A layout with one element has none.
    ///
    /// The result is meaningful for layouts with elements only: without elements all stored strides
    /// are 0.
    #[inline]
    pub(crate) fn runs_inner_first(&self) -> impl Iterator<Item = Run> {
        let axes = self.axes();
        let mut k = axes.len();
        core::iter::from_fn(move || {
            let (last, inner) = next_outward(axes, &mut k)?;
            let mut run = Run { first: last, last, len: inner.len, stride: inner.stride };
            let mut outermost = inner;
            loop {
                let before = k;
                match next_outward(axes, &mut k) {
                    Some((first, axis)) if axis.continues_into(outermost) => {
                        run.first = first;
                        run.len *= axis.len;
                        outermost = axis;
                    }
                    Some(_) => {
                        k = before;
                        return Some(run);
                    }
                    None => return Some(run),
                }
            }
        })
    }
}

/// Moves `k` outwards to the next axis whose length is not 1 and returns its number and the axis.
#[inline]
fn next_outward(axes: &[Axis], k: &mut usize) -> Option<(usize, Axis)> {
    while *k > 0 {
        *k -= 1;
        if axes[*k].len != 1 {
            return Some((*k, axes[*k]));
        }
    }
    None
}
