//! One layout with padding around it.

use crate::{Axis, InlineVec, Layout, Shape};
use core::ops::Range;

/// A layout seen inside a larger shape; every index outside of the box it fills is padding.
///
/// Invariants:
///
/// 1. `before[k] + inside.shape()[k] <= shape[k]` for each axis, and the ranks agree.
/// 2. `inside` has elements; where nothing but padding is left, or nothing at all, it is `None` and
///    `before` is all 0. So equal stages are `==`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    shape: Shape,
    before: Shape,
    inside: Option<Layout>,
}

impl Stage {
    /// A layout without padding.
    pub(super) fn whole(layout: Layout) -> Stage {
        let shape = layout.shape();
        let before = InlineVec::repeat(0, shape.len());
        Stage::new(shape, before, Some(layout))
    }

    /// Nothing but padding.
    pub(super) fn padding(shape: Shape) -> Stage {
        let before = InlineVec::repeat(0, shape.len());
        Stage { shape, before, inside: None }
    }

    /// A layout whose first element is at index `before`.
    pub(super) fn new(shape: Shape, before: Shape, inside: Option<Layout>) -> Stage {
        match inside.filter(|it| !it.is_empty()) {
            Some(inside) => Stage { shape, before, inside: Some(inside) },
            None => Stage::padding(shape),
        }
    }

    /// The lengths of the axes, padding included.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The layout of what is not padding, if there is anything.
    pub fn inside(&self) -> Option<&Layout> {
        self.inside.as_ref()
    }

    /// How many positions of padding come before the layout, along each axis.
    pub fn before(&self) -> &[usize] {
        &self.before
    }

    /// The indices along an axis that are not padding.
    pub(super) fn valid(&self, axis: usize) -> Range<usize> {
        let len = self.inside.as_ref().map_or(0, |it| it.axes()[axis].len);
        self.before[axis]..self.before[axis] + len
    }

    /// Whether some index is padding.
    pub fn is_padded(&self) -> bool {
        match &self.inside {
            Some(inside) => inside.axes().iter().zip(&self.shape).any(|(it, &len)| it.len != len),
            None => !self.shape.contains(&0),
        }
    }

    /// The layout, when there is no padding.
    pub(super) fn as_layout(&self) -> Option<Layout> {
        match &self.inside {
            _ if self.is_padded() => None,
            Some(inside) => Some(inside.clone()),
            None => Layout::row_major(&self.shape).ok(),
        }
    }

    /// The offset of an index inside the shape; `None` is padding.
    pub(super) fn offset(&self, index: &[usize]) -> Option<usize> {
        let inside = self.inside.as_ref()?;
        let mut offset = inside.start() as isize;
        for ((&i, &before), axis) in index.iter().zip(&self.before).zip(inside.axes()) {
            let i = i.checked_sub(before).filter(|&i| i < axis.len)?;
            offset += i as isize * axis.stride;
        }
        Some(offset as usize)
    }

    /// The same indices of a copy in row-major order.
    pub(super) fn of_copy(&self) -> Stage {
        let copied = |inside: &Layout| {
            let copied = Layout::row_major(&inside.shape());
            copied.expect("a copy has as many elements as what is copied")
        };
        let inside = self.inside.as_ref().map(copied);
        Stage { shape: self.shape.clone(), before: self.before.clone(), inside }
    }

    /// The same walk with fewer axes: one without padding is joined to the one outside of it where it
    /// continues it.
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

    /// Axis `k` of the result is axis `order[k]` of `self`; `order` names each axis once, and may leave
    /// out axes of length 1.
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

    /// `len` positions of axis `k` from `first` on, `step` apart; all of them exist.
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

    /// Drops axis `k`, which has length 1.
    pub(super) fn drop_axis(&self, k: usize) -> Stage {
        let dropped =
            |inside: &Layout| Layout::with_axes(inside.start(), inside.inline_axes().without(k));
        Stage {
            shape: self.shape.without(k),
            before: self.before.without(k),
            inside: self.inside.as_ref().map(dropped),
        }
    }

    /// Puts in an axis of length 1 in front of axis `k`.
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

    /// Repeats axis `k`, which has length 1, `len` times.
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

    /// Puts padding around axis `k`; the new length fits.
    pub(super) fn pad(&self, k: usize, before: usize, after: usize) -> Stage {
        let mut padded = self.clone();
        padded.shape[k] += before + after;
        if padded.inside.is_some() {
            padded.before[k] += before;
        }
        padded
    }
}
