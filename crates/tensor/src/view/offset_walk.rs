//! A walk over the offsets of a layout in row-major order, from both ends.

use crate::{Layout, Shape};

/// An iterator over the offsets of a layout in row-major order: double-ended, exact-size, and it can skip.
///
/// From the front it counts like an odometer, with an addition per offset; from the back it divides.
#[derive(Clone)]
pub(super) struct OffsetWalk {
    layout: Layout,
    /// The index of the position `next`.
    index: Shape,
    /// The offset of the position `next`.
    offset: isize,
    /// The positions that are left: `next..end`, at most the number of elements.
    next: usize,
    end: usize,
}

impl OffsetWalk {
    pub(super) fn new(layout: Layout) -> OffsetWalk {
        let mut index = layout.shape();
        index.fill(0);
        let (offset, end) = (layout.start() as isize, layout.len());
        OffsetWalk { layout, index, offset, next: 0, end }
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
        for (i, axis) in self.index.iter_mut().zip(self.layout.axes()).rev() {
            if *i + 1 < axis.len {
                *i += 1;
                self.offset += axis.stride;
                break;
            }
            self.offset -= *i as isize * axis.stride;
            *i = 0;
        }
        Some(offset as usize)
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<usize> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.offset_at(self.end))
    }

    /// Skips `n` positions at the front, or all that are left.
    pub(super) fn skip(&mut self, n: usize) {
        self.next += n.min(self.len());
        if self.next < self.end {
            self.seek();
        }
    }

    /// Skips `n` positions at the back, or all that are left.
    pub(super) fn skip_back(&mut self, n: usize) {
        self.end -= n.min(self.len());
    }

    /// Sets the index and the offset to those of the position `next`.
    fn seek(&mut self) {
        self.offset = self.offset_at(self.next) as isize;
        let mut rest = self.next;
        for (i, axis) in self.index.iter_mut().zip(self.layout.axes()).rev() {
            *i = rest % axis.len;
            rest /= axis.len;
        }
    }

    /// Returns the offset of a position, which must be less than the number of elements.
    fn offset_at(&self, position: usize) -> usize {
        let (mut offset, mut rest) = (self.layout.start() as isize, position);
        for axis in self.layout.axes().iter().rev() {
            // The outermost axis needs no division.
            if rest < axis.len {
                return (offset + rest as isize * axis.stride) as usize;
            }
            offset += (rest % axis.len) as isize * axis.stride;
            rest /= axis.len;
        }
        offset as usize
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
        ];
        for layout in layouts {
            let expected: Vec<usize> = layout.offsets().collect();
            let n = expected.len();
            for first in 0..=n + 1 {
                for last in 0..=n + 1 {
                    let mut walk = OffsetWalk::new(layout.clone());
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
