//! `Stage`: one layout with padding around it.

use crate::{Axis, InlineVec, Layout, Shape};
use core::ops::Range;

/// One stage of a [`Chain`](crate::Chain): a layout inside of a larger shape.
///
/// Every index outside of the box that the layout fills is padding.
///
/// Invariants:
///
/// 1. `before[k] + inside.shape()[k] <= shape[k]` for each axis, and the ranks agree.
/// 2. `inside` has elements. If there is nothing but padding, or no elements at all, it is `None` and
///    `before` is all 0. Equivalent stages are therefore `==`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    shape: Shape,
    before: Shape,
    inside: Option<Layout>,
}

impl Stage {
    /// Creates a stage without padding.
    pub(super) fn whole(layout: Layout) -> Stage {
        let shape = layout.shape();
        let before = InlineVec::repeat(0, shape.len());
        Stage::new(shape, before, Some(layout))
    }

    /// Creates a stage of padding only.
    pub(super) fn padding(shape: Shape) -> Stage {
        let before = InlineVec::repeat(0, shape.len());
        Stage { shape, before, inside: None }
    }

    /// Creates a stage of the given shape with `inside` beginning at index `before`.
    pub(super) fn new(shape: Shape, before: Shape, inside: Option<Layout>) -> Stage {
        match inside.filter(|it| !it.is_empty()) {
            Some(inside) => Stage { shape, before, inside: Some(inside) },
            None => Stage::padding(shape),
        }
    }

