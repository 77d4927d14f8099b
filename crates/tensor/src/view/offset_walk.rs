//! A walk over the offsets of a layout in row-major order, from both ends.

use crate::{Layout, Shape};
use belvedere_layout::Axis;

/// An iterator over the offsets of a layout in row-major order: double-ended, exact-size, and it can skip.
///
/// From the front it counts like an odometer, whose last digit has a counter of its own: nearly all steps decrement it and
/// add a stride. The other digits are on the heap, if there are any, so that the compiler can hold the rest in registers.
/// From the back it divides.
#[derive(Clone)]
pub(super) struct OffsetWalk {
    start: usize,
    /// The last axis, along which the walk steps; that of a scalar has length 1.
    inner: Axis,
    /// The number of steps along it from the position `next` on.
    n_steps: usize,
    /// The offset of the position `next`.
    offset: isize,
    /// The positions that are left: `next..end`, at most the number of elements.
    next: usize,
    end: usize,
    /// The other axes, if there are any.
    outer: Option<Box<OuterWalk>>,
}

/// The index along all axes but the last.
#[derive(Clone)]
struct OuterWalk {
    layout: Layout,
    index: Shape,
}

impl OuterWalk {
    /// Moves to the next index; returns the change of the offset.
    fn step(&mut self) -> isize {
        let mut change = 0;
        for (i, axis) in self.index.iter_mut().zip(self.layout.axes()).rev() {
            if *i + 1 < axis.len {
                *i += 1;
                return change + axis.stride;
            }
            change -= *i as isize * axis.stride;
            *i = 0;
        }
        change
    }

    /// Moves to the index with a number in row-major order, which must be less than the number of indices; returns its
    /// offset.
    fn seek(&mut self, number: usize) -> isize {
        let mut rest = number;
        for (i, axis) in self.index.iter_mut().zip(self.layout.axes()).rev() {
            *i = rest % axis.len;
            rest /= axis.len;
        }
        self.offset_at(number)
    }

    /// Returns the offset of the index with a number in row-major order, which must be less than the number of indices.
    fn offset_at(&self, number: usize) -> isize {
        let (mut offset, mut rest) = (0, number);
        for axis in self.layout.axes().iter().rev() {
            // The outermost axis needs no division.
            if rest < axis.len {
                return offset + rest as isize * axis.stride;
            }
            offset += (rest % axis.len) as isize * axis.stride;
            rest /= axis.len;
        }
        offset
    }
}

impl OffsetWalk {
    pub(super) fn new(layout: &Layout) -> OffsetWalk {
        let (start, end) = (layout.start(), layout.len());
        let (inner, outer) = match *layout.axes() {
            [] => (Axis::new(1, 0), None),
            [inner] => (inner, None),
            [ref axes @ .., inner] if end > 0 => {
                // The offsets of the outer axes are relative to the start, and may be negative: only their strides count.
                let reach = |axis: &Axis| (axis.len - 1) as isize * axis.stride.min(0);
                let below: isize = axes.iter().map(reach).sum();
                let outer = Layout::new(below.unsigned_abs(), axes);
                let layout = outer.expect("some axes of a layout are a layout");
                let mut index = layout.shape();
                index.fill(0);
                (inner, Some(Box::new(OuterWalk { layout, index })))
            }
            _ => (Axis::new(0, 0), None),
        };
        let n_steps = inner.len.saturating_sub(1);
        OffsetWalk { start, inner, n_steps, offset: start as isize, next: 0, end, outer }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.end - self.next
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.next == self.end {
            return None;
        }
        let offset = self.offset;
        self.next += 1;
        if self.n_steps > 0 {
            self.n_steps -= 1;
            self.offset += self.inner.stride;
        } else if let Some(outer) = &mut self.outer {
            self.n_steps = self.inner.len - 1;
            self.offset += outer.step() - self.n_steps as isize * self.inner.stride;
        }
        Some(offset as usize)
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<usize> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        let offset = match &self.outer {
            None => self.end as isize * self.inner.stride,
            Some(outer) => {
                let (number, i) = (self.end / self.inner.len, self.end % self.inner.len);
                outer.offset_at(number) + i as isize * self.inner.stride
            }
        };
        Some(self.start.wrapping_add_signed(offset))
    }

    /// Skips `n` positions at the front, or all that are left.
    pub(super) fn skip(&mut self, n: usize) {
        self.next += n.min(self.len());
        if self.next == self.end {
            return;
        }
        let (number, i) = (self.next / self.inner.len, self.next % self.inner.len);
        self.n_steps = self.inner.len - 1 - i;
        let outer = self.outer.as_mut().map_or(0, |outer| outer.seek(number));
        self.offset = self.start as isize + outer + i as isize * self.inner.stride;
    }

    /// Skips `n` positions at the back, or all that are left.
    pub(super) fn skip_back(&mut self, n: usize) {
        self.end -= n.min(self.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_and_skips_agree_with_the_offsets() {
        let row = |shape: &[usize]| Layout::row_major(shape).expect("a small shape");
        let layouts = [
            Layout::scalar(5).expect("a small offset"),
            row(&[0]),
            row(&[4]).flip(&[0]).expect("an axis"),
            row(&[2, 3, 4]).permute(&[2, 0, 1]).expect("a permutation"),
            row(&[3, 1]).broadcast_to([2, 3, 2]).expect("a broadcast"),
            row(&[2, 0, 3]),
            row(&[2, 3, 4]).flip(&[0, 1, 2]).expect("axes"),
            row(&[3, 4]).flip(&[0]).and_then(|it| it.step(1, 2)).expect("axes"),
        ];
        for layout in layouts {
            let expected: Vec<usize> = layout.offsets().collect();
            let n = expected.len();
            for first in 0..=n + 1 {
                for last in 0..=n + 1 {
                    let mut walk = OffsetWalk::new(&layout);
                    walk.skip(first);
                    walk.skip_back(last);
                    let rest = &expected[first.min(n)..n.saturating_sub(last).max(first.min(n))];
                    assert_eq!(walk.len(), rest.len());
                    let (mut front, mut back) = (Vec::new(), Vec::new());
                    while let Some(offset) = walk.next() {
                        front.push(offset);
                        back.extend(walk.next_back());
                    }
                    front.extend(back.into_iter().rev());
                    assert_eq!(front, rest, "{layout:?} without {first} and {last}");
                }
            }
        }
    }
}
