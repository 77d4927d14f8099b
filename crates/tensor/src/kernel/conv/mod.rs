//! Convolution and pooling.
//!
//! **The problem.** For each position of a sliding window, a sum of products, a maximum or a mean of its
//! elements. The windows are a view of the image with six axes; a matrix product takes only two of them,
//! and an element belongs to many windows.
//!
//! **The plain solution** materializes all windows and multiplies, which takes the memory of the image
//! times the number of elements of a window. There are two others here, and a third that needs no kernel:
//!
//! 1. *im2col, tiled* ([`im2col`]): the windows of a few rows of the result are written out at a time, as
//!    many as fit in the L2 cache, and multiplied. Used if there are several output channels per group.
//! 2. *Direct convolution* ([`direct`]): each row of the result is a sum of rows of the image, shifted and
//!    weighted. Nothing is written out. Used for depthwise convolutions and for pooling.
//! 3. A window of one element is a matrix product; `op/nn` calls that.
//!
//! Padding is never stored. A window that extends beyond the image has fewer elements; in im2col, zeros.

mod direct;
mod im2col;

pub(crate) use direct::{avg_pool, convolve_direct, max_pool};
pub(crate) use im2col::convolve_im2col;

use std::ops::Range;

/// The windows along one axis of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowAxis {
    /// The length of the image along the axis.
    pub len: usize,
    /// The number of elements of a window, and the distance between them.
    pub size: usize,
    pub dilation: usize,
    /// The distance between windows, and their number.
    pub stride: usize,
    pub count: usize,
    /// The padding before and after the image.
    pub before: usize,
    pub after: usize,
}

impl WindowAxis {
    /// Returns the position of element `tap` of window `at` in the image, which may be out of range.
    fn position(&self, at: usize, tap: usize) -> isize {
        (at * self.stride + tap * self.dilation) as isize - self.before as isize
    }

    /// Returns the windows whose element `tap` is in the image.
    fn windows(&self, tap: usize) -> Range<usize> {
        // The first window whose element is not before the image, and the first whose element is after it.
        let first = |edge: isize| {
            let from_start = edge - self.position(0, tap);
            from_start.max(0).unsigned_abs().div_ceil(self.stride).min(self.count)
        };
        let (low, high) = (first(0), first(self.len as isize));
        low..high.max(low)
    }

    /// Returns the elements of window `at` that are in the image.
    fn taps(&self, at: usize) -> Range<usize> {
        self.taps_from(self.position(at, 0))
    }

    /// Returns the elements that are in the image in at least one window.
    pub(crate) fn all_taps(&self) -> Range<usize> {
        match self.count.checked_sub(1) {
            None => 0..0,
            Some(last) => {
                self.taps_from(self.position(last, 0)).start
                    ..self.taps_from(self.position(0, 0)).end
            }
        }
    }

    /// Returns the elements of a window starting at position `start` that are in the image.
    fn taps_from(&self, start: isize) -> Range<usize> {
        let first = |edge: isize| {
            (edge - start).max(0).unsigned_abs().div_ceil(self.dilation).min(self.size)
        };
        first(0)..first(self.len as isize)
    }

    /// Returns the number of elements of a window, with padding or without.
    fn n_counted(&self, at: usize, with_padding: bool) -> usize {
        let start = self.position(at, 0);
        let end = start + self.size as isize;
        let (low, high) = match with_padding {
            true => (-(self.before as isize), (self.len + self.after) as isize),
            false => (0, self.len as isize),
        };
        (end.min(high) - start.max(low)).max(0).unsigned_abs()
    }
}

/// Returns the intersection of two ranges.
fn intersect(a: Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_taps_agree_with_positions() {
        for len in 0..6 {
            for (size, dilation, stride) in [(1, 1, 1), (2, 1, 1), (3, 2, 1), (2, 3, 2), (3, 1, 4)]
            {
                for before in 0..4 {
                    let count = 5;
                    let it = WindowAxis { len, size, dilation, stride, count, before, after: 1 };
                    for at in 0..count {
                        let is_inside =
                            |&tap: &usize| (0..len as isize).contains(&it.position(at, tap));
                        let expected: Vec<usize> = (0..size).filter(is_inside).collect();
                        assert_eq!(it.taps(at).collect::<Vec<_>>(), expected, "{it:?} {at}");
                        assert!(expected.iter().all(|tap| it.all_taps().contains(tap)), "{it:?}");
                    }
                    for tap in 0..size {
                        let is_inside =
                            |&at: &usize| (0..len as isize).contains(&it.position(at, tap));
                        let expected: Vec<usize> = (0..count).filter(is_inside).collect();
                        assert_eq!(it.windows(tap).collect::<Vec<_>>(), expected, "{it:?} {tap}");
                    }
                    if dilation == 1 {
                        for at in 0..count {
                            let inside = |edge: Range<isize>| {
                                (0..size)
                                    .filter(|&tap| edge.contains(&it.position(at, tap)))
                                    .count()
                            };
                            assert_eq!(it.n_counted(at, false), inside(0..len as isize));
                            let edge = -(before as isize)..len as isize + 1;
                            assert_eq!(it.n_counted(at, true), inside(edge));
                        }
                    }
                }
            }
        }
    }
}
