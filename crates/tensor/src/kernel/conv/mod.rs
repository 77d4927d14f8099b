//! Windows that slide over images: convolutions and pooling.
//!
//! **The problem.** For each place of a window, a sum of products, a maximum or a mean of what is in
//! it. The windows are a view of the image with six axes; a product of matrices takes only two of
//! them, and the same elements are in many windows.
//!
//! **The plain solution** writes all windows out and multiplies, which takes as many times the memory
//! of the image as a window has elements. There are two others here, and a third that needs no kernel:
//!
//! 1. *Columns* ([`columns`]): windows are written out for a few rows of the result at a time, as many as
//!    stay in the cache, and multiplied at once. It is the way if there are several output channels for
//!    each window.
//! 2. *Rows* ([`rows`]): each row of the result is a sum of rows of the image, shifted and weighted.
//!    Nothing is written out. It is the way for one channel at a time, and for maxima and means.
//! 3. A window of one element is a product of matrices as it is; `op/nn` asks for that.
//!
//! Padding is never stored. A window that reaches over the edge has fewer elements; in columns, zeros.

mod columns;
mod rows;

pub(crate) use columns::convolve_columns;
pub(crate) use rows::{convolve_rows, max_rows, mean_rows};

use std::ops::Range;

/// How windows lie along one axis of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    /// The length of the image.
    pub len: usize,
    /// How many elements of it a window has, and how far apart they are.
    pub size: usize,
    pub dilation: usize,
    /// How far windows are apart, and how many there are.
    pub stride: usize,
    pub count: usize,
    /// How much padding there is before the image, and behind.
    pub before: usize,
    pub behind: usize,
}

impl Along {
    /// Where element `tap` of window `at` is in the image, which may be beyond its ends.
    fn position(&self, at: usize, tap: usize) -> isize {
        (at * self.stride + tap * self.dilation) as isize - self.before as isize
    }

    /// The windows whose element `tap` is in the image.
    fn windows(&self, tap: usize) -> Range<usize> {
        // The first position that is not before the image, and the first that is behind it.
        let first = |edge: isize| {
            let from_start = edge - self.position(0, tap);
            from_start.max(0).unsigned_abs().div_ceil(self.stride).min(self.count)
        };
        let (low, high) = (first(0), first(self.len as isize));
        low..high.max(low)
    }

    /// The elements of window `at` that are in the image.
    fn taps(&self, at: usize) -> Range<usize> {
        self.taps_from(self.position(at, 0))
    }

    /// Those that are in the image in some window.
    pub(crate) fn all_taps(&self) -> Range<usize> {
        match self.count.checked_sub(1) {
            None => 0..0,
            Some(last) => {
                self.taps_from(self.position(last, 0)).start
                    ..self.taps_from(self.position(0, 0)).end
            }
        }
    }

    /// The elements of a window that begins somewhere which are in the image.
    fn taps_from(&self, start: isize) -> Range<usize> {
        let first = |edge: isize| {
            (edge - start).max(0).unsigned_abs().div_ceil(self.dilation).min(self.size)
        };
        first(0)..first(self.len as isize)
    }

    /// How many elements a window has, with the padding between the ends or without it.
    fn n_counted(&self, at: usize, with_padding: bool) -> usize {
        let start = self.position(at, 0);
        let end = start + self.size as isize;
        let (low, high) = match with_padding {
            true => (-(self.before as isize), (self.len + self.behind) as isize),
            false => (0, self.len as isize),
        };
        (end.min(high) - start.max(low)).max(0).unsigned_abs()
    }
}

/// The part of two ranges that is in both.
fn both(a: Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_those_that_positions_say() {
        for len in 0..6 {
            for (size, dilation, stride) in [(1, 1, 1), (2, 1, 1), (3, 2, 1), (2, 3, 2), (3, 1, 4)]
            {
                for before in 0..4 {
                    let count = 5;
                    let it = Along { len, size, dilation, stride, count, before, behind: 1 };
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
