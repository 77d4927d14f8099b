//! The stretches of a layout that are walked with one stride.
//!
//! Two neighbouring axes are one stretch when a step along the outer one is the same as walking all of
//! the inner one. Where that fails there is a seam, and no strided view can have an axis across it:
//! runs are all there is to know about a layout when it is reshaped (see `view/reshape.rs`).

use crate::{Axis, Layout};

/// A longest stretch of a layout that is walked with one stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The outermost axis in the run, axes of length 1 left out.
    pub first: usize,
    /// The innermost axis in the run, axes of length 1 left out.
    pub last: usize,
    /// How many elements it has.
    pub len: usize,
    /// How far apart they are.
    pub stride: isize,
}

impl Layout {
    /// The runs of this layout, innermost first; none for a single element.
    ///
    /// Meant for layouts that have elements: without any, no stride has an effect, and each axis
    /// that is not of length 1 is a run of its own or joined with another as stored strides have it.
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

/// The next axis outside of position `k` that is stepped along, with its number.
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