    /// Returns the length of each axis, padding included.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let padded = Chain::new(Layout::row_major(&[3])?).pad(&[(1, 2)])?;
    /// assert_eq!(padded.stages()[0].shape(), [6]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the layout of the elements that are not padding, or `None` if there are none.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let row = Layout::row_major(&[3])?;
    /// let padded = Chain::new(row.clone()).pad(&[(1, 2)])?;
    /// assert_eq!(padded.stages()[0].inside(), Some(&row));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn inside(&self) -> Option<&Layout> {
        self.inside.as_ref()
    }

    /// Returns the number of positions of padding before the layout, for each axis.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let padded = Chain::new(Layout::row_major(&[2, 3])?).pad(&[(0, 1), (2, 0)])?;
    /// assert_eq!(padded.stages()[0].before(), [0, 2]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn before(&self) -> &[usize] {
        &self.before
    }

    /// Returns the indices along an axis that are not padding.
    pub(super) fn valid(&self, axis: usize) -> Range<usize> {
        let len = self.inside.as_ref().map_or(0, |it| it.axes()[axis].len);
        self.before[axis]..self.before[axis] + len
    }

    /// Returns whether some index is padding.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let row = Chain::new(Layout::row_major(&[3])?);
    /// assert!(!row.stages()[0].is_padded());
    /// assert!(row.pad(&[(1, 0)])?.stages()[0].is_padded());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn is_padded(&self) -> bool {
        match &self.inside {
            Some(inside) => inside.axes().iter().zip(&self.shape).any(|(it, &len)| it.len != len),
            None => !self.shape.contains(&0),
        }
    }

    /// Returns the layout, or `None` if there is padding.
    pub(super) fn as_layout(&self) -> Option<Layout> {
        match &self.inside {
            _ if self.is_padded() => None,
            Some(inside) => Some(inside.clone()),
            None => Layout::row_major(&self.shape).ok(),
        }
    }

    /// Returns the offset of an index in range, or `None` if it is padding.
    pub(super) fn offset(&self, index: &[usize]) -> Option<usize> {
        let inside = self.inside.as_ref()?;
        let mut offset = inside.start() as isize;
        for ((&i, &before), axis) in index.iter().zip(&self.before).zip(inside.axes()) {
            let i = i.checked_sub(before).filter(|&i| i < axis.len)?;
            offset += i as isize * axis.stride;
        }
        Some(offset as usize)
    }

    /// Returns the stage over a row-major copy of the elements.
    pub(super) fn of_copy(&self) -> Stage {
        let copied = |inside: &Layout| {
            let copied = Layout::row_major(&inside.shape());
            copied.expect("a copy has as many elements as its source")
        };
        let inside = self.inside.as_ref().map(copied);
        Stage { shape: self.shape.clone(), before: self.before.clone(), inside }
    }

    /// Returns the stage with fewer axes that visits the same offsets in row-major order: an axis
    /// without padding is merged with the next outer one where the strides allow it.
    pub(super) fn coalesced(&self) -> Stage {
        let Some(inside) = &self.inside else {
            return Stage::padding([self.shape.iter().product()].into());
        };
        let (mut shape, mut before, mut axes) =
            (Shape::new(), Shape::new(), InlineVec::<Axis>::new());
        for (k, &axis) in inside.axes().iter().enumerate().filter(|(k, _)| self.shape[*k] != 1) {
            let is_whole = axis.len == self.shape[k];
            match axes.last_mut().filter(|it| is_whole && (it.len == 1 || it.continues_into(axis)))
            {
                Some(outer) => {
                    let last = shape.len() - 1;
                    *outer = Axis::new(outer.len * axis.len, axis.stride);
                    shape[last] *= axis.len;
                    before[last] *= axis.len;
                }
                None => {
                    axes.push(axis);
                    shape.push(self.shape[k]);
                    before.push(self.before[k]);
                }
            }
        }
        Stage::new(shape, before, Some(Layout::with_axes(inside.start(), axes)))
    }

    /// Permutes the axes: axis `k` of the result is axis `order[k]` of `self`. `order` has no repeated
    /// axes and may omit axes of length 1.
    pub(super) fn permute(&self, order: &[usize]) -> Stage {
        let permuted = |inside: &Layout| {
            let axes = order.iter().map(|&k| inside.axes()[k]).collect();
            Layout::with_axes(inside.start(), axes)
        };
        Stage {
            shape: order.iter().map(|&k| self.shape[k]).collect(),
            before: order.iter().map(|&k| self.before[k]).collect(),
            inside: self.inside.as_ref().map(permuted),
        }
    }

    /// Returns the stage with axis `k` reduced to the `len` positions `first`, `first + step`, …, all of
    /// which must exist.
    pub(super) fn stepped_range(&self, k: usize, first: usize, len: usize, step: isize) -> Stage {
        let mut shape = self.shape.clone();
        shape[k] = len;
        let valid = self.valid(k);
        // Positions i of the result with valid.start <= first + i·step < valid.end.
        let (ahead, behind) = if step > 0 {
            (valid.start as i128 - first as i128, valid.end as i128 - first as i128)
        } else {
            (first as i128 - valid.end as i128 + 1, first as i128 - valid.start as i128 + 1)
        };
        let size = step.unsigned_abs() as i128;
        let from = (ahead.max(0) + size - 1) / size;
        let to = ((behind.max(0) + size - 1) / size).min(len as i128);
        let Some(inside) = self.inside.as_ref().filter(|_| from < to) else {
            return Stage::padding(shape);
        };
        let start = (first as i128 + from * step as i128) as usize - valid.start;
        let mut before = self.before.clone();
        before[k] = from as usize;
        let inside = inside.stepped_range(k, start, (to - from) as usize, step);
        Stage { shape, before, inside: Some(inside) }
    }

    /// Removes axis `k`, which has length 1.
    pub(super) fn drop_axis(&self, k: usize) -> Stage {
        let dropped =
            |inside: &Layout| Layout::with_axes(inside.start(), inside.inline_axes().without(k));
        Stage {
            shape: self.shape.without(k),
            before: self.before.without(k),
            inside: self.inside.as_ref().map(dropped),
        }
    }

    /// Inserts an axis of length 1 before axis `k`.
    pub(super) fn insert_axis(&self, k: usize) -> Stage {
        let inserted = |inside: &Layout| {
            Layout::with_axes(inside.start(), inside.inline_axes().with(k, Axis::new(1, 0)))
        };
        Stage {
            shape: self.shape.with(k, 1),
            before: self.before.with(k, 0),
            inside: self.inside.as_ref().map(inserted),
        }
    }

    /// Broadcasts axis `k`, which has length 1, to `len`.
    pub(super) fn expand(&self, k: usize, len: usize) -> Stage {
        let mut shape = self.shape.clone();
        shape[k] = len;
        let expanded = self.inside.as_ref().map(|inside| {
            let mut axes = inside.inline_axes().clone();
            axes[k] = Axis::new(len, 0);
            Layout::canonical(inside.start(), axes)
        });
        Stage::new(shape, self.before.clone(), expanded)
    }

    /// Pads axis `k`. The new length must fit.
    pub(super) fn pad(&self, k: usize, before: usize, after: usize) -> Stage {
        let mut padded = self.clone();
        padded.shape[k] += before + after;
        if padded.inside.is_some() {
            padded.before[k] += before;
        }
        padded
    }
}
